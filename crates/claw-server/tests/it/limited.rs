//! Prompts that wait for the reset of a usage limit.

use std::fs;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use claw_client::pool::Pool;
use claw_server::ServerBuilder;
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::client::{Event, Running, soon, uuid};
use crate::kept::{marks, prompts, texts, view};

const TEXT: &str = "You've hit your limit";
/// In seconds.
const HOUR: i64 = 3600;

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(since.as_secs()).unwrap()
}

/// A turn that ends at a limit, which is reset in so many seconds.
pub(crate) fn limit(reset_in: i64) -> Step {
    let info = json!({
        "status": "rejected", "resetsAt": now() + reset_in, "rateLimitType": "five_hour", "isUsingOverage": false,
    });
    Step::Turn(vec![
        Step::Line(json!({
            "type": "rate_limit_event", "rate_limit_info": info, "uuid": "$uuid", "session_id": "$session_id",
        })),
        Step::api_failure(429, "rate_limit", TEXT),
    ])
}

fn answers() -> Step {
    Step::Turns(vec![Step::message([Block::text("Yes.")])])
}

/// A server with one process, which waits for two hours at most.
async fn start(steps: impl IntoIterator<Item = Step>) -> Running {
    Running::start_as(Script::new(steps), patient).await
}

fn patient(builder: ServerBuilder) -> ServerBuilder {
    builder
        .pool(Pool::builder().processes(1).build())
        .limits(|limits| limits.limit_wait = Some(Duration::from_hours(2)))
}

fn is_limited(state: &Value) -> bool {
    state["phase"] == "limited"
}

fn is_over(state: &Value) -> bool {
    state["phase"] == "idle"
}

/// The phases of some events, each as often as it began.
fn phases(events: &[Event]) -> Vec<String> {
    let states = events.iter().filter(|event| event.kind == "state");
    let mut phases: Vec<_> = states
        .map(|event| event.data["phase"].as_str().unwrap().to_owned())
        .collect();
    phases.dedup();
    phases
}

/// What was said, without the lines about limits and results.
async fn said(running: &Running, session: &str) -> Vec<String> {
    let mut said = texts(running, session).await;
    let others = ["Rate limit: ", "error: ", "done: "];
    said.retain(|text| !others.iter().any(|other| text.starts_with(other)));
    said
}

async fn post(running: &Running, path: &str) -> u16 {
    running.ask("POST", path, &Value::Null).await.status
}

#[tokio::test]
async fn a_prompt_is_sent_once_more_when_the_limit_is_reset() {
    // Five seconds after this time is now.
    let running = start([limit(-5), answers()]).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt_as(&session, &uuid(1), "Is it so?").await;
    let until = events
        .until("state", |state| is_over(state) && state["costUsd"] != 0.0)
        .await;
    let seen = phases(&until);
    let at = |phase: &str| seen.iter().position(|it| it == phase);
    // It is never idle in between: nobody is told that it is done.
    assert!(at("limited") > at("running"), "{seen:?}");
    assert_eq!(seen.last().unwrap(), "idle", "{seen:?}");
    let idle = seen.iter().skip(at("running").unwrap());
    assert_eq!(idle.filter(|phase| *phase == "idle").count(), 1, "{seen:?}");
    let state = &until.last().unwrap().data;
    assert_eq!(
        (&state["limitedUntil"], &state["error"], &state["queued"]),
        (&Value::Null, &Value::Null, &json!(0))
    );
    assert_eq!(
        said(&running, &session).await,
        ["Is it so?", TEXT, "Is it so?", "Yes."]
    );
    let sent: Vec<_> = running
        .agent
        .received()
        .into_iter()
        .filter(|line| line["type"] == "user")
        .collect();
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert_eq!(sent[0]["message"], sent[1]["message"]);
    assert_eq!(sent[0]["uuid"], uuid(1).as_str());
    assert_ne!(sent[0]["uuid"], sent[1]["uuid"]);
    let folder = running.end_and_keep().await;
    assert!(marks(folder.path()).is_empty());
}

#[tokio::test]
async fn it_is_sent_once_more_and_not_twice() {
    let running = start([limit(-5), limit(-5), answers()]).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Is it so?").await;
    let failed = events
        .until("state", |state| is_over(state) && !state["error"].is_null())
        .await;
    assert_eq!(failed.last().unwrap().data["error"], TEXT);
    assert_eq!(prompts(&running.agent).len(), 2);
    running.end().await;
}

