//! Times in transcripts, in ISO 8601.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY: i64 = 86_400_000;

/// Returns the current time, such as `2026-11-22T04:06:27.415Z`.
pub(crate) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    // A clock that shows a time before 1970 is wrong in any case, so 1970 does no harm.
    let since = since.map_or(0, |since| since.as_millis());
    written(i64::try_from(since).unwrap_or(i64::MAX))
}

/// Returns the first day of a period of this many days that ends today.
pub(crate) fn first_day(days: u32, ahead: i32) -> String {
    let today = millis(now().as_bytes()) + i64::from(ahead) * 60_000;
    date(today.div_euclid(DAY) + 1 - i64::from(days.max(1)))
}

/// Returns the ISO 8601 week of a date, such as `2026-W48`.
pub(crate) fn week(day: &str) -> Option<String> {
    let days = parse(day.as_bytes())?.div_euclid(DAY);
    // 1970-01-01 was a Thursday. A week belongs to the year that contains its Thursday.
    let thursday = days - (days + 3).rem_euclid(7) + 3;
    let year = &date(thursday)[..4];
    let first = parse(format!("{year}-01-01").as_bytes())?.div_euclid(DAY);
    Some(format!("{year}-W{:02}", (thursday - first) / 7 + 1))
}

fn written(millis: i64) -> String {
    let time = millis.rem_euclid(DAY);
    let (hour, minute) = (time / 3_600_000, time / 60_000 % 60);
    let (second, rest) = (time / 1_000 % 60, time % 1_000);
    let date = date(millis.div_euclid(DAY));
    format!("{date}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z")
}

/// Returns the day of a time, such as `2026-11-22`, in a zone that is this many minutes ahead of UTC. Returns `None`
/// for a text that is not a time, and for a date without a time, which could belong to either of two days.
pub(crate) fn day(moment: &str, ahead: i32) -> Option<String> {
    let millis = parse(moment.as_bytes()).filter(|_| moment.len() > 10)?;
    let millis = millis + i64::from(ahead) * 60_000;
    Some(date(millis.div_euclid(DAY)))
}

/// Returns the milliseconds since 1970, or the smallest number for an invalid time.
pub(crate) fn millis(text: &[u8]) -> i64 {
    parse(text).unwrap_or(i64::MIN)
}

/// Parses a date with or without a time, and returns the milliseconds since 1970. A time without an offset is a time in
/// UTC.
pub(crate) fn parse(text: &[u8]) -> Option<i64> {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        digits.iter().try_fold(0_i64, |sum, digit| {
            digit
                .is_ascii_digit()
                .then(|| sum * 10 + i64::from(digit - b'0'))
        })
    };
    let is = |at: usize, byte: u8| (text.get(at) == Some(&byte)).then_some(());
    is(4, b'-')?;
    is(7, b'-')?;
    let days = days(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
    if text.len() == 10 {
        return Some(days * DAY);
    }
    is(10, b'T')?;
    is(13, b':')?;
    let (hours, minutes) = (number(11, 13)?, number(14, 16)?);
    let mut at = 16;
    let (mut seconds, mut millis) = (0, 0);
    if is(16, b':').is_some() {
        seconds = number(17, 19)?;
        at = 19;
        if is(19, b'.').is_some() {
            let digits = text[20..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            at = 20 + digits;
            let used = digits.min(3);
            millis = number(20, 20 + used)? * [1000, 100, 10, 1][used];
        }
    }
    (hours < 24 && minutes < 60 && seconds < 60).then_some(())?;
    let offset = match &text[at..] {
        b"" | b"Z" => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let offset = number(at + 1, at + 3)? * 60 + number(at + 4, at + 6)?;
            if *sign == b'-' { -offset } else { offset }
        }
        _ => return None,
    };
    Some((((days * 24 + hours) * 60 + minutes - offset) * 60 + seconds) * 1000 + millis)
}

/// Returns the days since 1970 in the Gregorian calendar. Returns `None` for an invalid day, such as 31 February.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return None,
    };
    (1..=last).contains(&day).then_some(())?;
    // The calculation uses years that begin in March, so that the leap day is the last day, and eras of 400 years.
    let year = if month < 3 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Returns the date that is this many days after 1970-01-01.
fn date(days: i64) -> String {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let years = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = years + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_milliseconds() {
        let of = |text: &str| parse(text.as_bytes());
        assert_eq!(of("1970-01-01T00:00:00.000Z"), Some(0));
        assert_eq!(of("2026-11-22T19:05:27.123Z"), Some(1_795_374_327_123));
        assert_eq!(of("2026-11-22T19:05:27.1Z"), Some(1_795_374_327_100));
        assert_eq!(of("2024-02-29"), Some(1_709_164_800_000));
        assert_eq!(of("2026-11-22T21:05:27+02:00"), Some(1_795_374_327_000));
        for wrong in [
            "",
            "soon",
            "2026-13-01",
            "2026-11-22T",
            "2026-11-22T25:00Z",
            "2026-11-22T10:00:00X",
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_day_that_is_not_in_the_calendar_is_no_time() {
        let of = |text: &str| parse(text.as_bytes());
        for wrong in [
            "2026-02-31",
            "2026-02-29",
            "2100-02-29",
            "2026-04-31T10:00:00Z",
            "2026-01-00",
            "2026-01-32",
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        assert!(of("2000-02-29").is_some());
        assert_eq!(day("2026-02-31T10:00:00Z", 0), None);
    }

    #[test]
    fn a_moment_is_written_to_the_millisecond() {
        assert_eq!(written(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(written(1_709_164_799_999), "2024-02-28T23:59:59.999Z");
        assert_eq!(written(1_709_164_800_000), "2024-02-29T00:00:00.000Z");
        assert_eq!(written(1_735_689_599_001), "2024-12-31T23:59:59.001Z");
        assert_eq!(written(4_102_444_800_000), "2100-01-01T00:00:00.000Z");
    }

    #[test]
    fn a_day_begins_at_midnight_of_the_place() {
        let of = |moment, ahead| day(moment, ahead);
        assert_eq!(
            of("2026-11-22T04:06:27.415Z", 0).as_deref(),
            Some("2026-11-22")
        );
        assert_eq!(
            of("2026-11-22T04:06:27.415Z", -300).as_deref(),
            Some("2026-11-21")
        );
        assert_eq!(
            of("2024-02-28T23:30:00Z", 60).as_deref(),
            Some("2024-02-29")
        );
        assert_eq!(of("2025-12-31T23:59:59Z", 1).as_deref(), Some("2026-01-01"));
        assert_eq!(
            of("2026-01-01T00:00:00Z", -1).as_deref(),
            Some("2025-12-31")
        );
        for wrong in [
            "",
            "2026-11-22",
            "2026-13-22T00:00",
            "yesterday, or so it seems",
            "２026-11-22T04:06",
        ] {
            assert_eq!(of(wrong, 0), None, "{wrong}");
        }
    }

    #[test]
    fn every_day_has_its_date() {
        // These are all days of the years that are written with four digits.
        for number in -719_000..2_932_000 {
            let date = date(number);
            assert_eq!(parse(date.as_bytes()), Some(number * DAY), "{date}");
        }
    }
}
