//! `interrupt` and `end_session`: the end of a turn and of a session.

use crate::{Json, MessageUuid};

/// To `claude`: interrupt the running turn. The session continues. `claude` sends the response
/// before the result of the turn.
#[wire(tag(subtype = "interrupt"), response = Option<InterruptResponse>)]
pub struct Interrupt {
    /// Whether the queued prompts are cancelled too. Absent means `false`.
    #[wire(since = "2.1.329")]
    pub cancel_queued: Option<bool>,
}

/// The response to `interrupt`.
#[wire]
pub struct InterruptResponse {
    /// The UUIDs of the prompts that stay in the queue. The model will answer them later.
    pub still_queued: Vec<MessageUuid>,
    /// The UUIDs of the queued prompts that were cancelled.
    pub cancelled: Option<Vec<MessageUuid>>,
}

/// To `claude`: end the session. After the response, the process ends its background shells and
/// exits with code 0.
#[wire(tag(subtype = "end_session"), response = Option<Json>)]
pub struct EndSession {}
