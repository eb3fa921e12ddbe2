//! The smaller parts of settings.

use crate::Number;
use crate::by_shape::by_shape;
use crate::options::EffortLevel;

/// How the names of available models are meant.
#[wire(open)]
pub enum ModelMatch {
    /// As beginnings.
    Prefix = "prefix",
    /// As they stand.
    Exact = "exact",
}

/// What holds for one model.
#[wire(rename_all = "camelCase")]
pub struct ModelSettings {
    /// How hard it thinks.
    pub effort_level: Option<EffortLevel>,
    /// At most so hard.
    pub max_effort_level: Option<EffortLevel>,
    /// At how many tokens its conversations are compacted.
    pub auto_compact_window: Option<AutoCompactWindow>,
}

by_shape! {
    /// At how many tokens a conversation is compacted: `auto`, or a number.
    AutoCompactWindow, "`auto`, or a number" {
        /// `auto`: where the CLI sees fit.
        text Auto(AutoSize),
        /// At so many.
        number Tokens(Number),
    }
}

/// That the CLI finds a size itself.
#[wire(open)]
pub enum AutoSize {
    /// It does.
    Auto = "auto",
}

/// Something that a user can add to the CLI.
#[wire(open)]
pub enum Customization {
    /// Skills.
    Skills = "skills",
    /// Sub-agents.
    Agents = "agents",
    /// Hooks.
    Hooks = "hooks",
    /// MCP servers.
    Mcp = "mcp",
}

/// Whether background sessions have a worktree of their own.
#[wire(open)]
pub enum BackgroundIsolation {
    /// They do.
    Worktree = "worktree",
    /// They do not.
    None = "none",
}

/// How long the API keeps a conversation.
#[wire(open)]
pub enum PromptCacheTtl {
    /// Five minutes.
    FiveMinutes = "5m",
    /// One hour.
    OneHour = "1h",
}

/// The command that writes the status line. Terminals alone show it.
#[wire(tag(type = "command"), rename_all = "camelCase")]
pub struct StatusLine {
    /// The command. It is told of the session as JSON on stdin.
    pub command: String,
    /// Room beside it, in characters.
    pub padding: Option<Number>,
    /// How often it is written anew, in seconds; absent for whenever something happens.
    pub refresh_interval: Option<Number>,
    /// Leaves out what the CLI says about vim.
    pub hide_vim_mode_indicator: Option<bool>,
}

/// How much of the work a terminal shows.
#[wire(open)]
pub enum TranscriptView {
    /// The text, and tools in short.
    Default = "default",
    /// All of it.
    Verbose = "verbose",
    /// The prompt and the last answer.
    Focus = "focus",
}

/// A command that writes something for the CLI to show.
#[wire(tag(type = "command"))]
pub struct SettingsCommand {
    /// The command.
    pub command: String,
}

by_shape! {
    /// Whether commits and pull requests name Claude.
    Attribution, "true, false, or an object" {
        /// Whether at all.
        flag All(bool),
        /// In which words.
        object Texts(AttributionTexts),
    }
}

/// In which words commits and pull requests name Claude.
#[wire(rename_all = "camelCase")]
pub struct AttributionTexts {
    /// In commits; empty for not at all.
    pub commit: Option<String>,
    /// In pull requests; empty for not at all.
    pub pr: Option<String>,
    /// With the address of the session.
    pub session_url: Option<bool>,
}

/// How worktrees are made.
#[wire(rename_all = "camelCase")]
pub struct WorktreeSettings {
    /// Folders that are links to those of the project.
    pub symlink_directories: Option<Vec<String>>,
    /// Only these paths are there.
    pub sparse_paths: Option<Vec<String>>,
    /// Where they begin.
    pub base_ref: Option<WorktreeBase>,
    /// Whether background sessions have one.
    pub bg_isolation: Option<BackgroundIsolation>,
    /// The folder that they are in.
    pub location: Option<String>,
}

/// Where a worktree begins.
#[wire(open)]
pub enum WorktreeBase {
    /// At the main branch, as the server has it.
    Fresh = "fresh",
    /// At the last commit here.
    Head = "head",
}

by_shape! {
    /// What may come from plugins alone.
    PluginOnly, "true, false, or a list" {
        /// All of it, or nothing.
        flag All(bool),
        /// These.
        list These(Vec<Customization>),
    }
}

/// Whether a skill is used.
#[wire(open)]
pub enum SkillState {
    /// It is.
    On = "on",
    /// It is, and the model is told its name alone.
    NameOnly = "name-only",
    /// Only by the user.
    UserInvocableOnly = "user-invocable-only",
    /// It is not.
    Off = "off",
}
