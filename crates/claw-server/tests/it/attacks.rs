//! What somebody tries who may not.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::Request;
use claw_server::{Project, Server};
use claw_sessions::Sessions;
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::stream;
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::client::{KEY, Running, soon};

/// Every route that needs a token, as its method and a path, and a path of no route.
pub(crate) fn routes() -> Vec<(String, String)> {
    let closed = Server::routes().into_iter().filter(|route| !route.is_open);
    let closed = closed.map(|route| (route.method.to_string(), route.example_path("x")));
    let nowhere = ("GET".to_owned(), "/nowhere".to_owned());
    closed.chain([nowhere]).collect()
}

/// A request with these headers and no others.
pub(crate) async fn bare(running: &Running, method: &str, path: &str, headers: &str) -> u16 {
    let request = format!(
        "{method} {path} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: 0\r\n\r\n"
    );
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    // Not to its end: a stream of events has none.
    let mut head = [0; 12];
    match soon(stream.read_exact(&mut head)).await {
        Ok(_) => std::str::from_utf8(&head[9..]).unwrap().parse().unwrap(),
        Err(_) => 0,
    }
}

/// A route without a row would be in no table of attacks, and no host would forward its requests.
#[tokio::test]
async fn every_route_of_the_router_is_a_row() {
    let running = Running::start(Script::reply("Hi.")).await;
    // The debug output of a router has its paths in quotation marks, and those of axum's own fallback.
    let debugged = format!("{:?}", running.server.router());
    let quoted = debugged.split('"').skip(1).step_by(2);
    let served = quoted.filter(|text| text.starts_with('/') && !text.contains("__private__"));
    let served: BTreeSet<_> = served.collect();
    let routes = Server::routes();
    let paths: BTreeSet<_> = routes.iter().map(|route| route.path).collect();
    assert_eq!(served, paths);
    for path in paths {
        let of_path = routes.iter().filter(|route| route.path == path);
        let mut methods = BTreeSet::new();
        let mut example = String::new();
        for route in of_path {
            methods.insert(route.method.as_str());
            if route.method == "GET" {
                methods.insert("HEAD");
            }
            example = route.example_path("x");
        }
        let refused = running.ask("PUT", &example, &Value::Null).await;
        assert_eq!(refused.status, 405, "{path}: {}", refused.body);
        let allowed = refused.header("allow").unwrap().split(',').collect();
        assert_eq!(methods, allowed, "{path}");
    }
    running.end().await;
}

#[tokio::test]
async fn no_route_opens_without_the_token() {
    let running = Running::start(Script::reply("Hi.")).await;
    let (host, token) = (running.address, running.server.token().expose());
    let wrong = token.replace(&token[..1], if token.starts_with('a') { "b" } else { "a" });
    let longer = format!("{token}a");
    for (method, path) in routes() {
        let with = async |more: &str| {
            bare(&running, &method, &path, &format!("Host: {host}\r\n{more}")).await
        };
        for given in [&*wrong, &longer, &token[1..], ""] {
            let status = with(&format!("Authorization: Bearer {given}\r\n")).await;
            assert_eq!(status, 401, "{method} {path} with a wrong token");
        }
        assert_eq!(with("").await, 401, "{method} {path} without a token");
        assert_eq!(
            with(&format!("Authorization: Basic {token}\r\n")).await,
            401
        );
        assert_eq!(with("Cookie: claw_session=\r\n").await, 401);
        assert_eq!(
            with(&format!("Cookie: claw_session={token}\r\n")).await,
            401
        );
        assert_eq!(
            with(&format!(
                "X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: {host}\r\n"
            ))
            .await,
            401
        );
        assert_ne!(
            with(&format!("Authorization: Bearer {token}\r\n")).await,
            401
        );
    }
    running.end().await;
}

