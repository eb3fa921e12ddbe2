//! Scenarios, as data: the answers of the API, depending on the conversation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::conversation::Conversation;
use crate::Block;

#[cfg(test)]
mod tests;

/// The answers that the scripted API gives. The first rule that fits a conversation determines the answer.
///
/// ```
/// use claw_testkit::api::Scenario;
///
/// let scenario: Scenario = serde_json::from_str(r#"{
///     "name": "two steps",
///     "rules": [
///         {"when": {"tool_result": ""}, "answer": {"message": [{"type": "text", "text": "Done."}]}},
///         {"answer": {"message": [{"type": "tool_use", "name": "Bash", "input": {"command": "true"}}]}}
///     ]
/// }"#)?;
/// assert_eq!(scenario.rules.len(), 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Scenario {
    /// The name of the scenario.
    pub name: String,
    /// The prompt that starts the scenario, for programs that run scenarios by name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// The number of input tokens that the API reports for every request, in the usage of an answer and when it counts
    /// tokens. `None` means 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// The rules, in order.
    pub rules: Vec<Rule>,
}

/// An answer of the API, and the condition under which the API gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rule {
    /// The condition on the conversation. An empty condition fits every conversation.
    #[serde(default)]
    pub when: When,
    /// The number of times that the rule answers before it is skipped. `None` means without limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<usize>,
    /// The answer that the API gives if the condition is met.
    pub answer: Answer,
}

/// A condition on a conversation. All fields that are present must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct When {
    /// A text that the user's last prompt must contain. Content that the CLI itself adds to prompts is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The rule applies only if a tool result that came after the model's last answer contains this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_result: Option<String>,
    /// Requires tool results since the model's last answer: at least one that is an error (`true`), or none that is an
    /// error (`false`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_error: Option<bool>,
    /// A text that must occur in the content that the CLI itself has added since the model's last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminder: Option<String>,
    /// A text that the system prompt must contain. With it, a rule can recognize the requests that the CLI sends for a
    /// sub-agent, for a summary, or for a title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The name of a tool that the request must offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// A text that the name of the requested model must contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// An answer of the API. Its JSON form is an object with `message` (the blocks) and the other fields of a [`Reply`], or
/// an object with only an `error`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "AnswerData", into = "AnswerData")]
#[non_exhaustive]
pub enum Answer {
    /// A message of the model.
    Message(Reply),
    /// An error instead of a message.
    Error(ApiError),
}

/// A message of the model, with its end.
///
/// In JSON: `{"message": [{"type": "text", "text": "Half a sen"}], "stop": {"stop_reason": "max_tokens"}}`.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Reply {
    /// The blocks of the message.
    pub blocks: Vec<Block>,
    /// The end of the message: members of the `delta` in the event `message_delta`, such as `stop_reason` or
    /// `stop_details`. By default, the stop reason is `tool_use` or `end_turn`, depending on the blocks.
    pub stop: Map<String, Value>,
    /// Members of the message's `usage` that override the defaults. `output_tokens` is the number at the end of the
    /// message.
    pub usage: Map<String, Value>,
    /// An error that ends the stream after the blocks, before the message is complete. The status and headers of the
    /// error are not used. In JSON it is an `error` beside the `message`.
    pub error: Option<ApiError>,
    /// The headers of the response, such as `anthropic-ratelimit-unified-status`.
    pub headers: BTreeMap<String, String>,
}

/// The JSON form of an answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerData {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<Vec<Block>>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    stop: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    usage: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<ApiError>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
}

impl TryFrom<AnswerData> for Answer {
    type Error = &'static str;

    fn try_from(data: AnswerData) -> Result<Self, &'static str> {
        match (data.message, data.error) {
            (Some(blocks), error) => Ok(Self::Message(Reply {
                blocks,
                stop: data.stop,
                usage: data.usage,
                error,
                headers: data.headers,
            })),
            (None, Some(error))
                if data.stop.is_empty() && data.usage.is_empty() && data.headers.is_empty() =>
            {
                Ok(Self::Error(error))
            }
            _ => Err(
                "an answer is a `message` (with `stop`, `usage`, `error`, `headers`) or an `error`",
            ),
        }
    }
}

impl From<Answer> for AnswerData {
    fn from(answer: Answer) -> Self {
        let (message, reply) = match answer {
            Answer::Message(mut reply) => (Some(std::mem::take(&mut reply.blocks)), reply),
            Answer::Error(error) => {
                let error = Some(error);
                (
                    None,
                    Reply {
                        error,
                        ..Reply::default()
                    },
                )
            }
        };
        Self {
            message,
            stop: reply.stop,
            usage: reply.usage,
            error: reply.error,
            headers: reply.headers,
        }
    }
}

/// An error response of the API: an HTTP status, headers, and a body with the error as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApiError {
    /// The HTTP status code, such as 401, 429 or 529.
    pub status: u16,
    /// The `type` of the error in the body, such as `authentication_error`.
    pub kind: String,
    /// The `message` of the error in the body.
    pub message: String,
    /// The headers of the response, such as `retry-after`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

