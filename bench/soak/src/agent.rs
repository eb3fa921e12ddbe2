//! The `claude` of the hosts: scripted, and for each tenth session the real one.
//!
//! The scripted CLI answers each prompt with `answer-to-` and the prompt's mark. It records in a
//! journal which prompts it has received and answered. A mark is a word that begins with `soak-`.

use std::collections::VecDeque;
use std::env;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::pin::Pin;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use claw_testkit::agent::{self, Launch, Script, Step};
use claw_testkit::{Block, Gates};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The name under which this program is the agent.
pub(crate) const NAME: &str = "claude";
/// The variable with the path of the real CLI. If it is not set, this host does not use the real
/// CLI.
pub(crate) const REAL: &str = "CLAW_SOAK_REAL";
/// The path of the journal.
pub(crate) const JOURNAL: &str = "CLAW_SOAK_JOURNAL";

/// The beginning of the scripted agent's answers. The prompt's mark follows.
pub(crate) const ANSWER: &str = "answer-to-";
/// The answer of the scripted API to the real CLI.
pub(crate) const REAL_ANSWER: &str = "Yes.";

/// The duration of a turn of the scripted agent.
const TURN: Duration = Duration::from_millis(600);

/// The placeholder of the answer in the script.
const PLACE: &str = "answer-is-put-here";

/// Whether this process has the name of the agent.
pub(crate) fn is_called() -> bool {
    let name = env::args_os().next();
    name.is_some_and(|name| {
        Path::new(&name)
            .file_name()
            .is_some_and(|name| name == NAME)
    })
}

/// Whether the real CLI runs this session, as it does for one in ten.
pub(crate) fn is_real(session: &str) -> bool {
    let last = session.get(session.len().saturating_sub(4)..);
    let number = last.and_then(|last| u32::from_str_radix(last, 16).ok());
    number.is_some_and(|number| number.is_multiple_of(10))
}

/// The mark in a text.
pub(crate) fn mark(text: &str) -> Option<&str> {
    let rest = &text[text.find("soak-")?..];
    let end = rest.find(|c: char| c != '-' && !c.is_ascii_alphanumeric());
    Some(&rest[..end.unwrap_or(rest.len())])
}

pub(crate) fn main() -> ExitCode {
    let args: Vec<OsString> = env::args_os().skip(1).collect();
    let session = value_of(&args, "--session-id").or_else(|| value_of(&args, "--resume"));
    if let Some(real) = env::var_os(REAL)
        && session.as_deref().is_none_or(is_real)
    {
        // `exec` returns only if it fails.
        let error = Command::new(&real).args(args).exec();
        eprintln!("{}: {error}", Path::new(&real).display());
        return ExitCode::FAILURE;
    }
    if args.iter().any(|arg| arg == "--version") {
        println!("2.1.330 (Claude Code)");
        return ExitCode::SUCCESS;
    }
    let mut script = Script::new([Step::Turns(vec![Step::message([Block::text(PLACE)])])]);
    // The turns take some time, so that some agents are killed during a turn.
    script = script.pace(TURN);
    script.session_id = session.unwrap_or(script.session_id);
    let launch = Launch::new(script);
    let prompts = Arc::new(Prompts::open());
    let played = crate::block_on(async {
        tokio::select! {
            code = play(&launch, &prompts) => code,
            () = terminated() => 143,
        }
    });
    // Exits explicitly, because the thread that reads standard input does not end by itself.
    std::process::exit(played.unwrap_or(1))
}

async fn play(launch: &Launch, prompts: &Arc<Prompts>) -> i32 {
    let input = Input {
        stdin: tokio::io::stdin(),
        line: Vec::new(),
        prompts: prompts.clone(),
    };
    let output = Output {
        line: Vec::new(),
        prompts: prompts.clone(),
    };
    let gates = Gates::new();
    let played = agent::run(&launch.script, input, output, &gates).await;
    played.map_or(1, |outcome| outcome.code)
}

async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut signals) => drop(signals.recv().await),
        Err(_) => std::future::pending().await,
    }
}

fn value_of(args: &[OsString], flag: &str) -> Option<String> {
    let at = args
        .iter()
        .position(|arg| arg.to_str().is_some_and(|arg| arg.starts_with(flag)))?;
    match args[at].to_str()?.strip_prefix(flag)?.strip_prefix('=') {
        Some(value) => Some(value.to_owned()),
        None => Some(args.get(at + 1)?.to_str()?.to_owned()),
    }
}

/// The prompts that were read and not answered.
struct Prompts {
    waiting: Mutex<VecDeque<String>>,
    journal: Option<File>,
}

impl Prompts {
    fn open() -> Self {
        let journal = env::var_os(JOURNAL)
            .and_then(|path| OpenOptions::new().append(true).create(true).open(path).ok());
        Self {
            waiting: Mutex::default(),
            journal,
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, VecDeque<String>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Each line is one write, so that lines of several agents are not mixed.
    fn note(&self, what: &str, mark: &str) {
        if let Some(mut journal) = self.journal.as_ref() {
            let _ = journal.write_all(format!("{what} {mark}\n").as_bytes());
        }
    }

    fn read(&self, line: &[u8]) {
        let Ok(line) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        if line["type"] == "user" {
            let text = line["message"].to_string();
            let mark = mark(&text).unwrap_or_default().to_owned();
            self.note("got", &mark);
            self.waiting().push_back(mark);
        }
    }

    fn write(&self, line: &[u8]) -> io::Result<()> {
        let line = String::from_utf8_lossy(line);
        let is_result = line.contains("\"type\":\"result\"");
        let mark = self.waiting().front().cloned().unwrap_or_default();
        let line = line.replace(PLACE, &format!("{ANSWER}{mark}"));
        // The scripted IDs are the same in each process, and a session may have several processes.
        let process = std::process::id();
        let line = line.replace("\"00000000-0000-", &format!("\"{process:08x}-0000-"));
        let line = line.replace("\"msg_", &format!("\"msg_{process:08x}_"));
        let mut out = io::stdout().lock();
        out.write_all(line.as_bytes())?;
        out.flush()?;
        if is_result && self.waiting().pop_front().is_some() {
            self.note("answered", &mark);
        }
        Ok(())
    }
}

/// Calls `each` with each complete line of the bytes.
fn lines(line: &mut Vec<u8>, bytes: &[u8], mut each: impl FnMut(&[u8])) {
    for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
        line.extend_from_slice(piece);
        if piece.ends_with(b"\n") {
            each(line);
            line.clear();
        }
    }
}

/// Standard input, whose prompts are recorded.
struct Input {
    stdin: tokio::io::Stdin,
    line: Vec<u8>,
    prompts: Arc<Prompts>,
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stdin).poll_read(context, buffer);
        let Self { line, prompts, .. } = &mut *self;
        lines(line, &buffer.filled()[before..], |line| prompts.read(line));
        polled
    }
}

/// Standard output. It replaces the placeholders by the answers.
struct Output {
    line: Vec<u8>,
    prompts: Arc<Prompts>,
}

impl AsyncWrite for Output {
    /// Writes directly, and blocks on a full pipe, because there is nothing else to do.
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let Self { line, prompts } = &mut *self;
        let mut written = Ok(());
        lines(line, bytes, |line| {
            if written.is_ok() {
                written = prompts.write(line);
            }
        });
        Poll::Ready(written.map(|()| bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
