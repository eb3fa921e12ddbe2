//! Reads parts of a file. Parts that are close to each other are read together.

use std::io::{self, Read, Seek, SeekFrom};

/// The number of bytes that are read at once.
const CHUNK: usize = 256 << 10;

/// A range of a file.
pub(super) struct Window<R> {
    file: R,
    buffer: Vec<u8>,
    /// The offset of the buffer in the file.
    start: u64,
}

impl<R: Read + Seek> Window<R> {
    pub(super) fn new(file: R) -> Self {
        Self {
            file,
            buffer: Vec::new(),
            start: 0,
        }
    }

    /// Reads the bytes at a place. Returns `None` if the file was truncated.
    pub(super) fn read(&mut self, offset: u64, length: usize) -> io::Result<Option<&[u8]>> {
        let within = offset
            .checked_sub(self.start)
            .and_then(|at| usize::try_from(at).ok())
            .filter(|at| at + length <= self.buffer.len());
        let at = if let Some(at) = within {
            at
        } else {
            self.buffer.clear();
            self.start = offset;
            self.file.seek(SeekFrom::Start(offset))?;
            let most = length.max(CHUNK) as u64;
            Read::by_ref(&mut self.file)
                .take(most)
                .read_to_end(&mut self.buffer)?;
            0
        };
        Ok(self.buffer.get(at..at + length))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn parts_are_found_in_any_order() {
        let bytes: Vec<u8> = (0..=255).cycle().take(3 * CHUNK).collect();
        let mut window = Window::new(Cursor::new(&bytes));
        for offset in [0, 7, 2 * CHUNK, 1, 3 * CHUNK - 5] {
            let read = window.read(offset as u64, 5).unwrap();
            assert_eq!(read, Some(&bytes[offset..offset + 5]));
        }
        assert_eq!(
            window.read(0, 2 * CHUNK).unwrap(),
            Some(&bytes[..2 * CHUNK])
        );
        assert_eq!(window.read(3 * CHUNK as u64 - 1, 2).unwrap(), None);
    }
}
