//! Reads the conversation of a session.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use claw_types::store::SessionMessage;

use crate::chain::{self, Index, Kind, Mode, Role, Source};
use crate::{Entries, Error, Session, Subagent, file};

mod hosted;
mod lines;
mod shown;
mod window;

use lines::Line;
use shown::{Parents, message};

/// The size of a transcript, in bytes, from which on the lines before a compaction that kept no lines are skipped. The
/// CLI does the same.
const LARGE: u64 = 5 << 20;

/// A builder for a [`History`]: the messages of a conversation. Made by [`Session::messages`] and
/// [`Subagent::messages`].
#[derive(Debug, Clone)]
#[must_use = "nothing is read before `read`"]
pub struct Messages<'a> {
    of: Of<'a>,
    limit: Option<usize>,
    offset: usize,
    include_system: bool,
}

#[derive(Debug, Clone, Copy)]
enum Of<'a> {
    Session(&'a Session),
    Subagent(&'a Subagent),
}

/// The messages of a conversation, oldest first, and the lines that could not be read. Made by [`Messages::read`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct History {
    /// The messages.
    pub messages: Vec<SessionMessage>,
    /// The lines of the transcript that could not be read. All other lines were read.
    pub problems: Vec<Error>,
}

impl Session {
    /// Reads every line of the transcript.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the transcript cannot be opened.
    pub fn entries(&self) -> Result<Entries, Error> {
        Entries::open(self.transcript())
    }

    /// Reads the conversation as the CLI resumes it: the newest branch, after the last compaction.
    pub fn messages(&self) -> Messages<'_> {
        Messages::of(Of::Session(self))
    }
}

impl<'a> Messages<'a> {
    fn of(of: Of<'a>) -> Self {
        Self {
            of,
            limit: None,
            offset: 0,
            include_system: false,
        }
    }

    pub(crate) fn of_subagent(subagent: &'a Subagent) -> Self {
        Self::of(Of::Subagent(subagent))
    }

    /// Sets the maximum number of messages. 0 means no limit, as in the official SDKs.
    pub fn limit(mut self, messages: usize) -> Self {
        self.limit = (messages > 0).then_some(messages);
        self
    }

    /// Sets the number of oldest messages to skip.
    pub fn offset(mut self, messages: usize) -> Self {
        self.offset = messages;
        self
    }

    /// Includes messages of the CLI itself, such as the boundary of a compaction.
    pub fn include_system(mut self) -> Self {
        self.include_system = true;
        self
    }

    /// Reads the conversation.
    ///
    /// The file is read twice: first for the links between its lines (a few bytes per line are held in memory), then
    /// for the lines of the conversation. Thousands of lines are read by up to four threads. An offset or a limit saves
    /// memory, but not time: all lines are read and checked, because a broken line would break the links. Lines that
    /// are appended meanwhile are not read.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the transcript cannot be read. Broken lines in it are [problems](History::problems).
    pub fn read(self) -> Result<History, Error> {
        let path = match self.of {
            Of::Session(session) => session.transcript(),
            Of::Subagent(agent) => agent.transcript(),
        };
        self.read_file(path)
            .map_err(|error| Error::io("cannot read", path, error))
    }

    fn read_file(&self, path: &Path) -> io::Result<History> {
        let mut file = file::open(path)?;
        let length = file.metadata()?.len();
        let is_subagent = matches!(self.of, Of::Subagent(_));
        let mut mode = Mode {
            is_strict: false,
            skips_compacted: !is_subagent && length > LARGE,
            is_subagent,
        };
        let (mut messages, mut index, mut unread) = self.read_once(&mut file, length, mode)?;
        if unread > 0 {
            // A line that seemed complete is not valid JSON. Its links must not be used either, so everything is read
            // again strictly.
            mode.is_strict = true;
            (messages, index, unread) = self.read_once(&mut file, length, mode)?;
        }
        let mut history = History {
            messages,
            problems: Vec::new(),
        };
        if let Some((first, count)) = index.broken {
            history.problems.push(Error::Broken {
                path: path.to_owned(),
                first,
                count,
            });
        }
        if unread > 0 {
            let changed = io::Error::other("the file changed while it was read");
            let problem = Error::io("cannot read all of", path, changed);
            history.problems.push(problem);
        }
        Ok(history)
    }

    /// Reads the conversation. Also returns the number of its lines that could not be read, whether they are shown or
    /// not.
    fn read_once(
        &self,
        file: &mut File,
        length: u64,
        mode: Mode,
    ) -> io::Result<(Vec<SessionMessage>, Index, usize)> {
        file.seek(SeekFrom::Start(0))?;
        let index = Index::read(Read::by_ref(file).take(length), mode)?;
        let mut read = |offset, length| lines::read(file, offset, length);
        let conversation = chain::conversation(&index, mode.is_subagent, &mut read)?;
        let is_shown = |(source, role): &(Source, Role)| match (source, role) {
            (Source::Link(id), Role::Queued { .. }) => {
                mode.is_subagent || index.is_in_conversation(*id)
            }
            (Source::Link(id), _) => match index.kind(*id) {
                Kind::User | Kind::Assistant => mode.is_subagent || index.is_shown(*id),
                Kind::System => self.include_system && index.is_shown(*id),
                Kind::Attachment | Kind::Progress => false,
            },
            (Source::Row(_), _) => true,
        };
        let end = self.offset.saturating_add(self.limit.unwrap_or(usize::MAX));
        let page = self.offset..end;
        let (session, parents) = match self.of {
            Of::Session(session) => (session.id(), Parents::default()),
            Of::Subagent(agent) => (agent.session_id(), Parents::of(agent)),
        };
        let mut count = 0;
        let lines = conversation.pieces.iter().map(|piece| {
            let place = count;
            let is_shown = is_shown(piece);
            count += usize::from(is_shown);
            // The tool uses that the host hides are known only after all lines were read. So if the
            // host made tool uses, the page is selected later.
            let is_shown = is_shown && (index.has_host || page.contains(&place));
            let (source, role) = *piece;
            Line {
                source,
                role,
                is_shown,
            }
        });
        let lines: Vec<_> = lines.collect();
        let (messages, unread) = if index.has_host {
            let shown = |line: &[u8], role| message(line, role, session, &parents);
            let (messages, unread) =
                hosted::messages(file, &index, &conversation.rows, &lines, shown)?;
            let page = messages.into_iter().skip(page.start);
            (page.take(end - self.offset).collect(), unread)
        } else {
            lines::messages(file, &index, &lines, session, &parents)?
        };
        Ok((messages, index, unread))
    }
}
