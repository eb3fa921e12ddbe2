//! What ends `claw run` from outside: signals, and a reader of stdout that is gone.

use crate::outcome::Outcome;

/// Waits for the end. Signals are caught from the moment that it is made.
pub(super) struct Ended(#[cfg(unix)] unix::Ended);

impl Ended {
    pub(super) fn listen() -> Self {
        Self(
            #[cfg(unix)]
            unix::Ended::listen(),
        )
    }

    /// The outcome, when the command must end.
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
            // `nohup` leaves no terminal, and wants a hangup to be ignored.
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

    /// Tells when the reader of stdout is gone, so that no answer is paid for that nobody reads. The thread ends with the
    /// process.
    fn watch_stdout() -> oneshot::Receiver<()> {
        let (sender, unread) = oneshot::channel();
        // Without the thread, the next write finds out.
        let _ = thread::Builder::new().stack_size(64 << 10).spawn(move || {
            let output = stdout();
            // Only errors are waited for. A file has none, and is waited for without end.
            let mut fds = [PollFd::new(&output, PollFlags::empty())];
            let gone = PollFlags::ERR | PollFlags::HUP;
            if retry_on_intr(|| poll(&mut fds, None)).is_ok() && fds[0].revents().intersects(gone) {
                let _ = sender.send(());
            }
        });
        unread
    }
}
