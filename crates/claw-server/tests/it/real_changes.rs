//! The real CLI: what it changes, and its worktrees.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use claw_client::store::MemoryStore;
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, Rule, Scenario};
use serde_json::{Value, json};

use crate::client::Running;
use crate::real_cli::{start, start_with};
use crate::worktrees::{git, repository};

/// Answers of the model, one after the other: uses of tools, and then a text.
pub(crate) fn turn(prompt: &str, uses: Vec<(&str, Value)>) -> Vec<Rule> {
    let uses = uses.into_iter().map(|(name, input)| {
        let answer = Answer::message([Block::tool_use(name, input)]);
        Rule::new(answer).on_prompt(prompt).times(1)
    });
    let text = Answer::message([Block::text("Done.")]);
    uses.chain([Rule::new(text).on_prompt(prompt)]).collect()
}

/// Sends a prompt, allows what is asked for, waits for the end of its turn, and gives the UUID of the prompt.
pub(crate) async fn carried_out(running: &Running, session: &str, prompt: &str) -> String {
    let mut events = running.events(session, None).await;
    let sent = running.prompt(session, prompt).await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    loop {
        let event = events.next().await.expect("the session goes on");
        if event.kind == "request" {
            let id = event.data["id"].as_str().unwrap();
            let path = format!("/api/sessions/{session}/requests/{id}");
            let allow = json!({"decision": "allow"});
            let answered = running.ask("POST", &path, &allow).await;
            assert_eq!(answered.status, 200, "{}", answered.body);
        }
        let is_over = event.kind == "change" && event.data.to_string().contains("turnEnd");
        if is_over {
            break;
        }
    }
    let is_idle = |state: &Value| state["phase"] == "idle" && state["queued"] == 0;
    let idle = events.until("state", is_idle).await;
    assert_eq!(idle.last().unwrap().data["error"], Value::Null);
    sent.json()["uuid"].as_str().unwrap().to_owned()
}

