//! What a hook says.

use crate::control::PermissionUpdate;
use crate::{Extra, Json, Number, Unknown, wire};

/// What a hook says: the answer to `hook_callback`.
///
/// An answer that the CLI cannot read counts as none; one with another event's
/// [`HookSpecificOutput`] refuses what the hook was called for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HookOutput {
    /// What it thinks.
    Sync(Box<SyncHookOutput>),
    /// Nothing, at once: it goes on by itself.
    Async(AsyncHookOutput),
}

impl HookOutput {
    /// Nothing at all: `{}`.
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

/// What an event's own output says, and nothing else.
impl From<HookSpecificOutput> for HookOutput {
    fn from(output: HookSpecificOutput) -> Self {
        SyncHookOutput::new().hook_specific_output(output).into()
    }
}

wire::by_text!(HookOutput);

impl wire::Write for HookOutput {
    fn write(&self, writer: &mut wire::Writer<'_>) -> Result<(), wire::GaveUp> {
        match self {
            Self::Sync(output) => output.write(writer),
            Self::Async(output) => output.write(writer),
        }
    }
}

impl wire::Read for HookOutput {
    fn read(parser: &mut wire::Parser<'_>) -> Result<Self, wire::GaveUp> {
        let start = parser.start();
        let json = Json::of_raw(parser.raw()?);
        parser.go(start);
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

/// The hook goes on by itself; nobody waits for what it thinks.
#[wire(no_new)]
pub struct AsyncHookOutput {
    /// Always `true`.
    pub r#async: bool,
    /// How long it may take, in milliseconds.
    #[wire(rename = "asyncTimeout")]
    pub async_timeout: Option<Number>,
}

impl AsyncHookOutput {
    /// Nothing, at once.
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

/// What a hook thinks of the event. What is absent is left as it is.
#[wire(rename_all = "camelCase")]
pub struct SyncHookOutput {
    /// `false`: the turn ends after this (a tool that is about to be used is used).
    #[wire(rename = "continue")]
    pub continue_turn: Option<bool>,
    /// Why it ends, for the user.
    pub stop_reason: Option<String>,
    /// Hides what the hook wrote from the session's file.
    pub suppress_output: Option<bool>,
    /// Whether what the hook was called for happens.
    pub decision: Option<HookDecision>,
    /// Why. The model reads it where something is refused, and where it is kept from stopping.
    pub reason: Option<String>,
    /// Something for the user to read.
    pub system_message: Option<String>,
    /// Bytes for the user's terminal.
    pub terminal_sequence: Option<String>,
    /// What can only be said about this event. Must be of the event that the hook was called for.
    pub hook_specific_output: Option<HookSpecificOutput>,
}

/// Whether what a hook was called for happens.
#[wire(open)]
pub enum HookDecision {
    /// It does.
    Approve = "approve",
    /// It does not: a tool is refused, a prompt dropped, the model kept from stopping.
    Block = "block",
}

/// Whether a tool may be used.
#[wire(open)]
pub enum HookPermissionDecision {
    /// Yes; nobody else is asked.
    Allow = "allow",
    /// No.
    Deny = "deny",
    /// Somebody is asked.
    Ask = "ask",
    /// Later: the turn ends, and the result names the tool.
    Defer = "defer",
}

/// What becomes of an MCP server's question.
#[wire(open)]
pub enum ElicitationAction {
    /// It is answered.
    Accept = "accept",
    /// The user does not want to answer.
    Decline = "decline",
    /// The user has turned away.
    Cancel = "cancel",
}

/// What can be said about one event alone.
#[wire]
pub enum HookSpecificOutput {
    /// About a tool that is about to be used.
    PreToolUse(Box<PreToolUseOutput>),
    /// About a tool that was used.
    PostToolUse(Box<PostToolUseOutput>),
    /// About a tool that failed.
    PostToolUseFailure(PostToolUseFailureOutput),
    /// About all tools of one answer.
    PostToolBatch(PostToolBatchOutput),
    /// About a prompt.
    UserPromptSubmit(Box<UserPromptSubmitOutput>),
    /// About a command that became a prompt.
    UserPromptExpansion(UserPromptExpansionOutput),
    /// About a session that begins.
    SessionStart(Box<SessionStartOutput>),
    /// About a project that is set up.
    Setup(SetupOutput),
    /// About a notice to the user.
    Notification(NotificationOutput),
    /// About a model that has finished.
    Stop(StopOutput),
    /// About a sub-agent that begins.
    SubagentStart(SubagentStartOutput),
    /// About a sub-agent that has finished.
    SubagentStop(SubagentStopOutput),
    /// About a permission that is about to be asked for.
    PermissionRequest(Box<PermissionRequestOutput>),
    /// About a permission that was refused.
    PermissionDenied(PermissionDeniedOutput),
    /// About a change of the model that is about to be made.
    PreModelSwitch(Box<PreModelSwitchOutput>),
    /// About a change of the model.
    PostModelSwitch(PostModelSwitchOutput),
    /// About an MCP server's question.
    Elicitation(ElicitationOutput),
    /// About the answer to an MCP server's question.
    ElicitationResult(ElicitationResultOutput),
    /// About another working directory.
    CwdChanged(CwdChangedOutput),
    /// About a file that was changed.
    FileChanged(FileChangedOutput),
    /// About a worktree that is to be made.
    WorktreeCreate(Box<WorktreeCreateOutput>),
    /// About text that is about to be shown.
    MessageDisplay(MessageDisplayOutput),
    /// About an event that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

/// What a hook says about a tool that is about to be used.
#[wire(tag(hookEventName = "PreToolUse"), rename_all = "camelCase")]
pub struct PreToolUseOutput {
    /// Whether it may.
    pub permission_decision: Option<HookPermissionDecision>,
    /// Why. The model reads it where the tool is refused.
    pub permission_decision_reason: Option<String>,
    /// Another input.
    pub updated_input: Option<Json>,
    /// Something for the model to read.
    pub additional_context: Option<String>,
}

impl PreToolUseOutput {
    /// Refuses the use of the tool. The model reads the reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decided(HookPermissionDecision::Deny).permission_decision_reason(reason)
    }

    /// Lets the tool be used without a permission request.
    pub fn allow() -> Self {
        Self::decided(HookPermissionDecision::Allow)
    }

    /// Has the CLI request a permission for the use, whatever its rules say.
    pub fn ask() -> Self {
        Self::decided(HookPermissionDecision::Ask)
    }

    fn decided(decision: HookPermissionDecision) -> Self {
        Self::new().permission_decision(decision)
    }
}

/// What a hook says about a tool that was used.
#[wire(tag(hookEventName = "PostToolUse"), rename_all = "camelCase")]
pub struct PostToolUseOutput {
    /// Something for the model to read.
    pub additional_context: Option<String>,
    /// Something for the classifier of the mode `auto` to read.
    pub classifier_context: Option<String>,
    /// Another result, in the tool's own shape.
    pub updated_tool_output: Option<Json>,
    /// Another result of an MCP tool.
    #[wire(rename = "updatedMCPToolOutput")]
    pub updated_mcp_tool_output: Option<Json>,
}

/// What a hook says about a tool that failed.
#[wire(tag(hookEventName = "PostToolUseFailure"), rename_all = "camelCase")]
pub struct PostToolUseFailureOutput {
    /// Something for the model to read.
    pub additional_context: Option<String>,
}

/// What a hook says about all tools of one answer.
#[wire(tag(hookEventName = "PostToolBatch"), rename_all = "camelCase")]
pub struct PostToolBatchOutput {
    /// Something for the model to read.
    pub additional_context: Option<String>,
}

/// What a hook says about a prompt.
#[wire(tag(hookEventName = "UserPromptSubmit"), rename_all = "camelCase")]
pub struct UserPromptSubmitOutput {
    /// Something for the model to read beside the prompt.
    pub additional_context: Option<String>,
    /// The session's title.
    pub session_title: Option<String>,
    /// Does not show a refused prompt to the user again.
    pub suppress_original_prompt: Option<bool>,
}

/// What a hook says about a command that became a prompt.
#[wire(tag(hookEventName = "UserPromptExpansion"), rename_all = "camelCase")]
pub struct UserPromptExpansionOutput {
    /// Something for the model to read beside the prompt.
    pub additional_context: Option<String>,
    /// Does not show a refused prompt to the user again.
    pub suppress_original_prompt: Option<bool>,
}

/// What a hook says about a session that begins.
#[wire(tag(hookEventName = "SessionStart"), rename_all = "camelCase")]
pub struct SessionStartOutput {
    /// Something for the model to read.
    pub additional_context: Option<String>,
    /// The first prompt.
    pub initial_user_message: Option<String>,
    /// The session's title.
    pub session_title: Option<String>,
    /// Files to watch, for `FileChanged`.
    pub watch_paths: Option<Vec<String>>,
    /// Reads the skills again.
    pub reload_skills: Option<bool>,
}

/// What a hook says about a project that is set up.
#[wire(tag(hookEventName = "Setup"), rename_all = "camelCase")]
pub struct SetupOutput {
    /// Something for the model to read.
    pub additional_context: Option<String>,
}

/// What a hook says about a notice to the user.
#[wire(tag(hookEventName = "Notification"), rename_all = "camelCase")]
pub struct NotificationOutput {
    /// Something for the model to read.
    pub additional_context: Option<String>,
}

/// What a hook says about a model that has finished.
#[wire(tag(hookEventName = "Stop"), rename_all = "camelCase")]
pub struct StopOutput {
    /// Something for the model to act on: the turn goes on.
    pub additional_context: Option<String>,
}

/// What a hook says about a sub-agent that begins.
#[wire(tag(hookEventName = "SubagentStart"), rename_all = "camelCase")]
pub struct SubagentStartOutput {
    /// Something for the sub-agent to read.
    pub additional_context: Option<String>,
}

/// What a hook says about a sub-agent that has finished.
#[wire(tag(hookEventName = "SubagentStop"), rename_all = "camelCase")]
pub struct SubagentStopOutput {
    /// Something for the sub-agent to act on: it goes on.
    pub additional_context: Option<String>,
}

/// What a hook says about a permission that is about to be asked for.
#[wire(tag(hookEventName = "PermissionRequest"), rename_all = "camelCase")]
pub struct PermissionRequestOutput {
    /// The answer.
    pub decision: HookPermission,
}

/// What a hook says about a permission that was refused.
#[wire(tag(hookEventName = "PermissionDenied"), rename_all = "camelCase")]
pub struct PermissionDeniedOutput {
    /// Lets the model try again.
    pub retry: Option<bool>,
}

/// What a hook says about a change of the model that is about to be made.
#[wire(tag(hookEventName = "PreModelSwitch"), rename_all = "camelCase")]
pub struct PreModelSwitchOutput {
    /// Whether it is made. There is no `defer` here.
    pub permission_decision: Option<HookPermissionDecision>,
    /// Why, for the user.
    pub permission_decision_reason: Option<String>,
}

/// What a hook says about a change of the model.
#[wire(tag(hookEventName = "PostModelSwitch"), rename_all = "camelCase")]
pub struct PostModelSwitchOutput {
    /// Something for the model to read.
    pub additional_context: Option<String>,
}

/// What a hook says about an MCP server's question. With an action, nobody else is asked.
#[wire(tag(hookEventName = "Elicitation"), rename_all = "camelCase")]
pub struct ElicitationOutput {
    /// What becomes of it.
    pub action: Option<ElicitationAction>,
    /// The answer, as the question's schema wants it.
    pub content: Option<Json>,
}

/// What a hook says about the answer to an MCP server's question.
#[wire(tag(hookEventName = "ElicitationResult"), rename_all = "camelCase")]
pub struct ElicitationResultOutput {
    /// What the server is told instead.
    pub action: Option<ElicitationAction>,
    /// The answer that the server gets instead.
    pub content: Option<Json>,
}

/// What a hook says about another working directory.
#[wire(tag(hookEventName = "CwdChanged"), rename_all = "camelCase")]
pub struct CwdChangedOutput {
    /// Files to watch, for `FileChanged`.
    pub watch_paths: Option<Vec<String>>,
}

/// What a hook says about a file that was changed.
#[wire(tag(hookEventName = "FileChanged"), rename_all = "camelCase")]
pub struct FileChangedOutput {
    /// Files to watch from now on.
    pub watch_paths: Option<Vec<String>>,
}

/// What a hook says about a worktree that is to be made: that it is.
#[wire(tag(hookEventName = "WorktreeCreate"), rename_all = "camelCase")]
pub struct WorktreeCreateOutput {
    /// Where it is.
    pub worktree_path: String,
}

/// What a hook says about text that is about to be shown.
#[wire(tag(hookEventName = "MessageDisplay"), rename_all = "camelCase")]
pub struct MessageDisplayOutput {
    /// What is shown in its place.
    pub display_content: Option<String>,
}

/// A hook's answer to a permission question.
#[wire]
pub enum HookPermission {
    /// Yes.
    Allow(Box<HookPermissionAllow>),
    /// No.
    Deny(Box<HookPermissionDeny>),
}

/// Yes.
#[wire(tag(behavior = "allow"), rename_all = "camelCase")]
pub struct HookPermissionAllow {
    /// Another input.
    pub updated_input: Option<Json>,
    /// Changes of the permissions.
    pub updated_permissions: Option<Vec<PermissionUpdate>>,
}

/// No.
#[wire(tag(behavior = "deny"))]
pub struct HookPermissionDeny {
    /// Why. The model reads it.
    pub message: Option<String>,
    /// Stops the turn as well.
    pub interrupt: Option<bool>,
}
