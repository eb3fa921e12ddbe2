//! Reads the shown lines. Many lines are read by several threads, because reading them takes longer than finding them.

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

/// The number of lines for each of which a further thread is started.
const WORTH: usize = 2048;

/// The maximum number of threads. More threads would wait for memory and not for a processor.
const THREADS: usize = if cfg!(any(unix, windows)) { 4 } else { 1 };

/// A line of the conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) source: Source,
    pub(super) role: Role,
    /// Whether the line is converted to a message. All other lines are checked too, because a line that is not JSON
    /// breaks the links of every page.
    pub(super) is_shown: bool,
}

/// Returns the messages of the shown lines in order, and the number of lines that could not be read.
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
                // No thread could be started, so this thread reads the lines.
                Err(_) => read(lines)?,
            };
            messages.extend(more);
            unread += more_unread;
        }
        Ok((messages, unread))
    })
}

/// Reads a line.
pub(super) fn read(file: &File, offset: u64, length: u32) -> io::Result<Option<Vec<u8>>> {
    let mut window = Window::new(At { file, at: 0 });
    let text = window.read(offset, length as usize)?;
    Ok(text.map(<[u8]>::to_vec))
}

/// A file with its own read position. The position of the file itself is shared by all readers.
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
