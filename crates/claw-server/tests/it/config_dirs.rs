//! Several configuration folders.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_client::Session;
use claw_client::store::MemoryStore;
use claw_server::ServerBuilder;
use claw_sessions::Sessions;
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use claw_testkit::api::{Api, ApiRequest, Scenario};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Response, Running, uuid};
use crate::kept::{texts, view};
use crate::real_changes::{carried_out, changes, turn};
use crate::real_cli;

const ONE: &str = "11111111-1111-4111-8111-111111111111";
const TWO: &str = "22222222-2222-4222-8222-222222222222";

/// The two configuration folders below a folder. The first one is the one that a CLI uses anyway.
fn both(folder: &Path) -> [PathBuf; 2] {
    [folder.join("config"), folder.join("work")]
}

/// Uses both folders. The environment of the CLI names the first one.
fn with_both(builder: ServerBuilder, folder: &Path) -> ServerBuilder {
    let [first, second] = both(folder);
    let set = first.clone();
    let sessions = Sessions::of_config_dirs([first, second], move |name| {
        (name == "CLAUDE_CONFIG_DIR").then(|| set.clone().into())
    });
    builder.sessions(sessions.unwrap())
}

/// Writes the transcript of a session of the project into a configuration folder.
pub(crate) fn transcript(running: &Running, config: &Path, id: &str, text: &str) {
    let shop = running.folder.path().join("shop").canonicalize().unwrap();
    let project = config.join("projects").join(claw_sessions::slug(&shop));
    fs::create_dir_all(&project).unwrap();
    let line = |uuid: &str, parent: Value, kind: &str, message: Value| {
        json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": id, "cwd": shop,
            "timestamp": "2026-01-01T00:00:00.000Z", "isSidechain": false, "userType": "external",
            "version": "2.1.330", "message": message})
    };
    let first = format!("{}1", &id[..35]);
    let asked = line(
        &first,
        Value::Null,
        "user",
        json!({"role": "user", "content": text}),
    );
    let answered = line(
        &format!("{}2", &id[..35]),
        first.into(),
        "assistant",
        json!({"id": format!("msg_{text}"), "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "In the cellar."}], "stop_reason": "end_turn",
            "stop_sequence": null, "usage": {"input_tokens": 3, "output_tokens": 4}}),
    );
    fs::write(
        project.join(format!("{id}.jsonl")),
        format!("{asked}\n{answered}\n"),
    )
    .unwrap();
    let hub = running.server.hub();
    hub.refresh(&Sessions::new(config).find(id).unwrap());
}

/// The `CLAUDE_CONFIG_DIR` of each process that was started, or `None` if it was not set.
type Started = Arc<Mutex<Vec<Option<String>>>>;

/// A server with both folders, whose processes play a script.
async fn start(script: Script, folder: TempDir) -> (Running, Started) {
    start_with(script, folder, |builder| builder).await
}

