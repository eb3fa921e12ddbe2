//! The first reading of a transcript for a fork: how the lines are linked.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Take;

use super::notes::Notes;
use crate::lines::Lines;
use crate::members::{Members, items, text};
use crate::{Error, Session};

/// A number that stands for the UUID of a line.
pub(super) type Name = u32;

/// The lines of a conversation, and the other data that a fork needs.
#[derive(Debug, Default)]
pub(super) struct Survey {
    names: HashMap<Box<str>, Name>,
    pub(super) links: Vec<Link>,
    pub(super) boundaries: Vec<Boundary>,
    /// The queued prompts, which have separate IDs: the name of each prompt, and the index of its link.
    pub(super) prompts: Vec<(Name, usize)>,
    /// Lines of sub-agents, which a fork does not have.
    sidechains: HashSet<Name>,
    pub(super) notes: Notes,
}

/// A line of the main conversation.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) name: Name,
    pub(super) parent: Option<Name>,
    pub(super) kind: Kind,
    /// The offset of the line in the file.
    pub(super) offset: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A message of the user or the model.
    Turn,
    Progress,
    Other,
}

/// The line of a compaction. A summary replaces the lines before it.
#[derive(Debug, Default)]
pub(super) struct Boundary {
    pub(super) link: usize,
    pub(super) logical_parent: Option<Name>,
    /// The line after which the kept lines are inserted. This is usually the summary.
    pub(super) anchor: Option<Name>,
    /// The kept lines, as a list.
    pub(super) messages: Option<Vec<Name>>,
    /// The first kept line, if the kept lines are a range.
    pub(super) head: Option<Name>,
    pub(super) tail: Option<Name>,
    /// Whether the compaction was instant: it made no summary.
    pub(super) is_instant: bool,
}

impl Boundary {
    /// Returns the lines that the compaction names as kept.
    pub(super) fn preserved(&self) -> impl Iterator<Item = Name> + '_ {
        let messages = self.messages.iter().flatten().copied();
        messages.chain(self.head).chain(self.tail)
    }
}

/// Returns the kind of a line, or `None` if the line is not part of the conversation.
pub(super) fn kind(line: &Members<'_>) -> Option<Kind> {
    line.text("uuid")?;
    Some(match &*line.text("type")? {
        "user" | "assistant" => Kind::Turn,
        "progress" => Kind::Progress,
        "attachment" | "system" => Kind::Other,
        _ => return None,
    })
}

impl Survey {
    /// Reads all lines. Like the CLI, skips lines that are not JSON.
    pub(super) fn read(mut lines: Lines<Take<&mut File>>, source: &Session) -> Result<Self, Error> {
        let path = source.transcript();
        let mut survey = Self::default();
        while let Some(line) = lines
            .next_record()
            .map_err(|error| Error::io("cannot read", path, error))?
        {
            let Some(text) = line.text else {
                return Err(Error::LineTooLong {
                    path: path.to_owned(),
                    line: line.number,
                });
            };
            let Some(members) = Members::parse(text) else {
                continue;
            };
            match kind(&members) {
                Some(kind) => survey.add(&members, kind, line.offset),
                None => survey
                    .notes
                    .add(&members, line.offset, text, source.id().as_str()),
            }
        }
        if survey.links.iter().all(|link| link.kind == Kind::Progress) {
            return Err(Error::NothingToFork {
                id: source.id().as_str().to_owned(),
            });
        }
        Ok(survey)
    }

    fn add(&mut self, line: &Members<'_>, kind: Kind, offset: u64) {
        self.notes.add_forked_from(line);
        let Some(name) = self.name_of(line, "uuid") else {
            return;
        };
        if line.is_truthy("isSidechain") {
            self.sidechains.insert(name);
            return;
        }
        let at = self.links.len();
        if let Some(prompt) = queued_prompt(line) {
            let prompt = self.intern(&prompt);
            self.prompts.push((prompt, at));
        }
        let is_system = line.get("type") == Some(b"\"system\"");
        if is_system && line.text("subtype").as_deref() == Some("compact_boundary") {
            let boundary = self.boundary(line, at, name);
            self.boundaries.push(boundary);
        }
        let parent = line.text("parentUuid").filter(|parent| !parent.is_empty());
        let parent = parent.map(|parent| self.intern(&parent));
        self.links.push(Link {
            name,
            parent,
            kind,
            offset,
        });
    }

    fn boundary(&mut self, line: &Members<'_>, at: usize, name: Name) -> Boundary {
        let mut boundary = Boundary {
            link: at,
            logical_parent: self.name_of(line, "logicalParentUuid"),
            ..Boundary::default()
        };
        let Some(metadata) = line.get("compactMetadata").and_then(Members::parse) else {
            return boundary;
        };
        let messages = metadata.get("preservedMessages").and_then(Members::parse);
        let segment = metadata.get("preservedSegment").and_then(Members::parse);
        if let Some(segment) = &segment {
            boundary.anchor = self.name_of(segment, "anchorUuid");
            boundary.head = self.name_of(segment, "headUuid");
            boundary.tail = self.name_of(segment, "tailUuid");
        }
        if let Some(messages) = &messages {
            boundary.anchor = self.name_of(messages, "anchorUuid");
            let uuids = messages.get("uuids").and_then(items).unwrap_or_default();
            let names = uuids
                .iter()
                .filter_map(|uuid| Some(self.intern(&text(uuid)?)));
            boundary.messages = Some(names.collect());
        }
        boundary.is_instant =
            metadata.get("durationMs") == Some(b"0") && boundary.anchor == Some(name);
        boundary
    }

    fn name_of(&mut self, line: &Members<'_>, member: &str) -> Option<Name> {
        let text = line.text(member)?;
        Some(self.intern(&text))
    }

    fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return *name;
        }
        // No transcript is large enough to contain this many lines.
        let name = Name::try_from(self.names.len()).unwrap_or(Name::MAX);
        self.names.insert(text.into(), name);
        name
    }

    /// Returns the parents that no line of the transcript has. At a line with such a parent, the CLI continues the
    /// conversation with an earlier line of the file.
    pub(super) fn missing(&self) -> HashSet<Name> {
        let mut missing: HashSet<_> = self.links.iter().filter_map(|link| link.parent).collect();
        for link in &self.links {
            missing.remove(&link.name);
        }
        &missing - &self.sidechains
    }

    /// Returns the number of a UUID that was read.
    pub(super) fn name(&self, uuid: &str) -> Option<Name> {
        self.names.get(uuid).copied()
    }

    pub(super) fn names(&self) -> usize {
        self.names.len()
    }
}

/// Returns the ID of the queued prompt that a line contains. The prompt was queued while a turn ran.
fn queued_prompt(line: &Members<'_>) -> Option<String> {
    let attachment = line.get("attachment").and_then(Members::parse)?;
    let is_queued = attachment.text("type").as_deref() == Some("queued_command");
    let uuid = attachment.text("source_uuid").filter(|_| is_queued)?;
    Some(uuid.into_owned())
}
