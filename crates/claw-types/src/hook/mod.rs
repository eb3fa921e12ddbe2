//! Hooks: what the host is told in the middle of a turn, and may say about it.
//!
//! A host registers callbacks in `initialize`, by event and tool; `claude` then sends a
//! [`HookCallback`](crate::control::HookCallback) with a [`HookInput`], and waits for the
//! [`HookOutput`]. Callbacks for `SessionStart` (at the start), `Setup` and `SessionEnd` are never
//! called: for these there are only the hooks of a settings file.

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

/// What a hook is told: the event, and what it is about.
#[wire(tag = hook_event_name)]
pub enum HookInput {
    /// A tool is about to be used.
    PreToolUse(Box<PreToolUseInput>),
    /// A tool was used.
    PostToolUse(Box<PostToolUseInput>),
    /// A tool failed.
    PostToolUseFailure(Box<PostToolUseFailureInput>),
    /// All tools of one answer were used.
    PostToolBatch(Box<PostToolBatchInput>),
    /// The user should look.
    Notification(Box<NotificationInput>),
    /// A prompt came.
    UserPromptSubmit(Box<UserPromptSubmitInput>),
    /// A command was turned into a prompt.
    UserPromptExpansion(Box<UserPromptExpansionInput>),
    /// A session begins.
    SessionStart(Box<SessionStartInput>),
    /// A session ends.
    SessionEnd(Box<SessionEndInput>),
    /// The model has finished.
    Stop(Box<StopInput>),
    /// The turn ends with an error of the API's.
    StopFailure(Box<StopFailureInput>),
    /// A sub-agent begins.
    SubagentStart(Box<SubagentStartInput>),
    /// A sub-agent has finished.
    SubagentStop(Box<SubagentStopInput>),
    /// The conversation is about to be compacted.
    PreCompact(Box<PreCompactInput>),
    /// The conversation was compacted.
    PostCompact(Box<PostCompactInput>),
    /// The model is about to be changed.
    PreModelSwitch(Box<PreModelSwitchInput>),
    /// The model was changed.
    PostModelSwitch(Box<PostModelSwitchInput>),
    /// A permission is about to be asked for.
    PermissionRequest(Box<PermissionRequestInput>),
    /// A permission was refused without anybody being asked.
    PermissionDenied(Box<PermissionDeniedInput>),
    /// The CLI sets a project up, or looks after it.
    Setup(Box<SetupInput>),
    /// A teammate has nothing to do.
    TeammateIdle(Box<TeammateIdleInput>),
    /// A task was put on the list.
    TaskCreated(Box<TaskCreatedInput>),
    /// A task of the list is done.
    TaskCompleted(Box<TaskCompletedInput>),
    /// An MCP server asks the user something.
    Elicitation(Box<ElicitationInput>),
    /// The user has answered an MCP server.
    ElicitationResult(Box<ElicitationResultInput>),
    /// Settings were changed.
    ConfigChange(Box<ConfigChangeInput>),
    /// A worktree is to be made.
    WorktreeCreate(Box<WorktreeCreateInput>),
    /// A worktree is to be removed.
    WorktreeRemove(Box<WorktreeRemoveInput>),
    /// Instructions were read from a file.
    InstructionsLoaded(Box<InstructionsLoadedInput>),
    /// The working directory was changed.
    CwdChanged(Box<CwdChangedInput>),
    /// A file that is watched was changed.
    FileChanged(Box<FileChangedInput>),
    /// A directory was added.
    DirectoryAdded(Box<DirectoryAddedInput>),
    /// Text of the model's is about to be shown.
    MessageDisplay(Box<MessageDisplayInput>),
}
