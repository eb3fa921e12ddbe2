//! The costs of users and projects in the current day and month, in UTC. A file stores the costs, so that they survive a
//! restart of the server.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::quota::{Account, LimitKind, LimitOwner};
use crate::whole_file;

/// A day, in milliseconds.
const DAY: i64 = 86_400_000;
/// Maximum number of bytes that are read from the file.
const LARGEST: u64 = 1 << 20;
/// Maximum number of users and projects in the file.
const MOST: usize = 4096;

/// The costs of a user or project in a day and in a month, in US dollars, according to the results of the CLI.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Costs {
    /// The day, as the number of days since 1970.
    day: i64,
    day_usd: f64,
    /// The first day of the month, as the number of days since 1970.
    month: i64,
    month_usd: f64,
}

impl Costs {
    /// Resets the costs if a new day or month has begun. `now` is in milliseconds since 1970.
    pub(crate) fn advance(&mut self, now: i64) {
        let day = now.div_euclid(DAY);
        if self.day != day {
            (self.day, self.day_usd) = (day, 0.0);
        }
        let (month, _) = month_of(day);
        if self.month != month {
            (self.month, self.month_usd) = (month, 0.0);
        }
    }

    pub(crate) fn add(&mut self, usd: f64) {
        self.day_usd += usd;
        self.month_usd += usd;
    }

    /// Returns the costs of the day or of the month, depending on the kind of limit. Returns 0 for a limit that is not
    /// about costs.
    pub(crate) fn of(&self, kind: LimitKind) -> f64 {
        match kind {
            LimitKind::CostPerDay => self.day_usd,
            LimitKind::CostPerMonth => self.month_usd,
            _ => 0.0,
        }
    }

    /// Returns the start of the next day or month, at which the costs for a limit of this kind are reset. The time is
    /// in milliseconds since 1970. Returns `None` for a limit of another kind.
    pub(crate) fn free_at(&self, kind: LimitKind) -> Option<i64> {
        match kind {
            LimitKind::CostPerDay => Some((self.day + 1) * DAY),
            LimitKind::CostPerMonth => Some(month_of(self.day).1 * DAY),
            _ => None,
        }
    }
}

/// Returns the first day of the month that contains a day, and the first day of the next month. Days are numbered from
/// the start of 1970.
fn month_of(day: i64) -> (i64, i64) {
    let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    // The Gregorian calendar repeats after 400 years, so whole cycles of 400 years are removed first.
    let cycles = day.div_euclid(146_097);
    let (mut first, mut year) = (cycles * 146_097, 1970);
    loop {
        let february = if is_leap(year) { 29 } else { 28 };
        for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            if day < first + days {
                return (first, first + days);
            }
            first += days;
        }
        year += 1;
    }
}

/// The contents of the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    costs: Vec<KeptCosts>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KeptCosts {
    of: LimitOwner,
    name: String,
    day: i64,
    day_usd: f64,
    month: i64,
    month_usd: f64,
}

/// Reads the costs that an earlier server has stored. Blocks.
///
/// # Errors
///
/// Fails if the file exists and cannot be read.
pub(crate) fn read(file: &Path) -> io::Result<Vec<(Account, Costs)>> {
    let mut text = Vec::new();
    match File::open(file) {
        Ok(file) => file.take(LARGEST).read_to_end(&mut text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let kept: Kept = serde_json::from_slice(&text)?;
    let costs = kept.costs.into_iter().map(|it| {
        let account = match it.of {
            LimitOwner::User => Account::User(it.name),
            LimitOwner::Project => Account::Project(it.name),
        };
        let costs = Costs {
            day: it.day,
            day_usd: it.day_usd,
            month: it.month,
            month_usd: it.month_usd,
        };
        (account, costs)
    });
    Ok(costs.collect())
}

/// Writes the costs to the file. Leaves out the costs of earlier months. Blocks.
pub(crate) fn write(file: &Path, all: Vec<(Account, Costs)>, now: i64) -> io::Result<()> {
    let (month, _) = month_of(now.div_euclid(DAY));
    let mut costs: Vec<_> = all
        .into_iter()
        .filter(|(_, costs)| costs.month == month && costs.month_usd > 0.0)
        .map(|(account, costs)| KeptCosts {
            of: account.owner(),
            name: account.name().to_owned(),
            day: costs.day,
            day_usd: costs.day_usd,
            month: costs.month,
            month_usd: costs.month_usd,
        })
        .collect();
    if costs.len() > MOST {
        costs.sort_by(|a, b| b.month_usd.total_cmp(&a.month_usd));
        costs.truncate(MOST);
    }
    let text = serde_json::to_vec(&Kept { costs })?;
    whole_file::write(file, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_begin_and_end_by_the_calendar() {
        // The days are 2024-02-29, 2026-11-29, 2026-12-31, 2000-03-01, 1970-01-01, 2100-02-28 and 1969-12-31.
        for (day, month, next) in [
            (19_782, 19_754, 19_783),
            (20_786, 20_758, 20_788),
            (20_818, 20_788, 20_819),
            (11_017, 11_017, 11_048),
            (0, 0, 31),
            (47_540, 47_513, 47_541),
            (-1, -31, 0),
        ] {
            assert_eq!(month_of(day), (month, next), "{day}");
        }
    }

    #[test]
    fn costs_begin_anew_with_the_day_and_the_month() {
        let mut costs = Costs::default();
        let noon = 20_786 * DAY + DAY / 2;
        costs.advance(noon);
        costs.add(1.5);
        assert_eq!(costs.free_at(LimitKind::CostPerDay), Some(20_787 * DAY));
        assert_eq!(costs.free_at(LimitKind::CostPerMonth), Some(20_788 * DAY));
        let of = |costs: &Costs| {
            let of = |kind| costs.of(kind);
            (of(LimitKind::CostPerDay), of(LimitKind::CostPerMonth))
        };
        costs.advance(20_787 * DAY - 1);
        assert_eq!(of(&costs), (1.5, 1.5));
        costs.advance(20_787 * DAY);
        costs.add(1.0);
        assert_eq!(of(&costs), (1.0, 2.5));
        costs.advance(20_788 * DAY);
        assert_eq!(of(&costs), (0.0, 0.0));
    }

    #[test]
    fn only_the_costs_of_this_month_are_kept_and_a_file_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("claw/quotas.json");
        assert_eq!(read(&file).unwrap(), []);
        let now = 20_786 * DAY;
        let mut costs = Costs::default();
        costs.advance(now - 40 * DAY);
        costs.add(2.0);
        let old = (Account::User("bo".to_owned()), costs);
        costs.advance(now);
        costs.add(1.0);
        let new = (Account::Project("shop".to_owned()), costs);
        write(&file, vec![old, new.clone()], now).unwrap();
        assert_eq!(read(&file).unwrap(), [new]);
        std::fs::write(&file, "{").unwrap();
        assert!(read(&file).is_err());
    }
}
