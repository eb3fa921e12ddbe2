//! Where a string's text is not plain.

/// Nothing but what JSON itself minds.
pub(super) const PLAIN: u8 = b'"';
/// The first byte of U+2028 and U+2029, and of many others.
pub(super) const SEPARATOR: u8 = 0xE2;

/// Where the next quote, backslash, control character or `ALSO` stands.
#[inline]
pub(super) fn special<const ALSO: u8>(bytes: &[u8], from: usize) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
    let mut at = from;
    // Eight bytes at a time. A borrow can only mark a byte behind one that is marked rightly,
    // and the first one counts.
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
