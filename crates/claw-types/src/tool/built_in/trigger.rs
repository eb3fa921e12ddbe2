//! `RemoteTrigger`: triggers that start remote sessions.

use crate::{Count, Json};

/// An operation on triggers.
#[wire(open)]
pub enum RemoteTriggerAction {
    /// Lists the triggers.
    List = "list",
    /// Shows a trigger.
    Get = "get",
    /// Creates a trigger.
    Create = "create",
    /// Changes a trigger.
    Update = "update",
    /// Starts a trigger's session now.
    Run = "run",
    /// Creates a trigger that fires when its webhook is called.
    CreateWebhookTrigger = "create_webhook_trigger",
    /// Lists the runs of a trigger.
    ListRuns = "list_runs",
    /// Shows the log of a run.
    GetRunLog = "get_run_log",
}

/// The input of the `RemoteTrigger` tool.
#[wire]
pub struct RemoteTriggerInput {
    /// The operation to perform.
    pub action: RemoteTriggerAction,
    /// The ID of the trigger. Required to show, change or run a trigger and to list its runs.
    pub trigger_id: Option<String>,
    /// The ID of the session in which a run took place. The list of runs contains this ID. Required for `get_run_log`.
    pub session_id: Option<String>,
    /// The cursor for the next page of a list. The response with the previous page contains the cursor.
    pub cursor: Option<String>,
    /// The definition of the trigger. Used to create or change a trigger, and optionally to run a trigger.
    pub body: Option<Json>,
}

/// The output of the `RemoteTrigger` tool: the response of Anthropic's server, which manages the triggers.
#[wire]
pub struct RemoteTriggerOutput {
    /// The HTTP status code.
    pub status: Count,
    /// The response of Anthropic's server, as JSON text.
    pub json: String,
    /// A summary of the response in words.
    pub summary: Option<String>,
}

#[cfg(test)]
mod tests;
