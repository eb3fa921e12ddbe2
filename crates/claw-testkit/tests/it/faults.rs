//! The switchboard: each fault, in the program where it takes one.

use std::os::unix::process::ExitStatusExt as _;
use std::time::{Duration, Instant};

use claw_testkit::agent::{Child, Cut, Death, Flood, Script, Step};
use claw_testkit::{Block, Gates};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

use crate::client::{self, LONG, kinds};
use crate::program::{Running, start, terminate};

async fn signal(agent: &mut Running) -> Option<i32> {
    let ended = timeout(LONG, agent.child.wait()).await;
    ended.expect("it did not end").unwrap().signal()
}

async fn all_output(agent: &mut Running) -> Vec<u8> {
    let mut bytes = Vec::new();
    let read = agent.client.reader.read_to_end(&mut bytes);
    timeout(LONG, read)
        .await
        .expect("its output is open")
        .unwrap();
    bytes
}

#[tokio::test]
async fn it_dies_by_a_signal() {
    for number in [9, 11, 6] {
        let mut agent = start(&Script::new([
            Step::Raw("{\"type\":".to_owned()),
            Step::Signal(number),
        ]));
        assert_eq!(signal(&mut agent).await, Some(number));
        assert_eq!(all_output(&mut agent).await, b"{\"type\":");
    }
}

#[tokio::test]
async fn sigterm_of_its_own_is_one_from_outside() {
    let mut agent = start(&Script::new([Step::Signal(15)]));
    assert_eq!(agent.code().await, Some(143));
}

#[tokio::test]
async fn in_process_a_signal_is_an_outcome() {
    let (_client, _, running) = client::start(Script::new([Step::Signal(9)]));
    let outcome = running.await.unwrap().unwrap();
    assert_eq!((outcome.code, outcome.signal), (137, Some(9)));
}

#[tokio::test]
async fn it_dies_at_any_byte() {
    let whole = {
        let script = Script::new([Step::Line(json!({"type": "odd"})), Step::Exit(0)]);
        let (mut client, _, _running) = client::start(script);
        client.next_text().await.unwrap()
    };
    for after in 0..=whole.len() {
        let script = Script::new([Step::Line(json!({"type": "odd"})), Step::Exit(0)])
            .cut(Cut::new(after as u64, Death::Exit(3)));
        let (mut client, _, running) = client::start(script);
        let text = client.next_text().await.unwrap_or_default();
        assert_eq!(text, whole[..after]);
        assert_eq!(running.await.unwrap().unwrap().code, 3, "{after}");
    }
}

#[tokio::test]
async fn it_dies_in_mid_turn_as_a_program() {
    let script = Script::reply("a word or two").cut(Cut::new(1000, Death::Signal(9)));
    let mut agent = start(&script);
    agent.client.prompt("p1").await;
    assert_eq!(signal(&mut agent).await, Some(9));
    assert_eq!(all_output(&mut agent).await.len(), 1000);
}

#[tokio::test]
async fn it_lives_on_without_input() {
    for steps in [
        vec![],
        vec![Step::expect_prompt()],
        vec![Step::Turns(vec![])],
    ] {
        let agent = start(&Script::new(steps).ignore_eof());
        let Running {
            mut child,
            client,
            // The script's own folder.
            folder: _folder,
            ..
        } = agent;
        drop(client.writer);
        let mut stdout = client.reader;
        let read = stdout.read_u8();
        assert!(timeout(Duration::from_millis(300), read).await.is_err());
        // Had it ended before, this were its code.
        child.kill().await.unwrap();
        assert_eq!(child.wait().await.unwrap().signal(), Some(9));
    }
}

