//! A content block of a scripted answer, and how it streams.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// Characters of a tool's input in one `input_json_delta`.
const INPUT_DELTA: usize = 10;

/// One block of an answer: what it says, and where its stream holds.
///
/// As data: `{"type": "text", "text": "Hello there", "hold": [{"before": 1, "gate": "half"}]}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Block {
    /// What the block says.
    #[serde(flatten)]
    pub content: Content,
    /// Where its stream waits for a gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hold: Vec<Hold>,
}

/// What a block says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// Text, streamed word by word.
    #[non_exhaustive]
    Text {
        /// The whole text.
        text: String,
    },
    /// Text given as the *source* of JSON strings, which goes out as it is: the way to send
    /// what no string can hold, such as half an emoji (`\ud83d`).
    #[non_exhaustive]
    EscapedText {
        /// One delta each, without the quotes.
        deltas: Vec<String>,
    },
    /// Thinking and its signature.
    #[non_exhaustive]
    Thinking {
        /// The thoughts, streamed word by word.
        thinking: String,
        /// The signature, one delta after the thoughts.
        signature: String,
    },
    /// A tool call; its input streams as pieces of JSON.
    #[non_exhaustive]
    ToolUse {
        /// The call's id; `toolu_0001` and so on where none is given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        /// The tool's name.
        name: String,
        /// The tool's input, an object.
        input: Value,
    },
}

/// A place in a block's stream that waits for a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Hold {
    /// Before the delta with this number, counted from 0. The number of deltas, or any greater
    /// one, means before the block's end.
    pub before: usize,
    /// The gate's name.
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
    /// Text, streamed word by word.
    pub fn text(text: impl Into<String>) -> Self {
        Content::Text { text: text.into() }.into()
    }

    /// Text as the source of JSON strings, one a delta; see [`Content::EscapedText`].
    pub fn escaped_text<S: Into<String>>(deltas: impl IntoIterator<Item = S>) -> Self {
        Content::EscapedText {
            deltas: deltas.into_iter().map(Into::into).collect(),
        }
        .into()
    }

    /// Thinking and its signature.
    pub fn thinking(thinking: impl Into<String>, signature: impl Into<String>) -> Self {
        Content::Thinking {
            thinking: thinking.into(),
            signature: signature.into(),
        }
        .into()
    }

    /// A tool call.
    pub fn tool_use(name: impl Into<String>, input: Value) -> Self {
        Content::ToolUse {
            id: None,
            name: name.into(),
            input,
        }
        .into()
    }

    /// Holds the stream before delta `before` until `gate` is opened.
    #[must_use]
    pub fn hold(mut self, before: usize, gate: impl Into<String>) -> Self {
        self.hold.push(Hold {
            before,
            gate: gate.into(),
        });
        self
    }

    /// Gives a tool call that has no id the one that `next` makes.
    pub(crate) fn name_tool_use(&mut self, next: impl FnOnce() -> String) {
        if let Content::ToolUse { id: id @ None, .. } = &mut self.content {
            *id = Some(next());
        }
    }

    pub(crate) fn is_tool_use(&self) -> bool {
        matches!(self.content, Content::ToolUse { .. })
    }

    /// The block as it stands in `content_block_start`, JSON.
    pub(crate) fn opening(&self) -> String {
        match &self.content {
            Content::Text { .. } | Content::EscapedText { .. } => {
                r#"{"type":"text","text":""}"#.to_owned()
            }
            Content::Thinking { .. } => {
                r#"{"type":"thinking","thinking":"","signature":""}"#.to_owned()
            }
            Content::ToolUse { id, name, .. } => tool_use(id.as_deref(), name, &json!({})),
        }
    }

    /// The deltas, each a JSON object.
    pub(crate) fn deltas(&self) -> Vec<String> {
        match &self.content {
            Content::Text { .. } | Content::EscapedText { .. } => self
                .text_parts()
                .iter()
                .map(|part| format!(r#"{{"type":"text_delta","text":"{part}"}}"#))
                .collect(),
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
            Content::ToolUse { input, .. } => {
                let input: Vec<char> = input.to_string().chars().collect();
                input
                    .chunks(INPUT_DELTA)
                    .map(|part| quoted(&part.iter().collect::<String>()))
                    .map(|part| format!(r#"{{"type":"input_json_delta","partial_json":{part}}}"#))
                    .collect()
            }
        }
    }

    /// The whole block, JSON.
    pub(crate) fn whole(&self) -> String {
        match &self.content {
            Content::Text { .. } | Content::EscapedText { .. } => text_block(&self.text_parts()),
            Content::Thinking {
                thinking,
                signature,
            } => format!(
                r#"{{"type":"thinking","thinking":{},"signature":{}}}"#,
                quoted(thinking),
                quoted(signature)
            ),
            Content::ToolUse { id, name, input } => tool_use(id.as_deref(), name, input),
        }
    }

    /// The deltas of a block that is text, each the source of a JSON string without its quotes;
    /// empty for other blocks.
    pub(crate) fn text_parts(&self) -> Vec<String> {
        match &self.content {
            Content::Text { text } => words(text)
                .map(|word| {
                    let word = quoted(word);
                    word[1..word.len() - 1].to_owned()
                })
                .collect(),
            Content::EscapedText { deltas } => deltas.clone(),
            Content::Thinking { .. } | Content::ToolUse { .. } => Vec::new(),
        }
    }

    /// The gates to wait for before delta `index` of `count`; `index == count` is the block's end.
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

/// The source of a JSON string, quotes included.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A text block of these parts, JSON.
pub(crate) fn text_block(parts: &[String]) -> String {
    format!(r#"{{"type":"text","text":"{}"}}"#, parts.concat())
}

fn tool_use(id: Option<&str>, name: &str, input: &Value) -> String {
    format!(
        r#"{{"type":"tool_use","id":{},"name":{},"input":{input}}}"#,
        quoted(id.unwrap_or_default()),
        quoted(name)
    )
}
