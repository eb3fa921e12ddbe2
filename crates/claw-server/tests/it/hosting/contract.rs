//! What the contract says.

use std::sync::{Arc, Mutex};

use claw_client::QueryOptions;
use claw_client::Session;
use claw_server::{Hosting, hosted_session};
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use serde_json::{Value, json};

use super::{Turn, messages, processes, prompts, said, says, start, start_as, turn, waits};
use crate::client::{Running, soon};

#[tokio::test]
async fn a_session_is_made_and_goes_on_and_each_response_has_its_own_turn_alone() {
    let running = start(Script::new([says("Four."), says("Five.")])).await;
    let health = running.ask("GET", "/health", &Value::Null).await;
    assert_eq!(
        (health.status, health.json()),
        (200, json!({"status": "ok"}))
    );
    let first = Turn::ask(&running, "demo-1", "What is 2 + 2?").await;
    let head = first.head.to_ascii_lowercase();
    for header in [
        "content-type: text/event-stream\r\n",
        "cache-control: no-store\r\n",
        "x-accel-buffering: no\r\n",
    ] {
        assert!(head.contains(header), "{head}");
    }
    let first = first.rest().await;
    assert_eq!(said(&first), "Four. | done");
    let messages = messages(&first);
    let of = |kind: &'static str| {
        messages
            .iter()
            .filter(move |message| message["type"] == kind)
    };
    assert_eq!(of("system").next().unwrap()["subtype"], "init");
    assert_eq!(of("result").count(), 1, "{messages:#?}");
    // Its data are empty.
    assert_eq!(first.last().unwrap(), &("done".to_owned(), String::new()));

    let second = turn(&running, "demo-1", "And one more?").await;
    assert_eq!(said(&second), "Five. | done");
    assert_eq!(processes(&running.agent), 1);
    assert_eq!(prompts(&running.agent), ["What is 2 + 2?", "And one more?"]);
    let live = running.server.hub().live();
    let live: Vec<_> = live.iter().map(|live| live.id().clone()).collect();
    assert_eq!(live, [hosted_session("demo-1").unwrap()]);
    running.end().await;
}

#[tokio::test]
async fn lines_are_passed_on_as_they_are_whether_or_not_they_can_be_read() {
    let odd = r#"{ "type" : "system",  "subtype":"odd","n":1.50, "é":"\u00e9" }"#;
    let unreadable = json!({"type": "assistant", "message": "cannot be one"});
    // The order of its keys depends on a feature of serde_json.
    let cannot = unreadable.to_string();
    let script = Script::new([Step::Turn(vec![
        Step::Text(odd.to_owned()),
        Step::Text("no JSON: data: x".to_owned()),
        Step::Line(unreadable),
        Step::Raw("one\rtwo\n".to_owned()),
        Step::message([Block::text("Yes.")]),
    ])]);
    let running = start(script).await;
    let events = turn(&running, "x", "Is it?").await;
    let data: Vec<_> = events.iter().map(|(_, data)| &**data).collect();
    for line in [odd, "no JSON: data: x", &*cannot] {
        assert!(data.contains(&line), "{data:#?}");
    }
    // A carriage return ends a line of the stream too: there are two, of one event.
    assert!(data.contains(&"one\ntwo"), "{data:#?}");
    assert_eq!(events.last().unwrap().0, "done");
    running.end().await;
}

#[tokio::test]
async fn prompts_for_one_session_have_their_turns_in_order() {
    let script = Script::new([
        waits("one", "One."),
        waits("two", "Two."),
        waits("three", "Three."),
    ]);
    let running = start(script).await;
    // The first two at once: both find no session.
    let (one, two) = tokio::join!(
        Turn::ask(&running, "x", "first"),
        Turn::ask(&running, "x", "second")
    );
    soon(running.agent.gates().reached("one")).await;
    let three = Turn::ask(&running, "x", "third").await;
    assert_eq!(running.server.hub().live().len(), 1);
    let sent = prompts(&running.agent);
    // The others wait until the turn is over, and are not folded into it.
    assert_eq!(sent.len(), 1);
    for gate in ["one", "two", "three"] {
        running.agent.gates().open(gate);
    }
    let (one, two, three) = tokio::join!(one.rest(), two.rest(), three.rest());
    let (of_first, of_second) = if sent[0] == "first" {
        (one, two)
    } else {
        (two, one)
    };
    assert_eq!(said(&of_first), "One. | done");
    assert_eq!(said(&of_second), "Two. | done");
    assert_eq!(said(&three), "Three. | done");
    assert_eq!(processes(&running.agent), 1);
    assert_eq!(prompts(&running.agent)[2], "third");
    running.end().await;
}

