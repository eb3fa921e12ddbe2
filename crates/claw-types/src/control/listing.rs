//! Requests for lists: models, permission rules, suggestions of files.

use super::{ModelInfo, PermissionBehavior};
use crate::Number;

/// To `claude`: which models are there to choose?
#[wire(tag(subtype = "list_models"), response = ListModelsResponse)]
pub struct ListModels {}

/// The answer to `list_models`.
#[wire]
pub struct ListModelsResponse {
    /// The models.
    pub models: Vec<ModelInfo>,
}

/// To `claude`: which files may be meant by what was typed after `@`?
#[wire(tag(subtype = "file_suggestions"), response = FileSuggestionsResponse)]
pub struct FileSuggestions {
    /// What was typed; empty for the working directory.
    pub query: String,
}

/// The answer to `file_suggestions`.
#[wire]
pub struct FileSuggestionsResponse {
    /// The files, the likeliest first.
    pub suggestions: Vec<FileSuggestion>,
    /// What their paths are relative to. Absent from older CLIs: the working directory.
    #[wire(since = "2.1.329")]
    pub cwd: Option<String>,
}

/// A file that may be meant.
#[wire]
pub struct FileSuggestion {
    /// The file; a folder ends in `/`.
    pub path: String,
    /// How well it fits.
    pub score: Option<Number>,
}

/// To `claude`: what is allowed, what is refused, what is asked for?
#[wire(tag(subtype = "list_permission_rules"), response = ListPermissionRulesResponse)]
pub struct ListPermissionRules {}

/// The answer to `list_permission_rules`.
#[wire]
pub struct ListPermissionRulesResponse {
    /// The rules, and the folders that they hold in.
    pub state: PermissionRulesState,
}

/// The rules that hold in a session.
#[wire(rename_all = "camelCase")]
pub struct PermissionRulesState {
    /// The rules.
    pub rules: Vec<PermissionRuleEntry>,
    /// The folders besides the working directory.
    pub workspace_directories: Vec<WorkspaceDirectory>,
    /// Where the session began.
    pub original_cwd: String,
    /// Only the organisation's rules count.
    pub managed_only: bool,
    /// Settings files that are left out, since they cannot be read.
    pub errors: Option<Vec<SettingsParseError>>,
    /// Parts are left out, since whoever carries the answer keeps it.
    pub withheld: Option<bool>,
}

/// A rule that holds in a session.
#[wire(rename_all = "camelCase")]
pub struct PermissionRuleEntry {
    /// What it says.
    pub behavior: PermissionBehavior,
    /// Where it comes from.
    pub source: PermissionRuleSource,
    /// The rule as it was written.
    pub rule: String,
    /// The rule in words. Absent where it has none.
    pub description: Option<PermissionRuleDescription>,
    /// Where it can be changed.
    pub editability: RuleEditability,
    /// It does not count: only the organisation's do.
    pub not_in_effect: Option<bool>,
}

/// Where a permission rule comes from.
#[wire(open)]
pub enum PermissionRuleSource {
    /// The user's settings file.
    UserSettings = "userSettings",
    /// The project's.
    ProjectSettings = "projectSettings",
    /// The project's, of this machine alone.
    LocalSettings = "localSettings",
    /// The settings that the CLI was started with.
    FlagSettings = "flagSettings",
    /// The organisation's.
    PolicySettings = "policySettings",
    /// A flag.
    CliArg = "cliArg",
    /// A slash command.
    Command = "command",
    /// Somebody's answer in this session.
    Session = "session",
    /// An MCP server that is mounted.
    McpMount = "mcpMount",
    /// A choice of tools.
    ToolsNarrowing = "toolsNarrowing",
    /// The policy of an MCP server.
    McpServerPolicy = "mcpServerPolicy",
    /// A secret of the host's.
    HostCredential = "hostCredential",
}

/// A permission rule in words, in three parts of one sentence.
#[wire]
pub struct PermissionRuleDescription {
    /// How it begins.
    pub prefix: String,
    /// What it is about.
    pub emphasis: Option<String>,
    /// How it ends.
    pub suffix: Option<String>,
}

/// Where a permission rule can be changed.
#[wire(open)]
pub enum RuleEditability {
    /// In its settings file.
    Persistent = "persistent",
    /// In this session alone.
    Session = "session",
    /// Nowhere.
    ReadOnly = "readonly",
}

/// A folder that belongs to the session besides the working directory.
#[wire]
pub struct WorkspaceDirectory {
    /// The folder.
    pub path: String,
    /// Where it comes from: a settings file, `cliArg` or `session`.
    pub source: String,
}

/// Something in a settings file that cannot be read.
#[wire]
pub struct SettingsParseError {
    /// The file.
    pub file: Option<String>,
    /// The key in it, with dots between; empty for the whole file.
    pub path: String,
    /// What is wrong.
    pub message: String,
}
