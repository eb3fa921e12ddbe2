//! Requests for lists: models, permission rules, suggestions of files.

use super::{ModelInfo, PermissionBehavior, Request};
use crate::open_enum::open_enum;
use crate::{Extra, Number};
use claw_types_derive::Wire;

/// To `claude`: which models are there to choose?
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "list_models"))]
#[non_exhaustive]
pub struct ListModels {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for ListModels {
    type Response = ListModelsResponse;
}

/// The answer to `list_models`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ListModelsResponse {
    /// The models.
    pub models: Vec<ModelInfo>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: which files may be meant by what was typed after `@`?
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "file_suggestions"))]
#[non_exhaustive]
pub struct FileSuggestions {
    /// What was typed; empty for the working directory.
    pub query: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for FileSuggestions {
    type Response = FileSuggestionsResponse;
}

/// The answer to `file_suggestions`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FileSuggestionsResponse {
    /// The files, the likeliest first.
    pub suggestions: Vec<FileSuggestion>,
    /// What their paths are relative to. Absent from older CLIs: the working directory.
    #[wire(since = "2.1.329")]
    pub cwd: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A file that may be meant.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FileSuggestion {
    /// The file; a folder ends in `/`.
    pub path: String,
    /// How well it fits.
    pub score: Option<Number>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: what is allowed, what is refused, what is asked for?
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "list_permission_rules"))]
#[non_exhaustive]
pub struct ListPermissionRules {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for ListPermissionRules {
    type Response = ListPermissionRulesResponse;
}

/// The answer to `list_permission_rules`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ListPermissionRulesResponse {
    /// The rules, and the folders that they hold in.
    pub state: PermissionRulesState,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The rules that hold in a session.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A rule that holds in a session.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(rename_all = "camelCase")]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// Where a permission rule comes from.
    PermissionRuleSource {
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
}

/// A permission rule in words, in three parts of one sentence.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PermissionRuleDescription {
    /// How it begins.
    pub prefix: String,
    /// What it is about.
    pub emphasis: Option<String>,
    /// How it ends.
    pub suffix: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// Where a permission rule can be changed.
    RuleEditability {
        /// In its settings file.
        Persistent = "persistent",
        /// In this session alone.
        Session = "session",
        /// Nowhere.
        ReadOnly = "readonly",
    }
}

/// A folder that belongs to the session besides the working directory.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WorkspaceDirectory {
    /// The folder.
    pub path: String,
    /// Where it comes from: a settings file, `cliArg` or `session`.
    pub source: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Something in a settings file that cannot be read.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SettingsParseError {
    /// The file.
    pub file: Option<String>,
    /// The key in it, with dots between; empty for the whole file.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