#[tokio::test]
async fn a_session_on_disk_goes_on_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let session = hosted_session("demo-1").unwrap();
    let begun = Arc::<Mutex<Vec<QueryOptions>>>::default();
    let (of_session, path) = (begun.clone(), folder.path().to_owned());
    let agent = Agent::new(Script::reply("Still here."));
    let running = Running::start_serving(
        Script::reply("unused"),
        folder,
        Some(Hosting::new("shop")),
        |builder| {
            builder.session(move |options| {
                of_session.lock().unwrap().push(options.clone());
                Session::builder(options).transport(agent.clone())
            })
        },
    )
    .await;
    crate::disk::transcript(&running, session.as_str());
    // One that an earlier server cut before it had said anything, and one of another folder.
    let other = hosted_session("other").unwrap();
    let empty = hosted_session("empty").unwrap();
    let project = path.join("config/projects/p");
    std::fs::create_dir_all(&project).unwrap();
    let line = json!({"type": "queue-operation", "operation": "enqueue", "sessionId": empty,
        "timestamp": "2026-01-01T00:00:00.000Z"});
    std::fs::write(project.join(format!("{empty}.jsonl")), format!("{line}\n")).unwrap();
    let line = json!({"type": "user", "uuid": "11111111-1111-4111-8111-111111111111",
        "parentUuid": null, "sessionId": other, "cwd": path, "timestamp": "2026-01-01T00:00:00.000Z",
        "isSidechain": false, "userType": "external", "version": "2.1.330",
        "message": {"role": "user", "content": "Secret?"}});
    std::fs::write(project.join(format!("{other}.jsonl")), format!("{line}\n")).unwrap();

    assert_eq!(
        said(&turn(&running, "demo-1", "Go on").await),
        "Still here. | done"
    );
    for (id, session, error) in [
        ("empty", &empty, "nothing was said yet"),
        ("other", &other, "the session began in a folder"),
    ] {
        let refused = said(&turn(&running, id, "Go on").await);
        let error = format!("error: {error}");
        assert!(refused.starts_with(&error), "{refused}");
        assert!(refused.contains(session.as_str()), "{refused}");
    }
    let begun = begun.lock().unwrap().clone();
    let resumed: Vec<_> = begun.iter().map(|options| options.resume.clone()).collect();
    assert_eq!(resumed, [Some(session)]);
    running.end().await;
}

#[tokio::test]
async fn nobody_is_asked_for_permission() {
    let script = Script::new([Step::Turn(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::permission(
            [Step::message([Block::text("Allowed.")])],
            [Step::message([Block::text("Denied.")])],
        ),
    ])]);
    let running = start(script).await;
    assert_eq!(said(&turn(&running, "x", "List").await), "Denied. | done");
    let received = running.agent.received();
    let answer = received
        .iter()
        .find(|line| line["type"] == "control_response");
    let answer = &answer.unwrap()["response"]["response"];
    assert_eq!(answer["behavior"], "deny", "{answer}");
    running.end().await;
}

#[tokio::test]
async fn answers_come_whole_unless_the_options_ask_for_their_parts() {
    let begun = Arc::<Mutex<Vec<QueryOptions>>>::default();
    for asked in [None, Some(true)] {
        let (of_session, agent) = (begun.clone(), Agent::new(Script::reply("Yes.")));
        let running = start_as(Script::reply("unused"), Hosting::new("shop"), |builder| {
            let mut options = QueryOptions::default();
            options.include_partial_messages = asked;
            builder.options(options).session(move |options| {
                of_session.lock().unwrap().push(options.clone());
                Session::builder(options).transport(agent.clone())
            })
        })
        .await;
        assert_eq!(said(&turn(&running, "x", "Is it?").await), "Yes. | done");
        running.end().await;
    }
    let begun = begun.lock().unwrap();
    let partial: Vec<_> = begun
        .iter()
        .map(|options| options.include_partial_messages)
        .collect();
    assert_eq!(partial, [Some(false), Some(true)]);
}

#[tokio::test]
async fn hosted_sessions_are_counted() {
    let running = start(Script::new([waits("one", "One.")])).await;
    let one = Turn::ask(&running, "x", "first").await;
    soon(running.agent.gates().reached("one")).await;
    let metrics = running.ask("GET", "/metrics", &Value::Null).await.body;
    for line in [
        "claw_sessions{phase=\"running\"} 1",
        "claw_viewers 1",
        "claw_processes{state=\"running\"} 1",
    ] {
        assert!(metrics.lines().any(|other| other == line), "{metrics}");
    }
    assert!(
        !metrics.contains(hosted_session("x").unwrap().as_str()),
        "{metrics}"
    );
    running.agent.gates().open("one");
    one.rest().await;
    running.end().await;
}
