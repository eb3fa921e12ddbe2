//! The first prompt of a person in a session.

use serde_json::Value;

use crate::records::records;
use crate::scan::{has_member, lines, without_halves};

/// The maximum number of UTF-16 units that are shown.
const MOST: usize = 200;

/// The beginning of a conversation, as far as the head of the transcript contains it.
#[derive(Debug, Default)]
pub(crate) struct FirstPrompt {
    pub(crate) text: Option<String>,
    /// The text that is shown for a prompt without text: `Image`, `Document`.
    pub(crate) media: Option<&'static str>,
    /// Whether only the name of a slash command was found.
    is_command: bool,
}

/// Whether an answer is complete and does not report a failure.
pub(crate) fn is_finished(entry: &claw_types::Json) -> bool {
    let is_error = entry.get("isApiErrorMessage").and_then(|is| is.as_bool());
    let reason = entry.pointer("/message/stop_reason");
    is_error != Some(true) && reason.is_some_and(|reason| reason.as_str().is_some())
}

/// Whether a text was written by a person and is not markup of the CLI.
pub(crate) fn is_words(text: &str) -> bool {
    matches!(shown(text), Shown::Prompt(_))
}

impl FirstPrompt {
    /// Whether something to show was found.
    pub(crate) fn is_found(&self) -> bool {
        self.text.is_some() || self.media.is_some()
    }

    /// Whether a person's prompt was found.
    pub(crate) fn is_prompt(&self) -> bool {
        !self.is_command && self.text.is_some()
    }

    pub(crate) fn of(head: &[u8]) -> Self {
        let mut first = Self::default();
        for line in lines(head) {
            if first.add(line) {
                break;
            }
        }
        first
    }

    /// Returns the state after lines that contained no prompt.
    pub(crate) fn so_far(command: Option<String>, media: Option<&'static str>) -> Self {
        Self {
            is_command: command.is_some(),
            text: command,
            media,
        }
    }

    /// Adds a line. Returns `true` if the line contains the prompt, so that no other line is needed.
    pub(crate) fn add(&mut self, line: &[u8]) -> bool {
        has_member(line, "type", "\"user\"")
            && records(line)
                .into_iter()
                .any(|part| self.add_record(&line[part]))
    }

    fn add_record(&mut self, record: &[u8]) -> bool {
        let Some(content) = content(record) else {
            return false;
        };
        for text in texts(&content) {
            match shown(&text) {
                Shown::Prompt(text) => {
                    *self = Self {
                        text: Some(text),
                        ..Self::default()
                    };
                    return true;
                }
                Shown::Command(name) if self.text.is_none() => {
                    *self = Self::so_far(Some(name), self.media);
                }
                Shown::Command(_) | Shown::Nothing => {}
            }
        }
        self.media = self.media.or_else(|| kind_of_media(&content));
        false
    }
}

/// Returns the content of a record with a person's prompt.
fn content(line: &[u8]) -> Option<Value> {
    let is_message = has_member(line, "type", "\"user\"")
        && memchr::memmem::find(line, b"\"tool_result\"").is_none()
        && !has_member(line, "isMeta", "true")
        && !has_member(line, "isCompactSummary", "true");
    if !is_message {
        return None;
    }
    content_of(line, "user")
}

/// Returns the content of the message in a record of this type.
fn content_of(line: &[u8], kind: &str) -> Option<Value> {
    let text = crate::scan::text(line);
    let entry = serde_json::from_str(&text);
    // A `Value` cannot hold half of a surrogate pair, so such halves are removed if parsing fails.
    let entry = entry.or_else(|_| serde_json::from_str(&without_halves(&text)));
    let mut entry: Value = entry.ok()?;
    if entry["type"] != kind {
        return None;
    }
    entry.pointer_mut("/message/content").map(Value::take)
}

/// Returns the beginning of the newest text in the tail that a person or the model wrote in the main conversation.
#[cfg(feature = "watch")]
pub(crate) fn last_message(tail: &[u8]) -> Option<String> {
    let lines = lines(tail).rev();
    lines.into_iter().find_map(|line| {
        let mut parts = records(line).into_iter().rev();
        parts.find_map(|part| message_text(&line[part]))
    })
}

