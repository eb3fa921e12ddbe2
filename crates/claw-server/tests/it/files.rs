//! Images and documents in a prompt.

use claw_testkit::agent::Script;
use serde_json::{Value, json};

use crate::client::Running;

#[tokio::test]
async fn documents_are_sent_with_a_prompt_and_others_are_refused() {
    let running = Running::start(Script::reply("Read.")).await;
    let session = running.session().await;
    let path = format!("/api/sessions/{session}/prompts");
    let pdf = json!({"mediaType": "application/pdf", "data": "JVBERi0=", "title": "a.pdf"});
    let text = json!({"mediaType": "text/plain", "data": "# <Clöck>"});
    let zip = json!({"mediaType": "application/zip", "data": "UEs="});
    let refused = json!({"text": "Read", "documents": [pdf, zip]});
    let refused = running.ask("POST", &path, &refused).await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.body.contains("a document is PDF"),
        "{}",
        refused.body
    );

    let mut events = running.events(&session, None).await;
    let prompt = json!({"text": "", "documents": [pdf, text]});
    let response = running.ask("POST", &path, &prompt).await;
    assert_eq!(response.status, 202, "{}", response.body);
    events
        .until("change", |data| data.to_string().contains("turnEnd"))
        .await;
    let received = running.agent.received();
    let prompts: Vec<_> = received
        .iter()
        .filter(|line| line["type"] == "user")
        .collect();
    let [prompt] = prompts[..] else {
        panic!("{prompts:?}")
    };
    let content = &prompt["message"]["content"];
    let source = |kind: &str, media: &str, data: &str| json!({"type": kind, "media_type": media, "data": data});
    assert_eq!(
        *content,
        json!([
            {"type": "document", "source": source("base64", "application/pdf", "JVBERi0="), "title": "a.pdf"},
            {"type": "document", "source": source("text", "text/plain", "# <Clöck>")},
        ])
    );
    let elements = running
        .ask(
            "GET",
            &format!("/api/sessions/{session}/elements"),
            &Value::Null,
        )
        .await;
    assert!(elements.body.contains("a.pdf"), "{}", elements.body);
    running.end().await;
}

#[tokio::test]
async fn what_is_not_base64_is_refused_with_its_place() {
    let running = Running::start(Script::reply("Read.")).await;
    let session = running.session().await;
    let path = format!("/api/sessions/{session}/prompts");
    let pdf = |data: &str| json!({"mediaType": "application/pdf", "data": data});
    let png = |data: &str| json!({"mediaType": "image/png", "data": data});
    let text = json!({"mediaType": "text/plain", "data": "***"});
    for (files, wrong) in [
        (
            json!({"documents": [pdf("***")]}),
            "documents[0].data is not base64",
        ),
        (
            json!({"documents": [text, pdf("")]}),
            "documents[1].data is empty",
        ),
        (
            json!({"images": [png("QUFB"), png("QUE")]}),
            "images[1].data is not base64",
        ),
        (
            json!({"images": [png("QUFB\n")]}),
            "images[0].data is not base64",
        ),
        (
            json!({"images": [png("data:image/png;base64,QUFB")]}),
            "images[0].data is a data: URL: send only what follows its comma",
        ),
    ] {
        let mut prompt = files.clone();
        prompt["text"] = json!("Read");
        let refused = running.ask("POST", &path, &prompt).await;
        assert_eq!(refused.status, 400, "{files}: {}", refused.body);
        let message = refused.json()["error"]["message"].to_string();
        assert!(message.contains(wrong), "{files}: {message}");
        prompt["session_id"] = json!(session);
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": prompt});
        let refused = running.ask("POST", "/rpc", &call).await.json();
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        let message = refused["error"]["message"].to_string();
        assert!(message.contains(wrong), "{files}: {message}");
    }
    // Nothing of it is in the conversation.
    let path = format!("/api/sessions/{session}/elements");
    let elements = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(elements.json(), json!([]));
    running.end().await;
}
