//! The real CLI resumes a session whose directory was moved. The CLI runs against the scripted Messages API.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use claw_client::Session;
use claw_client::types::message::UserMessage;
use claw_client::types::options::PermissionMode;
use claw_client::types::{Map, QueryOptions};
use claw_sessions::{Sessions, real_path, slug};
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, ApiRequest, Rule, Scenario};
use serde_json::json;

/// A folder with a home and a working directory.
struct Place {
    api: Api,
    path: PathBuf,
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_mins(1), future)
        .await
        .expect("took over a minute")
}

impl Place {
    fn options(&self, home: &str, work: &str) -> QueryOptions {
        let mut env = Map::default();
        for (name, value) in self.api.env() {
            env.insert(name, Some(value));
        }
        let home = self.path.join(home).display().to_string();
        for name in ["HOME", "USERPROFILE"] {
            env.insert(name, Some(home.clone()));
        }
        QueryOptions::default()
            .env(env)
            .cwd(self.path.join(work))
            .enable_file_checkpointing(true)
            .permission_mode(PermissionMode::AcceptEdits)
            .path_to_claude_code_executable(claw_testkit::claude().unwrap())
    }

    /// Continues the newest session of a directory, as `claude --continue` does, and returns what the model was sent.
    async fn goes_on(&self, home: &str, work: &str) -> (Session, ApiRequest) {
        let options = self.options(home, work).continue_session(true);
        let session = soon(Session::builder(options).connect()).await.unwrap();
        ask(&session, UserMessage::prompt("And now?")).await;
        (session, self.api.requests().pop().unwrap())
    }
}

async fn ask(session: &Session, prompt: UserMessage) {
    let turn = soon(session.send(prompt)).await.unwrap();
    soon(turn.result()).await.unwrap();
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            copy(&from, &to);
        } else if kind.is_file() {
            fs::copy(from, to).unwrap();
        }
    }
}

#[tokio::test]
async fn a_moved_session_goes_on_in_the_new_place_and_takes_files_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = real_path(folder.path()).unwrap();
    for name in ["home", "work"] {
        fs::create_dir(path.join(name)).unwrap();
    }
    let (kept, written) = (path.join("work/kept.txt"), path.join("work/new.txt"));
    fs::write(&kept, "old\n").unwrap();
    let read = Block::tool_use("Read", json!({"file_path": kept}));
    let write = |file: &Path| {
        let input = json!({"file_path": file, "content": "new\n"});
        Block::tool_use("Write", input)
    };
    let scenario = Scenario::new(
        "moved",
        [
            Rule::new(Answer::message([write(&kept), write(&written)]))
                .on_tool_result("")
                .times(1),
            Rule::new(Answer::message([Block::text("Written.")])).on_tool_result(""),
            Rule::new(Answer::message([read])).on_prompt("Write it."),
            Rule::new(Answer::message([Block::text("Nothing.")])),
        ],
    );
    let api = Api::start(scenario).await.unwrap();
    let place = Place { api, path };
    let builder = Session::builder(place.options("home", "work"));
    let session = soon(builder.connect()).await.unwrap();
    let prompt = UserMessage::prompt("Write it.");
    let id = prompt.uuid.clone().unwrap();
    ask(&session, prompt).await;
    assert_eq!(fs::read_to_string(&kept).unwrap(), "new\n");
    assert!(written.exists());

    // While the CLI runs, its session stays.
    let (old, new) = (place.path.join("work"), place.path.join("elsewhere/moved"));
    let sessions = Sessions::new(place.path.join("home/.claude"));
    let relocation = sessions.relocation(&old, &new);
    let while_it_runs = relocation.run().unwrap();
    let [directory] = &while_it_runs.directories[..] else {
        panic!("{while_it_runs:?}")
    };
    assert!(directory.sessions.is_empty());
    let reason = directory.left[0].reason.to_string();
    assert!(reason.starts_with("claude runs with it"), "{directory:?}");
    soon(session.close()).await.unwrap();

    copy(&place.path.join("home"), &place.path.join("unmoved"));
    let (session, unmoved) = place.goes_on("unmoved", "work").await;
    soon(session.close()).await.unwrap();

    fs::create_dir(place.path.join("elsewhere")).unwrap();
    fs::rename(&old, &new).unwrap();
    let relocated = relocation.run().unwrap();
    let directory = &relocated.directories[0];
    assert_eq!(directory.sessions.len(), 1);
    assert!(directory.left.is_empty(), "{directory:?}");
    assert!(!sessions.projects().join(slug(&old)).exists());
    let (session, moved) = place.goes_on("home", "elsewhere/moved").await;
    let (before, after) = (unmoved.messages(), moved.messages());
    // All that the model was sent before, and where it is now.
    assert!(before.len() > 6, "{before:?}");
    assert_eq!(after[..before.len()], before);
    let directory = json!(json!(new).to_string()).to_string();
    let directory = directory.trim_matches(['"', '\\']);
    // CLI 2.1.200 does not name the directory to the model.
    let is_named = unmoved.body.to_string().contains("working directory: ");
    let is_new_named = moved.body.to_string().contains(directory);
    assert_eq!(is_new_named, is_named, "{moved:?}");
    assert!(!unmoved.body.to_string().contains(directory), "{unmoved:?}");

    let rewound = soon(session.rewind_files(id)).await.unwrap();
    assert!(rewound.can_rewind, "{rewound:?}");
    let kept = new.join("kept.txt");
    assert_eq!(fs::read_to_string(kept).unwrap(), "old\n");
    assert!(!new.join("new.txt").exists());
    soon(session.close()).await.unwrap();
}
