//! Sessions in git worktrees of their own.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use claw_client::Session;
use claw_client::pool::Pool;
use claw_client::store::{MemoryStore, StoreOptions};
use claw_client::types::{QueryOptions, SessionId};
use claw_testkit::agent::{Agent, Script};
use serde_json::{Value, json};

use crate::changes::Transcript;
use crate::client::{Response, Running};
use crate::real_cli::said_to;

/// Runs git in a folder.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let git = Command::new("git")
        .args([
            "-c",
            "user.name=A User",
            "-c",
            "user.email=user@example.com",
        ])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("git is installed");
    let error = String::from_utf8_lossy(&git.stderr);
    assert!(git.status.success(), "git {arguments:?}: {error}");
    String::from_utf8(git.stdout).unwrap()
}

/// Makes a repository with one commit.
pub(crate) fn repository(folder: &Path) {
    fs::write(folder.join("apples.txt"), "one\ntwo\nthree\n").unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "Apples"]);
}

async fn begin(running: &Running, worktree: &Value) -> Response {
    let new = json!({"project": "shop", "worktree": worktree});
    running.ask("POST", "/api/sessions", &new).await
}

/// The reason why there is no such session.
async fn refused(running: &Running, worktree: &Value) -> String {
    let response = begin(running, worktree).await;
    assert_eq!(response.status, 400, "{}", response.body);
    response.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn the_first_process_is_told_to_make_the_worktree_and_viewers_see_its_branch() {
    let options: Arc<Mutex<Vec<QueryOptions>>> = Arc::default();
    let (seen, agent) = (options.clone(), Agent::new(Script::reply("Hi.")));
    let running = Running::start_as(Script::reply("Hi."), |builder| {
        let builder = builder.pool(Pool::builder().processes(1).build());
        builder.session(move |options| {
            seen.lock().unwrap().push(options.clone());
            Session::builder(options).transport(agent.clone())
        })
    })
    .await;
    let shop = running.folder.path().join("shop").canonicalize().unwrap();
    repository(&shop);
    let begun = begin(&running, &json!({"name": "fix-login"})).await;
    assert_eq!(begun.status, 201, "{}", begun.body);
    let begun = begun.json();
    let folder = shop.join(".claude/worktrees/fix-login");
    assert_eq!(
        begun["state"]["worktree"],
        json!({"name": "fix-login", "branch": "worktree-fix-login", "folder": folder})
    );
    let id = begun["id"].as_str().unwrap();
    let page = crate::window::first(&running, id, "").await;
    assert!(page.contains(r#""branch":"worktree-fix-login""#), "{page}");
    let list = running.ask("GET", "/api/sessions", &Value::Null).await;
    assert_eq!(list.json()["sessions"][0]["branch"], "worktree-fix-login");
    // Its name is taken, although its folder is not there yet.
    let text = refused(&running, &json!({"name": "fix-login"})).await;
    assert_eq!(text, "there is a worktree fix-login already");
    // Without a name, the server makes one.
    let other = begin(&running, &json!({})).await.json();
    let name = other["state"]["worktree"]["name"].as_str().unwrap();
    assert_eq!(name.len(), 8, "{name}");
    // A session that asks for none has none.
    let plain = running.session().await;
    let path = format!("/api/sessions/{plain}");
    let view = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(view.json()["state"].get("worktree"), None);

    // There is one process: each prompt ends that of the other session.
    for session in [id, &plain, id] {
        said_to(&running, session, "Hello").await;
    }
    let options = options.lock().unwrap().clone();
    let [first, other, again] = &options[..] else {
        panic!("{} processes", options.len())
    };
    let worktree = |options: &QueryOptions| {
        let more = options.extra_args.as_ref()?;
        more.get("worktree").cloned().flatten()
    };
    assert_eq!(worktree(first).as_deref(), Some("fix-login"));
    assert_eq!(first.cwd.as_deref(), Some(&*shop));
    assert_eq!(worktree(other), None);
    // A session that goes on finds its worktree by itself, and must not have it made anew.
    assert_eq!(worktree(again), None);
    assert_eq!(again.resume.as_ref().map(SessionId::as_str), Some(id));
    running.end().await;
}

#[tokio::test]
async fn what_can_be_no_worktree_is_refused_with_the_reason() {
    let running = Running::start(Script::reply("Hi.")).await;
    let shop = running.folder.path().join("shop").canonicalize().unwrap();
    let text = refused(&running, &json!({})).await;
    assert!(
        text.contains("not the main folder of a git repository"),
        "{text}"
    );
    git(&shop, &["init", "-q", "-b", "main"]);
    let text = refused(&running, &json!({})).await;
    assert!(text.contains("no commit yet"), "{text}");
    repository(&shop);
    for name in [
        "",
        "..",
        "../x",
        "a/b",
        "-b",
        "--force",
        "a b",
        "x.lock",
        "$(touch x)",
        "a\u{0}",
    ] {
        let text = refused(&running, &json!({ "name": name })).await;
        assert!(
            text.starts_with("the name of a worktree"),
            "{name:?}: {text}"
        );
    }
    git(&shop, &["branch", "worktree-taken"]);
    let text = refused(&running, &json!({"name": "taken"})).await;
    assert_eq!(text, "there is a branch worktree-taken already");
    git(
        &shop,
        &["worktree", "add", "-q", "-b", "b", ".claude/worktrees/here"],
    );
    let text = refused(&running, &json!({"name": "here"})).await;
    assert_eq!(text, "there is a worktree here already");
    let both = json!({"resume": "x", "worktree": {}});
    let both = running.ask("POST", "/api/sessions", &both).await;
    assert_eq!(both.status, 400, "{}", both.body);
    let status = begin(&running, &json!({"name": "a", "path": "/etc"}))
        .await
        .status;
    assert_eq!(status, 422);
    // Nothing of all this has begun a session, or made anything.
    let list = running.ask("GET", "/api/sessions", &Value::Null).await;
    assert_eq!(list.json()["sessions"], json!([]));
    let made = fs::read_dir(shop.join(".claude/worktrees"))
        .unwrap()
        .count();
    assert_eq!(made, 1);
    running.end().await;
}

#[cfg(unix)]
#[tokio::test]
async fn no_link_leads_a_worktree_out_of_the_project() {
    let running = Running::start(Script::reply("Hi.")).await;
    let shop = running.folder.path().join("shop").canonicalize().unwrap();
    repository(&shop);
    let other = shop.with_file_name("other");
    fs::create_dir_all(other.join("worktrees")).unwrap();
    std::os::unix::fs::symlink(&other, shop.join(".claude")).unwrap();
    let text = refused(&running, &json!({"name": "a"})).await;
    assert!(text.contains("leads out of the project"), "{text}");
    running.end().await;
}

#[tokio::test]
async fn sessions_of_a_store_have_no_worktree() {
    let running = Running::start_as(Script::reply("Hi."), |builder| {
        builder.store(StoreOptions::new(Arc::new(MemoryStore::default())))
    })
    .await;
    repository(&running.folder.path().join("shop"));
    let text = refused(&running, &json!({})).await;
    assert!(text.contains("a server with a store"), "{text}");
    running.end().await;
}

#[tokio::test]
async fn a_session_whose_worktree_is_gone_is_shown_and_takes_no_prompt() {
    let running = Running::start(Script::reply("Hi.")).await;
    let shop = running.folder.path().join("shop").canonicalize().unwrap();
    repository(&shop);
    let folder = shop.join(".claude/worktrees/a");
    git(
        &shop,
        &[
            "worktree",
            "add",
            "-q",
            "-b",
            "worktree-a",
            ".claude/worktrees/a",
        ],
    );
    let mut transcript = Transcript::new(&folder);
    let path = folder.join("apples.txt").display().to_string();
    transcript.edit(1, &path, Some("one\ntwo\nthree\n"), "two", "TWO");
    transcript.in_worktree("a", &folder);
    transcript.save(&running);
    fs::write(folder.join("apples.txt"), "one\nTWO\nthree\n").unwrap();
    let id = Transcript::ID;
    let changes = async || {
        let path = format!("/api/sessions/{id}/changes");
        running.ask("GET", &path, &Value::Null).await.json()
    };
    let before = changes().await;
    assert_eq!(before["files"][0]["path"], "apples.txt");
    assert_eq!(before["files"][0]["inside"], true);
    assert_eq!(running.prompt(id, "Hello").await.status, 202);

    // Git itself refuses to remove what is not committed.
    let removed = Command::new("git")
        .args(["worktree", "remove", ".claude/worktrees/a"])
        .current_dir(&shop)
        .output()
        .unwrap();
    assert!(!removed.status.success());
    git(&folder, &["commit", "-q", "-a", "-m", "Two"]);
    git(&shop, &["worktree", "remove", ".claude/worktrees/a"]);
    let refused = running.prompt(id, "Hello again").await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(
        refused
            .body
            .contains("git worktree add .claude/worktrees/a worktree-a"),
        "{}",
        refused.body
    );
    // So it is for a server that opens it now, which still lists it.
    let closed = running
        .ask("POST", &format!("/api/sessions/{id}/close"), &Value::Null)
        .await;
    assert_eq!(closed.status, 204);
    assert_eq!(running.prompt(id, "And again").await.status, 400);
    let list = running
        .ask("GET", "/api/sessions", &Value::Null)
        .await
        .json();
    assert_eq!(list["sessions"][0]["id"], id);
    assert_eq!(list["sessions"][0]["branch"], "worktree-a");
    // Its file is gone with the worktree.
    assert_eq!(changes().await["files"][0]["status"], "deleted");
    git(
        &shop,
        &["worktree", "add", "-q", ".claude/worktrees/a", "worktree-a"],
    );
    assert_eq!(running.prompt(id, "Once more").await.status, 202);
    assert_eq!(changes().await["files"][0]["status"], "modified");
    running.end().await;
}
