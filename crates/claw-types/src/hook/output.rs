//! The output of hooks.

use crate::control::PermissionUpdate;
use crate::{Extra, Json, Number, Unknown, wire};

/// The output of a hook: the response to the control request `hook_callback`.
///
/// If the CLI cannot read an output, it acts as if the hook had made no decision. A [`HookSpecificOutput`] must be for
/// the event for which the hook was called. If it is for another event, the CLI denies the action.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HookOutput {
    /// The decision of a hook that has finished.
    Sync(Box<SyncHookOutput>),
    /// No decision. The hook continues in the background.
    Async(AsyncHookOutput),
}

impl HookOutput {
    /// Creates an output without any decision: `{}`.
    pub fn none() -> Self {
        SyncHookOutput::new().into()
    }
}

impl From<SyncHookOutput> for HookOutput {
    fn from(output: SyncHookOutput) -> Self {
        Self::Sync(Box::new(output))
    }
}

impl From<AsyncHookOutput> for HookOutput {
    fn from(output: AsyncHookOutput) -> Self {
        Self::Async(output)
    }
}

/// Creates an output that has only the part that is specific to one event.
impl From<HookSpecificOutput> for HookOutput {
    fn from(output: HookSpecificOutput) -> Self {
        SyncHookOutput::new().hook_specific_output(output).into()
    }
}

wire::by_text!(HookOutput);

impl wire::Write for HookOutput {
    fn write(&self, writer: &mut wire::Writer<'_>) -> Result<(), wire::Failed> {
        match self {
            Self::Sync(output) => output.write(writer),
            Self::Async(output) => output.write(writer),
        }
    }
}

impl wire::Read for HookOutput {
    fn read(parser: &mut wire::Parser<'_>) -> Result<Self, wire::Failed> {
        let start = parser.start();
        let json = Json::of_raw(parser.raw()?);
        parser.seek(start);
        let is_async = json
            .get("async")
            .is_some_and(|flag| flag.as_raw() == "true");
        if is_async {
            wire::Read::read(parser).map(Self::Async)
        } else {
            wire::Read::read(parser).map(Self::Sync)
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for HookOutput {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HookOutput".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let members = [
            generator.subschema_for::<AsyncHookOutput>(),
            generator.subschema_for::<SyncHookOutput>(),
        ];
        schemars::json_schema!({
            "description": "What a hook says: the answer to `hook_callback`.",
            "anyOf": members
        })
    }
}

/// The output of a hook that continues in the background. The CLI does not wait until the hook has finished.
#[wire(no_new)]
pub struct AsyncHookOutput {
    /// Whether the hook continues in the background: always `true`.
    pub r#async: bool,
    /// The timeout of the hook, in milliseconds.
    #[wire(rename = "asyncTimeout")]
    pub async_timeout: Option<Number>,
}

impl AsyncHookOutput {
    /// Creates an output without a timeout.
    #[expect(
        clippy::new_without_default,
        reason = "every other type of the protocol has `new`"
    )]
    pub fn new() -> Self {
        Self {
            r#async: true,
            async_timeout: None,
            extra: Extra::default(),
        }
    }
}

/// The decision of a hook about an event. An absent field has no effect.
#[wire(rename_all = "camelCase")]
pub struct SyncHookOutput {
    /// Whether the turn continues after the event. If `false`, the turn ends, but a tool that is about to be used still
    /// runs.
    #[wire(rename = "continue")]
    pub continue_turn: Option<bool>,
    /// The reason for ending the turn, for the user.
    pub stop_reason: Option<String>,
    /// Whether the output of the hook is left out of the transcript.
    pub suppress_output: Option<bool>,
    /// The decision on whether the action that the hook was called for is carried out.
    pub decision: Option<HookDecision>,
    /// The reason for the decision. The model reads it if an action is denied, or if the model is
    /// prevented from stopping.
    pub reason: Option<String>,
    /// A message for the user.
    pub system_message: Option<String>,
    /// A terminal escape sequence to write to the user's terminal. The CLI permits only
    /// notifications, titles and the bell.
    pub terminal_sequence: Option<String>,
    /// The part of the output that is specific to the event. It must belong to the event that the
    /// hook was called for.
    pub hook_specific_output: Option<HookSpecificOutput>,
}

/// The decision of a hook on an action.
#[wire(open)]
pub enum HookDecision {
    /// The action is carried out.
    Approve = "approve",
    /// The action is blocked: a tool use is denied, a prompt is dropped, or the model is prevented
    /// from stopping.
    Block = "block",
}

