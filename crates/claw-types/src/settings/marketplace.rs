//! Marketplaces of plugins.

use super::ListedPlugin;
use crate::{Extra, Map, Unknown};
use claw_types_derive::{Wire, WireUnion};

/// A marketplace of plugins.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KnownMarketplace {
    /// Where it is.
    pub source: Marketplace,
    /// Where it is kept on this machine.
    pub install_location: Option<String>,
    /// Reads it again at each start.
    pub auto_update: Option<bool>,
    /// What its plugins may be, by name: SHA-256 of their contents.
    pub plugin_digests: Option<Map<Vec<String>>>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Where a marketplace of plugins is.
#[derive(WireUnion, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Marketplace {
    /// A file on a server.
    Url(Box<UrlMarketplace>),
    /// A repository on GitHub.
    Github(Box<GithubMarketplace>),
    /// A git repository.
    Git(Box<GitMarketplace>),
    /// A package of npm.
    Npm(Box<NpmMarketplace>),
    /// A file.
    File(Box<FileMarketplace>),
    /// A folder.
    Directory(Box<DirectoryMarketplace>),
    /// The folder of skills.
    SkillsDir(SkillsDirMarketplace),
    /// Only in lists of what may be added: all of some servers.
    Host(Box<HostMarketplaces>),
    /// Only in lists of what may be added: all in some folders.
    Path(Box<PathMarketplaces>),
    /// The settings themselves.
    Settings(Box<SettingsMarketplace>),
    /// A kind that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// A marketplace that is a file on a server.
#[derive(Wire, Clone, PartialEq)]
#[wire(tag(source = "url"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct UrlMarketplace {
    /// Its address.
    pub url: String,
    /// Headers.
    #[wire(secret)]
    pub headers: Option<Map<String>>,
    /// A command that writes headers.
    pub headers_helper: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A marketplace that is a repository on GitHub.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(source = "github"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct GithubMarketplace {
    /// The repository, as `owner/name`.
    pub repo: String,
    /// A branch or tag.
    #[wire(rename = "ref")]
    pub reference: Option<String>,
    /// The file in it.
    pub path: Option<String>,
    /// Only these folders are fetched.
    pub sparse_paths: Option<Vec<String>>,
    /// Without large files.
    pub skip_lfs: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A marketplace that is a git repository.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(source = "git"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct GitMarketplace {
    /// The repository.
    pub url: String,
    /// A branch or tag.
    #[wire(rename = "ref")]
    pub reference: Option<String>,
    /// The file in it.
    pub path: Option<String>,
    /// Only these folders are fetched.
    pub sparse_paths: Option<Vec<String>>,
    /// Without large files.
    pub skip_lfs: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A marketplace that is a package of npm.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(source = "npm"))]
#[non_exhaustive]
pub struct NpmMarketplace {
    /// The package.
    pub package: String,
    /// Its version.
    pub version: Option<String>,
    /// The registry that has it.
    pub registry: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A marketplace that is a file.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(source = "file"))]
#[non_exhaustive]
pub struct FileMarketplace {
    /// The file.
    pub path: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A marketplace that is a folder.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(source = "directory"))]
#[non_exhaustive]
pub struct DirectoryMarketplace {
    /// The folder.
    pub path: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A marketplace that is the folder of skills.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(source = "skills-dir"))]
#[non_exhaustive]
pub struct SkillsDirMarketplace {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// All marketplaces of some servers.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(source = "hostPattern"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct HostMarketplaces {
    /// A regular expression for the server's name.
    pub host_pattern: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// All marketplaces in some folders.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(source = "pathPattern"), rename_all = "camelCase")]
#[non_exhaustive]
pub struct PathMarketplaces {
    /// A regular expression for the path.
    pub path_pattern: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A marketplace that the settings list themselves.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(source = "settings"))]
#[non_exhaustive]
pub struct SettingsMarketplace {
    /// Its name.
    pub name: String,
    /// Its plugins.
    pub plugins: Vec<ListedPlugin>,
    /// Whose it is.
    pub owner: Option<MarketplaceOwner>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Whose a marketplace is.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MarketplaceOwner {
    /// A name.
    pub name: String,
    /// Mail address.
    pub email: Option<String>,
    /// An address.
    pub url: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
