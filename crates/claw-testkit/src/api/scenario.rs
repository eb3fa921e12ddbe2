//! A scenario: what the API answers to which conversation, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::conversation::Conversation;
use crate::Block;

#[cfg(test)]
mod tests;

/// What the API answers: the first rule that fits a conversation gives the answer.
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
    /// A name for people.
    pub name: String,
    /// A prompt that starts it, for those who run a scenario by its name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// The rules, in order.
    pub rules: Vec<Rule>,
}

/// An answer and when to give it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Rule {
    /// What the conversation must be like; nothing given fits every conversation.
    #[serde(default)]
    pub when: When,
    /// How many times the rule answers before it is passed over; for ever if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<usize>,
    /// The answer.
    pub answer: Answer,
}

/// Conditions on a conversation; all that are given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct When {
    /// The user's last prompt contains this. What the CLI itself adds to prompts doesn't count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Tool results have come since the last answer, and one of them contains this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_result: Option<String>,
    /// Tool results have come since the last answer, and one is an error (or none is).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_error: Option<bool>,
}

/// One answer of the API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// A message of these blocks, streamed.
    Message(Vec<Block>),
    /// An error instead of a message.
    Error(ApiError),
}

/// An error of the API: an HTTP status, with the error as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApiError {
    /// The HTTP status, such as 401, 429 or 529.
    pub status: u16,
    /// The error's `type`, such as `authentication_error`.
    pub kind: String,
    /// The error's `message`.
    pub message: String,
    /// Headers of the answer, such as `retry-after`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

impl Scenario {
    /// A scenario with these rules.
    pub fn new(name: impl Into<String>, rules: impl IntoIterator<Item = Rule>) -> Self {
        Self {
            name: name.into(),
            prompt: String::new(),
            rules: rules.into_iter().collect(),
        }
    }

    /// A scenario that answers everything with the same blocks.
    pub fn always(blocks: impl IntoIterator<Item = Block>) -> Self {
        Self::new("always", [Rule::new(Answer::message(blocks))])
    }

    /// Sets the prompt that starts the scenario.
    #[must_use]
    pub fn prompt(mut self, prompt: impl Into<String>) -> Self {
        self.prompt = prompt.into();
        self
    }
}

impl Rule {
    /// A rule that fits every conversation.
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

    /// Restricts the rule to conversations that wait for an answer to a tool result that contains
    /// `text`; the empty text fits any result.
    #[must_use]
    pub fn on_tool_result(mut self, text: impl Into<String>) -> Self {
        self.when.tool_result = Some(text.into());
        self
    }

    /// Restricts the rule to conversations that wait for an answer to tool results of which one is
    /// an error (`true`) or none is (`false`).
    #[must_use]
    pub fn on_tool_error(mut self, is_error: bool) -> Self {
        self.when.tool_error = Some(is_error);
        self
    }

    /// Lets the rule answer only so many times.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = Some(times);
        self
    }
}

impl When {
    /// Whether a conversation fits.
    pub fn fits(&self, conversation: &Conversation) -> bool {
        let Self {
            prompt,
            tool_result,
            tool_error,
        } = self;
        let results = &conversation.tool_results;
        prompt
            .as_ref()
            .is_none_or(|text| conversation.prompt.contains(text.as_str()))
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
    /// A message of these blocks.
    pub fn message(blocks: impl IntoIterator<Item = Block>) -> Self {
        Self::Message(blocks.into_iter().collect())
    }

    /// An error with this status, type and message.
    pub fn error(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Error(ApiError {
            status,
            kind: kind.into(),
            message: message.into(),
            headers: BTreeMap::new(),
        })
    }
}

impl ApiError {
    /// Adds a header to the answer.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.insert(name.into(), value.into());
        self
    }
}
