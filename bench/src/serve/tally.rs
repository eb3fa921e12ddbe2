//! The lines that viewers saw: the delay of each, and lines that were lost or came twice.

use std::sync::{Arc, Mutex, PoisonError};

use super::client::Arrived;
use crate::Result;
use crate::rounds::quantile;

/// The lines that all viewers saw.
#[derive(Clone, Default)]
pub(crate) struct Tally(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    /// The delays from the agent's write to the viewer, in nanoseconds.
    delays: Vec<u64>,
    wrong: Vec<String>,
}

/// A viewer. It has to see each line once, in order.
pub(crate) struct Viewer {
    tally: Tally,
    name: String,
    seen: u32,
}

impl Tally {
    /// Adds a viewer.
    pub(crate) fn viewer(&self, name: String) -> Viewer {
        Viewer {
            tally: self.clone(),
            name,
            seen: 0,
        }
    }

    fn with<T>(&self, what: impl FnOnce(&mut Seen) -> T) -> T {
        what(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Prints a row.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds, a rate")]
    pub(crate) fn print(&self, name: &str, seconds: f64) {
        let mut delays: Vec<f64> =
            self.with(|seen| seen.delays.iter().map(|&ns| ns as f64 / 1e6).collect());
        println!(
            "{name:<28}{:>12}{:>12.0}{:>10.2}{:>10.2}{:>10.2}{:>10.2}",
            delays.len(),
            delays.len() as f64 / seconds,
            quantile(&mut delays, 0.5),
            quantile(&mut delays, 0.99),
            quantile(&mut delays, 0.999),
            quantile(&mut delays, 1.0),
        );
    }

    /// Prints the head of the columns of [`Tally::print`].
    pub(crate) fn head() {
        println!(
            "{:<28}{:>12}{:>12}{:>10}{:>10}{:>10}{:>10}",
            "", "deliveries", "a second", "ms: 50 %", "99 %", "99.9 %", "most"
        );
    }

    /// # Errors
    /// If one of so many viewers has not seen each of so many lines, or has seen one twice or in the wrong place.
    pub(crate) fn judge(&self, viewers: usize, lines: u32) -> Result {
        let (seen, wrong) = self.with(|seen| (seen.delays.len(), std::mem::take(&mut seen.wrong)));
        let all = viewers * lines as usize;
        match &wrong[..] {
            [] if seen == all => Ok(()),
            [] => Err(format!("{seen} of {all} lines were delivered").into()),
            [first, ..] => Err(format!("{} times something is wrong: {first}", wrong.len()).into()),
        }
    }
}

impl Viewer {
    /// Checks arrived events. The complete message is ignored, because it repeats the pieces.
    pub(crate) fn take(&mut self, arrived: &Arrived) {
        for (name, data) in arrived.events() {
            if name == "reset" && self.seen > 0 {
                self.wrong("is told everything anew".to_owned());
            }
            if !data.contains(r#""change":"grew""#) && !data.contains("content_block_delta") {
                continue;
            }
            for (number, written) in marks(data) {
                // Number 0 is the piece of the first, short turn.
                if number == 0 {
                    continue;
                }
                if number != self.seen + 1 {
                    self.wrong(format!("sees line {number} after line {}", self.seen));
                }
                self.seen = number;
                let delay = arrived.at.saturating_sub(written);
                self.tally.with(|all| all.delays.push(delay));
            }
        }
    }

    /// Whether the last line that was seen has this number.
    pub(crate) fn has(&self, number: u32) -> bool {
        self.seen == number
    }

    /// Records a fault.
    pub(crate) fn wrong(&self, what: String) {
        let what = format!("{} {what}", self.name);
        self.tally.with(|all| all.wrong.push(what));
    }
}

/// The numbers and times of the lines in a text: see `bin/stamped.rs`.
fn marks(text: &str) -> impl Iterator<Item = (u32, u64)> {
    memchr::memchr_iter(b'@', text.as_bytes()).filter_map(|at| {
        let number = text.get(at.checked_sub(6)?..at)?.parse().ok()?;
        let time = text.get(at + 1..at + 20)?.parse().ok()?;
        Some((number, time))
    })
}
