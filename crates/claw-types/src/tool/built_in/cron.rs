//! `CronCreate`, `CronDelete` and `CronList`: scheduled prompts.

use crate::{Number, True};

/// The input of the `CronCreate` tool: a prompt and its schedule.
#[wire]
pub struct CronCreateInput {
    /// The schedule as a crontab expression in the machine's local time: minute, hour, day of the month, month and day
    /// of the week.
    pub cron: String,
    /// The prompt that each run of the job sends.
    pub prompt: String,
    /// Whether the job repeats. If `false`, the job runs once, at the next matching time. If absent or `true`, the job
    /// runs at every matching time until it is deleted or a week has passed.
    pub recurring: Option<bool>,
    /// Whether the job outlives the process. If `true`, the job is stored in a file of the project. If absent or
    /// `false`, the job ends with the session.
    pub durable: Option<bool>,
}

/// The output of the `CronCreate` tool: the job that was created.
#[wire(rename_all = "camelCase")]
pub struct CronCreateOutput {
    /// The ID of the job.
    pub id: String,
    /// The schedule in words.
    pub human_schedule: String,
    /// Whether the job repeats.
    pub recurring: bool,
    /// Whether the job outlives the process. Absent means `false`.
    pub durable: Option<bool>,
    /// The time of the next run, in milliseconds since 1970-01-01 UTC.
    pub next_fire_at: Option<Number>,
    /// The age in milliseconds at which a repeating job ends. 0 means that it never ends.
    #[wire(since = "2.1.330")]
    pub max_age_ms: Option<Number>,
    /// The other jobs of this session that run once and have not run yet.
    pub other_one_shots: Option<Vec<CronOneShot>>,
}

/// A job that runs once.
#[wire(rename_all = "camelCase")]
pub struct CronOneShot {
    /// The ID of the job.
    pub id: String,
    /// The schedule in words.
    pub human_schedule: String,
    /// The prompt that the job sends.
    pub prompt: String,
}

/// The input of the `CronDelete` tool.
#[wire]
pub struct CronDeleteInput {
    /// The ID of the job, as `CronCreate` returned it.
    pub id: String,
}

/// The output of the `CronDelete` tool.
#[wire(rename_all = "camelCase")]
pub struct CronDeleteOutput {
    /// The ID of the deleted job.
    pub id: String,
    /// Present if the job would have started the next round of a loop (`/loop`). In this case, deleting the job has
    /// also ended the loop.
    pub ended_loop_wakeup: Option<True>,
}

/// The input of the `CronList` tool, which has no fields.
#[wire]
pub struct CronListInput {}

/// The output of the `CronList` tool.
#[wire]
pub struct CronListOutput {
    /// All scheduled jobs. Empty if there are none.
    pub jobs: Vec<CronJob>,
}

/// A scheduled prompt.
#[wire(rename_all = "camelCase")]
pub struct CronJob {
    /// The ID of the job.
    pub id: String,
    /// The schedule as a crontab expression.
    pub cron: String,
    /// The schedule in words.
    pub human_schedule: String,
    /// The prompt that the job sends.
    pub prompt: String,
    /// Whether the job repeats.
    pub recurring: Option<bool>,
    /// Whether the job outlives the process. Absent means `false`.
    pub durable: Option<bool>,
    /// The time of the next run, in milliseconds since 1970-01-01 UTC.
    pub next_fire_at: Option<Number>,
}

#[cfg(test)]
mod tests;
