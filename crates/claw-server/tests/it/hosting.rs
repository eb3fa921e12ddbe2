//! The hosting contract, asked as a gateway or `curl -N` asks.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_client::{QueryOptions, Session};
use claw_server::{Hosting, Project, Server, ServerBuilder, Token, hosted_session};
use claw_sessions::Sessions;
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::client::{Response, Running, soon};

const TOKEN: &str = "0123456789abcdef";

async fn start_as(
    script: Script,
    hosting: Hosting,
    change: impl FnOnce(ServerBuilder) -> ServerBuilder,
) -> Running {
    let folder = tempfile::tempdir().unwrap();
    Running::start_serving(script, folder, Some(hosting), change).await
}

async fn start(script: Script) -> Running {
    start_as(script, Hosting::new("shop"), |builder| builder).await
}

/// The request for a turn, as `curl` writes it.
pub(crate) fn request(running: &Running, id: &str, prompt: &str) -> String {
    let body = json!({ "prompt": prompt }).to_string();
    let (host, length) = (running.address, body.len());
    format!(
        "POST /sessions/{id}/messages HTTP/1.1\r\nHost: {host}\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// A server-sent event: its name and its data.
pub(crate) type Event = (String, String);

/// The response to a prompt, while it comes.
pub(crate) struct Turn {
    reader: BufReader<TcpStream>,
    head: String,
    text: String,
    is_over: bool,
}

impl Turn {
    /// Asks for a turn. When this is done, the prompt was taken.
    pub(crate) async fn ask(running: &Running, id: &str, prompt: &str) -> Self {
        let mut stream = TcpStream::connect(running.address).await.unwrap();
        let request = request(running, id, prompt);
        stream.write_all(request.as_bytes()).await.unwrap();
        Self::of(stream).await
    }

    async fn of(stream: TcpStream) -> Self {
        let mut turn = Self {
            reader: BufReader::new(stream),
            head: String::new(),
            text: String::new(),
            is_over: false,
        };
        while !turn.head.ends_with("\r\n\r\n") {
            let read = soon(turn.reader.read_line(&mut turn.head)).await.unwrap();
            assert_ne!(read, 0, "{}", turn.head);
        }
        assert!(turn.head.starts_with("HTTP/1.1 200"), "{}", turn.head);
        turn
    }

    /// One chunk more.
    async fn more(&mut self) {
        let mut length = String::new();
        if soon(self.reader.read_line(&mut length)).await.unwrap() == 0 {
            self.is_over = true;
            return;
        }
        let length = usize::from_str_radix(length.trim(), 16).unwrap();
        let mut chunk = vec![0; length + 2];
        soon(self.reader.read_exact(&mut chunk)).await.unwrap();
        self.is_over = length == 0;
        self.text += std::str::from_utf8(&chunk[..length]).unwrap();
    }

    /// The next event. Comments are none. `None` at the end of the response.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(at) = self.text.find("\n\n") {
                let event: String = self.text.drain(..at + 2).collect();
                let event = event.trim_end_matches('\n');
                if event.starts_with(':') {
                    continue;
                }
                let (name, data) = event.split_once('\n').unwrap();
                let name = name.strip_prefix("event: ").unwrap().to_owned();
                let data = data.split('\n').map(|line| line.strip_prefix("data: "));
                let data = data.collect::<Option<Vec<_>>>().unwrap().join("\n");
                return Some((name, data));
            }
            if self.is_over {
                assert_eq!(self.text, "");
                return None;
            }
            self.more().await;
        }
    }

    /// The rest of the events.
    pub(crate) async fn rest(mut self) -> Vec<Event> {
        let mut all = Vec::new();
        while let Some(event) = self.next().await {
            all.push(event);
        }
        all
    }
}

/// All events of a turn.
pub(crate) async fn turn(running: &Running, id: &str, prompt: &str) -> Vec<Event> {
    Turn::ask(running, id, prompt).await.rest().await
}

