//! The costs of users and projects by day and month, in UTC. A file stores the costs, so that they survive a
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
const LARGEST: u64 = 4 << 20;
/// Maximum number of users and projects in the file.
const MOST: usize = 4096;

/// Number of days, and number of months, whose costs are kept for each user and project.
const KEPT: usize = 4;

/// The costs of a user or project by day and by month, in US dollars, according to the results of the CLI.
///
/// Costs are never reset. If the clock of the machine changes to another day, the costs of the previous day are still
/// there when the clock changes back. The costs of the last [`KEPT`] days and months that had any are kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Costs {
    /// The current day, as the number of days since 1970.
    day: i64,
    days: Periods,
    months: Periods,
}

/// The costs of days or months, in the order in which their last costs were added. Each key is the first day, as the
/// number of days since 1970.
type Periods = Vec<(i64, f64)>;

/// Adds costs to the period with this key. If there are too many periods, removes the one to which nothing was added for
/// the longest time.
fn add_to(periods: &mut Periods, key: i64, usd: f64) {
    let before = of_key(periods, key);
    periods.retain(|(known, _)| *known != key);
    periods.push((key, before + usd));
    if periods.len() > KEPT {
        periods.remove(0);
    }
}

fn of_key(periods: &Periods, key: i64) -> f64 {
    let found = periods.iter().find(|(known, _)| *known == key);
    found.map_or(0.0, |(_, usd)| *usd)
}

impl Costs {
    /// Sets the current day and month. `now` is in milliseconds since 1970.
    pub(crate) fn advance(&mut self, now: i64) {
        self.day = now.div_euclid(DAY);
    }

    /// Adds costs to the current day and month.
    pub(crate) fn add(&mut self, usd: f64) {
        add_to(&mut self.days, self.day, usd);
        add_to(&mut self.months, month_of(self.day).0, usd);
    }

    /// Returns the costs of the current day or month, depending on the kind of limit. Returns 0 for a limit that is not
    /// about costs.
    pub(crate) fn of(&self, kind: LimitKind) -> f64 {
        match kind {
            LimitKind::CostPerDay => of_key(&self.days, self.day),
            LimitKind::CostPerMonth => of_key(&self.months, month_of(self.day).0),
            _ => 0.0,
        }
    }

    /// Returns the start of the next day or month, at which a limit of this kind allows further costs. The time is in
    /// milliseconds since 1970. Returns `None` for a limit of another kind.
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
    /// For each day, the number of days since 1970, and the costs.
    #[serde(default)]
    days: Periods,
    /// For each month, the number of days from 1970 to its first day, and the costs.
    #[serde(default)]
    months: Periods,
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
        let newest = |mut periods: Periods| {
            let surplus = periods.len().saturating_sub(KEPT);
            periods.drain(..surplus);
            periods
        };
        let (days, months) = (newest(it.days), newest(it.months));
        let day = days.last().map_or(0, |(day, _)| *day);
        (account, Costs { day, days, months })
    });
    Ok(costs.collect())
}

/// Writes the costs to the file. Does not read the machine's clock. If there are too many users and projects, leaves out
/// those with the smallest costs. Blocks.
pub(crate) fn write(file: &Path, all: Vec<(Account, Costs)>) -> io::Result<()> {
    let mut costs: Vec<_> = all
        .into_iter()
        .filter(|(_, costs)| !costs.months.is_empty())
        .map(|(account, costs)| KeptCosts {
            of: account.owner(),
            name: account.name().to_owned(),
            days: costs.days,
            months: costs.months,
        })
        .collect();
    if costs.len() > MOST {
        let sum = |kept: &KeptCosts| kept.months.iter().map(|(_, usd)| usd).sum::<f64>();
        costs.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
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
    fn a_clock_that_is_wrong_for_a_while_resets_no_costs() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("claw/quotas.json");
        let now = 20_786 * DAY;
        let of = |costs: &Costs| {
            [LimitKind::CostPerDay, LimitKind::CostPerMonth].map(|it| costs.of(it).to_string())
        };
        // The clock of the machine is at 1970 after a start, or goes to a later year.
        for wrong in [0, now + 4000 * DAY] {
            let mut costs = Costs::default();
            costs.advance(now);
            costs.add(2.0);
            costs.advance(wrong);
            assert_eq!(of(&costs), ["0", "0"]);
            costs.add(0.5);
            assert_eq!(of(&costs), ["0.5", "0.5"]);
            let ana = Account::User("ana".to_owned());
            write(&file, vec![(ana, costs)]).unwrap();
            let mut costs = read(&file).unwrap().remove(0).1;
            costs.advance(now);
            assert_eq!(of(&costs), ["2", "2"], "{wrong}");
        }
    }

    #[test]
    fn a_few_days_and_months_are_kept_and_a_file_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("claw/quotas.json");
        assert_eq!(read(&file).unwrap(), []);
        let mut costs = Costs::default();
        for day in 0..400 {
            costs.advance((20_000 + day) * DAY);
            costs.add(1.0);
        }
        assert_eq!((costs.days.len(), costs.months.len()), (KEPT, KEPT));
        let ana = (Account::User("ana".to_owned()), costs);
        let none = (Account::Project("shop".to_owned()), Costs::default());
        write(&file, vec![ana.clone(), none]).unwrap();
        assert_eq!(read(&file).unwrap(), [ana]);
        std::fs::write(&file, "{").unwrap();
        assert!(read(&file).is_err());
    }
}
