//! Compares two transcripts of the same session.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;

use claw_sessions::Entries;
use claw_types::{Json, Map, json_equal};

use crate::Line;
use crate::stored::import::is_mirrored;

/// The relation of the conversations of two transcripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Relation {
    /// Both have the same entries.
    Same,
    /// The first transcript is the beginning of the second one.
    Behind,
    /// The second transcript is the beginning of the first one.
    Ahead,
    /// The transcripts have different entries at some position. Contains the UUIDs of these two entries.
    Diverged { here: String, there: String },
}

/// Compares the conversations of two transcripts, entry by entry. Ignores the ID of the session, and lines that are not
/// entries, such as titles. Blocks on the disk. Needs about 50 bytes of memory for each entry.
pub(super) fn relate(here: &Path, there: &Path) -> Result<Relation, claw_sessions::Error> {
    let (mut here, mut there) = (Links::open(here)?, Links::open(there)?);
    loop {
        let (one, other) = (here.next()?, there.next()?);
        let (one, other) = match (one, other) {
            (None, None) => return Ok(Relation::Same),
            (None, Some(_)) => return Ok(Relation::Behind),
            (Some(_), None) => return Ok(Relation::Ahead),
            (Some(one), Some(other)) => (one, other),
        };
        if one.uuid() != other.uuid() || !are_equal(&one, &other) {
            let uuid = |line: &Line| line.uuid().unwrap_or_default().to_owned();
            return Ok(Relation::Diverged {
                here: uuid(&one),
                there: uuid(&other),
            });
        }
    }
}

/// Whether two lines are equal, apart from the session ID and the order of members.
fn are_equal(one: &Line, other: &Line) -> bool {
    if one.as_str() == other.as_str() {
        return true;
    }
    let without_session = |line: &Line| {
        let members: Map<Json> = line.json().parse().unwrap_or_default();
        let members = members.into_iter().filter(|(name, _)| name != "sessionId");
        serde_json::to_string(&members.collect::<Map<Json>>()).unwrap_or_default()
    };
    json_equal(&without_session(one), &without_session(other))
}

/// The conversation entries of a transcript. Each UUID is returned only once.
struct Links {
    entries: Entries,
    seen: HashSet<u128>,
    keys: [RandomState; 2],
}

impl Links {
    fn open(path: &Path) -> Result<Self, claw_sessions::Error> {
        Ok(Self {
            entries: Entries::open(path)?,
            seen: HashSet::new(),
            keys: [RandomState::new(), RandomState::new()],
        })
    }

    fn next(&mut self) -> Result<Option<Line>, claw_sessions::Error> {
        while let Some(entry) = self.entries.next().transpose()? {
            let Some(line) = line(entry.raw()) else {
                continue;
            };
            let Some(uuid) = line.uuid().filter(|_| is_link(&line)) else {
                continue;
            };
            let [one, other] = self
                .keys
                .each_ref()
                .map(|key| u128::from(key.hash_one(uuid)));
            if self.seen.insert(one << 64 | other) {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }
}

/// Converts the bytes of a line of a transcript. Returns `None` if there are no bytes, or if the line is not a JSON
/// object.
pub(super) fn line(raw: Option<&[u8]>) -> Option<Line> {
    let raw = raw?;
    Line::from_bytes(raw.strip_suffix(b"\r").unwrap_or(raw)).ok()
}

/// Whether the line is an entry of the conversation. A UUID is not enough, because a title that was set in a store has
/// one too.
fn is_link(line: &Line) -> bool {
    line.as_str().contains("\"parentUuid\"")
        && line.json().get("parentUuid").is_some()
        && is_mirrored(line)
}
