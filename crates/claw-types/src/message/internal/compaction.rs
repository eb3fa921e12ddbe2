//! A summary that is being made: `compact_progress` and `stream_mode`.

use super::Identity;
use crate::Tri;

/// How far a summary of the conversation has come.
///
/// While it is made; a [`CompactBoundary`](crate::message::CompactBoundary) follows. In no published type.
#[wire(tag(type = "compact_progress"))]
pub struct CompactProgress {
    /// What happens.
    pub event: CompactEvent,
    fields: Identity!(),
}

/// What happens while a summary is made.
#[wire]
pub enum CompactEvent {
    /// Hooks run.
    HooksStart(CompactHooksStart),
    /// The model writes it.
    CompactStart(CompactStart),
    /// It is done.
    CompactEnd(CompactEnd),
}

/// Which hooks run around a summary.
#[wire(open)]
pub enum CompactHooks {
    /// Those before it.
    PreCompact = "pre_compact",
    /// Those after it.
    PostCompact = "post_compact",
    /// Those of a session that begins, which run once more.
    SessionStart = "session_start",
}

/// Hooks run around a summary.
#[wire(tag(type = "hooks_start"))]
pub struct CompactHooksStart {
    /// Which.
    pub hook_type: CompactHooks,
}

/// The model writes a summary.
#[wire(tag(type = "compact_start"))]
pub struct CompactStart {
    /// What to tell the person meanwhile.
    pub hint_text: Tri<String>,
}

/// A summary is done.
#[wire(tag(type = "compact_end"))]
pub struct CompactEnd {}

/// What an answer is busy with.
#[wire(open)]
pub enum StreamModeName {
    /// It writes a tool's input.
    ToolInput = "tool-input",
    /// A tool runs.
    ToolUse = "tool-use",
    /// The API has not answered yet.
    Requesting = "requesting",
    /// It writes text.
    Responding = "responding",
    /// It reasons.
    Thinking = "thinking",
}

/// What the answer is busy with.
///
/// While a summary is made, when it changes. In no published type.
#[wire(tag(type = "stream_mode"))]
pub struct StreamMode {
    /// What.
    pub mode: StreamModeName,
    fields: Identity!(),
}
