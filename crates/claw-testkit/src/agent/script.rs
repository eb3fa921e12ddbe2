//! What a scripted agent does, as data.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Child, Cut, Flood, Style};
use crate::Block;

/// A script: what the agent is, and what it does step by step.
///
/// While it waits — for a prompt, a gate, a permission, or the next word to be due — it answers
/// control requests as `claude` does: `initialize`, `interrupt` and `end_session` properly, others as
/// unsupported. After the last step it goes on doing so until its input ends or `end_session` comes.
///
/// ```
/// use claw_testkit::agent::Script;
///
/// let script: Script = serde_json::from_str(r#"{
///     "steps": [{"turns": [{"message": [{"type": "text", "text": "You said something."}]}]}]
/// }"#)?;
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Script {
    /// What it does.
    pub steps: Vec<Step>,
    /// Milliseconds before each delta of a message, so that people see it stream. 0 by default.
    pub pace_ms: u64,
    /// How lines are written, until a step changes it.
    pub style: Style,
    /// Whether it writes `stream_event` and `status` lines, as `claude` does when asked for
    /// partial messages. True by default, whatever the host's options say: an agent does not read them.
    pub partial_messages: bool,
    /// Whether it writes `session_state_changed` lines, as `claude` does when its environment asks
    /// for them. True by default.
    pub state_frames: bool,
    /// The session's id.
    pub session_id: String,
    /// The model it says it is.
    pub model: String,
    /// The working directory it says it is in.
    pub cwd: String,
    /// Whether the program lives on when it is asked to terminate (SIGTERM). False by default:
    /// it exits with 143.
    pub ignore_sigterm: bool,
    /// Whether it lives on when its input ends: it waits where it would have ended. False by
    /// default.
    pub ignore_eof: bool,
    /// Its death at some byte of its output, in the middle of whatever step. None by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// One thing that a scripted agent does.
///
/// Steps that speak for a model (`Message`, `ToolResult`, `Permission`, `Fail`) stand inside a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Waits for a line of this kind, and does not answer it; lines that come before it, or
    /// came before this step, are handled as always.
    Expect(Expect),
    /// Answers the control request that was expected last: success, with this as its `response`
    /// (none if null).
    Reply(Value),
    /// Answers the control request that was expected last: an error with this text.
    ReplyError(String),
    /// Answers the control request that was expected last as `initialize` is always answered.
    Initialized,
    /// Waits for a prompt and answers it: opens a turn, takes these steps, ends the turn with
    /// its result.
    Turn(Vec<Step>),
    /// Answers every prompt with such a turn, until the input ends.
    Turns(Vec<Step>),
    /// Streams one message of the model.
    Message(Vec<Block>),
    /// Asks whether the last message's last tool call may run.
    Permission(Permission),
    /// Tells the outcome of the last message's last tool call.
    ToolResult(ToolOutcome),
    /// Ends the turn with an error result.
    Fail(Failure),
    /// Ends the turn as a refusal of the API does: a message that says so, and a result whose
    /// subtype is `success` while `is_error` is true.
    ApiFailure(ApiFailure),
    /// Ends the turn without any result.
    LoseResult,
    /// Writes this JSON as a line. Strings that are a placeholder, such as `"$uuid"`, are filled in:
    /// `$uuid` (a fresh one), `$timestamp`, `$session_id`, `$model`, `$cwd`, `$request_id` (of the
    /// request expected last), `$prompt` and `$prompt_uuid` (of the turn), null where there is none.
    Line(Value),
    /// Writes this text as a line, as it is but for placeholders and the agent's style.
    Text(String),
    /// Writes this text without a newline and without any change: part of a line, or several.
    Raw(String),
    /// Writes these bytes.
    Bytes(Vec<u8>),
    /// Writes this text to standard error.
    Stderr(String),
    /// Writes the same text over and over; control requests are answered meanwhile.
    Flood(Flood),
    /// Starts a process that lives on.
    Child(Child),
    /// Changes how the lines after it are written.
    Style(Style),
    /// Waits for a gate.
    Gate(String),
    /// Takes steps so many times.
    Repeat(Repeat),
    /// Stops reading its input, for good.
    Deaf,
    /// Closes its output and goes on.
    CloseStdout,
    /// Does nothing any more, answers nothing, and never ends by itself.
    Hang,
    /// Ends at once with this exit code.
    Exit(i32),
    /// Ends at once by this signal, as [`Death::Signal`](super::Death::Signal) says.
    Signal(i32),
}

