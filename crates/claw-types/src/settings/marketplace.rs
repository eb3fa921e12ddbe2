//! Marketplaces of plugins.

use super::ListedPlugin;
use crate::Map;

/// A marketplace of plugins.
#[wire(rename_all = "camelCase")]
pub struct KnownMarketplace {
    /// Where it is.
    pub source: Marketplace,
    /// Where it is kept on this machine.
    pub install_location: Option<String>,
    /// Reads it again at each start.
    pub auto_update: Option<bool>,
    /// What its plugins may be, by name: SHA-256 of their contents.
    pub plugin_digests: Option<Map<Vec<String>>>,
}

/// Where a marketplace of plugins is.
#[wire]
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
}

/// A marketplace that is a file on a server.
#[wire(tag(source = "url"), rename_all = "camelCase")]
pub struct UrlMarketplace {
    /// Its address.
    pub url: String,
    /// Headers.
    #[wire(secret)]
    pub headers: Option<Map<String>>,
    /// A command that writes headers.
    pub headers_helper: Option<String>,
}

/// A marketplace that is a repository on GitHub.
#[wire(tag(source = "github"), rename_all = "camelCase")]
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
}

/// A marketplace that is a git repository.
#[wire(tag(source = "git"), rename_all = "camelCase")]
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
}

/// A marketplace that is a package of npm.
#[wire(tag(source = "npm"))]
pub struct NpmMarketplace {
    /// The package.
    pub package: String,
    /// Its version.
    pub version: Option<String>,
    /// The registry that has it.
    pub registry: Option<String>,
}

/// A marketplace that is a file.
#[wire(tag(source = "file"))]
pub struct FileMarketplace {
    /// The file.
    pub path: String,
}

/// A marketplace that is a folder.
#[wire(tag(source = "directory"))]
pub struct DirectoryMarketplace {
    /// The folder.
    pub path: String,
}

/// A marketplace that is the folder of skills.
#[wire(tag(source = "skills-dir"))]
pub struct SkillsDirMarketplace {}

/// All marketplaces of some servers.
#[wire(tag(source = "hostPattern"), rename_all = "camelCase")]
pub struct HostMarketplaces {
    /// A regular expression for the server's name.
    pub host_pattern: String,
}

/// All marketplaces in some folders.
#[wire(tag(source = "pathPattern"), rename_all = "camelCase")]
pub struct PathMarketplaces {
    /// A regular expression for the path.
    pub path_pattern: String,
}

/// A marketplace that the settings list themselves.
#[wire(tag(source = "settings"))]
pub struct SettingsMarketplace {
    /// Its name.
    pub name: String,
    /// Its plugins.
    pub plugins: Vec<ListedPlugin>,
    /// Whose it is.
    pub owner: Option<MarketplaceOwner>,
}

/// Whose a marketplace is.
#[wire]
pub struct MarketplaceOwner {
    /// A name.
    pub name: String,
    /// Mail address.
    pub email: Option<String>,
    /// An address.
    pub url: Option<String>,
}
