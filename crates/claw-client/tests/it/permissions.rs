//! Requests for permission.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use claw_client::transport::{Pipes, Subprocess, Transport, TransportError};
use claw_client::types::control::{PermissionAllow, PermissionResult};
use claw_client::types::tool::ToolInput;
use claw_client::types::{Json, QueryOptions};
use claw_client::{SessionBuilder, ToolPermissionRequest};
use claw_testkit::agent::{Script, Step, Style};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::agent::{Agent, answers, builder, connect_as, soon};

fn demo() -> Script {
    Script::demo().pace(std::time::Duration::ZERO)
}

/// Runs the demo, and gives its result's text and the answer that the agent got.
async fn decided(builder: SessionBuilder, script: Script) -> (String, Value) {
    let (session, agent) = connect_as(builder, script).await;
    let result = soon(session.send("Go").await.unwrap().result())
        .await
        .unwrap();
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    let answer = received
        .iter()
        .find(|line| line["type"] == "control_response")
        .unwrap();
    (result.text().into_owned(), answer["response"].clone())
}

#[tokio::test]
async fn a_yes_says_to_what() {
    let yes = builder().can_use_tool(|request: ToolPermissionRequest| async move {
        assert_eq!(request.tool_name(), "Bash");
        let Ok(ToolInput::Bash(bash)) = request.typed_input() else {
            panic!("{request:?}")
        };
        assert_eq!(bash.command, "ls | wc -l");
        let command = request.input().get("command").unwrap();
        // What it says, and not its text with quotes.
        assert!(
            command
                .as_str()
                .is_some_and(|command| command.starts_with("ls "))
        );
        PermissionResult::allow()
    });
    let (text, answer) = decided(yes, demo()).await;
    assert!(text.contains("seven"), "{text}");
    let answer = &answer["response"];
    assert_eq!(answer["behavior"], "allow");
    assert_eq!(answer["updatedInput"]["command"], "ls | wc -l");
    assert_eq!(answer["toolUseID"], "toolu_0001");
}

#[tokio::test]
async fn a_yes_may_change_the_input() {
    let yes = builder().can_use_tool(|_| async {
        let input = Json::from(json!({"command": "true"}));
        PermissionResult::from(PermissionAllow::new().updated_input(input))
    });
    let (_, answer) = decided(yes, demo()).await;
    assert_eq!(
        answer["response"]["updatedInput"],
        json!({"command": "true"})
    );
}

#[tokio::test]
async fn whatever_is_no_yes_denies() {
    let no = builder().can_use_tool(|_| async { PermissionResult::deny("not today") });
    let failed = builder().can_use_tool(|_| async { Err::<PermissionResult, _>("it broke") });
    let panicked = builder().can_use_tool(|request: ToolPermissionRequest| {
        assert_eq!(request.tool_name(), "", "on purpose");
        async { PermissionResult::allow() }
    });
    let cases = [
        (no, "not today"),
        (failed, "it broke"),
        (panicked, "the permission callback panicked"),
        (builder(), "there is nobody to ask for permission"),
    ];
    for (builder, reason) in cases {
        let (text, answer) = decided(builder, demo()).await;
        assert!(text.contains("did not let me"), "{reason}: {text}");
        assert_eq!(answer["response"]["behavior"], "deny", "{reason}");
        assert_eq!(answer["response"]["message"], reason);
    }
}

#[tokio::test]
async fn questions_are_known_however_they_are_written() {
    for style in [
        Style::Compact,
        Style::Spaced,
        Style::Reordered,
        Style::Escaped,
    ] {
        let yes = builder().can_use_tool(|_| async { PermissionResult::allow() });
        let (text, _) = decided(yes, demo().style(style)).await;
        assert!(text.contains("seven"), "{style:?}: {text}");
    }
}

fn request(id: &str) -> Value {
    json!({"type": "control_request", "request_id": id, "request": {
        "subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "true"},
        "tool_use_id": "toolu_1"}})
}

/// Waits for a callback's end by its drop.
struct Dropped(mpsc::UnboundedSender<()>);

impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

#[tokio::test]
async fn a_request_that_is_taken_back_gets_no_answer() {
    let script = Script::new([
        Step::Line(request("q1")),
        Step::gate("asked"),
        Step::Line(json!({"type": "control_cancel_request", "request_id": "q1"})),
        Step::Line(request("q2")),
    ]);
    let (starts, mut started) = mpsc::unbounded_channel();
    let (drops, mut dropped) = mpsc::unbounded_channel();
    let builder = builder().can_use_tool(move |request| {
        let (starts, dropped) = (starts.clone(), Dropped(drops.clone()));
        async move {
            starts.send(request.request_id.to_string()).unwrap();
            if request.request_id == "q1" {
                std::future::pending::<()>().await;
            }
            drop(dropped);
            PermissionResult::allow()
        }
    });
    let (session, agent) = connect_as(builder, script).await;
    assert_eq!(soon(started.recv()).await.unwrap(), "q1");
    agent.gates.open("asked");
    soon(dropped.recv()).await.unwrap();
    assert_eq!(soon(started.recv()).await.unwrap(), "q2");
    soon(dropped.recv()).await.unwrap();
    // The answer to q2 is behind its callback's end: anything that is answered comes after it.
    soon(session.interrupt()).await.unwrap();
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    assert!(answers(&received, "q1").is_empty());
    assert_eq!(answers(&received, "q2").len(), 1);
}

