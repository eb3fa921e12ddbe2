//! `active_goal`: the session's goal.

use super::Identity;
use crate::{Count, Number};

/// The state of the goal that the user has set with `/goal`.
///
/// The CLI sends this message to hosts that show the goal. It sends one message after each check that finds the goal
/// not reached yet. When the goal is reached or given up, it sends a message whose `value` is null.
#[wire(tag(type = "active_goal"))]
pub struct ActiveGoal {
    /// The goal. Null if the session has no goal.
    #[wire(nullable)]
    pub value: Option<Goal>,
    fields: Identity!(),
}

/// A goal that a session works towards.
#[wire]
pub struct Goal {
    /// The condition under which the goal is reached, in the user's words.
    pub condition: String,
    /// The number of times that the goal was checked.
    pub iterations: Count,
    /// The time at which the goal was set, in milliseconds since 1970.
    pub set_at: Number,
    /// The number of tokens that the session had used when the goal was set.
    pub tokens_at_start: Count,
    /// The reason why, according to the last check, the goal is not reached yet. Absent before the first check.
    pub last_reason: Option<String>,
}
