//! Signals that end the process: the terminal is restored before.

/// The signals.
#[derive(Debug)]
pub(super) struct Signals {
    #[cfg(unix)]
    listeners: Vec<tokio::signal::unix::Signal>,
}

impl Signals {
    pub(super) fn new() -> Self {
        Self {
            #[cfg(unix)]
            listeners: {
                use tokio::signal::unix::{SignalKind, signal};
                let kinds = [
                    SignalKind::terminate(),
                    SignalKind::hangup(),
                    SignalKind::interrupt(),
                ];
                kinds
                    .into_iter()
                    .filter_map(|kind| signal(kind).ok())
                    .collect()
            },
        }
    }

    /// The next one. Cancel safe.
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

/// Stops the processes of this terminal job until the user continues them, as Ctrl-Z does at a terminal.
#[cfg(unix)]
pub(super) async fn stop() {
    use rustix::process::{Signal, kill_current_process_group};
    // If it fails, nothing is stopped.
    let _ = kill_current_process_group(Signal::TSTP);
    // Another thread may take the signal, a moment later.
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
}
