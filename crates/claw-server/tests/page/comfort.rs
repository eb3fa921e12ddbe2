//! What makes the page comfortable, in Chromium: a server with many sessions on disk and a scripted agent that goes on
//! with them, and `comfort.mjs`.

use std::fmt::Write as _;
use std::path::Path as FilePath;

use claw_client::Session;
use claw_server::{Project, Server};
use claw_sessions::Sessions;
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::director::directed;
use crate::run;

/// How many sessions are on disk. A page of a list has 50.
const SESSIONS: usize = 120;

/// A text with code in a language that is known, in one that is not, and in none.
const CODE: &str = "Three blocks:\n\n```rust\n/// The time.\nfn now() -> u64 {\n    let text = \"<b>12</b>\"; // noon\n    \
    text.len() as u64 + 7\n}\n```\n\n```nosuch\nlet plain = 1;\n```\n\n```ts\nconst clock: string = `at ${now()}`;\n```\n";

#[tokio::test(flavor = "multi_thread")]
async fn comfort_in_chromium() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config");
    let mut builder = Server::builder().sessions(Sessions::new(&config));
    for name in ["clock", "shop"] {
        let project = folder.path().join(name);
        std::fs::create_dir(&project).unwrap();
        builder = builder.project(Project::new(&project).unwrap());
    }
    for number in 0..SESSIONS {
        let project = folder
            .path()
            .join(if number % 3 == 0 { "shop" } else { "clock" });
        transcript(&config, &project.canonicalize().unwrap(), number);
    }
    let agent = Agent::new(script());
    let of_session = agent.clone();
    let server = builder
        .session(move |options| Session::builder(options).transport(of_session.clone()))
        .build()
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = server.clone();
    tokio::spawn(async move { serving.serve(listener, std::future::pending()).await });
    let director = directed(server, agent).await;
    run("page.mjs", address, director, &["comfort"]).await;
}

/// The turns of each session: it asks first, and then it shows code.
fn script() -> Script {
    let says = |text: &str| Step::message([Block::text(text)]);
    let growing = "```rust\nfn grows() {}\n// more\n```\n\nIt is closed.";
    Script::new([
        Step::Turn(vec![
            Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
            Step::permission([Step::tool_result("one")], []),
            says("Asked enough."),
        ]),
        Step::Turn(vec![Step::message([Block::text(growing).hold(3, "grown")])]),
        Step::Turns(vec![says("It is heard.")]),
    ])
}

/// Writes a session of two lines. Of two sessions, the one with the lower number is newer.
fn transcript(config: &FilePath, project: &FilePath, number: usize) {
    let folder = config.join("projects").join(claw_sessions::slug(project));
    std::fs::create_dir_all(&folder).unwrap();
    let id = format!("20000000-0000-4000-8000-{number:012}");
    let age = std::time::Duration::from_secs(60 * (number as u64 + 1));
    let written = std::time::SystemTime::now() - age;
    let time = jiff::Timestamp::try_from(written).unwrap();
    let time = time.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string();
    let line = |place: usize, parent: Value, kind: &str, message: &Value| {
        json!({"type": kind, "uuid": format!("b{place:07}-0000-4000-8000-{number:012}"), "parentUuid": parent,
            "sessionId": id, "cwd": project, "timestamp": time, "gitBranch": "main",
            "isSidechain": false, "userType": "external", "version": "2.1.330", "message": message})
    };
    let prompt = json!({"role": "user", "content": format!("Prompt of session {number}")});
    let asked = line(0, Value::Null, "user", &prompt);
    let said = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": CODE}], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 3, "output_tokens": 4}});
    let answered = line(1, asked["uuid"].clone(), "assistant", &said);
    let mut text = String::new();
    let _ = writeln!(text, "{asked}\n{answered}");
    let path = folder.join(format!("{id}.jsonl"));
    std::fs::write(&path, text).unwrap();
    let file = std::fs::File::options().append(true).open(&path).unwrap();
    file.set_modified(written).unwrap();
}
