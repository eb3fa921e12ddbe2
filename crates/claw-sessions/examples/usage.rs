//! What the sessions of this machine have used: by day, and the ten that used most.
//!
//! ```sh
//! cargo run -p claw-sessions --example usage
//! ```

use std::cmp::Reverse;
use std::error::Error;
use std::io::Write as _;

use claw_sessions::Sessions;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    let sessions = Sessions::of_user()?;
    let report = sessions.usage().run()?;
    for (day, used) in &report.by_day {
        let tokens = used.all.tokens;
        writeln!(
            out,
            "{day}  {:>6} answers  {:>12} tokens",
            used.all.answers,
            tokens.total()
        )?;
    }

    // Of each session alone: here the answers that a fork has copied count for both.
    let mut most = Vec::new();
    for session in sessions.all()?.sessions {
        // One may be deleted while this runs.
        let (Ok(usage), Ok(Some(info))) = (session.usage(), session.info()) else {
            continue;
        };
        let cost = usage.total.cost.map(|cost| cost.usd);
        most.push((usage.total.all.tokens.total(), cost, info.summary));
    }
    most.sort_by_key(|(tokens, ..)| Reverse(*tokens));
    for (tokens, cost, summary) in most.iter().take(10) {
        let cost = cost.map_or_else(|| "?".to_owned(), |usd| format!("{usd:.2}"));
        // A transcript may have anything in it: nothing of it steers the terminal.
        let summary = claw_types::escape(summary).replace('\n', " ");
        writeln!(out, "{tokens:>12} tokens  ${cost:>6}  {summary:.60}")?;
    }
    for problem in &report.problems {
        writeln!(out, "{}", claw_types::escape(&problem.to_string()))?;
    }
    Ok(())
}
