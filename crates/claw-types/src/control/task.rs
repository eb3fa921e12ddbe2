//! Requests about background tasks and queued prompts.

use crate::{Count, Json, MessageUuid, ToolUseId};

/// To `claude`: stop a background task. Stopping an unknown task is not an error.
#[wire(tag(subtype = "stop_task"), response = Option<Json>)]
pub struct StopTask {
    /// The ID of the task.
    pub task_id: String,
}

/// To `claude`: move running tool uses to the background.
#[wire(tag(subtype = "background_tasks"), response = Option<BackgroundTasksResponse>)]
pub struct BackgroundTasks {
    /// The ID of the tool use to move. Absent for all.
    pub tool_use_id: Option<ToolUseId>,
}

/// The response to `background_tasks`.
#[wire]
pub struct BackgroundTasksResponse {
    /// Whether the tool use now runs in the background. Absent if the request did not name a tool
    /// use.
    pub backgrounded: Option<bool>,
}

/// To `claude`: get the output of a background shell or monitor, which may be running or have
/// ended. `claude` refuses the request for tasks of other kinds.
#[wire(tag(subtype = "get_task_output"), response = GetTaskOutputResponse)]
pub struct GetTaskOutput {
    /// The ID of the task.
    pub task_id: String,
}

/// The response to `get_task_output`.
#[wire]
pub struct GetTaskOutputResponse {
    /// The end of the output, at most 8 KiB, exactly as the command wrote it, control characters
    /// included.
    pub output: String,
    /// The size of the whole output, in bytes.
    pub total_bytes: Count,
    /// Whether the beginning of the output was left out.
    pub truncated: bool,
}

/// To `claude`: cancel a queued prompt.
#[wire(tag(subtype = "cancel_async_message"), response = CancelAsyncMessageResponse)]
pub struct CancelAsyncMessage {
    /// The UUID of the prompt.
    pub message_uuid: MessageUuid,
}

/// The response to `cancel_async_message`.
#[wire]
pub struct CancelAsyncMessageResponse {
    /// Whether the prompt was cancelled. False for a running or unknown prompt.
    pub cancelled: bool,
    /// The UUID of the prompt. Sent only if the prompt was cancelled.
    pub message_uuid: Option<MessageUuid>,
}

/// To `claude`: apply settings that override all others from now on. A null value removes an
/// earlier override.
#[wire(tag(subtype = "apply_flag_settings"), response = Option<Json>)]
pub struct ApplyFlagSettings {
    /// The settings, in the form of a settings file. If a setting is invalid, the response is an
    /// error that names it.
    #[wire(secret)]
    pub settings: Json,
}

/// To `claude`: treat a file as read, so that it can be edited.
#[wire(tag(subtype = "seed_read_state"), response = Option<Json>)]
pub struct SeedReadState {
    /// The path of the file.
    pub path: String,
    /// The time of the last known change of the file, in milliseconds since 1970. A file that was
    /// changed later is not treated as read.
    pub mtime: crate::Number,
}
