//! When a run is over: when nothing more comes by itself.

use std::time::Duration;

use super::Now;

/// A run goes from a prompt to the moment in which the CLI rests. A result need not be its end:
/// work in the background starts turns of its own. A CLI that says what state it is in decides; of
/// one that does not, the result is all there is to go by.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// A turn has begun or ended since the run began: there is something to be over.
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

    /// When so long nothing has come after a result that nothing more will.
    pub(super) fn deadline(&self, quiet: Duration) -> Option<Now> {
        let waits = self.resulted && self.state == State::Busy;
        waits.then(|| self.heard + quiet)
    }

    /// Whether none is going on.
    pub(super) fn is_at_rest(&self) -> bool {
        !self.happened && !self.resulted && self.state != State::Busy
    }

    /// The run is over; the next one may begin.
    pub(super) fn quiet(&mut self) {
        self.happened = false;
        self.resulted = false;
    }
}
