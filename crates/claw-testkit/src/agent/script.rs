//! The behaviour of a scripted agent, as data.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Child, Cut, Flood, Style};
use crate::Block;

/// The behaviour of a scripted agent: its properties, and the steps that it takes.
///
/// While the agent waits (for a prompt, a gate, a permission, or the next delta), it answers control requests as
/// `claude` does. It obeys `initialize`, `interrupt` and `end_session`, and answers all others with the error that they
/// are unsupported. After the last step it continues to answer until its input ends or `end_session` arrives.
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
    /// The steps of the agent.
    pub steps: Vec<Step>,
    /// The delay before each delta of a message, in milliseconds. With a delay, people can watch the message stream.
    /// Default: 0.
    pub pace_ms: u64,
    /// The style in which the agent writes its lines, until a step changes it.
    pub style: Style,
    /// Whether the agent writes `stream_event` and `status` lines, as `claude` does when the host requests partial
    /// messages. Default: `true`, regardless of the host's options, because an agent does not read them.
    pub partial_messages: bool,
    /// Whether the agent writes `session_state_changed` lines, as `claude` does when its environment requests them.
    /// Default: `true`.
    pub state_frames: bool,
    /// The ID of the session.
    pub session_id: String,
    /// The model that the agent reports.
    pub model: String,
    /// The working directory that the agent reports.
    pub cwd: String,
    /// Whether the agent's program ignores SIGTERM. If not, the program exits with code 143 on SIGTERM. Default:
    /// `false`.
    pub ignore_sigterm: bool,
    /// Whether the agent's program keeps waiting when its input ends, instead of ending too. Default: `false`.
    pub ignore_eof: bool,
    /// Makes the agent die after a number of bytes of its output, in any step. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// A step of a scripted agent.
///
/// Steps in which the agent plays the model (`Message`, `ToolResult`, `Permission`, `Fail`) must be inside a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// Waits for an input line of this kind, and does not answer that line. Lines that were read before the step began
    /// are not considered, except for control responses that arrived since the script's last [`Line`](Self::Line) or
    /// [`Text`](Self::Text) began. Lines of other kinds that arrive meanwhile are handled as usual.
    Expect(Expect),
    /// Sends a success response to the control request that [`Expect`](Self::Expect) received last. The step's value is
    /// the payload of the response, in its member `response`. If the value is null, that member is left out.
    Reply(Value),
    /// Sends an error response with this text to the control request that [`Expect`](Self::Expect) received last.
    ReplyError(String),
    /// Answers the `initialize` request that [`Expect`](Self::Expect) received last, with the agent's usual response.
    Initialized,
    /// Waits for a prompt and answers it: opens a turn, takes the given steps, and writes the turn's result.
    Turn(Vec<Step>),
    /// Answers every prompt until the input ends. For each, it opens a turn, takes the given steps, and writes the
    /// turn's result.
    Turns(Vec<Step>),
    /// Streams one message of the model, which consists of these blocks.
    Message(Vec<Block>),
    /// Asks the host for permission to run the last tool use of the last message.
    Permission(Permission),
    /// Writes the tool result for the last tool use of the last message.
    ToolResult(ToolOutcome),
    /// Ends the turn with an error result.
    Fail(Failure),
    /// Ends the turn in the same way as `claude` does when the API refuses a request. The agent writes a message about
    /// the refusal, and a result whose subtype is `success` although `is_error` is true.
    ApiFailure(ApiFailure),
    /// Ends the turn without any result.
    LoseResult,
    /// Writes this JSON as a line. Strings that are placeholders are replaced. The placeholders are `$uuid` (a new
    /// UUID), `$timestamp`, `$session_id`, `$model`, `$cwd`, `$request_id` (of the request that
    /// [`Expect`](Self::Expect) received last), `$prompt` and `$prompt_uuid` (of the turn), and `$hook` (the ID of the
    /// first callback in the `hooks` of `initialize`). A placeholder without a value becomes null.
    Line(Value),
    /// Writes this text as a line, unchanged except for placeholders and the agent's style.
    Text(String),
    /// Writes this text unchanged and without a newline. It can be a part of a line, or several lines.
    Raw(String),
    /// Writes these bytes.
    Bytes(Vec<u8>),
    /// Writes this text to standard error.
    Stderr(String),
    /// Writes the same text repeatedly. The agent still answers control requests meanwhile.
    Flood(Flood),
    /// Starts a process that keeps running after this step.
    Child(Child),
    /// Changes the style in which the agent writes the lines after this step.
    Style(Style),
    /// Waits until the gate with this name is open.
    Gate(String),
    /// Repeats steps.
    Repeat(Repeat),
    /// Stops reading the input, and never reads it again.
    Deaf,
    /// Closes the agent's output and continues with the next step. On Windows, this step has no effect for an agent
    /// that is a program: its output closes when the program ends.
    CloseStdout,
    /// Hangs. From this step on, the agent does nothing, answers nothing, and never ends by itself.
    Hang,
    /// Exits at once with this code.
    Exit(i32),
    /// Ends the agent at once by this signal, as [`Death::Signal`](super::Death::Signal) describes.
    Signal(i32),
}