/// The messages among the events, those that are JSON.
pub(crate) fn messages(events: &[Event]) -> Vec<Value> {
    let messages = events.iter().filter(|(name, _)| name == "message");
    messages
        .filter_map(|(_, data)| serde_json::from_str(data).ok())
        .collect()
}

/// The texts of the model, and how the turn ended.
pub(crate) fn said(events: &[Event]) -> String {
    let mut said = Vec::new();
    for (name, data) in events {
        let data: Value = serde_json::from_str(data).unwrap_or_default();
        match &**name {
            "message" if data["type"] == "assistant" => {
                let blocks = data["message"]["content"].as_array().unwrap();
                let texts = blocks.iter().filter_map(|block| block["text"].as_str());
                said.extend(texts.map(str::to_owned));
            }
            "message" => {}
            "error" => said.push(format!("error: {}", data["message"].as_str().unwrap())),
            name => said.push(name.to_owned()),
        }
    }
    said.join(" | ")
}

/// What the agent was prompted with, in order.
fn prompts(agent: &Agent) -> Vec<String> {
    let received = agent.received();
    let prompts = received.iter().filter(|line| line["type"] == "user");
    let text = |line: &Value| line["message"]["content"].as_str().unwrap().to_owned();
    prompts.map(text).collect()
}

/// How many processes there were.
fn processes(agent: &Agent) -> usize {
    let received = agent.received();
    let begun = received
        .iter()
        .filter(|line| line["request"]["subtype"] == "initialize");
    begun.count()
}

fn says(text: &str) -> Step {
    Step::Turn(vec![Step::message([Block::text(text)])])
}

/// A turn that waits at a gate before it says this.
fn waits(gate: &str, text: &str) -> Step {
    Step::Turn(vec![Step::gate(gate), Step::message([Block::text(text)])])
}

#[tokio::test]
async fn a_session_is_made_and_goes_on_and_each_response_has_its_own_turn_alone() {
    let running = start(Script::new([says("Four."), says("Five.")])).await;
    let health = running.ask("GET", "/health", &Value::Null).await;
    assert_eq!(
        (health.status, health.json()),
        (200, json!({"status": "ok"}))
    );
    let first = Turn::ask(&running, "demo-1", "What is 2 + 2?").await;
    let head = first.head.to_ascii_lowercase();
    for header in [
        "content-type: text/event-stream\r\n",
        "cache-control: no-store\r\n",
        "x-accel-buffering: no\r\n",
    ] {
        assert!(head.contains(header), "{head}");
    }
    let first = first.rest().await;
    assert_eq!(said(&first), "Four. | done");
    let messages = messages(&first);
    let of = |kind: &'static str| {
        messages
            .iter()
            .filter(move |message| message["type"] == kind)
    };
    assert_eq!(of("system").next().unwrap()["subtype"], "init");
    assert_eq!(of("result").count(), 1, "{messages:#?}");
    // Its data are empty.
    assert_eq!(first.last().unwrap(), &("done".to_owned(), String::new()));

    let second = turn(&running, "demo-1", "And one more?").await;
    assert_eq!(said(&second), "Five. | done");
    assert_eq!(processes(&running.agent), 1);
    assert_eq!(prompts(&running.agent), ["What is 2 + 2?", "And one more?"]);
    let live = running.server.hub().live();
    let live: Vec<_> = live.iter().map(|live| live.id().clone()).collect();
    assert_eq!(live, [hosted_session("demo-1").unwrap()]);
    running.end().await;
}

#[tokio::test]
async fn lines_are_passed_on_as_they_are_whether_or_not_they_can_be_read() {
    let odd = r#"{ "type" : "system",  "subtype":"odd","n":1.50, "é":"\u00e9" }"#;
    let script = Script::new([Step::Turn(vec![
        Step::Text(odd.to_owned()),
        Step::Text("no JSON: data: x".to_owned()),
        Step::Line(json!({"type": "assistant", "message": "cannot be one"})),
        Step::Raw("one\rtwo\n".to_owned()),
        Step::message([Block::text("Yes.")]),
    ])]);
    let running = start(script).await;
    let events = turn(&running, "x", "Is it?").await;
    let data: Vec<_> = events.iter().map(|(_, data)| &**data).collect();
    let cannot = r#"{"message":"cannot be one","type":"assistant"}"#;
    for line in [odd, "no JSON: data: x", cannot] {
        assert!(data.contains(&line), "{data:#?}");
    }
    // A carriage return ends a line of the stream too: there are two, of one event.
    assert!(data.contains(&"one\ntwo"), "{data:#?}");
    assert_eq!(events.last().unwrap().0, "done");
    running.end().await;
}

