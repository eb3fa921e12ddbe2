//! The first reading of a transcript: how its lines are linked, and which tool uses have results.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};

use super::calls::{Calls, calls};
use super::change::RepairedFile;
use super::line::parts;
use super::picture;
use crate::chain::ByTime;
use crate::lines::Lines;
use crate::members::Members;
use crate::time::millis;

/// A number that stands for the UUID of a line, the ID of an answer, or the ID of a tool use.
pub(super) type Name = u32;

/// A line of the conversation, by its index in [`Survey::links`].
pub(super) type Id = usize;

/// The data of a transcript that its repair needs.
#[derive(Debug, Default)]
pub(super) struct Survey {
    names: HashMap<Box<str>, Name>,
    pub(super) links: Vec<Link>,
    /// The new parents of links: for each link whose parent in the copy is not the parent in the file, the new one.
    pub(super) parents: HashMap<Id, NewParent>,
    /// The lines that get another parent because of a line that becomes text or is left out.
    pub(super) moved: HashMap<Id, Option<Id>>,
    /// The lines that record that a picture was refused. They are left out.
    pub(super) left_out: HashSet<Id>,
    /// The tool uses without a result for which the copy gets one.
    pub(super) unanswered: HashSet<Name>,
    /// The tool uses that a result answers, but that no line contains.
    pub(super) unknown: HashSet<Name>,
    /// Whether a line was too long to be examined.
    is_partial: bool,
}

/// The new parent of a line whose own parent is not in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewParent {
    pub(super) parent: Option<Id>,
    /// Whether the CLI continues with this parent without a repair.
    pub(super) is_read: bool,
}

/// A line of the conversation.
#[derive(Debug)]
pub(super) struct Link {
    /// The number of the line in the file, counted from 1.
    pub(super) number: u64,
    /// The place of the record in the file.
    pub(super) offset: u64,
    pub(super) length: u64,
    /// The first link with this UUID, if this link is a later one.
    pub(super) first: Option<Id>,
    /// The last link with this UUID, if this link is the first of several.
    pub(super) latest: Option<Id>,
    name: Name,
    parent: Option<Name>,
    /// The ID of the answer to which the line belongs.
    answer: Option<Name>,
    /// The time of the line, in milliseconds since 1970.
    time: i64,
    is_message: bool,
    is_sidechain: bool,
    has_result: bool,
}

impl Survey {
    /// Reads all lines.
    pub(super) fn read<R: Read>(mut lines: Lines<R>, kind: RepairedFile) -> io::Result<Self> {
        let mut survey = Self::default();
        let mut reading = Reading::default();
        while let Some(line) = lines.next()? {
            let Some(text) = line.text else {
                survey.is_partial = true;
                continue;
            };
            for part in parts(text) {
                let Some(record) = &part.record else { continue };
                let Some(members) = Members::parse(&record.text) else {
                    continue;
                };
                let place = (
                    line.offset + part.range.start as u64,
                    part.range.len() as u64,
                );
                survey.add(&members, line.number, place, &mut reading);
            }
        }
        // A line that was not examined may be a missing parent, or may contain a missing tool use or result.
        if kind == RepairedFile::Main && !survey.is_partial {
            survey.find_parents(&reading);
            survey.find_calls(&reading);
            survey.pass_left_out(&reading);
        } else {
            survey.left_out.clear();
        }
        Ok(survey)
    }

    fn add(
        &mut self,
        record: &Members<'_>,
        number: u64,
        (offset, length): (u64, u64),
        reading: &mut Reading,
    ) {
        let Some(kind) = Kind::of(record) else { return };
        let Some(name) = record.text("uuid").map(|uuid| self.intern(&uuid)) else {
            return;
        };
        let id = self.links.len();
        let is_sidechain = record.is_truthy("isSidechain") || record.is_truthy("teamName");
        let parent = record
            .text("parentUuid")
            .filter(|parent| !parent.is_empty());
        let parent = parent.map(|parent| self.intern(&parent));
        let first = reading.by_name.get(&name).copied();
        // After a compaction, the CLI may read only the lines after it. A line before the compaction and a line after
        // it are therefore not treated as copies of each other.
        let first = first.filter(|first| *first >= reading.segment);
        match first {
            Some(first) => self.links[first].latest = Some(id),
            None => {
                reading.by_name.insert(name, id);
            }
        }
        let calls = calls(record);
        let answer = calls.answer.as_deref().map(|answer| self.intern(answer));
        self.add_calls(&calls, id, reading);
        reading.has_broken_picture |= picture::has_broken(record);
        if reading.has_broken_picture && first.is_none() && picture::is_error(record) {
            self.left_out.insert(id);
        }
        self.links.push(Link {
            number,
            offset,
            length,
            first,
            latest: None,
            name,
            parent,
            answer,
            time: record
                .text("timestamp")
                .map_or(i64::MIN, |time| millis(time.as_bytes())),
            is_message: kind == Kind::Message,
            is_sidechain,
            has_result: !calls.results.is_empty(),
        });
        // A boundary that is in the file twice is in the copy only once, so only the first one
        // begins a segment.
        if kind == Kind::Boundary && first.is_none() {
            reading.segment = id;
        }
    }

