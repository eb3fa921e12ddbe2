//! A process that follows its arguments. Tests use it in place of a shell script, which would run only on Unix.
//!
//! Each argument is a step, `NAME` or `NAME=VALUE`. Arguments that begin with a dash are ignored. If the environment
//! variable `SCRIPTED_PROCESS` is set, its lines are the steps instead. Callers that cannot choose the arguments use
//! this variable. After the last step, the process ends with exit code 0.
//!
//! | step | does |
//! |---|---|
//! | `say=TEXT`, `warn=TEXT` | writes a line to standard output, to standard error |
//! | `warn-env=NAME` | writes a variable to standard error, as a line |
//! | `bytes=65,66`, `warn-bytes=65,66` | writes these bytes to standard output, to standard error |
//! | `fill=N`, `fill-stderr=N` | writes one line of this number of `x` |
//! | `flood=LINES,LENGTH,BYTE`, `flood-stderr=…` | writes this number of lines, each with this number of these bytes |
//! | `args`, `cwd`, `pid`, `env=NAME` | writes the arguments as a JSON array, the working directory, its ID, a variable (`none` if it is not set), as a line |
//! | `file` | writes the path that the last argument names after its `=`, and the content of that file |
//! | `read` | reads one line |
//! | `cat`, `cat-stderr`, `count` | reads to the end, and writes what it has read, or the number of these bytes |
//! | `spawn=STEPS`, `daemon=STEPS` | starts another scripted process, with steps separated by `;`. A daemon is in a separate process session (on Windows: without a console), and not a child of this process |
//! | `unmarked=STEPS` | does the same as `daemon`, but the other process is a child of this process, and does not have the variable `CLAW_SESSION` |
//! | `close-stdout` | closes standard output (on Unix) |
//! | `ignore-terminate` | ignores SIGTERM from now on |
//! | `mcp-asking` | is an MCP server until its standard input ends: its tool `ask` asks the user for a name, and answers with the reaction, such as `accept:Ada` |
//! | `wait` | waits, and never ends by itself |
//! | `outlive` | waits until its parent process has ended (on Windows forever) |
//! | `exit=N`, `signal=N` | ends with an exit code, or by a signal (on Windows with exit code 128 + N) |
#![forbid(unsafe_code)]

use std::env;
use std::fs;
use std::io::{self, BufRead as _, Read as _, Write};
use std::process::{Command, ExitCode, Stdio, exit};

mod asking;

const STEPS: &str = "SCRIPTED_PROCESS";
/// The number of bytes that are written at once. Wine occasionally ends a program that writes more than fits into a
/// pipe.
const CHUNK: usize = 16 * 1024;

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let steps: Vec<String> = match env::var(STEPS) {
        Ok(steps) => steps.lines().map(str::to_owned).collect(),
        Err(_) => env::args()
            .skip(1)
            .filter(|step| !step.starts_with('-'))
            .collect(),
    };
    for step in steps {
        if let Err(error) = run(&step) {
            // If this write fails too, the error cannot be reported in any other way.
            let _ = writeln!(io::stderr(), "{step}: {error}");
            return ExitCode::from(99);
        }
    }
    ExitCode::SUCCESS
}

