//! The agent as a process.

use std::process::Stdio;

use claw_testkit::{
    Block, Gates,
    agent::{Script, Step, program},
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use crate::client::{Client, LONG, kinds};

const FLAGS: [&str; 3] = [
    "--output-format=stream-json",
    "--verbose",
    "--input-format=stream-json",
];

pub(crate) struct Running {
    pub(crate) child: Child,
    pub(crate) client: Client<ChildStdout, ChildStdin>,
    pub(crate) gates: Gates,
    #[cfg_attr(not(unix), expect(dead_code, reason = "it goes when the test does"))]
    pub(crate) folder: tempfile::TempDir,
}

pub(crate) fn start(script: &Script) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.json");
    std::fs::write(&file, serde_json::to_string(script).unwrap()).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_scripted-agent"))
        .args(FLAGS)
        .env("CLAW_AGENT_SCRIPT", file)
        .env("CLAW_AGENT_GATES", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let reader = BufReader::new(child.stdout.take().unwrap());
    let writer = child.stdin.take().unwrap();
    let gates = Gates::in_folder(folder.path());
    Running {
        child,
        client: Client { reader, writer },
        gates,
        folder,
    }
}

impl Running {
    /// What only this agent and its children have in their environment.
    #[cfg(unix)]
    pub(crate) fn gates_mark(&self) -> String {
        self.folder.path().display().to_string()
    }

    pub(crate) async fn code(&mut self) -> Option<i32> {
        timeout(LONG, self.child.wait())
            .await
            .expect("it did not end")
            .unwrap()
            .code()
    }

    pub(crate) async fn stderr(&mut self) -> String {
        let mut text = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut text)
            .await
            .unwrap();
        text
    }
}

#[tokio::test]
async fn it_holds_at_gates_that_are_files() {
    let message = Step::message([Block::text("one two").hold(1, "half")]);
    let mut agent = start(&Script::new([Step::Turns(vec![message])]));
    agent.client.prompt("p1").await;
    timeout(LONG, agent.gates.reached("half")).await.unwrap();
    let lines = agent.client.until("content_block_delta").await;
    assert_eq!(lines.last().unwrap()["event"]["delta"]["text"], "one ");
    agent.gates.open("half");
    agent.client.until("idle").await;
    agent
        .client
        .request("r1", json!({"subtype": "end_session"}))
        .await;
    assert_eq!(kinds(&agent.client.rest().await), ["answer r1"]);
    assert_eq!(agent.code().await, Some(0));
}

#[tokio::test]
async fn the_end_of_input_ends_it() {
    let mut agent = start(&Script::demo());
    drop(agent.client);
    let status = timeout(LONG, agent.child.wait()).await.unwrap().unwrap();
    assert!(status.success(), "{status}");
}

#[tokio::test]
async fn it_crashes_as_told() {
    let script = Script::new([
        Step::Stderr("going down\n".to_owned()),
        Step::Raw("{\"type\":".to_owned()),
        Step::Exit(42),
    ]);
    let mut agent = start(&script);
    assert_eq!(agent.client.next_text().await.unwrap(), "{\"type\":");
    assert_eq!(agent.code().await, Some(42));
    assert_eq!(agent.stderr().await, "going down\n");
}

#[tokio::test]
async fn bad_input_ends_it_with_1_and_a_word() {
    let mut agent = start(&Script::demo());
    tokio::io::AsyncWriteExt::write_all(&mut agent.client.writer, b"nonsense\n")
        .await
        .unwrap();
    assert_eq!(agent.code().await, Some(1));
    assert!(agent.stderr().await.contains("is no JSON: expected"));
}

#[cfg(unix)]
#[tokio::test]
async fn its_output_closes_while_it_lives() {
    let mut agent = start(&Script::new([
        Step::CloseStdout,
        Step::gate("end"),
        Step::Exit(5),
    ]));
    assert_eq!(agent.client.next().await, None);
    timeout(LONG, agent.gates.reached("end")).await.unwrap();
    assert_eq!(agent.child.try_wait().unwrap(), None);
    agent.gates.open("end");
    assert_eq!(agent.code().await, Some(5));
}

#[cfg(unix)]
pub(crate) fn terminate(agent: &Running) {
    let id = i32::try_from(agent.child.id().unwrap()).unwrap();
    let pid = rustix::process::Pid::from_raw(id).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_signal_ends_it_as_it_ends_claude() {
    let mut agent = start(&Script::new([Step::gate("never")]));
    timeout(LONG, agent.gates.reached("never")).await.unwrap();
    terminate(&agent);
    assert_eq!(agent.code().await, Some(143));
}

#[cfg(unix)]
#[tokio::test]
async fn it_can_ignore_the_signal() {
    let steps = [Step::gate("first"), Step::gate("second"), Step::Exit(6)];
    let mut agent = start(&Script::new(steps).ignore_sigterm());
    timeout(LONG, agent.gates.reached("first")).await.unwrap();
    terminate(&agent);
    agent.gates.open("first");
    timeout(LONG, agent.gates.reached("second")).await.unwrap();
    agent.gates.open("second");
    assert_eq!(agent.code().await, Some(6));
}

#[tokio::test]
async fn the_program_is_built_and_found() {
    let path = tokio::task::spawn_blocking(program).await.unwrap().unwrap();
    let output = Command::new(path)
        .arg("--builtin=nope")
        .stdin(Stdio::null())
        .output();
    let output = timeout(LONG, output).await.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("no built-in script"));
    assert_eq!(output.status.code(), Some(1));
}