#[tokio::test]
async fn prompts_for_one_session_have_their_turns_in_order() {
    let script = Script::new([
        waits("one", "One."),
        waits("two", "Two."),
        waits("three", "Three."),
    ]);
    let running = start(script).await;
    // The first two at once: both find no session.
    let (one, two) = tokio::join!(
        Turn::ask(&running, "x", "first"),
        Turn::ask(&running, "x", "second")
    );
    soon(running.agent.gates().reached("one")).await;
    let three = Turn::ask(&running, "x", "third").await;
    assert_eq!(running.server.hub().live().len(), 1);
    let sent = prompts(&running.agent);
    // The others wait until the turn is over, and are not folded into it.
    assert_eq!(sent.len(), 1);
    for gate in ["one", "two", "three"] {
        running.agent.gates().open(gate);
    }
    let (one, two, three) = tokio::join!(one.rest(), two.rest(), three.rest());
    let (of_first, of_second) = if sent[0] == "first" {
        (one, two)
    } else {
        (two, one)
    };
    assert_eq!(said(&of_first), "One. | done");
    assert_eq!(said(&of_second), "Two. | done");
    assert_eq!(said(&three), "Three. | done");
    assert_eq!(processes(&running.agent), 1);
    assert_eq!(prompts(&running.agent)[2], "third");
    running.end().await;
}

/// A server whose first process plays the first script, and every later one the second. With the options of each.
async fn start_twice(
    first: Script,
    second: Script,
) -> (Running, Agent, Arc<Mutex<Vec<QueryOptions>>>) {
    let agents = [Agent::new(first), Agent::new(second.clone())];
    let begun = Arc::<Mutex<Vec<QueryOptions>>>::default();
    let (of_session, second) = (begun.clone(), agents[1].clone());
    let build = move |options: QueryOptions| {
        let mut begun = of_session.lock().unwrap();
        let agent = agents[usize::from(!begun.is_empty())].clone();
        begun.push(options.clone());
        Session::builder(options).transport(agent)
    };
    let running = start_as(Script::says("unused"), Hosting::new("shop"), |builder| {
        builder.session(build)
    })
    .await;
    (running, second, begun)
}

#[tokio::test]
async fn after_a_turn_that_failed_the_prompts_that_wait_have_the_same_session() {
    let dies = Script::new([Step::Turn(vec![
        Step::message([Block::text("I think.")]),
        Step::Stderr("out of luck\n".to_owned()),
        Step::Exit(3),
    ])]);
    let (running, agent, begun) =
        start_twice(dies, Script::new([says("Two."), says("Three.")])).await;
    let one = Turn::ask(&running, "x", "first").await;
    let two = Turn::ask(&running, "x", "second").await;
    let three = Turn::ask(&running, "x", "third").await;
    let one = one.rest().await;
    let error = said(&one);
    assert!(error.starts_with("I think. | error: "), "{error}");
    assert!(error.contains("out of luck"), "{error}");
    assert_eq!(one.last().unwrap().0, "error");
    assert_eq!(said(&two.rest().await), "Two. | done");
    assert_eq!(said(&three.rest().await), "Three. | done");
    assert_eq!(prompts(&agent), ["second", "third"]);
    let session = hosted_session("x");
    let begun = begun.lock().unwrap().clone();
    assert_eq!(begun.len(), 2);
    assert_eq!((&begun[0].session_id, &begun[0].resume), (&session, &None));
    assert_eq!((&begun[1].session_id, &begun[1].resume), (&None, &session));
    assert_eq!(running.server.hub().live().len(), 1);
    running.end().await;
}

