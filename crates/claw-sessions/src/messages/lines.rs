//! The lines that are shown, read by several threads where they are many: reading them takes longer than finding them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::panic::resume_unwind;
use std::thread::{self, available_parallelism};

use claw_types::SessionId;
use claw_types::store::SessionMessage;

use super::shown::{Parents, message};
use super::window::Window;
use crate::chain::{Index, Role, Source};
use crate::members::is_json;

/// How many lines are worth a thread.
const WORTH: usize = 2048;

/// How many threads there are at most: more would wait for memory, and not for a processor.
const THREADS: usize = if cfg!(any(unix, windows)) { 4 } else { 1 };

/// A line of the conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) source: Source,
    pub(super) role: Role,
    /// Whether it is read as a message. The others are checked all the same: a line that is not JSON links nothing,
    /// whichever page is read.
    pub(super) is_shown: bool,
}

/// The messages of those lines that are shown, in order, and how many of all lines could not be read.
pub(super) fn messages(
    file: &File,
    index: &Index,
    lines: &[Line],
    session: &SessionId,
    parents: &Parents,
) -> io::Result<(Vec<SessionMessage>, usize)> {
    let processors = available_parallelism().map_or(1, usize::from);
    let threads = (lines.len() / WORTH).min(processors).clamp(1, THREADS);
    let read = |lines: &[Line]| {
        let mut window = Window::new(At { file, at: 0 });
        let shown = lines.iter().filter(|line| line.is_shown).count();
        let (mut messages, mut unread) = (Vec::with_capacity(shown), 0);
        for line in lines {
            let Source::Link(id) = line.source else {
                continue;
            };
            let (offset, length) = index.place(id);
            let text = window.read(offset, length as usize)?;
            if !line.is_shown {
                unread += usize::from(!text.is_some_and(is_json));
                continue;
            }
            match text.and_then(|text| message(text, line.role, session, parents)) {
                Some(message) => messages.push(message),
                None => unread += 1,
            }
        }
        Ok::<_, io::Error>((messages, unread))
    };
    thread::scope(|scope| {
        let mut parts = lines.chunks(lines.len().div_ceil(threads).max(1));
        let first = parts.next().unwrap_or_default();
        let others: Vec<_> = parts
            .map(|lines| {
                let thread = thread::Builder::new();
                (lines, thread.spawn_scoped(scope, move || read(lines)))
            })
            .collect();
        let (mut messages, mut unread) = read(first)?;
        for (lines, thread) in others {
            let (more, more_unread) = match thread {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic))?,
                // The system has no thread to give.
                Err(_) => read(lines)?,
            };
            messages.extend(more);
            unread += more_unread;
        }
        Ok((messages, unread))
    })
}

/// One line.
pub(super) fn read(file: &File, offset: u64, length: u32) -> io::Result<Option<Vec<u8>>> {
    let mut window = Window::new(At { file, at: 0 });
    let text = window.read(offset, length as usize)?;
    Ok(text.map(<[u8]>::to_vec))
}

/// A file, read at a place of one's own: the file's is shared by all who have it open.
struct At<'a> {
    file: &'a File,
    at: u64,
}

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for At<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(at) = to else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        self.at = at;
        Ok(at)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

#[cfg(not(any(unix, windows)))]
fn read_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    file.seek(SeekFrom::Start(at))?;
    file.read(buffer)
}
