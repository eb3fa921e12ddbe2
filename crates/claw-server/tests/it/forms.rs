//! The forms of MCP servers and the dialogs of the CLI, which wait for a person.

use std::time::Duration;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};
use tracing::Level;

use crate::client::{Events, Running, soon};
use crate::metrics::Log;

const SECRET: &str = "hunter2-and-more";

/// An elicitation with a field of each kind.
pub(crate) fn elicitation() -> Value {
    json!({"mcp_server_name": "calc", "message": "Who are you?", "mode": "form",
        "property_order": ["name", "age", "sure", "size", "key"],
        "requested_schema": {"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "minLength": 2}, "age": {"type": "integer", "minimum": 3},
            "sure": {"type": "boolean"}, "size": {"type": "string", "enum": ["s", "l"]},
            "key": {"type": "string", "format": "password"}}}})
}

/// A turn that asks for this, and says that it goes on.
fn asks(subtype: &str, body: Value) -> Script {
    Script::new([Step::Turns(vec![
        Step::request(subtype, body),
        Step::message([Block::text("It goes on.")]),
    ])])
}

async fn asked(events: &mut Events) -> Value {
    let request = events.until("request", |_| true).await;
    request.last().unwrap().data.clone()
}

async fn answer(running: &Running, session: &str, request: &Value, answer: Value) -> (u16, Value) {
    let id = request["id"].as_str().unwrap();
    let path = format!("/api/sessions/{session}/requests/{id}");
    let response = running.ask("POST", &path, &answer).await;
    (response.status, response.json())
}

/// What the CLI was answered.
fn replied(running: &Running) -> Value {
    let received = running.agent.received().into_iter().rev();
    let mut answers = received.filter(|line| line["type"] == "control_response");
    answers.next().unwrap()["response"]["response"].clone()
}

async fn goes_on(events: &mut Events) -> Vec<crate::client::Event> {
    events
        .until("state", |state| state["phase"] == "idle")
        .await
}