/// Starts such a server, with changes of its builder.
async fn start_with(
    script: Script,
    folder: TempDir,
    change: impl FnOnce(ServerBuilder) -> ServerBuilder,
) -> (Running, Started) {
    let started = Started::default();
    let path = folder.path().to_owned();
    let running = Running::start_in(script.clone(), folder, |builder| {
        let (agent, started) = (Agent::new(script), started.clone());
        let builder = builder.connections(|connections| connections.finish = Duration::ZERO);
        change(with_both(builder, &path)).session(move |options| {
            let set = options.env.as_ref();
            let set = set.and_then(|env| env.get("CLAUDE_CONFIG_DIR").cloned().flatten());
            started.lock().unwrap().push(set);
            Session::builder(options).transport(agent.clone())
        })
    })
    .await;
    (running, started)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

pub(crate) async fn get(running: &Running, path: &str) -> Value {
    let response = running.ask("GET", path, &Value::Null).await;
    assert_eq!(response.status, 200, "{path}: {}", response.body);
    response.json()
}

/// Sends a prompt, and waits until it is answered.
async fn answered(running: &Running, session: &str, prompt: &str) {
    let mut events = running.events(session, None).await;
    let sent = running.prompt(session, prompt).await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    let is_over = |state: &Value| state["phase"] == "idle" && state["queued"] == 0;
    let ended = events.until("state", is_over).await;
    assert_eq!(ended.last().unwrap().data["error"], Value::Null);
}

#[tokio::test]
async fn the_list_names_the_folders_and_search_and_usage_cover_both() {
    let (running, _) = start(Script::reply("Hi."), tempfile::tempdir().unwrap()).await;
    let [first, second] = both(running.folder.path());
    transcript(&running, &first, ONE, "Apples at home");
    transcript(&running, &second, TWO, "Pears at work");
    let list = get(&running, "/api/sessions").await["sessions"].clone();
    let of = |id: &str| {
        let list = list.as_array().unwrap();
        let item = list.iter().find(|item| item["id"] == id).unwrap();
        (item["configDir"].clone(), item["configName"].clone())
    };
    assert_eq!(list.as_array().unwrap().len(), 2);
    assert_eq!(of(ONE), (json!(first), json!("config")));
    assert_eq!(of(TWO), (json!(second), json!("work")));
    let entry = get(&running, &format!("/api/sessions/{TWO}/entry")).await;
    assert_eq!(entry["configDir"], json!(second));

    let hits = get(&running, "/api/search?q=cellar").await;
    let mut found: Vec<_> = hits
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| (hit["sessionId"].clone(), hit["configDir"].clone()))
        .collect();
    found.sort_by_key(|(id, _)| id.to_string());
    assert_eq!(
        found,
        [(json!(ONE), json!(first)), (json!(TWO), json!(second))]
    );
    let usage = get(&running, "/api/usage?by=configDir").await;
    for folder in [&first, &second] {
        assert_eq!(usage[text(folder)]["tokens"]["output"], 4, "{usage}");
    }
    let by_project = get(&running, "/api/usage?by=project").await;
    assert_eq!(by_project["shop"]["tokens"]["output"], 8);

    // A session of the second folder is changed there.
    let path = format!("/api/sessions/{TWO}");
    let change = json!({"title": "Fruit", "archived": true});
    let patched = running.ask("PATCH", &path, &change).await;
    assert_eq!(patched.status, 204, "{}", patched.body);
    let archived = get(&running, "/api/sessions?archived=true").await;
    assert_eq!(archived["sessions"][0]["title"], "Fruit");
    let fork = running
        .ask("POST", &format!("{path}/fork"), &json!({}))
        .await;
    assert_eq!(fork.status, 201, "{}", fork.body);
    let fork = fork.json()["id"].as_str().unwrap().to_owned();
    assert!(Sessions::new(&second).find(&fork).is_ok());
    running.end().await;
}

#[tokio::test]
async fn one_folder_is_not_named() {
    let running = Running::start(Script::reply("Hi.")).await;
    let config = running.folder.path().join("config");
    transcript(&running, &config, ONE, "Apples");
    running.session().await;
    let list = get(&running, "/api/sessions").await["sessions"].clone();
    for item in list.as_array().unwrap() {
        assert_eq!(item.get("configDir"), None, "{item}");
        assert_eq!(item.get("configName"), None, "{item}");
    }
    running.end().await;
}

#[tokio::test]
async fn a_session_runs_with_the_folder_that_it_is_of() {
    let (running, started) = start(Script::reply("Hi."), tempfile::tempdir().unwrap()).await;
    let [first, second] = both(running.folder.path());
    transcript(&running, &second, TWO, "Pears at work");
    let last = || started.lock().unwrap().last().unwrap().clone().unwrap();
    answered(&running, TWO, "And now?").await;
    assert_eq!(last(), text(&second));
    let new = running.session().await;
    answered(&running, &new, "Hello").await;
    assert_eq!(last(), text(&first));

    // A new session belongs to the folder that the request names, if it is one of the server's.
    let begin = async |config: &str| {
        let body = json!({"project": "shop", "configDir": config});
        running.ask("POST", "/api/sessions", &body).await
    };
    let named = begin(text(&second)).await;
    assert_eq!(named.status, 201, "{}", named.body);
    let named = named.json()["id"].as_str().unwrap().to_owned();
    answered(&running, &named, "Hello").await;
    assert_eq!(last(), text(&second));
    let entry = get(&running, &format!("/api/sessions/{named}/entry")).await;
    assert_eq!(entry["configDir"], json!(second));
    let elsewhere = running.folder.path().join("elsewhere");
    for other in [text(&elsewhere), "work", "", "/"] {
        let refused = begin(other).await;
        assert_eq!(refused.status, 400, "{other}: {}", refused.body);
        assert!(refused.body.contains("`configDir`"), "{}", refused.body);
    }
    let body = json!({"resume": TWO, "configDir": second});
    let refused = running.ask("POST", "/api/sessions", &body).await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    running.end().await;
}

