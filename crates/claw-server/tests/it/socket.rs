//! A conversation over the WebSocket.

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::client::{Running, soon};
use crate::document;

pub(crate) type Socket = WebSocketStream<TcpStream>;

pub(crate) async fn connect(
    running: &Running,
    session: &str,
    headers: &[(&'static str, String)],
) -> Result<Socket, u16> {
    let address = running.address;
    let url = format!("ws://{address}/api/sessions/{session}/socket");
    let mut request = url.into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    let stream = TcpStream::connect(address).await.unwrap();
    match soon(client_async(request, stream)).await {
        Ok((socket, _)) => Ok(socket),
        Err(Error::Http(response)) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn token(running: &Running) -> (&'static str, String) {
    let token = running.server.token().expose();
    ("authorization", format!("Bearer {token}"))
}

pub(crate) async fn say(socket: &mut Socket, value: &Value) {
    socket.send(Message::text(value.to_string())).await.unwrap();
}

/// The next message of this type.
pub(crate) async fn heard(socket: &mut Socket, kind: &str) -> Value {
    loop {
        let message = soon(socket.next()).await.unwrap().unwrap();
        let value: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
        document::check_message("x-server-message", &value);
        if value["type"] == kind {
            return value;
        }
    }
}

fn script() -> Script {
    Script::new([Step::Turns(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::permission(
            [
                Step::tool_result("7"),
                Step::message([Block::text("Seven.")]),
            ],
            [Step::message([Block::text("Then not.")])],
        ),
    ])])
}

#[tokio::test]
async fn a_prompt_a_permission_and_its_answer_go_over_one_socket() {
    let running = Running::start(script()).await;
    let session = running.session().await;
    let mut socket = connect(&running, &session, &[token(&running)])
        .await
        .unwrap();
    say(&mut socket, &json!({"type": "nonsense"})).await;
    assert_eq!(heard(&mut socket, "error").await["kind"], "badRequest");
    say(&mut socket, &json!({"type": "prompt", "text": "How many?"})).await;
    let asked = heard(&mut socket, "permission_request").await;
    assert_eq!(asked["title"], "Bash(ls)");
    assert_eq!(asked["conversationId"], session.as_str());
    // Whoever comes now is asked as well.
    let mut other = connect(&running, &session, &[token(&running)])
        .await
        .unwrap();
    assert_eq!(heard(&mut other, "permission_request").await, asked);
    let mut answer = json!({"type": "permission_answer", "requestId": asked["requestId"],
        "answer": {"decision": "allow"}});
    document::check_message("x-client-message", &answer);
    say(&mut socket, &answer).await;
    for (socket, by) in [(&mut socket, "you"), (&mut other, "another viewer")] {
        let resolved = heard(socket, "permission_resolved").await;
        assert_eq!(resolved["by"], by);
        assert_eq!(resolved["id"], asked["requestId"]);
        assert_eq!(resolved["decision"], "allow");
        let response = heard(socket, "claude_response").await;
        assert_eq!(response["content"], "Seven.");
    }
    answer["answer"]["decision"] = json!("deny");
    say(&mut other, &answer).await;
    assert_eq!(heard(&mut other, "error").await["kind"], "answered");
    running.end().await;
}

/// A client can keep the state of the session: it gets the state at the start and at each change, and each turn's end.
#[tokio::test]
async fn a_client_hears_of_the_state_and_of_the_end_of_each_turn() {
    let script = Script::new([Step::Turns(vec![Step::message([Block::text("Seven.")])])]);
    let running = Running::start(script).await;
    let session = running.session().await;
    let headers = [token(&running)];
    let mut socket = connect(&running, &session, &headers).await.unwrap();
    let first = soon(socket.next()).await.unwrap().unwrap();
    let first: Value = serde_json::from_str(first.to_text().unwrap()).unwrap();
    assert_eq!(
        (&first["type"], &first["phase"]),
        (&json!("session_state"), &json!("idle"))
    );
    for _ in 0..2 {
        say(&mut socket, &json!({"type": "prompt", "text": "How many?"})).await;
        while heard(&mut socket, "session_state").await["phase"] != "running" {}
        let ended = heard(&mut socket, "turn_ended").await;
        assert_eq!(ended["conversationId"], session.as_str());
        assert_eq!(
            (&ended["outcome"], &ended["result"], &ended["errors"]),
            (&json!("completed"), &json!("success"), &json!([]))
        );
        for cost in ["costUsd", "sessionCostUsd"] {
            assert!(ended[cost].as_f64().unwrap() > 0.0, "{ended}");
        }
        while heard(&mut socket, "session_state").await["phase"] != "idle" {}
    }
    running.end().await;
}

#[tokio::test]
async fn a_turn_whose_process_ends_is_over_without_a_result() {
    let script = Script::new([Step::Turns(vec![
        Step::message([Block::text("I begin.")]),
        Step::Exit(3),
    ])]);
    let running = Running::start(script).await;
    let session = running.session().await;
    let headers = [token(&running)];
    let mut socket = connect(&running, &session, &headers).await.unwrap();
    say(&mut socket, &json!({"type": "prompt", "text": "How many?"})).await;
    let ended = heard(&mut socket, "turn_ended").await;
    assert_eq!(
        (&ended["outcome"], &ended["result"], &ended["costUsd"]),
        (&json!("failed"), &Value::Null, &Value::Null)
    );
    assert_eq!(ended["errors"].as_array().unwrap().len(), 1);
    running.end().await;
}

#[tokio::test]
async fn what_is_no_message_is_answered_with_an_error_and_the_socket_stays() {
    let running = Running::start(script()).await;
    let session = running.session().await;
    let headers = [token(&running)];
    let mut socket = connect(&running, &session, &headers).await.unwrap();
    let prompt = json!({"type": "prompt", "text": "How many?"});
    let bytes = prompt.to_string().into_bytes();
    socket.send(Message::binary(bytes)).await.unwrap();
    let error = heard(&mut socket, "error").await;
    assert_eq!(error["kind"], "badRequest");
    assert_eq!(error["message"], "a message is text, and no binary frame");
    let image = json!({"mediaType": "image/png", "data": "***"});
    for (no_message, wrong) in [
        (json!(["interrupt"]), "expected an object"),
        (
            json!(["prompt", [null, "How many?", [], [], null]]),
            "expected an object",
        ),
        (
            json!({"type": "prompt", "text": "How many?", "images": [["image/png", "QUFB"]]}),
            "expected an object",
        ),
        (
            json!({"type": "prompt", "text": "How many?", "images": [image]}),
            "images[0].data is not base64",
        ),
    ] {
        say(&mut socket, &no_message).await;
        let error = heard(&mut socket, "error").await;
        assert_eq!(error["kind"], "badRequest", "{no_message}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(wrong), "{no_message}: {message}");
    }
    say(&mut socket, &prompt).await;
    let asked = heard(&mut socket, "permission_request").await;
    let id = &asked["requestId"];
    for no_answer in [
        json!({"type": "permission_answer", "requestId": id, "answer": ["allow"]}),
        json!(["permission_answer", {"requestId": id, "answer": {"decision": "allow"}}]),
    ] {
        say(&mut socket, &no_answer).await;
        let error = heard(&mut socket, "error").await;
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("expected an object"),
            "{no_answer}: {message}"
        );
    }
    // It still waits.
    say(
        &mut socket,
        &json!({"type": "permission_answer", "requestId": id, "answer": {"decision": "allow"}}),
    )
    .await;
    assert_eq!(
        heard(&mut socket, "claude_response").await["content"],
        "Seven."
    );
    running.end().await;
}

#[tokio::test]
async fn a_form_goes_over_a_socket_and_what_is_wrong_with_it_is_said() {
    let script = Script::new([Step::Turns(vec![
        Step::request("elicitation", crate::forms::elicitation()),
        Step::message([Block::text("Hello.")]),
    ])]);
    let running = Running::start(script).await;
    let session = running.session().await;
    let socket = async || {
        let headers = [token(&running)];
        connect(&running, &session, &headers).await.unwrap()
    };
    let mut first = socket().await;
    say(&mut first, &json!({"type": "prompt", "text": "Ask"})).await;
    let asked = heard(&mut first, "form_request").await;
    assert_eq!(asked["form"]["from"], "calc");
    let mut late = socket().await;
    assert_eq!(heard(&mut late, "form_request").await, asked);
    let mut answer = json!({"type": "permission_answer", "requestId": asked["id"],
        "answer": {"decision": "accept", "content": {}}});
    say(&mut late, &answer).await;
    let error = heard(&mut late, "error").await;
    assert_eq!(
        error["message"],
        "the form cannot be accepted: name is missing"
    );
    answer["answer"]["content"] = json!({"name": "Ada"});
    say(&mut late, &answer).await;
    let resolved = heard(&mut first, "permission_resolved").await;
    assert_eq!(
        (&resolved["id"], &resolved["decision"]),
        (&asked["id"], &json!("accept"))
    );
    assert_eq!(
        heard(&mut first, "claude_response").await["content"],
        "Hello."
    );
    running.end().await;
}

#[tokio::test]
async fn who_answers_is_told_so_and_the_others_are_told_its_name() {
    let running = Running::start(script()).await;
    let session = running.session().await;
    let connected = async |name: &str| {
        let name = ("x-claw-viewer", name.to_owned());
        let headers = [token(&running), name];
        connect(&running, &session, &headers).await.unwrap()
    };
    let mut phone = connected("phone").await;
    // Nobody is named as the server names others.
    let mut other = connected("you").await;
    for (answers, by) in [
        ("phone", "phone"),
        ("other", "another viewer"),
        ("rest", "another viewer"),
    ] {
        running.prompt(&session, "How many?").await;
        let asked = heard(&mut phone, "permission_request").await;
        heard(&mut other, "permission_request").await;
        let id = asked["requestId"].as_str().unwrap();
        let answer =
            json!({"type": "permission_answer", "requestId": id, "answer": {"decision": "deny"}});
        match answers {
            "phone" => say(&mut phone, &answer).await,
            "other" => say(&mut other, &answer).await,
            _ => {
                let path = format!("/api/sessions/{session}/requests/{id}");
                let answered = running.ask("POST", &path, &answer["answer"]).await;
                assert_eq!(answered.json()["by"], "you");
            }
        }
        for (name, socket) in [("phone", &mut phone), ("other", &mut other)] {
            let resolved = heard(socket, "permission_resolved").await;
            let expected = if name == answers { "you" } else { by };
            assert_eq!(
                resolved["by"], expected,
                "{answers} answered, {name} is told"
            );
            heard(socket, "claude_response").await;
        }
    }
    running.end().await;
}

#[tokio::test]
async fn no_socket_opens_without_the_token_or_for_another_page() {
    let running = Running::start(script()).await;
    let session = running.session().await;
    let (host, token) = (running.address, token(&running));
    let open =
        async |headers: &[(&'static str, String)]| connect(&running, &session, headers).await;
    assert_eq!(open(&[]).await.unwrap_err(), 401);
    let foreign = ("origin", "http://evil.example".to_owned());
    assert_eq!(open(&[token.clone(), foreign]).await.unwrap_err(), 403);
    let rebound = ("host", format!("evil.example:{}", host.port()));
    assert_eq!(open(&[token.clone(), rebound]).await.unwrap_err(), 403);
    // A browser that has logged in says which page it is of.
    let cookie = running.log_in(&running.server.login_path()).await;
    let cookie = ("cookie", cookie);
    let key = ("x-claw-key", "a1".repeat(32));
    let own = ("origin", format!("http://{host}"));
    for lacking in [
        &[cookie.clone(), key.clone()],
        &[cookie.clone(), own.clone()],
    ] {
        assert_eq!(open(lacking).await.unwrap_err(), 403);
    }
    assert!(open(&[cookie, key, own]).await.is_ok());
    running.end().await;
}
