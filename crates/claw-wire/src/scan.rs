//! Finds the characters of a string that are not plain.

/// The value of `ALSO` with which only quotes, backslashes and control characters are found.
pub(crate) const PLAIN: u8 = b'"';
/// The first byte of U+2028 and U+2029, and of many others.
pub(crate) const SEPARATOR: u8 = 0xE2;

/// Returns the position of the next quote, backslash, control character or byte `ALSO`.
///
/// Compares eight bytes at a time, in an integer. (Sixteen bytes in a vector take fewer instructions but more time:
/// what is read next depends on where this string ends, and a vector gives that later.)
#[inline]
pub(crate) fn special<const ALSO: u8>(bytes: &[u8], from: usize) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
    let mut at = from;
    // A borrow can only mark a byte behind one that is marked rightly, and the first one counts.
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let quotes = word ^ (ONES * u64::from(b'"'));
        let slashes = word ^ (ONES * u64::from(b'\\'));
        let mut found = (quotes.wrapping_sub(ONES) & !quotes)
            | (slashes.wrapping_sub(ONES) & !slashes)
            | (word.wrapping_sub(ONES * 0x20) & !word);
        if ALSO != PLAIN {
            let others = word ^ (ONES * u64::from(ALSO));
            found |= others.wrapping_sub(ONES) & !others;
        }
        found &= HIGHS;
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 || byte == ALSO {
            return Some(at);
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{PLAIN, SEPARATOR, special};

    fn plainly(bytes: &[u8], from: usize, also: u8) -> Option<usize> {
        let special = |b: &u8| matches!(b, b'"' | b'\\' | 0..0x20) || *b == also;
        bytes
            .iter()
            .skip(from)
            .position(special)
            .map(|at| from + at)
    }

    /// The number of bytes: several machine words and a part of one. Under an interpreter, two words and a part of one.
    const LENGTH: usize = if cfg!(miri) { 18 } else { 40 };

    /// Every byte. Under an interpreter, only the bytes at the borders of the classes.
    fn all_bytes() -> Vec<u8> {
        if cfg!(miri) {
            b"\0\x1f !\"#[\\]\x7f\x80\xE1\xE2\xE3\xFF".to_vec()
        } else {
            (0..=u8::MAX).collect()
        }
    }

    #[test]
    fn every_byte_at_every_place_is_classified() {
        for byte in all_bytes() {
            for at in 0..LENGTH {
                let mut bytes = [b'x'; LENGTH];
                bytes[at] = byte;
                // A later special byte does not change the result.
                bytes[LENGTH - 1] = b'"';
                for from in 0..=LENGTH {
                    assert_eq!(
                        special::<PLAIN>(&bytes, from),
                        plainly(&bytes, from, PLAIN),
                        "{byte:#x} at {at}, from {from}"
                    );
                    assert_eq!(
                        special::<SEPARATOR>(&bytes, from),
                        plainly(&bytes, from, SEPARATOR),
                        "{byte:#x} at {at}, from {from}"
                    );
                }
            }
        }
    }
}
