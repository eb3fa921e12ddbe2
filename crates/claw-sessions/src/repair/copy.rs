//! The second reading of a transcript: writes the lines of the copy.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::path::Path;

use claw_types::SessionId;
use uuid::Uuid;

use super::calls::calls;
use super::change::RepairEffect::{Harmless, LeftOut, Recovered};
use super::change::{RepairProblem, RepairedFile, Report};
use super::content;
use super::line::{self, parts, record};
use super::survey::{Id, Kind, Link, Survey};
use crate::Error;
use crate::lines::Lines;
use crate::members::{Members, quoted};

/// Writes the copy of a transcript.
pub(super) struct Copy<'a> {
    source: &'a SessionId,
    target: &'a SessionId,
    survey: &'a Survey,
    report: &'a mut Report,
    kind: RepairedFile,
    uuids: std::collections::HashMap<super::survey::Name, &'a str>,
    /// The next link.
    next: Id,
}

impl<'a> Copy<'a> {
    pub(super) fn new(
        source: &'a SessionId,
        target: &'a SessionId,
        survey: &'a Survey,
        report: &'a mut Report,
        kind: RepairedFile,
    ) -> Self {
        Self {
            source,
            target,
            survey,
            report,
            kind,
            uuids: survey.uuids(),
            next: 0,
        }
    }

    /// Writes all lines. `places` is the same file, from which lines are read again. `title` is the title of the copy,
    /// with the time of the title.
    pub(super) fn write<R: Read>(
        &mut self,
        mut lines: Lines<R>,
        places: &mut File,
        path: &Path,
        mut out: impl Write,
        title: Option<(&str, String)>,
    ) -> Result<(), Error> {
        let read = |error| Error::io("cannot read", path, error);
        let write = |error| Error::io("cannot write the copy of", path, error);
        let changed = || Error::Changed {
            path: path.to_owned(),
        };
        while let Some(line) = lines.next().map_err(read)? {
            let Some(text) = line.text else {
                let bytes = line.length;
                self.report
                    .add(line.number, RepairProblem::TooLong { bytes }, Harmless);
                places.seek(SeekFrom::Start(line.offset)).map_err(read)?;
                let copied = io::copy(&mut places.take(bytes), &mut out).map_err(write)?;
                if copied != bytes {
                    return Err(changed());
                }
                out.write_all(b"\n").map_err(write)?;
                continue;
            };
            let parts = parts(text);
            line::report(line.number, text, &parts, self.report);
            for part in &parts {
                let Some(record) = &part.record else { continue };
                let written = self.record(&record.text, line.number, places);
                match written.map_err(read)? {
                    Written::Changed => return Err(changed()),
                    Written::Lines(lines) => {
                        for line in lines {
                            out.write_all(&line).map_err(write)?;
                            out.write_all(b"\n").map_err(write)?;
                        }
                    }
                }
            }
        }
        if self.next != self.survey.links.len() {
            return Err(changed());
        }
        if let Some((title, now)) = title {
            let (id, title) = (quoted(self.target.as_str()), quoted(title));
            let uuid = Uuid::new_v4();
            let start: &[u8] = b"{\"type\":\"custom-title\",\"sessionId\":";
            let rest = format!(",\"uuid\":\"{uuid}\",\"timestamp\":\"{now}\"}}\n");
            let line = [start, &id, b",\"customTitle\":", &title, rest.as_bytes()].concat();
            out.write_all(&line).map_err(write)?;
        }
        out.flush().map_err(write)
    }

