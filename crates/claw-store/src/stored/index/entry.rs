//! An entry of the index, with the data about one session.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher as _};

use claw_sessions::{LineHit, LineSearch, LineTexts, SessionAnswers, UsageExtract};
use serde::{Deserialize, Serialize};

use crate::{Line, SessionRef, StoredSession};

/// The first line of each file. Each version of the format has a different first line.
const START: &[u8] = b"claw-index 2\n";

/// The maximum size of an entry, in bytes.
pub(super) const MOST: usize = 64 << 20;

/// A time in milliseconds, for stores that report no revisions. An entry counts as current only if its session was
/// listed later than this time after the last line of the main transcript. Until then, sub-agents may still write
/// lines, and hosts may still store separate entries of the session.
const LATER: i64 = 60 * 60 * 1000;

/// The head of an entry. It contains the version of the session from which the entry was made, and numbers about the
/// session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    project: String,
    session: String,
    revision: Option<String>,
    modified: i64,
    /// The time at which the session was listed, by this host's clock, in milliseconds since 1970. The session was read
    /// later.
    listed: i64,
    /// The number of entries that the store contains separately from the conversation: see [`Kept`](crate::Kept).
    pub(super) kept: u64,
    /// The number of those entries that cannot be read.
    pub(super) unreadable: u64,
    /// Whether lines of the session are longer than a search reads.
    has_long_lines: bool,
    usage: Section,
    text: Section,
}

/// The length and the hash of a part of the file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Section {
    length: usize,
    hash: u64,
}

/// The parts of an entry. Each call of the index reads one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Usage,
    Text,
}

/// An entry of the index, for one session.
///
/// `usage` consists of lines that end with a line feed. A line that begins with `@` contains the ID of the sub-agent to
/// which the following lines belong, as JSON. The other lines are JSON objects. `text` consists of [records](Record).
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) head: Head,
    usage: Vec<u8>,
    text: Vec<u8>,
}

/// A record of the searched texts. It is JSON on a line. The texts that it names follow the line without an escape, so
/// that a search does not decode them.
#[derive(Debug, Serialize, Deserialize)]
enum Record<'a> {
    /// The following lines belong to the transcript with this subpath. `None` stands for the main transcript.
    #[serde(rename = "at")]
    Transcript(#[serde(borrow)] Option<Cow<'a, str>>),
    /// A line with texts that people or models have written. The texts follow.
    #[serde(rename = "line")]
    Line {
        number: u64,
        #[serde(borrow)]
        kind: Cow<'a, str>,
        #[serde(borrow)]
        uuid: Option<Cow<'a, str>>,
        #[serde(borrow)]
        timestamp: Option<Cow<'a, str>>,
        /// The lengths of the texts, in bytes.
        texts: Vec<usize>,
    },
    /// A line that is not an entry. It follows as a whole. A search cannot read it if it can contain the text.
    #[serde(rename = "broken")]
    Broken { number: u64, length: usize },
    /// A line that is longer than a search reads.
    #[serde(rename = "long")]
    TooLong { number: u64 },
}

/// The result of a search in an entry.
#[derive(Debug, Default)]
pub(super) struct Searched {
    /// The hits. Each hit has the subpath of its transcript and the number of its line.
    pub(super) hits: Vec<(Option<String>, u64, LineHit)>,
    /// The number of lines that could not be searched.
    pub(super) unreadable: u64,
    /// The subpath of the transcript and the number of the first line that could not be searched.
    pub(super) first: Option<(Option<String>, u64)>,
}

/// An entry while it is made from the lines of a session.
#[derive(Debug)]
pub(super) struct Building {
    entry: Entry,
    extract: UsageExtract,
    number: u64,
}

impl Head {
    /// Returns two flags. The first one is true if the entry was made from the listed version of the session. The
    /// second one is true if only the modification time of the main transcript was compared, because the store reports
    /// no revision.
    pub(super) fn is_current(&self, listed: &StoredSession) -> (bool, bool) {
        if self.project != listed.session.project() || self.session != listed.session.session() {
            return (false, false);
        }
        match (&self.revision, &listed.revision) {
            (Some(known), Some(now)) => (known == now, false),
            (None, None) => {
                let is_old = self.listed.saturating_sub(listed.modified) > LATER;
                (is_old && self.modified == listed.modified, true)
            }
            _ => (false, false),
        }
    }
}

