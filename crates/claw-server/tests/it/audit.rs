//! The audit log: what has a line, what a line has, and what happens without one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use claw_client::pool::Pool;
use claw_server::{Action, Audit, AuditEntry, AuditSender, NewUser, Recorded, Role, Server, Users};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::attacks::{bare, transcript};
use crate::changes::Transcript;
use crate::client::{KEY, Response, Running, soon, uuid};
use crate::socket::{connect, heard, say};

/// The ID of a session on disk.
const DISK: &str = "21111111-1111-4111-8111-111111111111";

/// The entries of an audit log.
pub(crate) fn entries(log: &Path) -> Vec<AuditEntry> {
    let text = std::fs::read_to_string(log).unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A server with an audit log, and with a user who may only read.
struct Audited {
    running: Running,
    log: PathBuf,
    viewer: String,
    /// The number of entries that a test has seen.
    seen: usize,
}

impl Audited {
    async fn start(script: Script) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("logs").join("audit");
        std::fs::create_dir(log.parent().unwrap()).unwrap();
        let file = folder.path().join("users.json");
        let viewer = Users::add(&file, NewUser::new("vi", Role::View)).unwrap();
        let users = Users::open(&file).unwrap();
        let audit = Audit::open(&log).unwrap();
        let change = |builder: claw_server::ServerBuilder| {
            let builder = builder.users(users).audit(audit);
            #[cfg(feature = "notify")]
            let builder = builder.may_push_to_loopback();
            builder.pool(Pool::builder().processes(1).build())
        };
        Self {
            running: Running::start_in(script, folder, change).await,
            log,
            viewer: viewer.expose().to_owned(),
            seen: 0,
        }
    }

    fn entries(&self) -> Vec<AuditEntry> {
        entries(&self.log)
    }

    /// The entries that were written since the last call.
    fn new_entries(&mut self) -> Vec<AuditEntry> {
        let new = self.entries().split_off(self.seen);
        self.seen += new.len();
        new
    }

    /// The single entry since the last call.
    fn one(&mut self) -> AuditEntry {
        let new = self.new_entries();
        let [one] = <[_; 1]>::try_from(new).unwrap_or_else(|new| panic!("{new:#?}"));
        one
    }

    /// A session that is only on disk.
    fn on_disk(&self) {
        let shop = self.running.folder.path().join("shop");
        transcript(&self.running, DISK, &shop.canonicalize().unwrap());
        let hub = self.running.server.hub();
        hub.refresh(&hub.sessions().find(DISK).unwrap());
    }

    /// Asks as the user who may only read.
    async fn as_viewer(&self, method: &str, path: &str, body: &Value) -> Response {
        let (host, token, body) = (self.running.address, &self.viewer, body.to_string());
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.running.raw(&request).await
    }
}

fn asks() -> Step {
    Step::message([Block::tool_use("Bash", json!({"command": "ls"}))])
}

/// The actions of which each request is one.
fn actions() -> BTreeSet<&'static str> {
    let routes = Server::routes().into_iter();
    let actions = routes.filter_map(|route| match route.recorded {
        Recorded::Request(action) => Some(action.name()),
        _ => None,
    });
    actions.collect()
}

