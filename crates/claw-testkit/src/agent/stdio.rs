//! The agent as a process: arguments, standard streams, signals.

use std::{
    convert::Infallible,
    ffi::OsString,
    fs, io,
    path::PathBuf,
    pin::Pin,
    task::{Context, Poll},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{AgentError, Script, run};
use crate::Gates;

#[cfg(test)]
mod tests;

/// The settings of a process that is a scripted agent.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Launch {
    /// The script that the agent plays.
    pub script: Script,
    /// The gates at which the agent waits.
    pub gates: Gates,
    /// A file to which every byte is appended that the agent reads from its input. Default: none.
    pub log: Option<PathBuf>,
}

impl Launch {
    /// Creates the settings of an agent that plays this script. The gates at which the script waits are not shared
    /// with other processes.
    pub fn new(script: Script) -> Self {
        Self {
            script,
            gates: Gates::new(),
            log: None,
        }
    }

    /// Reads the settings from the environment and from these arguments, which do not contain the program's own name.
    /// [The module](super) describes both. Arguments take precedence. If no script is given, the agent plays the
    /// built-in script `echo`.
    ///
    /// # Errors
    /// Fails if the script cannot be read or does not exist.
    pub fn from_args(
        args: impl IntoIterator<Item = OsString>,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, AgentError> {
        let args: Vec<OsString> = args.into_iter().collect();
        let setting =
            |flag: &str, variable: &str| value_of(&args, flag).or_else(|| environment(variable));
        let file = setting("--script", "CLAW_AGENT_SCRIPT").map(PathBuf::from);
        let builtin = setting("--builtin", "CLAW_AGENT_BUILTIN");
        let mut script = match (file, builtin) {
            (Some(path), _) => read(path)?,
            (None, name) => {
                let name = name.map_or("echo".into(), |name| name.to_string_lossy().into_owned());
                Script::builtin(&name).ok_or(AgentError::NoSuchScript { name })?
            }
        };
        if let Some(pace) = setting("--pace-ms", "CLAW_AGENT_PACE_MS")
            .and_then(|pace| pace.to_string_lossy().parse().ok())
        {
            script.pace_ms = pace;
        }
        let gates = setting("--gates", "CLAW_AGENT_GATES").map(Gates::in_folder);
        Ok(Self {
            script,
            gates: gates.unwrap_or_default(),
            log: setting("--log", "CLAW_AGENT_LOG").map(PathBuf::from),
        })
    }
}

/// Returns the value of `--flag=value` or `--flag value`.
fn value_of(args: &[OsString], flag: &str) -> Option<OsString> {
    args.iter().enumerate().find_map(|(index, arg)| {
        let rest = arg.to_str()?.strip_prefix(flag)?;
        match rest.strip_prefix('=') {
            Some(value) => Some(value.into()),
            None if rest.is_empty() => args.get(index + 1).cloned(),
            None => None,
        }
    })
}

fn read(path: PathBuf) -> Result<Script, AgentError> {
    let script = fs::read_to_string(&path)
        .and_then(|text| serde_json::from_str(&text).map_err(io::Error::from));
    script.map_err(|source| AgentError::Script { path, source })
}

/// The complete `main` function of a program that is a scripted agent. It reads its settings from the arguments and the
/// environment, as [the module](super) describes, and ends the process.
///
/// To test an application, add a program to its package whose `main` calls this function. Cargo builds a package's
/// programs before it runs the package's tests, and sets `CARGO_BIN_EXE_<name>` to the path of each program for the
/// tests:
///
/// ```no_run
/// // All of `main` in src/bin/scripted-claude.rs:
/// claw_testkit::agent::main()
/// ```
pub fn main() -> ! {
    let Err(error) = play_and_exit();
    report_error(&error);
    std::process::exit(1)
}

fn play_and_exit() -> Result<Infallible, AgentError> {
    let args = std::env::args_os().skip(1);
    let launch = Launch::from_args(args, |name| std::env::var_os(name))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    // The runtime is not dropped: it would wait for the thread that reads standard input.
    std::process::exit(runtime.block_on(stdio(&launch)))
}

/// Makes this process a scripted agent. Plays the script over standard input and output, and returns the exit code. The
/// caller must then exit with this code immediately, with [`std::process::exit`], because a thread may still be reading
/// standard input.
///
/// SIGTERM ends the agent with exit code 143, in the same way as `claude`, unless the script ignores SIGTERM. If the
/// agent fails, the error is written to standard error, and the exit code is 1.
///
/// # Cancel safety
/// Not cancel safe: see [`run`].
pub async fn stdio(launch: &Launch) -> i32 {
    let Launch { script, gates, log } = launch;
    let log = log.as_deref().map(|path| {
        let file = fs::File::options().create(true).append(true).open(path);
        file.map_err(|error| format!("{}: {error}", path.display()))
    });
    let log = match log.transpose() {
        Ok(log) => log,
        Err(error) => {
            let _ = io::Write::write_all(&mut io::stderr(), (error + "\n").as_bytes());
            return 1;
        }
    };
    let input = Logged {
        input: tokio::io::stdin(),
        log,
    };
    // The handler is set before the first step, because a test may send a signal as soon as it sees output of the
    // agent.
    let terminated = terminated(script.ignore_sigterm);
    let playing = run(script, input, Stdout(tokio::io::stdout()), gates);
    let playing = async {
        match playing.await {
            Ok(outcome) => {
                if let Some(number) = outcome.signal {
                    signal_self(number).await;
                }
                outcome.code
            }
            Err(error) => {
                report_error(&error);
                1
            }
        }
    };
    tokio::select! {
        code = playing => code,
        () = terminated => 143,
    }
}

/// Sends a signal to this process. If the process survives the signal, it then exits with the code for this signal.
/// After SIGTERM, the function never returns, because the handler for SIGTERM determines whether the process ends.
#[cfg(unix)]
async fn signal_self(number: i32) {
    use rustix::process::{Signal, getpid, kill_process};
    let Some(signal) = Signal::from_named_raw(number) else {
        return;
    };
    // The first SIGSEGV or SIGBUS only removes Rust's handler for stack overflows.
    for _ in 0..2 {
        let _ = kill_process(getpid(), signal);
    }
    if signal == Signal::TERM {
        std::future::pending::<()>().await;
    }
}

#[cfg(not(unix))]
fn signal_self(_number: i32) -> impl Future<Output = ()> {
    std::future::ready(())
}

/// Writes an error and its causes to standard error.
fn report_error(error: &AgentError) {
    // If this write fails too, the error cannot be reported in any other way.
    let _ = io::Write::write_all(&mut io::stderr(), error_line(error).as_bytes());
}

/// Returns an error and its causes, as a line.
pub(super) fn error_line(error: &AgentError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text + "\n"
}

/// Handles SIGTERM from now on. The future completes when SIGTERM arrives, or never if the signal is to be ignored.
#[cfg(unix)]
fn terminated(ignored: bool) -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    // If no handler can be set, the signal has its default effect, which ends the process.
    let signals = signal(SignalKind::terminate());
    async move {
        if let Ok(mut signals) = signals {
            loop {
                signals.recv().await;
                if !ignored {
                    return;
                }
            }
        }
        std::future::pending::<()>().await;
    }
}

#[cfg(not(unix))]
fn terminated(_ignored: bool) -> impl Future<Output = ()> {
    std::future::pending()
}

/// An input whose bytes are also written to a file.
struct Logged<R> {
    input: R,
    log: Option<fs::File>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Logged<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let this = &mut *self;
        let read = Pin::new(&mut this.input).poll_read(context, buffer);
        if let (Poll::Ready(Ok(())), Some(log)) = (&read, &mut this.log) {
            io::Write::write_all(log, &buffer.filled()[before..])?;
        }
        read
    }
}

/// A standard output that closes its file descriptor on shutdown.
struct Stdout(tokio::io::Stdout);

impl AsyncWrite for Stdout {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.0).poll_flush(context) {
            Poll::Ready(Ok(())) => Poll::Ready(close_stdout()),
            other => other,
        }
    }
}

/// Closes standard output by replacing it with the null device.
#[cfg(unix)]
fn close_stdout() -> io::Result<()> {
    let null = fs::OpenOptions::new().write(true).open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdout(null)?)
}

/// Does nothing. On other systems than Unix, standard output closes only when the process ends.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as on Unix")]
fn close_stdout() -> io::Result<()> {
    Ok(())
}
