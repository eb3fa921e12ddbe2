//! `ScheduleWakeup`: when a loop goes on.

use crate::{Count, Number};

/// What `ScheduleWakeup` is given: when the loop goes on, or that it ends.
///
/// All but `stop` must be there unless `stop` is true; with it the rest is not looked at.
#[wire(rename_all = "camelCase")]
pub struct ScheduleWakeupInput {
    /// In how many seconds: below 60 and above 3600 the nearer of the two is taken.
    pub delay_seconds: Option<Number>,
    /// Why so long, in a sentence. People see it.
    pub reason: Option<String>,
    /// What is asked then: what the loop was started with, or a mark of the CLI's own for a loop
    /// without a prompt.
    pub prompt: Option<String>,
    /// Ends the loop.
    pub stop: Option<bool>,
    /// Whether there was nothing to do this time. Rounds of that kind that follow one another are
    /// shown as one.
    pub noop: Option<bool>,
}

/// What `ScheduleWakeup` gives.
#[wire(rename_all = "camelCase")]
pub struct ScheduleWakeupOutput {
    /// When the loop goes on, in milliseconds since 1970.
    pub scheduled_for: Number,
    /// In how many seconds, within the bounds.
    pub clamped_delay_seconds: Number,
    /// Whether the seconds that were asked for were out of bounds.
    pub was_clamped: bool,
    /// Whether the loop was ended.
    pub stopped: Option<bool>,
    /// How many wake-ups that were still to come were taken back when the loop ended.
    pub cancelled_wakeups: Option<Count>,
}

#[cfg(test)]
mod tests;
