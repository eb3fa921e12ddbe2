//! Waits for the events that end `claw run` from outside: signals, and the exit of the reader of stdout.

use crate::outcome::Outcome;

/// Waits for an event that ends the command. Signals are caught as soon as this value is created.
pub(super) struct Ended(#[cfg(unix)] unix::Ended);

impl Ended {
    pub(super) fn listen() -> Self {
        Self(
            #[cfg(unix)]
            unix::Ended::listen(),
        )
    }

    /// Completes with the outcome when the command must end.
    pub(super) async fn next(&mut self) -> Outcome {
        #[cfg(unix)]
        return self.0.next().await;
        #[cfg(not(unix))]
        std::future::pending().await
    }
}

#[cfg(unix)]
mod unix {
    use std::future::pending;
    use std::io::{IsTerminal as _, stderr, stdin, stdout};
    use std::thread;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::retry_on_intr;
    use tokio::signal::unix::{Signal, SignalKind, signal};
    use tokio::sync::oneshot;

    use crate::outcome::Outcome;

    pub(super) struct Ended {
        terminate: Option<Signal>,
        hangup: Option<Signal>,
        unread: oneshot::Receiver<()>,
    }

    impl Ended {
        pub(super) fn listen() -> Self {
            // Under `nohup` there is no terminal. A hangup must then be ignored.
            let has_terminal =
                stdin().is_terminal() || stdout().is_terminal() || stderr().is_terminal();
            let hangup = has_terminal.then(|| signal(SignalKind::hangup()).ok());
            Self {
                terminate: signal(SignalKind::terminate()).ok(),
                hangup: hangup.flatten(),
                unread: watch_stdout(),
            }
        }

        pub(super) async fn next(&mut self) -> Outcome {
            tokio::select! {
                () = arrival(&mut self.terminate) => Outcome::Signalled(15),
                () = arrival(&mut self.hangup) => Outcome::Signalled(1),
                Ok(()) = &mut self.unread => Outcome::STDOUT_CLOSED,
                else => pending().await,
            }
        }
    }

    async fn arrival(listener: &mut Option<Signal>) {
        match listener {
            Some(listener) => drop(listener.recv().await),
            None => pending().await,
        }
    }

    /// Starts a thread that sends a message when the reader of stdout has exited. Claude is then ended, so that an
    /// answer that no one reads costs nothing. The thread ends with the process.
    fn watch_stdout() -> oneshot::Receiver<()> {
        let (sender, unread) = oneshot::channel();
        // If the thread cannot be started, the next write fails instead.
        let _ = thread::Builder::new().stack_size(64 << 10).spawn(move || {
            let output = stdout();
            // The call waits only for errors. A file has no such errors, so the wait never ends.
            let mut fds = [PollFd::new(&output, PollFlags::empty())];
            let gone = PollFlags::ERR | PollFlags::HUP;
            if retry_on_intr(|| poll(&mut fds, None)).is_ok() && fds[0].revents().intersects(gone) {
                let _ = sender.send(());
            }
        });
        unread
    }
}
