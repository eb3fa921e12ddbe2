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
    /// All tool uses that the model requested in one message are complete.
    PostToolBatch = "PostToolBatch",
    /// The CLI notifies the user.
    Notification = "Notification",
    /// A prompt was submitted.
    UserPromptSubmit = "UserPromptSubmit",
    /// A command was expanded into a prompt.
    UserPromptExpansion = "UserPromptExpansion",
    /// A session begins. `claude` calls callbacks of the host only after a compaction or `/clear`.
    SessionStart = "SessionStart",
    /// A session ends. `claude` never calls callbacks of the host for this event.
    SessionEnd = "SessionEnd",
    /// The model has finished, and the turn is about to end.
    Stop = "Stop",
    /// A turn ends with an API error.
    StopFailure = "StopFailure",
    /// A sub-agent begins.
    SubagentStart = "SubagentStart",
    /// A sub-agent has finished.
    SubagentStop = "SubagentStop",
    /// The conversation is about to be compacted.
    PreCompact = "PreCompact",
    /// The conversation was compacted: a summary replaced it.
    PostCompact = "PostCompact",
    /// The session is about to switch to another model.
    PreModelSwitch = "PreModelSwitch",
    /// The session has switched to another model.
    PostModelSwitch = "PostModelSwitch",
    /// The CLI is about to request a permission.
    PermissionRequest = "PermissionRequest",
    /// A tool use was denied without asking anyone.
    PermissionDenied = "PermissionDenied",
    /// The CLI sets up or maintains a project. `claude` never calls callbacks of the host for this
    /// event.
    Setup = "Setup",
    /// A teammate (an agent of the team) is idle.
    TeammateIdle = "TeammateIdle",
    /// A task was added to the task list.
    TaskCreated = "TaskCreated",
    /// A task of the task list was completed.
    TaskCompleted = "TaskCompleted",
    /// An MCP server asks the user for input.
    Elicitation = "Elicitation",
    /// The user has answered an elicitation of an MCP server.
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
    /// A directory was added to the directories that tools may use.
    DirectoryAdded = "DirectoryAdded",
    /// Text of the model is about to be displayed.
    MessageDisplay = "MessageDisplay",
    /// A shell command in the text of a skill or slash command is about to run.
    PreSkillShellCommand = "PreSkillShellCommand",
}

/// The callbacks that the host registers for one event in the `initialize` request.
#[wire(rename_all = "camelCase")]
pub struct HookMatcher {
    /// The matcher, which selects the names for which the callbacks are called. For most events, these are names of
    /// tools. A matcher of only letters, digits, `_` and `|` is one or more whole names, such as `Write|Edit`. Any
    /// other matcher is a regular expression, which may match any part of a name. If the matcher is absent or null, the
    /// callbacks are called for every name.
    pub matcher: Tri<String>,
    /// The IDs of the callbacks, which the host chooses. To call a callback, the CLI sends the callback's ID to the
    /// host.
    pub hook_callback_ids: Vec<String>,
    /// The timeout of a callback, in seconds. Absent means 600. If a callback exceeds the timeout, the action is
    /// denied, regardless of `onFailure`.
    pub timeout: Option<Number>,
    /// The way in which the CLI continues if the host answers a callback with an error. Absent means `continue`.
    pub on_failure: Option<HookOnFailure>,
}

/// The way in which the CLI continues if the host answers a hook callback with an error.
#[wire(open)]
pub enum HookOnFailure {
    /// The failed callback is ignored. This is the default.
    Continue = "continue",
    /// The action that the callback was called for is denied. Only supported by CLIs that report
    /// `hook_on_failure_supported` in their response to `initialize`.
    Block = "block",
}
