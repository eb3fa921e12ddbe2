//! The state of the end of a session. `docs/processes.md` shows its phases.

use std::io;
use std::time::Duration;

use claw_codec::Line;
use claw_transport::{Exit, Process, TransportError};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::handle::commands::Closed;
use crate::outcome::error::Error;
use crate::waiting::LINGER;

/// How far the end of a session has progressed, and the callers that wait for it.
pub(crate) struct ShutdownState {
    phase: Phase,
    /// The time within which the process must end by itself after a pipe was closed.
    linger: Duration,
    waiters: Vec<oneshot::Sender<Closed>>,
    /// An unfinished last line of the output.
    half: Option<Line>,
}

/// The phases of a session's end, in the order in which they follow each other. Any phase can be skipped.
#[derive(Debug)]
enum Phase {
    /// Both pipes are open, and the process is running.
    Running,
    /// A pipe was closed. The process must end by itself until this time.
    PipeClosed {
        until: Instant,
        /// Whether the output has ended.
        eof: bool,
        error: Error,
    },
    /// The steps that end the process are running.
    Closing {
        why: ShutdownReason,
        /// The time at which the process is killed. Set if the process is ended because a pipe was closed.
        until: Option<Instant>,
        eof: bool,
    },
    /// The process has ended. The driver reads the rest of its output until this time.
    Draining {
        why: Option<ShutdownReason>,
        exit: Exit,
        until: Instant,
    },
    /// The process has ended, or cannot be ended. No more output can arrive.
    Ended {
        why: Option<ShutdownReason>,
        exit: Result<Exit, Error>,
    },
}

/// The reason why this program ends the session, or why the session could not continue.
#[derive(Debug, Clone)]
enum ShutdownReason {
    /// The application requested the end.
    Asked,
    /// The session cannot be used.
    Refused(Error),
    /// A pipe was closed. The process then ended by itself, or it was ended because it continued for too long.
    Broken {
        error: Error,
        linger_timed_out: bool,
    },
}

/// The outcome for all waiting callers.
#[derive(Debug)]
pub(crate) enum ShutdownOutcome {
    /// This program closed the session.
    Closed,
    /// The process has ended by itself, with this exit.
    Exited(Exit),
    /// Another error ended the session.
    Failed(Error),
}

/// Methods with which the driver reads the phase and the outcome.
impl ShutdownState {
    /// Creates the state for this process. If the exit of the process cannot be known, the driver does not wait for the
    /// end of the process.
    pub(crate) fn of(process: &Process) -> Self {
        let linger = if process.is_detached() {
            Duration::ZERO
        } else {
            LINGER
        };
        Self {
            phase: Phase::Running,
            linger,
            waiters: Vec::new(),
            half: None,
        }
    }

    /// Whether lines may still be written.
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running)
    }

    /// Whether there may be more output.
    pub(crate) fn has_output(&self) -> bool {
        match self.phase {
            Phase::Running | Phase::Draining { .. } => true,
            Phase::PipeClosed { eof, .. } | Phase::Closing { eof, .. } => !eof,
            Phase::Ended { .. } => false,
        }
    }

    /// Whether the shutdown is complete, so that nothing more can arrive from the process.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended { .. })
    }

    /// Whether the application requested the end.
    pub(crate) fn is_asked(&self) -> bool {
        matches!(self.why(), Some(ShutdownReason::Asked))
    }

    /// Returns the time until which a process with a closed pipe may end by itself. At that time, the driver calls
    /// [`linger_timed_out`](Self::linger_timed_out).
    pub(crate) fn linger_deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::PipeClosed { until, .. } => Some(until),
            Phase::Closing { until, .. } => until,
            _ => None,
        }
    }

    /// Returns the time until which output is read after the process has ended. At that time, the driver calls
    /// [`drain_timed_out`](Self::drain_timed_out).
    pub(crate) fn drain_deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::Draining { until, .. } => Some(until),
            _ => None,
        }
    }

    /// Returns the exit of the process, if it has ended.
    pub(crate) fn exit(&self) -> Option<Exit> {
        match &self.phase {
            Phase::Draining { exit, .. } | Phase::Ended { exit: Ok(exit), .. } => Some(*exit),
            _ => None,
        }
    }

    /// Returns the outcome.
    pub(crate) fn outcome(&self) -> ShutdownOutcome {
        match (self.why(), self.exit()) {
            (Some(ShutdownReason::Asked), _) | (None, None) => ShutdownOutcome::Closed,
            (Some(ShutdownReason::Refused(error)), _) => ShutdownOutcome::Failed(error),
            (
                Some(ShutdownReason::Broken {
                    error,
                    linger_timed_out,
                }),
                exit,
            ) => match exit {
                // The exit of the process explains more than the error, so the exit is the outcome.
                // But if this program had to end the process, the error is the outcome.
                Some(exit) if !linger_timed_out && exit.status().is_some() => {
                    ShutdownOutcome::Exited(exit)
                }
                _ => ShutdownOutcome::Failed(error),
            },
            (None, Some(exit)) => ShutdownOutcome::Exited(exit),
        }
    }

    fn why(&self) -> Option<ShutdownReason> {
        match &self.phase {
            Phase::Running => None,
            Phase::PipeClosed { error, .. } => Some(ShutdownReason::broken(error.clone())),
            Phase::Closing { why, .. } => Some(why.clone()),
            Phase::Draining { why, .. } | Phase::Ended { why, .. } => why.clone(),
        }
    }
}