    /// Returns the lines that replace a record.
    fn record(&mut self, text: &[u8], number: u64, places: &mut File) -> io::Result<Written> {
        let Some(members) = Members::parse(text) else {
            return Ok(Written::Changed);
        };
        if Kind::of(&members).is_none() {
            return Ok(Written::Lines(vec![self.renamed(members)]));
        }
        let survey = self.survey;
        let id = self.next;
        self.next += 1;
        // The second reading must find the same lines as the first one. Otherwise, the file was
        // changed.
        let Some(link) = survey.links.get(id).filter(|link| link.number == number) else {
            return Ok(Written::Changed);
        };
        if let Some(first) = link.first {
            let latest = survey.links[first].latest.unwrap_or(first);
            // A short line is not compared with a long line, which would be read once for each short one.
            let is_as_long = survey.links[latest].length == link.length;
            let is_same =
                latest == id || is_as_long && self.read(latest, places)?.as_deref() == Some(text);
            let (problem, effect) = if is_same {
                let of = survey.links[first].number;
                (RepairProblem::Duplicate { of }, Harmless)
            } else {
                let by = survey.links[latest].number;
                (RepairProblem::Superseded { by }, LeftOut)
            };
            self.report.add(number, problem, effect);
            return Ok(Written::Lines(Vec::new()));
        }
        if survey.left_out.contains(&id) {
            self.report
                .add(number, RepairProblem::PictureError, Recovered);
            return Ok(Written::Lines(Vec::new()));
        }
        let Some(latest) = link.latest else {
            return Ok(Written::Lines(self.link(members, id, number)));
        };
        let Some(other) = self.read(latest, places)? else {
            return Ok(Written::Changed);
        };
        if other != text {
            let by = survey.links[latest].number;
            self.report
                .add(number, RepairProblem::Superseded { by }, LeftOut);
        }
        let Some(members) = Members::parse(&other) else {
            return Ok(Written::Changed);
        };
        Ok(Written::Lines(self.link(members, id, number)))
    }

    /// Returns the lines that replace a link of the conversation.
    fn link(&mut self, mut members: Members<'_>, id: Id, number: u64) -> Vec<Vec<u8>> {
        if let Some(new) = self.survey.parents.get(&id) {
            let parent = members.text("parentUuid").unwrap_or_default().into_owned();
            let problem = RepairProblem::MissingParent {
                parent,
                now: new.parent.map(|now| self.survey.links[now].number),
            };
            let effect = if new.is_read { Harmless } else { Recovered };
            self.report.add(number, problem, effect);
            members.set("parentUuid", self.uuid(new.parent));
        }
        if let Some(now) = self.survey.moved.get(&id) {
            members.set("parentUuid", self.uuid(*now));
        }
        if self.kind == RepairedFile::Subagent {
            return vec![self.renamed(members)];
        }
        if members.text("type").as_deref() == Some("assistant") {
            let request = members.text("requestSessionId");
            let request = request.or_else(|| members.text("sessionId"));
            if let Some(request) = request.map(|session| quoted(&session)) {
                members.set("requestSessionId", request);
            }
        }
        let mended = content::mended(&members, number, self.survey, self.report);
        if let Some(message) = mended {
            members.set("message", message);
        }
        let uses = calls(&members).uses.into_iter();
        let unanswered: Vec<_> = uses
            .filter(|id| {
                let name = self.survey.name(id);
                name.is_some_and(|name| self.survey.unanswered.contains(&name))
            })
            .collect();
        let results = (!unanswered.is_empty()).then(|| {
            let uuid = Uuid::new_v4().to_string();
            content::results(&members, &unanswered, &uuid, self.target.as_str())
        });
        for id in unanswered {
            self.report
                .add(number, RepairProblem::UseWithoutResult { id }, Recovered);
        }
        let line = self.renamed(members);
        [Some(line), results].into_iter().flatten().collect()
    }

    /// Returns the UUID of a parent as JSON.
    fn uuid(&self, parent: Option<Id>) -> Vec<u8> {
        let uuid = parent.and_then(|parent| self.uuids.get(&self.survey.name_of(parent)));
        uuid.map_or_else(|| b"null".to_vec(), |uuid| quoted(uuid))
    }

    /// Returns a record with the session ID of the copy.
    fn renamed(&self, mut members: Members<'_>) -> Vec<u8> {
        if members.text("sessionId").as_deref() == Some(self.source.as_str()) {
            members.set("sessionId", quoted(self.target.as_str()));
        }
        members.to_text()
    }

    /// Reads a record again. Returns `None` if the file does not contain the record any more.
    fn read(&self, id: Id, places: &mut File) -> io::Result<Option<Vec<u8>>> {
        let Link { offset, length, .. } = &self.survey.links[id];
        let mut part = Vec::new();
        places.seek(SeekFrom::Start(*offset))?;
        places.take(*length).read_to_end(&mut part)?;
        Ok(record(&part).map(|record| record.text.into_owned()))
    }
}

/// The result for a record: the lines that replace it, if the file is unchanged.
enum Written {
    Lines(Vec<Vec<u8>>),
    /// The file was changed after it was first read.
    Changed,
}
