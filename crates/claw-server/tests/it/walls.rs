//! What runs behind a wall writes to the wall's home. Nothing there reaches other projects, or files outside.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use claw_client::pool::Pool;
use claw_client::store::{MemoryStore, SessionRef, StoreOptions};
use claw_server::{Hosting, Project, ServerBuilder, Wall};
use claw_sessions::{Changes, Sessions};
use claw_testkit::Block;
use claw_testkit::agent::{self, Script, Step};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Response, Running, soon, uuid};
use crate::config_dirs::{get, transcript};
use crate::faults::Row;
use crate::hosting;
use crate::kept::view;
use crate::limits::limits;
use crate::moved::{reports, turn};
use crate::stores::append_to;

const ONE: &str = "11111111-1111-4111-8111-111111111111";
const TWO: &str = "22222222-2222-4222-8222-222222222222";

/// A server with the projects `shop`, which has no wall, and `yard`, which has one with a home.
async fn start(script: Script) -> Running {
    start_with(script, |builder| builder).await
}

/// Starts such a server, with changes of its builder.
async fn start_with(
    script: Script,
    change: impl FnOnce(ServerBuilder) -> ServerBuilder,
) -> Running {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(home(folder.path()).join("projects")).unwrap();
    start_in(script, folder, None, change).await
}

/// Starts such a server in a folder that has a home, with the hosting contract if it is given.
async fn start_in(
    script: Script,
    folder: TempDir,
    hosting: Option<Hosting>,
    change: impl FnOnce(ServerBuilder) -> ServerBuilder,
) -> Running {
    let yard = folder.path().join("yard");
    fs::create_dir_all(&yard).unwrap();
    // Behind a wall, the agent is a process.
    let file = folder.path().join("script.json");
    fs::write(&file, serde_json::to_string(&script).unwrap()).unwrap();
    let wall = Wall::new("fence", ["env", "--"])
        .home(folder.path().join("home"))
        .claude(agent::program().unwrap())
        .set("CLAW_AGENT_SCRIPT", file.to_str().unwrap());
    let project = Project::new(&yard).unwrap().wall(wall);
    Running::start_serving(script, folder, hosting, |builder| {
        let pool = Pool::builder().processes(1).build();
        let builder = change(builder.pool(pool).project(project));
        builder.connections(|connections| connections.finish = Duration::ZERO)
    })
    .await
}

/// What runs behind the wall can do this to its home.
fn break_home(folder: &Path) {
    let projects = home(folder).join("projects");
    fs::remove_dir_all(&projects).unwrap();
    fs::write(&projects, "").unwrap();
}

/// Checks that a response is an error that names the broken home.
fn names_home(response: &Response, folder: &Path) {
    assert_eq!(response.status, 500, "{}", response.body);
    let path = home(folder).join("projects");
    let path = path.to_str().unwrap();
    assert!(response.body.contains(path), "{}", response.body);
}

/// The configuration folder of the wall's home.
fn home(folder: &Path) -> PathBuf {
    folder.join("home/.claude")
}

/// Changes the text of a session's transcript.
fn edit(running: &Running, config: &Path, id: &str, change: impl FnOnce(String) -> String) {
    let session = Sessions::new(config).find(id).unwrap();
    let text = fs::read_to_string(session.transcript()).unwrap();
    fs::write(session.transcript(), change(text)).unwrap();
    running.server.hub().refresh(&session);
}

/// Writes a transcript of `yard` into the home of the wall, as what runs there can. Its last message was written later than
/// those of other sessions.
fn plant(running: &Running, id: &str, text: &str) {
    let folder = running.folder.path();
    let [shop, yard] = ["shop", "yard"].map(|name| folder.join(name).canonicalize().unwrap());
    transcript(running, &home(folder), id, text);
    edit(running, &home(folder), id, |text| {
        let text = text.replace(shop.to_str().unwrap(), yard.to_str().unwrap());
        text.replace("2026-01-01T", "2026-01-09T")
    });
}

