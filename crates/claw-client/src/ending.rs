//! The end of a session, as far as it has come. `docs/processes.md` draws the phases.

use std::io;
use std::time::Duration;

use claw_codec::Line;
use claw_transport::{Exit, Process, TransportError};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::Error;
use crate::commands::Closed;
use crate::driver::LINGER;

/// How far the end has come, and who waits for it.
pub(crate) struct Ending {
    phase: Phase,
    /// How long the process may take to end by itself once a pipe is gone.
    patience: Duration,
    asked_by: Vec<oneshot::Sender<Closed>>,
    /// Half a line, at the end of the output.
    half: Option<Line>,
}

/// They come in this order; each may be left out.
#[derive(Debug)]
enum Phase {
    /// Both pipes are there, and so is the process.
    Running,
    /// A pipe is gone: the process has to end, by itself until then.
    HungUp {
        until: Instant,
        /// There is no more output.
        eof: bool,
        error: Error,
    },
    /// The process is made to end.
    Closing {
        why: Why,
        /// When it is made to end by force, because a pipe is gone.
        until: Option<Instant>,
        eof: bool,
    },
    /// The process has ended. What it has left in its pipe is read, until then.
    Draining {
        why: Option<Why>,
        exit: Exit,
        until: Instant,
    },
    /// Nothing more can come. The process has ended, or cannot be ended.
    Over {
        why: Option<Why>,
        exit: Result<Exit, Error>,
    },
}

/// Why a session ends, where it is not that the process has ended by itself.
#[derive(Debug, Clone)]
enum Why {
    /// It was asked for from here.
    Asked,
    /// The session is of no use.
    Refused(Error),
    /// A pipe is gone, and the process has ended for that, or has outstayed its time.
    Broken { error: Error, outstayed: bool },
}

/// What all who wait are told.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It was ended from here.
    Closed,
    /// The process has ended in this way.
    Exited(Exit),
    /// Something else ended it.
    Failed(Error),
}

/// What the driver asks.
impl Ending {
    /// Of a session with this process; where nobody knows how that ends, its end is not waited for.
    pub(crate) fn of(process: &Process) -> Self {
        let patience = if process.is_detached() {
            Duration::ZERO
        } else {
            LINGER
        };
        Self {
            phase: Phase::Running,
            patience,
            asked_by: Vec::new(),
            half: None,
        }
    }

    /// Whether anything may still be written.
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running)
    }

    /// Whether there may be more output.
    pub(crate) fn has_output(&self) -> bool {
        match self.phase {
            Phase::Running | Phase::Draining { .. } => true,
            Phase::HungUp { eof, .. } | Phase::Closing { eof, .. } => !eof,
            Phase::Over { .. } => false,
        }
    }

    /// Whether nothing more can come.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over { .. })
    }

    /// Whether it was asked for from here.
    pub(crate) fn is_asked(&self) -> bool {
        matches!(self.why(), Some(Why::Asked))
    }

    /// When a process that has lost a pipe has had its time: [`outstayed`](Self::outstayed).
    pub(crate) fn patient_until(&self) -> Option<Instant> {
        match self.phase {
            Phase::HungUp { until, .. } => Some(until),
            Phase::Closing { until, .. } => until,
            _ => None,
        }
    }

    /// When reading on after the end of the process is given up: [`gave_up`](Self::gave_up).
    pub(crate) fn drained_until(&self) -> Option<Instant> {
        match self.phase {
            Phase::Draining { until, .. } => Some(until),
            _ => None,
        }
    }

    /// How the process ended, if it has.
    pub(crate) fn exit(&self) -> Option<Exit> {
        match &self.phase {
            Phase::Draining { exit, .. } | Phase::Over { exit: Ok(exit), .. } => Some(*exit),
            _ => None,
        }
    }

    /// What is told of it.
    pub(crate) fn verdict(&self) -> Verdict {
        match (self.why(), self.exit()) {
            (Some(Why::Asked), _) | (None, None) => Verdict::Closed,
            (Some(Why::Refused(error)), _) => Verdict::Failed(error),
            (Some(Why::Broken { error, outstayed }), exit) => match exit {
                // Its own end says more, unless it had to be ended from here.
                Some(exit) if !outstayed && exit.status().is_some() => Verdict::Exited(exit),
                _ => Verdict::Failed(error),
            },
            (None, Some(exit)) => Verdict::Exited(exit),
        }
    }

    fn why(&self) -> Option<Why> {
        match &self.phase {
            Phase::Running => None,
            Phase::HungUp { error, .. } => Some(Why::broken(error.clone())),
            Phase::Closing { why, .. } => Some(why.clone()),
            Phase::Draining { why, .. } | Phase::Over { why, .. } => why.clone(),
        }
    }
}

/// What happens.
impl Ending {
    /// Somebody here asks for it. The last reason of all: whatever else happens is what was asked for. Whether it is
    /// the first time.
    pub(crate) fn ask(&mut self) -> bool {
        let first = !self.is_asked();
        match &mut self.phase {
            Phase::Running => self.close(Why::Asked, None, false),
            Phase::HungUp { until, eof, .. } => {
                let (until, eof) = (*until, *eof);
                self.close(Why::Asked, Some(until), eof);
            }
            Phase::Closing { why, .. } => *why = Why::Asked,
            Phase::Draining { why, .. } | Phase::Over { why, .. } => *why = Some(Why::Asked),
        }
        first
    }

