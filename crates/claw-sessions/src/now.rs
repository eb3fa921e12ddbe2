//! The time, as transcripts have it.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time now, such as `2026-11-22T04:06:27.415Z`.
pub(crate) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    // A clock before 1970 is wrong anyhow.
    written(since.map_or(0, |since| since.as_millis()))
}

fn written(milliseconds: u128) -> String {
    let (day, time) = (milliseconds / 86_400_000, milliseconds % 86_400_000);
    let (year, month, day) = date(day);
    let (hour, minute) = (time / 3_600_000, time / 60_000 % 60);
    let (second, rest) = (time / 1_000 % 60, time % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{rest:03}Z")
}

/// The date of a day since 1970-01-01. Years begin in March here, so that a leap day is the last one.
fn date(day: u128) -> (u128, u128, u128) {
    let day = day + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let years = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (years + era * 400 + u128::from(month <= 2), month, date)
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn a_moment_is_written_to_the_millisecond() {
        assert_eq!(written(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(written(1_709_164_799_999), "2024-02-28T23:59:59.999Z");
        assert_eq!(written(1_709_164_800_000), "2024-02-29T00:00:00.000Z");
        assert_eq!(written(1_735_689_599_001), "2024-12-31T23:59:59.001Z");
        assert_eq!(written(4_102_444_800_000), "2100-01-01T00:00:00.000Z");
    }
}
