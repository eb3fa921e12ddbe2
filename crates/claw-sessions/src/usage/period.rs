//! Days, weeks and months.

use std::fmt;
use std::sync::Arc;

use super::UNDATED;
use crate::{Error, time};

/// A time zone, which decides where days begin.
#[derive(Clone)]
pub struct Zone(Arc<dyn Fn(i64) -> i32 + Send + Sync>);

impl Zone {
    /// Creates a zone from its offsets. The function receives a point in time, in milliseconds since 1970. It returns
    /// by how many minutes local time is ahead of UTC at that time.
    pub fn new(offset: impl Fn(i64) -> i32 + Send + Sync + 'static) -> Self {
        Self(Arc::new(offset))
    }

    /// Creates a zone whose time is always this many minutes ahead of UTC.
    pub fn fixed(minutes: i32) -> Self {
        Self::new(move |_| minutes)
    }

    /// Returns by how many minutes local time is ahead of UTC at this time, in milliseconds since 1970.
    fn ahead(&self, millis: i64) -> i32 {
        (self.0)(millis)
    }

    /// Returns the day of a time from a transcript. Returns `None` for an invalid time.
    pub(super) fn day(&self, moment: &str) -> Option<String> {
        let millis = time::parse(moment.as_bytes())?;
        time::day(moment, self.ahead(millis))
    }

    /// Returns the first day of a period of this many days that ends today.
    pub(super) fn first_day(&self, days: u32) -> String {
        time::first_day(days, self.ahead(time::millis(time::now().as_bytes())))
    }
}

/// The default zone is UTC.
impl Default for Zone {
    fn default() -> Self {
        Self::fixed(0)
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Zone").finish_non_exhaustive()
    }
}

/// The range of days whose answers are counted. The bounds are included.
#[derive(Debug, Clone, Default)]
pub(super) struct Days {
    pub(super) since: Option<String>,
    pub(super) until: Option<String>,
}

impl Days {
    /// Fails if a bound is not a day of the calendar.
    pub(super) fn check(&self) -> Result<(), Error> {
        for day in [&self.since, &self.until].into_iter().flatten() {
            if day.len() != 10 || time::parse(day.as_bytes()).is_none() {
                return Err(Error::InvalidDay { day: day.clone() });
            }
        }
        Ok(())
    }

    /// Whether answers of this day are counted. Answers without a date are counted only if the range has no bounds.
    pub(super) fn have(&self, day: &str) -> bool {
        let has_bound = self.since.is_some() || self.until.is_some();
        let is_early = self.since.as_deref().is_some_and(|since| day < since);
        let is_late = self.until.as_deref().is_some_and(|until| day > until);
        !(is_early || is_late || has_bound && day == UNDATED)
    }
}

/// Returns the week of a day, such as `2026-W48`, as defined by ISO 8601: a week begins on Monday, and belongs to the
/// year that contains its Thursday.
pub(super) fn week(day: &str) -> String {
    time::week(day).unwrap_or_else(|| UNDATED.to_owned())
}

/// Returns the month of a day, such as `2026-11`.
pub(super) fn month(day: &str) -> String {
    let month = day.get(..7).filter(|_| day != UNDATED);
    month.unwrap_or(UNDATED).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_in_a_week_and_a_month() {
        for (day, of_week) in [
            ("2026-11-25", "2026-W48"),
            ("2026-11-29", "2026-W48"),
            ("2026-11-30", "2026-W49"),
            ("2025-12-29", "2026-W01"),
            ("2027-01-03", "2026-W53"),
            ("2021-01-03", "2020-W53"),
            ("2024-12-30", "2025-W01"),
            (UNDATED, UNDATED),
        ] {
            assert_eq!(week(day), of_week, "{day}");
        }
        assert_eq!(month("2026-11-25"), "2026-11");
        assert_eq!(month(UNDATED), UNDATED);
    }

    #[test]
    fn a_zone_may_change_its_offset() {
        // Summer time ends at one o'clock UTC.
        let end = time::millis(b"2026-10-25T01:00:00Z");
        let zone = Zone::new(move |millis| if millis < end { 120 } else { 60 });
        let of = |moment| zone.day(moment).unwrap();
        assert_eq!(of("2026-10-24T22:30:00Z"), "2026-10-25");
        assert_eq!(of("2026-10-25T22:30:00Z"), "2026-10-25");
        assert_eq!(of("2026-10-25T23:30:00Z"), "2026-10-26");
        assert_eq!(zone.day("soon"), None);
    }

    #[test]
    fn a_range_has_its_bounds() {
        let days = |since: Option<&str>, until: Option<&str>| Days {
            since: since.map(str::to_owned),
            until: until.map(str::to_owned),
        };
        assert!(days(None, None).have(UNDATED));
        let both = days(Some("2026-11-02"), Some("2026-11-03"));
        assert!(both.have("2026-11-02") && both.have("2026-11-03"));
        for not in ["2026-11-01", "2026-11-04", UNDATED] {
            assert!(!both.have(not), "{not}");
        }
        assert!(both.check().is_ok());
        for wrong in ["2026-11-31", "2026-11", "yesterday", "2026-11-02T10:00"] {
            assert!(days(None, Some(wrong)).check().is_err(), "{wrong}");
        }
    }
}
