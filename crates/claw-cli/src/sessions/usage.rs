//! `claw sessions usage`: reports the tokens and the costs of sessions.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use claw_sessions::{
    Error, Prices, PricesError, SessionUsage, Sessions, Usage, UsageOfMany, UsageReport, Usd, Zone,
    usage_csv,
};
use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;

use super::table::{Column, Table, dollars, fit, money, number};
use super::{Done, Failed, json_line, print, report_problems};
use crate::args::sessions::{By, Report, Scope};
use crate::outcome::{Outcome, report};
use crate::view::terminal_width;

pub(super) fn usage(sessions: &Sessions, id: Option<&str>, scope: &Scope, how: &Report) -> Done {
    let (prices, zone) = (prices(how)?, zone(how));
    if let Some(id) = id {
        let usage = sessions.find_by_prefix(id)?.usage_at(&prices, &zone)?;
        return show(&usage, &usage.problems, &prices, how);
    }
    let mut usage = sessions.usage().prices(&prices).zone(zone);
    if let Some(directory) = scope.directory() {
        usage = usage.project(directory);
    }
    let usage = days(usage, how).run()?;
    show(&usage, &usage.problems, &prices, how)
}

/// Returns the prices for the estimates.
pub(super) fn prices(how: &Report) -> Result<Cow<'static, Prices>, Failed> {
    Ok(match &how.prices {
        None => Cow::Borrowed(Prices::shipped()),
        Some(path) => Cow::Owned(Prices::from_file(path).map_err(|error| not_read(&error))?),
    })
}

/// Returns the time zone, which determines when days begin.
pub(super) fn zone(how: &Report) -> Zone {
    if how.utc { Zone::default() } else { local() }
}

/// Sets the days that are counted.
pub(super) fn days<'a>(mut usage: UsageOfMany<'a>, how: &Report) -> UsageOfMany<'a> {
    if let Some(day) = &how.since {
        usage = usage.since(day);
    }
    if let Some(day) = &how.until {
        usage = usage.until(day);
    }
    usage
}

/// Prints a report, and the problems with files that could not be read.
pub(super) fn show<C: Counted>(
    counted: &C,
    problems: &[Error],
    prices: &Prices,
    how: &Report,
) -> Done {
    let Some(rows) = counted.rows(how.by) else {
        anstream::eprintln!(
            "claw: a session is one row: --by model, day, week or month tells more"
        );
        return Err(Failed::Reported(Outcome::Usage));
    };
    let shown = Shown {
        counted,
        rows,
        prices,
    };
    shown.print(how)?;
    report_problems(problems);
    Ok(())
}

/// The usage of one session or of many sessions.
pub(super) trait Counted: Serialize {
    /// Returns the rows of a table. Returns `None` if the table would have only one row.
    fn rows(&self, by: By) -> Option<&BTreeMap<String, Usage>>;
    fn total(&self) -> &Usage;
    fn unpriced(&self) -> &BTreeSet<String>;
}

impl Counted for UsageReport {
    fn rows(&self, by: By) -> Option<&BTreeMap<String, Usage>> {
        Some(match by {
            By::Day => &self.by_day,
            By::Week => &self.by_week,
            By::Month => &self.by_month,
            By::Project => &self.by_project,
            By::Model => &self.by_model,
            By::Session => &self.by_session,
            By::ConfigDir => &self.by_config_dir,
        })
    }

    fn total(&self) -> &Usage {
        &self.total
    }

    fn unpriced(&self) -> &BTreeSet<String> {
        &self.unpriced_models
    }
}

impl Counted for SessionUsage {
    fn rows(&self, by: By) -> Option<&BTreeMap<String, Usage>> {
        match by {
            By::Day => Some(&self.by_day),
            By::Week => Some(&self.by_week),
            By::Month => Some(&self.by_month),
            By::Model => Some(&self.by_model),
            By::Project | By::Session | By::ConfigDir => None,
        }
    }

    fn total(&self) -> &Usage {
        &self.total
    }

    fn unpriced(&self) -> &BTreeSet<String> {
        &self.unpriced_models
    }
}

/// Returns the time zone in `TZ`, or else the time zone of this machine. Returns UTC if neither is known.
fn local() -> Zone {
    let zone = TimeZone::system();
    Zone::new(move |millis| {
        let moment = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH);
        zone.to_offset(moment).seconds() / 60
    })
}

fn not_read(error: &PricesError) -> Failed {
    let outcome = match error {
        PricesError::Invalid { .. } => Outcome::Usage,
        _ => Outcome::Unreadable,
    };
    Failed::Reported(report(error, outcome))
}