#[tokio::test]
async fn a_child_holds_its_output() {
    let child = Child::new()
        .command(["sh", "-c", "echo held; exec sleep 1000"])
        .holds_stdout();
    let mut agent = start(&Script::new([Step::Child(child), Step::Exit(4)]));
    assert_eq!(agent.client.next_text().await.unwrap(), "held\n");
    assert_eq!(agent.code().await, Some(4));
    let mut byte = [0];
    let read = agent.client.reader.read(&mut byte);
    assert!(timeout(Duration::from_millis(100), read).await.is_err());
    for pid in relatives(&agent) {
        kill(pid);
    }
    assert_eq!(all_output(&mut agent).await, b"");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_daemon_is_in_a_session_of_its_own() {
    let steps = [
        Step::Child(Child::new().daemon()),
        Step::gate("there"),
        Step::Exit(0),
    ];
    let mut agent = start(&Script::new(steps));
    timeout(LONG, agent.gates.reached("there")).await.unwrap();
    let own = agent.child.id().unwrap();
    let others: Vec<u32> = relatives(&agent)
        .into_iter()
        .filter(|pid| *pid != own)
        .collect();
    let [daemon] = others[..] else {
        panic!("{others:?}")
    };
    // The parent and the session. A process that has just been started is still in the session of its parent.
    let fields = || {
        let stat = std::fs::read_to_string(format!("/proc/{daemon}/stat")).unwrap();
        let (_, fields) = stat.rsplit_once(')').unwrap();
        let mut fields = fields.split_whitespace().map(str::to_owned);
        (fields.nth(1).unwrap(), fields.nth(1).unwrap())
    };
    let in_session = async {
        while fields().1 != daemon.to_string() {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, in_session).await.unwrap();
    assert_ne!(fields().0, own.to_string());
    agent.gates.open("there");
    assert_eq!(agent.code().await, Some(0));
    assert!(std::fs::exists(format!("/proc/{daemon}")).unwrap());
    kill(daemon);
}

#[tokio::test]
async fn a_child_that_is_no_program_is_named() {
    let child = Child::new().command(["/no/such/program"]);
    let mut agent = start(&Script::new([Step::Child(child)]));
    assert_eq!(agent.code().await, Some(1));
    assert!(agent.stderr().await.contains("/no/such/program"));
}

/// The processes that have the agent's gates in their environment.
fn relatives(agent: &Running) -> Vec<u32> {
    let mark = agent.gates_mark();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        variable(&environ, "CLAW_AGENT_GATES=").is_some_and(|value| value == mark)
    })
    .collect()
}

