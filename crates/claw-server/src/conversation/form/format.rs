//! Checks the formats of texts. Each check reads the text once.

use super::TextFormat;

/// Checks whether a text has this format.
///
/// # Errors
///
/// Returns what the text must be.
pub(super) fn check(format: TextFormat, text: &str) -> Result<(), &'static str> {
    let (fits, what) = match format {
        TextFormat::Email => (is_email(text), "must be an email address"),
        TextFormat::Uri => (
            is_uri(text),
            "must be an address with its scheme, such as https://example.com",
        ),
        TextFormat::Date => (is_date(text), "must be a date, such as 2026-01-31"),
        TextFormat::DateTime => (
            is_date_time(text),
            "must be a date and a time with its zone, such as 2026-01-31T09:30:00Z",
        ),
        TextFormat::Password => (true, ""),
    };
    if fits { Ok(()) } else { Err(what) }
}

fn is_email(text: &str) -> bool {
    let is_plain = |text: &str| {
        !text.is_empty()
            && !text.contains(|letter: char| {
                letter.is_whitespace() || letter.is_control() || "<>(),;:\"[]\\@".contains(letter)
            })
    };
    text.rsplit_once('@').is_some_and(|(person, host)| {
        is_plain(person) && is_plain(host) && !host.starts_with('.') && !host.ends_with('.')
    })
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_in_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.bytes().all(is_in_scheme)
        && !rest.is_empty()
        && !rest.contains(|letter: char| letter.is_whitespace() || letter.is_control())
}

/// Returns the number that consists of the first `count` digits, and the rest of the text.
fn digits(text: &str, count: usize) -> Option<(u32, &str)> {
    let (number, rest) = text.split_at_checked(count)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    Some((number.parse().ok().filter(|_| is_number)?, rest))
}

/// Returns the part of a text that follows the date at its beginning. Returns `None` if the text does not begin with a valid
/// date.
fn after_date(text: &str) -> Option<&str> {
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return None,
    };
    (1..=days).contains(&day).then_some(rest)
}

fn is_date(text: &str) -> bool {
    after_date(text) == Some("")
}

/// Returns the part of a text that follows the hours and minutes at its beginning. Returns `None` if the text does not begin
/// with a valid time.
fn after_minutes(text: &str) -> Option<&str> {
    let (hour, rest) = digits(text, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?, 2)?;
    (hour < 24 && minute < 60).then_some(rest)
}

fn is_date_time(text: &str) -> bool {
    let after_time = |text: &'_ str| -> Option<bool> {
        let rest = after_date(text)?;
        let rest = after_minutes(rest.strip_prefix(['T', 't', ' '])?)?;
        let (second, rest) = digits(rest.strip_prefix(':')?, 2)?;
        let rest = match rest.strip_prefix('.') {
            Some(fraction) => {
                let zone = fraction.trim_start_matches(|letter: char| letter.is_ascii_digit());
                (zone.len() < fraction.len()).then_some(zone)?
            }
            None => rest,
        };
        let is_zone = match rest.strip_prefix(['+', '-']) {
            Some(zone) => after_minutes(zone) == Some(""),
            None => matches!(rest, "Z" | "z"),
        };
        Some(second <= 60 && is_zone)
    };
    after_time(text).unwrap_or(false)
}