/// The kind of input line for which [`Step::Expect`] waits. Made by [`Step::expect`] and [`Step::expect_request`]. In a
/// script in JSON it is an object such as `{"type": "user"}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Expect {
    /// The `type` of the line.
    #[serde(rename = "type")]
    pub kind: String,
    /// The `subtype` in the line's `request` or `response`. `None` matches every subtype.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
}

/// A request for the host's permission for a tool use, with the steps that follow if the host allows it and those that
/// follow if the host denies it.
///
/// If the host denies the tool use, the agent writes the tool's result before it takes the steps of `deny`. If the
/// host allows it, the steps of `allow` must write the result. The end of the input, an error response, and a response
/// of a wrong form count as a denial.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Permission {
    /// The steps that follow if the host allows the tool use.
    pub allow: Vec<Step>,
    /// The steps that follow if the host denies the tool use.
    pub deny: Vec<Step>,
}

/// The outcome of a tool use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolOutcome {
    /// The text of the result, which the model reads.
    pub content: String,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: bool,
    /// The `tool_use_result` of the line that carries the result. With `None`, the agent writes a result like that of
    /// the Bash tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_result: Option<Value>,
}

/// The failure of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Failure {
    /// The `subtype` of the result, such as `error_max_turns`.
    pub subtype: String,
    /// The error messages of the result, in its member `errors`.
    #[serde(default)]
    pub errors: Vec<String>,
}

/// A refusal of a turn by the API.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApiFailure {
    /// The HTTP status code, such as 401. 0 if the CLI has sent no request, for example because nobody is logged in. Then the
    /// lines have no status.
    pub status: u16,
    /// The `error` of the assistant line, such as `authentication_failed`.
    pub error: String,
    /// The text of the message.
    pub text: String,
}

