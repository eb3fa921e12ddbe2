//! What somebody tries who may not.

use claw_server::{Hosting, Project, Server, Token};
use claw_sessions::Sessions;
use claw_testkit::agent::Script;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{start, start_as};
use crate::client::{Response, Running, soon};

const TOKEN: &str = "0123456789abcdef";

/// The status of a request of these lines, with this body.
async fn status(running: &Running, head: &str, body: &str) -> Response {
    let length = body.len();
    running
        .raw(&format!(
            "{head}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
        .await
}

const JSON: &str = "Content-Type: application/json\r\n";
const HELLO: &str = r#"{"prompt":"Hello"}"#;
/// Every route but `/health`.
const ROUTES: [(&str, &str); 4] = [
    ("POST", "/sessions/x/messages"),
    ("GET", "/sessions/x/messages"),
    ("GET", "/metrics"),
    ("GET", "/nowhere"),
];

#[tokio::test]
async fn with_a_token_nothing_but_health_opens_without_it() {
    let token = Token::new(TOKEN).unwrap();
    let hosting = Hosting::new("shop").token(token).behind_gateway();
    let running = start_as(Script::reply("Hi."), hosting, |builder| builder).await;
    let with = async |method: &str, path: &str, more: &str| {
        // By whatever name a gateway asks.
        let head = format!("{method} {path} HTTP/1.1\r\nHost: agent.example:8000\r\n{JSON}{more}");
        status(&running, &head, HELLO).await
    };
    for (method, path) in ROUTES {
        let wrong = [
            String::new(),
            "Authorization: Bearer \r\n".to_owned(),
            "Authorization: Bearer 0123456789abcdeg\r\n".to_owned(),
            format!("Authorization: Bearer {TOKEN}0\r\n"),
            format!("Authorization: Bearer {}\r\n", &TOKEN[1..]),
            format!("Authorization: Basic {TOKEN}\r\n"),
            format!("Authorization: {TOKEN}\r\n"),
            format!("Cookie: claw_session={TOKEN}\r\n"),
            format!("Authorization: Bearer {TOKEN}\r\nAuthorization: Bearer {TOKEN}\r\n"),
            // That of the server's other routes.
            format!(
                "Authorization: Bearer {}\r\n",
                running.server.token().expose()
            ),
        ];
        for more in wrong {
            let refused = with(method, path, &more).await;
            assert_eq!(refused.status, 401, "{method} {path} {more}");
            assert!(refused.json()["detail"].is_string(), "{}", refused.body);
        }
        let own = format!("Authorization: Bearer {TOKEN}\r\n");
        assert_ne!(
            with(method, path, &own).await.status,
            401,
            "{method} {path}"
        );
    }
    let own = format!("Authorization: Bearer {TOKEN}\r\n");
    let answered = with("POST", "/sessions/x/messages", &own).await;
    assert_eq!(answered.status, 200);
    assert!(
        answered.body.contains("event: done\ndata: \n\n"),
        "{}",
        answered.body
    );
    assert_eq!(with("GET", "/health", "").await.status, 200);
    assert_eq!(with("POST", "/health", "").await.status, 405);
    running.end().await;
}

#[tokio::test]
async fn without_a_token_only_programs_of_this_machine_are_served_unless_there_is_a_gateway() {
    let local = start(Script::reply("Hi.")).await;
    let gateway = Hosting::new("shop").behind_gateway();
    let gateway = start_as(Script::reply("Hi."), gateway, |builder| builder).await;
    let port = local.address.port();
    let ask = async |running: &Running, more: &str| {
        let head = format!("POST /sessions/x/messages HTTP/1.1\r\n{JSON}{more}");
        status(running, &head, HELLO).await.status
    };
    for own in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "[::1]",
        "127.0.0.1:1",
    ] {
        let host = format!("Host: {own}\r\n");
        assert_eq!(ask(&local, &host).await, 200, "{own}");
    }
    for more in [
        format!("Host: evil.example:{port}\r\n"),
        format!("Host: 127.0.0.1.evil.example:{port}\r\n"),
        "Host: \r\n".to_owned(),
        // A page of another origin, or of this one: none is the server's own.
        format!("Host: 127.0.0.1:{port}\r\nOrigin: http://evil.example\r\n"),
        format!("Host: 127.0.0.1:{port}\r\nOrigin: null\r\n"),
        format!("Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"),
    ] {
        assert_eq!(ask(&local, &more).await, 403, "{more}");
        assert_eq!(ask(&gateway, &more).await, 200, "{more}");
    }
    // Whoever watches over the server asks by its address.
    let head = "GET /health HTTP/1.1\r\nHost: 10.0.0.7:8000\r\n";
    assert_eq!(status(&local, head, "").await.status, 200);
    local.end().await;
    gateway.end().await;
}

#[tokio::test]
async fn other_machines_are_served_only_with_a_token_or_a_gateway() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("shop");
    std::fs::create_dir(&project).unwrap();
    let server = Server::builder()
        .project(Project::new(&project).unwrap())
        .sessions(Sessions::new(folder.path().join("config")))
        .build()
        .unwrap();
    let listener = async || TcpListener::bind("0.0.0.0:0").await.unwrap();
    let now = async {};
    let open = server
        .serve_hosting(&Hosting::new("shop"), listener().await, now)
        .await;
    let error = open.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    let token = Token::new(TOKEN).unwrap();
    for hosting in [
        Hosting::new("shop").behind_gateway(),
        Hosting::new("shop").token(token),
    ] {
        server
            .serve_hosting(&hosting, listener().await, async {})
            .await
            .unwrap();
    }
    let unknown = server.hosting(&Hosting::new("other"));
    assert_eq!(unknown.unwrap_err().to_string(), "no project has this name");
}