/// The maximum number of models without prices that are named.
const NAMES: usize = 10;

/// A report with one of its tables, which is shown.
struct Shown<'a, C> {
    counted: &'a C,
    rows: &'a BTreeMap<String, Usage>,
    prices: &'a Prices,
}

/// A report as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Json<'a, C> {
    #[serde(flatten)]
    counted: &'a C,
    prices_date: &'a str,
}

impl<C: Counted> Shown<'_, C> {
    fn print(&self, how: &Report) -> Done {
        if how.json {
            json_line(&Json {
                counted: self.counted,
                prices_date: self.prices.date(),
            })?;
            return Ok(());
        }
        if how.csv {
            print(&usage_csv(how.by.name(), self.rows))?;
            return Ok(());
        }
        print(&self.table(how.by).lines(terminal_width()))?;
        Ok(print(&self.notes())?)
    }

    fn table(&self, by: By) -> Table {
        let mut table = Table::new(&[
            (by.head(), Column::Text(40)),
            ("ANSWERS", Column::Number),
            ("INPUT", Column::Number),
            ("CACHED", Column::Number),
            ("TO CACHE", Column::Number),
            ("OUTPUT", Column::Number),
            ("SUB-AGENTS", Column::Number),
            ("ESTIMATE", Column::Number),
            ("COST", Column::Number),
        ]);
        let rows = self.rows.iter().map(|(name, usage)| (name.clone(), usage));
        for (name, usage) in rows.chain([("total".to_owned(), self.counted.total())]) {
            let tokens = usage.all.tokens;
            table.row([
                name,
                usage.all.answers.to_string(),
                number(tokens.input),
                number(tokens.cache_read),
                number(tokens.cache_write),
                number(tokens.output),
                share(usage),
                estimate(usage),
                dollars(usage.cost),
            ]);
        }
        table
    }

    /// Returns explanations of the marks in the table.
    fn notes(&self) -> String {
        let mut notes = Vec::new();
        let (total, unpriced) = (self.counted.total(), self.counted.unpriced());
        if total.estimate.is_some() {
            let date = fit(self.prices.date(), 10);
            notes.push(format!(
                "ESTIMATE is what these answers cost at the prices of {date}."
            ));
        }
        if !unpriced.is_empty() {
            let names = unpriced.iter().take(NAMES).map(|name| fit(name, 60));
            let names = names.collect::<Vec<_>>().join(", ");
            let more = match unpriced.len().saturating_sub(NAMES) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            notes.push(format!(
                "An estimate with a + or ? lacks models without prices, which --prices can name: {names}{more}."
            ));
        }
        if total.cost.is_some() {
            notes.push("COST is what the CLI wrote down when it ended.".to_owned());
        }
        if total.cost.is_some_and(|cost| !cost.is_whole) {
            notes
                .push("A cost with a + is a part: the CLI did not write the rest down.".to_owned());
        }
        notes.into_iter().map(|note| note + "\n").collect()
    }
}

impl By {
    /// Returns the name of the grouping for the head of a CSV file.
    fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Project => "project",
            Self::Model => "model",
            Self::Session => "session",
            Self::ConfigDir => "config_dir",
        }
    }

    /// Returns the name of the grouping for the head of a table.
    fn head(self) -> &'static str {
        match self {
            Self::Day => "DAY",
            Self::Week => "WEEK",
            Self::Month => "MONTH",
            Self::Project => "PROJECT",
            Self::Model => "MODEL",
            Self::Session => "SESSION",
            Self::ConfigDir => "FOLDER",
        }
    }
}

/// Writes an estimate. It has a `~` unless the CLI has written the costs of all answers, and a `+` if a part is
/// unknown.
fn estimate(usage: &Usage) -> String {
    let Some(estimate) = usage.estimate else {
        return String::new();
    };
    if estimate.unpriced_answers > 0 && estimate.usd == Usd::ZERO {
        return "?".to_owned();
    }
    let is_written = estimate.written_usd == estimate.usd && estimate.usd > Usd::ZERO;
    let mark = if is_written { "" } else { "~" };
    let plus = if estimate.unpriced_answers > 0 {
        "+"
    } else {
        ""
    };
    format!("{mark}{}{plus}", money(estimate.usd))
}

/// Returns the share of the tokens that sub-agents have used.
fn share(usage: &Usage) -> String {
    let (part, all) = (usage.subagents.tokens.total(), usage.all.tokens.total());
    if part == 0 {
        return String::new();
    }
    let percent = u128::from(part) * 100 / u128::from(all.max(1));
    format!("{percent} %")
}
