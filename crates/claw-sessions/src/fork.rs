//! Forks a session.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Take};
use std::path::Path;

use claw_types::{MessageUuid, SessionId};
use uuid::Uuid;

use crate::head_tail::HeadTail;
use crate::info::{forked_from, title};
use crate::lines::{LONGEST, Lines};
use crate::time::now;
use crate::title::trim;
use crate::{Error, Session, file, sidecar};

mod copy;
mod cut;
mod notes;
mod survey;

use copy::Copy;
use cut::Kept;
use survey::Survey;

/// A builder for a fork of a session. Made by [`Session::fork`].
#[derive(Debug, Clone)]
#[must_use = "nothing is forked before `run`"]
pub struct Fork<'a> {
    session: &'a Session,
    up_to: Option<MessageUuid>,
    title: Option<String>,
}

impl Session {
    /// Forks the session: the new session begins with the conversation that this session has now. Afterwards, the two
    /// sessions are independent. The crate [claw-client](https://docs.rs/claw-client) can resume the fork by its ID.
    ///
    /// The new transcript is in the same folder as the old one. The transcripts of sub-agents, and the file backups
    /// that an undo needs, are not copied.
    pub fn fork(&self) -> Fork<'_> {
        Fork {
            session: self,
            up_to: None,
            title: None,
        }
    }
}

impl Session {
    /// Returns the session of which this one is a fork, also if a `claude` has made the fork. Returns `None` for a session
    /// that is no fork. Reads the beginning of the transcript.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the transcript cannot be read.
    pub fn forked_from(&self) -> Result<Option<SessionId>, Error> {
        let read = |error| Error::io("cannot read", self.transcript(), error);
        let mut file = file::open(self.transcript()).map_err(read)?;
        let length = file.metadata().map_err(read)?.len();
        let mut ends = HeadTail::default();
        ends.read(&mut file, length).map_err(read)?;
        Ok(forked_from(&ends))
    }
}

impl Fork<'_> {
    /// Sets the last message that is copied to the fork, by its UUID. The message must be one of those that
    /// [`messages`](Session::messages) returns. By default, all messages are copied.
    ///
    /// If the copied part would contain the start of a compaction but not its summary, the fork ends before that
    /// compaction instead.
    pub fn up_to(mut self, message: impl Into<MessageUuid>) -> Self {
        self.up_to = Some(message.into());
        self
    }

    /// Sets the fork's title. The default is this session's title, or else its first prompt, followed by ` (fork)`.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Makes the fork: reads the transcript twice, and writes the new transcript under a temporary name. The new
    /// transcript gets its final name only when it is completely on the disk. So a fork exists either completely or
    /// not. No existing file is overwritten.
    ///
    /// Every line is copied unchanged, except for its references to the old session: the session's ID, the name of its
    /// team of agents, and references to lines of the old transcript. Only one line and the IDs of all lines are held
    /// in memory.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::NotFound`] if the session was deleted meanwhile. Also fails with [`Error::NothingToFork`],
    /// [`Error::NoSuchMessage`], [`Error::Changed`], [`Error::LineTooLong`] or [`Error::Io`]: see these variants.
    pub fn run(self) -> Result<Session, Error> {
        let source = self.session;
        let path = source.transcript();
        let read = |error| Error::io("cannot read", path, error);
        let mut file = match file::open(path) {
            Err(error) if crate::append::is_gone(&error) => return Err(source.not_found()),
            file => file.map_err(read)?,
        };
        // Lines that are written after this point are not part of the fork.
        let length = file.metadata().map_err(read)?.len();
        if length == 0 {
            return Err(source.not_found());
        }
        let title = match self.title.as_deref().map(trim) {
            Some(title) if !title.is_empty() => title.to_owned(),
            _ => format!(
                "{} (fork)",
                derived_title(&mut file, length, source).map_err(read)?
            ),
        };
        let survey = Survey::read(lines(&mut file, length).map_err(read)?, source)?;
        let kept = match &self.up_to {
            Some(message) => Kept::up_to(message.as_str(), &survey, &mut file, length, source)?,
            None => Kept::all(&survey),
        };

        let fork = source.beside(SessionId::from(Uuid::new_v4().to_string()));
        let folder = path.parent().unwrap_or(Path::new(""));
        let write = |error| Error::io("cannot write", fork.transcript(), error);
        let new = sidecar::create(folder).map_err(write)?;
        let mut copy = Copy::new(source, &fork, &survey, &kept, now());
        copy.write(&mut file, length, BufWriter::new(new.as_file()), &title)?;
        sidecar::publish(new, fork.transcript()).map_err(write)?;
        Ok(fork)
    }
}

/// Reads the lines of a file from its beginning.
fn lines(file: &mut File, length: u64) -> std::io::Result<Lines<Take<&mut File>>> {
    use std::io::Read as _;
    file.seek(SeekFrom::Start(0))?;
    Ok(Lines::new(file.take(length), LONGEST))
}

pub(crate) fn derived_title(
    file: &mut File,
    length: u64,
    session: &Session,
) -> std::io::Result<String> {
    let mut ends = HeadTail::default();
    ends.read(file, length)?;
    let title = title(ends.tail(), ends.head(), &session.folder());
    let title = title.or_else(|| ends.began().first.text.clone());
    Ok(title.unwrap_or_else(|| "Forked session".to_owned()))
}
