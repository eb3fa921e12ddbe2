//! Hooks: callbacks of the host (the program that runs `claude`). `claude` calls them at certain events, such as before
//! a tool is used.
//!
//! In the `initialize` request, the host registers a callback for an event, and for all tools or certain tools. When
//! the event happens, `claude` sends a [`HookCallback`](crate::control::HookCallback) with a [`HookInput`] and waits
//! for the [`HookOutput`]. For `Setup`, `SessionEnd` and the `SessionStart` of a new process, `claude` calls no
//! callbacks: it runs only the hook commands in its settings files.

mod base;
mod output;
mod registration;
mod session;
mod surroundings;
mod tool;

pub use base::*;
pub use output::*;
pub use registration::*;
pub use session::*;
pub use surroundings::*;
pub use tool::*;

/// The input of a hook: the event and its details.
#[wire(tag = hook_event_name)]
pub enum HookInput {
    /// A tool is about to be used.
    PreToolUse(Box<PreToolUseInput>),
    /// A tool was used successfully.
    PostToolUse(Box<PostToolUseInput>),
    /// A tool use failed.
    PostToolUseFailure(Box<PostToolUseFailureInput>),
    /// All tool uses that the model requested in one message are complete.
    PostToolBatch(Box<PostToolBatchInput>),
    /// The CLI notifies the user.
    Notification(Box<NotificationInput>),
    /// A prompt was submitted.
    UserPromptSubmit(Box<UserPromptSubmitInput>),
    /// A command was expanded into a prompt.
    UserPromptExpansion(Box<UserPromptExpansionInput>),
    /// A session begins.
    SessionStart(Box<SessionStartInput>),
    /// A session ends.
    SessionEnd(Box<SessionEndInput>),
    /// The model has finished, and the turn is about to end.
    Stop(Box<StopInput>),
    /// A turn ends with an API error.
    StopFailure(Box<StopFailureInput>),
    /// A sub-agent begins.
    SubagentStart(Box<SubagentStartInput>),
    /// A sub-agent has finished.
    SubagentStop(Box<SubagentStopInput>),
    /// The conversation is about to be compacted.
    PreCompact(Box<PreCompactInput>),
    /// The conversation was compacted: a summary replaced it.
    PostCompact(Box<PostCompactInput>),
    /// The session is about to switch to another model.
    PreModelSwitch(Box<PreModelSwitchInput>),
    /// The session has switched to another model.
    PostModelSwitch(Box<PostModelSwitchInput>),
    /// The CLI is about to request a permission.
    PermissionRequest(Box<PermissionRequestInput>),
    /// The classifier of the permission mode `auto` denied a tool use.
    PermissionDenied(Box<PermissionDeniedInput>),
    /// The CLI sets up a project for the first time, or maintains it.
    Setup(Box<SetupInput>),
    /// A teammate (an agent of the team) is idle.
    TeammateIdle(Box<TeammateIdleInput>),
    /// A task was added to the task list.
    TaskCreated(Box<TaskCreatedInput>),
    /// A task of the task list was completed.
    TaskCompleted(Box<TaskCompletedInput>),
    /// An MCP server asks the user for input.
    Elicitation(Box<ElicitationInput>),
    /// The user has answered an elicitation of an MCP server.
    ElicitationResult(Box<ElicitationResultInput>),
    /// Settings were changed.
    ConfigChange(Box<ConfigChangeInput>),
    /// A worktree is about to be created.
    WorktreeCreate(Box<WorktreeCreateInput>),
    /// A worktree is about to be removed.
    WorktreeRemove(Box<WorktreeRemoveInput>),
    /// Instructions were loaded from a file.
    InstructionsLoaded(Box<InstructionsLoadedInput>),
    /// The working directory was changed.
    CwdChanged(Box<CwdChangedInput>),
    /// A watched file was changed.
    FileChanged(Box<FileChangedInput>),
    /// A directory was added to the directories that tools may use.
    DirectoryAdded(Box<DirectoryAddedInput>),
    /// Text of the model is about to be displayed.
    MessageDisplay(Box<MessageDisplayInput>),
    /// A shell command in the text of a skill or slash command is about to run.
    PreSkillShellCommand(Box<PreSkillShellCommandInput>),
}
