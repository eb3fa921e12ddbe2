use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use claw_codec::LineItem;
use claw_testkit::processes;
use claw_transport::{
    CommandSpec, Exit, Launcher, Local, Parts, Pipes, Process, Transport, TransportError,
};
use futures::StreamExt;

/// Longer than anything takes. Whoever waits so long has failed.
pub(crate) const DEADLINE: Duration = Duration::from_mins(1);

/// A command as a transport.
#[derive(Debug)]
pub(crate) struct Started(pub(crate) CommandSpec);

impl Transport for Started {
    async fn open(self) -> Result<Pipes, TransportError> {
        Local::new().launch(self.0).await
    }
}

/// A process that takes these steps: see claw-testkit's `scripted-process`.
pub(crate) fn process(steps: &[&str]) -> CommandSpec {
    CommandSpec::new(processes::program().unwrap()).args(steps)
}

pub(crate) async fn run(steps: &[&str]) -> Parts {
    Started(process(steps)).open().await.unwrap().into_parts()
}

/// Waits for something that must happen soon.
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, what)
        .await
        .expect("it took too long")
}

/// Waits for the next line.
pub(crate) async fn line(parts: &mut Parts) -> String {
    match soon(parts.incoming.next()).await {
        Some(Ok(LineItem::Line(line))) => String::from_utf8(line.raw.to_vec()).unwrap(),
        other => panic!(
            "a line was expected: {other:?}; {}",
            parts.process.stderr_tail()
        ),
    }
}

/// Waits for so many lines, in whatever order.
pub(crate) async fn lines(parts: &mut Parts, count: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for _ in 0..count {
        lines.push(line(parts).await);
    }
    lines.sort();
    lines
}

/// Waits until the system's state is as wanted.
pub(crate) fn until(what: &str, mut reached: impl FnMut() -> bool) {
    let start = Instant::now();
    while !reached() {
        assert!(start.elapsed() < DEADLINE, "{what}: not in time");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The mark of a process and of those that it starts, as it stands in their environment.
pub(crate) fn mark(process: &Process) -> String {
    format!("CLAW_SESSION={}", marks(process))
}

/// The marks of the session that this process was started for, and before it those of the sessions around it.
pub(crate) fn marks(process: &Process) -> String {
    let pid = process.pid().unwrap();
    let mut marks = None;
    // It has no environment for a moment while it becomes another program.
    until("the process has an environment", || {
        marks = processes::variable(pid, "CLAW_SESSION");
        marks.is_some()
    });
    marks.unwrap()
}

pub(crate) fn until_none_has(mark: &str) {
    until("nothing is left", || {
        processes::with_variable(mark).is_empty()
    });
}

pub(crate) fn end(pid: u32) {
    processes::kill(pid).unwrap();
}

/// Whether claw has ended it by this signal. Windows has none: claw terminates the job.
pub(crate) fn is_ended_by(exit: Exit, signal: i32) -> bool {
    let expected = cfg!(unix).then_some(signal);
    exit.is_forced() && !exit.is_clean() && exit.signal() == expected
}

/// A process of its own for a test that must be alone in one: the test binary again, with this test
/// alone. `is_inside` tells which of the two it is.
pub(crate) fn this_test_alone(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", name, "--nocapture"])
        .env(INSIDE, name);
    command
}

/// Runs that process, which must succeed.
pub(crate) fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    let said = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{}{}", said[0], said[1]);
    assert!(said[0].contains("1 passed"), "no such test: {}", said[0]);
    print!("{}", said[0]);
}

pub(crate) fn is_inside(name: &str) -> bool {
    std::env::var(INSIDE).is_ok_and(|inside| inside == name)
}

pub(crate) const INSIDE: &str = "CLAW_TEST_ALONE";

/// A copy of the scripted process with another name.
pub(crate) fn copy(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    std::fs::copy(processes::program().unwrap(), &path).unwrap();
    path
}