#[tokio::test]
async fn a_request_is_handed_out_once() {
    // While it is worked on, and after it was answered.
    let script = Script::new([
        Step::Line(request("q1")),
        Step::Line(request("q1")),
        Step::gate("answered"),
        Step::Line(request("q1")),
        Step::Line(request("q2")),
    ]);
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let (seen, mut asks) = mpsc::unbounded_channel();
    let builder = builder().can_use_tool(move |request: ToolPermissionRequest| {
        counted.fetch_add(1, Ordering::SeqCst);
        seen.send(request.request_id.to_string()).unwrap();
        async { PermissionResult::allow() }
    });
    let (session, agent) = connect_as(builder, script).await;
    assert_eq!(soon(asks.recv()).await.unwrap(), "q1");
    soon(session.interrupt()).await.unwrap();
    agent.gates.open("answered");
    assert_eq!(soon(asks.recv()).await.unwrap(), "q2");
    soon(session.interrupt()).await.unwrap();
    soon(session.close()).await.unwrap();
    assert_eq!(answers(&agent.received().await, "q1").len(), 1);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_request_that_waited_comes_with_the_handshake() {
    let script = Script::new([
        Step::expect_request("initialize"),
        Step::Line(json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": "claw-1", "response": {},
            "pending_permission_requests": [request("q1")]}})),
        serde_json::from_value(json!({"expect": {"type": "control_response"}})).unwrap(),
    ]);
    let (pipe, agent) = Agent::start(script);
    let builder = builder().can_use_tool(|_| async { PermissionResult::deny("no") });
    let session = soon(builder.transport(pipe).connect()).await.unwrap();
    soon(session.interrupt()).await.unwrap();
    soon(session.close()).await.unwrap();
    assert_eq!(
        answers(&agent.received().await, "q1")[0]["response"]["message"],
        "no"
    );
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_refused() {
    let mut bad = request("q1");
    bad["request"]["tool_name"] = json!(7);
    let script = Script::new([Step::Line(bad)]);
    let builder = builder().can_use_tool(|_| async { PermissionResult::allow() });
    let (session, agent) = connect_as(builder, script).await;
    soon(session.interrupt()).await.unwrap();
    soon(session.close()).await.unwrap();
    let received = agent.received().await;
    let answer = answers(&received, "q1")[0];
    assert_eq!(answer["subtype"], "error");
    assert!(
        answer["error"].as_str().unwrap().contains("tool_name"),
        "{answer}"
    );
}

/// A pipe that keeps what it hears from the session before it is opened.
struct Told<T>(T, Arc<Mutex<Vec<&'static str>>>);

impl<T: Transport> Transport for Told<T> {
    async fn open(self) -> Result<Pipes, TransportError> {
        self.0.open().await
    }

    fn offer_permission_prompts(&mut self) {
        self.1.lock().unwrap().push("permissions");
    }

    fn offer_stderr(&mut self, _: Arc<dyn Fn(&str) + Send + Sync>) {
        self.1.lock().unwrap().push("stderr");
    }
}

#[tokio::test]
async fn a_transport_of_ones_own_hears_that_there_is_a_callback() {
    let mut subprocess =
        Subprocess::new(&QueryOptions::default().path_to_claude_code_executable("/bin/sh"));
    let with_flag = |subprocess: &Subprocess| {
        let command = format!("{:?}", subprocess.command().unwrap());
        command.contains("--permission-prompt-tool")
    };
    assert!(!with_flag(&subprocess));
    subprocess.offer_permission_prompts();
    assert!(with_flag(&subprocess));

    for (is_set, expected) in [(false, &[][..]), (true, &["permissions", "stderr"])] {
        let (pipe, _agent) = Agent::start(Script::reply("fine"));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let builder = builder().transport(Told(pipe, heard.clone()));
        let builder = if is_set {
            builder
                .can_use_tool(|_| async { PermissionResult::allow() })
                .stderr(|_| {})
        } else {
            builder
        };
        soon(builder.connect()).await.unwrap();
        assert_eq!(*heard.lock().unwrap(), expected);
    }
}
