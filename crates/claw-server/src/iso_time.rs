//! Times as ISO 8601.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the current time in UTC, as ISO 8601.
pub(crate) fn now() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    iso(now.map_or(0, |now| now.as_millis()))
}

/// Converts a time in milliseconds since 1970 to ISO 8601, in UTC.
pub(crate) fn iso(millis: u128) -> String {
    let (seconds, millis) = (millis / 1000, millis % 1000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Days are counted from 1 March of the year 0. If years begin in March, the leap day is the last day of a year.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + u128::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_764_388_706_789, "2025-11-29T03:58:26.789Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso(millis), text);
        }
    }
}