/// The kind of line that [`Step::Expect`] waits for, as [`Step::expect`] and
/// [`Step::expect_request`] make it. In a script that is JSON: `{"type": "user"}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Expect {
    /// The line's `type`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The `subtype` of its `request` or `response`; any if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
}

/// What happens when a permission is given, and when it is not.
///
/// A denied call's result is written before the steps of `deny`; that of an allowed one is up to
/// the steps of `allow`. Input that ends, an error, or an answer of a wrong shape denies.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Permission {
    /// Steps when it is given.
    pub allow: Vec<Step>,
    /// Steps when it is not.
    pub deny: Vec<Step>,
}

/// The outcome of a tool call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolOutcome {
    /// What the model sees.
    pub content: String,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// The line's `tool_use_result`; if not given, what Bash would say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_result: Option<Value>,
}

/// How a turn fails.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Failure {
    /// The result's `subtype`, such as `error_max_turns`.
    pub subtype: String,
    /// The result's `errors`.
    #[serde(default)]
    pub errors: Vec<String>,
}

/// How the API refuses a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApiFailure {
    /// The HTTP status, such as 401.
    pub status: u16,
    /// The assistant line's `error`, such as `authentication_failed`.
    pub error: String,
    /// What the message says.
    pub text: String,
}

/// Steps taken several times.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Repeat {
    /// How many times.
    pub times: usize,
    /// The steps.
    pub steps: Vec<Step>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            steps: Vec::new(),
            pace_ms: 0,
            style: Style::default(),
            partial_messages: true,
            state_frames: true,
            session_id: "5e551011-0000-4000-8000-000000000000".to_owned(),
            model: "claude-scripted-1".to_owned(),
            cwd: "/work/project".to_owned(),
            ignore_sigterm: false,
            ignore_eof: false,
            cut: None,
        }
    }
}

impl Script {
    /// A script of these steps.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: steps.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Answers every prompt with this text.
    pub fn says(text: impl Into<String>) -> Self {
        Self::new([Step::Turns(vec![Step::message([Block::text(text)])])])
    }

    /// What `claw demo` shows: a text, a Bash call that asks for permission, and an end that
    /// depends on the answer.
    ///
    /// # Panics
    /// Never: the script is part of the program, and a test reads it.
    pub fn demo() -> Self {
        read("demo.json", include_str!("../../scripts/demo.json"))
    }

    /// A script that comes with the testkit, by its name: `demo`, or `echo` (answers every prompt
    /// with a short text).
    pub fn builtin(name: &str) -> Option<Self> {
        match name {
            "demo" => Some(Self::demo()),
            "echo" => Some(Self::says("I am a script.")),
            _ => None,
        }
    }

