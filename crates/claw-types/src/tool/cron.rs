//! `CronCreate`, `CronDelete` and `CronList`: prompts that come at set times.

use crate::{Number, True};

/// What `CronCreate` is given: a prompt, and when it comes.
#[wire]
pub struct CronCreateInput {
    /// When: minute, hour, day of the month, month and day of the week, in the machine's own time,
    /// as in a crontab.
    pub cron: String,
    /// What is asked each time.
    pub prompt: String,
    /// `false`: once, at the next time that fits. Absent or `true`: each time, until it is deleted
    /// or a week has passed.
    pub recurring: Option<bool>,
    /// `true`: it is kept in a file of the project, and outlives the process. Absent or `false`: it
    /// ends with the session.
    pub durable: Option<bool>,
}

/// What `CronCreate` gives: the job that was made.
#[wire(rename_all = "camelCase")]
pub struct CronCreateOutput {
    /// Names the job.
    pub id: String,
    /// When it comes, in words.
    pub human_schedule: String,
    /// Whether it comes more than once.
    pub recurring: bool,
    /// Whether it outlives the process.
    pub durable: Option<bool>,
    /// When it comes next, in milliseconds since 1970.
    pub next_fire_at: Option<Number>,
    /// After how many milliseconds a job that comes more than once ends; 0 for never.
    #[wire(since = "2.1.330")]
    pub max_age_ms: Option<Number>,
    /// Jobs of this session that come but once, and have not come yet.
    pub other_one_shots: Option<Vec<CronOneShot>>,
}

/// A job that comes but once.
#[wire(rename_all = "camelCase")]
pub struct CronOneShot {
    /// Names the job.
    pub id: String,
    /// When it comes, in words.
    pub human_schedule: String,
    /// What is asked.
    pub prompt: String,
}

/// What `CronDelete` is given.
#[wire]
pub struct CronDeleteInput {
    /// The job, by the name that `CronCreate` gave it.
    pub id: String,
}

/// What `CronDelete` gives.
#[wire(rename_all = "camelCase")]
pub struct CronDeleteOutput {
    /// The job that is no more.
    pub id: String,
    /// It was the wake-up of a loop, which has ended with it. Absent otherwise.
    pub ended_loop_wakeup: Option<True>,
}

/// What `CronList` is given: nothing.
#[wire]
pub struct CronListInput {}

/// What `CronList` gives.
#[wire]
pub struct CronListOutput {
    /// All jobs; empty for none.
    pub jobs: Vec<CronJob>,
}

/// A prompt that comes at set times.
#[wire(rename_all = "camelCase")]
pub struct CronJob {
    /// Names the job.
    pub id: String,
    /// When it comes, as a crontab says it.
    pub cron: String,
    /// When it comes, in words.
    pub human_schedule: String,
    /// What is asked.
    pub prompt: String,
    /// Whether it comes more than once.
    pub recurring: Option<bool>,
    /// Whether it outlives the process.
    pub durable: Option<bool>,
    /// When it comes next, in milliseconds since 1970.
    pub next_fire_at: Option<Number>,
}

#[cfg(test)]
mod tests;
