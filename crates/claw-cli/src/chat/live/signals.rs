//! Receives the signals that end the process, so that the terminal can be restored first. Also receives changes of the
//! terminal's size.

/// Listens for some kinds of signals. On systems other than Unix, it receives none.
#[derive(Debug)]
pub(super) struct Signals {
    #[cfg(unix)]
    listeners: Vec<tokio::signal::unix::Signal>,
}

impl Signals {
    /// Creates a listener for the signals that end the process.
    pub(super) fn ends() -> Self {
        Self {
            #[cfg(unix)]
            listeners: {
                use tokio::signal::unix::SignalKind;
                listeners(&[
                    SignalKind::terminate(),
                    SignalKind::hangup(),
                    SignalKind::interrupt(),
                ])
            },
        }
    }

    /// Creates a listener for changes of the terminal's size. The events of the keys also contain such changes, but
    /// such an event is lost if a key arrives at the same time.
    pub(super) fn sizes() -> Self {
        Self {
            #[cfg(unix)]
            listeners: listeners(&[tokio::signal::unix::SignalKind::window_change()]),
        }
    }

    /// Waits for the next signal. Cancel safe.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        std::future::poll_fn(|context| {
            let mut listeners = self.listeners.iter_mut();
            if listeners.any(|listener| listener.poll_recv(context).is_ready()) {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
        #[cfg(not(unix))]
        std::future::pending::<()>().await;
    }
}

/// Listens for these signals. If this fails for a signal, the signal is left out.
#[cfg(unix)]
fn listeners(kinds: &[tokio::signal::unix::SignalKind]) -> Vec<tokio::signal::unix::Signal> {
    let listeners = kinds.iter().map(|&kind| tokio::signal::unix::signal(kind));
    listeners.filter_map(Result::ok).collect()
}

/// Stops the processes of this terminal job until the user continues them, as Ctrl-Z does at a terminal.
#[cfg(unix)]
pub(super) async fn stop() {
    use rustix::process::{Signal, kill_current_process_group};
    // If the call fails, no process is stopped.
    let _ = kill_current_process_group(Signal::TSTP);
    // Another thread may handle the signal a moment later, so this function waits for it.
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
}