impl Building {
    pub(super) fn new(listed: &StoredSession, now: i64) -> Self {
        let session: &SessionRef = &listed.session;
        let head = Head {
            project: session.project().to_owned(),
            session: session.session().to_owned(),
            revision: listed.revision.clone(),
            modified: listed.modified,
            listed: now,
            kept: 0,
            unreadable: 0,
            has_long_lines: false,
            usage: Section::default(),
            text: Section::default(),
        };
        Self {
            entry: Entry {
                head,
                usage: Vec::new(),
                text: Vec::new(),
            },
            extract: UsageExtract::new(),
            number: 0,
        }
    }

    /// Begins a transcript, to which the lines belong that are added next. Both arguments are
    /// `None` for the main transcript.
    pub(super) fn transcript(&mut self, subpath: Option<&str>, subagent: Option<&str>) {
        let subpath = subpath.map(Cow::Borrowed);
        put(&mut self.entry.text, &Record::Transcript(subpath), &[]);
        mark(&mut self.entry.usage, subagent);
        self.number = 0;
    }

    /// Adds a line of the transcript. Returns `false` if the entry is too large.
    pub(super) fn line(&mut self, line: &Line, is_main: bool) -> bool {
        self.number += 1;
        let text = line.as_str();
        self.extract
            .line(text.as_bytes(), is_main, &mut self.entry.usage);
        let (number, into) = (self.number, &mut self.entry.text);
        match LineTexts::of(text) {
            Ok(None) => {}
            Ok(Some(found)) => {
                let record = Record::Line {
                    number,
                    kind: found.kind,
                    uuid: found.uuid,
                    timestamp: found.timestamp,
                    texts: found.texts.iter().map(|text| text.len()).collect(),
                };
                put(into, &record, &found.texts);
            }
            Err(_) if LineTexts::is_too_long(text) => {
                self.entry.head.has_long_lines = true;
                put(into, &Record::TooLong { number }, &[]);
            }
            Err(_) => {
                let length = text.len();
                put(into, &Record::Broken { number, length }, &[text.into()]);
            }
        }
        self.entry.usage.len() + self.entry.text.len() <= MOST
    }

    /// Adds a [kept](crate::Kept) entry, which the store contains separately from the conversation. Returns `false` if
    /// the entry of the index becomes too large.
    pub(super) fn kept(&mut self, line: &str, subagent: Option<&str>) -> bool {
        self.entry.head.kept += 1;
        let Ok(line) = Line::new(line) else {
            self.entry.head.unreadable += 1;
            return true;
        };
        mark(&mut self.entry.usage, subagent);
        let line = line.as_str().as_bytes();
        self.extract
            .line(line, subagent.is_none(), &mut self.entry.usage);
        self.entry.usage.len() + self.entry.text.len() <= MOST
    }

    pub(super) fn finish(mut self) -> Entry {
        self.entry.head.usage = Section::of(&self.entry.usage);
        self.entry.head.text = Section::of(&self.entry.text);
        self.entry
    }
}

impl Section {
    fn of(bytes: &[u8]) -> Self {
        Self {
            length: bytes.len(),
            hash: hash(bytes),
        }
    }
}

impl Entry {
    /// Returns the contents of the entry's file.
    pub(super) fn pieces(&self) -> Option<[Vec<u8>; 2]> {
        let head = serde_json::to_vec(&self.head).ok()?;
        let mut start = START.to_vec();
        start.extend(format!("{:016x}\n", hash(&head)).bytes());
        start.extend(head);
        start.push(b'\n');
        Some([start, [&self.usage[..], &self.text[..]].concat()])
    }