#[tokio::test]
async fn without_the_option_or_too_far_away_the_turn_fails_at_once() {
    let plain = Running::start(Script::new([limit(-5), answers()])).await;
    let far = start([limit(3 * HOUR), answers()]).await;
    for running in [plain, far] {
        let session = running.session().await;
        let mut events = running.events(&session, None).await;
        running.prompt(&session, "Is it so?").await;
        let failed = events
            .until("state", |state| is_over(state) && !state["error"].is_null())
            .await;
        assert_eq!(failed.last().unwrap().data["error"], TEXT);
        assert!(!phases(&failed).contains(&"limited".to_owned()));
        assert_eq!(prompts(&running.agent).len(), 1);
        running.end().await;
    }
}

#[tokio::test]
async fn an_interrupt_takes_it_back_and_others_have_the_process_meanwhile() {
    let running = start([limit(HOUR), answers()]).await;
    let mut sessions = Vec::new();
    // There is one process for all three: none of them keeps it.
    for _ in 0..3 {
        let session = running.session().await;
        let mut events = running.events(&session, None).await;
        running.prompt(&session, "Is it so?").await;
        // The prompt is queued again before its first turn has ended, so `queued` is 2 for a moment.
        let waits = |state: &Value| is_limited(state) && state["queued"] == 1;
        let limited = events.until("state", waits).await;
        let state = limited.last().unwrap().data.clone();
        let until = state["limitedUntil"].as_f64().unwrap() / 1000.0;
        let expected = f64::from(u32::try_from(now() + HOUR).unwrap());
        assert!((until - expected).abs() < 60.0, "{state}");
        sessions.push((session, events));
    }
    // The last one's process is there still, and answers its next prompt.
    let (session, events) = &mut sessions[2];
    // What comes meanwhile waits behind it.
    running.prompt(session, "And this?").await;
    assert_eq!(view(&running, session).await["state"]["queued"], 2);
    assert_eq!(
        post(&running, &format!("/api/sessions/{session}/interrupt")).await,
        204
    );
    let over = events.until("state", is_over).await;
    assert_eq!(over.last().unwrap().data["limitedUntil"], Value::Null);
    assert_eq!(
        said(&running, session).await,
        ["Is it so?", TEXT, "And this?", "Yes."]
    );
    assert_eq!(
        post(&running, &format!("/api/sessions/{session}/interrupt")).await,
        409
    );

    // One prompt by its UUID.
    let (session, events) = &mut sessions[1];
    let state = view(&running, session).await["state"].clone();
    let waiting = state["waitingPrompts"][0].as_str().unwrap();
    let cancel = format!("/api/sessions/{session}/prompts/{waiting}/cancel");
    assert_eq!(post(&running, &cancel).await, 204);
    events.until("state", is_over).await;
    assert_eq!(said(&running, session).await, ["Is it so?", TEXT]);

    // Whoever closes the session lets go of it.
    let close = format!("/api/sessions/{}/close", sessions[0].0);
    assert_eq!(post(&running, &close).await, 204);
    let folder = running.end_and_keep().await;
    assert!(marks(folder.path()).is_empty());
}

#[tokio::test]
async fn a_server_that_ends_does_not_wait_for_it_and_the_next_one_finds_it() {
    // Turns may finish for an hour. Nothing runs here.
    let script = Script::new([limit(HOUR), answers()]);
    let running = Running::start_as(script, |builder| {
        patient(builder).connections(|it| it.finish = Duration::from_hours(1))
    })
    .await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Is it so?").await;
    let limited = events.until("state", is_limited).await;
    let waiting = limited.last().unwrap().data["waitingPrompts"][0].clone();
    let folder = running.end_and_keep().await;
    let told = events.until("closed", |_| true).await;
    assert_eq!(told[told.len() - 2].data["phase"], "cut");
    assert_eq!(marks(folder.path()), ["accepted"]);

    fs::remove_dir(folder.path().join("shop")).unwrap();
    let running = Running::start_in(Script::new([answers()]), folder, patient).await;
    let state = view(&running, &session).await["state"].clone();
    let unanswered = json!([{"uuid": waiting, "sent": false}]);
    assert_eq!(
        (&state["phase"], &state["unanswered"]),
        (&json!("cut"), &unanswered)
    );
    // Sent again, it runs.
    let mut events = running.events(&session, None).await;
    let uuid = waiting.as_str().unwrap();
    let again = running.prompt_as(&session, uuid, "Is it so?").await;
    assert_eq!(again.status, 202, "{}", again.body);
    soon(events.until("state", is_over)).await;
    assert_eq!(prompts(&running.agent).len(), 1);
    running.end().await;
}
