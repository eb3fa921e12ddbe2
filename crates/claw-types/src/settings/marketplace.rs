//! Marketplaces of plugins.

use super::ListedPlugin;
use crate::Map;

/// A plugin marketplace that the CLI knows.
#[wire(rename_all = "camelCase")]
pub struct KnownMarketplace {
    /// The source of the marketplace.
    pub source: Marketplace,
    /// The local folder in which the marketplace is installed.
    pub install_location: Option<String>,
    /// Whether the marketplace and its installed plugins are updated at each start.
    pub auto_update: Option<bool>,
    /// SHA-256 digests of plugin contents, by plugin name. This field is obsolete: current CLIs ignore it.
    pub plugin_digests: Option<Map<Vec<String>>>,
}

/// The source of a plugin marketplace.
#[wire]
pub enum Marketplace {
    /// The marketplace is a file at a URL.
    Url(Box<UrlMarketplace>),
    /// The marketplace is a repository on GitHub.
    Github(Box<GithubMarketplace>),
    /// The marketplace is a git repository.
    Git(Box<GitMarketplace>),
    /// The marketplace is an npm package.
    Npm(Box<NpmMarketplace>),
    /// The marketplace is a file on this machine.
    File(Box<FileMarketplace>),
    /// The marketplace is a local folder.
    Directory(Box<DirectoryMarketplace>),
    /// The entry stands for the plugins in the user's folder `~/.claude/skills`. Used only in lists of allowed or
    /// blocked marketplaces.
    SkillsDir(SkillsDirMarketplace),
    /// The entry stands for all marketplaces whose host name matches a pattern. Used only in lists of allowed or
    /// blocked marketplaces.
    Host(Box<HostMarketplaces>),
    /// The entry stands for all marketplaces whose path matches a pattern. Used only in lists of allowed or blocked
    /// marketplaces.
    Path(Box<PathMarketplaces>),
    /// The marketplace is defined in the settings themselves.
    Settings(Box<SettingsMarketplace>),
}

/// A plugin marketplace that is a file at a URL.
#[wire(tag(source = "url"), rename_all = "camelCase")]
pub struct UrlMarketplace {
    /// The URL of the file.
    pub url: String,
    /// The HTTP headers of the request. Absent means no additional headers.
    #[wire(secret)]
    pub headers: Option<Map<String>>,
    /// A command that prints HTTP headers for the request. If absent, no command is run.
    pub headers_helper: Option<String>,
}

/// A plugin marketplace that is a repository on GitHub.
#[wire(tag(source = "github"), rename_all = "camelCase")]
pub struct GithubMarketplace {
    /// The repository, as `owner/name`.
    pub repo: String,
    /// The branch or tag. Absent means the default branch.
    #[wire(rename = "ref")]
    pub reference: Option<String>,
    /// The path of the marketplace file in the repository. Absent means `.claude-plugin/marketplace.json`.
    pub path: Option<String>,
    /// The folders of the repository to fetch. If absent, the whole repository is fetched.
    pub sparse_paths: Option<Vec<String>>,
    /// Whether Git LFS files are left out. This field has no effect, because the CLI never downloads Git LFS files.
    pub skip_lfs: Option<bool>,
}

/// A plugin marketplace that is a git repository.
#[wire(tag(source = "git"), rename_all = "camelCase")]
pub struct GitMarketplace {
    /// The URL of the repository.
    pub url: String,
    /// The branch or tag. Absent means the default branch.
    #[wire(rename = "ref")]
    pub reference: Option<String>,
    /// The path of the marketplace file in the repository. Absent means `.claude-plugin/marketplace.json`.
    pub path: Option<String>,
    /// The folders of the repository to fetch. If absent, the whole repository is fetched.
    pub sparse_paths: Option<Vec<String>>,
    /// Whether Git LFS files are left out. This field has no effect, because the CLI never downloads Git LFS files.
    pub skip_lfs: Option<bool>,
}

/// A plugin marketplace that is an npm package.
#[wire(tag(source = "npm"))]
pub struct NpmMarketplace {
    /// The name of the package.
    pub package: String,
    /// The version of the package. Absent means the newest version.
    pub version: Option<String>,
    /// The URL of the npm registry that has the package. If absent, npm's configuration determines the registry.
    pub registry: Option<String>,
}

/// A plugin marketplace that is a local file.
#[wire(tag(source = "file"))]
pub struct FileMarketplace {
    /// The path of the file.
    pub path: String,
}

/// A plugin marketplace that is a local folder.
#[wire(tag(source = "directory"))]
pub struct DirectoryMarketplace {
    /// The path of the folder.
    pub path: String,
}

/// The entry for the plugins in the user's folder `~/.claude/skills`, in a list of allowed or blocked plugin
/// marketplaces.
#[wire(tag(source = "skills-dir"))]
pub struct SkillsDirMarketplace {}

/// All plugin marketplaces whose host name matches a pattern.
#[wire(tag(source = "hostPattern"), rename_all = "camelCase")]
pub struct HostMarketplaces {
    /// A regular expression for the host name.
    pub host_pattern: String,
}

/// All plugin marketplaces whose path matches a pattern.
#[wire(tag(source = "pathPattern"), rename_all = "camelCase")]
pub struct PathMarketplaces {
    /// A regular expression for the path.
    pub path_pattern: String,
}

/// A plugin marketplace that is defined in the settings themselves.
#[wire(tag(source = "settings"))]
pub struct SettingsMarketplace {
    /// The name of the marketplace.
    pub name: String,
    /// The plugins of the marketplace.
    pub plugins: Vec<ListedPlugin>,
    /// The owner of the marketplace.
    pub owner: Option<MarketplaceOwner>,
}

/// The owner of a marketplace.
#[wire]
pub struct MarketplaceOwner {
    /// The name of the owner.
    pub name: String,
    /// The email address of the owner. Absent if it is not given.
    pub email: Option<String>,
    /// The URL of the owner's website. Absent if it is not given.
    pub url: Option<String>,
}
