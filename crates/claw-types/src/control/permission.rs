//! `can_use_tool`: may this tool be used?

use crate::hook::HookEvent;
use crate::options::PermissionMode;
use crate::{Json, ToolUseId};

/// To the host: may this tool be used? Asked only with `--permission-prompt-tool=stdio`, and only
/// where no rule, mode or hook has decided. There is no deadline.
#[wire(tag(subtype = "can_use_tool"), response = PermissionResult)]
pub struct CanUseTool {
    /// The tool.
    pub tool_name: String,
    /// What it would be given.
    pub input: Json,
    /// The use that is asked about.
    pub tool_use_id: ToolUseId,
    /// The tool's name for people.
    pub display_name: Option<String>,
    /// A title for the question.
    pub title: Option<String>,
    /// What the use is for, in the model's words.
    pub description: Option<String>,
    /// Changes that would make the question unnecessary. Granting one with the destination
    /// `localSettings` writes a settings file.
    pub permission_suggestions: Option<Vec<PermissionUpdate>>,
    /// The path outside the allowed directories.
    pub blocked_path: Option<String>,
    /// Why it is asked, in words.
    pub decision_reason: Option<String>,
    /// Why it is asked.
    pub decision_reason_type: Option<DecisionReasonType>,
    /// The event of the hook that asks.
    pub decision_reason_hook_event: Option<HookEvent>,
    /// Where that hook is declared: `settings`, `sdk` ….
    pub decision_reason_hook_source: Option<String>,
    /// The policy of the MCP server is that a person is asked.
    pub server_policy_ask_only: Option<bool>,
    /// Whether a classifier could have said yes.
    pub classifier_approvable: Option<bool>,
    /// Do not offer to always allow it.
    pub suppress_always_allow_rule: Option<bool>,
    /// Let the answer that a person gives without looking be no.
    pub default_to_no: Option<bool>,
    /// The rule that asks.
    pub matched_ask_rule: Option<MatchedAskRule>,
    /// The sub-agent that wants to use it.
    pub agent_id: Option<String>,
    /// A person must answer: the tool is a question (`AskUserQuestion`, `ExitPlanMode`).
    pub requires_user_interaction: Option<bool>,
    /// The MCP server whose tool it is.
    pub mcp_server: Option<McpServerProvenance>,
}

/// What decided about a permission, or that it is asked for.
#[wire(open)]
pub enum DecisionReasonType {
    /// A rule.
    Rule = "rule",
    /// The permission mode.
    Mode = "mode",
    /// Rules for the parts of a command.
    SubcommandResults = "subcommandResults",
    /// The host, or a tool in its place.
    PermissionPromptTool = "permissionPromptTool",
    /// A hook.
    Hook = "hook",
    /// A sub-agent in the background cannot ask.
    AsyncAgent = "asyncAgent",
    /// The sandbox was to be left.
    SandboxOverride = "sandboxOverride",
    /// A path outside the allowed directories.
    WorkingDir = "workingDir",
    /// A check of the CLI's own.
    SafetyCheck = "safetyCheck",
    /// A classifier.
    Classifier = "classifier",
    /// Something else.
    Other = "other",
}

/// The rule that says to ask.
#[wire]
pub struct MatchedAskRule {
    /// The settings that it stands in.
    pub source: String,
    /// The tool.
    pub tool_name: String,
    /// Which uses of it; absent for all.
    pub rule_content: Option<String>,
}

/// An MCP server and who declared it.
#[wire]
pub struct McpServerProvenance {
    /// Its name.
    pub name: String,
    /// Who declared it.
    pub source: String,
}

/// The answer to `can_use_tool`.
#[wire]
pub enum PermissionResult {
    /// Yes.
    Allow(Box<PermissionAllow>),
    /// No.
    Deny(Box<PermissionDeny>),
}

impl PermissionResult {
    /// Yes, with the input as it is.
    pub fn allow() -> Self {
        PermissionAllow::new().into()
    }

    /// No. The model is told the reason and goes on.
    pub fn deny(reason: impl Into<String>) -> Self {
        PermissionDeny::new(reason).into()
    }
}

