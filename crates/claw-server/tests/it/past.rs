//! What is done about prompts that were sent: taking one back, copies that end at one, files as they were.

use std::fs;
use std::path::Path;

use claw_client::pool::Pool;
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};

use crate::client::{Response, Running, soon, uuid};

fn says(text: &str) -> Step {
    Step::message([Block::text(text)])
}

async fn send(running: &Running, session: &str, number: usize, text: &str) {
    let sent = running.prompt_as(session, &uuid(number), text).await;
    assert_eq!(sent.status, 202, "{}", sent.body);
}

async fn cancel(running: &Running, session: &str, prompt: &str) -> Response {
    let path = format!("/api/sessions/{session}/prompts/{prompt}/cancel");
    running.ask("POST", &path, &Value::Null).await
}

async fn waiting(running: &Running, session: &str) -> Value {
    let view = running
        .ask("GET", &format!("/api/sessions/{session}"), &Value::Null)
        .await;
    view.json()["state"]["waitingPrompts"].clone()
}

#[tokio::test]
async fn a_prompt_that_was_not_sent_yet_is_taken_back_and_leaves_nothing() {
    let script = Script::new([Step::Turns(vec![says("I work."), Step::gate("worked")])]);
    let running = Running::start_as(script, |builder| {
        builder.pool(Pool::builder().processes(1).build())
    })
    .await;
    let first = running.session().await;
    send(&running, &first, 0, "Work").await;
    soon(running.agent.gates().reached("worked")).await;
    // There is no process for it.
    let session = running.session().await;
    for number in 1..4 {
        send(&running, &session, number, &format!("Prompt {number}")).await;
    }
    assert_eq!(waiting(&running, &session).await, json!([uuid(2), uuid(3)]));
    let text = format!("/api/sessions/{session}/prompts/{}", uuid(2));
    let text = async || running.ask("GET", &text, &Value::Null).await;
    let shown = text().await.json();
    let nothing = json!([]);
    assert_eq!(
        shown,
        json!({"text": "Prompt 2", "images": nothing, "documents": nothing, "attachments": 0})
    );
    assert_eq!(cancel(&running, &session, &uuid(2)).await.status, 204);
    assert_eq!(text().await.status, 404);
    assert_eq!(waiting(&running, &session).await, json!([uuid(3)]));
    // Twice, or what does not wait, or what nobody knows.
    let twice = cancel(&running, &session, &uuid(2)).await;
    assert_eq!(
        (twice.status, &twice.json()["error"]["kind"]),
        (409, &json!("taken"))
    );
    assert_eq!(cancel(&running, &first, &uuid(0)).await.status, 409);
    for nobody in ["x", "..", "%2e%2e%2fsettings"] {
        assert_eq!(
            cancel(&running, &session, nobody).await.status,
            404,
            "{nobody}"
        );
    }
    // Sent again by somebody who has not heard of it, it is not run.
    let again = running.prompt_as(&session, &uuid(2), "Prompt 2").await;
    assert_eq!(again.status, 200);
    let mut events = running.events(&session, None).await;
    running.agent.gates().open("worked");
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let received = running.agent.received();
    let prompts = received.iter().filter(|line| line["type"] == "user");
    let prompts: Vec<_> = prompts
        .map(|line| line["message"]["content"].clone())
        .collect();
    assert_eq!(prompts, ["Work", "Prompt 1", "Prompt 3"]);
    let folder = running.end_and_keep().await;
    assert!(
        !folder
            .path()
            .join("config/claw/prompts")
            .read_dir()
            .unwrap()
            .any(|entry| { entry.unwrap().path().is_dir() })
    );
}

#[tokio::test]
async fn the_files_of_a_prompt_are_given_as_they_can_be_sent_again() {
    let running = Running::start(Script::reply("Yes.")).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    let images = json!([{"mediaType": "image/png", "data": "AAAA"}]);
    let documents = json!([
        {"mediaType": "application/pdf", "data": "JVBERi0=", "title": "a.pdf"},
        {"mediaType": "text/plain", "data": "fn main() {}"},
    ]);
    let path = format!("/api/sessions/{session}/prompts");
    let mut prompt =
        json!({"text": "Look", "uuid": uuid(1), "images": images, "documents": documents});
    assert_eq!(running.ask("POST", &path, &prompt).await.status, 202);
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let read = async |number| {
        let path = format!("{path}/{}", uuid(number));
        running.ask("GET", &path, &Value::Null).await.json()
    };
    let expected =
        json!({"text": "Look", "images": images, "documents": documents, "attachments": 3});
    assert_eq!(read(1).await, expected);
    // Sent again as it was given.
    prompt["uuid"] = json!(uuid(2));
    for (name, value) in read(1).await.as_object().unwrap() {
        if name != "attachments" {
            prompt[name] = value.clone();
        }
    }
    assert_eq!(running.ask("POST", &path, &prompt).await.status, 202);
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    assert_eq!(read(2).await, expected);
    let received = running.agent.received().into_iter();
    let sent: Vec<_> = received
        .filter(|line| line["type"] == "user")
        .map(|line| line["message"]["content"].clone())
        .collect();
    assert_eq!(sent[0], sent[1]);
    running.end().await;
}

