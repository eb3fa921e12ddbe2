//! Writes the lines of a fork.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write};

use uuid::Uuid;

use super::cut::Kept;
use super::notes::Place;
use super::survey::{Kind, Name, Survey, kind};
use crate::members::{Members, array, items, quoted, text};
use crate::{Error, Session};

/// The members that tie a line to its session, its team or its turn. They have no meaning in another session.
const REMOVED: [&str; 10] = [
    "teamName",
    "agentName",
    "sessionKind",
    "slug",
    "sourceToolAssistantUUID",
    "summarizedTurnPromptUuids",
    "droppedPromptUuids",
    "sentAsUuid",
    "rowsAheadOfPutBack",
    "turnAttributionKey",
];

/// The result of the search for the nearest written line above a progress line.
#[derive(Debug, Clone, Copy)]
enum Above {
    Unknown,
    Known(Option<Name>),
}

/// Writes a fork during the second reading of the transcript.
pub(super) struct Copy<'a> {
    source: &'a Session,
    fork: &'a Session,
    survey: &'a Survey,
    kept: &'a Kept,
    now: String,
    /// For each name, the link with this name, or the last one if there are several.
    links: Vec<Option<usize>>,
    /// For each name, the new UUID of the line that is written, or of a parent that no line has. `None` for other names.
    ids: Vec<Option<Uuid>>,
    /// The names that lines have as their parent, but that no line has as its own.
    missing: HashSet<Name>,
    /// For each name of a progress line, the nearest written line above it, once it is known.
    above: Vec<Above>,
    /// The last written line.
    last: Option<usize>,
}

impl<'a> Copy<'a> {
    pub(super) fn new(
        source: &'a Session,
        fork: &'a Session,
        survey: &'a Survey,
        kept: &'a Kept,
        now: String,
    ) -> Self {
        let mut links = vec![None; survey.names()];
        let mut ids = vec![None; survey.names()];
        let mut last = None;
        for (at, link) in survey
            .links
            .iter()
            .enumerate()
            .filter(|(at, link)| kept.has(*at, link))
        {
            links[link.name as usize] = Some(at);
            if link.kind != Kind::Progress {
                ids[link.name as usize].get_or_insert_with(Uuid::new_v4);
                last = Some(at);
            }
        }
        let missing = survey.missing();
        for name in &missing {
            ids[*name as usize] = Some(Uuid::new_v4());
        }
        Self {
            missing,
            source,
            fork,
            survey,
            kept,
            now,
            above: vec![Above::Unknown; links.len()],
            links,
            ids,
            last,
        }
    }

    /// Writes all lines of the fork.
    pub(super) fn write(
        &mut self,
        file: &mut File,
        length: u64,
        mut out: impl Write,
        title: &str,
    ) -> Result<(), Error> {
        let (source, fork) = (self.source.transcript(), self.fork.transcript());
        let read = |error| Error::io("cannot read", source, error);
        let write = |error| Error::io("cannot write", fork, error);
        let fork_id = self.fork.id().as_str().to_owned();
        for line in self.survey.notes.before(&fork_id, &self.now) {
            line_to(&mut out, line.as_bytes()).map_err(write)?;
        }
        let mut at = 0;
        let mut lines = super::lines(file, length).map_err(read)?;
        while let Some(line) = lines.next_record().map_err(read)? {
            let Some(mut line) = line.text.and_then(Members::parse) else {
                continue;
            };
            let Some(kind) = kind(&line).filter(|_| !line.is_truthy("isSidechain")) else {
                continue;
            };
            let name = line.text("uuid").and_then(|uuid| self.survey.name(&uuid));
            let expected = self.survey.links.get(at);
            // The second reading must find the same lines as the first one. Otherwise, the file was
            // changed.
            let name = name.filter(|name| expected.is_some_and(|link| link.name == *name));
            let name = name.ok_or_else(|| self.changed())?;
            if kind != Kind::Progress && self.kept.has(at, &self.survey.links[at]) {
                self.rewrite(&mut line, at, name);
                line_to(&mut out, &line.to_text()).map_err(write)?;
            }
            at += 1;
        }
        drop(lines);
        if at != self.survey.links.len() {
            return Err(self.changed());
        }
        self.write_replacements(file, &mut out)?;
        for place in &self.survey.notes.data_flow {
            let raw = self.read(file, *place)?;
            let mut line = Members::parse(&raw).ok_or_else(|| self.changed())?;
            line.set("sessionId", quoted(&fork_id));
            line_to(&mut out, &line.to_text()).map_err(write)?;
        }
        for line in self.survey.notes.last(self.source.id().as_str(), &fork_id) {
            line_to(&mut out, &line).map_err(write)?;
        }
        // The title is the last line, because lists search for it at the end.
        let title = quoted(title);
        let title = format!(
            r#"{{"type":"custom-title","sessionId":"{fork_id}","customTitle":{},"uuid":"{}","timestamp":"{}"}}"#,
            String::from_utf8_lossy(&title),
            Uuid::new_v4(),
            self.now
        );
        line_to(&mut out, title.as_bytes()).map_err(write)?;
        out.flush().map_err(write)
    }

