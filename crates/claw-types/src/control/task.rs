//! Requests about background tasks and queued prompts.

use crate::{Count, Json, MessageUuid, ToolUseId};

/// To `claude`: stop a background task. Stopping an unknown task is not an error.
#[wire(tag(subtype = "stop_task"), response = Option<Json>)]
pub struct StopTask {
    /// The ID of the task.
    pub task_id: String,
}

/// To `claude`: let running tool uses continue in the background.
#[wire(tag(subtype = "background_tasks"), response = Option<BackgroundTasksResponse>)]
pub struct BackgroundTasks {
    /// The ID of the tool use to move to the background. If absent, all running tool uses are moved.
    pub tool_use_id: Option<ToolUseId>,
}

/// The response to `background_tasks`.
#[wire]
pub struct BackgroundTasksResponse {
    /// Whether the tool use now runs in the background. Absent if the request did not name a tool
    /// use.
    pub backgrounded: Option<bool>,
}

/// To `claude`: get the output of a background shell or monitor, even after it has ended. `claude` refuses the request
/// for tasks of other kinds.
#[wire(tag(subtype = "get_task_output"), response = GetTaskOutputResponse)]
pub struct GetTaskOutput {
    /// The ID of the task.
    pub task_id: String,
}

/// The response to `get_task_output`.
#[wire]
pub struct GetTaskOutputResponse {
    /// The last part of the output, at most 8 KiB. The text is exactly what the command wrote, including control
    /// characters.
    pub output: String,
    /// The size of the whole output, in bytes.
    pub total_bytes: Count,
    /// Whether `output` contains only the end of the whole output.
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
    /// Whether the prompt was cancelled. `false` if the prompt's turn has already begun, or if the CLI does not know
    /// the prompt.
    pub cancelled: bool,
    /// The UUID of the prompt. Sent only if the prompt was cancelled.
    pub message_uuid: Option<MessageUuid>,
}

/// To `claude`: apply settings from now on. They override all settings files except the organisation's managed
/// settings. A null value removes an earlier override.
#[wire(tag(subtype = "apply_flag_settings"), response = Option<Json>)]
pub struct ApplyFlagSettings {
    /// The settings, in the form of a settings file. If a setting is invalid, `claude` responds with an error that
    /// names the setting.
    #[wire(secret)]
    pub settings: Json,
}

/// To `claude`: treat a file as read by the model, so that the model may edit the file.
#[wire(tag(subtype = "seed_read_state"), response = Option<Json>)]
pub struct SeedReadState {
    /// The path of the file.
    pub path: String,
    /// The time at which the host's version of the file was last changed, in milliseconds since 1970. If the file was
    /// changed after this time, the CLI does not treat it as read.
    pub mtime: crate::Number,
}