#[tokio::test]
async fn a_process_that_cannot_start_is_an_error_and_the_next_prompt_tries_again() {
    let fails = Script::new([Step::Stderr("no key\n".to_owned()), Step::Exit(1)]);
    let (running, _, begun) = start_twice(fails, Script::says("Here.")).await;
    let error = turn(&running, "x", "first").await;
    assert_eq!(error.len(), 1, "{error:#?}");
    assert!(said(&error).starts_with("error: "), "{error:#?}");
    assert_eq!(said(&turn(&running, "x", "second").await), "Here. | done");
    // Nothing was said yet: the session begins anew, under its own ID.
    let session = hosted_session("x");
    for options in begun.lock().unwrap().iter() {
        assert_eq!((&options.session_id, &options.resume), (&session, &None));
    }
    running.end().await;
}

#[tokio::test]
async fn a_result_that_is_an_error_is_a_message_of_a_turn_that_is_done() {
    let fails = Step::Turn(vec![Step::fail("error_max_turns", "too many")]);
    let running = start(Script::new([fails])).await;
    let events = turn(&running, "x", "Think").await;
    let result: Value = serde_json::from_str(
        &events
            .iter()
            .find(|(_, data)| data.contains("error_max_turns"))
            .unwrap()
            .1,
    )
    .unwrap();
    assert_eq!(result["type"], "result");
    assert_eq!(events.last().unwrap().0, "done");
    running.end().await;
}

#[tokio::test]
async fn a_session_on_disk_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let session = hosted_session("demo-1").unwrap();
    let begun = Arc::<Mutex<Vec<QueryOptions>>>::default();
    let (of_session, path) = (begun.clone(), folder.path().to_owned());
    let agent = Agent::new(Script::says("Still here."));
    let running = Running::start_serving(
        Script::says("unused"),
        folder,
        Some(Hosting::new("shop")),
        |builder| {
            builder.session(move |options| {
                of_session.lock().unwrap().push(options.clone());
                Session::builder(options).transport(agent.clone())
            })
        },
    )
    .await;
    crate::disk::transcript(&running, session.as_str());
    // One that an earlier server cut before it had said anything, and one of another folder.
    let other = hosted_session("other").unwrap();
    let empty = hosted_session("empty").unwrap();
    let project = path.join("config/projects/p");
    std::fs::create_dir_all(&project).unwrap();
    let line = json!({"type": "queue-operation", "operation": "enqueue", "sessionId": empty,
        "timestamp": "2026-01-01T00:00:00.000Z"});
    std::fs::write(project.join(format!("{empty}.jsonl")), format!("{line}\n")).unwrap();
    let line = json!({"type": "user", "uuid": "11111111-1111-4111-8111-111111111111",
        "parentUuid": null, "sessionId": other, "cwd": path, "timestamp": "2026-01-01T00:00:00.000Z",
        "isSidechain": false, "userType": "external", "version": "2.1.330",
        "message": {"role": "user", "content": "Secret?"}});
    std::fs::write(project.join(format!("{other}.jsonl")), format!("{line}\n")).unwrap();

    assert_eq!(
        said(&turn(&running, "demo-1", "Go on").await),
        "Still here. | done"
    );
    assert_eq!(
        said(&turn(&running, "empty", "Go on").await),
        "Still here. | done"
    );
    let refused = said(&turn(&running, "other", "Go on").await);
    assert!(
        refused.starts_with("error: the session began in a folder"),
        "{refused}"
    );
    let begun = begun.lock().unwrap().clone();
    let resumed: Vec<_> = begun.iter().map(|options| options.resume.clone()).collect();
    assert_eq!(resumed, [Some(session), Some(empty)]);
    running.end().await;
}

