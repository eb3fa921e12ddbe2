//! JSON-RPC.

use claw_testkit::agent::Script;
use serde_json::{Value, json};

use crate::client::{Response, Running};
use crate::disk::transcript;

const ID: &str = "11111111-1111-4111-8111-111111111111";

async fn post(running: &Running, body: &Value) -> Response {
    running.ask("POST", "/rpc", body).await
}

fn call(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

async fn result(running: &Running, method: &str, params: Value) -> Value {
    let response = post(running, &call(method, &params)).await;
    assert_eq!(response.status, 200, "{}", response.body);
    let response = response.json();
    assert_eq!(
        (&response["jsonrpc"], &response["id"]),
        (&json!("2.0"), &json!(7))
    );
    assert!(response.get("error").is_none(), "{response}");
    response["result"].clone()
}

#[tokio::test]
async fn messages_come_in_their_envelopes_page_by_page() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ID);
    let all = result(&running, "session/messages", json!({"session_id": ID})).await;
    assert_eq!(
        (&all["has_more"], &all["unreadable"]),
        (&json!(false), &json!(0))
    );
    let envelope = json!({"id": 1, "session_id": ID, "type": "user", "git_branch": "main",
        "uuid": "a0000000-0000-4000-8000-000000000001", "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"role": "user", "content": [{"type": "text", "text": "Where are the apples?"}]}});
    assert_eq!(all["messages"][0], envelope);
    assert_eq!(
        all["messages"][1]["message"]["content"][0]["text"],
        "In the cellar."
    );
    assert_eq!(all["messages"].as_array().unwrap().len(), 2);
    for (params, ids, has_more) in [
        (json!({"limit": 1}), json!([2]), true),
        (json!({"before": 2}), json!([1]), false),
        (json!({"after": 0, "limit": 1}), json!([1]), true),
        (json!({"after": 1}), json!([2]), false),
        (json!({"after": 2}), json!([]), false),
    ] {
        let mut params = params;
        params["session_id"] = ID.into();
        let page = result(&running, "session/messages", params.clone()).await;
        let messages = page["messages"].as_array().unwrap().iter();
        let found: Value = messages.map(|message| message["id"].clone()).collect();
        assert_eq!(
            (found, &page["has_more"]),
            (ids, &json!(has_more)),
            "{params}"
        );
    }
    running.end().await;
}

/// Prompts and notices of tasks that were taken up while the model worked are attachments.
#[tokio::test]
async fn queued_messages_are_messages_and_come_once() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ID);
    let folder = running.folder.path().join("config/projects");
    let path = std::fs::read_dir(folder).unwrap();
    let path = path.map(|project| project.unwrap().path().join(format!("{ID}.jsonl")));
    let path = path.filter(|path| path.exists()).last().unwrap();
    let queued = |uuid: &str, source: &str, meta: bool| {
        json!({"parentUuid": null, "isSidechain": false, "type": "attachment", "uuid": uuid,
            "timestamp": "2026-01-01T00:00:02.000Z", "sessionId": ID, "gitBranch": "main",
            "attachment": {"type": "queued_command", "prompt": "And the pears?", "source_uuid": source,
                "isMeta": meta}})
    };
    let other = json!({"type": "attachment", "uuid": "x", "attachment": {"type": "todo"}});
    let mut text = std::fs::read_to_string(&path).unwrap();
    for line in [
        other,
        queued("q-1", "b-1", false),
        queued("q-2", "b-1", false),
        queued("q-3", "b-2", true),
    ] {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    std::fs::write(&path, text).unwrap();
    for after in [json!(0), json!(4), json!(5)] {
        let params = json!({"session_id": ID, "after": after});
        let page = result(&running, "session/messages", params).await;
        let messages = page["messages"].as_array().unwrap().iter();
        let found: Vec<_> = messages
            .filter(|message| message["is_queued_command"] == true)
            .collect();
        // The line after the fourth one repeats what stands in the fourth.
        assert_eq!(found.len(), usize::from(after == 0), "{page}");
        assert_eq!(page["unreadable"], 0);
        for message in found {
            assert_eq!(message["type"], "user");
            assert_eq!(message["uuid"], "b-1");
            let body =
                json!({"role": "user", "content": [{"type": "text", "text": "And the pears?"}]});
            assert_eq!(message["message"], body);
        }
    }
    running.end().await;
}

