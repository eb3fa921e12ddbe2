//! The texts of a line of a transcript.

use std::borrow::Cow;

use claw_types::Json;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The beginning of a message with which the CLI notifies the model of a background task. Neither a person nor a model
/// wrote it.
const TASK_NOTIFICATION: &str = "<task-notification>";

/// The members of an entry that are read. Texts stay unparsed, because they may contain half of a surrogate pair.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry<'a> {
    #[serde(borrow, rename = "type", default)]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) uuid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) timestamp: Option<Cow<'a, str>>,
    is_meta: Option<bool>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow)]
    attachment: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// A prompt that was sent while a turn was running.
#[derive(Deserialize)]
struct Queued<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    prompt: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

impl<'a> Entry<'a> {
    /// Returns the content that a person or a model wrote. Returns `None` for an entry of another kind.
    pub(super) fn conversation(&self) -> Option<&'a RawValue> {
        match &*self.kind {
            "user" | "assistant" if self.is_meta != Some(true) => {
                self.message.as_ref().and_then(|message| message.content)
            }
            "attachment" => self.attachment.and_then(|attachment| {
                let queued: Queued<'_> = serde_json::from_str(attachment.get()).ok()?;
                queued.prompt.filter(|_| queued.kind == "queued_command")
            }),
            _ => None,
        }
    }

    /// Calls `visit` with each text that a person or a model wrote, until `visit` returns `false`.
    pub(super) fn conversation_texts(&self, visit: &mut impl FnMut(Cow<'a, str>) -> bool) {
        let Some(content) = self.conversation() else {
            return;
        };
        let mut visit = |text: Cow<'a, str>| text.starts_with(TASK_NOTIFICATION) || visit(text);
        if let Some(text) = text(content.get()) {
            visit(text);
            return;
        }
        for raw in text_blocks(content).into_iter().flatten() {
            if text(raw).is_some_and(|text| !visit(text)) {
                return;
            }
        }
    }
}

/// Returns the texts of the blocks of a message's content, as JSON. Returns `None` if the content is not a list. A
/// block of another kind has no text.
fn text_blocks(content: &RawValue) -> Option<impl Iterator<Item = &str>> {
    let blocks = serde_json::from_str::<Vec<&RawValue>>(content.get()).ok()?;
    let blocks = blocks
        .into_iter()
        .filter_map(|block| serde_json::from_str::<Block<'_>>(block.get()).ok());
    let texts = blocks.filter(|block| block.kind == "text");
    Some(texts.filter_map(|block| block.text.map(RawValue::get)))
}

/// Calls `visit` with each string of a line except the keys, until `visit` returns `false`. The line need not be
/// complete JSON.
pub(super) fn everything(line: &str, visit: &mut impl FnMut(Cow<'_, str>) -> bool) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'"', &bytes[at..]).map(|found| at + found) {
        let mut end = start + 1;
        loop {
            let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(end..).unwrap_or_default())
            else {
                return;
            };
            end += found;
            if bytes[end] == b'"' {
                break;
            }
            end += 2;
        }
        at = end + 1;
        let is_key = line[at..].trim_ascii_start().starts_with(':');
        if !is_key && text(&line[start..at]).is_some_and(|text| !visit(text)) {
            return;
        }
    }
}

/// Returns the text of a JSON string.
fn text(json: &str) -> Option<Cow<'_, str>> {
    if !json.starts_with('"') {
        return None;
    }
    // A string without escapes can be borrowed. For a string with escapes, the error would contain its whole text.
    let is_plain = memchr::memchr(b'\\', json.as_bytes()).is_none();
    if is_plain && let Ok(plain) = serde_json::from_str::<&str>(json) {
        return Some(Cow::Borrowed(plain));
    }
    if let Ok(text) = serde_json::from_str::<String>(json) {
        return Some(Cow::Owned(text));
    }
    // The string has half of a surrogate pair, or is not JSON.
    let json = Json::from_text(json.to_owned()).ok()?;
    Some(Cow::Owned(json.as_str()?.into_owned()))
}
