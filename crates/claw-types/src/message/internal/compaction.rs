//! The progress of a compaction: `compact_progress` and `stream_mode`.

use super::Identity;
use crate::Tri;

/// The progress of a compaction.
///
/// The CLI sends this message while the model writes the summary. A
/// [`CompactBoundary`](crate::message::CompactBoundary) follows. The types of the official SDK do not include this
/// message.
#[wire(tag(type = "compact_progress"))]
pub struct CompactProgress {
    /// The step of the compaction that begins or ends.
    pub event: CompactEvent,
    fields: Identity!(),
}

/// A step of a compaction.
#[wire]
pub enum CompactEvent {
    /// The hooks that run before or after the compaction have started.
    HooksStart(CompactHooksStart),
    /// The model has begun to write the summary.
    CompactStart(CompactStart),
    /// The summary is complete.
    CompactEnd(CompactEnd),
}

/// The hooks that run before or after a compaction.
#[wire(open)]
pub enum CompactHooks {
    /// The hooks that run before the compaction.
    PreCompact = "pre_compact",
    /// The hooks that run after the compaction.
    PostCompact = "post_compact",
    /// The hooks for the start of a session, which run again after a compaction.
    SessionStart = "session_start",
}

/// The start of the hooks that run before or after a compaction.
#[wire(tag(type = "hooks_start"))]
pub struct CompactHooksStart {
    /// The group of hooks that has started.
    pub hook_type: CompactHooks,
}

/// The start of the summary, when the model begins to write it.
#[wire(tag(type = "compact_start"))]
pub struct CompactStart {
    /// A hint that the person can read while the model writes the summary.
    pub hint_text: Tri<String>,
}

/// The end of a compaction.
#[wire(tag(type = "compact_end"))]
pub struct CompactEnd {}

/// The phase of an answer: waiting for the API, thinking, writing, or running a tool.
#[wire(open)]
pub enum StreamModeName {
    /// The model is writing the input of a tool.
    ToolInput = "tool-input",
    /// A tool is running.
    ToolUse = "tool-use",
    /// The CLI is waiting for the API's response.
    Requesting = "requesting",
    /// The model is writing text.
    Responding = "responding",
    /// The model is thinking.
    Thinking = "thinking",
}

/// The current phase of an answer, such as thinking or writing.
///
/// The CLI sends this message during a compaction, whenever the phase of the answer changes. The types of the official
/// SDK do not include this message.
#[wire(tag(type = "stream_mode"))]
pub struct StreamMode {
    /// The current phase of the answer.
    pub mode: StreamModeName,
    fields: Identity!(),
}
