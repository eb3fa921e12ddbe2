//! Imports a session from disk into a store.

use std::path::PathBuf;

use claw_sessions::{Entries, Session};
use claw_types::{Json, Map};

use super::lines::Allowance;
use super::{Limits, StoredError};
use crate::adapter::names;
use crate::digest::Digest;
use crate::{Batch, Epoch, Line, SessionRef, SessionStore, StoreKey, Subpath, WriterId, pool};

mod files;
mod known;

pub use files::agent_metadata;
pub(super) use files::{Source, sources};
use known::Known;

/// The maximum number of lines in a batch. A batch also ends at about `BYTES` bytes.
const LINES: usize = 500;
const BYTES: usize = 1 << 20;

/// The maximum number of problems that are listed individually.
const PROBLEMS: usize = 100;

/// The problem of a line that has the same UUID as an earlier line of the file, but other contents. Such a line is not
/// imported.
const CHANGED: &str = "an earlier line has the same UUID and other contents";

/// A builder of an import, which copies a session from disk into a store.
///
/// For each transcript, the import appends the lines that the store lacks, in their order. So lines that could not be
/// stored while the session ran can be stored later. A second import adds nothing. If a file has grown since the last
/// import, the next import adds the new lines.
///
/// A store has each UUID only once. If several lines of a file have the same UUID, the import stores the first of them.
/// If another of these lines has different contents, it is a [problem](Imported::problems).
///
/// Lines whose `type` begins with `api-request` are left out, because the CLI does not pass them to a store either. The
/// `.meta.json` file beside a sub-agent's transcript becomes a line of type `agent_metadata` in that transcript.
#[derive(Debug, Clone)]
#[must_use = "nothing is imported before `run`"]
pub struct Import<'a> {
    session: &'a Session,
    to: Option<SessionRef>,
    epoch: Option<Epoch>,
    limits: Limits,
    /// Whether the session is still being written. Set by [`SessionSync`](super::SessionSync).
    is_growing: bool,
}

/// The result of an import.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Imported {
    /// The number of lines that the import added to the store.
    pub new: u64,
    /// The transcripts, each with the number of lines that it now has in the store. The main transcript comes first.
    pub transcripts: Vec<(StoreKey, u64)>,
    /// The number of lines that were left out, because the CLI does not pass such lines to a store: see
    /// [`is_mirrored`].
    pub left_out: u64,
    /// The first hundred problems. A problem is a file or a line that could not be imported. Everything else was
    /// imported.
    pub problems: Vec<ImportProblem>,
    /// The total number of problems.
    pub problem_count: u64,
    /// The positions up to which the transcripts were read.
    pub(super) ends: Vec<End>,
}

/// The position up to which a transcript was read.
#[derive(Debug, Clone)]
pub(super) struct End {
    pub(super) subpath: Option<Subpath>,
    /// The offset after the last line.
    pub(super) offset: u64,
    /// The number of lines before the offset.
    pub(super) lines: u64,
    /// The number of lines of the transcript in the store.
    pub(super) total: u64,
}

/// A file or a line that could not be imported.
#[derive(Debug, thiserror::Error, Clone)]
#[error("{}{}: {reason}", path.display(), at(*line))]
#[non_exhaustive]
pub struct ImportProblem {
    /// The file with the problem.
    pub path: PathBuf,
    /// The number of the line, counted from 1. `None` if the problem is about the whole file.
    pub line: Option<u64>,
    /// The reason why the file or line could not be imported.
    pub reason: String,
}

fn at(line: Option<u64>) -> String {
    line.map(|line| format!(", line {line}"))
        .unwrap_or_default()
}

impl<'a> Import<'a> {
    /// Creates an import of a session on disk. By default, the session's project in the store has the name of the
    /// folder that contains the transcript.
    pub fn new(session: &'a Session) -> Self {
        Self {
            session,
            to: None,
            epoch: None,
            limits: Limits::default(),
            is_growing: false,
        }
    }

    /// Imports a session that is still being written. If the last line has no line end, the next import stores it.
    /// Lines that record the session's directory are left out, because each machine has another directory. If the
    /// session has another ID in the store, the stored lines contain that ID.
    pub(super) fn growing(mut self) -> Self {
        self.is_growing = true;
        self
    }

    /// Sets the project and the ID that the session gets in the store.
    pub fn to(mut self, session: SessionRef) -> Self {
        self.to = Some(session);
        self
    }

    /// Sets the epoch of the caller's claim on the session. By default, lines are appended without an epoch.
    pub fn epoch(mut self, epoch: Epoch) -> Self {
        self.epoch = Some(epoch);
        self
    }