fn run(step: &str) -> Result {
    let (name, value) = step.split_once('=').unwrap_or((step, ""));
    match name {
        "say" => write_line(value)?,
        "warn" => writeln!(io::stderr(), "{value}")?,
        "warn-env" => writeln!(io::stderr(), "{}", variable(value))?,
        "bytes" => {
            io::stdout().write_all(&numbers::<u8>(value)?)?;
            io::stdout().flush()?;
        }
        "warn-bytes" => io::stderr().write_all(&numbers::<u8>(value)?)?,
        "flood" => flood(value, io::stdout())?,
        "flood-stderr" => flood(value, io::stderr())?,
        "fill" => write_line(&"x".repeat(value.parse()?))?,
        "fill-stderr" => writeln!(io::stderr(), "{}", "x".repeat(value.parse()?))?,
        "args" => {
            let args: Vec<String> = env::args().skip(1).collect();
            write_line(&serde_json::to_string(&args)?)?;
        }
        "cwd" => write_line(&env::current_dir()?.display().to_string())?,
        "pid" => write_line(&std::process::id().to_string())?,
        "env" => write_line(&variable(value))?,
        "file" => {
            let last = env::args().next_back().unwrap_or_default();
            let path = last.split_once('=').map_or("", |(_, path)| path);
            write_line(path)?;
            write_line(&fs::read_to_string(path)?)?;
        }
        "read" => drop(io::stdin().lock().read_line(&mut String::new())?),
        "cat" => cat(io::stdout())?,
        "cat-stderr" => cat(io::stderr())?,
        "count" => {
            let bytes = io::copy(&mut io::stdin().lock(), &mut io::sink())?;
            write_line(&bytes.to_string())?;
        }
        "spawn" => drop(another(value, None)?.spawn()?),
        "unmarked" => {
            let mut command = another(value, Some(&[]))?;
            drop(command.env_remove("CLAW_SESSION").spawn()?);
        }
        "daemon" => {
            let mut started = another(value, Some(&["--fork"]))?.spawn()?;
            // On Unix, `setsid` has ended as soon as it has started the daemon.
            if cfg!(unix) {
                started.wait()?;
            }
        }
        #[cfg(unix)]
        "close-stdout" => {
            let null = fs::OpenOptions::new().write(true).open("/dev/null")?;
            rustix::stdio::dup2_stdout(null)?;
        }
        "ignore-terminate" => ignore_terminate()?,
        "mcp-asking" => asking::serve()?,
        "wait" => wait(),
        "outlive" => outlive(),
        "exit" => exit(value.parse()?),
        "signal" => end_by(value.parse()?),
        _ => return Err("there is no such step".into()),
    }
    Ok(())
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| "none".into())
}

fn numbers<T: std::str::FromStr>(list: &str) -> std::result::Result<Vec<T>, T::Err> {
    list.split(',').map(str::parse).collect()
}

fn write_line(line: &str) -> Result {
    let mut stdout = io::stdout().lock();
    for chunk in line.as_bytes().chunks(CHUNK) {
        stdout.write_all(chunk)?;
    }
    stdout.write_all(b"\n")?;
    Ok(stdout.flush()?)
}

fn flood(value: &str, mut into: impl Write) -> Result {
    let [lines, length, byte] = numbers::<usize>(value)?[..] else {
        return Err("three numbers are needed".into());
    };
    let mut line = vec![u8::try_from(byte)?; length];
    line.push(b'\n');
    for _ in 0..lines {
        into.write_all(&line)?;
    }
    Ok(into.flush()?)
}

/// Copies standard input to `into` as it arrives.
fn cat(mut into: impl Write) -> Result {
    let mut stdin = io::stdin().lock();
    let mut buffer = vec![0; CHUNK];
    loop {
        let length = stdin.read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        into.write_all(&buffer[..length])?;
        into.flush()?;
    }
}

/// Returns the command that starts another scripted process. If `apart` is set, `setsid` with these options starts the
/// process in a separate process session.
fn another(steps: &str, apart: Option<&[&str]>) -> Result<Command> {
    let own = env::current_exe()?;
    let mut command = match apart {
        Some(options) if cfg!(unix) => {
            let mut setsid = Command::new("setsid");
            setsid.args(options).arg(own);
            setsid
        }
        _ => Command::new(own),
    };
    #[cfg(windows)]
    if apart.is_some() {
        use std::os::windows::process::CommandExt as _;
        const DETACHED_PROCESS: u32 = 0x0000_0008;
        command.creation_flags(DETACHED_PROCESS);
    }
    command.args(steps.split(';')).env_remove(STEPS);
    command.stdin(Stdio::null());
    Ok(command)
}

fn wait() -> ! {
    loop {
        std::thread::park();
    }
}

/// Waits until this process has another parent, which means that its parent has ended.
#[cfg(unix)]
fn outlive() {
    let parent = std::os::unix::process::parent_id();
    while std::os::unix::process::parent_id() == parent {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[cfg(not(unix))]
fn outlive() {
    wait()
}

#[cfg(unix)]
fn ignore_terminate() -> Result {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let _guard = runtime.enter();
    // The handler stays set after the returned stream was dropped.
    let _ = signal(SignalKind::terminate())?;
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the same signature as on Unix")]
fn ignore_terminate() -> Result {
    Ok(())
}

/// Ends this process with a signal. If the process survives the signal, it exits with 128 plus the number of the
/// signal.
fn end_by(number: i32) -> ! {
    #[cfg(unix)]
    if let Some(signal) = rustix::process::Signal::from_named_raw(number) {
        // The first SIGSEGV or SIGBUS only removes Rust's handler for stack overflows.
        for _ in 0..2 {
            let _ = rustix::process::kill_process(rustix::process::getpid(), signal);
        }
    }
    exit(128 + number)
}