fn variable(environ: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(environ);
    let value = text.split('\0').find_map(|pair| pair.strip_prefix(name))?;
    Some(value.to_owned())
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

async fn initialize(steps: Vec<Step>) -> (client::Piped, Gates) {
    let mut all = vec![Step::expect_initialize()];
    all.extend(steps);
    let (mut client, gates, _) = client::start(Script::new(all));
    client.request("r1", json!({"subtype": "initialize"})).await;
    (client, gates)
}

#[tokio::test]
async fn initialize_is_answered_late_twice_wrongly_or_not_at_all() {
    let (mut client, gates) = initialize(vec![Step::gate("late"), Step::Initialized]).await;
    gates.reached("late").await;
    gates.open("late");
    assert_eq!(kinds(&[client.next().await.unwrap()]), ["answer r1"]);

    let twice = vec![Step::Initialized, Step::Initialized, Step::Exit(0)];
    let (mut client, _) = initialize(twice).await;
    assert_eq!(kinds(&client.rest().await), ["answer r1", "answer r1"]);

    let wrong = vec![Step::answer_to("nobody", &json!({})), Step::Exit(0)];
    let (mut client, _) = initialize(wrong).await;
    assert_eq!(kinds(&client.rest().await), ["answer nobody"]);

    let garbage = r#"{"type":"control_response","response":{"request_id":"$request_id","sub"#;
    let (mut client, _) = initialize(vec![Step::Text(garbage.to_owned()), Step::Exit(0)]).await;
    let line = client.next_text().await.unwrap();
    assert!(line.contains(r#""request_id":"r1","sub"#), "{line}");

    let (mut client, gates) = initialize(vec![Step::gate("silent"), Step::Exit(0)]).await;
    gates.reached("silent").await;
    gates.open("silent");
    assert_eq!(client.next().await, None::<Value>);
}

#[tokio::test]
async fn a_flood_has_a_length_and_answers_meanwhile() {
    let flood = Flood::new("{\"type\":\"noise\"}\n").times(100_000);
    let (mut client, _, _running) = client::start(Script::new([Step::Flood(flood), Step::Exit(0)]));
    client.request("r1", json!({"subtype": "initialize"})).await;
    let lines = kinds(&client.rest().await);
    let noise = lines.iter().filter(|kind| *kind == "noise").count();
    assert_eq!((noise, lines.len()), (100_000, 100_001));
    assert_ne!(lines.last().unwrap(), "answer r1");
}

#[tokio::test]
async fn a_flood_need_not_end() {
    let (mut client, _, running) = client::start(Script::new([Step::Flood(Flood::new("x"))]));
    let mut bytes = vec![0; 1 << 20];
    timeout(LONG, client.reader.read_exact(&mut bytes))
        .await
        .unwrap()
        .unwrap();
    assert!(bytes.iter().all(|byte| *byte == b'x'));
    assert!(!running.is_finished());
}

#[tokio::test]
async fn standard_error_is_flooded() {
    let flood = Flood::new("e").times(1 << 20).stderr();
    let gate = Step::gate("flood");
    let mut agent = start(&Script::new([gate, Step::Flood(flood), Step::Exit(0)]));
    timeout(LONG, agent.gates.reached("flood")).await.unwrap();
    agent.gates.open("flood");
    // The pipe of standard error fills up, because nobody reads it.
    let waits = Duration::from_millis(300);
    assert!(timeout(waits, agent.client.next()).await.is_err());
    // The agent waits for a reader, and answers requests meanwhile.
    agent
        .client
        .request("r1", json!({"subtype": "initialize"}))
        .await;
    assert_eq!(kinds(&[agent.client.next().await.unwrap()]), ["answer r1"]);
    assert_eq!(agent.stderr().await.len(), 1 << 20);
    assert_eq!(agent.code().await, Some(0));
}

#[tokio::test]
async fn it_stops_reading_as_a_program() {
    let mut agent = start(&Script::new([Step::Deaf, Step::gate("deaf"), Step::Hang]));
    timeout(LONG, agent.gates.reached("deaf")).await.unwrap();
    let line = vec![b' '; 1 << 20];
    let write = tokio::io::AsyncWriteExt::write_all(&mut agent.client.writer, &line);
    assert!(timeout(Duration::from_millis(300), write).await.is_err());
}

#[tokio::test]
async fn all_of_them_are_data() {
    let script = Script::new([
        Step::expect_initialize(),
        Step::answer_to("$request_id", &json!({"a": 1})),
        Step::Flood(Flood::new("x").times(3).stderr()),
        Step::Child(Child::new().daemon().holds_stdout()),
        Step::message([Block::text("x")]),
        Step::Signal(9),
    ])
    .ignore_eof()
    .ignore_sigterm()
    .cut(Cut::new(7, Death::Signal(11)));
    let text = serde_json::to_string(&script).unwrap();
    assert_eq!(serde_json::from_str::<Script>(&text).unwrap(), script);
    assert!(
        text.contains(r#""cut":{"after":7,"by":{"signal":11}}"#),
        "{text}"
    );
}

#[tokio::test]
async fn one_that_ignores_everything_has_to_be_killed() {
    let script = Script::new([Step::gate("there"), Step::Hang])
        .ignore_eof()
        .ignore_sigterm();
    let mut agent = start(&script);
    timeout(LONG, agent.gates.reached("there")).await.unwrap();
    terminate(&agent);
    agent.gates.open("there");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(200) {
        assert_eq!(agent.child.try_wait().unwrap(), None);
        tokio::task::yield_now().await;
    }
    agent.child.kill().await.unwrap();
    assert_eq!(signal(&mut agent).await, Some(9));
}