    /// Sets the limits for data from the store. The import reads this data to determine which lines are already stored.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Imports the session: the main transcript, then the others, in batches of 500 lines or about 1 MiB. Each
    /// transcript of the store is loaded once, to determine which lines it has. This needs about 100 bytes of memory for
    /// each line.
    ///
    /// # Errors
    ///
    /// Fails with [`StoredError::Store`] for any error of the store, and with [`StoredError::Sessions`] if a transcript
    /// cannot be read. Lines that were stored before the error stay. A later call stores the rest, also after
    /// [`Uncertain`](crate::StoreError::Uncertain).
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the lines that were already stored remain in the store. A later call stores the others.
    pub async fn run(self, store: &dyn SessionStore) -> Result<Imported, StoredError> {
        let to = match self.to {
            Some(to) => to,
            None => SessionRef::new(project(self.session), self.session.id().as_str())
                .map_err(crate::StoreError::from)?,
        };
        let mut left = Allowance::new(&to, self.limits);
        let mut done = Imported::default();
        let session = self.session.clone();
        let (sources, problems) = pool::run(move || sources(&session)).await;
        for problem in problems {
            done.add(problem);
        }
        let reading = if self.is_growing {
            Reading::growing(self.session.id().as_str(), to.session())
        } else {
            Reading::default()
        };
        for source in sources {
            let key = match &source.subpath {
                Some(subpath) => to.at(subpath.clone()),
                None => to.main(),
            };
            let transcript = Transcript {
                store,
                key: &key,
                epoch: self.epoch,
                done: &mut done,
                reading: &reading,
            };
            let total = transcript.import(source, &mut left).await?;
            if total > 0 {
                done.transcripts.push((key, total));
            }
        }
        Ok(done)
    }
}

/// Returns the project of a session: the name of the folder that contains its transcript.
pub(super) fn project(session: &Session) -> String {
    let folder = session.transcript().parent();
    let name = folder
        .and_then(|folder| folder.file_name())
        .unwrap_or_default();
    let name = name.to_string_lossy();
    names::unescaped(&name)
        .unwrap_or_else(|| name.clone())
        .into_owned()
}

impl Imported {
    fn add(&mut self, problem: ImportProblem) {
        self.problem_count += 1;
        if self.problems.len() < PROBLEMS {
            self.problems.push(problem);
        }
    }
}

/// The import of one transcript.
struct Transcript<'a> {
    store: &'a dyn SessionStore,
    key: &'a StoreKey,
    epoch: Option<Epoch>,
    done: &'a mut Imported,
    reading: &'a Reading,
}

impl Transcript<'_> {
    async fn import(mut self, source: Source, left: &mut Allowance) -> Result<u64, StoredError> {
        let mut known = Known::load(self.store, self.key, left).await?;
        let mut total = known.lines;
        let mut sending = Sending::default();
        let (mut end, subpath) = ((0, 0), source.subpath.clone());
        if let Some(path) = source.transcript {
            let opened = pool::run(move || Entries::open(&path).map(|entries| (entries, path)));
            let (mut entries, path) = opened.await?;
            loop {
                let reading = self.reading.clone();
                let read = pool::run(move || {
                    let piece = Piece::read(&mut entries, &reading)?;
                    Ok::<_, StoredError>((entries, piece))
                });
                let (rest, piece) = read.await?;
                entries = rest;
                self.done.left_out += piece.left_out;
                if let Some(read) = piece.end {
                    end = read;
                }
                let mut problems = piece.broken;
                let is_last = piece.is_last;
                for (at, line) in piece.lines {
                    if known.is_changed(&line) {
                        problems.push((at, CHANGED.to_owned()));
                        continue;
                    }
                    if !known.has(&line) {
                        sending.add(at, line);
                    }
                    if sending.is_full() {
                        self.send(&mut sending, &mut total).await?;
                    }
                }
                problems.sort_by_key(|(line, _)| *line);
                for (line, reason) in problems {
                    self.done.add(ImportProblem {
                        path: path.clone(),
                        line: Some(line),
                        reason,
                    });
                }
                if is_last {
                    break;
                }
            }
        }
        if let Some(line) = source.metadata
            && !known.has_metadata(&line)
        {
            sending.add(u64::MAX, line);
        }
        self.send(&mut sending, &mut total).await?;
        self.done.ends.push(End {
            subpath,
            offset: end.0,
            lines: end.1,
            total,
        });
        Ok(total)
    }

    async fn send(&mut self, sending: &mut Sending, total: &mut u64) -> Result<(), StoredError> {
        let Some(writer) = &sending.writer else {
            return Ok(());
        };
        if sending.lines.is_empty() {
            return Ok(());
        }
        let batch = Batch {
            writer,
            number: sending.number,
            lines: &sending.lines,
            epoch: self.epoch,
        };
        let appended = self.store.append(self.key, batch).await?;
        self.done.new += appended.new;
        *total = appended.total;
        sending.number += sending.lines.len() as u64;
        sending.lines.clear();
        sending.bytes = 0;
        Ok(())
    }
}