    /// Changes a line so that it belongs to the fork.
    fn rewrite(&mut self, line: &mut Members<'_>, at: usize, name: Name) {
        let survey = self.survey;
        let parent = survey.links[at]
            .parent
            .and_then(|parent| self.written_above(parent));
        let parent = parent.and_then(|parent| self.id(parent));
        let old = line.get("uuid").unwrap_or(b"null");
        let forked_from = [
            b"{\"sessionId\":",
            &*quoted(self.source.id().as_str()),
            b",\"messageUuid\":",
            old,
            b"}",
        ]
        .concat();
        let kind = line.text("type").unwrap_or_default().into_owned();
        if kind == "assistant" {
            let forked = line.get("forkedFrom").and_then(Members::parse);
            let request = line.text("requestSessionId");
            let request = request.or_else(|| forked.as_ref()?.text("sessionId"));
            let request = request.or_else(|| line.text("sessionId"));
            if let Some(request) = request.map(|session| quoted(&session)) {
                line.set("requestSessionId", request);
            }
        }
        if line
            .get("logicalParentUuid")
            .is_some_and(|value| value != b"null")
        {
            let mapped = line
                .text("logicalParentUuid")
                .and_then(|uuid| self.mapped(&uuid));
            line.set("logicalParentUuid", or_null(mapped));
        }
        if kind == "system" {
            self.rewrite_system(line, at);
        }
        if kind == "attachment" {
            self.rewrite_attachment(line);
        }
        line.remove(&REMOVED);
        line.set("uuid", or_null(self.id(name)));
        line.set("parentUuid", or_null(parent));
        line.set("sessionId", quoted(self.fork.id().as_str()));
        line.set("isSidechain", *b"false");
        line.set("forkedFrom", forked_from);
        // The CLI continues the conversation from the newest line, so the last line of the fork gets the current time.
        if self.last == Some(at) {
            line.set("timestamp", quoted(&self.now));
        }
    }

    fn rewrite_system(&self, line: &mut Members<'_>, at: usize) {
        if line.text("subtype").as_deref() == Some("model_refusal_fallback") {
            line.set("neutralizedByFork", *b"true");
        }
        if let Some(fold) = line.get("fold").and_then(Members::parse)
            && let Some(command) = fold.get("command").and_then(Members::parse)
            && line.text("subtype").as_deref() == Some("voice_call_talk")
            && let Some(command) = self.with_source(command)
        {
            let mut fold = fold;
            fold.set("command", command);
            let fold = fold.to_text();
            line.set("fold", fold);
        }
        let Some(mut metadata) = line.get("compactMetadata").and_then(Members::parse) else {
            return;
        };
        metadata.remove(&["runningTurnSends"]);
        if self.kept.is_emptied(at) {
            metadata.remove(&["preservedMessages", "preservedSegment", "postTokens"]);
        }
        for (part, members) in [
            ("preservedMessages", ["anchorUuid", "uuids", "allUuids"]),
            ("preservedSegment", ["headUuid", "anchorUuid", "tailUuid"]),
        ] {
            let Some(mut preserved) = metadata.get(part).and_then(Members::parse) else {
                continue;
            };
            for member in members {
                if let Some(value) = preserved.get(member).map(|value| self.mapped_all(value)) {
                    preserved.set(member, value);
                }
            }
            let preserved = preserved.to_text();
            metadata.set(part, preserved);
        }
        let metadata = metadata.to_text();
        line.set("compactMetadata", metadata);
    }

    fn rewrite_attachment(&self, line: &mut Members<'_>) {
        let Some(mut attachment) = line.get("attachment").and_then(Members::parse) else {
            return;
        };
        let kind = attachment.text("type");
        let new = match kind.as_deref() {
            Some("queued_command") => self.with_source(attachment),
            Some("deferred_tools_record") => {
                let announced = attachment.get("nameOnlyAnnouncements").and_then(items);
                let known = announced
                    .map(|uuids| array(uuids.iter().filter_map(|uuid| self.mapped(&text(uuid)?))));
                known.map(|known| {
                    attachment.set("nameOnlyAnnouncements", known);
                    attachment.to_text()
                })
            }
            _ => None,
        };
        if let Some(new) = new {
            line.set("attachment", new);
        }
    }