    fn add_calls(&mut self, calls: &Calls, id: Id, reading: &mut Reading) {
        for call in &calls.uses {
            let name = self.intern(call);
            reading.uses.insert(name, id);
        }
        for call in &calls.results {
            let name = self.intern(call);
            reading.results.insert(name, id);
        }
    }

    fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return *name;
        }
        // No transcript is large enough to contain this many names.
        let name = Name::try_from(self.names.len()).unwrap_or(Name::MAX);
        self.names.insert(text.into(), name);
        name
    }

    /// Returns the number of a text that was read.
    pub(super) fn name(&self, text: &str) -> Option<Name> {
        self.names.get(text).copied()
    }

    /// Finds the parents that no line has. If the CLI continues with another line, the other line becomes the parent.
    /// If the CLI begins at the line with the missing parent, the preceding line of the conversation becomes the
    /// parent.
    fn find_parents(&mut self, reading: &Reading) {
        let is_own = |link: &Link| !link.is_sidechain && link.first.is_none();
        let own = self
            .links
            .iter()
            .enumerate()
            .filter(|(_, link)| is_own(link));
        let own = own.filter_map(|(id, link)| Some((link.time, u32::try_from(id).ok()?)));
        let mut by_time = None;
        let mut before = None;
        let mut missing = Vec::new();
        for (id, link) in self.links.iter().enumerate() {
            if !is_own(link) {
                continue;
            }
            if let Some(parent) = self.links[link.latest.unwrap_or(id)].parent
                && !reading.by_name.contains_key(&parent)
            {
                missing.push((id, before));
            }
            before = Some(id);
        }
        // The last line comes first: when the CLI comes to a line, it has visited the lines after it.
        for (id, before) in missing.into_iter().rev() {
            let by_time = by_time.get_or_insert_with(|| ByTime::new(own.clone()));
            let found = by_time.before(self.links[id].time, |other| other as usize >= id);
            let (parent, is_read) = match found {
                Some(found) => (Some(found as usize), true),
                None => (before, before.is_none()),
            };
            self.parents.insert(id, NewParent { parent, is_read });
        }
    }

    /// Finds the tool uses without results and the results without tool uses.
    fn find_calls(&mut self, reading: &Reading) {
        let continued = self.continued(reading);
        let unanswered = reading.uses.iter().filter(|(name, id)| {
            let link = &self.links[**id];
            let is_continued = link.answer.is_some_and(|it| continued.contains(&it));
            !reading.results.contains_key(name) && !link.is_sidechain && is_continued
        });
        self.unanswered = unanswered.map(|(name, _)| *name).collect();
        let unknown = reading.results.iter().filter(|(name, id)| {
            !reading.uses.contains_key(name) && !self.links[**id].is_sidechain
        });
        let (unknown, texts) = unknown.map(|(name, id)| (*name, *id)).unzip();
        self.unknown = unknown;
        self.move_behind(&texts, reading);
    }

    /// Moves results after the results that become text. Each result of parallel tool uses is below its own tool use,
    /// and the CLI finds it there. The CLI finds a text only if the conversation itself contains it.
    fn move_behind(&mut self, texts: &HashSet<Id>, reading: &Reading) {
        // For each link, the last text below it. For each text, the link above it.
        let mut last: HashMap<Id, Id> = HashMap::new();
        let mut above: HashMap<Id, Id> = HashMap::new();
        for (id, link) in self.links.iter().enumerate() {
            if texts.contains(&id) {
                let Some(parent) = self.parents.get(&id).and_then(|new| new.parent.as_ref()) else {
                    continue;
                };
                let parent = *above.get(parent).unwrap_or(parent);
                above.insert(id, parent);
                last.insert(parent, id);
            } else if link.has_result && !self.parents.contains_key(&id) {
                let parent = link.parent.and_then(|name| reading.by_name.get(&name));
                let text = parent.and_then(|parent| last.get(parent));
                self.moved.extend(text.map(|text| (id, Some(*text))));
            }
        }
    }

    /// Changes the parents of the lines below a line that is left out: the new parent is the nearest line above that is
    /// not left out.
    fn pass_left_out(&mut self, reading: &Reading) {
        if self.left_out.is_empty() {
            return;
        }
        // For each link, itself, or the nearest link above it that is not left out.
        let mut above: Vec<Option<Id>> = Vec::with_capacity(self.links.len());
        for (id, link) in self.links.iter().enumerate() {
            let (moved, missing) = (self.moved.get(&id), self.parents.get(&id).copied());
            let in_file = || reading.by_name.get(&link.parent?).copied();
            let missing_parent = missing.map(|new| new.parent);
            let parent = moved.copied().or(missing_parent).unwrap_or_else(in_file);
            // A parent that comes later in the file is not followed.
            let passed = parent.and_then(|parent| *above.get(parent)?);
            if parent.is_some_and(|parent| self.left_out.contains(&parent)) {
                if let Some(new) = missing {
                    let parent = passed;
                    self.parents.insert(id, NewParent { parent, ..new });
                } else {
                    self.moved.insert(id, passed);
                }
            }
            above.push(if self.left_out.contains(&id) {
                passed
            } else {
                Some(id)
            });
        }
    }

    /// Returns the answers after which the conversation continues with another message. After the other answers, the
    /// CLI itself adds a note that the tool use was interrupted.
    fn continued(&self, reading: &Reading) -> HashSet<Name> {
        // For each link, the answer that it belongs to or that is the nearest message above it.
        let mut above: Vec<Option<Name>> = Vec::with_capacity(self.links.len());
        let mut continued = HashSet::new();
        for (id, link) in self.links.iter().enumerate() {
            let parent = match self.parents.get(&id) {
                Some(new) => new.parent,
                None => link
                    .parent
                    .and_then(|name| reading.by_name.get(&name).copied()),
            };
            // A parent that comes later in the file is not followed.
            let answer = parent.and_then(|parent| *above.get(parent)?);
            if link.is_message && answer != link.answer {
                continued.extend(answer);
            }
            above.push(if link.is_message { link.answer } else { answer });
        }
        continued
    }

    /// Returns the UUIDs of the links that become parents.
    pub(super) fn uuids(&self) -> HashMap<Name, &str> {
        let parents = self.parents.values().filter_map(|new| new.parent.as_ref());
        let parents = parents.chain(self.moved.values().flatten());
        let needed: HashSet<Name> = parents.map(|id| self.links[*id].name).collect();
        let names = self.names.iter().filter(|(_, name)| needed.contains(name));
        names.map(|(text, name)| (*name, &**text)).collect()
    }

    pub(super) fn name_of(&self, id: Id) -> Name {
        self.links[id].name
    }
}

/// The data that is needed only while the lines are read.
#[derive(Debug, Default)]
struct Reading {
    by_name: HashMap<Name, Id>,
    /// The first link of the current segment, which begins after a compaction. A line before the segment is not
    /// treated as a copy of a later line.
    segment: Id,
    uses: HashMap<Name, Id>,
    results: HashMap<Name, Id>,
    /// Whether a line with a picture that the repair replaces was read.
    has_broken_picture: bool,
}

/// The kind of a line of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A message of the user or the model.
    Message,
    /// The boundary of a compaction.
    Boundary,
    Other,
}

impl Kind {
    /// Returns the kind of a record, or `None` if the record is not part of the conversation.
    pub(super) fn of(record: &Members<'_>) -> Option<Self> {
        record.text("uuid")?;
        Some(match &*record.text("type")? {
            "user" | "assistant" => Self::Message,
            "system" if record.text("subtype").as_deref() == Some("compact_boundary") => {
                Self::Boundary
            }
            "system" | "attachment" | "progress" => Self::Other,
            _ => return None,
        })
    }
}
