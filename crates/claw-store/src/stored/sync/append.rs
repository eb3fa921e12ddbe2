//! Stores only the lines that were added to a session's files.
//!
//! A mark is the record of the position up to which a transcript is stored.

use std::path::PathBuf;

use claw_sessions::{Entries, Session};

use super::state::{Mark, State, digest};
use super::{Run, write};
use crate::stored::StoredError;
use crate::stored::import::{ImportProblem, Piece, Reading, Source, sources};
use crate::{Batch, Epoch, Line, SessionRef, StoreKey, WriterId, pool};

impl Run<'_> {
    /// Appends the lines that follow the recorded positions of a session's transcripts, and adds their number to `new`.
    /// Returns `false` if the files or the store differ from the recorded state, or if the store has skipped a line
    /// because it already had the line's UUID. In these cases, the caller must compare the session with the store.
    pub(super) async fn append(
        &self,
        session: &Session,
        to: &SessionRef,
        state: &mut State,
        epoch: Option<Epoch>,
        new: &mut u64,
        problems: &mut Vec<ImportProblem>,
    ) -> Result<bool, StoredError> {
        if state.session != to.session() || state.project != to.project() {
            return Ok(false);
        }
        let here = session.clone();
        let (found, found_problems) = pool::run(move || sources(&here)).await;
        problems.extend(found_problems);
        let marks = state.transcripts.clone();
        let paths: Vec<_> = found
            .iter()
            .map(|source| (name(source).to_owned(), source.transcript.clone()))
            .collect();
        let checked = pool::run(move || {
            paths.iter().all(|(name, path)| {
                let mark = marks.get(name);
                mark.zip(path.as_ref())
                    .is_none_or(|(mark, path)| mark.is_valid(path))
            })
        });
        let Some(main) = state.transcripts.get("").filter(|_| state.total > 0) else {
            return Ok(false);
        };
        if !checked.await {
            return Ok(false);
        }
        // An empty batch stores nothing. Its response shows how many lines the store has.
        let writer = WriterId::new(&main.writer);
        let nothing = Batch {
            writer: &writer,
            number: 0,
            lines: &[],
            epoch,
        };
        let store = &*self.sync.stored.store;
        if store.append(&to.main(), nothing).await?.total != state.total {
            return Ok(false);
        }
        let reading = Reading::growing(session.id().as_str(), to.session());
        for source in found {
            let key = match &source.subpath {
                Some(subpath) => to.at(subpath.clone()),
                None => to.main(),
            };
            let name = name(&source).to_owned();
            if !state.transcripts.contains_key(&name) {
                let path = source.transcript.clone().unwrap_or_default();
                // If only the metadata file of the transcript exists so far, there is no transcript file, and creating
                // the mark fails. The transcript is stored later, when it has lines.
                let Ok(mark) = pool::run(move || Mark::new(&path, 0, 0)).await else {
                    continue;
                };
                state.transcripts.insert(name.clone(), mark);
                // The mark contains a new writer ID. The mark must be on the disk before the first line is stored with
                // this ID. Otherwise, a process that is killed in between would not know which lines it has stored.
                let mut without_stamp = state.clone();
                without_stamp.stamp.clear();
                write(without_stamp, State::path(&self.sync.folder, session)).await?;
            }
            let Some(mark) = state.transcripts.get_mut(&name) else {
                continue;
            };
            if !self.is_verified(&key, mark).await? {
                return Ok(false);
            }
            let added = self
                .append_source(&key, source, mark, &reading, epoch, problems)
                .await?;
            *new += added.new;
            if added.is_skipped {
                return Ok(false);
            }
            if name.is_empty() {
                state.total = added.total.unwrap_or(state.total);
            }
        }
        Ok(true)
    }

    /// Whether the number of lines that the store has from a writer is the recorded one. The store has more lines if
    /// this process was killed after it stored lines and before it wrote the state.
    async fn is_verified(&self, key: &StoreKey, mark: &Mark) -> Result<bool, StoredError> {
        let known = || {
            self.verified
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
        };
        if known().contains(&mark.writer) {
            return Ok(true);
        }
        let writer = WriterId::new(&mark.writer);
        let number = self.sync.stored.store.next_number(key, &writer).await?;
        let is_verified = number == mark.number;
        if is_verified {
            known().insert(mark.writer.clone());
        }
        Ok(is_verified)
    }

    /// Appends the lines that follow the position of a mark. Stops if the store has skipped a line because it already
    /// had the line's UUID.
    async fn append_source(
        &self,
        key: &StoreKey,
        source: Source,
        mark: &mut Mark,
        reading: &Reading,
        epoch: Option<Epoch>,
        problems: &mut Vec<ImportProblem>,
    ) -> Result<Added, StoredError> {
        let mut added = Added::default();
        let mut send = async |lines: &[Line], mark: &Mark| {
            let writer = WriterId::new(&mark.writer);
            let batch = Batch {
                writer: &writer,
                number: mark.number,
                lines,
                epoch,
            };
            let appended = self.sync.stored.store.append(key, batch).await?;
            added.new += appended.new;
            added.total = Some(appended.total);
            added.is_skipped |= appended.new != lines.len() as u64;
            Ok::<_, StoredError>(added.is_skipped)
        };
        if let Some(path) = source.transcript {
            loop {
                let piece = read(path.clone(), mark, reading.clone()).await?;
                for (line, reason) in piece.broken {
                    let path = path.clone();
                    problems.push(ImportProblem {
                        path,
                        line: Some(line),
                        reason,
                    });
                }
                let lines: Vec<Line> = piece.lines.into_iter().map(|(_, line)| line).collect();
                if !lines.is_empty() && send(&lines, mark).await? {
                    return Ok(added);
                }
                if let Some(end) = piece.end {
                    let (path, stored) = (path.clone(), lines.len() as u64);
                    let mut moved = mark.clone();
                    let advanced = pool::run(move || {
                        let done = moved.advance(&path, end, stored);
                        done.map(|()| moved)
                            .map_err(|error| StoredError::io("cannot read", path, error))
                    });
                    *mark = advanced.await?;
                }
                if piece.is_last {
                    break;
                }
            }
        }
        if let Some(line) = source.metadata {
            let metadata = digest(line.as_str().as_bytes());
            if mark.metadata.as_ref() != Some(&metadata) {
                send(&[line], mark).await?;
                mark.number += 1;
                mark.metadata = Some(metadata);
            }
        }
        Ok(added)
    }
}

/// The result of appending the lines of a file.
#[derive(Debug, Default, Clone, Copy)]
struct Added {
    /// The number of new lines.
    new: u64,
    /// The number of lines that the transcript now has in the store. `None` if no line was appended.
    total: Option<u64>,
    /// Whether the store has skipped a line, because it already has the line's UUID.
    is_skipped: bool,
}

async fn read(path: PathBuf, mark: &Mark, reading: Reading) -> Result<Piece, StoredError> {
    let (offset, lines) = (mark.offset, mark.lines);
    let piece = pool::run(move || {
        let mut entries = Entries::open_at(&path, offset, lines)?;
        Piece::read(&mut entries, &reading)
    });
    Ok(piece.await?)
}

fn name(source: &Source) -> &str {
    source.subpath.as_ref().map_or("", crate::Subpath::as_str)
}