/// The lines that are collected for the next append.
#[derive(Default)]
struct Sending {
    /// An ID that depends on the lines that the store lacked when it was read. If an import is repeated and finds the
    /// same lines missing, it uses the same ID. So lines that are still on their way to the store are not stored twice.
    writer: Option<WriterId>,
    /// The number of the first collected line.
    number: u64,
    lines: Vec<Line>,
    bytes: usize,
}

impl Sending {
    fn add(&mut self, at: u64, line: Line) {
        if self.writer.is_none() {
            let mut digest = Digest::default();
            digest.add(line.as_str().as_bytes());
            self.writer = Some(WriterId::new(&format!("import-{at}-{digest}")));
        }
        self.bytes += line.as_str().len();
        self.lines.push(line);
    }

    fn is_full(&self) -> bool {
        self.lines.len() >= LINES || self.bytes >= BYTES
    }
}

/// The rules for storing the lines of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Reading {
    is_growing: bool,
    /// The ID that the session has on disk, and the other ID that it has in the store. `None` if they are the same.
    ids: Option<(String, String)>,
}

impl Reading {
    pub(super) fn growing(here: &str, there: &str) -> Self {
        Self {
            is_growing: true,
            ids: (here != there).then(|| (here.to_owned(), there.to_owned())),
        }
    }

    /// Whether the line is to be stored.
    fn has(&self, line: &Line) -> bool {
        is_mirrored(line) && !(self.is_growing && is_of_kind(line, "relocated"))
    }

    /// Returns the line in the form in which it is stored.
    fn stored(&self, line: Line) -> Line {
        match &self.ids {
            Some((here, there)) => with_session(&line, here, there).unwrap_or(line),
            None => line,
        }
    }
}

/// Replaces the session ID `from` in a line with `to`. Returns `None` if the line does not contain the session ID
/// `from`.
pub(super) fn with_session(line: &Line, from: &str, to: &str) -> Option<Line> {
    if !line.as_str().contains("\"sessionId\"") {
        return None;
    }
    let mut members: Map<Json> = line.json().parse().ok()?;
    if members.get("sessionId")?.as_str()? != from {
        return None;
    }
    members.insert("sessionId", Json::from(serde_json::Value::from(to)));
    Line::new(serde_json::to_string(&members).ok()?).ok()
}

/// Consecutive lines of a file, which were read in one step.
#[derive(Default)]
pub(super) struct Piece {
    /// The lines. Each has its number in the file, counted from 1.
    pub(super) lines: Vec<(u64, Line)>,
    left_out: u64,
    pub(super) broken: Vec<(u64, String)>,
    pub(super) is_last: bool,
    /// The offset after the last line, and the number of that line. `None` if the piece contains no line.
    pub(super) end: Option<(u64, u64)>,
}

impl Piece {
    pub(super) fn read(
        entries: &mut Entries,
        reading: &Reading,
    ) -> Result<Self, claw_sessions::Error> {
        let mut piece = Self::default();
        let mut bytes = 0;
        while bytes < BYTES && piece.lines.len() < LINES && piece.broken.len() < PROBLEMS {
            let Some(entry) = entries.next().transpose()? else {
                piece.is_last = true;
                break;
            };
            if reading.is_growing && !entry.is_ended() {
                piece.is_last = true;
                break;
            }
            piece.end = Some((entry.next_offset(), entry.number()));
            if entry.is_blank() {
                continue;
            }
            let number = entry.number();
            let Some(raw) = entry.raw() else {
                let reason = format!("the line has {} bytes, over the limit", entry.length());
                piece.broken.push((number, reason));
                continue;
            };
            bytes += raw.len();
            let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
            match Line::from_bytes(raw) {
                Ok(line) if reading.has(&line) => {
                    piece.lines.push((number, reading.stored(line)));
                }
                Ok(_) => piece.left_out += 1,
                Err(reason) => piece.broken.push((number, reason.to_string())),
            }
        }
        Ok(piece)
    }
}

/// Whether the CLI also passes this line of a transcript to a store, which it calls mirroring. The CLI passes all lines
/// except its records of requests to the API.
pub fn is_mirrored(line: &Line) -> bool {
    const OWN: &str = "api-request";
    let is_own = || kind(line).is_some_and(|kind| kind.starts_with(OWN));
    !(line.as_str().contains(OWN) && is_own())
}

/// Whether the line has this `type`.
pub(super) fn is_of_kind(line: &Line, name: &str) -> bool {
    line.as_str().contains(name) && kind(line).is_some_and(|kind| kind == name)
}

fn kind(line: &Line) -> Option<String> {
    Some(line.json().get("type")?.as_str()?.into_owned())
}
