//! The end of a run: the moment after which nothing more arrives by itself.

use std::time::Duration;

use super::Now;

/// A run goes from a prompt to the moment at which the CLI is idle. A result need not be its end,
/// because background work starts turns of its own. If the CLI reports its state, that decides.
/// Otherwise the result does.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// Whether a turn has begun or ended since the run began, so that the run can be over.
    happened: bool,
    resulted: bool,
    state: State,
    heard: Now,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    NeverSaid,
    Busy,
    Idle,
}

impl Run {
    pub(super) fn prompted(&mut self) {
        self.resulted = false;
    }

    pub(super) fn heard(&mut self, now: Now) {
        self.heard = now;
    }

    pub(super) fn began(&mut self) {
        self.happened = true;
    }

    pub(super) fn resulted(&mut self) {
        self.happened = true;
        self.resulted = true;
    }

    pub(super) fn state(&mut self, state: &str) {
        self.state = if state == "idle" {
            State::Idle
        } else {
            State::Busy
        };
    }

    pub(super) fn is_over(&self) -> bool {
        match self.state {
            State::NeverSaid => self.resulted,
            State::Idle => self.happened,
            State::Busy => false,
        }
    }

    /// Returns the time at which nothing has arrived for so long after a result that nothing more
    /// will.
    pub(super) fn deadline(&self, quiet: Duration) -> Option<Now> {
        let waits = self.resulted && self.state == State::Busy;
        waits.then(|| self.heard + quiet)
    }

    /// Whether no run is in progress.
    pub(super) fn is_at_rest(&self) -> bool {
        !self.happened && !self.resulted && self.state != State::Busy
    }

    /// Ends the run. The next one can begin.
    pub(super) fn quiet(&mut self) {
        self.happened = false;
        self.resulted = false;
    }
}
