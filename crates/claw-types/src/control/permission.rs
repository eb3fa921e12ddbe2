//! `can_use_tool`: a permission request to the host.

use crate::hook::HookEvent;
use crate::options::PermissionMode;
use crate::{Json, ToolUseId};

/// To the host: decide whether a tool may be used. The CLI sends it only if it was started with
/// `--permission-prompt-tool=stdio`, and only if no rule, mode or hook has decided. The response has no timeout.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(subtype = "can_use_tool"), response = PermissionResult)]
pub struct CanUseTool {
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the tool would receive.
    pub input: Json,
    /// The ID of the tool use.
    pub tool_use_id: ToolUseId,
    /// The display name of the tool.
    pub display_name: Option<String>,
    /// The title of the permission request.
    pub title: Option<String>,
    /// The purpose of the tool use, in the model's words.
    pub description: Option<String>,
    /// Suggested changes of the permissions that would make the request unnecessary. If the host grants one with the
    /// destination `localSettings`, the CLI writes it to a settings file.
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The path outside of the allowed directories that the tool use needs.
    pub blocked_path: Option<String>,
    /// The reason for the request, in words.
    pub decision_reason: Option<String>,
    /// The kind of reason for the request.
    pub decision_reason_type: Option<DecisionReasonType>,
    /// The event of the hook that requires the request.
    pub decision_reason_hook_event: Option<HookEvent>,
    /// The source of the hook that requires the request, such as `settings` (also for hooks of the
    /// host), `plugin` or `skill`.
    pub decision_reason_hook_source: Option<String>,
    /// Whether the policy of the MCP server requires that a person is asked.
    pub server_policy_ask_only: Option<bool>,
    /// Whether a classifier could approve all safety checks that caused the request. Absent if no
    /// safety check was involved.
    pub classifier_approvable: Option<bool>,
    /// Whether the host should not offer to always allow the tool use.
    pub suppress_always_allow_rule: Option<bool>,
    /// Whether the default answer should be no, for people who answer without looking.
    pub default_to_no: Option<bool>,
    /// The permission rule that requires the request.
    pub matched_ask_rule: Option<MatchedAskRule>,
    /// The ID of the sub-agent that made this tool use. Absent for the main conversation.
    pub agent_id: Option<String>,
    /// Whether a person must answer in the tool's own dialog, so that a plain allow or deny is not
    /// sufficient (`AskUserQuestion`, `ExitPlanMode`).
    pub requires_user_interaction: Option<bool>,
    /// The MCP server that provides the tool. Absent for the CLI's own tools.
    pub mcp_server: Option<McpServerProvenance>,
}

/// The kind of reason for a permission decision or request.
#[wire(open)]
pub enum DecisionReasonType {
    /// A permission rule decided.
    Rule = "rule",
    /// The permission mode decided.
    Mode = "mode",
    /// The rules for the parts of a compound command decided.
    SubcommandResults = "subcommandResults",
    /// The host decided, or an MCP tool in place of the host.
    PermissionPromptTool = "permissionPromptTool",
    /// A hook decided.
    Hook = "hook",
    /// A sub-agent in the background cannot request permissions.
    AsyncAgent = "asyncAgent",
    /// The tool use would leave the sandbox.
    SandboxOverride = "sandboxOverride",
    /// A path is outside of the allowed directories.
    WorkingDir = "workingDir",
    /// A safety check of the CLI decided.
    SafetyCheck = "safetyCheck",
    /// A classifier decided.
    Classifier = "classifier",
    /// Another kind of reason.
    Other = "other",
}

/// A permission rule that requires a permission request.
#[wire]
pub struct MatchedAskRule {
    /// The place where the rule was set, such as a settings file.
    pub source: String,
    /// The name of the tool.
    pub tool_name: String,
    /// The uses of the tool that the rule matches. Absent means all uses.
    pub rule_content: Option<String>,
}

/// An MCP server and the source of its declaration.
#[wire]
pub struct McpServerProvenance {
    /// The name of the MCP server.
    pub name: String,
    /// The source of the server's declaration.
    pub source: String,
}

/// The response to `can_use_tool`.
#[wire]
pub enum PermissionResult {
    /// The permission is granted.
    Allow(Box<PermissionAllow>),
    /// The permission is denied.
    Deny(Box<PermissionDeny>),
}

impl PermissionResult {
    /// Grants the permission with an unchanged input.
    pub fn allow() -> Self {
        PermissionAllow::new().into()
    }

    /// Denies the permission. The model receives the reason and continues.
    pub fn deny(reason: impl Into<String>) -> Self {
        PermissionDeny::new(reason).into()
    }
}

/// The response that grants a permission.
#[wire(tag(behavior = "allow"), rename_all = "camelCase")]
pub struct PermissionAllow {
    /// The input that the tool receives. Absent means the original input. The model is not told about a change. Older
    /// CLIs require this field: claw-client sets it to the original input if it is absent.
    pub updated_input: Option<Json>,
    /// Changes of the permissions to apply. If one of them is invalid, the CLI applies none of them, and the tool still
    /// runs.
    pub updated_permissions: Option<Vec<PermissionUpdate>>,
    /// The ID of the tool use.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// What the person decided, for the record.
    pub decision_classification: Option<DecisionClassification>,
}

