//! The usage limits of the login, and the tokens and costs of turns.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::activity::Stream;
use crate::client::Running;

/// A time in seconds at which no limit of a test is reset yet.
const FAR: u64 = 4_000_000_000;

fn limits(five_hours: f64) -> Step {
    Step::Line(json!({"type": "rate_limit_event", "uuid": "$uuid", "session_id": "$session_id",
        "rate_limit_info": {"status": "allowed_warning", "rateLimitType": "five_hour", "resetsAt": FAR,
            "unifiedWindows": {
                "seven_day": {"utilization": 0.13, "resetsAt": FAR, "status": "allowed"},
                "five_hour": {"utilization": five_hours, "resetsAt": FAR, "status": "allowed_warning"}}}}))
}

/// The shares of the windows, in percent.
fn shares(limits: &Value) -> Vec<(&str, f64)> {
    let windows = limits["windows"].as_array().unwrap().iter();
    let share = |window: &Value| window["used"].as_f64().unwrap().round();
    windows
        .map(|window| (window["kind"].as_str().unwrap(), share(window)))
        .collect()
}

#[tokio::test]
async fn every_page_is_told_the_limits_that_any_session_reported_last() {
    let turn = |share| Step::Turn(vec![Step::message([Block::text("Yes.")]), limits(share)]);
    let running = Running::start(Script::new([turn(0.42), turn(0.93)])).await;
    let read = async || {
        let response = running.ask("GET", "/api/limits", &Value::Null).await;
        assert_eq!(response.status, 200);
        response.json()
    };
    let nothing = json!({"seen": null, "status": null, "windows": [], "isOverage": false});
    assert_eq!(read().await, nothing);
    let (one, other) = (running.session().await, running.session().await);
    let mut list = Stream::open(&running, "/stream").await;
    let mut page = Stream::open(&running, &format!("/s/{other}/stream")).await;
    running.prompt(&one, "Well?").await;
    let expected = [("five_hour", 42.0), ("seven_day", 13.0)];
    for stream in [&mut list, &mut page] {
        let told = stream.until_named("limits", |_| true).await;
        assert_eq!(shares(&told), expected);
    }
    let first = read().await;
    assert_eq!(shares(&first), expected);
    assert_eq!(first["status"], "allowed_warning");
    assert_eq!(first["windows"][0]["resets"], json!(1000.0 * 4e9));
    // A page that comes late is told at once.
    let mut late = Stream::open(&running, &format!("/s/{one}/stream")).await;
    late.until_named("limits", |told| shares(told) == expected)
        .await;
    running.prompt(&one, "And now?").await;
    let newer = [("five_hour", 93.0), ("seven_day", 13.0)];
    list.until_named("limits", |told| shares(told) == newer)
        .await;
    let second = read().await;
    assert_eq!(shares(&second), newer);
    assert!(second["seen"].as_f64() >= first["seen"].as_f64());
    running.end().await;
}

#[tokio::test]
async fn a_turn_has_its_tokens_while_it_runs_and_its_cost_after_it() {
    let running = Running::start(Script::new([Step::Turns(vec![
        Step::message([Block::text("First.")]),
        Step::Gate("more".to_owned()),
        Step::message([Block::text("Second.")]),
    ])]))
    .await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Well?").await;
    let is_counted = |state: &Value| state["turn"]["outputTokens"] == 12;
    let running_turn = events.until("state", is_counted).await;
    let state = &running_turn.last().unwrap().data;
    assert_eq!(state["phase"], "running");
    assert_eq!(state["turn"]["inputTokens"], 10);
    assert_eq!(state["turn"]["isEstimate"], true);
    // Nobody knows what this model costs.
    assert_eq!(state["turn"]["costUsd"], Value::Null);
    running.agent.gates().open("more");
    let over = events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let state = &over.last().unwrap().data;
    assert_eq!(state["turn"]["outputTokens"], 24);
    assert_eq!(state["turn"]["isEstimate"], false);
    assert_eq!(state["turn"]["costUsd"], state["costUsd"]);
    assert_eq!(state["costIsEstimate"], false);
    assert!(state["costUsd"].as_f64().unwrap() > 0.0, "{state}");
    running.end().await;
}
