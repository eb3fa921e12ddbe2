//! Plugins as settings name them, and as a marketplace lists them.

use crate::by_shape::by_shape;
use crate::{Count, Json, Map};

by_shape! {
    /// Whether a plugin is used.
    EnabledPlugin, "true, false, a list or an object" {
        /// Whether.
        flag Enabled(bool),
        /// In these versions.
        list Versions(Vec<String>),
        /// As this says.
        object Detail(Json),
    }
}

/// A plugin of a marketplace.
#[wire(rename_all = "camelCase")]
pub struct ListedPlugin {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub source: PluginSource,
    /// What it does.
    pub description: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// It has to say itself what is in it.
    pub strict: Option<bool>,
    /// The versions of the CLI that it works with.
    pub engines: Option<Json>,
    /// Headers for fetching it.
    #[wire(secret)]
    pub headers: Option<Map<String>>,
    /// A command that writes them.
    pub headers_helper: Option<String>,
}

by_shape! {
    /// Where a plugin is: a path in its marketplace, or elsewhere.
    PluginSource, "a path, or an object" {
        /// A path in the marketplace.
        text Path(String),
        /// Elsewhere.
        object Elsewhere(Box<PluginSourceObject>),
    }
}

/// Where a plugin is that is not in its marketplace.
#[wire]
pub enum PluginSourceObject {
    /// A package of npm.
    Npm(Box<NpmPlugin>),
    /// A git repository.
    Url(Box<UrlPlugin>),
    /// A repository on GitHub.
    Github(Box<GithubPlugin>),
    /// A folder of a git repository.
    GitSubdir(Box<GitSubdirPlugin>),
    /// An archive on a server.
    Archive(Box<ArchivePlugin>),
    /// A command that fetches it.
    Command(Box<CommandPlugin>),
    /// A way that the CLI does not know.
    Unsupported(UnsupportedPlugin),
}

/// A plugin that is a package of npm.
#[wire(tag(source = "npm"))]
pub struct NpmPlugin {
    /// The package.
    pub package: String,
    /// Its version.
    pub version: Option<String>,
    /// The registry that has it.
    pub registry: Option<String>,
}

/// A plugin that is a git repository.
#[wire(tag(source = "url"))]
pub struct UrlPlugin {
    /// The repository.
    pub url: String,
    /// A branch or tag.
    #[wire(rename = "ref")]
    pub reference: Option<String>,
    /// The commit.
    pub sha: Option<String>,
}

/// A plugin that is a repository on GitHub.
#[wire(tag(source = "github"))]
pub struct GithubPlugin {
    /// The repository, as `owner/name`.
    pub repo: String,
    /// A branch or tag.
    #[wire(rename = "ref")]
    pub reference: Option<String>,
    /// The commit.
    pub sha: Option<String>,
}

/// A plugin that is a folder of a git repository.
#[wire(tag(source = "git-subdir"))]
pub struct GitSubdirPlugin {
    /// The repository.
    pub url: String,
    /// The folder.
    pub path: String,
    /// A branch or tag.
    #[wire(rename = "ref")]
    pub reference: Option<String>,
    /// The commit.
    pub sha: Option<String>,
}

/// A plugin that is an archive on a server.
#[wire(tag(source = "archive"))]
pub struct ArchivePlugin {
    /// Its address.
    pub url: String,
    /// The SHA-256 of it.
    pub sha256: Option<String>,
}

/// A plugin that a command fetches.
#[wire(tag(source = "command"))]
pub struct CommandPlugin {
    /// The command.
    pub command: String,
    /// How long it may take, in milliseconds.
    pub timeout: Option<Count>,
    /// What becomes of what it fetched.
    pub mode: Option<CommandPluginMode>,
}

/// What becomes of the plugin that a command has fetched.
#[wire(open)]
pub enum CommandPluginMode {
    /// It is copied.
    Copy = "copy",
    /// It is used where it is.
    Link = "link",
}

/// A plugin that comes in a way that the CLI does not know.
#[wire(tag(source = "unsupported"))]
pub struct UnsupportedPlugin {
    /// What is wrong about it.
    pub error: Option<String>,
}
