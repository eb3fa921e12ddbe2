use std::io::{BufRead as _, BufReader, Lines};
use std::path::Path;
use std::pin::pin;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

use claw_transport::{CommandSpec, Transport as _};
use futures::poll;

use crate::shell::{program, run};
use crate::support::{Started, line, soon, until};

/// Holds a lease on a file, so that who opens it waits, and says when somebody does.
const HOLD: &str = r#"
import fcntl, os, signal, sys
signal.signal(signal.SIGIO, lambda *_: print("asked", flush=True))
file = os.open(sys.argv[1], os.O_RDONLY)
while True:
    try:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        break
    except BlockingIOError:
        pass  # a process that another test has just forked still has it open
print("leased", flush=True)
sys.stdin.read()
"#;

const OTHER: &str = "echo ready; exec sleep 1000";

/// A program whose start hangs until it is let go.
struct Held {
    command: CommandSpec,
    holder: Child,
    said: Lines<BufReader<ChildStdout>>,
}

impl Held {
    fn new(folder: &Path, name: &str) -> Self {
        let path = program(folder, name, "#!/bin/sh\necho \"$0\"\nread line\n");
        let mut holder = Command::new("python3")
            .args(["-c", HOLD])
            .arg(&path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 is there (apt-get install python3)");
        let mut said = BufReader::new(holder.stdout.take().unwrap()).lines();
        assert_eq!(said.next().unwrap().unwrap(), "leased");
        Self {
            command: CommandSpec::new(path),
            holder,
            said,
        }
    }

    /// Waits until its start hangs.
    fn hangs(&mut self) {
        assert_eq!(self.said.next().unwrap().unwrap(), "asked");
    }

    fn let_go(&mut self) {
        drop(self.holder.stdin.take());
        // What hangs must not hold this pipe of the host's open: then the kernel breaks the lease, later.
        until("the lease is given back", || {
            self.holder.try_wait().unwrap().is_some()
        });
    }
}

#[tokio::test]
async fn starts_that_hang_hold_up_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = run(OTHER).await;
    assert_eq!(line(&mut other).await, "ready");
    let mut held = ["a", "b", "c"].map(|name| Held::new(folder.path(), name));
    let mut starts = Vec::new();
    for held in &mut held {
        let mut start = Box::pin(Started(held.command.clone()).open());
        assert!(poll!(&mut start).is_pending());
        held.hangs();
        starts.push(start);

        let begin = Instant::now();
        other.process.kill();
        assert_eq!(soon(other.process.exited()).await.signal(), Some(9));
        let ended = begin.elapsed();
        let begin = Instant::now();
        other = soon(run(OTHER)).await;
        assert_eq!(line(&mut other).await, "ready");
        let started = begin.elapsed();
        let hanging = starts.len();
        println!(
            "starts that hang: {hanging}; another's end took {ended:?}, its start {started:?}"
        );
    }

    // One that nobody waits for any more goes on hanging, and holds up nobody either.
    drop(starts.pop());
    for start in &mut starts {
        assert!(poll!(start).is_pending());
    }
    for held in &mut held {
        held.let_go();
    }
    for (start, name) in starts.into_iter().zip(["/a", "/b"]) {
        let mut parts = soon(start).await.unwrap().into_parts();
        assert!(line(&mut parts).await.ends_with(name));
    }
    // The thread that started this one lives on, and so does it.
    let mut exited = pin!(other.process.exited());
    assert!(poll!(&mut exited).is_pending());
    other.process.terminate();
    assert!(soon(exited).await.is_forced());
}
