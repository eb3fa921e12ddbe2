//! Requests about what runs, and what waits to run.

use crate::{Count, Json, MessageUuid, ToolUseId};

/// To `claude`: end this background task. A task that there is not is no error.
#[wire(tag(subtype = "stop_task"), response = Option<Json>)]
pub struct StopTask {
    /// The task.
    pub task_id: String,
}

/// To `claude`: let what runs go on in the background.
#[wire(tag(subtype = "background_tasks"), response = Option<BackgroundTasksResponse>)]
pub struct BackgroundTasks {
    /// Only this tool use; absent for all.
    pub tool_use_id: Option<ToolUseId>,
}

/// The answer to `background_tasks`.
#[wire]
pub struct BackgroundTasksResponse {
    /// Whether the tool use now runs in the background. Absent where none was named.
    pub backgrounded: Option<bool>,
}

/// To `claude`: what has this shell or monitor in the background written? A task of another kind is
/// refused; one that has ended can still be asked for.
#[wire(tag(subtype = "get_task_output"), response = GetTaskOutputResponse)]
pub struct GetTaskOutput {
    /// The task.
    pub task_id: String,
}

/// The answer to `get_task_output`.
#[wire]
pub struct GetTaskOutputResponse {
    /// The end of what it has written, 8 KiB at most. As the command wrote it, with control
    /// characters.
    pub output: String,
    /// How much it has written, in bytes.
    pub total_bytes: Count,
    /// Whether there is more than the end.
    pub truncated: bool,
}

/// To `claude`: drop a prompt that waits.
#[wire(tag(subtype = "cancel_async_message"), response = CancelAsyncMessageResponse)]
pub struct CancelAsyncMessage {
    /// The prompt.
    pub message_uuid: MessageUuid,
}

/// The answer to `cancel_async_message`.
#[wire]
pub struct CancelAsyncMessageResponse {
    /// Whether it was dropped: one that runs, or that there is not, is not.
    pub cancelled: bool,
    /// The prompt. Only where it was dropped.
    pub message_uuid: Option<MessageUuid>,
}

/// To `claude`: settings over all others, from now on. A null takes one back.
#[wire(tag(subtype = "apply_flag_settings"), response = Option<Json>)]
pub struct ApplyFlagSettings {
    /// The settings, in the form of a settings file. One that is wrong is an error that names it.
    #[wire(secret)]
    pub settings: Json,
}

/// To `claude`: take this file as read, so that it can be edited.
#[wire(tag(subtype = "seed_read_state"), response = Option<Json>)]
pub struct SeedReadState {
    /// The file.
    pub path: String,
    /// When it was changed last, in milliseconds since 1970; a file that was changed after that is
    /// not taken as read.
    pub mtime: crate::Number,
}
