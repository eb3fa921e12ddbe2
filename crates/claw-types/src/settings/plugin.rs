//! The types for plugins in settings and in marketplaces.

use crate::by_shape::by_shape;
use crate::{Count, Json, Map};

by_shape! {
    /// Whether a plugin is enabled: a flag, a list of versions, or an object with details.
    EnabledPlugin, "true, false, a list or an object" {
        /// A flag: `true` if the plugin is enabled, and `false` if it is disabled.
        flag Enabled(bool),
        /// The versions of the plugin that are enabled.
        list Versions(Vec<String>),
        /// An object with details about the parts of the plugin that are enabled.
        object Detail(Json),
    }
}

/// A plugin that a marketplace lists.
#[wire(rename_all = "camelCase")]
pub struct ListedPlugin {
    /// The name of the plugin.
    pub name: String,
    /// The source of the plugin.
    pub source: PluginSource,
    /// A description of the plugin.
    pub description: Option<String>,
    /// The version of the plugin. Absent if the plugin does not state a version.
    pub version: Option<String>,
    /// Whether the plugin must contain its own manifest.
    pub strict: Option<bool>,
    /// The versions of the CLI with which the plugin works.
    pub engines: Option<Json>,
    /// The HTTP headers for fetching the plugin. Absent means no additional headers.
    #[wire(secret)]
    pub headers: Option<Map<String>>,
    /// A command that prints the HTTP headers for fetching the plugin. If absent, no command is
    /// run.
    pub headers_helper: Option<String>,
}

by_shape! {
    /// The source of a plugin: a path in the plugin's marketplace, or a source outside of the
    /// marketplace.
    PluginSource, "a path, or an object" {
        /// The path of the plugin in its marketplace.
        text Path(String),
        /// A source outside of the plugin's marketplace.
        object Elsewhere(Box<PluginSourceObject>),
    }
}

/// The source of a plugin outside of its marketplace.
#[wire]
pub enum PluginSourceObject {
    /// The plugin is an npm package.
    Npm(Box<NpmPlugin>),
    /// The plugin is a git repository.
    Url(Box<UrlPlugin>),
    /// The plugin is a repository on GitHub.
    Github(Box<GithubPlugin>),
    /// The plugin is a folder of a git repository.
    GitSubdir(Box<GitSubdirPlugin>),
    /// The plugin is an archive at a URL.
    Archive(Box<ArchivePlugin>),
    /// The plugin is fetched by a command.
    Command(Box<CommandPlugin>),
    /// A kind of source that the CLI does not support.
    Unsupported(UnsupportedPlugin),
}

/// A plugin that is an npm package.
#[wire(tag(source = "npm"))]
pub struct NpmPlugin {
    /// The name of the package.
    pub package: String,
    /// The version of the package. Absent means the newest version.
    pub version: Option<String>,
    /// The URL of the npm registry that has the package. If absent, npm's configuration determines the registry.
    pub registry: Option<String>,
}

/// A plugin that is a git repository.
#[wire(tag(source = "url"))]
pub struct UrlPlugin {
    /// The URL of the repository.
    pub url: String,
    /// The branch or tag. Absent means the repository's default branch.
    #[wire(rename = "ref")]
    pub reference: Option<String>,
    /// The hash of the commit. Absent means the newest commit of the branch or tag.
    pub sha: Option<String>,
}

/// A plugin that is a repository on GitHub.
#[wire(tag(source = "github"))]
pub struct GithubPlugin {
    /// The repository, as `owner/name`.
    pub repo: String,
    /// The branch or tag. Absent means the repository's default branch.
    #[wire(rename = "ref")]
    pub reference: Option<String>,
    /// The hash of the commit. Absent means the newest commit of the branch or tag.
    pub sha: Option<String>,
}

/// A plugin that is a folder of a git repository.
#[wire(tag(source = "git-subdir"))]
pub struct GitSubdirPlugin {
    /// The URL of the repository.
    pub url: String,
    /// The path of the folder in the repository.
    pub path: String,
    /// The branch or tag. Absent means the repository's default branch.
    #[wire(rename = "ref")]
    pub reference: Option<String>,
    /// The hash of the commit. Absent means the newest commit of the branch or tag.
    pub sha: Option<String>,
}

/// A plugin that is an archive at a URL.
#[wire(tag(source = "archive"))]
pub struct ArchivePlugin {
    /// The URL of the archive.
    pub url: String,
    /// The SHA-256 hash of the archive. If absent, the archive is not compared with a hash.
    pub sha256: Option<String>,
}

/// A plugin that a command fetches.
#[wire(tag(source = "command"))]
pub struct CommandPlugin {
    /// The command. It prints the path of the folder that contains the plugin.
    pub command: String,
    /// The timeout of the command, in seconds. Absent means 60.
    pub timeout: Option<Count>,
    /// Whether the fetched folder is copied or linked. Absent means `copy`.
    pub mode: Option<CommandPluginMode>,
}

/// Whether the folder that a plugin's command fetched is copied or linked.
#[wire(open)]
pub enum CommandPluginMode {
    /// The folder is copied.
    Copy = "copy",
    /// The folder is used where it is, without a copy.
    Link = "link",
}

/// A plugin from a kind of source that the CLI does not support.
#[wire(tag(source = "unsupported"))]
pub struct UnsupportedPlugin {
    /// The error message about the plugin's source.
    pub error: Option<String>,
}
