//! Requests for lists: models, permission rules and suggested files.

use super::{ModelInfo, PermissionBehavior};
use crate::Number;

/// To `claude`: list the models that can be chosen.
#[wire(tag(subtype = "list_models"), response = ListModelsResponse)]
pub struct ListModels {}

/// The response to `list_models`.
#[wire]
pub struct ListModelsResponse {
    /// The models that can be chosen.
    pub models: Vec<ModelInfo>,
}

/// To `claude`: suggest files for a text that was typed after `@`.
#[wire(tag(subtype = "file_suggestions"), response = FileSuggestionsResponse)]
pub struct FileSuggestions {
    /// The text that the user has typed after `@`. If the text is empty, the CLI suggests the contents of the working
    /// directory.
    pub query: String,
}

/// The response to `file_suggestions`.
#[wire]
pub struct FileSuggestionsResponse {
    /// The suggested files, best match first.
    pub suggestions: Vec<FileSuggestion>,
    /// The directory to which the suggested paths are relative. Older CLIs do not send this field: their paths are
    /// relative to the working directory.
    #[wire(since = "2.1.329")]
    pub cwd: Option<String>,
}

/// A file that matches a typed text.
#[wire]
pub struct FileSuggestion {
    /// The path of the file. The path of a directory ends with `/`.
    pub path: String,
    /// A score for how well the file matches the typed text. The CLI does not document the scale.
    pub score: Option<Number>,
}

/// To `claude`: list the permission rules of the session.
#[wire(tag(subtype = "list_permission_rules"), response = ListPermissionRulesResponse)]
pub struct ListPermissionRules {}

/// The response to `list_permission_rules`.
#[wire]
pub struct ListPermissionRulesResponse {
    /// The permission rules, and the additional directories of the session.
    pub state: PermissionRulesState,
}

/// The permission rules of a session.
#[wire(rename_all = "camelCase")]
pub struct PermissionRulesState {
    /// The permission rules.
    pub rules: Vec<PermissionRuleEntry>,
    /// The directories that the session may use in addition to the working directory.
    pub workspace_directories: Vec<WorkspaceDirectory>,
    /// The working directory in which the session began.
    pub original_cwd: String,
    /// Whether only the organisation's rules apply.
    pub managed_only: bool,
    /// The settings files that were ignored because they cannot be parsed.
    pub errors: Option<Vec<SettingsParseError>>,
    /// Whether the CLI left out parts of the response because the connection to the host stores all responses, as it
    /// does in the cloud.
    pub withheld: Option<bool>,
}

/// A permission rule of a session.
#[wire(rename_all = "camelCase")]
pub struct PermissionRuleEntry {
    /// The effect of the rule: allow, deny or ask.
    pub behavior: PermissionBehavior,
    /// The place where the rule was set, such as a settings file.
    pub source: PermissionRuleSource,
    /// The rule as it was written, such as `Bash(git status)`.
    pub rule: String,
    /// The rule in words. Absent if the rule has no description.
    pub description: Option<PermissionRuleDescription>,
    /// Whether the rule can be changed, and where.
    pub editability: RuleEditability,
    /// Whether the rule has no effect because only the organisation's rules apply.
    pub not_in_effect: Option<bool>,
}

/// The source of a permission rule.
#[wire(open)]
pub enum PermissionRuleSource {
    /// The settings file of the user.
    UserSettings = "userSettings",
    /// The settings file of the project.
    ProjectSettings = "projectSettings",
    /// The settings file of the project on this machine only.
    LocalSettings = "localSettings",
    /// The settings with which the CLI was started.
    FlagSettings = "flagSettings",
    /// The organisation's managed settings.
    PolicySettings = "policySettings",
    /// A command line argument of the CLI.
    CliArg = "cliArg",
    /// A slash command that ran in the session.
    Command = "command",
    /// An answer to a permission request in this session.
    Session = "session",
    /// An MCP server that remote control added (mounted) to the session.
    McpMount = "mcpMount",
    /// A restriction of the available tools with which the CLI was started.
    ToolsNarrowing = "toolsNarrowing",
    /// The policy for a tool in the configuration of an MCP server.
    McpServerPolicy = "mcpServerPolicy",
    /// The protection of a cloud session's credentials.
    HostCredential = "hostCredential",
}

/// A permission rule in words: one sentence in three parts.
#[wire]
pub struct PermissionRuleDescription {
    /// The beginning of the sentence.
    pub prefix: String,
    /// The middle of the sentence, which says what the rule is about. A host displays this part with emphasis.
    pub emphasis: Option<String>,
    /// The end of the sentence.
    pub suffix: Option<String>,
}

/// Whether a permission rule can be changed, and where.
#[wire(open)]
pub enum RuleEditability {
    /// The rule can be changed in its settings file.
    Persistent = "persistent",
    /// The rule can be changed in this session only.
    Session = "session",
    /// The rule cannot be changed.
    ReadOnly = "readonly",
}

/// A directory that a session may use in addition to the working directory.
#[wire]
pub struct WorkspaceDirectory {
    /// The path of the directory.
    pub path: String,
    /// The source of the directory, such as `userSettings`, `cliArg` or `session`.
    pub source: String,
}

/// An error in a settings file.
#[wire]
pub struct SettingsParseError {
    /// The path of the settings file.
    pub file: Option<String>,
    /// The place of the error in the file: the keys that lead to it, separated by dots. Empty if the error is about the
    /// whole file.
    pub path: String,
    /// A description of the error.
    pub message: String,
}
