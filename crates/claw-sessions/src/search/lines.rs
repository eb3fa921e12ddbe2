//! Searches lines that do not come from a file on this machine.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;

use claw_types::SessionId;

use super::Hit;
use super::needle::{Needle, excerpt};
use super::texts::{Entry, everything};
use crate::stream::{MOST, Malformed};

/// A search for a text in single lines of transcripts, for example of a store. It finds the same matches in a line as
/// [`Search`](crate::Search).
pub struct LineSearch {
    needle: Needle,
    is_empty: bool,
    everything: bool,
}

/// The result of [`LineSearch::line`] for a line that contains the searched text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineHit {
    /// The kind of entry, such as `user` or `assistant`.
    pub kind: String,
    /// The entry's UUID. `None` for entries without a UUID, such as titles.
    pub uuid: Option<String>,
    /// The time at which the entry was written, in ISO 8601 format. `None` if the entry has no time.
    pub timestamp: Option<String>,
    /// The first match with the text around it: up to 80 characters before the match, and up to 80 after it.
    pub excerpt: String,
    /// The byte range of the match in the excerpt.
    pub found: Range<usize>,
}

/// The error for a line that cannot be searched: it is not an entry of a transcript, or is longer than 32 MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the line cannot be searched")]
#[non_exhaustive]
pub struct UnsearchedLine;

impl LineSearch {
    /// Creates a search for a text. The text is matched literally; it is not a pattern. The search for
    /// an empty text has no hits.
    pub fn new(text: &str, ignore_case: bool) -> Self {
        Self {
            needle: Needle::new(text, ignore_case),
            is_empty: text.is_empty(),
            everything: false,
        }
    }

    /// Searches all texts of all lines, as [`Search::everything`](crate::Search::everything) does.
    #[must_use]
    pub fn everything(mut self) -> Self {
        self.everything = true;
        self
    }

    /// Whether the search is one of [everything](Self::everything).
    pub fn is_of_everything(&self) -> bool {
        self.everything
    }

    /// Whether any of these lines or texts can contain the text. `false` is certain, and is determined without parsing
    /// the lines.
    pub fn can_match(&self, lines: &[u8]) -> bool {
        !self.is_empty && self.needle.can_match(lines)
    }

    /// Searches the texts of a line, and returns the first match.
    pub fn texts(&self, line: LineTexts<'_>) -> Option<LineHit> {
        if self.is_empty {
            return None;
        }
        let mut texts = line.texts.iter();
        let (excerpt, found) = texts.find_map(|text| {
            let found = self.needle.find(text)?;
            Some(excerpt(text, found))
        })?;
        Some(LineHit {
            kind: line.kind.into_owned(),
            uuid: line.uuid.map(Cow::into_owned),
            timestamp: line.timestamp.map(Cow::into_owned),
            excerpt,
            found,
        })
    }

    /// Searches a line, and returns its first match.
    ///
    /// # Errors
    ///
    /// Fails with [`UnsearchedLine`] if the line is longer than 32 MiB, or can contain the text and is not an entry of a
    /// transcript.
    pub fn line(&self, line: &[u8]) -> Result<Option<LineHit>, UnsearchedLine> {
        if self.is_empty {
            return Ok(None);
        }
        if line.len() > MOST {
            return Err(UnsearchedLine);
        }
        search_line(&self.needle, self.everything, line).map_err(|Malformed| UnsearchedLine)
    }
}

impl LineHit {
    /// Creates a hit in this session's own transcript.
    pub fn of(
        self,
        session: SessionId,
        config_dir: impl Into<PathBuf>,
        transcript: impl Into<PathBuf>,
        line: u64,
    ) -> Hit {
        Hit {
            session_id: session,
            subagent: None,
            config_dir: config_dir.into(),
            transcript: transcript.into(),
            line,
            kind: self.kind,
            uuid: self.uuid,
            timestamp: self.timestamp,
            excerpt: self.excerpt,
            found: self.found,
        }
    }
}

impl std::fmt::Debug for LineSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut search = f.debug_struct("LineSearch");
        search
            .field("everything", &self.everything)
            .finish_non_exhaustive()
    }
}

pub(super) fn search_line(
    needle: &Needle,
    all: bool,
    line: &[u8],
) -> Result<Option<LineHit>, Malformed> {
    if !needle.can_match(line) {
        return Ok(None);
    }
    let line = crate::scan::text(line);
    let mut match_ = None;
    let mut visit = |text: Cow<'_, str>| {
        match_ = needle.find(&text).map(|found| excerpt(&text, found));
        match_.is_none()
    };
    let entry = if all {
        everything(&line, &mut visit);
        // The texts of an invalid line are searched too. The hit then has no kind, UUID or time.
        serde_json::from_str(&line).unwrap_or_default()
    } else {
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let entry: Entry<'_> = serde_json::from_str(&line).map_err(|_| Malformed)?;
        entry.conversation_texts(&mut visit);
        entry
    };
    Ok(match_.map(|(excerpt, found)| LineHit {
        kind: entry.kind.into_owned(),
        uuid: entry.uuid.map(Cow::into_owned),
        timestamp: entry.timestamp.map(Cow::into_owned),
        excerpt,
        found,
    }))
}