/// A hook's decision on whether an action is permitted.
#[wire(open)]
pub enum HookPermissionDecision {
    /// Allow the action without asking the user or the host.
    Allow = "allow",
    /// Deny the action that the hook was called for.
    Deny = "deny",
    /// Ask the user or the host for permission.
    Ask = "ask",
    /// Defer the tool use: the turn ends, and its result names the deferred tool use.
    Defer = "defer",
}

/// The reaction to an elicitation (a request of an MCP server for input from the user).
#[wire(open)]
pub enum ElicitationAction {
    /// The user answered the elicitation.
    Accept = "accept",
    /// The user declined to answer the elicitation.
    Decline = "decline",
    /// The user dismissed the elicitation.
    Cancel = "cancel",
}

/// The part of a hook's output that is specific to one event.
#[wire]
pub enum HookSpecificOutput {
    /// The hook output for a tool that is about to be used.
    PreToolUse(Box<PreToolUseOutput>),
    /// The hook output for a tool that was used.
    PostToolUse(Box<PostToolUseOutput>),
    /// The hook output for a tool use that failed.
    PostToolUseFailure(PostToolUseFailureOutput),
    /// The hook output after all tool uses that the model requested in one message are complete.
    PostToolBatch(PostToolBatchOutput),
    /// The hook output for a submitted prompt.
    UserPromptSubmit(Box<UserPromptSubmitOutput>),
    /// The hook output for a command that was expanded into a prompt.
    UserPromptExpansion(UserPromptExpansionOutput),
    /// The hook output for the start of a session.
    SessionStart(Box<SessionStartOutput>),
    /// The hook output for the set-up of a project.
    Setup(SetupOutput),
    /// The hook output for a notification to the user.
    Notification(NotificationOutput),
    /// The hook output after the model has finished.
    Stop(StopOutput),
    /// The hook output for the start of a sub-agent.
    SubagentStart(SubagentStartOutput),
    /// The hook output for a sub-agent that has finished.
    SubagentStop(SubagentStopOutput),
    /// The hook output for a permission that is about to be requested.
    PermissionRequest(Box<PermissionRequestOutput>),
    /// The hook output for a tool use that was denied.
    PermissionDenied(PermissionDeniedOutput),
    /// The hook output for an upcoming switch to another model.
    PreModelSwitch(Box<PreModelSwitchOutput>),
    /// The hook output for a completed switch to another model.
    PostModelSwitch(PostModelSwitchOutput),
    /// The hook output for an elicitation (a request of an MCP server for input from the user).
    Elicitation(ElicitationOutput),
    /// The hook output for the answer to an elicitation.
    ElicitationResult(ElicitationResultOutput),
    /// The hook output for a change of the working directory.
    CwdChanged(CwdChangedOutput),
    /// The hook output for a change to a watched file.
    FileChanged(FileChangedOutput),
    /// The hook output for a worktree that is about to be created.
    WorktreeCreate(Box<WorktreeCreateOutput>),
    /// The hook output for text that is about to be displayed.
    MessageDisplay(MessageDisplayOutput),
    /// The hook output for a shell command in the text of a skill or slash command.
    PreSkillShellCommand(Box<PreSkillShellCommandOutput>),
    /// The hook output for an event that this version of claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// The hook output for a tool that is about to be used.
#[wire(tag(hookEventName = "PreToolUse"), rename_all = "camelCase")]
pub struct PreToolUseOutput {
    /// The decision on whether the tool may run.
    pub permission_decision: Option<HookPermissionDecision>,
    /// The reason for the decision. The model reads it if the tool use is denied.
    pub permission_decision_reason: Option<String>,
    /// An input that replaces the tool's input.
    pub updated_input: Option<Json>,
    /// Additional context for the model.
    pub additional_context: Option<String>,
}

impl PreToolUseOutput {
    /// Creates an output that denies the tool use. The model reads the reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decided(HookPermissionDecision::Deny).permission_decision_reason(reason)
    }

    /// Creates an output that allows the tool use without a permission request.
    pub fn allow() -> Self {
        Self::decided(HookPermissionDecision::Allow)
    }

    /// Creates an output that makes the CLI request permission for the tool use, even if a rule allows it.
    pub fn ask() -> Self {
        Self::decided(HookPermissionDecision::Ask)
    }

    fn decided(decision: HookPermissionDecision) -> Self {
        Self::new().permission_decision(decision)
    }
}

