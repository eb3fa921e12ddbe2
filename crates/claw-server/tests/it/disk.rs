//! Sessions on disk.

use claw_testkit::agent::Script;
use serde_json::{Value, json};
use tracing::Level;

use crate::client::Running;
use crate::faults::Row;
use crate::metrics::Log;

const ID: &str = "11111111-1111-4111-8111-111111111111";

/// Writes the transcript of a session of the project.
pub(crate) fn transcript(running: &Running, id: &str) {
    // Usage is counted by the folders that claude has for projects.
    let shop = running.folder.path().join("shop").canonicalize().unwrap();
    let projects = running.folder.path().join("config/projects");
    let project = projects.join(claw_sessions::slug(&shop));
    std::fs::create_dir_all(&project).unwrap();
    let line = |uuid: &str, parent: Value, kind: &str, message: Value| {
        json!({"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": id,
            "cwd": running.folder.path().join("shop"), "timestamp": "2026-01-01T00:00:00.000Z",
            "gitBranch": "main", "isSidechain": false, "userType": "external", "version": "2.1.330", "message": message})
    };
    let asked = line(
        "a0000000-0000-4000-8000-000000000001",
        Value::Null,
        "user",
        json!({"role": "user", "content": "Where are the apples?"}),
    );
    let answered = line(
        "a0000000-0000-4000-8000-000000000002",
        asked["uuid"].clone(),
        "assistant",
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "In the cellar."}], "stop_reason": "end_turn",
            "stop_sequence": null, "usage": {"input_tokens": 3, "output_tokens": 4}}),
    );
    std::fs::write(
        project.join(format!("{id}.jsonl")),
        format!("{asked}\n{answered}\n"),
    )
    .unwrap();
    // The list need not find it by itself.
    let hub = running.server.hub();
    hub.refresh(&hub.sessions().find(id).unwrap());
}

#[test]
fn a_damaged_line_of_history_is_logged() {
    let row = Row::of("a line of a transcript is damaged");
    let log = Log::new(Level::WARN);
    Log::runtime().block_on(async {
        let running = Running::start(Script::reply("Hi.")).await;
        transcript(&running, ID);
        let session = running.server.hub().sessions().find(ID).unwrap();
        let text = std::fs::read_to_string(session.transcript()).unwrap();
        std::fs::write(session.transcript(), format!("{text}no JSON\n")).unwrap();
        let path = format!("/api/sessions/{ID}/elements");
        let shown = running.ask("GET", &path, &Value::Null).await;
        assert!(shown.body.contains("no JSON"), "{}", shown.body);
        row.is_logged(&log, "a line of a transcript cannot be read")
            .await;
        running.end().await;
    });
    assert!(log.end().contains(ID));
}

#[tokio::test]
async fn a_damaged_line_of_history_is_shown_in_its_place() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ID);
    let path = running.server.hub().sessions().find(ID).unwrap();
    let path = path.transcript();
    let text = std::fs::read_to_string(path).unwrap();
    let (asked, answered) = text.trim_end().split_once('\n').unwrap();
    // No JSON, nothing at all, an entry that does not fit, and what a power cut leaves.
    let damaged = format!(
        "{asked}\nno JSON \u{7}\n\n{answered}\n{{\"type\":\"user\",\"uuid\":7}}\n{}",
        &answered[..40]
    );
    std::fs::write(path, damaged).unwrap();
    let elements = running
        .ask("GET", &format!("/api/sessions/{ID}/elements"), &Value::Null)
        .await
        .json();
    let content = |element: &Value| {
        let content = &element["content"];
        let kind = content["type"].as_str().unwrap().to_owned();
        (kind, content["text"].as_str().unwrap().to_owned())
    };
    let shown: Vec<_> = elements.as_array().unwrap().iter().map(content).collect();
    let of = |kind: &str, text: &str| (kind.to_owned(), text.to_owned());
    assert_eq!(
        shown,
        [
            of("userInput", "Where are the apples?"),
            of("unknown", "no JSON \\u{7}"),
            of("assistantText", "In the cellar."),
            of("unknown", "{\"type\":\"user\",\"uuid\":7}"),
            of("unknown", &answered[..40]),
        ]
    );
    running.end().await;
}