    /// Reads the head and one part of an entry. `read` returns the bytes of a range of the file. Returns `None` if the
    /// file is damaged or has another format.
    pub(super) fn read(
        start: &[u8],
        part: Part,
        read: impl FnOnce(u64, usize) -> Option<Vec<u8>>,
    ) -> Option<Self> {
        let rest = start.strip_prefix(START)?;
        let (written, rest) = rest.split_at_checked(17)?;
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let json = &rest[..end];
        if written != format!("{:016x}\n", hash(json)).as_bytes() {
            return None;
        }
        let head: Head = serde_json::from_slice(json).ok()?;
        let from = (START.len() + written.len() + end + 1) as u64;
        let (section, from) = match part {
            Part::Usage => (head.usage, from),
            Part::Text => (head.text, from.checked_add(head.usage.length as u64)?),
        };
        let bytes = read(from, section.length).filter(|bytes| Section::of(bytes) == section)?;
        let (usage, text) = match part {
            Part::Usage => (bytes, Vec::new()),
            Part::Text => (Vec::new(), bytes),
        };
        Some(Self { head, usage, text })
    }

    /// Adds the session's answers to `answers`.
    pub(super) fn count(&self, answers: &mut SessionAnswers) {
        let mut subagent: Option<String> = None;
        for line in lines(&self.usage) {
            match line.strip_prefix(b"@") {
                // The hash of the part was correct, so the line is valid JSON.
                Some(name) => subagent = serde_json::from_slice(name).unwrap_or_default(),
                None => answers.line(line, subagent.as_deref()),
            }
        }
    }

    /// Searches the session's conversation.
    pub(super) fn search(&self, search: &LineSearch) -> Searched {
        let mut searched = Searched::default();
        // Lines that are too long are counted even if the session does not contain the text.
        if !self.head.has_long_lines && !search.can_match(&self.text) {
            return searched;
        }
        let mut subpath: Option<String> = None;
        let mut rest = &*self.text;
        // The hash of the part was correct, so that every record is complete.
        while let Some((record, after)) = Record::next(rest) {
            rest = after;
            let number = match record {
                Record::Transcript(name) => {
                    subpath = name.map(Cow::into_owned);
                    continue;
                }
                Record::Line {
                    number,
                    kind,
                    uuid,
                    timestamp,
                    texts,
                } => {
                    let texts: Option<Vec<_>> = texts
                        .into_iter()
                        .map(|length| text(&mut rest, length).map(Cow::Borrowed))
                        .collect();
                    let line = texts.map(|texts| LineTexts {
                        kind,
                        uuid,
                        timestamp,
                        texts,
                    });
                    if let Some(hit) = line.and_then(|line| search.texts(line)) {
                        searched.hits.push((subpath.clone(), number, hit));
                    }
                    continue;
                }
                Record::Broken { number, length } => {
                    let line = text(&mut rest, length).unwrap_or_default();
                    if !search.can_match(line.as_bytes()) {
                        continue;
                    }
                    number
                }
                Record::TooLong { number } => number,
            };
            searched.unreadable += 1;
            searched
                .first
                .get_or_insert_with(|| (subpath.clone(), number));
        }
        searched
    }
}

impl<'a> Record<'a> {
    /// Reads the first record. Returns the record and the bytes that follow its line.
    fn next(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let record = serde_json::from_slice(&bytes[..end]).ok()?;
        Some((record, &bytes[end + 1..]))
    }
}

/// Appends a record with its texts.
fn put(into: &mut Vec<u8>, record: &Record<'_>, texts: &[Cow<'_, str>]) {
    // Writing to a vector and writing this type cannot fail.
    let _ = serde_json::to_writer(&mut *into, record);
    into.push(b'\n');
    for text in texts {
        into.extend(text.bytes());
    }
}

/// Takes a text of this length from the beginning of the bytes.
fn text<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a str> {
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    str::from_utf8(text).ok()
}

/// A hash that detects damage. If another version of Rust computes a different hash, the entry counts as damaged and is
/// made again.
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

fn mark(into: &mut Vec<u8>, name: Option<&str>) {
    into.push(b'@');
    into.extend(serde_json::Value::from(name).to_string().bytes());
    into.push(b'\n');
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter(|line| !line.is_empty())
}
