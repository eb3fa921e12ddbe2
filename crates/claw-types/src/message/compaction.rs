//! A summary that is being made: `compact_progress` and `stream_mode`.

use claw_types_derive::{Wire, WireUnion};

use crate::open_enum::open_enum;
use crate::{Extra, MessageUuid, SessionId, Tri, Unknown};

/// How far a summary of the conversation has come.
///
/// While it is made; a [`CompactBoundary`](super::CompactBoundary) follows. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "compact_progress"))]
#[non_exhaustive]
pub struct CompactProgress {
    /// What happens.
    pub event: CompactEvent,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What happens while a summary is made.
#[derive(WireUnion, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CompactEvent {
    /// Hooks run.
    HooksStart(CompactHooksStart),
    /// The model writes it.
    CompactStart(CompactStart),
    /// It is done.
    CompactEnd(CompactEnd),
    /// A kind that claw does not know.
    #[wire(unknown)]
    Unknown(Unknown),
}

open_enum! {
    /// Which hooks run around a summary.
    CompactHooks {
        /// Those before it.
        PreCompact = "pre_compact",
        /// Those after it.
        PostCompact = "post_compact",
        /// Those of a session that begins, which run once more.
        SessionStart = "session_start",
    }
}

/// Hooks run around a summary.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "hooks_start"))]
#[non_exhaustive]
pub struct CompactHooksStart {
    /// Which.
    pub hook_type: CompactHooks,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// The model writes a summary.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "compact_start"))]
#[non_exhaustive]
pub struct CompactStart {
    /// What to tell the person meanwhile.
    pub hint_text: Tri<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A summary is done.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "compact_end"))]
#[non_exhaustive]
pub struct CompactEnd {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// What an answer is busy with.
    StreamModeName {
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
}

/// What the answer is busy with.
///
/// While a summary is made, when it changes. In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "stream_mode"))]
#[non_exhaustive]
pub struct StreamMode {
    /// What.
    pub mode: StreamModeName,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