/// The response that denies a permission.
#[wire(tag(behavior = "deny"), rename_all = "camelCase")]
pub struct PermissionDeny {
    /// The reason for the denial. The model reads it as the result of the tool.
    pub message: String,
    /// Whether the turn is stopped as well.
    pub interrupt: Option<bool>,
    /// The ID of the tool use.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// What the person decided, for the record.
    pub decision_classification: Option<DecisionClassification>,
}

/// What a person decided about a tool use: granted once, granted permanently, or rejected.
#[wire(open)]
pub enum DecisionClassification {
    /// A person granted the permission once.
    UserTemporary = "user_temporary",
    /// A person granted the permission permanently.
    UserPermanent = "user_permanent",
    /// A person rejected the tool use.
    UserReject = "user_reject",
}

/// The effect of a permission rule.
#[wire(open)]
pub enum PermissionBehavior {
    /// Allow the tool use.
    Allow = "allow",
    /// Deny the tool use.
    Deny = "deny",
    /// Ask for a permission.
    Ask = "ask",
}

/// The destination in which a change of the permissions is stored.
#[wire(open)]
pub enum PermissionDestination {
    /// The settings file of the user.
    UserSettings = "userSettings",
    /// The settings file of the project.
    ProjectSettings = "projectSettings",
    /// The local settings file of the project.
    LocalSettings = "localSettings",
    /// This session only.
    Session = "session",
    /// The command line arguments of this process.
    CliArg = "cliArg",
}

/// A change of the permissions.
#[wire]
pub enum PermissionUpdate {
    /// Adds permission rules.
    AddRules(AddRules),
    /// Replaces the permission rules.
    ReplaceRules(ReplaceRules),
    /// Removes permission rules.
    RemoveRules(RemoveRules),
    /// Sets the permission mode.
    SetMode(SetMode),
    /// Adds directories that tools may use.
    AddDirectories(AddDirectories),
    /// Removes directories that tools may use.
    RemoveDirectories(RemoveDirectories),
}

impl PermissionUpdate {
    /// Returns the change with the session as its destination, so that nothing is written to a settings file. `None`
    /// for an unknown kind of change, because claw does not know its destination.
    #[must_use]
    pub fn for_session(mut self) -> Option<Self> {
        let destination = match &mut self {
            Self::AddRules(change) => &mut change.destination,
            Self::ReplaceRules(change) => &mut change.destination,
            Self::RemoveRules(change) => &mut change.destination,
            Self::SetMode(change) => &mut change.destination,
            Self::AddDirectories(change) => &mut change.destination,
            Self::RemoveDirectories(change) => &mut change.destination,
            Self::Unknown(_) => return None,
        };
        *destination = PermissionDestination::Session;
        Some(self)
    }
}

/// A change of permission rules, with their effect and the destination.
#[wire(fields)]
struct RuleChange {
    /// The permission rules.
    pub rules: Vec<PermissionRule>,
    /// The effect of the rules.
    pub behavior: PermissionBehavior,
    /// The destination in which the change is stored.
    pub destination: PermissionDestination,
}

/// Adds permission rules.
#[wire(tag(type = "addRules"))]
pub struct AddRules {
    fields: RuleChange!(),
}

/// Replaces existing permission rules.
#[wire(tag(type = "replaceRules"))]
pub struct ReplaceRules {
    fields: RuleChange!(),
}

/// Removes permission rules.
#[wire(tag(type = "removeRules"))]
pub struct RemoveRules {
    fields: RuleChange!(),
}

/// A permission rule: a tool and the uses of it that match.
#[wire(rename_all = "camelCase")]
pub struct PermissionRule {
    /// The name of the tool.
    pub tool_name: String,
    /// The uses of the tool that the rule matches. Absent means all uses. Must not be null: with a null, the CLI
    /// applies no update.
    pub rule_content: Option<String>,
}

/// Sets the permission mode.
#[wire(tag(type = "setMode"))]
pub struct SetMode {
    /// The permission mode to set.
    pub mode: PermissionMode,
    /// The destination in which the change is stored.
    pub destination: PermissionDestination,
}

/// A change of directories, with the destination.
#[wire(fields)]
struct DirectoryChange {
    /// The paths of the directories.
    pub directories: Vec<String>,
    /// The destination in which the change is stored.
    pub destination: PermissionDestination,
}

/// Adds directories that tools may use.
#[wire(tag(type = "addDirectories"))]
pub struct AddDirectories {
    fields: DirectoryChange!(),
}

/// Removes directories that tools may use.
#[wire(tag(type = "removeDirectories"))]
pub struct RemoveDirectories {
    fields: DirectoryChange!(),
}
