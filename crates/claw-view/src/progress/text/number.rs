//! Parses numbers and their suffixes, such as the units of sizes and times.

use super::token::Kind;

/// Parses the number at the start of a text. Returns its value, whether it is whole, and the text that follows it.
pub(super) fn number(text: &str) -> Option<(f64, bool, &str)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count()
    };
    let mut len = digits(0);
    if len == 0 || len > 15 {
        return None;
    }
    // The number may have separators of thousands: each comma is followed by three digits.
    while len <= 15 && bytes.get(len) == Some(&b',') && digits(len + 1) == 3 {
        len += 4;
    }
    let whole = len;
    if bytes.get(len) == Some(&b'.') && digits(len + 1) > 0 {
        len += 1 + digits(len + 1);
    }
    let value = text[..len].replace(',', "").parse().ok()?;
    Some((value, len == whole, &text[len..]))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most 20 digits, and whole"
)]
fn whole(value: f64) -> u64 {
    value as u64
}

pub(super) fn number_kind(text: &str) -> Option<Kind> {
    let (value, is_whole, rest) = number(text)?;
    Some(match rest {
        "" if is_whole => Kind::Number(whole(value)),
        "" => Kind::Decimal(value),
        "%" => Kind::Percent(value),
        _ if rest.ends_with("/s") || rest.ends_with("/sec") || rest.ends_with("/it") => Kind::Rate,
        _ => {
            if let Some(second) = rest.strip_prefix('/') {
                let (total, total_is_whole, rest) = number(second)?;
                return Some(match (rest, unit(rest)) {
                    ("", _) if is_whole && total_is_whole => Kind::Pair(whole(value), whole(total)),
                    ("", _) => Kind::Ratio(value, total),
                    (_, Some(unit)) => Kind::Sizes(value * unit, total * unit),
                    _ => return None,
                });
            }
            if let Some(size) = unit(rest) {
                return Some(Kind::Size(value * size));
            }
            if let Some((first, second)) = rest.split_once('/') {
                let (total, _, last) = number(second)?;
                return Some(Kind::Sizes(value * unit(first)?, total * unit(last)?));
            }
            if is_time(rest) {
                return Some(Kind::Time);
            }
            return None;
        }
    })
}

/// Returns the number of bytes in a unit of size.
pub(super) fn unit(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 17] = [
        ("b", 1.0),
        ("bytes", 1.0),
        ("g", 1_073_741_824.0),
        ("gb", 1e9),
        ("gib", 1_073_741_824.0),
        ("k", 1024.0),
        ("kb", 1e3),
        ("kib", 1024.0),
        ("kbytes", 1e3),
        ("m", 1_048_576.0),
        ("mb", 1e6),
        ("mbytes", 1e6),
        ("mib", 1_048_576.0),
        ("t", 1e12),
        ("tb", 1e12),
        ("tib", 1_099_511_627_776.0),
        ("gbytes", 1e9),
    ];
    let found = UNITS
        .iter()
        .find(|(unit, _)| unit.eq_ignore_ascii_case(text));
    found.map(|(_, bytes)| *bytes)
}

/// Whether the text after a number shows that the number is a time. Examples are `s`, `m12s` and `:40`.
fn is_time(rest: &str) -> bool {
    let clock = |b: u8| b.is_ascii_digit() || matches!(b, b':' | b'.');
    let letters =
        |part: &str| matches!(part, "s" | "ms" | "sec" | "secs" | "min" | "h" | "m" | "d");
    let mut parts = rest.split(|c: char| c.is_ascii_digit() || c == '.');
    rest.starts_with(':') && rest.bytes().all(clock)
        || rest.len() <= 12
            && parts.next().is_some_and(letters)
            && parts.all(|part| part.is_empty() || letters(part))
}