#[tokio::test]
async fn a_client_that_leaves_does_not_stop_its_turn_nor_the_prompt_that_waits() {
    let script = Script::new([waits("one", "One."), says("Two."), says("Three.")]);
    let running = start(script).await;
    let one = Turn::ask(&running, "x", "first").await;
    soon(running.agent.gates().reached("one")).await;
    let two = Turn::ask(&running, "x", "second").await;
    drop((one, two));
    let three = Turn::ask(&running, "x", "third").await;
    running.agent.gates().open("one");
    assert_eq!(said(&three.rest().await), "Three. | done");
    assert_eq!(prompts(&running.agent), ["first", "second", "third"]);
    assert_eq!(processes(&running.agent), 1);
    running.end().await;
}

/// So many texts of 64 KiB are more than the system keeps for a connection.
const TEXTS: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_too_slowly_misses_the_rest_and_the_turn_goes_on() {
    let texts = Step::repeat(TEXTS, [Step::message([Block::text("x".repeat(64 << 10))])]);
    let script = Script::new([Step::Turn(vec![texts, Step::gate("end")]), says("Two.")]);
    let running = start_as(script, Hosting::new("shop"), |builder| {
        builder.limits(|limits| limits.unread = 256 << 10)
    })
    .await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(running.address).await.unwrap();
    let ask = request(&running, "x", "Say much");
    stream.write_all(ask.as_bytes()).await.unwrap();
    let slow = Turn::of(stream).await;
    // Claude has said everything, whoever listens.
    soon(running.agent.gates().reached("end")).await;
    running.agent.gates().open("end");
    assert_eq!(
        said(&turn(&running, "x", "Are you there?").await),
        "Two. | done"
    );
    let heard = soon(slow.rest()).await;
    let (name, data) = heard.last().unwrap();
    assert_eq!(name, "error");
    assert!(data.contains("too slowly"), "{data}");
    assert!(heard.iter().all(|(name, _)| name != "done"));
    let bytes: usize = heard.iter().map(|(_, data)| data.len()).sum();
    assert!(bytes < TEXTS * (64 << 10), "{bytes}");
    assert_eq!(processes(&running.agent), 1);
    running.end().await;
}

#[tokio::test]
async fn nobody_is_asked_for_permission() {
    let script = Script::new([Step::Turn(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::permission(
            [Step::message([Block::text("Allowed.")])],
            [Step::message([Block::text("Denied.")])],
        ),
    ])]);
    let running = start(script).await;
    assert_eq!(said(&turn(&running, "x", "List").await), "Denied. | done");
    let received = running.agent.received();
    let answer = received
        .iter()
        .find(|line| line["type"] == "control_response");
    let answer = &answer.unwrap()["response"]["response"];
    assert_eq!(answer["behavior"], "deny", "{answer}");
    running.end().await;
}

#[tokio::test]
async fn answers_come_whole_unless_the_options_ask_for_their_parts() {
    let begun = Arc::<Mutex<Vec<QueryOptions>>>::default();
    for asked in [None, Some(true)] {
        let (of_session, agent) = (begun.clone(), Agent::new(Script::says("Yes.")));
        let running = start_as(Script::says("unused"), Hosting::new("shop"), |builder| {
            let mut options = QueryOptions::default();
            options.include_partial_messages = asked;
            builder.options(options).session(move |options| {
                of_session.lock().unwrap().push(options.clone());
                Session::builder(options).transport(agent.clone())
            })
        })
        .await;
        assert_eq!(said(&turn(&running, "x", "Is it?").await), "Yes. | done");
        running.end().await;
    }
    let begun = begun.lock().unwrap();
    let partial: Vec<_> = begun
        .iter()
        .map(|options| options.include_partial_messages)
        .collect();
    assert_eq!(partial, [Some(false), Some(true)]);
}