#[tokio::test]
async fn a_form_is_shown_to_everybody_checked_answered_once_and_its_values_are_kept_nowhere() {
    let log = Log::new(Level::TRACE);
    let running = Running::start(asks("elicitation", elicitation())).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Ask").await;
    let request = asked(&mut events).await;
    assert_eq!(
        (&request["kind"], &request["tool"]),
        (&json!("form"), &Value::Null)
    );
    assert_eq!(request["title"], "calc asks: Who are you?");
    let names = request["form"]["fields"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|field| field["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["name", "age", "sure", "size", "key"]);
    // Whoever comes later is asked as well.
    let mut late = running.events(&session, None).await;
    assert_eq!(
        late.next().await.unwrap().data["requests"],
        json!([request])
    );

    let wrong = json!({"decision": "accept", "content": {"name": "A", "age": 2.5, "key": SECRET, "other": 1}});
    let (status, refused) = answer(&running, &session, &request, wrong).await;
    let error = &refused["error"];
    assert_eq!((status, &error["kind"]), (400, &json!("badRequest")));
    let fields = error["fields"].as_array().unwrap().iter();
    let fields: Vec<_> = fields
        .map(|field| field["name"].as_str().unwrap())
        .collect();
    assert_eq!(fields, ["name", "age", "other"]);
    for unfit in [
        json!({"decision": "allow"}),
        json!({"decision": "accept", "content": {"name": "Ada"}, "message": "m"}),
        json!({"decision": "decline", "content": {}}),
    ] {
        assert_eq!(answer(&running, &session, &request, unfit).await.0, 400);
    }
    let right = json!({"decision": "accept", "content": {"name": "Ada", "age": 36, "sure": false, "size": "l", "key": SECRET}});
    let (status, answered) = answer(&running, &session, &request, right.clone()).await;
    assert_eq!((status, &answered["decision"]), (200, &json!("accept")));
    assert_eq!(
        answer(&running, &session, &request, right.clone()).await.0,
        409
    );
    let seen = goes_on(&mut events).await;
    assert_eq!(
        replied(&running),
        json!({"action": "accept", "content": right["content"]})
    );
    let elements = format!("/api/sessions/{session}/elements");
    let elements = running.ask("GET", &elements, &Value::Null).await;
    let reset = running.events(&session, None).await.next().await.unwrap();
    running.end().await;
    let logged = log.end();
    assert!(logged.contains("status="), "{logged:.2000}");
    let shown = format!("{seen:?}{reset:?}{}{refused}{answered}", elements.body);
    assert!(!shown.contains(SECRET) && !logged.contains(SECRET));
}

#[tokio::test]
async fn a_form_is_declined_cancelled_or_withdrawn() {
    for decision in ["decline", "cancel"] {
        let running = Running::start(asks("elicitation", elicitation())).await;
        let session = running.session().await;
        let mut events = running.events(&session, None).await;
        running.prompt(&session, "Ask").await;
        let request = asked(&mut events).await;
        let decided = json!({"decision": decision});
        assert_eq!(answer(&running, &session, &request, decided).await.0, 200);
        goes_on(&mut events).await;
        assert_eq!(replied(&running), json!({"action": decision}));
        running.end().await;
    }
    let mut body = elicitation();
    body["subtype"] = json!("elicitation");
    let script = Script::new([Step::Turns(vec![
        Step::Line(json!({"type": "control_request", "request_id": "q", "request": body})),
        Step::gate("asked"),
        Step::Line(json!({"type": "control_cancel_request", "request_id": "q"})),
        Step::message([Block::text("It goes on.")]),
    ])]);
    let running = Running::start(script).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Ask").await;
    let request = asked(&mut events).await;
    running.agent.gates().open("asked");
    let answered = events.until("answered", |_| true).await;
    let answered = &answered.last().unwrap().data;
    assert_eq!(
        (&answered["by"], &answered["decision"]),
        (&json!("withdrawn"), &json!("cancel"))
    );
    let late = json!({"decision": "accept", "content": {"name": "Ada"}});
    assert_eq!(answer(&running, &session, &request, late).await.0, 409);
    running.end().await;
}

#[tokio::test]
async fn a_form_that_nobody_answers_is_cancelled() {
    let script = asks("elicitation", elicitation());
    let running = Running::start_as(script, |builder| {
        builder.limits(|limits| limits.answer = Duration::from_millis(50))
    })
    .await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Ask").await;
    let answered = events.until("answered", |_| true).await;
    let answered = &answered.last().unwrap().data;
    assert_eq!(
        (&answered["by"], &answered["decision"]),
        (&json!("timeout"), &json!("cancel"))
    );
    goes_on(&mut events).await;
    assert_eq!(replied(&running), json!({"action": "cancel"}));
    running.end().await;
}

#[tokio::test]
async fn the_cli_is_told_which_dialogs_are_shown_and_others_are_cancelled_and_shown_as_such() {
    let dialog = json!({"dialog_kind": "<b>new</b>", "payload": {"a": 1}});
    let running = Running::start(asks("request_user_dialog", dialog)).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Ask").await;
    let seen = goes_on(&mut events).await;
    assert_eq!(replied(&running), json!({"behavior": "cancelled"}));
    let notice = seen.iter().map(|event| &event.data["value"]["content"]);
    let mut notice = notice.filter(|content| content["type"] == "notice");
    let text = notice.next().unwrap()["text"].as_str().unwrap();
    assert!(text.contains("<b>new</b>"), "{text}");
    let received = running.agent.received();
    let mut started = received.iter().map(|line| &line["request"]);
    let started = started
        .find(|request| request["subtype"] == "initialize")
        .unwrap();
    let kinds = started["supportedDialogKinds"].as_array().unwrap();
    assert!(
        kinds.contains(&json!("auto_mode_outside_reads")),
        "{kinds:?}"
    );
    running.end().await;
}

#[tokio::test]
async fn a_dialog_is_a_choice() {
    let payload = json!({"originalModel": "one", "fallbackModel": "two", "guidanceText": "Why"});
    let dialog = json!({"dialog_kind": "refusal_fallback_prompt", "payload": payload});
    let running = Running::start(asks("request_user_dialog", dialog)).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Ask").await;
    let request = asked(&mut events).await;
    assert_eq!(request["kind"], "dialog");
    let wrong = json!({"decision": "accept", "content": {"choice": "cancelled"}});
    assert_eq!(answer(&running, &session, &request, wrong).await.0, 400);
    let chosen = json!({"decision": "accept", "content": {"choice": "edit_prompt"}});
    assert_eq!(answer(&running, &session, &request, chosen).await.0, 200);
    goes_on(&mut events).await;
    assert_eq!(
        replied(&running),
        json!({"behavior": "completed", "result": "edit_prompt"})
    );
    running.end().await;
}

#[tokio::test]
async fn a_link_is_accepted_without_values_and_one_that_is_none_cannot_be() {
    for (url, status) in [
        ("https://example.com/login", 200),
        ("javascript:alert(1)", 400),
    ] {
        let body = json!({"mcp_server_name": "calc", "message": "Log in", "mode": "url", "url": url, "elicitation_id": "e"});
        let running = Running::start(asks("elicitation", body)).await;
        let session = running.session().await;
        let mut events = running.events(&session, None).await;
        running.prompt(&session, "Ask").await;
        let request = asked(&mut events).await;
        assert_eq!(
            (&request["kind"], &request["form"]["url"]),
            (&json!("link"), &json!(url))
        );
        let accept = json!({"decision": "accept"});
        assert_eq!(answer(&running, &session, &request, accept).await.0, status);
        if status == 200 {
            goes_on(&mut events).await;
            assert_eq!(replied(&running), json!({"action": "accept"}));
        } else {
            answer(&running, &session, &request, json!({"decision": "decline"})).await;
        }
        running.end().await;
    }
}

#[tokio::test]
async fn a_form_of_ten_thousand_fields_is_declined_and_no_answer_of_any_size_stops_the_server() {
    let fields: serde_json::Map<_, _> = (0..10_000)
        .map(|n| (format!("f{n}"), json!({"type": "string"})))
        .collect();
    let body = json!({"mcp_server_name": "calc", "message": "Much", "requested_schema": {"properties": fields}});
    let running = Running::start(asks("elicitation", body)).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Ask").await;
    let request = asked(&mut events).await;
    assert!(request.to_string().len() < 10_000);
    assert!(request["form"]["problem"].as_str().is_some());
    let content: serde_json::Map<_, _> =
        (0..20_000).map(|n| (format!("f{n}"), json!("v"))).collect();
    let all = json!({"decision": "accept", "content": content});
    let (status, refused) = soon(answer(&running, &session, &request, all)).await;
    assert!(status == 400 && refused.to_string().len() < 20_000);
    let large = json!({"decision": "accept", "content": {"a": "x".repeat(100 << 10)}});
    assert_eq!(answer(&running, &session, &request, large).await.0, 400);
    let decline = json!({"decision": "decline"});
    assert_eq!(answer(&running, &session, &request, decline).await.0, 200);
    goes_on(&mut events).await;
    assert_eq!(replied(&running), json!({"action": "decline"}));
    running.end().await;
}
