//! Times in the form of the protocol.

/// Converts a time in milliseconds since 1970 to ISO 8601, in UTC.
pub(crate) fn timestamp(milliseconds: f64) -> Option<String> {
    if !(0.0..253_402_300_800_000.0).contains(&milliseconds) {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range was checked"
    )]
    let milliseconds = milliseconds as u64;
    let (days, rest) = (milliseconds / 86_400_000, milliseconds % 86_400_000);
    let (year, month, day) = date(days);
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, fraction) = (rest / 1000 % 60, rest % 1000);
    Some(format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z"
    ))
}

/// Returns the date of a day, counted from 1 January 1970, in the Gregorian calendar.
fn date(days: u64) -> (u64, u64, u64) {
    // The calculation uses years that begin in March, so that the leap day is the last day, and eras of 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let first = (153 * month + 2) / 5;
    let month_of_year = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month_of_year <= 2);
    (year, month_of_year, day - first + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates_of_the_gregorian_calendar() {
        let text = |milliseconds| timestamp(milliseconds).unwrap();
        assert_eq!(text(0.0), "1970-01-01T00:00:00.000Z");
        assert_eq!(text(951_782_400_000.0), "2000-02-29T00:00:00.000Z");
        assert_eq!(text(1_795_525_199_999.0), "2026-11-24T12:59:59.999Z");
        assert_eq!(timestamp(-1.0), None);
        assert_eq!(timestamp(f64::NAN), None);
    }
}
