//! Converts text in UTF-16 to UTF-8. The operator `>` of Windows PowerShell 5.1 writes UTF-16.

use std::io::{self, BufRead, BufReader, Read};

/// The number of bytes that are decoded at once.
const CHUNK: usize = 64 << 10;

/// Returns the text of a reader as UTF-8. If the text begins with the byte order mark of UTF-16, converts it. Waits for
/// the first bytes.
pub(crate) fn as_utf8<'a>(mut reader: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let unit: fn([u8; 2]) -> u16 = match reader.fill_buf()? {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return Ok(Box::new(reader)),
    };
    Ok(Box::new(BufReader::new(Decoder {
        reader,
        unit,
        bytes: Vec::new(),
        text: io::Cursor::default(),
    })))
}

struct Decoder<R> {
    reader: R,
    unit: fn([u8; 2]) -> u16,
    /// The bytes that were read but do not form a complete character yet.
    bytes: Vec<u8>,
    /// The decoded text.
    text: io::Cursor<Vec<u8>>,
}

impl<R: BufRead> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.text.read(buffer)?;
            if read > 0 || buffer.is_empty() || !self.decode()? {
                return Ok(read);
            }
        }
    }
}

impl<R: BufRead> Decoder<R> {
    /// Decodes the next bytes. Returns `false` at the end.
    fn decode(&mut self) -> io::Result<bool> {
        let before = self.bytes.len();
        let mut more = vec![0; CHUNK];
        let count = self.reader.read(&mut more)?;
        self.bytes.extend(&more[..count]);
        let is_end = count == 0;
        if is_end && before == 0 {
            return Ok(false);
        }
        let (pairs, odd) = self.bytes.as_chunks::<2>();
        let mut units: Vec<u16> = pairs.iter().map(|pair| (self.unit)(*pair)).collect();
        let mut rest = odd.to_vec();
        // The first half of a surrogate pair waits until the second half is read.
        if !is_end
            && units
                .last()
                .is_some_and(|unit| (0xd800..0xdc00).contains(unit))
        {
            units.pop();
            rest.splice(0..0, pairs.last().into_iter().flatten().copied());
        }
        if is_end {
            rest.clear();
        }
        let decoded = char::decode_utf16(units);
        let text: String = decoded
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        self.bytes = rest;
        self.text = io::Cursor::new(text.into_bytes());
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_are_read_in_pieces_of_any_length() {
        let text = "\u{feff}{\"a\":\"é😀\"}\r\nend";
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = text.encode_utf16().flat_map(unit).collect();
            for piece in 2..9 {
                let reader = BufReader::with_capacity(piece, &bytes[..]);
                let mut read = String::new();
                as_utf8(reader).unwrap().read_to_string(&mut read).unwrap();
                assert_eq!(read, text, "{piece}");
            }
        }
        let mut read = String::new();
        as_utf8("é".as_bytes())
            .unwrap()
            .read_to_string(&mut read)
            .unwrap();
        assert_eq!(read, "é");
    }
}