#[tokio::test]
async fn a_request_that_is_refused_has_one_line_and_one_that_only_reads_has_none() {
    let mut audited = Audited::start(Script::reply("Hi.")).await;
    let host = audited.running.address;
    let headers = format!(
        "Host: {host}\r\nAuthorization: Bearer {}\r\n",
        audited.viewer
    );
    let mut refused = 0;
    for route in Server::routes() {
        let path = route.example_path("x");
        let what = format!("{} {path}", route.method);
        let status = bare(&audited.running, route.method.as_str(), &path, &headers).await;
        let Recorded::Request(action) = route.recorded else {
            assert_eq!(audited.new_entries(), [], "{what}");
            let is_changing = route.method != "GET" && route.path != "/rpc";
            assert!(!is_changing, "{what}");
            continue;
        };
        let entry = audited.one();
        assert_eq!(entry.action, action.name(), "{what}");
        if let Some(name) = route.name {
            assert_eq!(entry.action, name);
        }
        let has_session = route.path.contains("{id}");
        assert_eq!(entry.session.as_deref(), has_session.then_some("x"));
        if !route.is_open {
            let by = (entry.by, entry.user.as_deref());
            assert_eq!(by, (AuditSender::User, Some("vi")), "{what}");
        }
        let kind = entry.refused.as_ref().map(|refused| &*refused.kind);
        if route.role > Role::View {
            assert_eq!((status, kind), (403, Some("role")), "{what}");
            refused += 1;
        } else {
            assert_eq!(kind.is_some(), status >= 400, "{what}: {status} {entry:?}");
        }
    }
    assert!(refused > 10, "{refused}");
    audited.running.end().await;
}

