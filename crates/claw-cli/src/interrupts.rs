//! Handles Ctrl-C when it arrives as a signal.

use std::future::pending;
use std::task::{Context, Poll, Waker};

#[cfg(unix)]
use tokio::signal::unix::Signal as Listener;
#[cfg(windows)]
use tokio::signal::windows::CtrlC as Listener;

/// A listener for Ctrl-C. It listens from its creation on, so that it also receives a Ctrl-C between two waits. A
/// Ctrl-C before its creation ends the process.
#[derive(Debug)]
pub(crate) struct Interrupts(Option<Listener>);

impl Interrupts {
    /// Starts listening. If the system cannot listen for the signal, no interrupt arrives.
    pub(crate) fn new() -> Self {
        Self(listen().ok())
    }

    /// Waits for the next interrupt.
    pub(crate) async fn next(&mut self) {
        match &mut self.0 {
            Some(listener) => drop(listener.recv().await),
            None => pending().await,
        }
    }

    /// Discards the interrupts that have already arrived.
    pub(crate) fn forget(&mut self) {
        let mut now = Context::from_waker(Waker::noop());
        if let Some(listener) = &mut self.0 {
            while listener.poll_recv(&mut now) == Poll::Ready(Some(())) {}
        }
    }
}

#[cfg(unix)]
fn listen() -> std::io::Result<Listener> {
    use tokio::signal::unix::{SignalKind, signal};
    signal(SignalKind::interrupt())
}

#[cfg(windows)]
fn listen() -> std::io::Result<Listener> {
    tokio::signal::windows::ctrl_c()
}
