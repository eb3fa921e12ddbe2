//! The types of single settings, such as the status line and the attribution of commits.

use crate::Number;
use crate::by_shape::by_shape;
use crate::options::EffortLevel;

/// The way in which the entries of `availableModels` match the names of models.
#[wire(open)]
pub enum ModelMatch {
    /// An entry of `availableModels` also matches every longer model name that begins with the entry: `claude-opus-5`
    /// matches `claude-opus-5-5`. This is the default.
    Prefix = "prefix",
    /// An entry of `availableModels` that names a model does not match other versions: `claude-opus-5` does not match
    /// `claude-opus-5-5`.
    Exact = "exact",
}

/// The settings for one model.
///
/// If a field is absent, other settings or the CLI's defaults decide.
#[wire(rename_all = "camelCase")]
pub struct ModelSettings {
    /// The effort level for the model.
    pub effort_level: Option<EffortLevel>,
    /// The maximum effort level for the model.
    pub max_effort_level: Option<EffortLevel>,
    /// The number of tokens at which conversations with this model are compacted automatically.
    pub auto_compact_window: Option<AutoCompactWindow>,
}

by_shape! {
    /// The number of tokens at which a conversation is compacted automatically: `auto`, or a number.
    AutoCompactWindow, "`auto`, or a number" {
        /// The value `auto`: the CLI determines the number of tokens.
        text Auto(AutoSize),
        /// A number of tokens.
        number Tokens(Number),
    }
}

/// The value `auto`, in place of a number of tokens: the CLI determines the number.
#[wire(open)]
pub enum AutoSize {
    /// The CLI determines the number.
    Auto = "auto",
}

/// A kind of customization, by which users and projects change how the CLI works.
#[wire(open)]
pub enum Customization {
    /// Skills that users and projects add.
    Skills = "skills",
    /// Sub-agents that users and projects add.
    Agents = "agents",
    /// Hooks that users and projects add.
    Hooks = "hooks",
    /// MCP servers that users and projects add.
    Mcp = "mcp",
}

/// Whether background sessions run in a git worktree of their own.
#[wire(open)]
pub enum BackgroundIsolation {
    /// Background sessions run in a git worktree of their own.
    Worktree = "worktree",
    /// Background sessions run in the working directory itself.
    None = "none",
}

/// How long the API keeps an entry in its prompt cache.
#[wire(open)]
pub enum PromptCacheTtl {
    /// A lifetime of five minutes.
    FiveMinutes = "5m",
    /// A lifetime of one hour.
    OneHour = "1h",
}

/// The command that prints the status line. Only a CLI in a terminal shows the status line.
#[wire(tag(type = "command"), rename_all = "camelCase")]
pub struct StatusLine {
    /// The command. It receives the state of the session as JSON on stdin.
    pub command: String,
    /// The padding beside the status line, in characters.
    pub padding: Option<Number>,
    /// The interval at which the status line is refreshed, in seconds. Events of the session also refresh it. If
    /// absent, only these events do.
    pub refresh_interval: Option<Number>,
    /// Whether the CLI's own indicator of the vim mode is hidden.
    pub hide_vim_mode_indicator: Option<bool>,
}

/// The amount of detail that a terminal shows.
#[wire(open)]
pub enum TranscriptView {
    /// A terminal shows the text of the conversation, and a short form of each tool use.
    Default = "default",
    /// A terminal shows all details.
    Verbose = "verbose",
    /// A terminal shows only the last prompt and the last response.
    Focus = "focus",
}

/// A command that the user has configured. The CLI shows the output of the command.
#[wire(tag(type = "command"))]
pub struct SettingsCommand {
    /// The command to run.
    pub command: String,
}

by_shape! {
    /// How commits and pull requests are attributed to Claude: `true`, `false`, or custom texts.
    Attribution, "true, false, or an object" {
        /// A flag: `true` if commits and pull requests name Claude, and `false` if they do not.
        flag All(bool),
        /// The texts that attribute commits and pull requests to Claude.
        object Texts(AttributionTexts),
    }
}

/// The texts that attribute commits and pull requests to Claude.
#[wire(rename_all = "camelCase")]
pub struct AttributionTexts {
    /// The text that is added to commit messages. An empty text means that nothing is added.
    pub commit: Option<String>,
    /// The text that is added to pull requests. An empty text means that nothing is added.
    pub pr: Option<String>,
    /// Whether the texts include the URL of the session.
    pub session_url: Option<bool>,
}

/// The settings for git worktrees.
///
/// If a field is absent, other settings or the CLI's defaults decide.
#[wire(rename_all = "camelCase")]
pub struct WorktreeSettings {
    /// The folders of the project that a worktree contains only as symbolic links.
    pub symlink_directories: Option<Vec<String>>,
    /// The folders to check out in a worktree. If absent, all folders are checked out.
    pub sparse_paths: Option<Vec<String>>,
    /// The commit at which new worktrees start.
    pub base_ref: Option<WorktreeBase>,
    /// Whether background sessions run in a git worktree of their own.
    pub bg_isolation: Option<BackgroundIsolation>,
    /// The folder in which worktrees are created.
    pub location: Option<String>,
}

/// The commit at which a worktree starts.
#[wire(open)]
pub enum WorktreeBase {
    /// The default branch of the remote repository.
    Fresh = "fresh",
    /// The current local commit.
    Head = "head",
}

by_shape! {
    /// The kinds of customization that users and projects may add only through plugins: a list, or `true` for all
    /// kinds, or `false` for no kind.
    PluginOnly, "true, false, or a list" {
        /// A flag: `true` if users and projects may add all kinds of customization only through plugins, and `false` if
        /// this restriction applies to no kind.
        flag All(bool),
        /// The kinds of customization that users and projects may add only through plugins.
        list These(Vec<Customization>),
    }
}

/// Whether a skill is enabled, and for whom.
#[wire(open)]
pub enum SkillState {
    /// The skill is enabled.
    On = "on",
    /// The skill is enabled, and the model sees its name only.
    NameOnly = "name-only",
    /// The skill can be used by the user, but not by the model.
    UserInvocableOnly = "user-invocable-only",
    /// The skill is disabled.
    Off = "off",
}

/// A rule that allows or denies MCP servers. Exactly one of the fields is set. This field identifies the servers to
/// which the rule applies.
#[wire(rename_all = "camelCase")]
pub struct McpServerRule {
    /// The name of the server.
    pub server_name: Option<String>,
    /// The command and arguments of a stdio server.
    pub server_command: Option<Vec<String>>,
    /// The URL of the server. `*` is a wildcard.
    pub server_url: Option<String>,
}