/// Checks that a response names both folders.
fn names_both(response: &Response, running: &Running) {
    assert_eq!(response.status, 409, "{}", response.body);
    let error = &response.json()["error"];
    assert_eq!(error["kind"], "inSeveral");
    for folder in both(running.folder.path()) {
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(text(&folder)), "{message}");
    }
}

#[tokio::test]
async fn a_session_of_two_folders_is_refused_and_both_are_named() {
    let (running, started) = start(Script::reply("Hi."), tempfile::tempdir().unwrap()).await;
    let [first, second] = both(running.folder.path());
    transcript(&running, &first, ONE, "Apples at home");
    transcript(&running, &second, ONE, "Apples at work");
    let list = get(&running, "/api/sessions").await["sessions"].clone();
    let mut folders: Vec<_> = list.as_array().unwrap().iter().collect();
    folders.sort_by_key(|item| item["configDir"].to_string());
    let folders: Vec<_> = folders.iter().map(|item| &item["configDir"]).collect();
    assert_eq!(folders, [&json!(first), &json!(second)]);
    let path = format!("/api/sessions/{ONE}");
    for (method, path, body) in [
        ("GET", path.clone(), Value::Null),
        ("GET", format!("{path}/elements"), Value::Null),
        ("GET", format!("{path}/changes"), Value::Null),
        ("POST", format!("{path}/prompts"), json!({"text": "Go on"})),
        ("POST", format!("{path}/fork"), json!({})),
        ("POST", format!("{path}/rewind"), json!({"prompt": uuid(1)})),
        ("PATCH", path.clone(), json!({"title": "New"})),
        ("PATCH", path.clone(), json!({"archived": true})),
        ("POST", "/api/sessions".to_owned(), json!({"resume": ONE})),
        (
            "POST",
            "/api/sessions".to_owned(),
            json!({"fork": {"session": ONE, "before": uuid(1)}}),
        ),
    ] {
        names_both(&running.ask(method, &path, &body).await, &running);
    }
    assert!(started.lock().unwrap().is_empty());
    // Each of them is found and counted.
    let hits = get(&running, "/api/search?q=apples").await;
    assert_eq!(hits.as_array().unwrap().len(), 2, "{hits}");
    let usage = get(&running, "/api/usage?by=project").await;
    assert_eq!(usage["shop"]["tokens"]["output"], 8, "{usage}");

    // A live session keeps its folder, also if its copy comes later.
    transcript(&running, &second, TWO, "Pears at work");
    answered(&running, TWO, "And now?").await;
    transcript(&running, &first, TWO, "Pears at home");
    let path = format!("/api/sessions/{TWO}");
    let patched = running
        .ask("PATCH", &path, &json!({"title": "Still at work"}))
        .await;
    assert_eq!(patched.status, 204, "{}", patched.body);
    let title = |config: &Path| {
        let session = Sessions::new(config).find(TWO).unwrap();
        session.info().unwrap().unwrap().summary
    };
    assert_eq!(title(&second), "Still at work");
    assert_eq!(title(&first), "Pears at home");
    running.end().await;
}

