//! The limits of users and projects that are nearly used up, for the page of all sessions.

use std::io::{self, Write};

use claw_view::html::Html;

use crate::api::{LimitUse, QuotaUse};
use crate::quota::LimitKind;

/// The page shows a limit if at least this share of it is used.
const NEAR: f64 = 0.8;

/// Writes a paragraph for each hourly, daily or monthly limit that is nearly used up.
pub(super) fn near<W: Write>(html: &mut Html<W>, all: &[QuotaUse]) -> io::Result<()> {
    for of in all {
        let is_near = |limit: &&LimitUse| limit.used >= NEAR * limit.value;
        for limit in of.limits.iter().filter(is_near) {
            let (used, value) = (limit.used, limit.value);
            let what = match limit.kind {
                LimitKind::TurnsPerHour => format!("{used} of {value} turns within an hour"),
                LimitKind::CostPerDay => format!("${used:.2} of ${value} a day (UTC)"),
                LimitKind::CostPerMonth => format!("${used:.2} of ${value} a month (UTC)"),
                LimitKind::Processes | LimitKind::Sessions | LimitKind::Waiting => continue,
            };
            html.raw("<p class=\"note warning\" role=\"status\">Limit of ")?;
            html.text(&of.name)?;
            html.raw(": ")?;
            html.text(&what)?;
            html.raw(if limit.used < limit.value {
                ".</p>"
            } else {
                ". It is used up. Whoever looks after the server can raise it.</p>"
            })?;
        }
    }
    Ok(())
}