    /// The session is of no use. What happened before counts.
    pub(crate) fn refuse(&mut self, error: Error) {
        match &mut self.phase {
            Phase::Running => self.close(Why::Refused(error), None, false),
            Phase::HungUp { until, eof, error } => {
                let (until, eof, why) = (*until, *eof, Why::broken(error.clone()));
                self.close(why, Some(until), eof);
            }
            Phase::Closing { .. } => {}
            Phase::Draining { why, .. } | Phase::Over { why, .. } => {
                why.get_or_insert(Why::Refused(error));
            }
        }
    }

    /// Nothing more can be written. What happened before counts.
    pub(crate) fn broken(&mut self, error: io::Error) {
        let error = Error::from(TransportError::Io(error));
        match &mut self.phase {
            Phase::Running => self.hang_up(error, false),
            Phase::HungUp { .. } | Phase::Closing { .. } => {}
            Phase::Draining { why, .. } | Phase::Over { why, .. } => {
                why.get_or_insert(Why::broken(error));
            }
        }
    }

    /// Nothing more can be read. Says more than that nothing can be written any more.
    pub(crate) fn end_of_output(&mut self, error: io::Error) {
        let new = Error::from(TransportError::Io(error));
        match &mut self.phase {
            Phase::Running => self.hang_up(new, true),
            Phase::HungUp { eof, error, .. } => (*eof, *error) = (true, new),
            Phase::Closing { why, eof, .. } => {
                *eof = true;
                why.break_with(new);
            }
            Phase::Draining { why, exit, .. } => {
                let (mut why, exit) = (why.take(), *exit);
                why.get_or_insert_with(|| Why::broken(new.clone()))
                    .break_with(new);
                let exit = Ok(exit);
                self.phase = Phase::Over { why, exit };
            }
            Phase::Over { .. } => {}
        }
    }

    /// A process that has lost a pipe has not ended in its time.
    pub(crate) fn outstayed(&mut self) {
        match &mut self.phase {
            Phase::HungUp { eof, error, .. } => {
                let (eof, error) = (*eof, error.clone());
                let outstayed = true;
                self.close(Why::Broken { error, outstayed }, None, eof);
            }
            Phase::Closing { why, until, .. } => {
                *until = None;
                if let Why::Broken { outstayed, .. } = why {
                    *outstayed = true;
                }
            }
            _ => {}
        }
    }

    /// The process has ended.
    pub(crate) fn exited(&mut self, exit: Exit) {
        let why = self.why();
        self.phase = if self.has_output() {
            let until = Instant::now() + LINGER;
            Phase::Draining { why, exit, until }
        } else {
            let exit = Ok(exit);
            Phase::Over { why, exit }
        };
    }

    /// What the process has left is not read any further.
    pub(crate) fn gave_up(&mut self) {
        if let Some(exit) = self.exit() {
            let (why, exit) = (self.why(), Ok(exit));
            self.phase = Phase::Over { why, exit };
        }
    }

    /// The process does not even end when it is killed.
    pub(crate) fn stuck(&mut self, error: Error) {
        let why = self.why();
        let exit = self.exit().ok_or(error);
        self.phase = Phase::Over { why, exit };
    }

    fn hang_up(&mut self, error: Error, eof: bool) {
        let until = Instant::now() + self.patience;
        self.phase = Phase::HungUp { until, eof, error };
    }

    fn close(&mut self, why: Why, until: Option<Instant>, eof: bool) {
        self.phase = Phase::Closing { why, until, eof };
    }
}

/// Who waits, and what came last.
impl Ending {
    /// Has `done` told how the process ended.
    pub(crate) fn wait(&mut self, done: oneshot::Sender<Closed>) {
        self.asked_by.push(done);
    }

    /// Tells those who wait. Where it is not known how the process ended, they learn it by the drop of their
    /// senders.
    pub(crate) fn tell(&mut self) {
        let closed = match &self.phase {
            Phase::Over { exit, .. } => Some(exit.clone()),
            Phase::Draining { exit, .. } => Some(Ok(*exit)),
            _ => None,
        };
        for done in self.asked_by.drain(..) {
            if let Some(closed) = closed.clone() {
                // Whoever asked may be gone.
                let _ = done.send(closed);
            }
        }
    }

    /// The output ended with half a line.
    pub(crate) fn keep_half(&mut self, line: Line) {
        self.half = Some(line.detach());
    }

    pub(crate) fn take_half(&mut self) -> Option<Line> {
        self.half.take()
    }
}

impl Why {
    fn broken(error: Error) -> Self {
        let outstayed = false;
        Self::Broken { error, outstayed }
    }

    /// The newest word on a pipe counts.
    fn break_with(&mut self, new: Error) {
        if let Self::Broken { error, .. } = self {
            *error = new;
        }
    }
}

#[cfg(test)]
mod tests;
