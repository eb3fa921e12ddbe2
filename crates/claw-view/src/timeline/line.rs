//! Lines of any sort.

use claw_types::dialect::{self, Dialect, Fill, Today};
use claw_types::transcript::Entry;
use claw_types::{Json, Map, StdinMessage, from_line};

use super::{Place, Timeline};
use crate::element::{NoticeKind, NoticeLevel};

impl Timeline {
    pub(super) fn line(&mut self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        // Only lines of transcripts have that key; one that merely speaks of it is no such line.
        if line.contains("\"sessionId\"")
            && let Some(entry) = entry(line)
        {
            return self.entry(&entry);
        }
        match dialect::from_line(line.as_bytes()) {
            Ok(Dialect::Today(today)) if !today.is_unknown() => self.today(&today),
            Ok(Dialect::CompactBoundary(_)) => self.boundary(&Place::default(), None, None, None),
            Ok(Dialect::InputRequired(_)) => {
                let text = "The session waits for the person.".to_owned();
                let told = (NoticeKind::Session, NoticeLevel::Info, text);
                self.tell(&Place::default(), told);
            }
            Ok(Dialect::Today(today)) => match entry(line) {
                Some(entry) => self.entry(&entry),
                None => self.today(&today),
            },
            Ok(old) => match old.upgrade(&fill(self.inputs)) {
                Ok(today) => self.today(&today),
                Err(_) => self.unknown(&Place::default(), &kind(line), line, None),
            },
            Err(error) => {
                let text = error.to_string();
                self.unknown(&Place::default(), "unreadable", line, Some(text));
            }
        }
    }

    fn today(&mut self, today: &Today) {
        match today {
            Today::Stdout(message) => self.stdout(message),
            Today::Stdin(StdinMessage::User(prompt)) => self.prompt(prompt),
            _ => {}
        }
    }
}

/// The line of a transcript, if it is one that claw knows.
fn entry(line: &str) -> Option<Entry> {
    let entry: Entry = from_line(line.as_bytes()).ok()?;
    (!matches!(entry, Entry::Unknown(_))).then_some(entry)
}

/// What lines of older forms lack; names are those of the input.
fn fill(input: u64) -> Fill {
    Fill::new("", format!("line.{input}"))
        .model("")
        .cwd("")
        .claude_code_version("")
        .message_id(format!("line.{input}"))
        .tool_use_id(format!("line.{input}.tool"))
        .request_id(format!("line.{input}"))
}

/// What a line says that it is.
fn kind(line: &str) -> String {
    let json: Option<Map<Json>> = serde_json::from_str(line).ok();
    let kind = json.as_ref().and_then(|json| json.get("type"));
    kind.and_then(|kind| kind.get().ok())
        .unwrap_or_else(|| "unknown".to_owned())
}