/// Returns the text of a record with a message of a person or of the model.
#[cfg(feature = "watch")]
fn message_text(record: &[u8]) -> Option<String> {
    if has_member(record, "isSidechain", "true") {
        return None;
    }
    let content = if has_member(record, "type", "\"assistant\"") {
        content_of(record, "assistant")?
    } else {
        content(record)?
    };
    texts(&content)
        .iter()
        .rev()
        .find_map(|text| match shown(text) {
            Shown::Prompt(text) => Some(text),
            _ => None,
        })
}

pub(crate) fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => blocks
            .iter()
            .filter(|block| block["type"] == "text")
            .filter_map(|block| block["text"].as_str().map(ToOwned::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

pub(crate) fn kind_of_media(content: &Value) -> Option<&'static str> {
    content
        .as_array()?
        .iter()
        .find_map(|block| match block["type"].as_str()? {
            "image" => Some("Image"),
            "document" => Some("Document"),
            _ => None,
        })
}

enum Shown {
    Prompt(String),
    /// The name of a slash command. It is shown if there is nothing else to show.
    Command(String),
    Nothing,
}

fn shown(text: &str) -> Shown {
    let text = without_wrappers(text).replace('\n', " ");
    let text = text.trim();
    if text.is_empty() {
        return Shown::Nothing;
    }
    if let Some(name) = inside(text, "command-name") {
        return Shown::Command(name.to_owned());
    }
    if let Some(typed) = inside(text, "bash-input") {
        return Shown::Prompt(format!("! {typed}"));
    }
    if is_markup(text) || is_interruption(text) {
        return Shown::Nothing;
    }
    Shown::Prompt(cut(text))
}

/// Returns the text between the tags with this name.
fn inside<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    let (inner, _) = rest.split_once(&format!("</{tag}>"))?;
    Some(inner)
}

/// Returns the text without the lines `<pasted_content id="…">` and `</pasted_content id="…">` around pasted text.
fn without_wrappers(text: &str) -> String {
    const OPEN: &str = "<pasted_content id=\"";
    let mut parts = Vec::new();
    let (mut from, mut searched) = (0, 0);
    while let Some(at) = text[searched..].find(OPEN) {
        let (open, id) = (searched + at, searched + at + OPEN.len());
        searched = id;
        let Some(name) = text.get(id..id + 4).filter(|name| is_paste(name)) else {
            continue;
        };
        if !text[id + 4..].starts_with("\">\n") {
            continue;
        }
        // If the pasted text is empty, the line end of the opening line is also the one before the closing line. So
        // the search begins at that line end.
        let close = format!("\n</pasted_content id=\"{name}\">");
        let inner = id + 4 + 3;
        let Some(end) = text[inner - 1..].find(&close) else {
            break;
        };
        let end = inner - 1 + end;
        let before = &text[from..open];
        let before = before.strip_suffix('\n').unwrap_or(before);
        parts.push(before.strip_suffix('\n').unwrap_or(before));
        parts.push(text.get(inner..end).unwrap_or_default());
        // Up to two line ends on each side belong to the wrapper, so they are removed too.
        let after = &text[end + close.len()..];
        let rest = after.strip_prefix('\n').unwrap_or(after);
        let rest = rest.strip_prefix('\n').unwrap_or(rest);
        from = text.len() - rest.len();
        searched = from;
    }
    parts.push(&text[from..]);
    parts.concat()
}

fn is_paste(name: &str) -> bool {
    name.bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether the text begins with a tag. The texts that the CLI sends in a person's name do so.
fn is_markup(text: &str) -> bool {
    let Some(name) = text.trim_start().strip_prefix('<') else {
        return false;
    };
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return false;
    }
    let end = name.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
    end.and_then(|end| name[end..].chars().next())
        .is_some_and(|c| c == '>' || c.is_whitespace())
}

