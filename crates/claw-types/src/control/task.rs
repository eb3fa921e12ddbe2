//! Requests about what runs, and what waits to run.

use claw_types_derive::Wire;

use super::Request;
use crate::{Count, Extra, Json, MessageUuid, ToolUseId};

/// To `claude`: end this background task. A task that there is not is no error.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "stop_task"))]
#[non_exhaustive]
pub struct StopTask {
    /// The task.
    pub task_id: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for StopTask {
    type Response = Option<Json>;
}

/// To `claude`: let what runs go on in the background.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "background_tasks"))]
#[non_exhaustive]
pub struct BackgroundTasks {
    /// Only this tool use; absent for all.
    pub tool_use_id: Option<ToolUseId>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for BackgroundTasks {
    type Response = Option<BackgroundTasksResponse>;
}

/// The answer to `background_tasks`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BackgroundTasksResponse {
    /// Whether the tool use now runs in the background. Absent where none was named.
    pub backgrounded: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: what has this shell or monitor in the background written? A task of another kind is
/// refused; one that has ended can still be asked for.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "get_task_output"))]
#[non_exhaustive]
pub struct GetTaskOutput {
    /// The task.
    pub task_id: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for GetTaskOutput {
    type Response = GetTaskOutputResponse;
}

/// The answer to `get_task_output`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GetTaskOutputResponse {
    /// The end of what it has written, 8 KiB at most. As the command wrote it, with control
    /// characters.
    pub output: String,
    /// How much it has written, in bytes.
    pub total_bytes: Count,
    /// Whether there is more than the end.
    pub truncated: bool,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: drop a prompt that waits.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "cancel_async_message"))]
#[non_exhaustive]
pub struct CancelAsyncMessage {
    /// The prompt.
    pub message_uuid: MessageUuid,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for CancelAsyncMessage {
    type Response = CancelAsyncMessageResponse;
}

/// The answer to `cancel_async_message`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CancelAsyncMessageResponse {
    /// Whether it was dropped: one that runs, or that there is not, is not.
    pub cancelled: bool,
    /// The prompt. Only where it was dropped.
    pub message_uuid: Option<MessageUuid>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: settings over all others, from now on. A null takes one back.
#[derive(Wire, Clone, PartialEq)]
#[wire(tag(subtype = "apply_flag_settings"))]
#[non_exhaustive]
pub struct ApplyFlagSettings {
    /// The settings, in the form of a settings file. One that is wrong is an error that names it.
    #[wire(secret)]
    pub settings: Json,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for ApplyFlagSettings {
    type Response = Option<Json>;
}

/// To `claude`: take this file as read, so that it can be edited.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "seed_read_state"))]
#[non_exhaustive]
pub struct SeedReadState {
    /// The file.
    pub path: String,
    /// When it was changed last, in milliseconds since 1970; a file that was changed after that is
    /// not taken as read.
    pub mtime: crate::Number,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for SeedReadState {
    type Response = Option<Json>;
}