/// Steps that an agent takes several times.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Repeat {
    /// The number of times that the steps are taken.
    pub times: usize,
    /// The steps to repeat.
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
    /// Creates a script of these steps.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self {
            steps: steps.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Creates a script that answers every prompt with this text.
    pub fn reply(text: impl Into<String>) -> Self {
        Self::new([Step::Turns(vec![Step::message([Block::text(text)])])])
    }

    /// Creates the script of `claw demo`: a text, a Bash call that asks for permission, and an end that depends on the
    /// host's decision.
    ///
    /// # Panics
    /// This function never panics, because the script is part of the program, and a test checks that it can be read.
    pub fn demo() -> Self {
        read("demo.json", include_str!("../../scripts/demo.json"))
    }

    /// Returns the built-in script with this name: `demo`, or `echo`, which answers every prompt with a short text.
    pub fn builtin(name: &str) -> Option<Self> {
        match name {
            "demo" => Some(Self::demo()),
            "echo" => Some(Self::reply("I am a script.")),
            _ => None,
        }
    }

    /// Sets the delay before each delta of a message, in whole milliseconds.
    #[must_use]
    pub fn pace(mut self, pace: Duration) -> Self {
        self.pace_ms = u64::try_from(pace.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// Sets the style of lines.
    #[must_use]
    pub fn style(mut self, style: Style) -> Self {
        self.style = style;
        self
    }

    /// Sets the working directory that the agent reports.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// Makes the agent's program ignore SIGTERM.
    #[must_use]
    pub fn ignore_sigterm(mut self) -> Self {
        self.ignore_sigterm = true;
        self
    }

    /// Makes the agent keep waiting when its input ends, instead of ending too.
    #[must_use]
    pub fn ignore_eof(mut self) -> Self {
        self.ignore_eof = true;
        self
    }

    /// Makes the agent die after a number of bytes of its output, in the given way.
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

    /// Waits for an input line of this `type`. For the host's response to a [`request`](Self::request), the type is
    /// `"control_response"`.
    pub fn expect(kind: impl Into<String>) -> Self {
        Self::Expect(Expect {
            kind: kind.into(),
            subtype: None,
        })
    }

    /// Sends a control request to the host, and waits for its response. `body` contains the members of the request
    /// except `subtype`. For `"mcp_message"`, these are a `server_name` and the JSON-RPC `message`.
    pub fn request(subtype: impl Into<String>, mut body: Value) -> Self {
        body["subtype"] = Value::String(subtype.into());
        let mut line = serde_json::json!({"type": "control_request", "request_id": "$uuid"});
        line["request"] = body;
        Self::repeat(1, [Self::Line(line), Self::expect("control_response")])
    }

    /// Calls one of the host's hooks with this input, and waits for its response. `place` is the number of the hook.
    /// Hooks are counted from 0, in the order of their registration.
    pub fn hook(place: usize, input: Value) -> Self {
        let mut body = serde_json::json!({"callback_id": format!("hook_{place}")});
        body["input"] = input;
        Self::request("hook_callback", body)
    }

    /// Waits for a prompt, but opens no turn for it.
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

    /// Asks the host for permission to run the last tool use. The steps of `allow` or of `deny` follow, depending on
    /// the host's decision.
    pub fn permission(
        allow: impl IntoIterator<Item = Self>,
        deny: impl IntoIterator<Item = Self>,
    ) -> Self {
        Self::Permission(Permission {
            allow: allow.into_iter().collect(),
            deny: deny.into_iter().collect(),
        })
    }

    /// Writes a successful result of the last tool use, with this content.
    pub fn tool_result(content: impl Into<String>) -> Self {
        Self::ToolResult(ToolOutcome {
            content: content.into(),
            ..ToolOutcome::default()
        })
    }

    /// Writes an error result of the last tool use, with this content.
    pub fn tool_error(content: impl Into<String>) -> Self {
        let content = content.into();
        Self::ToolResult(ToolOutcome {
            content,
            is_error: true,
            tool_use_result: None,
        })
    }

    /// Ends the turn with an error result, which has this subtype and this error text.
    pub fn fail(subtype: impl Into<String>, error: impl Into<String>) -> Self {
        Self::Fail(Failure {
            subtype: subtype.into(),
            errors: vec![error.into()],
        })
    }

    /// Ends the turn as `claude` does when the API refuses a request, or, with the status 0, when it cannot send one.
    pub fn api_failure(status: u16, error: impl Into<String>, text: impl Into<String>) -> Self {
        Self::ApiFailure(ApiFailure {
            status,
            error: error.into(),
            text: text.into(),
        })
    }

    /// Waits for the `initialize` request without answering it. The following steps can then answer it in any way, or
    /// leave it unanswered.
    pub fn expect_initialize() -> Self {
        Self::expect_request("initialize")
    }

    /// Writes a success response to the control request with this ID. `response` is the payload of the response. The ID
    /// `"$request_id"` is replaced by the ID of the request that was expected last.
    pub fn answer_to(id: &str, response: &Value) -> Self {
        Self::Line(serde_json::json!({
            "type": "control_response",
            "response": {"subtype": "success", "request_id": id, "response": response}
        }))
    }

    /// Waits until the gate with this name is open.
    pub fn gate(name: impl Into<String>) -> Self {
        Self::Gate(name.into())
    }

    /// Repeats steps.
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
