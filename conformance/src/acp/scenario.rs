//! A scenario as data: the steps of the client, the answers of the model, and the decisions of the person.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A scenario.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) name: String,
    /// The client's capabilities. Default: all capabilities that claw uses.
    #[serde(default = "everything")]
    pub(super) capabilities: Value,
    /// The rules of the Messages API, in the form of claw-testkit.
    #[serde(default)]
    pub(super) rules: Value,
    /// The name of a built-in scenario of the Messages API, which replaces the rules.
    #[serde(default)]
    pub(super) api: Option<String>,
    /// The script of the scripted CLI. Without it, the real Claude Code runs.
    #[serde(default)]
    pub(super) script: Option<Value>,
    /// Options of Claude Code for all sessions.
    #[serde(default)]
    pub(super) options: Option<Value>,
    /// Variables of the agent's environment. Null removes one.
    #[serde(default)]
    pub(super) env: BTreeMap<String, Option<String>>,
    /// The files in the working directory, by relative path.
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
    /// The answers to the agent's requests, by method. Each list is used in order, and its last answer is repeated.
    #[serde(default)]
    pub(super) person: BTreeMap<String, Vec<Reply>>,
    /// Whether Claude Code runs several tools in parallel, so that their effects have no defined order.
    #[serde(default)]
    pub(super) at_once: bool,
    pub(super) steps: Vec<Step>,
}

/// The answer to a request of the agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    /// Chooses the first option of this kind, or with this text in its name.
    Choose(String),
    /// Answers with this result.
    Result(Value),
    /// Answers with an error with this code.
    Error(i64),
    /// Gives no answer.
    Open,
}

/// A step of the client. In all texts, `$session`, `$work`, `$api` and `$mcp` are replaced.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Step {
    /// `session/new` with more parameters. The session becomes `$session`.
    New(Value),
    /// Sends a request and waits for its response.
    Ask(String, Value),
    /// Sends a text or blocks as a prompt, and waits for the response.
    Prompt(Value),
    /// Sends a prompt.
    SendPrompt(Value),
    /// Sends a request.
    Send(String, Value),
    /// Waits for the responses to all requests.
    Answers,
    /// Sends a notification.
    Notify(String, Value),
    /// Cancels the last request.
    CancelRequest,
    /// Waits for an update of this kind after the last request.
    Update(String),
    /// Waits for a request of the agent.
    Asked(String),
    /// Opens a gate of the Messages API.
    Open(String),
    /// Waits until a response of the Messages API has reached a gate.
    Reached(String),
    /// Ends the agent, and starts it again.
    Restart,
}

/// Returns the capabilities of a client that supports all features of claw.
fn everything() -> Value {
    serde_json::json!({
        "fs": {"readTextFile": true, "writeTextFile": true},
        "terminal": true,
        "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
        "auth": {"terminal": true},
        "elicitation": {"form": {}, "url": {}},
        "_meta": {"terminal_output": true},
    })
}
