use std::future::Future;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use claw_codec::LineItem;
use claw_transport::{
    CommandSpec, Launcher, Local, Parts, Pipes, Process, Transport, TransportError,
};
use futures::StreamExt;

/// Longer than anything takes. Whoever waits so long has failed.
const DEADLINE: Duration = Duration::from_secs(30);

/// A shell script as a transport.
#[derive(Debug)]
pub(crate) struct Sh(pub(crate) CommandSpec);

impl Transport for Sh {
    async fn open(self) -> Result<Pipes, TransportError> {
        Local::new().launch(self.0).await
    }
}

pub(crate) fn sh(script: &str) -> CommandSpec {
    CommandSpec::new("/bin/sh").arg("-c").arg(script)
}

pub(crate) async fn run(script: &str) -> Parts {
    Sh(sh(script)).open().await.unwrap().into_parts()
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
        other => panic!("a line was expected: {other:?}"),
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

/// The mark of the session that this process was started for.
pub(crate) fn mark(process: &Process) -> String {
    let marks = marks(process);
    marks.rsplit(':').next().unwrap().to_owned()
}

/// Its mark, and before it those of the sessions around it.
pub(crate) fn marks(process: &Process) -> String {
    let path = format!("/proc/{}/environ", process.pid().unwrap());
    let mut marks = None;
    // It has no environment for a moment while it becomes another program.
    until("the process has an environment", || {
        let environ = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        let found = environ
            .split('\0')
            .find_map(|pair| pair.strip_prefix("CLAW_SESSION="));
        marks = found.map(str::to_owned);
        marks.is_some()
    });
    marks.unwrap()
}

/// The processes whose environment holds this text.
pub(crate) fn carriers(text: &str) -> Vec<u32> {
    let folders = std::fs::read_dir("/proc").unwrap();
    let pids = folders.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        String::from_utf8_lossy(&environ).contains(text)
    })
    .collect()
}

pub(crate) fn until_none_carries(text: &str) {
    until("nothing is left", || carriers(text).is_empty());
}

/// Whether a process is there and no zombie.
pub(crate) fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

pub(crate) fn end(pid: u32) {
    let status = Command::new("kill")
        .arg("-9")
        .arg(pid.to_string())
        .status()
        .unwrap();
    assert!(status.success());
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
}

pub(crate) fn is_inside(name: &str) -> bool {
    std::env::var(INSIDE).is_ok_and(|inside| inside == name)
}

const INSIDE: &str = "CLAW_TEST_ALONE";

/// An executable file.
pub(crate) fn program(folder: &Path, name: &str, content: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}
