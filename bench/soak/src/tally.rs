//! The outcomes of the prompts.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The maximum number of kept lines about faults.
const KEPT: usize = 20;

/// The outcomes of the prompts of one host.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) counts: BTreeMap<String, u64>,
    /// The faults.
    pub(crate) wrong: Vec<String>,
    /// The number of faults that were not kept.
    pub(crate) more: u64,
}

impl Tally {
    pub(crate) fn count(&mut self, what: &str) {
        *self.counts.entry(what.to_owned()).or_default() += 1;
    }

    pub(crate) fn of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or_default()
    }

    pub(crate) fn wrong(&mut self, what: impl Into<String>) {
        if self.wrong.len() < KEPT {
            self.wrong.push(what.into());
        } else {
            self.more += 1;
        }
    }

    pub(crate) fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<_> = self
            .counts
            .iter()
            .map(|(what, count)| format!("{what} {count}"))
            .collect();
        write!(f, "{}", counts.join(", "))?;
        for wrong in &self.wrong {
            write!(f, "\n  WRONG: {wrong}")?;
        }
        if self.more > 0 {
            write!(f, "\n  and {} more", self.more)?;
        }
        Ok(())
    }
}
