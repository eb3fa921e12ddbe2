//! The two ends of a transcript, which are all that is read of it for a list.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// How much of each end is read.
const MOST: usize = 64 << 10;

/// Both ends of a file. Used again for the next file: memory does not grow with the number of sessions.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    head: Vec<u8>,
    tail: Vec<u8>,
    /// The file is no longer than its head.
    is_whole: bool,
}

impl Ends {
    /// Reads the ends of a file of this length. One that shrinks meanwhile gives less, one that grows no more.
    pub(crate) fn read(&mut self, file: &mut File, length: u64) -> io::Result<()> {
        fill(&mut self.head, file)?;
        self.is_whole = length <= MOST as u64;
        self.tail.clear();
        if !self.is_whole {
            file.seek(SeekFrom::Start(length - MOST as u64))?;
            fill(&mut self.tail, file)?;
        }
        Ok(())
    }

    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// The head itself, of a short file.
    pub(crate) fn tail(&self) -> &[u8] {
        if self.is_whole {
            &self.head
        } else {
            &self.tail
        }
    }
}

fn fill(buffer: &mut Vec<u8>, file: &mut File) -> io::Result<()> {
    buffer.clear();
    file.take(MOST as u64).read_to_end(buffer)?;
    Ok(())
}
