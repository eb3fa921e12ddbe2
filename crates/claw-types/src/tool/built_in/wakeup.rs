//! `ScheduleWakeup`: schedules the next round of a loop (`/loop`), or ends the loop.

use crate::{Count, Number};

/// The input of the `ScheduleWakeup` tool, which schedules the next round of a loop (`/loop`) or ends the loop.
///
/// If `stop` is true, the CLI does not use the other fields. Otherwise, all other fields are required.
#[wire(rename_all = "camelCase")]
pub struct ScheduleWakeupInput {
    /// The delay until the next round, in seconds. Values outside 60 to 3600 are clamped.
    pub delay_seconds: Option<Number>,
    /// The reason for the delay, in one sentence. It is shown to the user.
    pub reason: Option<String>,
    /// The prompt of the next round. It is the prompt with which the loop was started. If the loop has no prompt, it is
    /// a marker that the CLI defines.
    pub prompt: Option<String>,
    /// Whether to end the loop instead of scheduling the next round.
    pub stop: Option<bool>,
    /// Whether there was nothing to do in this round. Consecutive rounds with nothing to do are shown as one round.
    pub noop: Option<bool>,
}

/// The output of the `ScheduleWakeup` tool.
#[wire(rename_all = "camelCase")]
pub struct ScheduleWakeupOutput {
    /// The time of the next round, in milliseconds since 1970-01-01 UTC.
    pub scheduled_for: Number,
    /// The delay until the next round after clamping, in seconds.
    pub clamped_delay_seconds: Number,
    /// Whether the requested delay was out of bounds and was therefore clamped.
    pub was_clamped: bool,
    /// Whether the loop was ended.
    pub stopped: Option<bool>,
    /// The number of pending wake-ups that were cancelled when the loop ended.
    pub cancelled_wakeups: Option<Count>,
}

#[cfg(test)]
mod tests;
