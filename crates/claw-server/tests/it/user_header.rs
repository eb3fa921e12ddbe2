//! Users whom a trusted proxy names in a header.

use claw_server::{NewUser, Role, Server, SetupError, TrustedProxy, Users};
use claw_testkit::agent::Script;
use futures::StreamExt as _;
use serde_json::Value;

use crate::attacks::{bare, routes};
use crate::client::{KEY, Running, soon};
use crate::socket::{connect, heard};

/// A server with a user without a token, and a proxy at these addresses.
async fn start(addresses: &[&str]) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("users.json");
    let ana = NewUser::new("ana@example.org", Role::Prompt);
    Users::add_without_token(&file, ana).unwrap();
    Users::add(&file, NewUser::new("bo", Role::Own)).unwrap();
    let users = Users::open(&file).unwrap();
    let proxy = TrustedProxy::new("X-Forwarded-Email", addresses.iter().copied()).unwrap();
    let change = |builder: claw_server::ServerBuilder| builder.users(users).trusted_proxy(proxy);
    Running::start_in(Script::reply("Hi."), folder, change).await
}

const ANA: &str = "X-Forwarded-Email: ana@example.org\r\n";

#[tokio::test]
async fn the_header_of_another_address_opens_no_route() {
    let running = start(&["127.0.0.2", "10.0.0.0/8", "::1"]).await;
    let (host, token) = (running.address, running.server.token().expose());
    for (method, path) in routes() {
        let with = async |more: &str| {
            let headers = format!("Host: {host}\r\n{more}");
            bare(&running, &method, &path, &headers).await
        };
        assert_eq!(with(ANA).await, 403, "{method} {path}");
        let forwarded = format!("{ANA}X-Forwarded-For: 10.0.0.1\r\nForwarded: for=10.0.0.1\r\n");
        assert_eq!(with(&forwarded).await, 403, "{method} {path}");
        // Not even beside a token.
        let both = format!("{ANA}Authorization: Bearer {token}\r\n");
        assert_eq!(with(&both).await, 403, "{method} {path}");
    }
    running.end().await;
}

#[tokio::test]
async fn only_one_name_of_a_user_is_accepted_from_the_proxy() {
    let running = start(&["127.0.0.0/8"]).await;
    let host = running.address;
    let own = format!("Origin: http://{host}\r\n");
    for (method, path) in routes() {
        let with = async |more: &str| {
            let headers = format!("Host: {host}\r\n{own}{more}");
            bare(&running, &method, &path, &headers).await
        };
        for (headers, expected) in [
            (format!("{ANA}{ANA}"), 400),
            (format!("{ANA}X-Forwarded-Email: bo\r\n"), 400),
            ("X-Forwarded-Email: eve@example.org\r\n".to_owned(), 403),
            ("X-Forwarded-Email: ana@example.org, bo\r\n".to_owned(), 403),
            ("X-Forwarded-Email: ANA@example.org\r\n".to_owned(), 403),
            ("X-Forwarded-Email:\r\n".to_owned(), 403),
            ("X-Forwarded-Email: \u{e9}\r\n".to_owned(), 400),
            (String::new(), 401),
            ("X-Forwarded-User: bo\r\n".to_owned(), 401),
            // A wrong token is not made good by the proxy.
            (format!("{ANA}Authorization: Bearer x\r\n"), 401),
        ] {
            assert_eq!(with(&headers).await, expected, "{method} {path} {headers}");
        }
        assert_ne!(with(ANA).await, 401, "{method} {path}");
    }
    running.end().await;
}

/// The proxy adds the header to each request of a browser, as the browser adds a cookie.
#[tokio::test]
async fn a_user_of_the_proxy_has_a_role_and_a_page_of_another_site_has_nothing() {
    let running = start(&["127.0.0.1"]).await;
    let (host, session) = (running.address, running.session().await);
    let with = async |method: &str, path: &str, more: &str| {
        let headers = format!("Host: {host}\r\n{ANA}{more}");
        bare(&running, method, path, &headers).await
    };
    assert_eq!(with("GET", "/api/projects", "").await, 200);
    assert_eq!(with("GET", "/", "").await, 200);
    let close = format!("/api/sessions/{session}/close");
    let prompts = format!("/api/sessions/{session}/prompts");
    for foreign in [
        "",
        "Origin: null\r\n",
        "Origin: https://evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        assert_eq!(with("POST", &prompts, foreign).await, 403, "{foreign}");
    }
    let own = format!("Origin: http://{host}\r\n");
    // The body is none.
    assert_eq!(with("POST", &prompts, &own).await, 400);
    assert_eq!(with("POST", &close, &own).await, 403);
    // The cookie of another user changes nothing.
    let link = running.server.login_path();
    let cookie = running.log_in(&link).await;
    let cookie = format!("{own}Cookie: {cookie}\r\n{KEY}");
    assert_eq!(with("POST", &close, &cookie).await, 403);

    // The streams and the WebSocket of the user end with the user.
    let head = format!("GET /api/sessions/{session}/events HTTP/1.1\r\nHost: {host}\r\n{ANA}");
    let mut events = running.stream(&head).await;
    let name = ("x-forwarded-email", "ana@example.org".to_owned());
    let refused = connect(&running, &session, std::slice::from_ref(&name)).await;
    assert_eq!(refused.unwrap_err(), 403);
    let origin = ("origin", format!("http://{host}"));
    let foreign = ("origin", "https://evil.example".to_owned());
    let refused = connect(&running, &session, &[name.clone(), foreign]).await;
    assert_eq!(refused.unwrap_err(), 403);
    let mut socket = connect(&running, &session, &[name, origin]).await.unwrap();
    heard(&mut socket, "session_state").await;
    let file = running.folder.path().join("users.json");
    Users::remove(&file, "ana@example.org").unwrap();
    assert_eq!(with("GET", "/api/projects", "").await, 403);
    soon(async {
        while events.next().await.is_some() {}
        while let Some(Ok(_)) = socket.next().await {}
    })
    .await;
    running.end().await;
}

#[tokio::test]
async fn a_user_without_a_token_logs_in_by_no_text() {
    let running = start(&["127.0.0.1"]).await;
    let host = running.address;
    let file = running.folder.path().join("users.json");
    let text = std::fs::read_to_string(&file).unwrap();
    let users: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(users["users"][0].get("token"), None, "{text}");
    let id = users["users"][0]["id"].as_str().unwrap();
    for given in ["", "null", id, "ana@example.org"] {
        let headers = format!("Host: {host}\r\nAuthorization: Bearer {given}\r\n");
        assert_eq!(bare(&running, "GET", "/api/projects", &headers).await, 401);
        if !given.is_empty() {
            let login = running.follow(&format!("/login/{given}")).await;
            assert_eq!(login.status, 403, "{given}");
        }
    }
    running.end().await;
}

#[tokio::test]
async fn a_proxy_needs_users() {
    let proxy = TrustedProxy::new("X-Forwarded-Email", ["127.0.0.1"]).unwrap();
    let built = Server::builder().trusted_proxy(proxy).build();
    assert!(matches!(built, Err(SetupError::ProxyWithoutUsers)));
}
