//! `can_use_tool`: a permission request to the host.

use crate::hook::HookEvent;
use crate::options::PermissionMode;
use crate::{Json, ToolUseId};

/// To the host: decide whether a tool may be used. The CLI sends this request only if it was started with
/// `--permission-prompt-tool=stdio`, and only if no permission rule, permission mode or hook has already decided. The
/// CLI waits for the response without a timeout.
///
/// A field is absent if it does not apply, or if the CLI is too old to send it.
#[wire(tag(subtype = "can_use_tool"), response = PermissionResult)]
pub struct CanUseTool {
    /// The name of the tool.
    pub tool_name: String,
    /// The input that the tool receives if its use is allowed.
    pub input: Json,
    /// The ID of the tool use.
    pub tool_use_id: ToolUseId,
    /// The display name of the tool.
    pub display_name: Option<String>,
    /// The title of the permission request, for display.
    pub title: Option<String>,
    /// What the tool use does. For a shell command these are the model's words, for a change of a file it is the path.
    pub description: Option<String>,
    /// Suggested changes to the permissions. If one of them is applied, the CLI need not ask for this permission again.
    /// If the host grants a change with the destination `localSettings`, the CLI writes the change to a settings file.
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The path at which the CLI's check of the tool use stopped, with symbolic links resolved. The CLI sends it for shell
    /// commands and for paths behind links. The path may be inside of the session's folders.
    pub blocked_path: Option<String>,
    /// The reason why the CLI asks for permission, in words.
    pub decision_reason: Option<String>,
    /// The kind of reason why the CLI asks for permission.
    pub decision_reason_type: Option<DecisionReasonType>,
    /// The event of the hook that caused the permission request. Absent if no hook caused it.
    pub decision_reason_hook_event: Option<HookEvent>,
    /// The origin of the hook that caused the permission request, such as `settings`, `plugin` or `skill`. For hooks of
    /// the host, the value is `settings` too. Absent if no hook caused the request.
    pub decision_reason_hook_source: Option<String>,
    /// Whether a policy for the MCP server requires that a person decides.
    pub server_policy_ask_only: Option<bool>,
    /// Whether a classifier (a model that judges tool uses) could approve all the safety checks that caused this
    /// request. Absent if no safety check caused this request.
    pub classifier_approvable: Option<bool>,
    /// Whether the host should leave out the choice to always allow tool uses of this kind.
    pub suppress_always_allow_rule: Option<bool>,
    /// Whether the host should preselect "no", so that a person who answers without looking does not allow the tool
    /// use.
    pub default_to_no: Option<bool>,
    /// The permission rule that makes the CLI ask for permission.
    pub matched_ask_rule: Option<MatchedAskRule>,
    /// The ID of the sub-agent that made this tool use. Absent for the main conversation.
    pub agent_id: Option<String>,
    /// Whether a person must answer in a dialog that belongs to the tool (`AskUserQuestion`, `ExitPlanMode`). If so,
    /// the host must show this dialog: to allow or deny the tool use is not sufficient.
    pub requires_user_interaction: Option<bool>,
    /// The MCP server that provides the tool. Absent for the CLI's own tools.
    pub mcp_server: Option<McpServerProvenance>,
}

/// The kind of reason for a permission decision, or for a permission request.
#[wire(open)]
pub enum DecisionReasonType {
    /// A permission rule decided.
    Rule = "rule",
    /// The permission mode decided.
    Mode = "mode",
    /// The shell command has several parts, and the permission rules for these parts decided.
    SubcommandResults = "subcommandResults",
    /// The host decided, or an MCP tool decided in place of the host.
    PermissionPromptTool = "permissionPromptTool",
    /// A hook decided.
    Hook = "hook",
    /// The tool use comes from a sub-agent in the background, which cannot request permissions.
    AsyncAgent = "asyncAgent",
    /// The tool use is meant to run outside of the sandbox.
    SandboxOverride = "sandboxOverride",
    /// The tool use needs a path outside of the allowed directories.
    WorkingDir = "workingDir",
    /// A safety check of the CLI decided.
    SafetyCheck = "safetyCheck",
    /// A classifier (a model that judges tool uses) decided.
    Classifier = "classifier",
    /// Any other kind of reason.
    Other = "other",
}

/// A permission rule that makes the CLI ask for permission.
#[wire]
pub struct MatchedAskRule {
    /// The source of the rule, such as `userSettings` or `projectSettings`.
    pub source: String,
    /// The name of the tool.
    pub tool_name: String,
    /// A pattern for the uses of the tool that the rule matches. Absent means all uses.
    pub rule_content: Option<String>,
}

