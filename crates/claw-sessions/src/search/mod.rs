//! Searches a text in many sessions.

mod lines;
mod needle;
mod texts;

use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use claw_types::SessionId;
use serde::Serialize;

use crate::stream::Stream;
use crate::{Error, Session, Sessions};

pub use lines::{LineHit, LineSearch, LineTexts, UnsearchedLine};

use lines::search_line;
use needle::Needle;

/// A builder for a search. Made by [`Sessions::search`].
#[derive(Debug, Clone)]
#[must_use = "nothing is read before `run`"]
pub struct Search<'a> {
    sessions: &'a Sessions,
    text: String,
    project: Option<PathBuf>,
    ignore_case: bool,
    everything: bool,
    end: Arc<AtomicBool>,
}

/// A line of a transcript that contains the searched text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Hit {
    /// The ID of the session.
    pub session_id: SessionId,
    /// The ID of the sub-agent whose transcript contains the match. Null if the match is in the session's own
    /// transcript.
    pub subagent: Option<String>,
    /// The configuration folder of the session. For a session of a store, the one in which it is continued.
    pub config_dir: PathBuf,
    /// The file that was searched. For a session of a store, the key of the transcript.
    pub transcript: PathBuf,
    /// The number of the line in the transcript, counted from 1.
    pub line: u64,
    /// The kind of entry, such as `user` or `assistant`.
    pub kind: String,
    /// The entry's UUID. Null for entries without a UUID, such as titles.
    pub uuid: Option<String>,
    /// The time at which the entry was written, in ISO 8601 format. Null if the entry has no time.
    pub timestamp: Option<String>,
    /// The first match with the text around it: up to 80 characters before the match, and up to 80 after it.
    pub excerpt: String,
    /// The byte range of the match in the excerpt.
    #[cfg_attr(feature = "schema", schemars(with = "Found"))]
    pub found: Range<usize>,
}

/// A range of bytes, from `start` to before `end`.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "HitRange")]
#[expect(dead_code, reason = "a `Range` as it is written")]
struct Found {
    /// The first byte of the range, from 0.
    start: usize,
    /// The first byte after the range.
    end: usize,
}

impl Sessions {
    /// Searches the texts that users and models have written, in the sessions of all projects and in their sub-agents.
    /// The searched text is matched literally; it is not a pattern.
    pub fn search(&self, text: impl Into<String>) -> Search<'_> {
        Search {
            sessions: self,
            text: text.into(),
            project: None,
            ignore_case: false,
            everything: false,
            end: Arc::default(),
        }
    }
}

impl Search<'_> {
    /// Sets the directory whose sessions are searched.
    pub fn project(mut self, directory: impl Into<PathBuf>) -> Self {
        self.project = Some(directory.into());
        self
    }

    /// Ignores the difference between upper case and lower case, in all writing systems.
    pub fn ignore_case(mut self) -> Self {
        self.ignore_case = true;
        self
    }

    /// Searches all texts of all lines, including the inputs and results of tools, thinking, attachments, titles and
    /// notes.
    pub fn everything(mut self) -> Self {
        self.everything = true;
        self
    }

    /// Ends the search once this flag is true. The flag is read before each line, so that the search of a large file
    /// ends soon.
    pub fn end_when(mut self, flag: Arc<AtomicBool>) -> Self {
        self.end = flag;
        self
    }

    /// Starts the search. The sessions that were changed last come first. The hits of a session come in the order of
    /// its lines. The search for an empty text has no hits.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the folder that contains all projects exists but cannot be read.
    pub fn run(self) -> Result<Hits, Error> {
        let found = self.sessions.scope(self.project.as_deref())?;
        let mut sessions = found.sessions;
        sessions.reverse();
        if self.text.is_empty() {
            sessions.clear();
        }
        Ok(Hits {
            needle: Needle::new(&self.text, self.ignore_case),
            everything: self.everything,
            end: self.end,
            sessions,
            files: VecDeque::new(),
            current: None,
            problems: found.problems.into(),
        })
    }
}

/// An iterator over the lines that contain the searched text. Made by [`Search::run`]. The files are searched when the
/// next item is requested.
///
/// The iterator holds one line and the names of the files in memory. A file or a line that cannot be read is a separate
/// item, and the search continues after it. A line over 32 MiB is not searched.
pub struct Hits {
    needle: Needle,
    everything: bool,
    end: Arc<AtomicBool>,
    /// The remaining sessions. The last one is searched next.
    sessions: Vec<Session>,
    /// The remaining files of the current session.
    files: VecDeque<Source>,
    current: Option<(Stream, Source)>,
    problems: VecDeque<Error>,
}

#[derive(Debug, Clone)]
struct Source {
    session_id: SessionId,
    subagent: Option<String>,
    home: Sessions,
    transcript: PathBuf,
}

impl std::fmt::Debug for Hits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut hits = f.debug_struct("Hits");
        hits.field("sessions", &self.sessions.len())
            .finish_non_exhaustive()
    }
}

impl Iterator for Hits {
    type Item = Result<Hit, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.end.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(problem) = self.problems.pop_front() {
                return Some(Err(problem));
            }
            let Some((stream, source)) = &mut self.current else {
                self.open()?;
                continue;
            };
            let mut hit = None;
            let (needle, everything, end) = (&self.needle, self.everything, &self.end);
            let read = stream.each(|line, bytes| {
                if end.load(Ordering::Relaxed) {
                    return Ok(false);
                }
                let found = search_line(needle, everything, bytes)?;
                hit = found.map(|found| source.hit(line.number, found));
                Ok(hit.is_none())
            });
            if let Some(hit) = hit {
                return Some(Ok(hit));
            }
            self.problems.extend(read.err());
            if let Some((stream, _)) = self.current.take() {
                self.problems.extend(stream.problem());
            }
        }
    }
}

impl Hits {
    /// Opens the next file. Returns `None` if none is left.
    fn open(&mut self) -> Option<()> {
        let Some(source) = self.files.pop_front() else {
            let session = self.sessions.pop()?;
            let subagents = session.subagents();
            self.problems.extend(subagents.problems);
            let of = |subagent, transcript: &std::path::Path| Source {
                session_id: session.id().clone(),
                subagent,
                home: session.sessions().clone(),
                transcript: transcript.to_owned(),
            };
            self.files.push_back(of(None, session.transcript()));
            let subagents = subagents.subagents.iter();
            self.files.extend(
                subagents.map(|subagent| of(Some(subagent.id().to_owned()), subagent.transcript())),
            );
            return Some(());
        };
        match Stream::open(&source.transcript) {
            Ok(stream) => self.current = stream.map(|stream| (stream, source)),
            Err(error) => self.problems.push_back(error),
        }
        Some(())
    }
}

impl Source {
    fn hit(&self, line: u64, hit: LineHit) -> Hit {
        let id = self.session_id.clone();
        let mut hit = hit.of(id, self.home.config_dir(), &self.transcript, line);
        hit.subagent.clone_from(&self.subagent);
        hit
    }
}

#[cfg(test)]
mod tests;
