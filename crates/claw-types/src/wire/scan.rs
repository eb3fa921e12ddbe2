//! Where a string's text is not plain.

/// Nothing but what JSON itself minds.
pub(super) const PLAIN: u8 = b'"';
/// The first byte of U+2028 and U+2029, and of many others.
pub(super) const SEPARATOR: u8 = 0xE2;

/// Where the next quote, backslash, control character or `ALSO` stands.
#[inline]
pub(super) fn special<const ALSO: u8>(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let first = chunk::first::<ALSO>(chunk);
        at += first;
        if first < chunk.len() {
            return Some(at);
        }
    }
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 || byte == ALSO {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Sixteen bytes at a time, with what every such processor has.
#[cfg(target_arch = "x86_64")]
mod chunk {
    use safe_arch::{
        bitor_m128i, cmp_eq_mask_i8_m128i, load_unaligned_m128i, min_u8_m128i, move_mask_i8_m128i,
        set_splat_i8_m128i,
    };

    use super::PLAIN;

    /// The place of the first one; the length if there is none.
    #[inline]
    pub(super) fn first<const ALSO: u8>(chunk: &[u8; 16]) -> usize {
        let all = |byte: u8| set_splat_i8_m128i(byte.cast_signed());
        let bytes = load_unaligned_m128i(chunk);
        let is = |byte| cmp_eq_mask_i8_m128i(bytes, all(byte));
        let controls = cmp_eq_mask_i8_m128i(min_u8_m128i(bytes, all(0x1F)), bytes);
        let mut found = bitor_m128i(bitor_m128i(is(b'"'), is(b'\\')), controls);
        if ALSO != PLAIN {
            found = bitor_m128i(found, is(ALSO));
        }
        // A bit a byte, and one behind them.
        (move_mask_i8_m128i(found) | 1 << chunk.len()).trailing_zeros() as usize
    }
}

/// Eight bytes at a time, in a number.
#[cfg(not(target_arch = "x86_64"))]
mod chunk {
    use super::PLAIN;

    const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);

    /// The place of the first one; the length if there is none.
    #[inline]
    pub(super) fn first<const ALSO: u8>(chunk: &[u8; 8]) -> usize {
        let word = u64::from_le_bytes(*chunk);
        // A borrow can only mark a byte behind one that is marked rightly, and the first one counts.
        let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
        let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let mut found = is(b'"') | is(b'\\') | below(word, 0x20);
        if ALSO != PLAIN {
            found |= is(ALSO);
        }
        ((found & HIGHS).trailing_zeros() / 8) as usize
    }
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

    #[test]
    fn every_byte_at_every_place_is_told() {
        for byte in 0..=u8::MAX {
            for at in 0..40 {
                let mut bytes = [b'x'; 40];
                bytes[at] = byte;
                // What stands behind the first one does not count.
                bytes[39] = b'"';
                for from in 0..=40 {
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
