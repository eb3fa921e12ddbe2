//! The progress of a compaction: `compact_progress` and `stream_mode`.

use super::Identity;
use crate::Tri;

/// The progress of a compaction.
///
/// The CLI sends this message while the summary is made. A
/// [`CompactBoundary`](crate::message::CompactBoundary) follows. The types of the official SDK do
/// not include this message.
#[wire(tag(type = "compact_progress"))]
pub struct CompactProgress {
    /// The step of the compaction that begins or ends.
    pub event: CompactEvent,
    fields: Identity!(),
}

/// A step of a compaction.
#[wire]
pub enum CompactEvent {
    /// The hooks around the summary begin to run.
    HooksStart(CompactHooksStart),
    /// The model begins to write the summary.
    CompactStart(CompactStart),
    /// The summary is complete.
    CompactEnd(CompactEnd),
}

/// The hooks that run around a compaction.
#[wire(open)]
pub enum CompactHooks {
    /// The hooks that run before the compaction.
    PreCompact = "pre_compact",
    /// The hooks that run after the compaction.
    PostCompact = "post_compact",
    /// The hooks for the start of a session, which run again.
    SessionStart = "session_start",
}

/// The start of hooks around a compaction.
#[wire(tag(type = "hooks_start"))]
pub struct CompactHooksStart {
    /// The hooks that run.
    pub hook_type: CompactHooks,
}

/// The start of writing the summary.
#[wire(tag(type = "compact_start"))]
pub struct CompactStart {
    /// A hint for the person to read in the meantime.
    pub hint_text: Tri<String>,
}

/// The end of a compaction.
#[wire(tag(type = "compact_end"))]
pub struct CompactEnd {}

/// The current activity of an answer.
#[wire(open)]
pub enum StreamModeName {
    /// The model is writing the input of a tool.
    ToolInput = "tool-input",
    /// A tool is running.
    ToolUse = "tool-use",
    /// The API has not answered yet.
    Requesting = "requesting",
    /// The model is writing text.
    Responding = "responding",
    /// The model is thinking.
    Thinking = "thinking",
}

/// The current activity of an answer.
///
/// The CLI sends this message when the activity changes while a summary is made. The types of the
/// official SDK do not include this message.
#[wire(tag(type = "stream_mode"))]
pub struct StreamMode {
    /// The current activity of the answer.
    pub mode: StreamModeName,
    fields: Identity!(),
}
