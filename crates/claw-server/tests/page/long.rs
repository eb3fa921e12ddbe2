//! A conversation of ten thousand elements in Chromium: a server with a transcript on disk and a scripted agent that goes
//! on with it, and `long.mjs`, which reads and finds in it.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::path::Path as FilePath;

use claw_client::Session;
use claw_server::{Project, Server};
use claw_sessions::Sessions;
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::director::directed;
use crate::run;

const ID: &str = "10000000-0000-4000-8000-000000000000";
/// A prompt, a text, a command with its result and a change of a file with its result, so often.
const ROUNDS: usize = 1667;

#[tokio::test(flavor = "multi_thread")]
async fn a_long_conversation_in_chromium() {
    let (_folder, address, director) = start().await;
    run("long.mjs", address, director, &[ID]).await;
}

/// Starts the server. Returns its folder, its address and that of the director's routes.
async fn start() -> (TempDir, SocketAddr, SocketAddr) {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("long");
    std::fs::create_dir(&project).unwrap();
    let config = folder.path().join("config");
    transcript(&config, &project.canonicalize().unwrap());
    let agent = Agent::new(script());
    let of_session = agent.clone();
    let server = Server::builder()
        .sessions(Sessions::new(config))
        .project(Project::new(&project).unwrap())
        .session(move |options| Session::builder(options).transport(of_session.clone()))
        .build()
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = server.clone();
    tokio::spawn(async move { serving.serve(listener, std::future::pending()).await });
    (folder, address, directed(server, agent).await)
}

/// The turns of `long.mjs`, one after the other.
fn script() -> Script {
    let says = |text: &str| Step::message([Block::text(text)]);
    let bash =
        |command: &str| Step::message([Block::tool_use("Bash", json!({"command": command}))]);
    let busy = vec![bash("true"), Step::tool_result("ok")];
    Script::new([
        Step::Turn(vec![says("Far below the reader.")]),
        Step::Turn(vec![
            bash("sleep 100"),
            Step::gate("slept"),
            Step::tool_result("It has slept."),
            says("That was long."),
        ]),
        Step::Turn(vec![Step::message([Block::text(
            "Half of it, and **the other half**.",
        )
        .hold(4, "half")])]),
        Step::Turn(vec![says("After the connection came back.")]),
        Step::Turn(vec![Step::repeat(300, busy), says("Very busy.")]),
    ])
}

/// Writes the transcript of the session.
fn transcript(config: &FilePath, project: &FilePath) {
    let folder = config.join("projects").join(claw_sessions::slug(project));
    std::fs::create_dir_all(&folder).unwrap();
    let mut lines = Lines {
        cwd: project.display().to_string(),
        ..Lines::default()
    };
    for round in 0..ROUNDS {
        lines.user(&json!(format!(
            "Prompt {round}: what is in the file of today?"
        )));
        let needle = match round {
            42 => " It has a *needle* in it.",
            _ if round % 500 == 250 => " A thimble is beside it.",
            _ => "",
        };
        lines.assistant(&json!({"type": "text", "text": format!(
            "Of **{round} lines** one is *new*.{needle}\n\n- first\n- second\n\n```rust\nlet now = {round};\n```")}));
        let command =
            json!({"command": format!("grep -n {round} today.txt"), "description": "Look for it"});
        let output: String = (0..30).fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{round}: line {line}");
            text
        });
        lines.tool("Bash", &command, &output);
        let edit = json!({"file_path": "/work/project/today.txt", "old_string": format!("{round}\n"),
            "new_string": format!("{}\n", round + 1)});
        lines.tool("Edit", &edit, "The file has been updated.");
    }
    std::fs::write(folder.join(format!("{ID}.jsonl")), lines.text).unwrap();
}

/// The lines of a transcript.
#[derive(Default)]
struct Lines {
    text: String,
    cwd: String,
    count: usize,
}

impl Lines {
    fn line(&mut self, kind: &str, message: &Value) {
        let uuid = |number: usize| format!("a0000000-0000-4000-8000-{number:012}");
        let parent = self.count.checked_sub(1).map(uuid);
        let line = json!({"type": kind, "uuid": uuid(self.count), "parentUuid": parent, "sessionId": ID,
            "cwd": self.cwd, "timestamp": "2026-01-01T00:00:00.000Z", "gitBranch": "main", "isSidechain": false,
            "userType": "external", "version": "2.1.330", "message": message});
        self.count += 1;
        let _ = writeln!(self.text, "{line}");
    }

    fn user(&mut self, content: &Value) {
        self.line("user", &json!({"role": "user", "content": content}));
    }

    fn assistant(&mut self, block: &Value) {
        let id = format!("msg_{}", self.count);
        let message = json!({"id": id, "type": "message", "role": "assistant", "model": "m", "content": [block],
            "stop_reason": "end_turn", "stop_sequence": null, "usage": {"input_tokens": 3, "output_tokens": 4}});
        self.line("assistant", &message);
    }

    fn tool(&mut self, name: &str, input: &Value, result: &str) {
        let id = format!("toolu_{}", self.count);
        self.assistant(&json!({"type": "tool_use", "id": id, "name": name, "input": input}));
        self.user(&json!([{"type": "tool_result", "tool_use_id": id, "content": result}]));
    }
}
