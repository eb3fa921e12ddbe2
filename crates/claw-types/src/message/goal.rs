//! `active_goal`: what the session works towards.

use super::Identity;
use crate::{Count, Number};

/// How it is with the goal that `/goal` has set.
///
/// To hosts that show it: when it was looked at and is not reached yet, and with a null when it is
/// given up or reached.
#[wire(tag(type = "active_goal"))]
pub struct ActiveGoal {
    /// The goal; null for none.
    #[wire(nullable)]
    pub value: Option<Goal>,
    fields: Identity!(),
}

/// What a session works towards.
#[wire]
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
}