/// Yes.
#[wire(tag(behavior = "allow"), rename_all = "camelCase")]
pub struct PermissionAllow {
    /// Another input. The model is not told. Older CLIs need it: claw-client puts the input that
    /// was asked about where this is empty.
    pub updated_input: Option<Json>,
    /// Changes of the permissions. An invalid one voids them all, and the tool still runs.
    pub updated_permissions: Option<Vec<PermissionUpdate>>,
    /// The use that was asked about.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// How it was decided, for the record.
    pub decision_classification: Option<DecisionClassification>,
}

/// No.
#[wire(tag(behavior = "deny"), rename_all = "camelCase")]
pub struct PermissionDeny {
    /// Why. The model reads it as the tool's result.
    pub message: String,
    /// Stops the turn as well.
    pub interrupt: Option<bool>,
    /// The use that was asked about.
    #[wire(rename = "toolUseID")]
    pub tool_use_id: Option<ToolUseId>,
    /// How it was decided, for the record.
    pub decision_classification: Option<DecisionClassification>,
}

/// How a permission was decided.
#[wire(open)]
pub enum DecisionClassification {
    /// A person said yes, this once.
    UserTemporary = "user_temporary",
    /// A person said yes, for good.
    UserPermanent = "user_permanent",
    /// A person said no.
    UserReject = "user_reject",
}

/// What a rule does.
#[wire(open)]
pub enum PermissionBehavior {
    /// Yes.
    Allow = "allow",
    /// No.
    Deny = "deny",
    /// Ask.
    Ask = "ask",
}

/// Where a change of the permissions is kept.
#[wire(open)]
pub enum PermissionDestination {
    /// In the user's settings file.
    UserSettings = "userSettings",
    /// In the project's settings file.
    ProjectSettings = "projectSettings",
    /// In the project's local settings file.
    LocalSettings = "localSettings",
    /// In this session alone.
    Session = "session",
    /// As if given on the command line.
    CliArg = "cliArg",
}

/// A change of the permissions.
#[wire]
pub enum PermissionUpdate {
    /// More rules.
    AddRules(AddRules),
    /// Other rules.
    ReplaceRules(ReplaceRules),
    /// Fewer rules.
    RemoveRules(RemoveRules),
    /// Another mode.
    SetMode(SetMode),
    /// More directories.
    AddDirectories(AddDirectories),
    /// Fewer directories.
    RemoveDirectories(RemoveDirectories),
}

/// Rules, what they do, and where that is kept.
#[wire(fields)]
struct RuleChange {
    /// The rules.
    pub rules: Vec<PermissionRule>,
    /// What they do.
    pub behavior: PermissionBehavior,
    /// Where the change is kept.
    pub destination: PermissionDestination,
}

/// Adds rules.
#[wire(tag(type = "addRules"))]
pub struct AddRules {
    fields: RuleChange!(),
}

/// Puts rules in the place of those that are there.
#[wire(tag(type = "replaceRules"))]
pub struct ReplaceRules {
    fields: RuleChange!(),
}

/// Takes rules away.
#[wire(tag(type = "removeRules"))]
pub struct RemoveRules {
    fields: RuleChange!(),
}

/// A rule: a tool, and what of it.
#[wire(rename_all = "camelCase")]
pub struct PermissionRule {
    /// The tool.
    pub tool_name: String,
    /// Which uses of it; absent for all. Never null: that voids every update.
    pub rule_content: Option<String>,
}

/// Sets the permission mode.
#[wire(tag(type = "setMode"))]
pub struct SetMode {
    /// The mode.
    pub mode: PermissionMode,
    /// Where the change is kept.
    pub destination: PermissionDestination,
}

/// Directories, and where that is kept.
#[wire(fields)]
struct DirectoryChange {
    /// The directories.
    pub directories: Vec<String>,
    /// Where the change is kept.
    pub destination: PermissionDestination,
}

/// Adds directories that tools may use.
#[wire(tag(type = "addDirectories"))]
pub struct AddDirectories {
    fields: DirectoryChange!(),
}

/// Takes directories away.
#[wire(tag(type = "removeDirectories"))]
pub struct RemoveDirectories {
    fields: DirectoryChange!(),
}
