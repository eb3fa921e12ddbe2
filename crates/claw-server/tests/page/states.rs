//! A server that ends in the middle of a turn and is started again, for `states.mjs`: what was cut, what a compaction leaves,
//! and a usage limit that was reached.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::extract::{Path, State};
use axum::routing::post;
use axum::{Json, Router};
use claw_client::Session;
use claw_client::pool::Pool;
use claw_server::{Project, Server, Token};
use claw_sessions::Sessions;
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, oneshot};
use tokio::task::JoinHandle;

use crate::run;

/// A session on the disk that was compacted.
const COMPACTED: &str = "30000000-0000-4000-8000-000000000001";

struct Stage {
    folder: TempDir,
    address: SocketAddr,
    running: Mutex<Option<Running>>,
}

/// A server that runs, with its agent.
struct Running {
    server: Server,
    agent: Agent,
    end: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_cut_compacted_or_limited_in_chromium() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["inn", "mill", "shop"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    compacted(folder.path());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stage = Arc::new(Stage {
        folder,
        address: listener.local_addr().unwrap(),
        running: Mutex::default(),
    });
    // Its turns end when the server does. There is one process, so that a second prompt waits.
    let half = Step::message([Block::text("Half of it.").hold(1, "half")]);
    let script = Script::new([Step::Turns(vec![half])]);
    *stage.running.lock().await = Some(stage.serve(listener, script));
    let directing = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let director = directing.local_addr().unwrap();
    let router = Router::new().route("/{what}", post(direct));
    let router = router.with_state(stage.clone());
    tokio::spawn(async move { axum::serve(directing, router).await });
    run("page.mjs", stage.address, director, &["states"]).await;
}

impl Stage {
    fn serve(&self, listener: TcpListener, script: Script) -> Running {
        let root = self.folder.path();
        let (agent, inn) = (Agent::new(script), Agent::new(limited()));
        let of_session = agent.clone();
        let ends = [Step::message([Block::text("Half of it.")]), Step::Exit(3)];
        let mill = Agent::new(Script::new([Step::Turn(ends.into())]));
        let token = Token::new("the-same-at-each-start").unwrap();
        let builder = Server::builder()
            .project(Project::new(root.join("shop")).unwrap())
            .project(Project::new(root.join("inn")).unwrap())
            .project(Project::new(root.join("mill")).unwrap())
            .sessions(Sessions::new(root.join("config")))
            .token(token)
            .pool(Pool::builder().processes(1).build())
            .limits(|limits| limits.limit_wait = Some(Duration::from_hours(24)))
            .connections(|connections| connections.finish = Duration::ZERO)
            .session(move |options| {
                let is_in = |name| options.cwd.as_ref().is_some_and(|it| it.ends_with(name));
                let others = if is_in("mill") { &mill } else { &of_session };
                let agent = if is_in("inn") { &inn } else { others };
                Session::builder(options).transport(agent.clone())
            });
        let server = builder.build().unwrap();
        let (end, ended) = oneshot::channel();
        let serving = server.clone();
        let task = tokio::spawn(async move {
            let ended = async { drop(ended.await) };
            serving.serve(listener, ended).await.unwrap();
        });
        Running {
            server,
            agent,
            end,
            served: task,
        }
    }

    /// Ends the server, and starts another one at the same address, whose agent answers.
    async fn restart(&self) {
        let mut running = self.running.lock().await;
        let before = running.take().unwrap();
        before.end.send(()).unwrap();
        before.served.await.unwrap();
        drop(before.server);
        let listener = TcpListener::bind(self.address).await.unwrap();
        *running = Some(self.serve(listener, Script::reply("It goes on.")));
    }
}

/// What the script wants.
async fn direct(
    State(stage): State<Arc<Stage>>,
    Path(what): Path<String>,
    Json(_): Json<Value>,
) -> Json<Value> {
    if what == "restart" {
        stage.restart().await;
        return Json(Value::Null);
    }
    let running = stage.running.lock().await;
    let running = running.as_ref().unwrap();
    Json(match &*what {
        "login" => json!(running.server.login_path()),
        "received" => Value::from(running.agent.received()),
        _ => panic!("nobody can {what}"),
    })
}

/// A turn that ends at a limit, which is reset in two hours.
fn limited() -> Script {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap();
    let info = json!({"status": "rejected", "resetsAt": now.as_secs() + 7200, "rateLimitType": "five_hour",
        "isUsingOverage": false});
    Script::new([Step::Turns(vec![
        Step::Line(
            json!({"type": "rate_limit_event", "rate_limit_info": info, "uuid": "$uuid",
            "session_id": "$session_id"}),
        ),
        Step::api_failure(429, "rate_limit", "You've hit your limit"),
    ])])
}

/// Writes a session with a compaction in its middle.
fn compacted(root: &FilePath) {
    let project = root.join("shop").canonicalize().unwrap();
    let folder = root.join("config/projects");
    let folder = folder.join(claw_sessions::slug(&project));
    std::fs::create_dir_all(&folder).unwrap();
    let user = |text: &str| json!({"role": "user", "content": text});
    let says = |text: &str| {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 3, "output_tokens": 4}})
    };
    let summary = "This session is being continued from a previous conversation that ran out of context. The apples were counted.";
    let lines = [
        json!({"type": "user", "message": user("Count the apples")}),
        json!({"type": "assistant", "message": says("There are seven.")}),
        json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "level": "info",
            "compactMetadata": {"trigger": "auto", "preTokens": 180_000, "postTokens": 9_000}}),
        json!({"type": "user", "isCompactSummary": true, "isVisibleInTranscriptOnly": true, "message": user(summary)}),
        json!({"type": "assistant", "message": says("And now the pears.")}),
    ];
    let mut text = String::new();
    let mut parent = Value::Null;
    for (n, mut line) in lines.into_iter().enumerate() {
        let uuid = json!(format!("c{n:07}-0000-4000-8000-000000000000"));
        for (name, value) in [
            ("parentUuid", parent),
            ("uuid", uuid.clone()),
            ("sessionId", json!(COMPACTED)),
            ("cwd", json!(project)),
            ("timestamp", json!(format!("2026-11-28T12:00:0{n}.000Z"))),
            ("isSidechain", json!(false)),
            ("userType", json!("external")),
            ("version", json!("2.1.332")),
        ] {
            line[name] = value;
        }
        parent = uuid;
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{line}");
    }
    std::fs::write(folder.join(format!("{COMPACTED}.jsonl")), text).unwrap();
}