/// Methods with which the driver reports events.
impl ShutdownState {
    /// Records that the application requests the end. This reason replaces all other reasons, even if something else
    /// caused the end. Returns whether the application requests the end for the first time.
    pub(crate) fn ask(&mut self) -> bool {
        let first = !self.is_asked();
        match &mut self.phase {
            Phase::Running => self.close(ShutdownReason::Asked, None, false),
            Phase::PipeClosed { until, eof, .. } => {
                let (until, eof) = (*until, *eof);
                self.close(ShutdownReason::Asked, Some(until), eof);
            }
            Phase::Closing { why, .. } => *why = ShutdownReason::Asked,
            Phase::Draining { why, .. } | Phase::Ended { why, .. } => {
                *why = Some(ShutdownReason::Asked);
            }
        }
        first
    }

    /// Records that the session cannot be used. If another reason is recorded already, that reason remains.
    pub(crate) fn refuse(&mut self, error: Error) {
        match &mut self.phase {
            Phase::Running => self.close(ShutdownReason::Refused(error), None, false),
            Phase::PipeClosed { until, eof, error } => {
                let (until, eof, why) = (*until, *eof, ShutdownReason::broken(error.clone()));
                self.close(why, Some(until), eof);
            }
            Phase::Closing { .. } => {}
            Phase::Draining { why, .. } | Phase::Ended { why, .. } => {
                why.get_or_insert(ShutdownReason::Refused(error));
            }
        }
    }

    /// Records that nothing more can be written to the process. If another reason is recorded already, that reason
    /// remains.
    pub(crate) fn broken(&mut self, error: io::Error) {
        let error = Error::from(TransportError::from(error));
        if error.is_recording() {
            return self.refuse(error);
        }
        match &mut self.phase {
            Phase::Running => self.hang_up(error, false),
            Phase::PipeClosed { .. } | Phase::Closing { .. } => {}
            Phase::Draining { why, .. } | Phase::Ended { why, .. } => {
                why.get_or_insert(ShutdownReason::broken(error));
            }
        }
    }

    /// Records that the output has ended. If a write has already failed, this error replaces the error of the write.
    pub(crate) fn end_of_output(&mut self, error: io::Error) {
        let new = Error::from(TransportError::from(error));
        if new.is_recording() {
            // Writing the recording failed, so the session cannot be used. The CLI itself has not
            // ended its output, so the end of the output is recorded with a general error.
            self.refuse(new);
            return self.end_of_output(io::ErrorKind::UnexpectedEof.into());
        }
        match &mut self.phase {
            Phase::Running => self.hang_up(new, true),
            Phase::PipeClosed { eof, error, .. } => (*eof, *error) = (true, new),
            Phase::Closing { why, eof, .. } => {
                *eof = true;
                why.break_with(new);
            }
            Phase::Draining { why, exit, .. } => {
                let (mut why, exit) = (why.take(), *exit);
                why.get_or_insert_with(|| ShutdownReason::broken(new.clone()))
                    .break_with(new);
                let exit = Ok(exit);
                self.phase = Phase::Ended { why, exit };
            }
            Phase::Ended { .. } => {}
        }
    }