#[tokio::test]
async fn what_is_too_much_is_an_event_and_not_a_status() {
    // A gateway takes a status for a server that has died.
    let running = start_as(
        Script::new([
            waits("one", "One."),
            Step::Turns(vec![Step::message([Block::text("More.")])]),
        ]),
        Hosting::new("shop"),
        |builder| builder.limits(|limits| limits.sessions = 1),
    )
    .await;
    let mut waiting = vec![Turn::ask(&running, "x", "first").await];
    soon(running.agent.gates().reached("one")).await;
    for number in 0..16 {
        waiting.push(Turn::ask(&running, "x", &number.to_string()).await);
    }
    assert_eq!(
        said(&turn(&running, "x", "one too many").await),
        "error: too many prompts wait"
    );
    assert_eq!(
        said(&turn(&running, "other", "another session").await),
        "error: too many sessions are in use"
    );
    running.agent.gates().open("one");
    for (number, turn) in waiting.into_iter().enumerate() {
        let text = if number == 0 {
            "One. | done"
        } else {
            "More. | done"
        };
        assert_eq!(said(&turn.rest().await), text);
    }
    // The one that nobody uses any more makes room.
    assert_eq!(
        said(&turn(&running, "other", "Hello").await)
            .split(" | ")
            .last(),
        Some("done")
    );
    running.end().await;
}

#[tokio::test]
async fn a_turn_may_finish_when_the_server_ends_and_else_its_client_is_told() {
    let mut running = start(Script::new([waits("one", "One.")])).await;
    let one = Turn::ask(&running, "x", "first").await;
    soon(running.agent.gates().reached("one")).await;
    running.stop();
    running.agent.gates().open("one");
    assert_eq!(said(&one.rest().await), "One. | done");
    running.end().await;

    let hangs = Script::new([Step::Turn(vec![Step::gate("one"), Step::Hang])]);
    let running = start_as(hangs, Hosting::new("shop"), |builder| {
        builder.connections(|connections| connections.finish = Duration::ZERO)
    })
    .await;
    let one = Turn::ask(&running, "x", "first").await;
    let two = Turn::ask(&running, "x", "second").await;
    running.agent.gates().open("one");
    let (one, two, ()) = tokio::join!(one.rest(), two.rest(), running.end());
    for events in [one, two] {
        assert_eq!(events.last().unwrap().0, "error", "{events:#?}");
    }
}