/// A session's way through all that can be changed.
#[tokio::test]
async fn each_changing_route_has_one_line_for_what_is_done() {
    let found = || {
        Step::Reply(
            json!({"canRewind": true, "filesChanged": ["/x"], "insertions": 1, "deletions": 0}),
        )
    };
    let rewinds = || Step::expect_request("rewind_files");
    let started = json!({"type": "system", "subtype": "task_started", "uuid": "$uuid", "session_id": "$session_id",
        "task_id": "k1", "tool_use_id": "toolu_1", "description": "Search", "task_type": "local_agent"});
    let script = Script::new([
        Step::Turn(vec![
            Step::Line(started),
            asks(),
            Step::permission([Step::tool_result("7")], [Step::tool_error("no")]),
            Step::expect_request("stop_task"),
            Step::Reply(json!({})),
        ]),
        rewinds(),
        found(),
        rewinds(),
        found(),
        rewinds(),
        found(),
        Step::Turn(vec![Step::message([
            Block::text("I work.").hold(1, "worked")
        ])]),
        Step::gate("never"),
    ]);
    let mut audited = Audited::start(script).await;
    let mut done = BTreeSet::new();
    let mut check = |audited: &mut Audited, response: &Response| -> AuditEntry {
        assert!(
            (200..300).contains(&response.status),
            "{} {}",
            response.head,
            response.body
        );
        let entry = audited.one();
        assert_eq!(entry.refused, None, "{entry:?}");
        assert_eq!((entry.by, &entry.user), (AuditSender::Token, &None));
        assert!(entry.from.as_ref().unwrap().starts_with("127.0.0.1:"));
        done.insert(entry.action.clone());
        entry
    };
    macro_rules! ask {
        ($method:literal, $path:expr, $body:tt) => {{
            let response = audited.running.ask($method, $path, &json!($body)).await;
            check(&mut audited, &response)
        }};
    }

    let opened = ask!("POST", "/api/sessions", {"project": "shop", "title": "Count"});
    assert_eq!(opened.project.as_deref(), Some("shop"));
    let session = opened.session.unwrap();
    let at = |part: &str| format!("/api/sessions/{session}{part}");
    let view = audited.running.ask("GET", &at(""), &Value::Null).await;
    assert_eq!(view.json()["state"]["title"], "Count");
    let mut events = audited.running.events(&session, None).await;
    let token = audited.running.server.token().expose().to_owned();
    let text = format!("How many?\u{1b}[31m\n{token}{}", "é".repeat(2000));
    let prompt = ask!("POST", &at("/prompts"), {"text": text, "uuid": uuid(1)});
    let what = prompt.what.unwrap();
    assert!(what.starts_with("How many?\u{1b}[31m\n***é"), "{what}");
    let left = "How many?\u{1b}[31m\n***".chars().count();
    assert_eq!(
        (what.chars().count(), prompt.cut),
        (1000, Some(1000 + left))
    );
    let asked = events.until("request", |_| true).await;
    let request = asked.last().unwrap().data["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let allow = ask!("POST", &at(&format!("/requests/{request}")), {"decision": "allow"});
    assert_eq!(
        allow.what.as_deref(),
        Some(r#"allow: Bash(ls) {"command":"ls"}"#)
    );
    let stop = ask!("POST", &at("/tasks/k1/stop"), null);
    assert_eq!(stop.what.as_deref(), Some("k1"));
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let rewind = json!({"prompt": uuid(1)});
    let listed = audited.running.ask("POST", &at("/rewind"), &rewind).await;
    assert_eq!(audited.new_entries(), [], "{}", listed.body);
    let changes = listed.json()["changes"].clone();
    let rewound = ask!("POST", &at("/rewind"), {"prompt": uuid(1), "expect": changes});
    assert!(rewound.what.unwrap().contains("/x"));
    ask!("POST", &at("/prompts"), {"text": "Work"});
    soon(audited.running.agent.gates().reached("worked")).await;

    // There is no process for another session, so its second prompt waits.
    let other = ask!("POST", "/api/sessions", {"project": "shop"})
        .session
        .unwrap();
    let of_other = |part: &str| format!("/api/sessions/{other}{part}");
    for number in [2, 3] {
        ask!("POST", &of_other("/prompts"), {"text": "Hi.", "uuid": uuid(number)});
    }
    let mode = ask!("POST", &of_other("/settings"), {"mode": "plan"});
    assert_eq!(mode.what.as_deref(), Some(r#"{"mode":"plan"}"#));
    assert_eq!(mode.project.as_deref(), Some("shop"));
    let cancelled = of_other(&format!("/prompts/{}/cancel", uuid(3)));
    assert_eq!(ask!("POST", &cancelled, null).what, Some(uuid(3)));
    ask!("POST", &of_other("/close"), null);
    ask!("POST", &at("/interrupt"), null);
    ask!("POST", &at("/close"), null);

    audited.on_disk();
    let on_disk = format!("/api/sessions/{DISK}");
    let titled = ask!("PATCH", &on_disk, {"title": "Apples", "archived": true});
    assert_eq!(
        titled.what.as_deref(),
        Some(r#"{"title":"Apples","archived":true}"#)
    );
    assert_eq!(titled.project.as_deref(), Some("shop"));
    let forked = ask!("POST", &format!("{on_disk}/fork"), {"title": "Pears"});
    assert_eq!(forked.session.as_deref(), Some(DISK));
    let resumed = ask!("POST", "/api/sessions", {"resume": DISK});
    assert_eq!(resumed.session.as_deref(), Some(DISK));
    ask!("DELETE", &format!("{on_disk}?end=true"), null);

    let project = audited.running.folder.path().join("shop");
    crate::finish::prepare(&audited.running, &project.canonicalize().unwrap());
    let of_tree = format!("/api/sessions/{}/worktree", Transcript::ID);
    let question = json!({"action": "discard"});
    let answered = audited.running.ask("POST", &of_tree, &question).await;
    assert_eq!(audited.new_entries(), [], "{}", answered.body);
    let entry = ask!("POST", &of_tree, {"action": "commit", "message": "Two"});
    assert_eq!(
        entry.what.as_deref(),
        Some(r#"{"action":"commit","message":"Two"}"#)
    );
    assert_eq!(entry.project.as_deref(), Some("shop"));

    ask!("POST", "/api/logins", null);
    let link = audited.running.server.login_path();
    let logged_in = audited.running.follow(&link).await;
    check(&mut audited, &logged_in);
    let (host, cookie) = (audited.running.address, logged_in.cookie());
    let out = audited.running.raw(&format!(
        "POST /logout HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n{KEY}Content-Length: 0\r\nConnection: close\r\n\r\n"
    )).await;
    check(&mut audited, &out);
    let link_of_user = format!("/login/{}", audited.viewer);
    assert_eq!(audited.running.follow(&link_of_user).await.status, 204);
    let entry = audited.one();
    assert_eq!(
        (entry.by, entry.user.as_deref(), &*entry.action),
        (AuditSender::User, Some("vi"), "logIn")
    );
    #[cfg(feature = "notify")]
    {
        let endpoint = "http://127.0.0.1:9/secret-address";
        let device = crate::push::Device::new().subscription(endpoint);
        let new = ask!("POST", "/push/subscribe", {"subscription": device});
        assert_eq!(new.what.as_deref(), Some("127.0.0.1"));
        ask!("POST", "/push/unsubscribe", {"endpoint": endpoint});
    }
    let expected = actions().into_iter().map(str::to_owned).collect();
    assert_eq!(done, expected);

    let text = std::fs::read_to_string(&audited.log).unwrap();
    let code = link.rsplit('/').next().unwrap();
    let (_, cookie) = cookie.split_once('=').unwrap();
    for secret in [&*token, &audited.viewer, code, cookie, "secret-address"] {
        assert!(!text.contains(secret), "{secret}");
    }
    assert!(!text.contains('\u{1b}'));
    let ids: BTreeSet<_> = audited.entries().into_iter().map(|it| it.id).collect();
    assert_eq!(ids.len(), audited.seen);
    audited.running.end().await;
}

#[tokio::test]
async fn messages_and_calls_have_lines_and_a_late_answer_has_two() {
    let script = Script::new([Step::Turns(vec![
        asks(),
        Step::permission([Step::tool_result("7")], [Step::tool_error("no")]),
    ])]);
    let mut audited = Audited::start(script).await;
    let session = audited.running.session().await;
    audited.one();
    let text = json!({"session_id": session, "text": "By JSON-RPC."});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": text});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "session/list", "params": {}});
    let mut events = audited.running.events(&session, None).await;
    let batch = json!([list, call]);
    let sent = audited.running.ask("POST", "/rpc", &batch).await;
    assert_eq!(sent.status, 200, "{}", sent.body);
    let entry = audited.one();
    assert_eq!(
        (&*entry.action, entry.what.as_deref(), &entry.refused),
        ("sendPrompt", Some("By JSON-RPC."), &None)
    );
    let refused = audited.as_viewer("POST", "/rpc", &call).await;
    assert_eq!(refused.json()["error"]["data"]["kind"], "role");
    let entry = audited.one();
    assert_eq!(entry.refused.unwrap().kind, "role");
    assert_eq!(
        (entry.user.as_deref(), entry.session.as_ref()),
        (Some("vi"), Some(&session))
    );

    let asked = events.until("request", |_| true).await;
    let request = asked.last().unwrap().data["id"].as_str().unwrap();
    let bearer = format!("Bearer {}", audited.viewer);
    let viewer = connect(&audited.running, &session, &[("authorization", bearer)]).await;
    let mut viewer = viewer.unwrap();
    let mut owner = connect(
        &audited.running,
        &session,
        &[crate::socket::token(&audited.running)],
    )
    .await
    .unwrap();
    assert_eq!(audited.new_entries(), []);
    let answer = json!({"type": "permission_answer", "requestId": request, "answer": {"decision": "deny", "message": "No."}});
    for message in [
        answer.clone(),
        json!({"type": "prompt", "text": "Hi."}),
        json!({"type": "interrupt"}),
    ] {
        say(&mut viewer, &message).await;
        heard(&mut viewer, "error").await;
        let entry = audited.one();
        assert_eq!(entry.refused.unwrap().kind, "role", "{message}");
    }
    say(&mut owner, &answer).await;
    heard(&mut owner, "permission_resolved").await;
    let entry = audited.one();
    assert_eq!(
        (entry.what.as_deref(), entry.refused),
        (
            Some(r#"deny {"message":"No."}: Bash(ls) {"command":"ls"}"#),
            None
        )
    );
    // The request is answered already: the decision was recorded, and then refused.
    say(&mut owner, &answer).await;
    heard(&mut owner, "error").await;
    let two = audited.new_entries();
    assert_eq!(two.len(), 2, "{two:?}");
    assert_eq!((&two[0].id, &two[0].refused), (&two[1].id, &None));
    assert_eq!(two[1].refused.as_ref().unwrap().kind, "answered");
    // A message that is none is no action.
    say(&mut owner, &json!({"type": "nonsense"})).await;
    heard(&mut owner, "error").await;
    assert_eq!(audited.new_entries(), []);
    drop((owner, viewer));
    audited.running.end().await;
}

/// A request that names a session and also a project: the session determines the project of the line.
#[tokio::test]
async fn the_project_of_a_line_is_that_of_the_session_and_no_other_name() {
    let mut audited = Audited::start(Script::reply("Hi.")).await;
    audited.on_disk();
    for project in ["nosuch", "shop"] {
        let both = json!({"project": project, "resume": DISK});
        let resumed = audited.running.ask("POST", "/api/sessions", &both).await;
        assert!(resumed.status < 300, "{}", resumed.body);
        let entry = audited.one();
        assert_eq!(entry.project.as_deref(), Some("shop"));
        assert_eq!(entry.session.as_deref(), Some(DISK));
    }
    let none = json!({"project": "nosuch"});
    let refused = audited.running.ask("POST", "/api/sessions", &none).await;
    assert!(refused.status >= 400, "{}", refused.body);
    let entries = audited.new_entries();
    assert!(!entries.is_empty());
    assert!(
        entries.iter().all(|entry| entry.project.is_none()),
        "{entries:?}"
    );
    audited.running.end().await;
}

/// A request is refused before its session is read.
#[tokio::test]
async fn the_line_of_a_refused_request_has_the_project_of_its_session() {
    let mut audited = Audited::start(Script::reply("Hi.")).await;
    audited.on_disk();
    let path = format!("/api/sessions/{DISK}/prompts");
    let prompt = json!({"text": "Hi."});
    let refused = audited.as_viewer("POST", &path, &prompt).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    let entry = audited.one();
    assert_eq!(entry.refused.unwrap().kind, "role");
    assert_eq!(entry.project.as_deref(), Some("shop"));
    audited.running.end().await;
}

/// A hook refuses a commit after the client has closed its connection.
#[cfg(unix)]
#[tokio::test]
async fn what_is_refused_after_the_client_has_left_has_its_line() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpStream;

    let mut audited = Audited::start(Script::reply("Hi.")).await;
    let project = audited.running.folder.path().join("shop");
    let project = project.canonicalize().unwrap();
    crate::finish::prepare(&audited.running, &project);
    let hook = project.join(".git/hooks/pre-commit");
    let goes = project.with_file_name("goes");
    let made = Command::new("mkfifo").arg(&goes).status().unwrap();
    assert!(made.success());
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(
        &hook,
        format!("#!/bin/sh\ncat {}\nexit 1\n", goes.display()),
    )
    .unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();

    let body = json!({"action": "commit", "message": "Two"}).to_string();
    let path = format!("/api/sessions/{}/worktree", Transcript::ID);
    let head = audited.running.head("POST", &path);
    let length = body.len();
    let request =
        format!("{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}");
    let mut client = TcpStream::connect(audited.running.address).await.unwrap();
    client.write_all(request.as_bytes()).await.unwrap();
    // The pipe can be opened when the hook reads from it.
    let opened = tokio::task::spawn_blocking(move || fs::File::options().write(true).open(goes));
    let goes = soon(opened).await.unwrap().unwrap();
    assert_eq!(audited.one().refused, None);
    drop(client);
    let is_gone = async {
        loop {
            let metrics = audited.running.ask("GET", "/metrics", &Value::Null).await;
            // The connection of this request is the only one.
            if metrics.body.contains("\nclaw_connections 1\n") {
                break;
            }
        }
    };
    soon(is_gone).await;
    drop(goes);
    let refused = async {
        loop {
            if let [entry] = &*audited.new_entries() {
                break entry.clone();
            }
            tokio::task::yield_now().await;
        }
    };
    let entry = soon(refused).await;
    assert_eq!(entry.action, "finishWorktree");
    assert!(entry.refused.is_some(), "{entry:?}");
    audited.running.end().await;
}

/// A log that cannot be written: nothing is done.
#[tokio::test]
async fn what_cannot_be_recorded_is_refused_and_not_done() {
    let script = Script::new([Step::Turns(vec![
        asks(),
        Step::permission([Step::tool_result("7")], [Step::tool_error("no")]),
    ])]);
    let audited = Audited::start(script).await;
    let running = &audited.running;
    audited.on_disk();
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "How many?").await;
    let asked = events.until("request", |_| true).await;
    let request = asked.last().unwrap().data["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let bearer = crate::socket::token(running);
    let mut socket = connect(running, &session, &[bearer]).await.unwrap();
    let link = running.server.login_path();
    // No file can be opened by the name of a folder, also not by root.
    let moved = audited.log.with_file_name("audit.1");
    std::fs::rename(&audited.log, &moved).unwrap();
    std::fs::create_dir(&audited.log).unwrap();

    let at = |part: &str| format!("/api/sessions/{session}{part}");
    let on_disk = format!("/api/sessions/{DISK}");
    let answer = at(&format!("/requests/{request}"));
    for (method, path, body) in [
        ("POST", "/api/sessions", json!({"project": "shop"})),
        ("POST", "/api/sessions", json!({"resume": DISK})),
        ("POST", &at("/prompts"), json!({"text": "More"})),
        ("POST", &answer, json!({"decision": "allow"})),
        ("POST", &at("/settings"), json!({"mode": "plan"})),
        ("POST", &at("/interrupt"), Value::Null),
        ("POST", &at("/close"), Value::Null),
        ("PATCH", &on_disk, json!({"title": "Apples"})),
        ("POST", &format!("{on_disk}/fork"), json!({})),
        ("DELETE", &on_disk, Value::Null),
        ("POST", "/api/logins", Value::Null),
    ] {
        let refused = running.ask(method, path, &body).await;
        let error = &refused.json()["error"];
        assert_eq!(
            (refused.status, &error["kind"]),
            (500, &json!("unrecorded")),
            "{method} {path}"
        );
    }
    say(&mut socket, &json!({"type": "interrupt"})).await;
    assert_eq!(heard(&mut socket, "error").await["kind"], "unrecorded");
    assert_eq!(running.follow(&link).await.status, 500);
    // Reading needs no log. It shows that the refused actions have changed nothing.
    let state = running.ask("GET", &at(""), &Value::Null).await.json();
    assert_eq!(state["state"]["phase"], "asking");
    assert_ne!(state["state"]["mode"], "plan");
    assert_eq!(state["requests"][0]["id"], *request);
    let live = running.ask("GET", "/api/live", &Value::Null).await.json();
    assert_eq!(live.as_array().unwrap().len(), 1, "{live}");
    let list = running.ask("GET", "/api/sessions", &Value::Null).await;
    assert!(list.body.contains(DISK), "{}", list.body);
    assert!(!list.body.contains("Apples"), "{}", list.body);

    // With room again, the link and the request are still good.
    std::fs::remove_dir(&audited.log).unwrap();
    assert_eq!(running.follow(&link).await.status, 204);
    let allow = json!({"decision": "allow"});
    assert_eq!(running.ask("POST", &answer, &allow).await.status, 200);
    let actions: Vec<_> = audited.entries().into_iter().map(|it| it.action).collect();
    assert_eq!(actions, ["logIn", "answerRequest"]);
    let before = std::fs::read_to_string(&moved).unwrap();
    assert_eq!(before.lines().count(), 2, "{before}");
    drop(socket);
    audited.running.end().await;
}

/// What somebody writes into a request so that the log has something else than what was done.
#[tokio::test]
async fn no_request_forges_a_line_or_fills_the_disk_without_credentials() {
    let mut audited = Audited::start(Script::reply("Hi.")).await;
    let session = audited.running.session().await;
    audited.one();
    let host = audited.running.address;
    let post = async |running: &Running, path: &str, headers: &str| {
        bare(running, "POST", path, &format!("Host: {host}\r\n{headers}")).await
    };
    let path = format!("/api/sessions/{session}/close");
    // A wrong token, with an address that the client claims to have.
    let wrong = "Authorization: Bearer wrong-token-of-a-thief\r\nX-Claw-From: 1.2.3.4:5\r\nX-Forwarded-For: 9.9.9.9\r\nX-Claw-Viewer: vi\r\n";
    assert_eq!(post(&audited.running, &path, wrong).await, 401);
    let entry = audited.one();
    assert_eq!(
        (entry.by, &entry.user, &*entry.action),
        (AuditSender::Unknown, &None, "access")
    );
    assert!(entry.from.unwrap().starts_with("127.0.0.1:"));
    assert_eq!(entry.forwarded.as_deref(), Some("9.9.9.9"));
    assert_eq!(entry.what, Some(format!("POST {path}")));
    assert_eq!(entry.refused.unwrap().kind, "unauthorized");
    // A page of another site.
    let token = format!("Authorization: Bearer {}\r\n", audited.viewer);
    let foreign = format!("{token}Origin: http://evil.example\r\n");
    assert_eq!(post(&audited.running, &path, &foreign).await, 403);
    assert_eq!(audited.one().refused.unwrap().kind, "forbidden");
    // The code of a link is a secret even where the page is another one.
    let code = format!("/login/{}", audited.viewer);
    assert_eq!(post(&audited.running, &code, &foreign).await, 403);
    assert_eq!(audited.one().what.as_deref(), Some("POST /login/…"));
    // Nor is the path of any other misspelled link recorded.
    for path in [
        "/Login",
        "/%6cogin",
        "/login/x",
        "/login%2F",
        "/api/logins",
        "",
    ] {
        let misspelled = format!("{path}/{}", audited.viewer);
        let status = post(&audited.running, &misspelled, &foreign).await;
        assert_eq!(status, 403, "{misspelled}");
        assert_eq!(audited.one().what.as_deref(), Some("POST /…"), "{path}");
    }
    // A header in which a line would end does not reach the server, and an ID with one is escaped.
    let line = "/api/sessions/x%0A%7B%22by%22:%22token%22%7D/close";
    let status = post(&audited.running, line, &token).await;
    assert_eq!(status, 403);
    let entry = audited.one();
    assert_eq!(entry.session.as_deref(), Some("x\n{\"by\":\"token\"}"));
    let long = format!("/api/sessions/{}/close", "x".repeat(5000));
    assert_eq!(post(&audited.running, &long, &token).await, 403);
    assert_eq!(audited.one().session.unwrap().chars().count(), 201);
    // Wrong login links have 60 lines a minute. The log has the number of the others.
    for _ in 0..100 {
        assert_eq!(post(&audited.running, "/login/guess", KEY).await, 403);
    }
    let guesses = audited.new_entries();
    assert_eq!(guesses.len(), 60 - 9, "{guesses:?}");
    let is_guess = |entry: &AuditEntry| {
        let refused = entry.refused.as_ref().unwrap();
        (&*entry.action, &*refused.kind) == ("logIn", "forbidden") && entry.what.is_none()
    };
    assert!(guesses.iter().all(is_guess), "{guesses:?}");
    audited.running.session().await;
    let two = audited.new_entries();
    assert_eq!(two[0].action, Action::LeftOut.name());
    let what = two[0].what.as_ref().unwrap();
    assert!(what.starts_with("49 refused"), "{what}");
    assert_eq!(two[1].action, "openSession");
    let text = std::fs::read_to_string(&audited.log).unwrap();
    for secret in ["wrong-token", &audited.viewer, "guess"] {
        assert!(!text.contains(secret), "{secret}");
    }
    audited.running.end().await;
}
