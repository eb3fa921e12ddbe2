//! Times of transcripts, which are ISO 8601.

/// Milliseconds since 1970; the least number where it is no time.
pub(crate) fn millis(text: &[u8]) -> i64 {
    parse(text).unwrap_or(i64::MIN)
}

/// Milliseconds since 1970 of a date, with or without a time. A time without an offset counts as UTC.
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
        return Some(days * 86_400_000);
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

/// Days since 1970, in the calendar of today.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some(())?;
    // Years that begin in March, so that the leap day is the last one; eras of 400 years.
    let year = if month < 3 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
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
}