/// The texts of a line that a search without [`everything`](LineSearch::everything) examines, for programs that store
/// these texts instead of the line. [`LineSearch::texts`] finds the same in them as [`LineSearch::line`] in the line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "programs make one from what they have stored"
)]
pub struct LineTexts<'a> {
    /// The kind of entry, such as `user` or `assistant`.
    pub kind: Cow<'a, str>,
    /// The entry's UUID. `None` for entries without a UUID.
    pub uuid: Option<Cow<'a, str>>,
    /// The time at which the entry was written, in ISO 8601 format. `None` if the entry has no time.
    pub timestamp: Option<Cow<'a, str>>,
    /// The texts that a person or a model wrote, in their order.
    pub texts: Vec<Cow<'a, str>>,
}

impl<'a> LineTexts<'a> {
    /// Returns the texts of a line. Returns `None` if the line has no texts.
    ///
    /// # Errors
    ///
    /// Fails with [`UnsearchedLine`] if the line is longer than 32 MiB, or is not an entry of a transcript.
    pub fn of(line: &'a str) -> Result<Option<Self>, UnsearchedLine> {
        if line.len() > MOST {
            return Err(UnsearchedLine);
        }
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let Ok(entry) = serde_json::from_str::<Entry<'_>>(line) else {
            return Err(UnsearchedLine);
        };
        let mut texts = Vec::new();
        entry.conversation_texts(&mut |text| {
            texts.push(text);
            true
        });
        Ok((!texts.is_empty()).then_some(Self {
            kind: entry.kind,
            uuid: entry.uuid,
            timestamp: entry.timestamp,
            texts,
        }))
    }

    /// Whether a search refuses the line because of its length: it has more than 32 MiB.
    pub fn is_too_long(line: &str) -> bool {
        line.len() > MOST
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn any_line() -> impl Strategy<Value = String> {
        let text = prop_oneof![
            Just("two apples"),
            Just("Äpfel \"and\" <pears>"),
            Just("<task-notification> apples"),
            Just(r"C:\apples"),
        ];
        let block = (
            text.clone(),
            prop_oneof![Just("text"), Just("thinking"), Just("tool_result")],
        );
        let block =
            block.prop_map(|(text, kind)| json!({"type": kind, "text": text, "content": "apples"}));
        let content = prop_oneof![
            text.prop_map(Value::from),
            proptest::collection::vec(
                prop_oneof![4 => block, 1 => Just(json!("apples")), 1 => Just(json!({"type": "text", "text": 3}))],
                0..4
            )
            .prop_map(Value::from),
            Just(json!({"apples": 1})),
        ];
        let kind = prop_oneof![
            Just(json!("user")),
            Just(json!("assistant")),
            Just(json!("attachment")),
            Just(json!("custom-title")),
            Just(json!(7)),
        ];
        let uuid = prop_oneof![Just(Value::Null), Just(json!("u1")), Just(json!(1))];
        let queued = prop_oneof![Just("queued_command"), Just("file")];
        let parts = (kind, uuid, content, queued, any::<(bool, bool)>());
        parts.prop_map(|(kind, uuid, content, queued, (is_meta, has_half))| {
            let line = json!({
                "type": kind, "uuid": uuid, "timestamp": "t", "isMeta": is_meta, "more": "apples",
                "message": {"role": "user", "content": content},
                "attachment": {"type": queued, "prompt": content},
            });
            let mut line = line.to_string();
            if has_half {
                line = line.replace("apples", r"\ud83d apples");
            }
            line
        })
    }

    proptest! {
        #[test]
        fn a_search_finds_the_same_in_the_texts(
            line in any_line(),
            text in prop_oneof![
                Just("apples"), Just("ÄPFEL"), Just("\"and\""), Just("<pears>"), Just("\\"),
                Just("task"), Just("u1"), Just("text"), Just("")
            ],
            ignore_case: bool,
        ) {
            let search = LineSearch::new(text, ignore_case);
            let whole = search.line(line.as_bytes());
            let texts = LineTexts::of(&line);
            let all = match &texts {
                Ok(Some(texts)) => texts.texts.join("\n"),
                _ => String::new(),
            };
            let found = match texts {
                Ok(texts) => Ok(texts.and_then(|texts| search.texts(texts))),
                // A search of a line that is no entry fails only if the line can contain the text.
                Err(error) if search.can_match(line.as_bytes()) => Err(error),
                Err(_) => Ok(None),
            };
            prop_assert_eq!(&found, &whole);
            if let Ok(Some(_)) = found {
                prop_assert!(search.can_match(all.as_bytes()));
            }
        }
    }
}