impl Scenario {
    /// Creates a scenario with these rules.
    pub fn new(name: impl Into<String>, rules: impl IntoIterator<Item = Rule>) -> Self {
        Self {
            name: name.into(),
            prompt: String::new(),
            input_tokens: None,
            rules: rules.into_iter().collect(),
        }
    }

    /// Creates a scenario that answers every request with the same blocks.
    pub fn always(blocks: impl IntoIterator<Item = Block>) -> Self {
        Self::new("always", [Rule::new(Answer::message(blocks))])
    }

    /// Sets the prompt that starts the scenario.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = prompt.into();
        self
    }

    /// Sets the number of input tokens that the API reports for every request.
    #[must_use]
    pub fn input_tokens(mut self, tokens: u64) -> Self {
        self.input_tokens = Some(tokens);
        self
    }
}

impl Rule {
    /// Creates a rule that fits every conversation and gives this answer.
    pub fn new(answer: Answer) -> Self {
        Self {
            when: When::default(),
            times: None,
            answer,
        }
    }

    /// Restricts the rule to conversations whose last prompt contains `text`.
    #[must_use]
    pub fn on_prompt(mut self, text: impl Into<String>) -> Self {
        self.when.prompt = Some(text.into());
        self
    }

    /// Restricts the rule to conversations with a tool result since the model's last answer that contains `text`. The
    /// empty text fits any tool result.
    #[must_use]
    pub fn on_tool_result(mut self, text: impl Into<String>) -> Self {
        self.when.tool_result = Some(text.into());
        self
    }

    /// Restricts the rule to conversations with tool results since the model's last answer: at least one that is an
    /// error (`true`), or none that is an error (`false`).
    #[must_use]
    pub fn on_tool_error(mut self, is_error: bool) -> Self {
        self.when.tool_error = Some(is_error);
        self
    }

    /// Restricts the rule to conversations to which the CLI itself has added `text` since the model's last answer.
    #[must_use]
    pub fn on_reminder(mut self, text: impl Into<String>) -> Self {
        self.when.reminder = Some(text.into());
        self
    }

    /// Restricts the rule to requests whose system prompt contains `text`.
    #[must_use]
    pub fn on_system(mut self, text: impl Into<String>) -> Self {
        self.when.system = Some(text.into());
        self
    }

    /// Restricts the rule to requests that offer a tool of this name.
    #[must_use]
    pub fn on_tool(mut self, name: impl Into<String>) -> Self {
        self.when.tool = Some(name.into());
        self
    }

    /// Restricts the rule to requests for a model whose name contains `text`.
    #[must_use]
    pub fn on_model(mut self, text: impl Into<String>) -> Self {
        self.when.model = Some(text.into());
        self
    }

    /// Limits the number of times that the rule answers.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = Some(times);
        self
    }
}

impl When {
    /// Whether the conversation meets this condition.
    pub fn fits(&self, conversation: &Conversation) -> bool {
        let Self {
            prompt,
            tool_result,
            tool_error,
            reminder,
            system,
            tool,
            model,
        } = self;
        let results = &conversation.tool_results;
        let within = |part: &Option<String>, text: &str| {
            part.as_ref().is_none_or(|part| text.contains(part))
        };
        within(prompt, &conversation.prompt)
            && within(reminder, &conversation.reminders)
            && within(system, &conversation.system)
            && within(model, &conversation.model)
            && tool
                .as_ref()
                .is_none_or(|name| conversation.tools.contains(name))
            && tool_result.as_ref().is_none_or(|text| {
                results
                    .iter()
                    .any(|result| result.text.contains(text.as_str()))
            })
            && tool_error.is_none_or(|error| {
                !results.is_empty() && results.iter().any(|result| result.is_error) == error
            })
    }
}

impl Answer {
    /// Creates an answer that is a message of these blocks.
    pub fn message(blocks: impl IntoIterator<Item = Block>) -> Self {
        Reply::new(blocks).into()
    }

    /// Creates an answer that is an error with this status, type and message.
    pub fn error(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Error(ApiError::new(status, kind, message))
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        Self::Message(reply)
    }
}

impl Reply {
    /// Creates a message of these blocks, with the default end and usage.
    pub fn new(blocks: impl IntoIterator<Item = Block>) -> Self {
        Self {
            blocks: blocks.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Sets a field of the event that ends the message. For example, `stop("stop_reason", "max_tokens")` makes a
    /// message that was cut off at the maximum length.
    #[must_use]
    pub fn stop(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.stop.insert(name.into(), value.into());
        self
    }

    /// Makes the stream end after the blocks with an error, which has this type and message.
    #[must_use]
    pub fn broken_off(mut self, kind: impl Into<String>, message: impl Into<String>) -> Self {
        self.error = Some(ApiError::new(200, kind, message));
        self
    }

    /// Adds a header to the response.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }

    /// Sets one member of the message's usage, such as `output_tokens`.
    #[must_use]
    pub fn usage(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.usage.insert(name.into(), value.into());
        self
    }
}

impl ApiError {
    /// Creates an error with this status, type and message.
    pub fn new(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            status,
            kind: kind.into(),
            message: message.into(),
            headers: BTreeMap::new(),
        }
    }

    /// Returns the body of the error response.
    pub(super) fn body(&self) -> Value {
        json!({"type": self.kind, "message": self.message})
    }

    /// Adds a header to the error response.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }
}