    /// Records that a process with a closed pipe did not end in time.
    pub(crate) fn linger_timed_out(&mut self) {
        match &mut self.phase {
            Phase::PipeClosed { eof, error, .. } => {
                let (eof, error) = (*eof, error.clone());
                let linger_timed_out = true;
                self.close(
                    ShutdownReason::Broken {
                        error,
                        linger_timed_out,
                    },
                    None,
                    eof,
                );
            }
            Phase::Closing { why, until, .. } => {
                *until = None;
                if let ShutdownReason::Broken {
                    linger_timed_out, ..
                } = why
                {
                    *linger_timed_out = true;
                }
            }
            _ => {}
        }
    }

    /// Postpones the deadlines by the time in which the host could not run.
    pub(crate) fn postpone(&mut self, time: Duration) {
        match &mut self.phase {
            Phase::PipeClosed { until, .. }
            | Phase::Draining { until, .. }
            | Phase::Closing {
                until: Some(until), ..
            } => *until += time,
            _ => {}
        }
    }

    /// Records that the process has ended.
    pub(crate) fn exited(&mut self, exit: Exit) {
        let why = self.why();
        self.phase = if self.has_output() {
            let until = Instant::now() + LINGER;
            Phase::Draining { why, exit, until }
        } else {
            let exit = Ok(exit);
            Phase::Ended { why, exit }
        };
    }

    /// Records that the time for reading the rest of the output has passed.
    pub(crate) fn drain_timed_out(&mut self) {
        if let Some(exit) = self.exit() {
            let (why, exit) = (self.why(), Ok(exit));
            self.phase = Phase::Ended { why, exit };
        }
    }

    /// Records that the process did not end although it was killed.
    pub(crate) fn stuck(&mut self, error: Error) {
        let why = self.why();
        let exit = self.exit().ok_or(error);
        self.phase = Phase::Ended { why, exit };
    }

    fn hang_up(&mut self, error: Error, eof: bool) {
        let until = Instant::now() + self.linger;
        self.phase = Phase::PipeClosed { until, eof, error };
    }

    fn close(&mut self, why: ShutdownReason, until: Option<Instant>, eof: bool) {
        self.phase = Phase::Closing { why, until, eof };
    }
}

/// Methods for the waiting callers, and for the unfinished last line.
impl ShutdownState {
    /// Registers a caller that waits for the exit of the process.
    pub(crate) fn wait(&mut self, done: oneshot::Sender<Closed>) {
        self.waiters.push(done);
    }

    /// Reports the exit to the waiting callers. If the exit is not known, drops their senders, so that they stop
    /// waiting.
    pub(crate) fn notify_waiters(&mut self) {
        let closed = match &self.phase {
            Phase::Ended { exit, .. } => Some(exit.clone()),
            Phase::Draining { exit, .. } => Some(Ok(*exit)),
            _ => None,
        };
        for done in self.waiters.drain(..) {
            if let Some(closed) = closed.clone() {
                // If the caller no longer waits, sending fails. The error is ignored.
                let _ = done.send(closed);
            }
        }
    }

    /// Records the unfinished line at the end of the output.
    pub(crate) fn keep_half(&mut self, line: Line) {
        self.half = Some(line.detach());
    }

    pub(crate) fn take_half(&mut self) -> Option<Line> {
        self.half.take()
    }
}

impl ShutdownReason {
    fn broken(error: Error) -> Self {
        let linger_timed_out = false;
        Self::Broken {
            error,
            linger_timed_out,
        }
    }

    /// Replaces the error of a closed pipe with a newer one.
    fn break_with(&mut self, new: Error) {
        if let Self::Broken { error, .. } = self {
            *error = new;
        }
    }
}

#[cfg(test)]
mod tests;