/// The status of a request of these lines, with this body.
async fn status(running: &Running, head: &str, body: &str) -> Response {
    let length = body.len();
    running
        .raw(&format!(
            "{head}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
        .await
}

const JSON: &str = "Content-Type: application/json\r\n";
const HELLO: &str = r#"{"prompt":"Hello"}"#;
/// Every route but `/health`.
const ROUTES: [(&str, &str); 4] = [
    ("POST", "/sessions/x/messages"),
    ("GET", "/sessions/x/messages"),
    ("GET", "/metrics"),
    ("GET", "/nowhere"),
];

#[tokio::test]
async fn with_a_token_nothing_but_health_opens_without_it() {
    let token = Token::new(TOKEN).unwrap();
    let hosting = Hosting::new("shop").token(token).behind_gateway();
    let running = start_as(Script::says("Hi."), hosting, |builder| builder).await;
    let with = async |method: &str, path: &str, more: &str| {
        // By whatever name a gateway asks.
        let head = format!("{method} {path} HTTP/1.1\r\nHost: agent.example:8000\r\n{JSON}{more}");
        status(&running, &head, HELLO).await
    };
    for (method, path) in ROUTES {
        let wrong = [
            String::new(),
            "Authorization: Bearer \r\n".to_owned(),
            "Authorization: Bearer 0123456789abcdeg\r\n".to_owned(),
            format!("Authorization: Bearer {TOKEN}0\r\n"),
            format!("Authorization: Bearer {}\r\n", &TOKEN[1..]),
            format!("Authorization: Basic {TOKEN}\r\n"),
            format!("Authorization: {TOKEN}\r\n"),
            format!("Cookie: claw_session={TOKEN}\r\n"),
            format!("Authorization: Bearer {TOKEN}\r\nAuthorization: Bearer {TOKEN}\r\n"),
            // That of the server's other routes.
            format!(
                "Authorization: Bearer {}\r\n",
                running.server.token().expose()
            ),
        ];
        for more in wrong {
            let refused = with(method, path, &more).await;
            assert_eq!(refused.status, 401, "{method} {path} {more}");
            assert!(refused.json()["detail"].is_string(), "{}", refused.body);
        }
        let own = format!("Authorization: Bearer {TOKEN}\r\n");
        assert_ne!(
            with(method, path, &own).await.status,
            401,
            "{method} {path}"
        );
    }
    let own = format!("Authorization: Bearer {TOKEN}\r\n");
    let answered = with("POST", "/sessions/x/messages", &own).await;
    assert_eq!(answered.status, 200);
    assert!(
        answered.body.contains("event: done\ndata: \n\n"),
        "{}",
        answered.body
    );
    assert_eq!(with("GET", "/health", "").await.status, 200);
    assert_eq!(with("POST", "/health", "").await.status, 405);
    running.end().await;
}

#[tokio::test]
async fn without_a_token_only_programs_of_this_machine_are_served_unless_there_is_a_gateway() {
    let local = start(Script::says("Hi.")).await;
    let gateway = Hosting::new("shop").behind_gateway();
    let gateway = start_as(Script::says("Hi."), gateway, |builder| builder).await;
    let port = local.address.port();
    let ask = async |running: &Running, more: &str| {
        let head = format!("POST /sessions/x/messages HTTP/1.1\r\n{JSON}{more}");
        status(running, &head, HELLO).await.status
    };
    for own in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "[::1]",
        "127.0.0.1:1",
    ] {
        let host = format!("Host: {own}\r\n");
        assert_eq!(ask(&local, &host).await, 200, "{own}");
    }
    for more in [
        format!("Host: evil.example:{port}\r\n"),
        format!("Host: 127.0.0.1.evil.example:{port}\r\n"),
        "Host: \r\n".to_owned(),
        // A page of another origin, or of this one: none is the server's own.
        format!("Host: 127.0.0.1:{port}\r\nOrigin: http://evil.example\r\n"),
        format!("Host: 127.0.0.1:{port}\r\nOrigin: null\r\n"),
        format!("Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"),
    ] {
        assert_eq!(ask(&local, &more).await, 403, "{more}");
        assert_eq!(ask(&gateway, &more).await, 200, "{more}");
    }
    // Whoever watches over the server asks by its address.
    let head = "GET /health HTTP/1.1\r\nHost: 10.0.0.7:8000\r\n";
    assert_eq!(status(&local, head, "").await.status, 200);
    local.end().await;
    gateway.end().await;
}

#[tokio::test]
async fn other_machines_are_served_only_with_a_token_or_a_gateway() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("shop");
    std::fs::create_dir(&project).unwrap();
    let server = Server::builder()
        .project(Project::new(&project).unwrap())
        .sessions(Sessions::new(folder.path().join("config")))
        .build()
        .unwrap();
    let listener = async || TcpListener::bind("0.0.0.0:0").await.unwrap();
    let now = async {};
    let open = server
        .serve_hosting(&Hosting::new("shop"), listener().await, now)
        .await;
    let error = open.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    let token = Token::new(TOKEN).unwrap();
    for hosting in [
        Hosting::new("shop").behind_gateway(),
        Hosting::new("shop").token(token),
    ] {
        server
            .serve_hosting(&hosting, listener().await, async {})
            .await
            .unwrap();
    }
    let unknown = server.hosting(&Hosting::new("other"));
    assert_eq!(unknown.unwrap_err().to_string(), "no project has this name");
}

