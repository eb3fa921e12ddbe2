//! Images, documents and other files in a prompt.

use std::fs;

use claw_testkit::agent::Script;
use serde_json::{Value, json};

use crate::client::Running;

#[tokio::test]
async fn documents_are_sent_with_a_prompt() {
    let running = Running::start(Script::reply("Read.")).await;
    let session = running.session().await;
    let path = format!("/api/sessions/{session}/prompts");
    let pdf = json!({"mediaType": "application/pdf", "data": "JVBERi0=", "title": "a.pdf"});
    let text = json!({"mediaType": "text/plain", "data": "# <Clöck>"});
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
async fn another_file_is_written_and_named_in_the_prompt() {
    let running = Running::start(Script::reply("Read.")).await;
    let session = running.session().await;
    let path = format!("/api/sessions/{session}/prompts");
    let zip = |title: Option<&str>, data: &str| json!({"mediaType": "application/zip", "data": data, "title": title});
    for (file, wrong) in [
        (zip(None, "UEs="), "needs a `title`"),
        (zip(Some(""), "UEs="), "needs a `title`"),
        (zip(Some("a.zip"), "*"), "documents[0].data is not base64"),
    ] {
        let refused = json!({"text": "Read", "documents": [file]});
        let refused = running.ask("POST", &path, &refused).await;
        assert_eq!(refused.status, 400, "{}", refused.body);
        assert!(refused.body.contains(wrong), "{}", refused.body);
    }
    let folder = running.folder.path().join("shop/.claude/uploads");
    assert!(!folder.exists());

    let uuid = "01234567-89ab-4def-8123-456789abcdef";
    let files = json!([zip(Some("../my data.zip"), "UEs="), zip(Some("b"), "Qg==")]);
    let prompt = json!({"uuid": uuid, "text": "Read", "documents": files});
    let mut events = running.events(&session, None).await;
    let response = running.ask("POST", &path, &prompt).await;
    assert_eq!(response.status, 202, "{}", response.body);
    // They are there before the prompt is accepted.
    let first = folder.join("0123456789ab4def8123456789abcdef-my-data.zip");
    assert_eq!(fs::read(&first).unwrap(), b"PK");
    assert_eq!(
        fs::read(folder.join("0123456789ab4def8123456789abcdef-2-b")).unwrap(),
        b"B"
    );
    events
        .until("change", |data| data.to_string().contains("turnEnd"))
        .await;
    let received = running.agent.received();
    let prompt_line = received.iter().find(|line| line["type"] == "user").unwrap();
    assert_eq!(
        prompt_line["message"]["content"],
        "Read\n\n@.claude/uploads/0123456789ab4def8123456789abcdef-my-data.zip\n@.claude/uploads/0123456789ab4def8123456789abcdef-2-b"
    );

    // The same prompt again is not sent, and writes nothing.
    fs::remove_file(&first).unwrap();
    let again = running.ask("POST", &path, &prompt).await;
    assert_eq!(again.status, 200, "{}", again.body);
    assert!(!first.exists());

    // A prompt whose file cannot be written is not accepted.
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "in the way").unwrap();
    let prompt = json!({"text": "Read", "documents": [zip(Some("c.zip"), "UEs=")]});
    let refused = running.ask("POST", &path, &prompt).await;
    assert_eq!(refused.status, 500, "{}", refused.body);
    assert!(
        refused.body.contains("uploads is not a folder"),
        "{}",
        refused.body
    );
    let prompts = running.agent.received();
    let prompts = prompts.iter().filter(|line| line["type"] == "user");
    assert_eq!(prompts.count(), 1);
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