/// The name of an MCP server, and where the server was declared.
#[wire]
pub struct McpServerProvenance {
    /// The name of the MCP server.
    pub name: String,
    /// The kind of place in which the server was declared: `sdk` (a server in the host's process), `plugin`, or a scope
    /// such as `user`, `project` or `dynamic`.
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
    /// Creates the response that grants the permission and leaves the tool's input unchanged.
    pub fn allow() -> Self {
        PermissionAllow::new().into()
    }

    /// Creates the response that denies the permission for this reason. The model receives the reason and continues.
    pub fn deny(reason: impl Into<String>) -> Self {
        PermissionDeny::new(reason).into()
    }
}

/// The response that grants a permission.
#[wire(tag(behavior = "allow"), rename_all = "camelCase")]
pub struct PermissionAllow {
    /// The input that the tool receives. Absent means the original input. The model does not learn that the input was
    /// changed. Older CLIs require this field. If it is absent, claw-client therefore sends the original input.
    pub updated_input: Option<Json>,
    /// Changes to the permissions, which the CLI applies. If one of them is invalid, the CLI applies none of them, but
    /// the tool still runs.
    pub updated_permissions: Option<Vec<PermissionUpdate>>,
    /// The ID of the tool use.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// The person's decision, which the CLI records.
    pub decision_classification: Option<DecisionClassification>,
}

/// The response that denies a permission.
#[wire(tag(behavior = "deny"), rename_all = "camelCase")]
pub struct PermissionDeny {
    /// The reason for the denial. The model reads this text as the result of the tool.
    pub message: String,
    /// Whether the denial also stops the turn.
    pub interrupt: Option<bool>,
    /// The ID of the tool use.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// The person's decision, which the CLI records.
    pub decision_classification: Option<DecisionClassification>,
}

/// A person's decision about a tool use: granted once, granted permanently, or rejected.
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
    /// Ask for permission before the tool use.
    Ask = "ask",
}

/// The place where a change to the permissions is stored.
#[wire(open)]
pub enum PermissionDestination {
    /// The settings file of the user.
    UserSettings = "userSettings",
    /// The settings file of the project.
    ProjectSettings = "projectSettings",
    /// The local settings file of the project.
    LocalSettings = "localSettings",
    /// The change is stored in this session only.
    Session = "session",
    /// The permissions that come from the command line of this process.
    CliArg = "cliArg",
}

/// A change to the permissions.
#[wire]
pub enum PermissionUpdate {
    /// Adds permission rules.
    AddRules(AddRules),
    /// Replaces existing permission rules.
    ReplaceRules(ReplaceRules),
    /// Removes permission rules.
    RemoveRules(RemoveRules),
    /// Sets the permission mode.
    SetMode(SetMode),
    /// Adds directories to those that tools may use.
    AddDirectories(AddDirectories),
    /// Removes directories from those that tools may use.
    RemoveDirectories(RemoveDirectories),
}

impl PermissionUpdate {
    /// Returns the same change with the session as its destination, so that the CLI writes nothing to a settings file.
    /// Returns `None` for a change of an unknown kind, because claw does not know which field contains its destination.
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

/// A change to permission rules, with their effect and the destination.
#[wire(fields)]
struct RuleChange {
    /// The permission rules.
    pub rules: Vec<PermissionRule>,
    /// The effect of the rules.
    pub behavior: PermissionBehavior,
    /// The place where the change is stored.
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

/// A permission rule: the name of a tool, and the uses of the tool that the rule matches.
#[wire(rename_all = "camelCase")]
pub struct PermissionRule {
    /// The name of the tool.
    pub tool_name: String,
    /// A pattern for the uses of the tool that the rule matches. Absent means all uses. Must not be null: if it is, the
    /// CLI applies none of the permission changes in the response.
    pub rule_content: Option<String>,
}

/// Sets the permission mode.
#[wire(tag(type = "setMode"))]
pub struct SetMode {
    /// The permission mode to set.
    pub mode: PermissionMode,
    /// The place where the change is stored.
    pub destination: PermissionDestination,
}

/// A change to the list of directories, with the destination.
#[wire(fields)]
struct DirectoryChange {
    /// The paths of the directories.
    pub directories: Vec<String>,
    /// The place where the change is stored.
    pub destination: PermissionDestination,
}

/// Adds directories to those that tools may use.
#[wire(tag(type = "addDirectories"))]
pub struct AddDirectories {
    fields: DirectoryChange!(),
}

/// Removes directories from those that tools may use.
#[wire(tag(type = "removeDirectories"))]
pub struct RemoveDirectories {
    fields: DirectoryChange!(),
}