#[tokio::test]
async fn a_prompt_that_the_cli_lets_go_is_no_part_of_the_conversation_and_no_error() {
    let script = Script::new([
        Step::Turn(vec![
            says("I work."),
            Step::expect_prompt(),
            Step::gate("got"),
            Step::expect_request("cancel_async_message"),
            Step::Line(
                json!({"type": "command_lifecycle", "command_uuid": uuid(1), "state": "cancelled",
                "uuid": "$uuid", "session_id": "$session_id"}),
            ),
            Step::Reply(json!({"cancelled": true})),
            Step::gate("worked"),
            says("Done."),
        ]),
        Step::Turn(vec![says("Again.")]),
    ]);
    let running = Running::start(script).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    send(&running, &session, 0, "Work").await;
    events
        .until("state", |state| state["phase"] == "running")
        .await;
    send(&running, &session, 1, "Not this").await;
    // The CLI has it.
    soon(running.agent.gates().reached("got")).await;
    running.agent.gates().open("got");
    assert_eq!(cancel(&running, &session, &uuid(1)).await.status, 204);
    running.agent.gates().open("worked");
    let ended = events
        .until("state", |state| state["phase"] == "idle")
        .await;
    assert_eq!(ended.last().unwrap().data["error"], Value::Null);
    let elements = running
        .ask(
            "GET",
            &format!("/api/sessions/{session}/elements"),
            &Value::Null,
        )
        .await;
    assert!(!elements.body.contains("Not this"), "{}", elements.body);
    send(&running, &session, 2, "Once more").await;
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    running.end().await;
}

#[tokio::test]
async fn files_are_restored_only_as_they_were_listed_and_while_nothing_runs() {
    let found = |files: &[&str]| {
        Step::Reply(
            json!({"canRewind": true, "filesChanged": files, "insertions": 3, "deletions": 4}),
        )
    };
    let asked = || Step::expect_request("rewind_files");
    let script = Script::new([
        Step::Turn(vec![says("I work."), Step::gate("worked")]),
        asked(),
        found(&["/elsewhere/b", "/elsewhere/a"]),
        // Other changes than those that were listed.
        asked(),
        found(&["/elsewhere/b", "/elsewhere/a", "/elsewhere/c"]),
        asked(),
        found(&["/elsewhere/a", "/elsewhere/b"]),
        asked(),
        Step::Reply(json!({"canRewind": true})),
        asked(),
        Step::Reply(json!({"canRewind": false, "error": "No checkpoint"})),
        Step::gate("never"),
    ]);
    let running = Running::start(script).await;
    let session = running.session().await;
    let path = format!("/api/sessions/{session}/rewind");
    let rewind = async |body: Value| running.ask("POST", &path, &body).await;
    let mut events = running.events(&session, None).await;
    send(&running, &session, 0, "Work").await;
    soon(running.agent.gates().reached("worked")).await;
    let early = rewind(json!({"prompt": uuid(0)})).await;
    assert_eq!(
        (early.status, &early.json()["error"]["kind"]),
        (409, &json!("running"))
    );
    running.agent.gates().open("worked");
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let listed = rewind(json!({"prompt": uuid(0)})).await.json();
    let changes =
        json!({"files": ["/elsewhere/a", "/elsewhere/b"], "insertions": 3, "deletions": 4});
    assert_eq!(
        listed,
        json!({"reason": null, "changes": changes, "done": false})
    );
    let wanted = json!({"prompt": uuid(0), "expect": changes});
    let other = rewind(wanted.clone()).await;
    assert_eq!(
        (other.status, &other.json()["error"]["kind"]),
        (409, &json!("changed"))
    );
    let done = rewind(wanted).await.json();
    assert_eq!((&done["done"], &done["changes"]), (&json!(true), &changes));
    let refused = rewind(json!({"prompt": uuid(0)})).await.json();
    assert_eq!(
        (&refused["reason"], &refused["done"]),
        (&json!("No checkpoint"), &json!(false))
    );
    assert_eq!(
        rewind(json!({"prompt": uuid(0), "force": true}))
            .await
            .status,
        422
    );
    let received = running.agent.received();
    let requests = received.iter().map(|line| &line["request"]);
    let dry: Vec<_> = requests
        .filter(|request| request["subtype"] == "rewind_files")
        .map(|request| request["dry_run"] == true)
        .collect();
    assert_eq!(dry, [true, true, true, false, true]);
    running.end().await;
}

