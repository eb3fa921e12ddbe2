//! Describes the wait for the reset of a usage limit.

use std::time::Duration;

use claw_client::LimitWait;

/// Describes a current wait, for the row of the current activity.
#[cfg(feature = "terminal")]
pub(crate) fn short(wait: &LimitWait) -> String {
    let until = until(wait).map_or_else(String::new, |until| format!(", until {until}"));
    format!("⋯ waits for the reset of the usage limit{until}")
}

/// Describes a wait that begins now, on one line.
pub(crate) fn sentence(wait: &LimitWait) -> String {
    let time = left(wait.left);
    #[cfg(feature = "terminal")]
    let time = match until(wait) {
        Some(until) => format!("until {until} ({time})"),
        None => time,
    };
    format!(
        "  Waits {time} for the reset of the usage limit, and then sends the prompt again. Ctrl-C ends the wait.\n"
    )
}

/// Returns the end of the wait, in the local time zone. Returns `None` if the time is out of range.
#[cfg(feature = "terminal")]
fn until(wait: &LimitWait) -> Option<String> {
    let until = jiff::Timestamp::try_from(wait.until).ok()?;
    let until = until.to_zoned(jiff::tz::TimeZone::system());
    Some(until.strftime("%F %T %Z").to_string())
}

/// Writes a duration in its two largest units.
fn left(left: Duration) -> String {
    let seconds = left.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_two_units() {
        for (seconds, text) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min 0 s"),
            (3599, "59 min 59 s"),
            (3600, "1 h 0 min"),
            (7 * 86_400 + 61, "168 h 1 min"),
        ] {
            assert_eq!(left(Duration::from_secs(seconds)), text);
        }
    }
}