#[tokio::test]
async fn a_folder_that_does_not_exist_has_no_sessions_and_one_that_cannot_be_read_may_have() {
    let (running, _) = start(Script::reply("Hi."), tempfile::tempdir().unwrap()).await;
    let [first, second] = both(running.folder.path());
    transcript(&running, &first, ONE, "Apples at home");
    let unknown = format!("/api/sessions/{TWO}");
    let of_unknown = async || running.ask("GET", &unknown, &Value::Null).await;
    assert_eq!(of_unknown().await.status, 404);
    // No permission is needed to see that this is no folder.
    fs::write(&second, "").unwrap();
    let unread = of_unknown().await;
    assert_eq!(unread.status, 500, "{}", unread.body);
    assert!(unread.body.contains(text(&second)), "{}", unread.body);
    answered(&running, ONE, "And now?").await;
    running.end().await;
}

#[tokio::test]
async fn a_prompt_without_an_answer_is_kept_for_the_folder_of_its_session() {
    let waits = Script::new([Step::Turns(vec![Step::message([
        Block::text("I think.").hold(1, "half")
    ])])]);
    let (running, _) = start(waits, tempfile::tempdir().unwrap()).await;
    let [_, second] = both(running.folder.path());
    let body = json!({"project": "shop", "configDir": second});
    let begun = running.ask("POST", "/api/sessions", &body).await;
    assert_eq!(begun.status, 201, "{}", begun.body);
    let session = begun.json()["id"].as_str().unwrap().to_owned();
    let sent = running.prompt_as(&session, &uuid(1), "Think").await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    let folder = running.end_and_keep().await;
    fs::remove_dir(folder.path().join("shop")).unwrap();

    // A server without the folder leaves the prompt to another one.
    let running = Running::start_in(Script::reply("Yes."), folder, |builder| builder).await;
    let list = get(&running, "/api/sessions").await;
    assert_eq!(list["sessions"], json!([]));
    let folder = running.end_and_keep().await;
    fs::remove_dir(folder.path().join("shop")).unwrap();

    let (running, started) = start(Script::reply("Yes."), folder).await;
    let list = get(&running, "/api/sessions").await["sessions"].clone();
    assert_eq!(list[0]["phase"], "cut");
    assert_eq!(list[0]["configDir"], json!(second));
    assert_eq!(texts(&running, &session).await[0], "Think");
    answered(&running, &session, "Go on").await;
    assert_eq!(
        started.lock().unwrap()[..],
        [Some(text(&second).to_owned())]
    );
    running.end().await;
}

