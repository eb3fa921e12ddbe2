//! The page with the usage of all sessions, for `GET /usage`: the limits of the login, a chart of the days, and tables.

use std::io::{self, Write};

use claw_sessions::{Usage, Usd};
use claw_view::html::Html;
use serde::Deserialize;

use super::may::May;
use super::{chart, shell};
use crate::api::UsageBy;
use crate::usage::{Days, ProjectUsage};

/// Number of days that are shown by default.
const DAYS: u32 = 30;
/// Number of sessions that are shown. These are the most expensive ones.
const SESSIONS: usize = 20;

/// The days to show. A form sends an empty text for a field that is not filled in.
#[derive(Debug, Default, Deserialize)]
pub(super) struct UsagePageQuery {
    #[serde(default)]
    since: String,
    #[serde(default)]
    until: String,
}

impl UsagePageQuery {
    pub(super) fn days(&self) -> Days {
        let named = |day: &String| Some(day.clone()).filter(|day| !day.is_empty());
        let (since, until) = (named(&self.since), named(&self.until));
        let newest = (since.is_none() && until.is_none()).then_some(DAYS);
        Days {
            since,
            until,
            newest,
        }
    }

    /// Returns the query for a table of the same days. The days are valid dates, because a report was made for them.
    fn table(&self, by: UsageBy) -> String {
        let Days {
            since,
            until,
            newest,
        } = self.days();
        let part = |name: &str, value: Option<String>| {
            value.map_or_else(String::new, |value| format!("&{name}={value}"))
        };
        [
            format!("by={}", by.name()),
            part("since", since),
            part("until", until),
            part("days", newest.map(|days| days.to_string())),
            "&format=csv".to_owned(),
        ]
        .concat()
    }
}

/// Writes the page.
pub(super) fn page(
    usage: &ProjectUsage,
    query: &UsagePageQuery,
    prices: &str,
    may: &May,
) -> String {
    let report = &usage.report;
    Html::fragment(|html| {
        shell::start(html, "Usage", Some("usage.js"), None, Some(may))?;
        shell::top(html, "Usage", false)?;
        html.raw(concat!(
            "<main id=\"main\"><h2>Limits of the login</h2><div id=\"windows\"></div><p id=\"seen\" class=\"hint\"></p>",
            "<h2>Tokens and costs</h2><form class=\"range\" action=\"/usage\">",
            "<label><span>From</span><input type=\"date\" name=\"since\" value=\""
        ))?;
        html.text(&query.since)?;
        html.raw("\"></label><label><span>To</span><input type=\"date\" name=\"until\" value=\"")?;
        html.text(&query.until)?;
        html.raw("\"></label><button>Show</button></form><p>")?;
        html.text(&total(usage, query))?;
        html.raw("</p>")?;
        if let Some(missing) = &usage.missing {
            html.raw("<p role=\"note\">Not all is counted: ")?;
            html.text(missing)?;
            html.raw(".</p>")?;
        }
        days(html, usage)?;
        let mut table = |title: &str, by: UsageBy, rows: &[Row<'_>]| {
            table(html, (title, &query.table(by)), rows)
        };
        table("Day", UsageBy::Day, &rows(report.by_day.iter().rev()))?;
        for (title, by, periods) in [
            ("Week", UsageBy::Week, &report.by_week),
            ("Month", UsageBy::Month, &report.by_month),
        ] {
            // A table with only one period would repeat the total, so it is left out.
            if periods.len() > 1 {
                table(title, by, &rows(periods.iter().rev()))?;
            }
        }
        table("Project", UsageBy::Project, &rows(usage.by_project.iter()))?;
        if report.by_config_dir.len() > 1 {
            let rows = rows(report.by_config_dir.iter());
            table("Configuration folder", UsageBy::ConfigDir, &rows)?;
        }
        table("Model", UsageBy::Model, &rows(report.by_model.iter()))?;
        table("Session", UsageBy::Session, &sessions(usage))?;
        html.raw("<p class=\"hint\">")?;
        html.text(&notes(usage, prices))?;
        html.raw("</p></main>")?;
        shell::end(html)
    })
}

/// A row of a table.
struct Row<'a> {
    name: &'a str,
    /// The path of the page about this entry, if there is one.
    link: Option<String>,
    usage: &'a Usage,
}

fn rows<'a>(all: impl Iterator<Item = (&'a String, &'a Usage)>) -> Vec<Row<'a>> {
    let row = |(name, usage): (&'a String, _)| Row {
        name,
        link: None,
        usage,
    };
    all.map(row).collect()
}

/// Returns the most expensive sessions.
fn sessions(usage: &ProjectUsage) -> Vec<Row<'_>> {
    let all = usage.report.by_session.iter();
    let mut all: Vec<_> = all
        .map(|(id, used)| Row {
            name: usage.titles.get(id).unwrap_or(id),
            link: Some(format!("/s/{id}")),
            usage: used,
        })
        .collect();
    all.sort_by_key(|row| std::cmp::Reverse((amount(row.usage).0, row.usage.all.tokens.total())));
    all.truncate(SESSIONS);
    all
}

