//! Live sessions that nobody uses.

use claw_client::pool::Pool;
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::client::{Running, soon};

async fn open(running: &Running, id: &str) -> u16 {
    let resume = json!({"resume": id});
    running.ask("POST", "/api/sessions", &resume).await.status
}

fn live(running: &Running) -> Vec<String> {
    let live = running.server.hub().live();
    let mut live: Vec<_> = live.iter().map(|live| live.id().to_string()).collect();
    live.sort();
    live
}

fn id(number: usize) -> String {
    format!("{number}1111111-1111-4111-8111-111111111111")
}

#[tokio::test]
async fn at_the_limit_the_session_that_was_used_longest_ago_makes_room() {
    let running = Running::start_as(Script::reply("Hi."), |builder| {
        builder.limits(|limits| limits.sessions = 2)
    })
    .await;
    for number in 0..4 {
        crate::disk::transcript(&running, &id(number));
    }
    assert_eq!(open(&running, &id(0)).await, 201);
    assert_eq!(open(&running, &id(1)).await, 201);
    let path = format!("/api/sessions/{}", id(0));
    assert_eq!(running.ask("GET", &path, &Value::Null).await.status, 200);
    assert_eq!(open(&running, &id(2)).await, 201);
    assert_eq!(live(&running), [id(0), id(2)]);

    // Sessions that somebody looks at stay.
    let one = running.events(&id(0), None).await;
    let other = running.events(&id(2), None).await;
    assert_eq!(open(&running, &id(3)).await, 503);
    drop((one, other));
    // The server sees that a viewer is gone when it sends to it.
    running.prompt(&id(0), "Are you there?").await;
    running.prompt(&id(2), "Are you there?").await;
    soon(async {
        while open(&running, &id(3)).await == 503 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    // What was closed comes back from disk.
    let gone = if live(&running).contains(&id(0)) {
        2
    } else {
        0
    };
    let path = format!("/api/sessions/{}/elements", id(gone));
    let elements = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(elements.status, 200, "{}", elements.body);
    assert_eq!(elements.json()[1]["content"]["text"], "In the cellar.");
    running.end().await;
}

#[tokio::test]
async fn a_session_that_nobody_uses_is_closed_after_a_while_and_comes_back_from_disk() {
    let running = Running::start_as(Script::reply("Yes."), |builder| {
        builder.limits(|limits| limits.idle = std::time::Duration::from_millis(40))
    })
    .await;
    for number in 0..2 {
        crate::disk::transcript(&running, &id(number));
    }
    assert_eq!(open(&running, &id(0)).await, 201);
    let mut events = running.events(&id(0), None).await;
    // Each is closed in its turn, while the one with a viewer stays.
    for _ in 0..3 {
        assert_eq!(open(&running, &id(1)).await, 201);
        soon(async {
            while live(&running).contains(&id(1)) {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
    assert_eq!(live(&running), [id(0)]);
    running.prompt(&id(0), "Are you there?").await;
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let path = format!("/api/sessions/{}/elements", id(1));
    let elements = running.ask("GET", &path, &Value::Null).await.json();
    assert_eq!(elements[1]["content"]["text"], "In the cellar.");
    running.end().await;
}

#[tokio::test]
async fn a_prompt_that_waits_for_a_process_is_not_sent_once_its_session_is_closed() {
    let script = Script::new([Step::Turns(vec![Step::message([
        Block::text("I think.").hold(1, "half")
    ])])]);
    let running = Running::start_as(script, |builder| {
        builder.pool(Pool::builder().processes(1).build())
    })
    .await;
    let mut sessions = Vec::new();
    for _ in 0..3 {
        sessions.push(running.session().await);
    }
    running.prompt(&sessions[0], "First").await;
    soon(running.agent.gates().reached("half")).await;
    let mut events = running.events(&sessions[1], None).await;
    running.prompt(&sessions[1], "Never").await;
    events
        .until("state", |state| state["phase"] == "waiting")
        .await;
    let close = format!("/api/sessions/{}/close", sessions[1]);
    assert_eq!(running.ask("POST", &close, &Value::Null).await.status, 204);
    events.until("closed", |_| true).await;
    // Whoever comes later has its turn after it.
    let mut events = running.events(&sessions[2], None).await;
    running.prompt(&sessions[2], "Last").await;
    running.agent.gates().open("half");
    events
        .until("state", |state| {
            state["phase"] == "idle" && state["costUsd"] != 0.0
        })
        .await;
    let received = running.agent.received();
    let prompts: Vec<_> = received
        .iter()
        .filter(|line| line["type"] == "user")
        .map(|line| line["message"]["content"].to_string())
        .collect();
    assert_eq!(prompts.len(), 2, "{prompts:?}");
    assert!(
        !prompts.iter().any(|prompt| prompt.contains("Never")),
        "{prompts:?}"
    );
    running.end().await;
}