/// What is said of each changed file.
pub(crate) async fn changes(running: &Running, session: &str) -> Vec<Value> {
    let path = format!("/api/sessions/{session}/changes");
    let changes = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(changes.status, 200, "{}", changes.body);
    let changes = changes.json();
    let of = |file: &Value| {
        json!(["path", "source", "status", "added", "removed"].map(|key| &file[key]))
    };
    changes["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(of)
        .collect()
}

fn scenario(tree: &Path) -> Scenario {
    let path = |name: &str| tree.join(name).display().to_string();
    let apples = path("apples.txt");
    let edit =
        |old: &str, new: &str| json!({"file_path": apples, "old_string": old, "new_string": new});
    let command = json!({"command": "node -e \"require('fs').writeFileSync('plums.txt', 'violet')\"", "description": "Colour"});
    let agent = json!({"description": "Grow pears", "prompt": "Grow pears, please.",
        "subagent_type": "general-purpose", "run_in_background": false});
    let rules = [
        turn(
            "Change the fruit",
            vec![
                ("Read", json!({"file_path": apples})),
                ("Edit", edit("two", "TWO")),
                ("Edit", edit("TWO", "2")),
                ("Bash", command),
                ("Agent", agent),
            ],
        ),
        turn(
            "Grow pears",
            vec![(
                "Write",
                json!({"file_path": path("pears.txt"), "content": "one\ntwo\n"}),
            )],
        ),
        turn(
            "Go on",
            vec![(
                "Write",
                json!({"file_path": "again.txt", "content": "again\n"}),
            )],
        ),
    ];
    Scenario::new("changes", rules.into_iter().flatten())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_session_changes_in_a_worktree_of_its_own_is_shown_and_stays_there() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().canonicalize().unwrap().join("shop");
    let tree = shop.join(".claude/worktrees/fruit");
    let api = Api::start(scenario(&tree)).await.unwrap();
    let running = start(&api, folder).await;
    fs::write(shop.join("plums.txt"), "blue").unwrap();
    repository(&shop);
    let new = json!({"project": "shop", "mode": "acceptEdits", "worktree": {"name": "fruit"}});
    let begun = running.ask("POST", "/api/sessions", &new).await;
    assert_eq!(begun.status, 201, "{}", begun.body);
    let session = begun.json()["id"].as_str().unwrap().to_owned();
    carried_out(&running, &session, "Change the fruit").await;
    let changed = [
        json!(["apples.txt", "edits", "modified", 1, 1]),
        json!(["pears.txt", "edits", "added", 2, 0]),
        json!(["plums.txt", "workspace", "modified", 1, 1]),
    ];
    assert_eq!(changes(&running, &session).await, changed);
    // The project's own folder is as it was.
    assert_eq!(
        fs::read_to_string(shop.join("apples.txt")).unwrap(),
        "one\ntwo\nthree\n"
    );
    assert_eq!(fs::read_to_string(shop.join("plums.txt")).unwrap(), "blue");
    assert!(!shop.join("pears.txt").exists());
    assert_eq!(
        fs::read_to_string(tree.join("apples.txt")).unwrap(),
        "one\n2\nthree\n"
    );
    assert_eq!(
        git(&tree, &["branch", "--show-current"]),
        "worktree-fruit\n"
    );

    // Another server goes on with it in the same worktree, and loses no commit.
    git(&tree, &["add", "."]);
    git(&tree, &["commit", "-q", "-m", "Fruit"]);
    let commit = git(&shop, &["rev-parse", "worktree-fruit"]);
    let folder = running.end_and_keep().await;
    let aside = folder.path().join("aside");
    fs::rename(&shop, &aside).unwrap();
    let running = start(&api, folder).await;
    fs::remove_dir(&shop).unwrap();
    fs::rename(&aside, &shop).unwrap();
    let list = running
        .ask("GET", "/api/sessions", &Value::Null)
        .await
        .json();
    assert_eq!(list["sessions"][0]["branch"], "worktree-fruit");
    // Without a process, there is what the transcripts say.
    assert_eq!(changes(&running, &session).await, changed[..2]);
    carried_out(&running, &session, "Go on").await;
    assert!(tree.join("again.txt").exists());
    assert_eq!(git(&shop, &["rev-parse", "worktree-fruit"]), commit);
    let after = changes(&running, &session).await;
    assert_eq!(after[0], json!(["again.txt", "edits", "added", 1, 0]));
    // A fork works in the same worktree.
    let path = format!("/api/sessions/{session}/fork");
    let fork = running.ask("POST", &path, &json!({})).await.json();
    assert_eq!(fork["state"]["worktree"]["branch"], "worktree-fruit");
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worktree_of_the_cli_is_committed_merged_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().canonicalize().unwrap().join("shop");
    let tree = shop.join(".claude/worktrees/fruit");
    let api = Api::start(scenario(&tree)).await.unwrap();
    let running = start(&api, folder).await;
    fs::write(shop.join("plums.txt"), "blue").unwrap();
    repository(&shop);
    for (key, value) in [
        ("user.name", "A User"),
        ("user.email", "user@example.com"),
        ("commit.gpgSign", "false"),
    ] {
        git(&shop, &["config", key, value]);
    }
    let new = json!({"project": "shop", "mode": "acceptEdits", "worktree": {"name": "fruit"}});
    let begun = running.ask("POST", "/api/sessions", &new).await;
    assert_eq!(begun.status, 201, "{}", begun.body);
    let session = begun.json()["id"].as_str().unwrap().to_owned();
    carried_out(&running, &session, "Change the fruit").await;
    let path = format!("/api/sessions/{session}/worktree");
    let view = running.ask("GET", &path, &Value::Null).await.json();
    let state = json!({"base": "main", "ahead": 0, "behind": 0, "uncommitted": 3});
    assert_eq!(view["state"], state, "{view}");
    let done = async |body: Value| {
        let done = running.ask("POST", &path, &body).await;
        assert_eq!(done.status, 200, "{}", done.body);
        let done = done.json();
        assert_eq!(done["done"], true, "{done}");
        done
    };
    let message = view["message"].as_str().unwrap();
    done(json!({"action": "merge", "message": message})).await;
    let merged = ["apples.txt", "pears.txt", "plums.txt"]
        .map(|name| fs::read_to_string(shop.join(name)).unwrap());
    assert_eq!(merged, ["one\n2\nthree\n", "one\ntwo\n", "violet"]);
    let log = git(&shop, &["log", "--format=%s"]);
    assert_eq!(log, format!("{message}\nApples\n"));
    // The session goes on in its worktree.
    carried_out(&running, &session, "Go on").await;
    let asked = running
        .ask("POST", &path, &json!({"action": "discard"}))
        .await;
    let loss = asked.json()["worktree"]["loss"].clone();
    assert_eq!(loss, json!({"commits": 0, "files": 1}), "{}", asked.body);
    let gone = done(json!({"action": "discard", "expect": loss})).await;
    assert_eq!(gone["worktree"], Value::Null);
    assert!(!tree.exists());
    let branches = git(&shop, &["branch", "--format=%(refname:short)"]);
    assert_eq!(branches, "main\n");
    let list = running.ask("GET", "/api/sessions", &Value::Null).await;
    assert_eq!(list.json()["sessions"][0]["id"], *session);
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_a_stored_session_are_restored_after_a_restart_and_refused_on_another_host() {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("shop/notes.txt");
    let write = |text: &str| vec![("Write", json!({"file_path": notes, "content": text}))];
    let rules = [
        turn("Write one", write("one\n")),
        turn("Write two", write("two\n")),
        turn("Say it", Vec::new()),
    ];
    let scenario = Scenario::new("restores", rules.concat());
    let api = Api::start(scenario).await.unwrap();
    let store = Arc::new(MemoryStore::new());
    let running = start_with(&api, folder, |builder| builder.store(store.clone())).await;
    let session = running.session().await;
    carried_out(&running, &session, "Write one").await;
    let second = carried_out(&running, &session, "Write two").await;
    let folder = running.end_and_keep().await;

    // Another server on the same disk.
    fs::remove_dir_all(folder.path().join("shop")).unwrap();
    let running = start_with(&api, folder, |builder| builder.store(store.clone())).await;
    fs::write(&notes, "two\n").unwrap();
    carried_out(&running, &session, "Say it").await;
    let path = format!("/api/sessions/{session}/rewind");
    let ask = async |running: &Running, expect: Value| {
        let body = json!({"prompt": second, "expect": expect});
        let answer = running.ask("POST", &path, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()
    };
    let preview = ask(&running, Value::Null).await;
    let changes = json!({"files": ["notes.txt"], "insertions": 1, "deletions": 1});
    assert_eq!(preview["changes"], changes, "{preview}");
    let done = ask(&running, changes).await;
    assert_eq!(done["done"], true, "{done}");
    assert_eq!(fs::read_to_string(&notes).unwrap(), "one\n");
    let _folder = running.end_and_keep().await;

    // Another host, which does not have what the files were.
    let elsewhere = tempfile::tempdir().unwrap();
    let running = start_with(&api, elsewhere, |builder| builder.store(store)).await;
    let refused = ask(&running, Value::Null).await;
    let reason = refused["reason"].as_str().unwrap();
    assert!(reason.contains("not on this host"), "{reason}");
    assert_eq!(refused["done"], false, "{refused}");
    running.end().await;
}
