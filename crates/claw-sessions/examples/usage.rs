//! Prints the usage of this machine's sessions: by day, and of the ten sessions that used the most
//! tokens.
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

    // The usage of each single session. Answers that a fork has copied count for both sessions
    // here.
    let mut most = Vec::new();
    for session in sessions.all()?.sessions {
        // A session may be deleted while this runs.
        let (Ok(usage), Ok(Some(info))) = (session.usage(), session.info()) else {
            continue;
        };
        let cost = usage.total.cost.map(|cost| cost.usd);
        most.push((usage.total.all.tokens.total(), cost, info.summary));
    }
    most.sort_by_key(|(tokens, ..)| Reverse(*tokens));
    for (tokens, cost, summary) in most.iter().take(10) {
        let cost = cost.map_or_else(|| "?".to_owned(), |usd| format!("{usd:.2}"));
        // The text comes from a transcript, so control characters are escaped for the terminal.
        let summary = claw_types::escape(summary).replace('\n', " ");
        writeln!(out, "{tokens:>12} tokens  ${cost:>6}  {summary:.60}")?;
    }
    for problem in &report.problems {
        writeln!(out, "{}", claw_types::escape(&problem.to_string()))?;
    }
    Ok(())
}