fn table<W: Write>(
    html: &mut Html<W>,
    (title, query): (&str, &str),
    rows: &[Row<'_>],
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    html.raw("<div class=\"figures\"><table><thead><tr><th scope=\"col\">")?;
    html.text(title)?;
    html.raw("</th><th scope=\"col\">Cost</th><th scope=\"col\">Tokens</th></tr></thead><tbody>")?;
    for row in rows {
        html.raw("<tr><th scope=\"row\">")?;
        if let Some(link) = &row.link {
            html.raw("<a href=\"")?;
            html.text(link)?;
            html.raw("\">")?;
            html.text(row.name)?;
            html.raw("</a>")?;
        } else {
            html.text(row.name)?;
        }
        html.raw("</th><td>")?;
        html.text(&cost(row.usage))?;
        html.raw("</td><td>")?;
        html.text(&short(row.usage.all.tokens.total()))?;
        html.raw("</td></tr>")?;
    }
    html.raw("</tbody></table><a href=\"/api/usage?")?;
    html.text(query)?;
    html.raw("\" download>")?;
    html.text(&format!("{title}: all as CSV"))?;
    html.raw("</a></div>")
}

/// Writes a bar chart with the tokens of each day.
fn days<W: Write>(html: &mut Html<W>, usage: &ProjectUsage) -> io::Result<()> {
    #[expect(clippy::cast_precision_loss, reason = "a bar is some pixels high")]
    let tokens = |usage: &Usage| usage.all.tokens.total() as f64;
    let days = usage.report.by_day.iter();
    let days: Vec<_> = days
        .map(|(day, usage)| (day.clone(), tokens(usage)))
        .collect();
    if days.is_empty() {
        return Ok(());
    }
    let title = format!("Tokens in {} days", days.len());
    chart::bars(html, &title, &days, shortened)
}

/// Returns a sentence with the total usage.
fn total(usage: &ProjectUsage, query: &UsagePageQuery) -> String {
    let report = &usage.report;
    let days = match query.days().newest {
        Some(days) => format!("The last {days} days"),
        None => "These days".to_owned(),
    };
    let (sessions, s) = (report.sessions, if report.sessions == 1 { "" } else { "s" });
    let tokens = short(report.total.all.tokens.total());
    let cost = cost(&report.total);
    format!(
        "{days}: {tokens} tokens in {sessions} session{s}. Cost: {cost}. Days are those of UTC."
    )
}

/// Returns the notes below the tables.
fn notes(usage: &ProjectUsage, prices: &str) -> String {
    let notes = format!(
        "A cost with “about” is an estimate by the prices of {prices}. The others are what Claude Code wrote down when it \
        ended. Sub-agents are included."
    );
    let unpriced = &usage.report.unpriced_models;
    if unpriced.is_empty() {
        return notes;
    }
    let names: Vec<_> = unpriced.iter().take(10).map(String::as_str).collect();
    let more = if unpriced.len() > names.len() {
        " and more"
    } else {
        ""
    };
    let names = names.join(", ");
    format!("{notes} No prices are known of {names}{more}: claw serve --prices can name them.")
}

/// Returns the cost of this usage, and whether the cost is an estimate.
fn amount(usage: &Usage) -> (Usd, bool) {
    match (usage.cost, usage.estimate) {
        (Some(cost), _) if cost.is_whole => (cost.usd, false),
        (written, estimate) => {
            let written = written.map_or(Usd::ZERO, |cost| cost.usd);
            let estimate = estimate.map_or(Usd::ZERO, |estimate| estimate.usd);
            (written.max(estimate), true)
        }
    }
}

/// Returns the text that shows the cost of this usage.
fn cost(usage: &Usage) -> String {
    let (usd, is_estimate) = amount(usage);
    if usage.all.answers == 0 && usd == Usd::ZERO {
        return "–".to_owned();
    }
    let dollars = usd.dollars();
    let is_small = usd > Usd::ZERO && dollars < 0.005;
    let text = if is_small {
        "less than $0.01".to_owned()
    } else {
        format!("${dollars:.2}")
    };
    if !is_estimate || is_small {
        return text;
    }
    let unpriced = usage
        .estimate
        .map_or(0, |estimate| estimate.unpriced_answers);
    match (usd == Usd::ZERO, unpriced) {
        (true, 1..) => "not known".to_owned(),
        (false, 1..) => format!("about {text}, and more"),
        _ => format!("about {text}"),
    }
}

/// Returns a number in a short form, such as 1.2 M.
fn short(value: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let value = value as f64;
    shortened(value)
}

fn shortened(value: f64) -> String {
    match value {
        0.0..1e3 => format!("{value:.0}"),
        1e3..1e6 => format!("{:.1} k", value / 1e3),
        1e6..1e9 => format!("{:.1} M", value / 1e6),
        _ => format!("{:.1} G", value / 1e9),
    }
}
