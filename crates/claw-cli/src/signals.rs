//! The signals that end a long-running command.

use std::future::Future;
use std::io;

/// Starts catching SIGINT (Ctrl-C) and SIGTERM. Returns a future that waits for one of them.
#[cfg(unix)]
pub(crate) fn ended() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Returns a future that waits for Ctrl-C.
#[cfg(not(unix))]
pub(crate) fn ended() -> io::Result<impl Future<Output = ()> + Send> {
    Ok(async { drop(tokio::signal::ctrl_c().await) })
}