/// Returns the projects in which the list has a session.
async fn listed_in(running: &Running, id: &str) -> Vec<String> {
    let list = get(running, "/api/sessions").await;
    let items = list["sessions"].as_array().unwrap().iter();
    let items = items.filter(|item| item["id"] == id);
    let mut names: Vec<_> = items
        .map(|item| item["project"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

async fn status(running: &Running, method: &str, path: &str, body: &Value) -> u16 {
    running.ask(method, path, body).await.status
}

/// Calls a method for a session, and returns whether it was refused.
async fn rpc_fails(running: &Running, id: &str) -> bool {
    let params = json!({"session_id": id});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "session/messages", "params": params});
    let response = running.ask("POST", "/rpc", &call).await.json();
    response.get("error").is_some()
}

#[tokio::test]
async fn a_transcript_behind_a_wall_is_of_no_other_project() {
    let running = start(Script::reply("Hi.")).await;
    let config = running.folder.path().join("config");
    transcript(&running, &config, ONE, "Apples");
    // The transcript names the folder of `shop`.
    transcript(&running, &home(running.folder.path()), TWO, "Planted");
    let list = get(&running, "/api/sessions").await;
    let list = list["sessions"].as_array().unwrap();
    let ids: Vec<_> = list.iter().map(|item| item["id"].clone()).collect();
    assert_eq!(ids, [ONE]);
    let hits = get(&running, "/api/search?q=cellar").await;
    let hits = hits.as_array().unwrap();
    let ids: Vec<_> = hits.iter().map(|hit| hit["sessionId"].clone()).collect();
    assert_eq!(ids, [ONE]);
    let usage = get(&running, "/api/usage?by=project").await;
    assert_eq!(usage["shop"]["tokens"]["output"], 4, "{usage}");
    for (method, path, body) in [
        ("GET", "/entry", json!(null)),
        ("GET", "/changes", json!(null)),
        ("GET", "", json!(null)),
        ("POST", "/fork", json!({})),
        ("PATCH", "", json!({"title": "Mine"})),
        ("DELETE", "", json!(null)),
    ] {
        let answers = [TWO, ONE].map(|id| format!("/api/sessions/{id}{path}"));
        let planted = status(&running, method, &answers[0], &body).await;
        assert_eq!(planted, 404, "{method} {path}");
        if method != "DELETE" {
            let own = status(&running, method, &answers[1], &body).await;
            assert!((200..300).contains(&own), "{method} {path}: {own}");
        }
    }
    let resume = json!({"resume": TWO});
    assert_eq!(
        status(&running, "POST", "/api/sessions", &resume).await,
        404
    );
    assert!(rpc_fails(&running, TWO).await);
    assert!(!rpc_fails(&running, ONE).await);
    running.end().await;
}

#[tokio::test]
async fn a_home_takes_no_session_of_another_project_away() {
    let running = start(Script::reply("Hi.")).await;
    let folder = running.folder.path();
    let (config, home) = (folder.join("config"), home(folder));
    transcript(&running, &config, ONE, "Apples");
    let of_shop = fs::read_dir(config.join("projects")).unwrap();
    let of_shop = of_shop.map(|entry| entry.unwrap().path()).next().unwrap();
    let entry = format!("/api/sessions/{ONE}/entry");
    let check = async || {
        assert_eq!(get(&running, &entry).await["project"], "shop");
        assert!(!rpc_fails(&running, ONE).await);
    };
    symlink(&of_shop, home.join("projects/x")).unwrap();
    check().await;
    // A copy of the transcript, and one that names the folder of the wall's own project.
    let text = fs::read_to_string(of_shop.join(format!("{ONE}.jsonl"))).unwrap();
    let [shop, yard] = ["shop", "yard"].map(|name| folder.join(name).canonicalize().unwrap());
    let moved = text.replace(shop.to_str().unwrap(), yard.to_str().unwrap());
    let planted = home.join("projects/planted");
    fs::create_dir(&planted).unwrap();
    for text in [text, moved] {
        let file = planted.join(format!("{ONE}.jsonl"));
        fs::write(&file, text).unwrap();
        let home = Sessions::new(&home);
        running.server.hub().refresh(&home.find(ONE).unwrap());
        check().await;
    }
    let events = status(
        &running,
        "GET",
        &format!("/api/sessions/{ONE}"),
        &json!(null),
    )
    .await;
    assert_eq!(events, 200);
    running.end().await;
}

#[tokio::test]
async fn the_server_writes_the_limits_of_a_wall_outside_of_its_home() {
    let turn = Step::Turn(vec![Step::message([Block::text("Yes.")]), limits(0.5)]);
    let running = start(Script::new([turn])).await;
    let folder = running.folder.path();
    let own = home(folder).join("claw");
    fs::create_dir(&own).unwrap();
    fs::write(folder.join("profile"), "kept").unwrap();
    for name in ["limits.new", "limits.json"] {
        symlink(folder.join("profile"), own.join(name)).unwrap();
    }
    let begun = running
        .ask("POST", "/api/sessions", &json!({"project": "yard"}))
        .await;
    assert_eq!(begun.status, 201, "{}", begun.body);
    let id = begun.json()["id"].as_str().unwrap().to_owned();
    let prompted = running.prompt(&id, "Well?").await;
    assert_eq!(prompted.status, 202, "{}", prompted.body);
    let kept = folder.join("config/claw/limits");
    soon(async {
        let files = || fs::read_dir(&kept).map_or(0, Iterator::count);
        while files() == 0 && fs::read_to_string(folder.join("profile")).unwrap() == "kept" {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(fs::read_to_string(folder.join("profile")).unwrap(), "kept");
    assert_eq!(fs::read_dir(&own).unwrap().count(), 2);
    running.end().await;
}

#[tokio::test]
async fn a_home_that_cannot_be_read_affects_its_own_project_alone() {
    let row = Row::of("the home of a wall cannot be read");
    let waits = Block::text("I think.").hold(1, "half");
    let waits = Script::new([Step::Turns(vec![Step::message([waits])])]);
    let running = start(waits).await;
    let begun = running
        .ask("POST", "/api/sessions", &json!({"project": "yard"}))
        .await;
    let yard = begun.json()["id"].as_str().unwrap().to_owned();
    let shop = running.session().await;
    // There is one process, and its turn does not end. So no prompt is answered, and no session has a transcript.
    for (number, session) in [&shop, &yard].into_iter().enumerate() {
        let sent = running.prompt_as(session, &uuid(number), "Think").await;
        assert_eq!(sent.status, 202, "{}", sent.body);
        if number == 0 {
            soon(running.agent.gates().reached("half")).await;
        }
    }
    let folder = running.end_and_keep().await;
    fs::remove_dir(folder.path().join("shop")).unwrap();

    let unreadable = async |running: &Running, count: usize| {
        let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
        let line = format!("\nclaw_config_dirs_unreadable {count}\n");
        assert!(metrics.contains(&line), "{metrics}");
    };
    let running = start_in(Script::reply("Hi."), folder, None, |builder| builder).await;
    unreadable(&running, 0).await;
    let path = running.folder.path();
    break_home(path);
    unreadable(&running, 1).await;
    row.is_counted(&running, "claw_config_dirs_unreadable")
        .await;
    assert_eq!(view(&running, &shop).await["state"]["phase"], "cut");
    let unknown = format!("/api/sessions/{TWO}");
    assert_eq!(status(&running, "GET", &unknown, &Value::Null).await, 404);
    assert_eq!(
        status(&running, "DELETE", &unknown, &Value::Null).await,
        404
    );
    let own = format!("/api/sessions/{yard}");
    names_home(&running.ask("GET", &own, &Value::Null).await, path);
    // Nothing that may be left in the home is deleted in part.
    names_home(&running.ask("DELETE", &own, &Value::Null).await, path);
    let list = get(&running, "/api/sessions").await;
    assert_eq!(list["sessions"].as_array().unwrap().len(), 2, "{list}");
    for path in ["/api/search?q=apples", "/api/usage"] {
        assert_eq!(status(&running, "GET", path, &Value::Null).await, 200);
    }
    running.end().await;
}

#[tokio::test]
async fn a_new_session_needs_only_the_home_of_its_own_project() {
    for (project, works) in [("shop", true), ("yard", false)] {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(home(folder.path()).join("projects")).unwrap();
        break_home(folder.path());
        let contract = Hosting::new(project);
        let running = start_in(Script::reply("Hi."), folder, Some(contract), |builder| {
            builder
        })
        .await;
        let request = hosting::request(&running, ONE, "Hello");
        let request = request.replacen("Accept:", "Connection: close\r\nAccept:", 1);
        let body = running.raw(&request).await.body;
        let broken = home(running.folder.path()).join("projects");
        let has_error = body.contains(broken.to_str().unwrap());
        assert_eq!((body.contains("Hi."), has_error), (works, !works), "{body}");
        running.end().await;
    }
}

#[tokio::test]
async fn a_process_behind_a_wall_takes_no_session_of_another_project() {
    let running = start(Script::new([reports(ONE), reports(TWO)])).await;
    let config = running.folder.path().join("config");
    transcript(&running, &config, ONE, "Apples");
    let begun = running
        .ask("POST", "/api/sessions", &json!({"project": "yard"}))
        .await;
    let yard = begun.json()["id"].as_str().unwrap().to_owned();
    // The session of `shop` is on disk and not live.
    assert_eq!(turn(&running, &yard).await, yard);
    let of_shop = view(&running, ONE).await;
    assert_eq!(
        (&of_shop["id"], &of_shop["project"]),
        (&json!(ONE), &json!("shop"))
    );
    assert_eq!(turn(&running, &yard).await, TWO);
    running.end().await;
}

#[tokio::test]
async fn a_copy_that_cannot_be_opened_is_removed() {
    let running = start(Script::reply("Hi.")).await;
    let folder = running.folder.path();
    let config = folder.join("config");
    transcript(&running, &config, ONE, "Apples");
    // The session began before its project had a wall.
    let [shop, yard] = ["shop", "yard"].map(|name| folder.join(name).canonicalize().unwrap());
    let of_shop = config.join("projects").join(claw_sessions::slug(&shop));
    let file = of_shop.join(format!("{ONE}.jsonl"));
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace(shop.to_str().unwrap(), yard.to_str().unwrap());
    fs::write(&file, text).unwrap();
    let path = format!("/api/sessions/{ONE}/fork");
    let refused = running.ask("POST", &path, &json!({})).await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("wall"), "{}", refused.body);
    assert_eq!(fs::read_dir(&of_shop).unwrap().count(), 1);
    running.end().await;
}

#[tokio::test]
async fn a_home_hides_no_session_without_a_transcript() {
    let running = start(Script::reply("Hi.")).await;
    let id = running.session().await;
    assert_eq!(listed_in(&running, &id).await, ["shop"]);
    plant(&running, &id, "Planted");
    assert_eq!(listed_in(&running, &id).await, ["shop", "yard"]);
    let entry = get(&running, &format!("/api/sessions/{id}/entry")).await;
    assert_eq!(entry["project"], "shop", "{entry}");
    running.end().await;
}

#[tokio::test]
async fn a_home_archives_no_session_of_a_store() {
    let store = Arc::new(MemoryStore::new());
    let running = start_with(Script::reply("Hi."), |builder| {
        builder.store(StoreOptions::new(store.clone()))
    })
    .await;
    let session = SessionRef::new("shop", ONE).unwrap();
    let line = json!({"type": "user", "uuid": TWO, "parentUuid": null, "sessionId": ONE, "cwd": "/elsewhere",
        "timestamp": "2026-01-01T00:00:00.000Z", "message": {"role": "user", "content": "Apples"}});
    append_to(&*store, &session.main(), &[line]).await;
    plant(&running, ONE, "Planted");
    let planted = Sessions::new(home(running.folder.path()));
    let planted = planted.find(ONE).unwrap();
    planted.change(&Changes::new().archived(true)).unwrap();
    running.server.hub().refresh(&planted);
    assert_eq!(listed_in(&running, ONE).await, ["shop"]);
    let archived = get(&running, "/api/sessions?archived=true").await;
    assert_eq!(archived["sessions"], json!([]));
    let path = format!("/api/sessions/{ONE}");
    let archive = json!({"archived": true});
    assert_eq!(status(&running, "PATCH", &path, &archive).await, 204);
    let archived = get(&running, "/api/sessions?archived=true").await;
    assert_eq!(archived["sessions"][0]["project"], "shop", "{archived}");
    assert_eq!(listed_in(&running, ONE).await, [""; 0]);
    running.end().await;
}

#[tokio::test]
async fn a_home_changes_no_place_of_another_projects_session() {
    let running = start(Script::reply("Hi.")).await;
    let folder = running.folder.path();
    let (config, home) = (folder.join("config"), home(folder));
    transcript(&running, &config, ONE, "Apples");
    transcript(&running, &config, TWO, "Pears");
    // A fork, and newer than its original.
    edit(&running, &config, TWO, |text| {
        let text = text.replace("2026-01-01T", "2026-01-05T");
        let from = format!("\"forkedFrom\":{{\"sessionId\":\"{ONE}\"}},\"type\":");
        text.replace("\"type\":\"user\"", &format!("{from}\"user\""))
    });
    plant(&running, ONE, "Planted");
    edit(&running, &home, ONE, |text| {
        let from =
            "\"forkedFrom\":{\"sessionId\":\"33333333-3333-4333-8333-333333333333\"},\"type\":";
        text.replace("\"type\":\"user\"", &format!("{from}\"user\""))
    });
    let list = get(&running, "/api/sessions?project=shop").await;
    let depths: Vec<_> = list["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (item["id"].clone(), item["forkDepth"].clone()))
        .collect();
    assert_eq!(depths, [(json!(TWO), json!(1)), (json!(ONE), Value::Null)]);
    let hits = get(&running, "/api/search?q=cellar").await;
    let places: Vec<_> = hits
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| (hit["sessionId"].clone(), hit["configDir"].clone()))
        .collect();
    let expected = [(ONE, &home), (TWO, &config), (ONE, &config)];
    assert_eq!(
        places,
        expected.map(|(id, folder)| (json!(id), json!(folder)))
    );
    running.end().await;
}