    /// Sets the time before each delta of a message, in whole milliseconds.
    #[must_use]
    pub fn pace(mut self, pace: Duration) -> Self {
        self.pace_ms = u64::try_from(pace.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// Sets how lines are written.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Sets the working directory it says it is in.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// Makes the program live on when it is asked to terminate.
    #[must_use]
    pub fn ignore_sigterm(mut self) -> Self {
        self.ignore_sigterm = true;
        self
    }

    /// Makes it live on when its input ends.
    #[must_use]
    pub fn ignore_eof(mut self) -> Self {
        self.ignore_eof = true;
        self
    }

    /// Sets where in its output it dies, and how.
    #[must_use]
    pub fn cut(mut self, cut: Cut) -> Self {
        self.cut = Some(cut);
        self
    }
}

impl Step {
    /// Waits for a control request with this subtype.
    pub fn expect_request(subtype: impl Into<String>) -> Self {
        Self::Expect(Expect {
            kind: "control_request".to_owned(),
            subtype: Some(subtype.into()),
        })
    }

    /// Waits for a line of this `type`: `"control_response"` is an answer to a [`request`](Self::request).
    pub fn expect(kind: impl Into<String>) -> Self {
        Self::Expect(Expect {
            kind: kind.into(),
            subtype: None,
        })
    }

    /// Makes a control request of the host, and waits for its answer. `body` is what the request has beside its
    /// `subtype`: for `"mcp_message"` a `server_name` and the JSON-RPC `message`.
    pub fn request(subtype: impl Into<String>, mut body: Value) -> Self {
        body["subtype"] = Value::String(subtype.into());
        let mut line = serde_json::json!({"type": "control_request", "request_id": "$uuid"});
        line["request"] = body;
        Self::repeat(1, [Self::Line(line), Self::expect("control_response")])
    }

    /// Calls one of the host's hooks with this input, and waits for its answer. They are counted from 0, in the
    /// order that the host registered them in.
    pub fn hook(place: usize, input: Value) -> Self {
        let mut body = serde_json::json!({"callback_id": format!("hook_{place}")});
        body["input"] = input;
        Self::request("hook_callback", body)
    }

    /// Waits for a prompt without opening a turn.
    pub fn expect_prompt() -> Self {
        Self::Expect(Expect {
            kind: "user".to_owned(),
            subtype: None,
        })
    }

    /// Streams one message of the model.
    pub fn message(blocks: impl IntoIterator<Item = Block>) -> Self {
        Self::Message(blocks.into_iter().collect())
    }

    /// Asks for permission.
    pub fn permission(
        allow: impl IntoIterator<Item = Self>,
        deny: impl IntoIterator<Item = Self>,
    ) -> Self {
        Self::Permission(Permission {
            allow: allow.into_iter().collect(),
            deny: deny.into_iter().collect(),
        })
    }

    /// A tool call's output.
    pub fn tool_result(content: impl Into<String>) -> Self {
        Self::ToolResult(ToolOutcome {
            content: content.into(),
            ..ToolOutcome::default()
        })
    }

    /// A tool call's failure.
    pub fn tool_error(content: impl Into<String>) -> Self {
        let content = content.into();
        Self::ToolResult(ToolOutcome {
            content,
            is_error: true,
            tool_use_result: None,
        })
    }

    /// Ends the turn with an error result.
    pub fn fail(subtype: impl Into<String>, error: impl Into<String>) -> Self {
        Self::Fail(Failure {
            subtype: subtype.into(),
            errors: vec![error.into()],
        })
    }

    /// Ends the turn as a refusal of the API does.
    pub fn api_failure(status: u16, error: impl Into<String>, text: impl Into<String>) -> Self {
        Self::ApiFailure(ApiFailure {
            status,
            error: error.into(),
            text: text.into(),
        })
    }

    /// Waits for `initialize`, so that the steps after it can answer it as they please, or not at
    /// all.
    pub fn expect_initialize() -> Self {
        Self::expect_request("initialize")
    }

    /// A line that answers the control request with this id: success, with this as its `response`.
    /// `"$request_id"` is the id of the one expected last.
    pub fn answer_to(id: &str, response: &Value) -> Self {
        Self::Line(serde_json::json!({
            "type": "control_response",
            "response": {"subtype": "success", "request_id": id, "response": response}
        }))
    }

    /// Waits for a gate.
    pub fn gate(name: impl Into<String>) -> Self {
        Self::Gate(name.into())
    }

    /// Takes steps so many times.
    pub fn repeat(times: usize, steps: impl IntoIterator<Item = Self>) -> Self {
        Self::Repeat(Repeat {
            times,
            steps: steps.into_iter().collect(),
        })
    }
}

impl Expect {
    pub(super) fn fits(&self, line: &Value) -> bool {
        let body = line.get("request").or_else(|| line.get("response"));
        line["type"] == self.kind.as_str()
            && self
                .subtype
                .as_ref()
                .is_none_or(|subtype| body.is_some_and(|body| body["subtype"] == subtype.as_str()))
    }
}

fn read(file: &str, text: &str) -> Script {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("scripts/{file}: {error}"))
}
