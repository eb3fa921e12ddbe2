//! The two ends of a transcript, the only parts that a list reads.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use memchr::{memchr_iter, memrchr};

use crate::prompt::FirstPrompt;
use crate::scan::first_text;

/// The number of bytes that are read at each end of an ordinary transcript.
const MOST: usize = 64 << 10;

/// The first prompt is searched only in lines that begin within this number of bytes.
const PROMPT_WITHIN: usize = 1 << 20;

/// The maximum size of the head or the tail, in bytes. The API accepts requests of half this size, and a prompt is one
/// line.
const LONGEST: usize = 64 << 20;

/// Both ends of a file. The buffers are reused for the next file, so memory does not grow with the number of sessions.
///
/// If lines are long, such as a prompt with a picture, an end is longer than usual. The head is extended until it
/// contains the directory, the time and the prompt with which the session began. The tail contains at least the last
/// two lines.
#[derive(Debug, Default)]
pub(crate) struct HeadTail {
    head: Vec<u8>,
    tail: Vec<u8>,
    /// Whether the file is short, so that the head contains all of it.
    is_whole: bool,
    began: Began,
}

/// The beginning of a session, as far as the head of its transcript contains it.
#[derive(Debug, Default)]
pub(crate) struct Began {
    pub(crate) cwd: Option<String>,
    pub(crate) timestamp: Option<String>,
    pub(crate) first: FirstPrompt,
}

impl Began {
    fn of(head: &[u8]) -> Self {
        Self {
            cwd: first_text(head, "cwd"),
            timestamp: first_text(head, "timestamp"),
            first: FirstPrompt::of(head),
        }
    }

    /// Whether no more of the file need be read.
    fn is_enough(&self, head: &[u8]) -> bool {
        let has_place = self.cwd.is_some() && self.timestamp.is_some();
        // A line that begins before this limit is read to its end.
        let is_far = || memrchr(b'\n', head).is_some_and(|end| end >= PROMPT_WITHIN);
        has_place && (self.first.is_found() || is_far())
    }
}

impl HeadTail {
    /// Reads the ends of a file of this length. If the file is truncated meanwhile, the ends are shorter. If the file
    /// grows meanwhile, the ends are not longer.
    pub(crate) fn read(&mut self, file: &mut File, length: u64) -> io::Result<()> {
        for end in [&mut self.head, &mut self.tail] {
            end.clear();
            end.shrink_to(4 * MOST);
        }
        let most = usize::try_from(length).unwrap_or(LONGEST).min(LONGEST);
        let mut size = MOST;
        loop {
            let read = self.head.len();
            more(&mut self.head, file, size - read)?;
            self.began = Began::of(&self.head);
            let is_exhausted = self.head.len() < size || size >= most;
            if is_exhausted || self.began.is_enough(&self.head) {
                break;
            }
            size = (2 * size).min(most);
        }
        self.is_whole = length <= MOST as u64;
        if self.is_whole {
            return Ok(());
        }
        let mut size = MOST;
        loop {
            self.tail.clear();
            file.seek(SeekFrom::Start(length - size as u64))?;
            more(&mut self.tail, file, size)?;
            if size >= most || has_lines(&self.tail) {
                return Ok(());
            }
            size = (2 * size).min(most);
        }
    }

    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The tail of a short file is the head itself.
    pub(crate) fn tail(&self) -> &[u8] {
        if self.is_whole {
            &self.head
        } else {
            &self.tail
        }
    }

    pub(crate) fn began(&self) -> &Began {
        &self.began
    }
}

/// Whether a tail contains the last two lines completely.
fn has_lines(tail: &[u8]) -> bool {
    let lines = tail.strip_suffix(b"\n").unwrap_or(tail);
    memchr_iter(b'\n', lines).nth(1).is_some()
}

fn more(buffer: &mut Vec<u8>, file: &mut File, bytes: usize) -> io::Result<()> {
    file.take(bytes as u64).read_to_end(buffer)?;
    Ok(())
}
