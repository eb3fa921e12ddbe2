//! `RemoteTrigger`: sessions elsewhere that start by themselves.

use crate::{Count, Json};

/// What to do with triggers.
#[wire(open)]
pub enum RemoteTriggerAction {
    /// Say which there are.
    List = "list",
    /// Show one.
    Get = "get",
    /// Make one.
    Create = "create",
    /// Change one.
    Update = "update",
    /// Start one now.
    Run = "run",
    /// Make one that a web hook starts.
    CreateWebhookTrigger = "create_webhook_trigger",
    /// Say when one ran.
    ListRuns = "list_runs",
    /// Show what a run wrote.
    GetRunLog = "get_run_log",
}

/// What `RemoteTrigger` is given.
#[wire]
pub struct RemoteTriggerInput {
    /// What to do.
    pub action: RemoteTriggerAction,
    /// The trigger. Needed to show, change or start one, and for its runs.
    pub trigger_id: Option<String>,
    /// The session of a run, from the list of runs. Needed for what it wrote.
    pub session_id: Option<String>,
    /// Where a list goes on: what the page before gave as its next cursor.
    pub cursor: Option<String>,
    /// What the trigger is, for making or changing one; may go with a start.
    pub body: Option<Json>,
}

/// What `RemoteTrigger` gives: the server's answer.
#[wire]
pub struct RemoteTriggerOutput {
    /// The HTTP status.
    pub status: Count,
    /// The answer: JSON as text.
    pub json: String,
    /// What it comes to, in words.
    pub summary: Option<String>,
}

#[cfg(test)]
mod tests;
