//! For each route: whether a host forwards its requests, and whether they make their session live.

use std::sync::Arc;

use claw_client::store::{SessionRef, Subpath};
use claw_server::Server;
use claw_testkit::agent::Script;
use claw_types::message::UserMessage;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::client::{Running, soon, uuid};
use crate::cluster::{LONG, Way, hosts};
use crate::stores::append_to;

/// The routes whose requests name a session without making it live.
const NAMED: [&str; 5] = [
    "changeSession",
    "deleteSession",
    "readEntry",
    "forkSession",
    "closeSession",
];
/// The routes that change something, and are about no session.
const OTHERS: [&str; 5] = [
    "/api/logins",
    "/login/{code}",
    "/logout",
    "/push/subscribe",
    "/push/unsubscribe",
];

/// The status of a response whose body may have no end.
async fn status(running: &Running, method: &str, path: &str, body: &str) -> u16 {
    let (head, length) = (running.head(method, path), body.len());
    let request = format!("{head}Content-Length: {length}\r\n\r\n{body}");
    let mut stream = TcpStream::connect(running.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = [0; 12];
    soon(stream.read_exact(&mut head)).await.unwrap();
    std::str::from_utf8(&head[9..]).unwrap().parse().unwrap()
}

/// Writes an address into the claims that no host can have. A request that a host would forward is then refused with 502.
fn forge(way: &Arc<Way>) {
    *way.intercept.forged.lock().unwrap() = Some("no address".to_owned());
}

#[tokio::test]
async fn a_request_is_forwarded_if_and_only_if_its_route_has_a_session() {
    let [(one, _), (other, way)] = hosts(LONG, || Script::reply("Hi.")).await;
    let session = one.session().await;
    forge(&way);
    let (mut forwarded, mut others) = (0, Vec::new());
    for route in Server::routes() {
        let (method, path) = (route.method.as_str(), route.example_path(&session));
        let body = route.example_body(&session);
        let is_of_session = route.path.contains("{id}") || body.is_some();
        let status = status(&other, method, &path, &body.unwrap_or_default()).await;
        assert_eq!(status == 502, is_of_session, "{method} {path}: {status}");
        forwarded += usize::from(is_of_session);
        if !is_of_session && method != "GET" {
            others.push(route.path);
        }
    }
    assert!(forwarded > 20, "{forwarded}");
    assert_eq!(others, OTHERS);
    let call =
        json!({"jsonrpc": "2.0", "method": "session/prompt", "params": {"session_id": session}});
    for (path, body) in [
        ("/api/sessions", json!({"resume": session})),
        ("/api/sessions", json!({"fork": {"session": session}})),
        ("/rpc", call.clone()),
        ("/rpc", json!([call, call])),
    ] {
        let status = status(&other, "POST", path, &body.to_string()).await;
        assert_eq!(status, 502, "{path} {body}");
    }
    other.end().await;
    one.end().await;
}

/// Adds a session to the store, of which a host that was killed has left a prompt.
async fn leave(way: &Way, session: &str) {
    let prompt = json!({"id": uuid(1), "state": "accepted", "prompt": UserMessage::prompt("Hi")});
    let log = format!("claw/prompts-{:020}-{:020}-killed", 0, 0);
    let key = SessionRef::new("shop", session).unwrap();
    let key = key.at(Subpath::new(&log).unwrap());
    append_to(&*way.inner, &key, &[prompt]).await;
}

#[tokio::test]
async fn a_request_makes_its_session_live_unless_its_route_only_names_it() {
    let [(other, way)] = hosts(LONG, || Script::reply("Hi.")).await;
    let claims = async || {
        let metrics = other.ask("GET", "/metrics", &Value::Null).await.body;
        let claims = metrics
            .lines()
            .find_map(|line| line.strip_prefix("claw_claims "));
        claims.unwrap().parse::<u32>().unwrap()
    };
    let routes = Server::routes().into_iter();
    let mut live = 0;
    for (number, route) in routes
        .filter(|route| route.path.contains("{id}"))
        .enumerate()
    {
        let session = format!("{number:08}-1111-4111-8111-111111111111");
        leave(&way, &session).await;
        let path = route.example_path(&session);
        let status = status(&other, route.method.as_str(), &path, "").await;
        live += u32::from(!route.name.is_some_and(|name| NAMED.contains(&name)));
        assert_eq!(claims().await, live, "{path}: {status}");
    }
    assert!(live > 15, "{live}");
    other.end().await;
}
