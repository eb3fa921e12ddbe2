//! `interrupt` and `end_session`.

use claw_types_derive::Wire;

use super::Request;
use crate::{Extra, Json, MessageUuid};

/// To `claude`: stop the running turn. The session goes on. The answer comes before the turn's
/// result.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "interrupt"))]
#[non_exhaustive]
pub struct Interrupt {
    /// Drops the prompts that wait as well.
    #[wire(since = "2.1.329")]
    pub cancel_queued: Option<bool>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for Interrupt {
    type Response = Option<InterruptResponse>;
}

/// The answer to `interrupt`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct InterruptResponse {
    /// Prompts that wait and will still be answered.
    pub still_queued: Vec<MessageUuid>,
    /// Prompts that were dropped.
    pub cancelled: Option<Vec<MessageUuid>>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// To `claude`: end. Answered, then the process ends its background shells and exits with 0.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "end_session"))]
#[non_exhaustive]
pub struct EndSession {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for EndSession {
    type Response = Option<Json>;
}
