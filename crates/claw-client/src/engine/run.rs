//! Determines the end of a run. A run lasts from a prompt until the CLI is idle. After the end, the
//! CLI sends nothing more by itself.

use std::time::Duration;

use super::Now;

/// The state of a run. A result is not always the end of the run, because background work starts
/// more turns. If the CLI reports its state, the reported state is decisive. Otherwise the result
/// is.
#[derive(Debug, Default)]
pub(super) struct Run {
    /// Whether a turn has begun or ended in this run. An idle CLI ends only a run that has had a turn.
    has_turn: bool,
    has_result: bool,
    state: State,
    last_line: Now,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Unreported,
    Busy,
    Idle,
}

impl Run {
    pub(super) fn on_prompt(&mut self) {
        self.has_result = false;
    }

    pub(super) fn on_line(&mut self, now: Now) {
        self.last_line = now;
    }

    pub(super) fn on_turn(&mut self) {
        self.has_turn = true;
    }

    pub(super) fn on_result(&mut self) {
        self.has_turn = true;
        self.has_result = true;
    }

    pub(super) fn state(&mut self, state: &str) {
        self.state = if state == "idle" {
            State::Idle
        } else {
            State::Busy
        };
    }

    pub(super) fn has_ended(&self) -> bool {
        match self.state {
            State::Unreported => self.has_result,
            State::Idle => self.has_turn,
            State::Busy => false,
        }
    }

    /// Returns the time after which nothing more is expected, because no line has arrived for this
    /// long after a result.
    pub(super) fn deadline(&self, quiet: Duration) -> Option<Now> {
        let waits = self.has_result && self.state == State::Busy;
        waits.then(|| self.last_line + quiet)
    }

    /// Whether no run is in progress.
    pub(super) fn is_at_rest(&self) -> bool {
        !self.has_turn && !self.has_result && self.state != State::Busy
    }

    /// Ends the run, so that the next one can begin.
    pub(super) fn end(&mut self) {
        self.has_turn = false;
        self.has_result = false;
    }
}
