//! A content block of a scripted answer, and its stream.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// The number of characters of a tool's input in one `input_json_delta`.
const INPUT_DELTA: usize = 10;

/// A block of a model's answer: its content, and the positions at which the stream of the block waits.
///
/// In JSON: `{"type": "text", "text": "Hello there", "hold": [{"before": 1, "gate": "half"}]}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Block {
    /// The content of the block.
    #[serde(flatten)]
    pub content: Content,
    /// The positions at which the stream of this block waits for a gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hold: Vec<Hold>,
}

/// The content of a block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// A text, streamed word by word.
    #[non_exhaustive]
    Text {
        /// The whole text.
        text: String,
        /// The citations. Each is sent as one `citations_delta`, after the words of the text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        citations: Vec<Value>,
    },
    /// A text that is given as the *source* of JSON strings, including their escapes. It is sent unchanged. A test can
    /// use it to send a text that no Rust string can contain, such as half an emoji (`\ud83d`).
    #[non_exhaustive]
    EscapedText {
        /// The deltas, each as the source of a JSON string without the quotes.
        deltas: Vec<String>,
    },
    /// A thinking block: its text and its signature.
    #[non_exhaustive]
    Thinking {
        /// The text of the thinking, streamed word by word.
        thinking: String,
        /// The signature, which is sent as one delta after the text of the thinking.
        signature: String,
    },
    /// A tool use. Its input is streamed in pieces of JSON.
    #[non_exhaustive]
    ToolUse {
        /// The ID of the tool use. If absent, the IDs are `toolu_0001`, `toolu_0002` and so on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The name of the tool.
        name: String,
        /// The input of the tool, an object. A text `$after X` in it is replaced by the word that follows `X` in the
        /// tool results of the request. For example, this word can be an ID that a tool has generated.
        input: Value,
    },
    /// A use of a tool that the API runs itself, such as `web_search`. Its input is streamed in pieces of JSON.
    #[non_exhaustive]
    ServerToolUse {
        /// The ID of the tool use.
        id: String,
        /// The name of the tool.
        name: String,
        /// The input of the tool, an object.
        input: Value,
    },
    /// A block whose whole content is in its `content_block_start` event, as with `redacted_thinking` and
    /// `web_search_tool_result`.
    #[non_exhaustive]
    Whole {
        /// The whole block, as JSON.
        block: Value,
    },
}

/// A position in a block's stream at which the stream waits for a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hold {
    /// The number of the delta before which the stream waits, counted from 0. If the block has no delta with this
    /// number, the stream waits before the end of the block.
    pub before: usize,
    /// The name of the gate.
    pub gate: String,
}

impl From<Content> for Block {
    fn from(content: Content) -> Self {
        Self {
            content,
            hold: Vec::new(),
        }
    }
}

impl Block {
    /// Creates a block with a text, which is streamed word by word.
    pub fn text(text: impl Into<String>) -> Self {
        Content::Text {
            text: text.into(),
            citations: Vec::new(),
        }
        .into()
    }

    /// Creates a block with a text that is given as the source of JSON strings, one for each delta. See
    /// [`Content::EscapedText`].
    pub fn escaped_text<S: Into<String>>(deltas: impl IntoIterator<Item = S>) -> Self {
        Content::EscapedText {
            deltas: deltas.into_iter().map(Into::into).collect(),
        }
        .into()
    }

    /// Creates a thinking block with this text and this signature.
    pub fn thinking(thinking: impl Into<String>, signature: impl Into<String>) -> Self {
        Content::Thinking {
            thinking: thinking.into(),
            signature: signature.into(),
        }
        .into()
    }

    /// Creates a block with a tool use.
    pub fn tool_use(name: impl Into<String>, input: Value) -> Self {
        Content::ToolUse {
            id: None,
            name: name.into(),
            input,
        }
        .into()
    }

    /// Creates a block with a text and its citations. Each citation has the form in which the API sends it.
    pub fn cited_text(text: impl Into<String>, citations: impl IntoIterator<Item = Value>) -> Self {
        Content::Text {
            text: text.into(),
            citations: citations.into_iter().collect(),
        }
        .into()
    }

    /// Creates a block with a use of a tool that the API runs itself.
    pub fn server_tool_use(id: impl Into<String>, name: impl Into<String>, input: Value) -> Self {
        Content::ServerToolUse {
            id: id.into(),
            name: name.into(),
            input,
        }
        .into()
    }

    /// Creates a block whose whole content is in its start event. See [`Content::Whole`].
    pub fn whole_block(block: Value) -> Self {
        Content::Whole { block }.into()
    }

    /// Makes the stream of the block wait before the delta with the number `before`, until the gate `gate` is opened.
    #[must_use]
    pub fn hold(mut self, before: usize, gate: impl Into<String>) -> Self {
        self.hold.push(Hold {
            before,
            gate: gate.into(),
        });
        self
    }

    /// If the block is a tool use without an ID, sets its ID to the result of `next`.
    pub(crate) fn name_tool_use(&mut self, next: impl FnOnce() -> String) {
        if let Content::ToolUse { id: id @ None, .. } = &mut self.content {
            *id = Some(next());
        }
    }

    /// Replaces each text `$after X` in a tool's input by a word of `results`.
    #[cfg(feature = "api")]
    pub(crate) fn fill_input(&mut self, results: &str) {
        if let Content::ToolUse { input, .. } = &mut self.content {
            fill(input, results);
        }
    }