#[tokio::test]
async fn no_route_answers_to_another_name_or_page() {
    let running = Running::start(Script::reply("Hi.")).await;
    let (host, token) = (running.address, running.server.token().expose());
    let port = host.port();
    let open = Server::routes().into_iter().filter(|route| route.is_open);
    let open = open.map(|route| (route.method.to_string(), route.example_path("x")));
    for (method, path) in routes().into_iter().chain(open) {
        let with = async |headers: String| {
            let headers = format!("Authorization: Bearer {token}\r\n{headers}");
            bare(&running, &method, &path, &headers).await
        };
        // Whoever has the name `evil.example` may let it stand for 127.0.0.1.
        for name in [
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "",
        ] {
            let status = with(format!("Host: {name}:{port}\r\n")).await;
            assert_eq!(status, 403, "{method} {path} as {name:?}");
        }
        for origin in [
            "http://evil.example".to_owned(),
            format!("http://evil.example:{port}"),
            format!("http://127.0.0.1:{}", port ^ 1),
            format!("http://localhost:{port}"),
            format!("http://{host}.evil.example"),
            "null".to_owned(),
        ] {
            let status = with(format!("Host: {host}\r\nOrigin: {origin}\r\n")).await;
            assert_eq!(status, 403, "{method} {path} of {origin}");
        }
        let both = format!("Host: {host}\r\nHost: evil.example\r\n");
        assert!(
            [400, 403].contains(&with(both).await),
            "{method} {path} with two names"
        );
    }
    let own = format!("Host: {host}\r\nOrigin: http://{host}\r\nAuthorization: Bearer {token}\r\n");
    assert_eq!(bare(&running, "GET", "/api/projects", &own).await, 200);
    running.end().await;
}

#[tokio::test]
async fn a_login_link_works_once_and_its_cookie_only_for_the_own_page() {
    let running = Running::start(Script::reply("Hi.")).await;
    let host = running.address;
    let link = running.server.login_path();
    let first = running.follow(&link).await;
    assert_eq!(first.status, 204);
    let cookie = first.header("set-cookie").unwrap().to_owned();
    // A browser that was closed keeps it, for 30 days.
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=2592000"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let again = running.follow(&link).await;
    assert_eq!((again.status, again.header("set-cookie")), (403, None));

    let cookie = cookie.split(';').next().unwrap();
    let with = async |method: &str, path: &str, more: &str| {
        let headers = format!("Host: {host}\r\nCookie: {cookie}\r\n{KEY}{more}");
        bare(&running, method, path, &headers).await
    };
    assert_eq!(with("GET", "/api/projects", "").await, 200);
    // Another page's form sends no origin that is this server's.
    let close = "/api/sessions/x/close";
    assert_eq!(with("POST", close, "").await, 403);
    assert_eq!(
        with("POST", close, "Sec-Fetch-Site: cross-site\r\n").await,
        403
    );
    assert_eq!(
        with("POST", close, "Sec-Fetch-Site: same-site\r\n").await,
        403
    );
    assert_eq!(with("POST", close, "Origin: null\r\n").await, 403);
    assert_eq!(
        with("POST", close, "Sec-Fetch-Site: same-origin\r\n").await,
        404
    );
    let own = format!("Origin: http://{host}\r\n");
    assert_eq!(with("POST", close, &own).await, 404);
    // A wrong token is not made good by a cookie.
    assert_eq!(
        with("GET", "/api/projects", "Authorization: Bearer x\r\n").await,
        401
    );
    assert_eq!(with("POST", "/logout", &own).await, 204);
    assert_eq!(with("GET", "/api/projects", "").await, 401);
    running.end().await;
}

#[tokio::test]
async fn only_projects_on_the_list_have_sessions() {
    let running = Running::start(Script::reply("Hi.")).await;
    let open = async |body: Value| running.ask("POST", "/api/sessions", &body).await.status;
    for project in [
        "",
        "other",
        ".",
        "..",
        "../shop",
        "/",
        "shop/",
        "shop/../shop",
    ] {
        assert_eq!(open(json!({"project": project})).await, 404, "{project:?}");
    }
    let bypass = json!({"project": "shop", "mode": "bypassPermissions"});
    assert_eq!(open(bypass).await, 400);
    assert_eq!(
        open(json!({"project": "shop", "folder": "/etc"})).await,
        422
    );
    for id in [
        "..",
        "../../etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e",
        "x%00",
        "/etc/passwd",
    ] {
        assert_eq!(open(json!({"resume": id})).await, 404, "{id:?}");
        let path = format!("/api/sessions/{id}/elements");
        let status = running.ask("GET", &path, &Value::Null).await.status;
        assert_eq!(status, 404, "{path}");
    }
    running.end().await;
}