    /// Returns a queued prompt with its new ID, if the prompt's ID is the UUID of a copied line.
    fn with_source(&self, mut command: Members<'_>) -> Option<Vec<u8>> {
        let source = command
            .text("source_uuid")
            .and_then(|uuid| self.mapped(&uuid))?;
        command.set("source_uuid", source);
        Some(command.to_text())
    }

    /// Maps a UUID, or each UUID of a list. UUIDs of lines that are not copied stay unchanged.
    fn mapped_all(&self, value: &[u8]) -> Vec<u8> {
        let one = |value: &[u8]| {
            let mapped = text(value).and_then(|uuid| self.mapped(&uuid));
            mapped.unwrap_or_else(|| value.to_owned())
        };
        items(value).map_or_else(|| one(value), |uuids| array(uuids.into_iter().map(one)))
    }

    /// Returns the new UUID of a line as JSON, if the line is written.
    fn mapped(&self, uuid: &str) -> Option<Vec<u8>> {
        let name = self.survey.name(uuid)?;
        self.id(name).filter(|_| !self.missing.contains(&name))
    }

    fn id(&self, name: Name) -> Option<Vec<u8>> {
        let id = self.ids.get(name as usize)?.as_ref()?;
        Some(format!("\"{id}\"").into_bytes())
    }

    /// Returns the name of the nearest written line: this line, or a line above it. Progress lines are not written. If
    /// the search reaches a parent that no line has, returns the name of that parent.
    fn written_above(&mut self, from: Name) -> Option<Name> {
        let mut passed = Vec::new();
        let mut next = Some(from);
        let found = loop {
            if let Some(missing) = next.filter(|name| self.missing.contains(name)) {
                break Some(missing);
            }
            // The conversation begins here, or the line above is not in the fork.
            let Some((name, link)) = next.and_then(|name| Some((name, self.links[name as usize]?)))
            else {
                break None;
            };
            let link = &self.survey.links[link];
            if link.kind != Kind::Progress {
                break Some(name);
            }
            // This line was already passed, and its result is known. If it was passed by this search, the lines form a
            // loop, and the result is `None`.
            if let Above::Known(known) = self.above[name as usize] {
                break known;
            }
            self.above[name as usize] = Above::Known(None);
            passed.push(name);
            next = link.parent;
        };
        for name in passed {
            self.above[name as usize] = Above::Known(found);
        }
        found
    }

    /// Writes one line with all replacements. The replacements are read and written one by one.
    fn write_replacements(&self, file: &mut File, out: &mut impl Write) -> Result<(), Error> {
        let write = |error| Error::io("cannot write", self.fork.transcript(), error);
        let places = &self.survey.notes.replacements;
        if places.is_empty() {
            return Ok(());
        }
        let id = self.fork.id().as_str();
        write!(
            out,
            r#"{{"type":"content-replacement","sessionId":"{id}","replacements":["#
        )
        .map_err(write)?;
        let mut is_first = true;
        for place in places {
            let raw = self.read(file, *place)?;
            let line = Members::parse(&raw).ok_or_else(|| self.changed())?;
            let replacements = line.get("replacements").and_then(items);
            let objects = replacements
                .into_iter()
                .flatten()
                .filter(|item| item[0] == b'{');
            for item in objects {
                if !std::mem::take(&mut is_first) {
                    out.write_all(b",").map_err(write)?;
                }
                out.write_all(item).map_err(write)?;
            }
        }
        let (uuid, now) = (Uuid::new_v4(), &self.now);
        writeln!(out, r#"],"uuid":"{uuid}","timestamp":"{now}"}}"#).map_err(write)
    }

    /// Reads a line again.
    fn read(&self, file: &mut File, (offset, length): Place) -> Result<Vec<u8>, Error> {
        let mut raw = vec![0; length];
        let read = file
            .seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(&mut raw));
        read.map_err(|error| Error::io("cannot read", self.source.transcript(), error))?;
        Ok(raw)
    }

    fn changed(&self) -> Error {
        Error::Changed {
            path: self.source.transcript().to_owned(),
        }
    }
}

fn line_to(out: &mut impl Write, line: &[u8]) -> std::io::Result<()> {
    out.write_all(line)?;
    out.write_all(b"\n")
}

fn or_null(value: Option<Vec<u8>>) -> Vec<u8> {
    value.unwrap_or_else(|| b"null".to_vec())
}
