//! `interrupt` and `end_session`.

use crate::{Json, MessageUuid};

/// To `claude`: stop the running turn. The session goes on. The answer comes before the turn's
/// result.
#[wire(tag(subtype = "interrupt"), response = Option<InterruptResponse>)]
pub struct Interrupt {
    /// Drops the prompts that wait as well.
    #[wire(since = "2.1.329")]
    pub cancel_queued: Option<bool>,
}

/// The answer to `interrupt`.
#[wire]
pub struct InterruptResponse {
    /// Prompts that wait and will still be answered.
    pub still_queued: Vec<MessageUuid>,
    /// Prompts that were dropped.
    pub cancelled: Option<Vec<MessageUuid>>,
}

/// To `claude`: end. Answered, then the process ends its background shells and exits with 0.
#[wire(tag(subtype = "end_session"), response = Option<Json>)]
pub struct EndSession {}