/// Writes the transcript of a session that began in this folder.
pub(crate) fn transcript(running: &Running, id: &str, cwd: &std::path::Path) {
    let project = running.folder.path().join("config/projects/p");
    std::fs::create_dir_all(&project).unwrap();
    let line = json!({"type": "user", "uuid": "11111111-1111-4111-8111-111111111111",
        "parentUuid": null, "sessionId": id, "cwd": cwd, "timestamp": "2026-01-01T00:00:00.000Z",
        "isSidechain": false, "userType": "external", "version": "2.1.330",
        "message": {"role": "user", "content": "Secret?"}});
    std::fs::write(project.join(format!("{id}.jsonl")), format!("{line}\n")).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_session_on_disk_is_only_opened_in_a_project_and_no_link_leads_out_of_it() {
    let running = Running::start(Script::reply("Hi.")).await;
    let (shop, other) = (
        running.folder.path().join("shop"),
        running.folder.path().join("other"),
    );
    std::fs::create_dir_all(shop.join("in")).unwrap();
    std::fs::create_dir(&other).unwrap();
    std::os::unix::fs::symlink(&other, shop.join("out")).unwrap();
    let id = |number: u8| format!("{number}1111111-1111-4111-8111-111111111111");
    let folders = [
        shop.join("in"),
        other,
        shop.join("out"),
        shop.join("../other"),
    ];
    for (number, folder) in (0..).zip(&folders) {
        transcript(&running, &id(number), folder);
    }
    let open = async |id: &str| {
        let path = format!("/api/sessions/{id}/elements");
        running.ask("GET", &path, &Value::Null).await
    };
    let own = open(&id(0)).await;
    assert_eq!(own.status, 200, "{}", own.body);
    assert_eq!(own.json()[0]["content"]["text"], "Secret?");
    for number in 1..4 {
        let foreign = open(&id(number)).await;
        assert_eq!(foreign.status, 404, "{}", foreign.body);
        assert!(!foreign.body.contains("Secret?"));
    }
    running.end().await;
}

#[tokio::test]
async fn a_body_that_is_too_long_is_refused_before_it_is_read() {
    let running = Running::start(Script::reply("Hi.")).await;
    let session = running.session().await;
    let head = running.head("POST", &format!("/api/sessions/{session}/prompts"));
    let length = 100 << 20;
    let request =
        format!("{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
    // Nothing of the body is ever sent: the answer comes all the same.
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    soon(stream.read_exact(&mut answer)).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    // Without a length it is read up to the bound.
    let head = running.head("POST", "/api/sessions");
    let head =
        format!("{head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut reader, mut writer) = stream.into_split();
    let writing = tokio::spawn(async move {
        let chunk = format!("10000\r\n{}\r\n", " ".repeat(1 << 16));
        // Until the server has enough.
        for _ in 0..1600 {
            if writer.write_all(chunk.as_bytes()).await.is_err() {
                return;
            }
        }
        panic!("100 MiB were taken");
    });
    let mut answer = [0; 12];
    soon(reader.read_exact(&mut answer)).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    drop(reader);
    soon(writing).await.unwrap();
    running.end().await;
}

#[tokio::test]
async fn a_head_that_never_ends_is_cut_off() {
    let short = Duration::from_millis(300);
    let running = Running::start_as(Script::reply("Hi."), |builder| {
        builder.connections(|connections| connections.head = short)
    })
    .await;
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream
        .write_all(b"GET / HTTP/1.1\r\nX-Slow: ")
        .await
        .unwrap();
    let mut rest = Vec::new();
    // The server ends it; nothing more is sent.
    let _ = soon(stream.read_to_end(&mut rest)).await;
    // So is a connection that asks for nothing.
    let mut idle = TcpStream::connect(running.address).await.unwrap();
    let _ = soon(idle.read_to_end(&mut rest)).await;
    running.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_body_that_never_ends_is_refused_after_a_minute() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::builder()
        .project(Project::new(folder.path()).unwrap())
        .sessions(Sessions::new(folder.path().join("config")))
        .build()
        .unwrap();
    // Not over a connection, whose own waits would be over first.
    let router = TowerToHyperService::new(server.router());
    let began = Instant::now();
    for path in ["/api/sessions", "/rpc"] {
        let body = Body::from_stream(stream::pending::<std::io::Result<Bytes>>());
        let request = Request::post(path)
            .header("host", "localhost")
            .header(
                "authorization",
                format!("Bearer {}", server.token().expose()),
            )
            .header("content-type", "application/json");
        let response = router.call(request.body(body).unwrap()).await.unwrap();
        assert_eq!(response.status(), 408);
        let body = axum::body::to_bytes(response.into_body(), 1 << 10)
            .await
            .unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let error = json!({"kind": "timeout", "message": "the body did not come within a minute"});
        assert_eq!(body["error"], error);
    }
    assert_eq!(began.elapsed().as_secs(), 2 * 60);
}

/// serde reads a struct from a list of its values as well.
#[tokio::test]
async fn a_list_is_no_object() {
    let script = Script::new([Step::Turns(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::permission([Step::tool_result("7")], [Step::tool_error("no")]),
    ])]);
    let running = Running::start(script).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "How many?").await;
    let seen = events.until("request", |_| true).await;
    let id = seen.last().unwrap().data["id"].as_str().unwrap().to_owned();
    let at = |what: &str| format!("/api/sessions/{session}{what}");
    let answer = format!("/requests/{id}");
    for (method, path, body) in [
        ("POST", "/api/sessions".to_owned(), json!(["shop"])),
        ("POST", at("/prompts"), json!([null, "hi", [], [], null])),
        ("POST", at(&answer), json!(["allow"])),
        ("POST", at("/settings"), json!([null, null, null])),
        ("POST", at("/fork"), json!([null, null, null, null])),
        ("POST", at("/rewind"), json!(["x", null])),
        ("PATCH", at(""), json!(["title", null, null])),
        ("POST", "/api/sessions".to_owned(), json!("shop")),
        ("POST", at(&answer), json!(7)),
    ] {
        let refused = running.ask(method, &path, &body).await;
        assert_eq!(
            refused.status, 400,
            "{method} {path} {body}: {}",
            refused.body
        );
        let message = refused.json()["error"]["message"].clone();
        assert_eq!(message, "the body has to be a JSON object", "{path}");
    }
    for (path, body) in [
        (
            "/api/sessions".to_owned(),
            json!({"project": "shop", "worktree": ["a"]}),
        ),
        (
            "/api/sessions".to_owned(),
            json!({"fork": [session, null, null, null]}),
        ),
        (
            at("/prompts"),
            json!({"text": "hi", "images": [["image/png", "QUFB"]]}),
        ),
        (
            at("/prompts"),
            json!({"text": "hi", "documents": [["text/plain", "a", null]]}),
        ),
        (at("/rewind"), json!({"prompt": "x", "expect": [[], 0, 0]})),
    ] {
        let refused = running.ask("POST", &path, &body).await;
        assert_eq!(refused.status, 422, "{path} {body}: {}", refused.body);
        assert!(
            refused.body.contains("expected an object"),
            "{}",
            refused.body
        );
    }
    // The request still waits.
    running.deny(&session).await;
    running.end().await;
}

#[tokio::test]
async fn every_refusal_has_the_body_of_an_error() {
    let running = Running::start(Script::reply("Hi.")).await;
    let session = running.session().await;
    for (method, path, allowed) in [
        ("PUT", "/api/sessions", "GET,HEAD,POST"),
        ("GET", "/rpc", "POST"),
        ("PUT", "/api/sessions/x", "GET,HEAD,PATCH,DELETE"),
        ("POST", "/health", "GET,HEAD"),
        ("GET", "/logout", "POST"),
        ("POST", "/s/x", "GET,HEAD"),
    ] {
        let refused = running.ask(method, path, &Value::Null).await;
        assert_eq!(refused.status, 405, "{method} {path}");
        assert_eq!(refused.header("allow"), Some(allowed), "{method} {path}");
        let kind = &refused.json()["error"]["kind"];
        assert_eq!(kind, "methodNotAllowed", "{method} {path}");
        // Strangers are not told which methods there are.
        if path != "/health" {
            let host = format!("Host: {}\r\n", running.address);
            assert_eq!(bare(&running, method, path, &host).await, 401, "{path}");
        }
    }
    let path = format!("/api/sessions/{session}/socket");
    let refused = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(refused.status, 400);
    assert_eq!(refused.json()["error"]["kind"], "badRequest");
    running.end().await;
}

#[tokio::test]
async fn what_is_no_name_of_a_model_is_refused_at_the_start_and_later() {
    let running = Running::start(Script::reply("Hi.")).await;
    let session = running.session().await;
    let settings = format!("/api/sessions/{session}/settings");
    for name in [
        "",
        " ",
        "sonnet\0",
        "son\nnet",
        "\u{1b}[31m",
        &"a".repeat(200_000),
    ] {
        let new = json!({"project": "shop", "model": name});
        for (path, body) in [("/api/sessions", new), (&settings, json!({"model": name}))] {
            let refused = running.ask("POST", path, &body).await;
            assert_eq!(refused.status, 400, "{path} {name:.20?}: {}", refused.body);
            assert!(refused.body.contains("`model`"), "{}", refused.body);
        }
    }
    let arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc";
    let new = json!({"project": "shop", "model": arn});
    assert_eq!(running.ask("POST", "/api/sessions", &new).await.status, 201);
    running.end().await;
}