#[tokio::test]
async fn ids_are_those_of_the_contract() {
    let running = start(Script::says("Hi.")).await;
    let long = "x".repeat(65);
    for id in [
        "..",
        "%2e%2e",
        "%2E%2E%2f",
        "-x",
        "_x",
        "a.b",
        "a%2fb",
        "a%00",
        "a%0a",
        "%0aa",
        "a%20b",
        "%ff",
        "%c3%a9",
        "a:b",
        "~",
        &long,
    ] {
        let refused = status(&running, &head(&running, id), HELLO).await;
        assert_eq!(refused.status, 400, "{id}");
        assert_eq!(refused.json(), json!({"detail": "invalid session_id"}));
    }
    for id in ["", "x/y", "x/../y"] {
        assert_eq!(
            status(&running, &head(&running, id), HELLO).await.status,
            404,
            "{id}"
        );
    }
    assert!(running.server.hub().live().is_empty());
    for id in [
        "0",
        "a_-",
        &long[1..],
        "3f0c8a52-6c3b-4a4e-8a44-0d0b6f1d2c11",
    ] {
        assert_eq!(
            status(&running, &head(&running, id), HELLO).await.status,
            200,
            "{id}"
        );
    }
    running.end().await;
}

/// The head of a prompt's request, without its end.
fn head(running: &Running, id: &str) -> String {
    let host = running.address;
    format!("POST /sessions/{id}/messages HTTP/1.1\r\nHost: {host}\r\n{JSON}")
}

#[tokio::test]
async fn bodies_that_are_none_are_refused() {
    let running = start(Script::says("Hi.")).await;
    let own = head(&running, "x");
    for body in [
        "",
        "{",
        "no JSON",
        "[]",
        "null",
        "\"Hello\"",
        "{}",
        r#"{"prompt":null}"#,
        r#"{"prompt":7}"#,
        r#"{"prompt":["Hello"]}"#,
        r#"{"prompt":""}"#,
        r#"{"prompt":"Hello"} x"#,
        r#"{"Prompt":"Hello"}"#,
    ] {
        let refused = status(&running, &own, body).await;
        assert_eq!(refused.status, 422, "{body}");
        let detail = &refused.json()["detail"][0];
        assert!(
            detail["msg"].is_string() && detail["loc"][0] == "body",
            "{detail}"
        );
    }
    for kind in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
    ] {
        let refused = status(&running, &own.replace(JSON, kind), HELLO).await;
        assert_eq!(refused.status, 422, "{kind}");
    }
    let known = own.replace(JSON, "Content-Type: Application/JSON; charset=utf-8\r\n");
    let more = r#"{"prompt":"Hello","stream":true}"#;
    assert_eq!(status(&running, &known, more).await.status, 200);
    let other = status(&running, &own.replace("POST", "GET"), "").await;
    assert_eq!(other.status, 405);
    // The server's other routes are not here.
    for path in ["/", "/api/sessions", "/rpc", "/login/x"] {
        let head = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", running.address);
        assert_eq!(status(&running, &head, "").await.status, 404, "{path}");
    }
    running.end().await;
}

#[tokio::test]
async fn a_body_that_is_too_long_is_refused() {
    let running = start(Script::says("Hi.")).await;
    let own = head(&running, "x");
    let fits = json!({"prompt": "x".repeat((256 << 10) - 16)}).to_string();
    assert_eq!(status(&running, &own, &fits).await.status, 200);
    // Nothing of the body is ever sent: the answer comes all the same.
    let said = format!(
        "{own}Connection: close\r\nContent-Length: {}\r\n\r\n",
        (256 << 10) + 1
    );
    assert_eq!(running.raw(&said).await.status, 413);
    // Without a length it is read up to the bound.
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(1 << 16));
    let chunked = format!(
        "{own}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        chunk.repeat(5)
    );
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream.write_all(chunked.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    soon(stream.read_exact(&mut answer)).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    running.end().await;
}

#[tokio::test]
async fn hosted_sessions_are_counted() {
    let running = start(Script::new([waits("one", "One.")])).await;
    let one = Turn::ask(&running, "x", "first").await;
    soon(running.agent.gates().reached("one")).await;
    let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
    for line in [
        "claw_sessions{phase=\"running\"} 1",
        "claw_viewers 1",
        "claw_processes{state=\"running\"} 1",
    ] {
        assert!(metrics.lines().any(|other| other == line), "{metrics}");
    }
    assert!(
        !metrics.contains(hosted_session("x").unwrap().as_str()),
        "{metrics}"
    );
    running.agent.gates().open("one");
    one.rest().await;
    running.end().await;
}
