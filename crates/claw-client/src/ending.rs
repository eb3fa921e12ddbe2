//! The end of a session, as far as it has come.

use std::io;
use std::time::Duration;

use claw_codec::Line;
use claw_transport::{Exit, Process, Shutdown, TransportError};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::commands::Closed;
use crate::driver::LINGER;
use crate::end::End;

/// How far the end has come.
#[derive(Default)]
pub(crate) struct Ending {
    /// It was asked for from here.
    pub(crate) asked: bool,
    pub(crate) asked_by: Vec<oneshot::Sender<Closed>>,
    /// The steps that shall be taken now.
    pub(crate) ladder: Option<Shutdown>,
    /// Nothing more is to be written.
    pub(crate) hung_up: bool,
    /// How long the process may take to end by itself once a pipe is gone.
    patience: Duration,
    /// A pipe is gone: the process may take until then.
    pub(crate) linger: Option<Instant>,
    /// It did not.
    pub(crate) outstayed: bool,
    /// Why, where nobody asked for it.
    pub(crate) reason: Option<End>,
    pub(crate) eof: bool,
    /// Half a line, at the end of the output.
    pub(crate) half: Option<Line>,
    pub(crate) exit: Option<Exit>,
    /// When reading on after the exit is given up.
    pub(crate) give_up: Option<Instant>,
    pub(crate) stuck: Option<TransportError>,
}

impl Ending {
    /// Of a session with this process; where nobody knows how that ends, its end is not waited for.
    pub(crate) fn of(process: &Process) -> Self {
        let patience = if process.is_detached() {
            Duration::ZERO
        } else {
            LINGER
        };
        Self {
            patience,
            ..Self::default()
        }
    }

    /// Whether nothing more can come.
    pub(crate) fn is_over(&self) -> bool {
        (self.eof && self.exit.is_some()) || self.stuck.is_some()
    }

    /// Nothing more can be read. Says more than that nothing can be written any more.
    pub(crate) fn end_of_output(&mut self, error: &io::Error) {
        self.eof = true;
        if let Some(End::Io { .. }) = self.reason {
            self.reason = None;
        }
        self.broken(error);
    }

    /// A pipe is gone, so the process has to end. Its own end says more, if that is why.
    pub(crate) fn broken(&mut self, error: &io::Error) {
        self.reason.get_or_insert_with(|| End::io(error));
        if self.exit.is_none() && !self.asked && !self.hung_up {
            self.hung_up = true;
            self.linger = Some(Instant::now() + self.patience);
        }
    }
}