    pub(crate) fn is_tool_use(&self) -> bool {
        matches!(self.content, Content::ToolUse { .. })
    }

    /// Returns the block in the form of `content_block_start`, as JSON.
    pub(crate) fn opening(&self) -> String {
        match &self.content {
            Content::Text { .. } | Content::EscapedText { .. } => {
                r#"{"type":"text","text":""}"#.to_owned()
            }
            Content::Thinking { .. } => {
                r#"{"type":"thinking","thinking":"","signature":""}"#.to_owned()
            }
            Content::ToolUse { id, name, .. } => {
                tool_use("tool_use", id.as_deref(), name, &json!({}))
            }
            Content::ServerToolUse { id, name, .. } => {
                tool_use("server_tool_use", Some(id), name, &json!({}))
            }
            Content::Whole { block } => block.to_string(),
        }
    }

    /// Returns the deltas, each as a JSON object.
    pub(crate) fn deltas(&self) -> Vec<String> {
        match &self.content {
            Content::Text { citations, .. } => self
                .text_deltas()
                .chain(citations.iter().map(|citation| {
                    format!(r#"{{"type":"citations_delta","citation":{citation}}}"#)
                }))
                .collect(),
            Content::EscapedText { .. } => self.text_deltas().collect(),
            Content::Thinking {
                thinking,
                signature,
            } => words(thinking)
                .map(|word| format!(r#"{{"type":"thinking_delta","thinking":{}}}"#, quoted(word)))
                .chain([format!(
                    r#"{{"type":"signature_delta","signature":{}}}"#,
                    quoted(signature)
                )])
                .collect(),
            Content::ToolUse { input, .. } | Content::ServerToolUse { input, .. } => {
                let input: Vec<char> = input.to_string().chars().collect();
                input
                    .chunks(INPUT_DELTA)
                    .map(|part| quoted(&part.iter().collect::<String>()))
                    .map(|part| format!(r#"{{"type":"input_json_delta","partial_json":{part}}}"#))
                    .collect()
            }
            Content::Whole { .. } => Vec::new(),
        }
    }

    fn text_deltas(&self) -> impl Iterator<Item = String> {
        self.text_parts()
            .into_iter()
            .map(|part| format!(r#"{{"type":"text_delta","text":"{part}"}}"#))
    }

    /// Returns the whole block, as JSON.
    pub(crate) fn whole(&self) -> String {
        match &self.content {
            Content::Text { citations, .. } => text_block(&self.text_parts(), citations),
            Content::EscapedText { .. } => text_block(&self.text_parts(), &[]),
            Content::Thinking {
                thinking,
                signature,
            } => format!(
                r#"{{"type":"thinking","thinking":{},"signature":{}}}"#,
                quoted(thinking),
                quoted(signature)
            ),
            Content::ToolUse { id, name, input } => {
                tool_use("tool_use", id.as_deref(), name, input)
            }
            Content::ServerToolUse { id, name, input } => {
                tool_use("server_tool_use", Some(id), name, input)
            }
            Content::Whole { block } => block.to_string(),
        }
    }

    /// Returns the deltas of a text block. Each delta is the source of a JSON string without its quotes. The list is
    /// empty for other blocks.
    pub(crate) fn text_parts(&self) -> Vec<String> {
        match &self.content {
            Content::Text { text, .. } => words(text)
                .map(|word| {
                    let word = quoted(word);
                    word[1..word.len() - 1].to_owned()
                })
                .collect(),
            Content::EscapedText { deltas } => deltas.clone(),
            _ => Vec::new(),
        }
    }

    /// Returns the gates at which the stream waits before the delta with the number `index`. If `index` is equal to
    /// `count`, returns the gates before the end of the block.
    pub(crate) fn gates_before(&self, index: usize, count: usize) -> impl Iterator<Item = &str> {
        self.hold
            .iter()
            .filter(move |hold| hold.before.min(count) == index)
            .map(|hold| hold.gate.as_str())
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// Returns a text as the source of a JSON string, including the quotes.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns a text block that consists of these parts, as JSON.
pub(crate) fn text_block(parts: &[String], citations: &[Value]) -> String {
    let citations = match citations {
        [] => String::new(),
        some => format!(r#","citations":{}"#, Value::from(some)),
    };
    format!(
        r#"{{"type":"text","text":"{}"{citations}}}"#,
        parts.concat()
    )
}

fn tool_use(kind: &str, id: Option<&str>, name: &str, input: &Value) -> String {
    format!(
        r#"{{"type":"{kind}","id":{},"name":{},"input":{input}}}"#,
        quoted(id.unwrap_or_default()),
        quoted(name)
    )
}

#[cfg(feature = "api")]
fn fill(input: &mut Value, results: &str) {
    match input {
        Value::String(text) => {
            let word = text
                .strip_prefix("$after ")
                .and_then(|marker| results.split_once(marker))
                .map(|(_, behind)| behind.trim_start())
                .and_then(|behind| {
                    behind
                        .split(|c: char| !(c.is_ascii_alphanumeric() || "-_".contains(c)))
                        .next()
                });
            if let Some(word) = word {
                *text = word.to_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, results)),
        Value::Object(fields) => fields.values_mut().for_each(|value| fill(value, results)),
        _ => {}
    }
}
