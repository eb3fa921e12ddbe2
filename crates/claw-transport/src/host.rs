//! Processes that another part of the program runs.

use std::future::pending;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::io::AsyncWrite;
use tokio::sync::mpsc;
use tokio::time::timeout_at;

use crate::process::{Shared, State};
use crate::shutdown_steps::{ShutdownSteps, Step};
use crate::stderr::Stderr;
use crate::supervisor::Control;
use crate::{Exit, Process, Shutdown};

/// The controlling side of a [`Process`] that claw does not start itself. Created by [`Process::hosted`]. The code that
/// runs the process uses it to report the process's stderr and how the process ends, and to receive the controls that
/// end the process.
///
/// # Drop
///
/// If the host is dropped, the process is treated as ended, with an unknown status.
#[derive(Debug)]
pub struct ProcessHost {
    shared: Arc<Shared>,
    controls: mpsc::UnboundedReceiver<Control>,
    steps: Option<ShutdownSteps>,
    forced: bool,
}

/// A control of a process, with which claw asks the code that runs the process to end it. Returned by
/// [`ProcessHost::next_control`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProcessControl {
    /// Asks the process to end (SIGTERM). The process may take some time to end, or may ignore the signal.
    Terminate,
    /// Ends the process and all its descendants at once (SIGKILL).
    Kill,
}

impl Process {
    /// Creates a process handle and its controlling side, for a transport whose CLI is not started by claw. For
    /// example, a test can use it to make a substitute for the CLI look like a process.
    ///
    /// ```
    /// use claw_transport::{Exit, Process, Shutdown, ProcessControl};
    ///
    /// # futures::executor::block_on(async {
    /// let (process, mut host) = Process::hosted();
    /// process.terminate();
    /// assert_eq!(host.next_control().await, ProcessControl::Terminate);
    /// host.exited(Exit::with_code(143));
    /// let exit = process.exited().await;
    /// assert_eq!((exit.code(), exit.is_forced()), (Some(143), true));
    /// # })
    /// ```
    pub fn hosted() -> (Self, ProcessHost) {
        // Only the application adds controls, and each of them has only a few bytes.
        let (sender, controls) = mpsc::unbounded_channel();
        let shared = Shared::new(None, Stderr::default());
        let host = ProcessHost {
            shared: shared.clone(),
            controls,
            steps: None,
            forced: false,
        };
        (Self::run_by(shared, sender), host)
    }
}

impl ProcessHost {
    /// Returns the sink for the process's stderr. claw's errors quote the text that is written to the sink, and
    /// [`Process::stderr_tail`] returns the last 64 KiB of it. Secrets are not masked.
    pub fn stderr(&self) -> ProcessStderr {
        ProcessStderr(self.shared.clone())
    }

    /// Waits for the next control from claw that ends the process. Controls come from [`Process::terminate`] and
    /// [`kill`](Process::kill), from the steps of a [`shutdown`](Process::shutdown), and from the drop of the last
    /// [`Process`] handle. Once a shutdown has begun, this method needs a tokio runtime with a clock.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe.
    pub async fn next_control(&mut self) -> ProcessControl {
        loop {
            let now = tokio::time::Instant::now;
            match ShutdownSteps::step(&mut self.steps, now().into_std()) {
                Some(Step::Terminate) => return self.force(ProcessControl::Terminate),
                Some(Step::Kill) => return self.force(ProcessControl::Kill),
                Some(Step::ReportStuck) => {
                    self.shared.state.send_replace(State::Stuck);
                }
                None => {}
            }
            let controls = &mut self.controls;
            let control = async {
                match controls.recv().await {
                    Some(control) => control,
                    // All handles were dropped, so no more controls arrive. The remaining steps of a shutdown are still
                    // taken.
                    None => pending().await,
                }
            };
            let control = match &self.steps {
                None => control.await,
                Some(steps) => match timeout_at(steps.at().into(), control).await {
                    Ok(control) => control,
                    Err(_) => continue,
                },
            };
            match control {
                Control::Terminate => return self.force(ProcessControl::Terminate),
                Control::Kill => self.begin(Step::Kill, Shutdown::now(), Duration::ZERO),
                Control::End(times) => self.begin(Step::Terminate, times, times.grace),
                Control::Dropped => self.begin(Step::Terminate, Shutdown::now(), Duration::ZERO),
            }
        }
    }

    /// Reports that the process has ended, and how it ended. If claw ended the process, the exit is marked as
    /// [forced](Exit::is_forced).
    pub fn exited(self, exit: Exit) {
        let exit = if self.forced { exit.forced() } else { exit };
        self.shared.state.send_replace(State::Exited(exit));
    }

    fn force(&mut self, control: ProcessControl) -> ProcessControl {
        self.forced = true;
        control
    }

    fn begin(&mut self, next: Step, times: Shutdown, wait: Duration) {
        let now: Instant = tokio::time::Instant::now().into_std();
        ShutdownSteps::begin(&mut self.steps, next, times, now, wait);
    }
}

impl Drop for ProcessHost {
    fn drop(&mut self) {
        let unknown = Exit::new(None, self.forced);
        self.shared.state.send_if_modified(|state| {
            let ended = matches!(state, State::Exited(_));
            if !ended {
                *state = State::Exited(unknown);
            }
            !ended
        });
    }
}

/// The sink for a process's stderr. Returned by [`ProcessHost::stderr`]. Writes never wait.
#[derive(Debug, Clone)]
pub struct ProcessStderr(Arc<Shared>);

impl AsyncWrite for ProcessStderr {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.with_stderr(|stderr| stderr.push(bytes));
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