/// The IDs of the sessions in a configuration folder.
fn ids(config: &Path) -> Vec<String> {
    let all = Sessions::new(config).all().unwrap().sessions.into_iter();
    all.map(|session| session.id().as_str().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_real_cli_goes_on_in_the_second_folder_and_restores_files_from_there() {
    let file = |folder: &Path| folder.join("shop/list.txt");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let [first, second] = both(folder.path());
    let write = |content: &str| json!({"file_path": file(&path), "content": content});
    let mut rules = turn("Write apples", vec![("Write", write("apples\n"))]);
    let read = json!({"file_path": file(&path)});
    rules.extend(turn(
        "Write pears",
        vec![("Read", read), ("Write", write("pears\n"))],
    ));
    let api = Api::start(Scenario::new("restores", rules)).await.unwrap();
    let begin = async |folder: TempDir| {
        let path = folder.path().to_owned();
        real_cli::start_with(&api, folder, |builder| with_both(builder, &path)).await
    };
    let running = begin(folder).await;
    let body = json!({"project": "shop", "configDir": second});
    let new = running.ask("POST", "/api/sessions", &body).await;
    assert_eq!(new.status, 201, "{}", new.body);
    let session = new.json()["id"].as_str().unwrap().to_owned();
    carried_out(&running, &session, "Write apples").await;
    let folder = running.end_and_keep().await;
    assert_eq!(
        (ids(&first).len(), ids(&second)),
        (0, vec![session.clone()])
    );
    assert_eq!(fs::read_to_string(file(folder.path())).unwrap(), "apples\n");

    // Another server on the same disk.
    let apples = folder.path().join("apples");
    fs::rename(file(folder.path()), &apples).unwrap();
    fs::remove_dir_all(folder.path().join("shop")).unwrap();
    let running = begin(folder).await;
    fs::rename(&apples, file(running.folder.path())).unwrap();
    let list = get(&running, "/api/sessions").await["sessions"].clone();
    assert_eq!(list[0]["configDir"], json!(second));
    let pears = carried_out(&running, &session, "Write pears").await;
    let newest = api.requests().into_iter().rfind(ApiRequest::is_message);
    let asked = newest.unwrap().body["messages"].to_string();
    assert!(asked.contains("Write apples"), "{asked}");
    assert_eq!(changes(&running, &session).await.len(), 1);
    let rewind = format!("/api/sessions/{session}/rewind");
    let listed = running
        .ask("POST", &rewind, &json!({"prompt": pears}))
        .await
        .json();
    assert_eq!(listed["reason"], Value::Null, "{listed}");
    let body = json!({"prompt": pears, "expect": listed["changes"]});
    let done = running.ask("POST", &rewind, &body).await.json();
    assert_eq!(done["done"], true, "{done}");
    let restored = fs::read_to_string(file(running.folder.path())).unwrap();
    assert_eq!(restored, "apples\n");
    assert_eq!(view(&running, &session).await["id"], session.as_str());
    let new = running.session().await;
    carried_out(&running, &new, "Write apples").await;
    let _folder = running.end_and_keep().await;
    assert_eq!((ids(&first), ids(&second)), (vec![new], vec![session]));
}

#[tokio::test]
async fn each_folder_has_the_limits_of_its_own_login() {
    let report = Step::Line(
        json!({"type": "rate_limit_event", "uuid": "$uuid", "session_id": "$session_id",
        "rate_limit_info": {"status": "allowed_warning", "rateLimitType": "five_hour", "resetsAt": 4_000_000_000_u64,
            "utilization": 0.5}}),
    );
    let turn = Step::Turn(vec![Step::message([Block::text("Yes.")]), report]);
    let (running, _) = start(Script::new([turn]), tempfile::tempdir().unwrap()).await;
    let [first, second] = both(running.folder.path());
    transcript(&running, &second, TWO, "Pears at work");
    answered(&running, TWO, "And now?").await;
    let limits = async |query: String| get(&running, &format!("/api/limits{query}")).await;
    let of = |folder: &Path| format!("?configDir={}", text(folder));
    for query in [String::new(), of(&first)] {
        assert_eq!(limits(query).await["seen"], Value::Null);
    }
    let reported = limits(of(&second)).await;
    assert_eq!(reported["windows"][0]["used"], 50.0, "{reported}");
    let other = of(running.folder.path());
    let path = format!("/api/limits{other}");
    let refused = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    // They are kept in the folder, for the next server.
    let folder = running.end_and_keep().await;
    fs::remove_dir(folder.path().join("shop")).unwrap();
    assert!(!first.join("claw/limits.json").exists());
    let (running, _) = start(Script::reply("Yes."), folder).await;
    let kept = get(&running, &format!("/api/limits{}", of(&second))).await;
    assert_eq!(kept["windows"], reported["windows"]);
    running.end().await;
}

#[tokio::test]
async fn with_a_store_a_session_runs_with_the_folder_that_has_its_transcript() {
    let store = Arc::new(MemoryStore::new());
    let (running, started) = start_with(
        Script::reply("Hi."),
        tempfile::tempdir().unwrap(),
        |builder| builder.store(store),
    )
    .await;
    let [first, second] = both(running.folder.path());
    transcript(&running, &second, TWO, "Pears at work");
    answered(&running, TWO, "And now?").await;
    let new = running.session().await;
    answered(&running, &new, "Hello").await;
    let set = [&second, &first].map(|folder| Some(text(folder).to_owned()));
    assert_eq!(started.lock().unwrap()[..], set);
    // The store keeps no folder of a session.
    let body = json!({"project": "shop", "configDir": second});
    let refused = running.ask("POST", "/api/sessions", &body).await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("`configDir`"), "{}", refused.body);
    for config in [&first, &second] {
        transcript(&running, config, ONE, "Apples");
    }
    let path = format!("/api/sessions/{ONE}");
    names_both(&running.ask("GET", &path, &Value::Null).await, &running);
    running.end().await;
}
