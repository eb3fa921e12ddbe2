//! `active_goal`: what the session works towards.

use crate::{Count, Extra, MessageUuid, Number, SessionId};
use claw_types_derive::Wire;

/// How it is with the goal that `/goal` has set.
///
/// To hosts that show it: when it was looked at and is not reached yet, and with a null when it is
/// given up or reached.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(type = "active_goal"))]
#[non_exhaustive]
pub struct ActiveGoal {
    /// The goal; null for none.
    #[wire(nullable)]
    pub value: Option<Goal>,
    /// Names this line.
    pub uuid: MessageUuid,
    /// The session.
    pub session_id: SessionId,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// What a session works towards.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Goal {
    /// When it is reached, in the user's words.
    pub condition: String,
    /// How often it was looked at.
    pub iterations: Count,
    /// When it was set, in milliseconds since 1970.
    pub set_at: Number,
    /// How many tokens the session had used by then.
    pub tokens_at_start: Count,
    /// Why it was not reached when it was looked at last.
    pub last_reason: Option<String>,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
