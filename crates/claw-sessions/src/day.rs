//! The day that a moment is of.

/// The day of a moment as the CLI writes it, `2026-11-22T04:06:27.415Z`: `2026-11-22`, where the time is this many
/// minutes ahead of UTC. `None` for a text that is no such moment.
pub(crate) fn day(moment: &str, ahead: i32) -> Option<String> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = moment.get(from..to)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().ok()).flatten()
    };
    let at = |place: usize, byte: u8| moment.as_bytes().get(place) == Some(&byte);
    if !(at(4, b'-') && at(7, b'-') && at(10, b'T') && at(13, b':')) {
        return None;
    }
    let (year, month, date) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute) = (number(11, 13)?, number(14, 16)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&date) || hour > 23 || minute > 59 {
        return None;
    }
    let minutes = (days(year, month, date) * 24 + hour) * 60 + minute + i64::from(ahead);
    let (year, month, date) = date_of(minutes.div_euclid(24 * 60));
    Some(format!("{year:04}-{month:02}-{date:02}"))
}

/// Days since 1970-01-01. Years begin in March here, so that a leap day is the last one.
fn days(year: i64, month: i64, date: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + date - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The way back.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * years + years / 4 - years / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (years + era * 400 + i64::from(month <= 2), month, date)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn every_day_has_its_number() {
        for number in -200_000..200_000 {
            let (year, month, date) = date_of(number);
            assert_eq!(days(year, month, date), number);
        }
        assert_eq!(days(1970, 1, 1), 0);
    }
}