/// The lines of a conversation of two turns, whose prompts are [`uuid`] 1 and 3.
pub(crate) fn two_turns(id: &str, folder: &Path) -> [Value; 4] {
    let line = |kind: &str, number: usize, parent: Option<usize>, text: &str| {
        let message = json!({"role": kind, "content": [{"type": "text", "text": text}], "id": "m", "type": "message",
            "model": "m", "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}});
        let mut line = json!({"type": kind, "uuid": uuid(number), "parentUuid": parent.map(uuid), "sessionId": id,
            "cwd": folder, "timestamp": "2026-01-01T00:00:00.000Z", "isSidechain": false, "userType": "external",
            "version": "2.1.330", "message": message});
        if kind == "user" {
            line["permissionMode"] = json!("default");
            line["message"] = json!({"role": "user", "content": text});
        }
        line
    };
    [
        line("user", 1, None, "First?"),
        line("assistant", 2, Some(1), "One."),
        line("user", 3, Some(2), "Second?"),
        line("assistant", 4, Some(3), "Two."),
    ]
}

/// Copies a conversation of [`two_turns`] from every place, and from where there is none.
pub(crate) async fn is_copied(running: &Running, id: &str) {
    let fork = async |body: Value| {
        running
            .ask("POST", &format!("/api/sessions/{id}/fork"), &body)
            .await
    };
    let said = async |fork: Response| {
        assert_eq!(fork.status, 201, "{}", fork.body);
        let copy = fork.json()["id"].as_str().unwrap().to_owned();
        assert_ne!(copy, id);
        let path = format!("/api/sessions/{copy}/elements");
        let elements = running.ask("GET", &path, &Value::Null).await.json();
        let texts = elements.as_array().unwrap().iter();
        let texts = texts.filter_map(|element| element["content"]["text"].as_str());
        texts.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        said(fork(json!({"before": uuid(3)})).await).await,
        ["First?", "One."]
    );
    assert_eq!(
        said(fork(json!({"through": uuid(1)})).await).await,
        ["First?", "One."]
    );
    let all = ["First?", "One.", "Second?", "Two."];
    assert_eq!(said(fork(json!({"through": uuid(3)})).await).await, all);
    // Nothing is before the first prompt: a new session.
    assert_eq!(said(fork(json!({"before": uuid(1)})).await).await, [""; 0]);
    let opened = json!({"fork": {"session": id, "before": uuid(1)}, "mode": "plan"});
    let opened = running.ask("POST", "/api/sessions", &opened).await.json();
    assert_eq!(
        (&opened["project"], &opened["state"]["mode"]),
        (&json!("shop"), &json!("plan"))
    );
    for wrong in [
        json!({"before": uuid(7)}),
        json!({"before": ""}),
        json!({"before": uuid(3), "through": uuid(3)}),
        json!({"before": uuid(3), "upTo": uuid(2)}),
    ] {
        assert_eq!(fork(wrong.clone()).await.status, 400, "{wrong}");
    }
    let nobody = json!({"fork": {"session": uuid(8), "before": uuid(1)}});
    assert_eq!(
        running.ask("POST", "/api/sessions", &nobody).await.status,
        404
    );
}

#[tokio::test]
async fn a_copy_ends_before_a_prompt_or_with_its_turn() {
    let running = Running::start(Script::reply("Hi.")).await;
    let (id, shop) = (uuid(9), running.folder.path().join("shop"));
    let project = running.folder.path().join("config/projects/p");
    fs::create_dir_all(&project).unwrap();
    let lines = two_turns(&id, &shop).map(|line| format!("{line}\n"));
    fs::write(project.join(format!("{id}.jsonl")), lines.concat()).unwrap();
    is_copied(&running, &id).await;
    running.end().await;
}
