//! Which hooks there are, and how a host registers its own.

use crate::{Number, Tri};

/// What hooks are called for.
#[wire(open)]
pub enum HookEvent {
    /// A tool is about to be used.
    PreToolUse = "PreToolUse",
    /// A tool was used.
    PostToolUse = "PostToolUse",
    /// A tool failed.
    PostToolUseFailure = "PostToolUseFailure",
    /// All tools of one answer were used.
    PostToolBatch = "PostToolBatch",
    /// The user should look.
    Notification = "Notification",
    /// A prompt came.
    UserPromptSubmit = "UserPromptSubmit",
    /// A command was turned into a prompt.
    UserPromptExpansion = "UserPromptExpansion",
    /// A session begins. Callbacks hear of it after a compaction or `/clear` alone.
    SessionStart = "SessionStart",
    /// A session ends. Callbacks never hear of it.
    SessionEnd = "SessionEnd",
    /// The model has finished.
    Stop = "Stop",
    /// The turn ends with an error of the API's.
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
    /// A permission is about to be asked for.
    PermissionRequest = "PermissionRequest",
    /// A permission was refused without anybody being asked.
    PermissionDenied = "PermissionDenied",
    /// The CLI sets a project up, or looks after it. Callbacks never hear of it.
    Setup = "Setup",
    /// A teammate has nothing to do.
    TeammateIdle = "TeammateIdle",
    /// A task was put on the list.
    TaskCreated = "TaskCreated",
    /// A task of the list is done.
    TaskCompleted = "TaskCompleted",
    /// An MCP server asks the user something.
    Elicitation = "Elicitation",
    /// The user has answered an MCP server.
    ElicitationResult = "ElicitationResult",
    /// Settings were changed.
    ConfigChange = "ConfigChange",
    /// A worktree is to be made.
    WorktreeCreate = "WorktreeCreate",
    /// A worktree is to be removed.
    WorktreeRemove = "WorktreeRemove",
    /// Instructions were read from a file.
    InstructionsLoaded = "InstructionsLoaded",
    /// The working directory was changed.
    CwdChanged = "CwdChanged",
    /// A file that is watched was changed.
    FileChanged = "FileChanged",
    /// A directory was added.
    DirectoryAdded = "DirectoryAdded",
    /// Text of the model's is about to be shown.
    MessageDisplay = "MessageDisplay",
}

/// Callbacks of the host's for one event, as `initialize` registers them.
#[wire(rename_all = "camelCase")]
pub struct HookMatcher {
    /// What they are called for, of what the event is about (a tool's name, mostly): a regular
    /// expression such as `Write|Edit`; absent or null for everything.
    pub matcher: Tri<String>,
    /// The callbacks, by ids of the host's choice. Each is called with its own.
    pub hook_callback_ids: Vec<String>,
    /// How long a callback may take, in seconds; absent for 600. One that takes longer counts as a
    /// refusal, whatever `on_failure` says.
    pub timeout: Option<Number>,
    /// What happens where a callback is answered with an error.
    pub on_failure: Option<HookOnFailure>,
}

/// What happens where a hook's callback fails.
#[wire(open)]
pub enum HookOnFailure {
    /// It counts as if there were no hook. The default.
    Continue = "continue",
    /// What it was called for is refused. Only CLIs that say `hook_on_failure_supported` in
    /// their answer to `initialize` do so.
    Block = "block",
}