fn is_interruption(text: &str) -> bool {
    text.strip_prefix("[Request interrupted by user")
        .is_some_and(|rest| rest.contains(']'))
}

/// Returns the first units of the text, without half of a surrogate pair.
fn cut(text: &str) -> String {
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += c.len_utf16();
        if units > MOST {
            return format!("{}…", text[..at].trim());
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(lines: &[&str]) -> Option<String> {
        FirstPrompt::of(lines.join("\n").as_bytes()).text
    }

    fn user(content: &str) -> String {
        format!(r#"{{"type":"user","message":{{"role":"user","content":{content}}}}}"#)
    }

    #[test]
    fn the_first_words_of_a_person_count() {
        let meta = user(r#""hidden""#).replacen('{', r#"{"isMeta":true,"#, 1);
        let result = user(r#"[{"type":"tool_result","content":"x"}]"#);
        let prompt = user(r#"[{"type":"image"},{"type":"text","text":" one\ntwo "}]"#);
        assert_eq!(
            first(&[&meta, &result, &prompt]).as_deref(),
            Some("one two")
        );
        assert_eq!(first(&[r#"{"type":"user","message":{"content":"cu"#]), None);
        assert_eq!(first(&[r#"{"type":"user","message":"no object"}"#]), None);
    }

    #[cfg(feature = "watch")]
    #[test]
    fn the_last_words_are_those_of_the_main_conversation() {
        let assistant = |content: &str| user(content).replace("user", "assistant");
        let last = |lines: &[&str]| last_message(lines.join("\n").as_bytes());
        let prompt = user(r#""Count them""#);
        let answer = assistant(
            r#"[{"type":"text","text":"One"},{"type":"text","text":"Two\nfiles"},{"type":"tool_use"}]"#,
        );
        let result = user(r#"[{"type":"tool_result","content":"x"}]"#);
        let note = r#"{"type":"last-prompt","lastPrompt":"Count them"}"#;
        assert_eq!(
            last(&[&prompt, &answer, &result, note]).as_deref(),
            Some("Two files")
        );
        let beside = assistant(r#""Beside""#).replacen('{', r#"{"isSidechain":true,"#, 1);
        let summary = user(r#""Summary""#).replacen('{', r#"{"isCompactSummary":true,"#, 1);
        let tools = assistant(r#"[{"type":"tool_use","name":"Bash"}]"#);
        assert_eq!(
            last(&[&prompt, &beside, &summary, &tools]).as_deref(),
            Some("Count them")
        );
        assert_eq!(last(&[&tools, note]), None);
        let cut = assistant(r#""Cut \ud83d""#);
        assert!(last(&[&prompt, &cut]).is_some_and(|text| text.starts_with("Cut")));
    }

    #[test]
    fn commands_stand_back_and_shells_do_not() {
        let command = user(r#""<command-name>/clear</command-name>""#);
        assert_eq!(first(&[&command]).as_deref(), Some("/clear"));
        assert_eq!(
            first(&[&command, &user(r#""Hello""#)]).as_deref(),
            Some("Hello")
        );
        let shell = user(r#""<bash-input>ls</bash-input>""#);
        assert_eq!(first(&[&shell]).as_deref(), Some("! ls"));
        let markup = user(r#""<local-command-stdout>x</local-command-stdout>""#);
        assert_eq!(first(&[&markup]), None);
        assert_eq!(
            first(&[&user(r#""[Request interrupted by user for tool use]""#)]),
            None
        );
    }

    #[test]
    fn long_ones_are_cut_between_characters() {
        let long = "\u{1f600}".repeat(150);
        let shown = first(&[&user(&format!("\"{long}\""))]).unwrap();
        assert_eq!(shown, format!("{}…", "\u{1f600}".repeat(100)));
    }

    #[test]
    fn a_picture_alone_is_named() {
        let head = user(r#"[{"type":"image","source":{}}]"#);
        assert_eq!(FirstPrompt::of(head.as_bytes()).media, Some("Image"));
    }
}