#[tokio::test]
async fn below_a_path_of_another_router_the_guard_stays() {
    let mut running = start(Script::reply("Hi.")).await;
    let token = Token::new(TOKEN).unwrap();
    let hosting = running.server.hosting(&Hosting::new("shop").token(token));
    let router = axum::Router::new().nest("/agents/shop", hosting.unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    running.address = listener.local_addr().unwrap();
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let at = |path: &str, more: &str| {
        format!("POST /agents/shop{path} HTTP/1.1\r\nHost: agent.example\r\n{JSON}{more}")
    };
    let messages = "/sessions/x/messages";
    assert_eq!(status(&running, &at(messages, ""), HELLO).await.status, 401);
    let own = format!("Authorization: Bearer {TOKEN}\r\n");
    let turn = status(&running, &at(messages, &own), HELLO).await;
    assert!(turn.body.contains("event: done\n"), "{}", turn.body);
    let health = at("/health", "").replace("POST", "GET");
    assert_eq!(status(&running, &health, "").await.status, 200);
    let health = at("/metrics/../health", "").replace("POST", "GET");
    assert_eq!(status(&running, &health, "").await.status, 401);
    serving.abort();
    running.end().await;
}

#[tokio::test]
async fn ids_are_those_of_the_contract() {
    let running = start(Script::reply("Hi.")).await;
    let long = "x".repeat(65);
    for id in [
        "",
        "..",
        "%2e%2e",
        "%2E%2E%2f",
        "-x",
        "_x",
        "a.b",
        "a%2fb",
        "a%00",
        "a%0a",
        "%0aa",
        "a%20b",
        "%ff",
        "%c3%a9",
        "a:b",
        "~",
        &long,
    ] {
        let refused = status(&running, &head(&running, id), HELLO).await;
        assert_eq!(refused.status, 400, "{id}");
        assert_eq!(refused.json(), json!({"detail": "invalid session_id"}));
    }
    for id in ["x/y", "x/../y"] {
        assert_eq!(
            status(&running, &head(&running, id), HELLO).await.status,
            404,
            "{id}"
        );
    }
    assert!(running.server.hub().live().is_empty());
    for id in [
        "0",
        "a_-",
        &long[1..],
        "3f0c8a52-6c3b-4a4e-8a44-0d0b6f1d2c11",
    ] {
        assert_eq!(
            status(&running, &head(&running, id), HELLO).await.status,
            200,
            "{id}"
        );
    }
    running.end().await;
}

/// The head of a prompt's request, without its end.
fn head(running: &Running, id: &str) -> String {
    let host = running.address;
    format!("POST /sessions/{id}/messages HTTP/1.1\r\nHost: {host}\r\n{JSON}")
}

#[tokio::test]
async fn bodies_that_are_none_are_refused() {
    let running = start(Script::reply("Hi.")).await;
    let own = head(&running, "x");
    for body in [
        "",
        "{",
        "no JSON",
        "[]",
        "null",
        "\"Hello\"",
        "{}",
        r#"{"prompt":null}"#,
        r#"{"prompt":7}"#,
        r#"{"prompt":["Hello"]}"#,
        r#"{"prompt":""}"#,
        r#"{"prompt":"Hello"} x"#,
        r#"{"Prompt":"Hello"}"#,
    ] {
        let refused = status(&running, &own, body).await;
        assert_eq!(refused.status, 422, "{body}");
        let detail = &refused.json()["detail"][0];
        assert!(
            detail["msg"].is_string() && detail["loc"][0] == "body",
            "{detail}"
        );
    }
    for kind in [
        "",
        "Content-Type: text/plain\r\n",
        "Content-Type: application/x-www-form-urlencoded\r\n",
    ] {
        let refused = status(&running, &own.replace(JSON, kind), HELLO).await;
        assert_eq!(refused.status, 422, "{kind}");
    }
    let known = own.replace(JSON, "Content-Type: Application/JSON; charset=utf-8\r\n");
    let more = r#"{"prompt":"Hello","stream":true}"#;
    assert_eq!(status(&running, &known, more).await.status, 200);
    let other = status(&running, &own.replace("POST", "GET"), "").await;
    assert_eq!(other.status, 405);
    // The server's other routes are not here.
    for path in ["/", "/api/sessions", "/rpc", "/login/x"] {
        let head = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", running.address);
        assert_eq!(status(&running, &head, "").await.status, 404, "{path}");
    }
    running.end().await;
}

#[tokio::test]
async fn a_body_that_is_too_long_is_refused() {
    let running = start(Script::reply("Hi.")).await;
    let own = head(&running, "x");
    let fits = json!({"prompt": "x".repeat((256 << 10) - 16)}).to_string();
    assert_eq!(status(&running, &own, &fits).await.status, 200);
    // Nothing of the body is ever sent: the answer comes all the same.
    let said = format!(
        "{own}Connection: close\r\nContent-Length: {}\r\n\r\n",
        (256 << 10) + 1
    );
    assert_eq!(running.raw(&said).await.status, 413);
    // Without a length it is read up to the bound.
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(1 << 16));
    let chunked = format!(
        "{own}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        chunk.repeat(5)
    );
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream.write_all(chunked.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    soon(stream.read_exact(&mut answer)).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    running.end().await;
}