#[tokio::test]
async fn sessions_on_disk_are_listed_found_renamed_forked_and_opened() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ID);
    let get = async |path: &str| {
        let response = running.ask("GET", path, &Value::Null).await;
        assert_eq!(response.status, 200, "{path}: {}", response.body);
        response.json()
    };
    let new = running.session().await;
    let list = get("/api/sessions").await;
    assert_eq!(list["sessions"][0]["id"], new.as_str());
    assert_eq!(list["sessions"][0]["phase"], "idle");
    assert_eq!(list["sessions"][1]["id"], ID);
    assert_eq!(list["sessions"][1]["phase"], Value::Null);
    let page = get("/api/sessions?limit=1").await;
    let next = page["next"].as_str().unwrap();
    let page = get(&format!("/api/sessions?limit=1&cursor={next}")).await;
    assert_eq!(
        (&page["sessions"][0]["id"], &page["next"]),
        (&json!(ID), &Value::Null)
    );
    assert_eq!(get("/api/sessions?q=APPLES").await["sessions"][0]["id"], ID);
    assert_eq!(get("/api/search?q=cellar").await[0]["sessionId"], ID);
    assert_eq!(get("/api/usage?by=model").await["m"]["tokens"]["output"], 4);

    // The answer is of 2026-01-01.
    assert_eq!(get("/api/usage?by=model&days=7").await, json!({}));
    assert_eq!(
        get("/api/usage?by=day&days=365000").await["2026-01-01"]["tokens"]["output"],
        4
    );

    let path = format!("/api/sessions/{ID}");
    let patched = running
        .ask("PATCH", &path, &json!({"title": "Fruit", "tag": "red"}))
        .await;
    assert_eq!(patched.status, 204, "{}", patched.body);
    let found = get("/api/sessions?q=fruit").await;
    assert_eq!(found["sessions"][0]["tag"], "red");
    let elements = get(&format!("{path}/elements")).await;
    assert_eq!(elements[1]["content"]["text"], "In the cellar.");

    let fork = running
        .ask("POST", &format!("{path}/fork"), &json!({"title": "Copy"}))
        .await;
    assert_eq!(fork.status, 201, "{}", fork.body);
    assert_ne!(fork.json()["id"], ID);
    // The same in one request with everything else.
    let body = json!({"fork": {"session": ID}, "title": "Other", "mode": "plan"});
    let fork = running.ask("POST", "/api/sessions", &body).await;
    assert_eq!(fork.status, 201, "{}", fork.body);
    assert_eq!(fork.json()["state"]["mode"], "plan");
    assert_ne!(fork.json()["id"], ID);
    for both in [json!({"fork": {"session": ID}, "resume": ID}), json!({})] {
        let refused = running.ask("POST", "/api/sessions", &both).await;
        assert_eq!(refused.status, 400, "{}", refused.body);
    }
    let resume = running
        .ask("POST", "/api/sessions", &json!({"resume": ID}))
        .await;
    assert_eq!((resume.status, &resume.json()["id"]), (201, &json!(ID)));
    running.end().await;
}

#[tokio::test]
async fn a_mode_that_a_project_does_not_have_is_refused_in_a_live_session_too() {
    let running = Running::start(Script::reply("Hi.")).await;
    let session = running.session().await;
    let path = format!("/api/sessions/{session}/settings");
    let bypass = running
        .ask("POST", &path, &json!({"mode": "bypassPermissions"}))
        .await;
    assert_eq!(bypass.status, 400, "{}", bypass.body);
    let plan = running
        .ask("POST", &path, &json!({"mode": "plan", "model": "other"}))
        .await;
    assert_eq!(plan.status, 200, "{}", plan.body);
    assert_eq!(plan.json()["state"]["mode"], "plan");
    assert_eq!(plan.json()["state"]["model"], "other");
    running.end().await;
}