/// The hook output for a tool that was used.
#[wire(tag(hookEventName = "PostToolUse"), rename_all = "camelCase")]
pub struct PostToolUseOutput {
    /// Additional context for the model.
    pub additional_context: Option<String>,
    /// Additional context for the classifier of the permission mode `auto`.
    pub classifier_context: Option<String>,
    /// A result that replaces the tool's result. It must have the form of this tool's results.
    pub updated_tool_output: Option<Json>,
    /// A result that replaces the tool's result if an MCP server provides the tool.
    #[wire(rename = "updatedMCPToolOutput")]
    pub updated_mcp_tool_output: Option<Json>,
}

/// The hook output for a tool use that failed.
#[wire(tag(hookEventName = "PostToolUseFailure"), rename_all = "camelCase")]
pub struct PostToolUseFailureOutput {
    /// Additional context for the model.
    pub additional_context: Option<String>,
}

/// The hook output after all tool uses that the model requested in one message are complete.
#[wire(tag(hookEventName = "PostToolBatch"), rename_all = "camelCase")]
pub struct PostToolBatchOutput {
    /// Additional context for the model.
    pub additional_context: Option<String>,
}

/// The hook output for a submitted prompt.
#[wire(tag(hookEventName = "UserPromptSubmit"), rename_all = "camelCase")]
pub struct UserPromptSubmitOutput {
    /// Context for the model, in addition to the prompt.
    pub additional_context: Option<String>,
    /// The title to give the session.
    pub session_title: Option<String>,
    /// Whether the CLI leaves the prompt out when it reports that a hook blocked the prompt.
    pub suppress_original_prompt: Option<bool>,
}

/// The hook output for a command that was expanded into a prompt.
#[wire(tag(hookEventName = "UserPromptExpansion"), rename_all = "camelCase")]
pub struct UserPromptExpansionOutput {
    /// Context for the model, in addition to the prompt.
    pub additional_context: Option<String>,
    /// Whether the CLI leaves the prompt out when it reports that a hook blocked the prompt.
    pub suppress_original_prompt: Option<bool>,
}

/// The hook output for the start of a session.
#[wire(tag(hookEventName = "SessionStart"), rename_all = "camelCase")]
pub struct SessionStartOutput {
    /// Additional context for the model.
    pub additional_context: Option<String>,
    /// The first prompt of the session.
    pub initial_user_message: Option<String>,
    /// The title to give the session.
    pub session_title: Option<String>,
    /// The absolute paths of files to watch for the event `FileChanged`.
    pub watch_paths: Option<Vec<String>>,
    /// Whether the CLI reloads the skills.
    pub reload_skills: Option<bool>,
}

/// The hook output for the set-up of a project.
#[wire(tag(hookEventName = "Setup"), rename_all = "camelCase")]
pub struct SetupOutput {
    /// Additional context for the model.
    pub additional_context: Option<String>,
}

/// The hook output for a notification to the user.
#[wire(tag(hookEventName = "Notification"), rename_all = "camelCase")]
pub struct NotificationOutput {
    /// Additional context for the model.
    pub additional_context: Option<String>,
}

/// The hook output after the model has finished.
#[wire(tag(hookEventName = "Stop"), rename_all = "camelCase")]
pub struct StopOutput {
    /// Additional context for the model to act on. If this field is present, the turn continues.
    pub additional_context: Option<String>,
}

/// The hook output for the start of a sub-agent.
#[wire(tag(hookEventName = "SubagentStart"), rename_all = "camelCase")]
pub struct SubagentStartOutput {
    /// Additional context for the sub-agent.
    pub additional_context: Option<String>,
}

/// The hook output for a sub-agent that has finished.
#[wire(tag(hookEventName = "SubagentStop"), rename_all = "camelCase")]
pub struct SubagentStopOutput {
    /// Additional context for the sub-agent to act on. If this field is present, the sub-agent continues.
    pub additional_context: Option<String>,
}

/// The hook output for a permission that is about to be requested.
#[wire(tag(hookEventName = "PermissionRequest"), rename_all = "camelCase")]
pub struct PermissionRequestOutput {
    /// The decision on the permission.
    pub decision: HookPermission,
}

/// The hook output for a tool use that was denied.
#[wire(tag(hookEventName = "PermissionDenied"), rename_all = "camelCase")]
pub struct PermissionDeniedOutput {
    /// Whether the model may try the tool use again.
    pub retry: Option<bool>,
}

