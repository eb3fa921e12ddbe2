//! Hook events, and the registration of a host's hooks.

use crate::{Number, Tri};

/// An event for which hooks are called.
#[wire(open)]
pub enum HookEvent {
    /// A tool is about to be used.
    PreToolUse = "PreToolUse",
    /// A tool was used successfully.
    PostToolUse = "PostToolUse",
    /// A tool use failed.
    PostToolUseFailure = "PostToolUseFailure",
    /// All tool uses of one answer are complete.
    PostToolBatch = "PostToolBatch",
    /// The user should be notified.
    Notification = "Notification",
    /// A prompt was submitted.
    UserPromptSubmit = "UserPromptSubmit",
    /// A command was expanded into a prompt.
    UserPromptExpansion = "UserPromptExpansion",
    /// A session begins. Callbacks are called only after a compaction or `/clear`.
    SessionStart = "SessionStart",
    /// A session ends. Callbacks are never called.
    SessionEnd = "SessionEnd",
    /// The model has finished.
    Stop = "Stop",
    /// A turn ends with an API error.
    StopFailure = "StopFailure",
    /// A sub-agent begins.
    SubagentStart = "SubagentStart",
    /// A sub-agent has finished.
    SubagentStop = "SubagentStop",
    /// The conversation is about to be compacted.
    PreCompact = "PreCompact",
    /// The conversation was compacted.
    PostCompact = "PostCompact",
    /// The model is about to be changed.
    PreModelSwitch = "PreModelSwitch",
    /// The model was changed.
    PostModelSwitch = "PostModelSwitch",
    /// A permission is about to be requested.
    PermissionRequest = "PermissionRequest",
    /// A tool use was denied without asking anyone.
    PermissionDenied = "PermissionDenied",
    /// The CLI sets up or maintains a project. Callbacks are never called.
    Setup = "Setup",
    /// A teammate is idle.
    TeammateIdle = "TeammateIdle",
    /// A task was added to the task list.
    TaskCreated = "TaskCreated",
    /// A task of the task list was completed.
    TaskCompleted = "TaskCompleted",
    /// An MCP server asks the user for input.
    Elicitation = "Elicitation",
    /// The user has answered an MCP server.
    ElicitationResult = "ElicitationResult",
    /// Settings were changed.
    ConfigChange = "ConfigChange",
    /// A worktree is about to be created.
    WorktreeCreate = "WorktreeCreate",
    /// A worktree is about to be removed.
    WorktreeRemove = "WorktreeRemove",
    /// Instructions were loaded from a file.
    InstructionsLoaded = "InstructionsLoaded",
    /// The working directory was changed.
    CwdChanged = "CwdChanged",
    /// A watched file was changed.
    FileChanged = "FileChanged",
    /// A directory was added.
    DirectoryAdded = "DirectoryAdded",
    /// Text of the model is about to be displayed.
    MessageDisplay = "MessageDisplay",
}

/// Callbacks of the host for one event, as registered in `initialize`.
#[wire(rename_all = "camelCase")]
pub struct HookMatcher {
    /// The name that the event must have, several of them as `Write|Edit`, or a regular expression. For most events it
    /// is the name of a tool. A text of letters, digits, `_` and `|` names whole names; any other text is a regular
    /// expression, which matches anywhere in the name. Absent or null matches everything.
    pub matcher: Tri<String>,
    /// The IDs of the callbacks, chosen by the host. Each callback is called with its own ID.
    pub hook_callback_ids: Vec<String>,
    /// The timeout of a callback, in seconds. Absent means 600. A callback that exceeds it counts
    /// as a denial, whatever `onFailure` says.
    pub timeout: Option<Number>,
    /// The reaction to a callback that is answered with an error. Absent: `continue`.
    pub on_failure: Option<HookOnFailure>,
}

/// The reaction to a hook callback that fails.
#[wire(open)]
pub enum HookOnFailure {
    /// The failed callback is ignored. The default.
    Continue = "continue",
    /// The action that the callback was called for is denied. Only supported by CLIs that report
    /// `hook_on_failure_supported` in their answer to `initialize`.
    Block = "block",
}
