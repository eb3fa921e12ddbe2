//! A scenario: what the client does, what the model answers, and what the person decides, as data.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A scenario.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) name: String,
    /// The client's capabilities. Default: all that claw uses.
    #[serde(default = "everything")]
    pub(super) capabilities: Value,
    /// The rules of the Messages API, as claw-testkit has them.
    #[serde(default)]
    pub(super) rules: Value,
    /// The name of a built-in scenario of the Messages API, in place of rules.
    #[serde(default)]
    pub(super) api: Option<String>,
    /// The script of a stand-in for Claude Code. Without it, the real one runs.
    #[serde(default)]
    pub(super) script: Option<Value>,
    /// Options of Claude Code for all sessions.
    #[serde(default)]
    pub(super) options: Option<Value>,
    /// Variables of the agent's environment. Null removes one.
    #[serde(default)]
    pub(super) env: BTreeMap<String, Option<String>>,
    /// The files in the working directory, by their path in it.
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
    /// The answers to the agent's requests, by method. Each list is used in its order; its last answer stays.
    #[serde(default)]
    pub(super) person: BTreeMap<String, Vec<Reply>>,
    /// Whether Claude Code runs several tools at once, so that what they do has no order among them.
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
    /// This result.
    Result(Value),
    /// An error with this code.
    Error(i64),
    /// No answer.
    Open,
}

/// What the client does. In all texts, `$session`, `$work`, `$api` and `$mcp` are replaced.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Step {
    /// `session/new` with more parameters. The session becomes `$session`.
    New(Value),
    /// Sends a request and waits for its answer.
    Ask(String, Value),
    /// Sends a text, or blocks, as a prompt, and waits for the answer.
    Prompt(Value),
    /// Sends a prompt.
    SendPrompt(Value),
    /// Sends a request.
    Send(String, Value),
    /// Waits for the answers of all requests.
    Answers,
    /// Sends a notification.
    Notify(String, Value),
    /// Cancels the request that was sent last.
    CancelRequest,
    /// Waits for an update of this kind after the last request.
    Update(String),
    /// Waits for a request of the agent.
    Asked(String),
    /// Opens a gate of the Messages API.
    Open(String),
    /// Waits until an answer of the Messages API has come to a gate.
    Reached(String),
    /// Ends the agent, and starts it again.
    Restart,
}

/// What a client can do that uses all that claw has.
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