/// The hook output for an upcoming switch to another model.
#[wire(tag(hookEventName = "PreModelSwitch"), rename_all = "camelCase")]
pub struct PreModelSwitchOutput {
    /// The decision on whether the session switches to the other model. The value `defer` is not allowed.
    pub permission_decision: Option<HookPermissionDecision>,
    /// The reason for the decision, for the user.
    pub permission_decision_reason: Option<String>,
}

/// The hook output for a completed switch to another model.
#[wire(tag(hookEventName = "PostModelSwitch"), rename_all = "camelCase")]
pub struct PostModelSwitchOutput {
    /// Additional context for the model.
    pub additional_context: Option<String>,
}

/// The hook output for an elicitation (a request of an MCP server for input from the user). If `action` is present, it
/// is the reaction to the elicitation, and the host is not asked.
#[wire(tag(hookEventName = "Elicitation"), rename_all = "camelCase")]
pub struct ElicitationOutput {
    /// The reaction to the elicitation: to answer, to decline or to dismiss it.
    pub action: Option<ElicitationAction>,
    /// The answer, in the form that the elicitation's schema requires. Sent only if the elicitation was accepted.
    pub content: Option<Json>,
}

/// The hook output for the answer to an elicitation.
#[wire(tag(hookEventName = "ElicitationResult"), rename_all = "camelCase")]
pub struct ElicitationResultOutput {
    /// The reaction that the MCP server receives instead of the user's reaction. If absent, the server receives the
    /// user's reaction.
    pub action: Option<ElicitationAction>,
    /// The answer that the MCP server receives instead of the user's answer. If absent, the server receives the user's
    /// answer.
    pub content: Option<Json>,
}

/// The hook output for a change of the working directory.
#[wire(tag(hookEventName = "CwdChanged"), rename_all = "camelCase")]
pub struct CwdChangedOutput {
    /// The absolute paths of files to watch for the event `FileChanged`.
    pub watch_paths: Option<Vec<String>>,
}

/// The hook output for a change to a watched file.
#[wire(tag(hookEventName = "FileChanged"), rename_all = "camelCase")]
pub struct FileChangedOutput {
    /// The absolute paths of the files to watch from now on.
    pub watch_paths: Option<Vec<String>>,
}

/// The hook output for a worktree that was about to be created. The hook has created the worktree
/// itself.
#[wire(tag(hookEventName = "WorktreeCreate"), rename_all = "camelCase")]
pub struct WorktreeCreateOutput {
    /// The path of the worktree that the hook has created.
    pub worktree_path: String,
}

/// The hook output for text that is about to be displayed.
#[wire(tag(hookEventName = "MessageDisplay"), rename_all = "camelCase")]
pub struct MessageDisplayOutput {
    /// The text to display in place of the model's text. If absent, the model's text is displayed.
    pub display_content: Option<String>,
}

/// The hook output for a shell command in the text of a skill or slash command.
#[wire(tag(hookEventName = "PreSkillShellCommand"), rename_all = "camelCase")]
pub struct PreSkillShellCommandOutput {
    /// The decision on whether the command may run. The values `deny`, `ask` and `defer` all stop the command. The
    /// value `allow` has no effect: the command runs unless another hook stops it.
    pub permission_decision: Option<HookPermissionDecision>,
    /// The reason for the decision.
    pub permission_decision_reason: Option<String>,
    /// An input that would replace the command. The CLI never uses the input, and stops the command if this field is
    /// present.
    pub updated_input: Option<Json>,
}

impl PreSkillShellCommandOutput {
    /// Creates an output that stops the shell command.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::new()
            .permission_decision(HookPermissionDecision::Deny)
            .permission_decision_reason(reason)
    }
}

/// A hook's response to a permission request.
#[wire]
pub enum HookPermission {
    /// The permission is granted.
    Allow(Box<HookPermissionAllow>),
    /// The permission is denied.
    Deny(Box<HookPermissionDeny>),
}

/// A hook's response that grants a permission.
#[wire(tag(behavior = "allow"), rename_all = "camelCase")]
pub struct HookPermissionAllow {
    /// An input that replaces the tool's input.
    pub updated_input: Option<Json>,
    /// Changes to the permission rules and to the permission mode.
    pub updated_permissions: Option<Vec<PermissionUpdate>>,
}

/// A hook's response that denies a permission.
#[wire(tag(behavior = "deny"))]
pub struct HookPermissionDeny {
    /// The reason for the denial. The model reads it.
    pub message: Option<String>,
    /// Whether the turn is also stopped, in addition to the denial.
    pub interrupt: Option<bool>,
}