/// The form of a message in a list of messages: content in blocks, and the summary of a compaction is named.
#[tokio::test]
async fn the_summary_of_a_compaction_is_named_and_each_content_is_a_list() {
    let running = Running::start(Script::reply("Hi.")).await;
    transcript(&running, ID);
    let folder = running.folder.path().join("config/projects");
    let path = std::fs::read_dir(folder).unwrap();
    let path = path.map(|project| project.unwrap().path().join(format!("{ID}.jsonl")));
    let path = path.filter(|path| path.exists()).last().unwrap();
    let summary = json!({"type": "user", "uuid": "c-1", "parentUuid": null, "sessionId": ID,
        "timestamp": "2026-01-01T00:00:02.000Z", "isCompactSummary": true, "isVisibleInTranscriptOnly": true,
        "message": {"role": "user", "content": "This session is being continued: apples."}});
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str(&summary.to_string());
    text.push('\n');
    std::fs::write(&path, text).unwrap();
    let page = result(&running, "session/messages", json!({"session_id": ID})).await;
    let messages = page["messages"].as_array().unwrap();
    let is_list = |message: &Value| message["message"]["content"].is_array();
    assert!(messages.iter().all(is_list), "{page}");
    let named: Vec<_> = messages
        .iter()
        .map(|message| message.get("is_context_compaction"))
        .collect();
    assert_eq!(named, [None, None, Some(&json!(true))]);
    assert_eq!(
        messages[2]["message"]["content"],
        json!([{"type": "text", "text": "This session is being continued: apples."}])
    );
    running.end().await;
}

#[tokio::test]
async fn sessions_are_listed_and_prompted() {
    let running = Running::start(Script::reply("Seven.")).await;
    let session = running.session().await;
    let list = result(&running, "session/list", json!({"project": "shop"})).await;
    assert_eq!(list["sessions"][0]["id"], session.as_str());
    let mut events = running.events(&session, None).await;
    let uuid = "b0000000-0000-4000-8000-000000000001";
    let params = json!({"session_id": session, "text": "How many?", "uuid": uuid});
    let sent = result(&running, "session/prompt", params).await;
    assert_eq!(sent, json!({"uuid": uuid, "session": session}));
    let seen = events
        .until("state", |state| state["phase"] == "idle")
        .await;
    assert!(
        seen.iter()
            .any(|event| event.data.to_string().contains("Seven.")),
        "{seen:#?}"
    );
    running.end().await;
}

#[tokio::test]
async fn errors_have_the_codes_of_the_specification() {
    let running = Running::start(Script::reply("Hi.")).await;
    let foreign = json!({"session_id": "22222222-2222-4222-8222-222222222222"});
    let both = json!({"session_id": ID, "before": 1, "after": 1});
    for (body, code, id) in [
        (json!(1), -32600, Value::Null),
        (json!([]), -32600, Value::Null),
        (json!(vec![1; 17]), -32600, Value::Null),
        (json!({"id": 7, "method": "session/list"}), -32600, json!(7)),
        (
            json!({"jsonrpc": "2.0", "id": 7, "method": 1}),
            -32600,
            json!(7),
        ),
        (
            json!({"jsonrpc": "2.0", "id": [7], "method": "session/list"}),
            -32600,
            Value::Null,
        ),
        (call("session/list", &json!("x")), -32600, json!(7)),
        (call("session/none", &json!({})), -32601, json!(7)),
        (call("session/list", &json!([1])), -32602, json!(7)),
        (
            call("session/list", &json!({"unknown": 1})),
            -32602,
            json!(7),
        ),
        (call("session/messages", &json!({})), -32602, json!(7)),
        (call("session/messages", &both), -32602, json!(7)),
        (call("session/messages", &foreign), -32001, json!(7)),
        (
            call("session/messages", &json!({"session_id": "../x"})),
            -32001,
            json!(7),
        ),
        (
            call("session/list", &json!({"project": "none"})),
            -32001,
            json!(7),
        ),
    ] {
        let response = post(&running, &body).await;
        assert_eq!(response.status, 200, "{}", response.body);
        let response = response.json();
        assert_eq!(
            (&response["error"]["code"], &response["id"]),
            (&json!(code), &id),
            "{body}"
        );
    }
    let head = running.head("POST", "/rpc");
    let broken = format!("{head}Connection: close\r\nContent-Length: 1\r\n\r\n{{");
    assert_eq!(running.raw(&broken).await.json()["error"]["code"], -32700);
    let host = running.address;
    let stranger = format!("POST /rpc HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    assert_eq!(running.raw(&stranger).await.status, 401);
    running.end().await;
}

#[tokio::test]
async fn a_batch_is_answered_in_its_order_and_notifications_are_not_answered() {
    let running = Running::start(Script::reply("Seven.")).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    let prompt = json!({"jsonrpc": "2.0", "method": "session/prompt",
        "params": {"session_id": session, "text": "How many?"}});
    let alone = post(&running, &prompt).await;
    assert_eq!((alone.status, &*alone.body), (204, ""));
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    let unknown = json!({"jsonrpc": "2.0", "method": "session/none"});
    assert_eq!(post(&running, &json!([unknown])).await.status, 204);
    let mut named = call("session/list", &json!({}));
    named["id"] = "two".into();
    let batch = json!([call("session/list", &json!({})), unknown, 1, named]);
    let responses = post(&running, &batch).await.json();
    let ids: Vec<_> = responses
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["id"])
        .collect();
    assert_eq!(ids, [&json!(7), &Value::Null, &json!("two")]);
    assert_eq!(responses[1]["error"]["code"], -32600);
    running.end().await;
}
