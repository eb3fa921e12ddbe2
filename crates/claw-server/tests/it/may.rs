//! What the page draws for each role: the controls of the operations that the role may use, and no others.

use claw_server::{NewUser, Role, Server, Users};
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{Response, Running, soon};
use crate::users::Shared;

/// Pages with controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Sessions,
    Session,
    Requests,
}

/// Each control: the operation that it uses, its page, and a part of its markup.
const CONTROLS: &[(&str, Page, &str)] = &[
    ("openSession", Page::Sessions, "id=\"begin\""),
    ("openSession.mode", Page::Sessions, "name=\"mode\""),
    ("openSession", Page::Sessions, "<dd>Begin a session</dd>"),
    ("answerRequest", Page::Sessions, "Waiting for you"),
    ("openSession", Page::Session, "id=\"new\""),
    ("forkSession", Page::Session, "id=\"fork\""),
    ("changeSession", Page::Session, "id=\"about\""),
    ("deleteSession", Page::Session, "id=\"about\""),
    ("sendPrompt", Page::Session, "<form id=\"composer\""),
    ("sendPrompt", Page::Session, "id=\"prompt\""),
    ("sendPrompt", Page::Session, "id=\"send\""),
    ("sendPrompt", Page::Session, "id=\"attach\""),
    ("sendPrompt", Page::Session, "id=\"priority\""),
    ("sendPrompt", Page::Session, "id=\"go-on\""),
    ("sendPrompt.now", Page::Session, "value=\"now\""),
    ("cancelPrompt", Page::Session, "id=\"dismiss\""),
    ("interruptTurn", Page::Session, "id=\"stop\""),
    ("interruptTurn", Page::Session, "<dd>Stop the turn</dd>"),
    ("changeSettings", Page::Session, "id=\"mode\""),
    ("changeSettings", Page::Session, "id=\"model\""),
    ("changeSettings", Page::Session, "id=\"effort\""),
    ("answerRequest", Page::Requests, "value=\"allow\""),
    ("answerRequest", Page::Requests, "value=\"deny\""),
    ("answerRequest", Page::Requests, "name=\"message\""),
    ("answerRequest", Page::Requests, "<input"),
    (
        "answerRequest.always",
        Page::Requests,
        "value=\"allowAlways\"",
    ),
];

/// The parts of operations that need another role than the operation, which `users` tests.
const PARTS: &[(&str, Role)] = &[
    ("openSession.mode", Role::Own),
    ("sendPrompt.now", Role::Answer),
    ("answerRequest.always", Role::Own),
];

/// The role that an operation needs by the row of its route.
fn needed(operation: &str) -> Role {
    let part = PARTS.iter().find(|(name, _)| *name == operation);
    part.map_or_else(
        || {
            let routes = Server::routes();
            let route = routes.iter().find(|it| it.name == Some(operation));
            route.unwrap().role
        },
        |(_, role)| *role,
    )
}

/// An agent that asks for permission, with a suggestion.
fn asking() -> Script {
    let rule = json!({"type": "addRules", "behavior": "allow", "destination": "localSettings",
        "rules": [{"toolName": "Bash", "ruleContent": "ls:*"}]});
    let request = json!({"tool_name": "Bash", "input": {"command": "ls"}, "tool_use_id": "toolu_1",
        "permission_suggestions": [rule]});
    Script::new([Step::Turn(vec![Step::request("can_use_tool", request)])])
}

/// A page as a browser of a user with this role gets it.
async fn browse(shared: &Shared, role: Role, path: &str) -> Response {
    let head = shared.head(role, "GET", path);
    let request = format!("{head}Accept: text/html,*/*;q=0.8\r\nConnection: close\r\n\r\n");
    shared.running.raw(&request).await
}

/// The session, which waits for an answer.
async fn asks(running: &Running) -> String {
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Look").await;
    events.until("request", |_| true).await;
    session
}

#[tokio::test]
async fn each_page_has_the_controls_of_what_its_person_may_do() {
    let shared = Shared::start(asking()).await;
    let session = asks(&shared.running).await;
    let (mut drawn, mut left_out) = (0, 0);
    for role in Role::ALL {
        for page in [Page::Sessions, Page::Session, Page::Requests] {
            let path = match page {
                Page::Sessions => "/".to_owned(),
                Page::Session => format!("/s/{session}"),
                Page::Requests => format!("/s/{session}/requests"),
            };
            let response = browse(&shared, role, &path).await;
            assert_eq!(response.status, 200, "{path}");
            let html = match page {
                Page::Requests => response.json()[0]["html"].as_str().unwrap().to_owned(),
                _ => response.body,
            };
            for (operation, _, control) in CONTROLS.iter().filter(|it| it.1 == page) {
                let may = role >= needed(operation);
                assert_eq!(
                    html.contains(control),
                    may,
                    "{role}: {control} in {path}: {html}"
                );
                if may { drawn += 1 } else { left_out += 1 }
            }
            if page != Page::Requests {
                // The scripts read what the person may do.
                let (_, rest) = html.split_once("data-may=\"").unwrap();
                let listed: Vec<_> = rest.split_once('"').unwrap().0.split(' ').collect();
                let mut expected: Vec<_> = Server::routes()
                    .iter()
                    .filter(|route| route.role <= role)
                    .filter_map(|route| route.name)
                    .chain(PARTS.iter().filter(|it| it.1 <= role).map(|it| it.0))
                    .collect();
                expected.sort_unstable();
                assert_eq!(listed, expected, "{role}");
            }
        }
    }
    assert!(drawn > 40 && left_out > 40, "{drawn} {left_out}");
    shared.running.end().await;
}

/// The requests of the first state of a page's stream.
async fn first(shared: &Shared, role: Role, path: &str) -> String {
    let mut stream = TcpStream::connect(shared.running.address).await.unwrap();
    let head = shared.head(role, "GET", path);
    let sent = stream.write_all(format!("{head}\r\n").as_bytes()).await;
    sent.unwrap();
    let mut text = String::new();
    while !text.contains("event: state") {
        let mut some = [0; 4096];
        let read = soon(stream.read(&mut some)).await.unwrap();
        assert_ne!(read, 0, "{text}");
        text += &String::from_utf8_lossy(&some[..read]);
    }
    text
}

#[tokio::test]
async fn who_may_not_answer_sees_what_is_asked_and_who_may() {
    let shared = Shared::start(asking()).await;
    let session = asks(&shared.running).await;
    let path = format!("/s/{session}/stream");
    // The first state is rendered once for a role, so each role comes twice, in both orders.
    let twice = Role::ALL.into_iter().chain(Role::ALL.into_iter().rev());
    for role in twice {
        let text = first(&shared, role, &path).await;
        assert!(text.contains("Allow Bash?"), "{role}: {text}");
        let may = role >= Role::Answer;
        assert_eq!(text.contains("Allow once"), may, "{role}: {text}");
        let who = "Only people with the role answer or own may answer it.";
        assert_eq!(text.contains(who), !may, "{role}: {text}");
        assert_eq!(text.contains("allowAlways"), role == Role::Own, "{role}");
    }
    shared.running.end().await;
}

#[tokio::test]
async fn a_browser_gets_a_page_about_what_its_person_does_not_see() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("users.json");
    let mut ana = NewUser::new("ana", Role::Own);
    ana.projects = Some(vec![folder.path().join("blog")]);
    let token = Users::add(&file, ana).unwrap();
    let users = Users::open(&file).unwrap();
    let change = |builder: claw_server::ServerBuilder| builder.users(users);
    let running = Running::start_in(Script::reply("Hi."), folder, change).await;
    let foreign = running.session().await;
    let (host, token) = (running.address, token.expose());
    let get = async |path: &str, accept: &str| {
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n");
        let request = format!("{head}Accept: {accept}\r\nConnection: close\r\n\r\n");
        running.raw(&request).await
    };
    let of_browser = "text/html,*/*;q=0.8";
    let unknown = "31111111-1111-4111-8111-111111111111";
    for page in ["", "/changes"] {
        let response = get(&format!("/s/{foreign}{page}"), of_browser).await;
        assert_eq!(response.status, 404);
        let kind = response.header("content-type");
        assert_eq!(kind, Some("text/html; charset=utf-8"));
        assert!(
            response.body.contains("There is no page at this address"),
            "{}",
            response.body
        );
        let policy = response.header("content-security-policy");
        assert!(policy.is_some_and(|it| it.starts_with("default-src 'none'")));
        let other = get(&format!("/s/{unknown}{page}"), of_browser).await;
        assert_eq!((other.status, other.body), (404, response.body));
    }
    let metrics = get("/metrics", of_browser).await;
    assert_eq!(metrics.status, 403);
    assert!(
        metrics.body.contains("this is about the whole server"),
        "{}",
        metrics.body
    );
    assert!(
        metrics.body.starts_with("<!doctype html>"),
        "{}",
        metrics.body
    );
    // Programs get JSON, as do the calls of the interface for programs.
    for (path, accept) in [
        (format!("/s/{foreign}"), "application/json"),
        (format!("/api/sessions/{foreign}"), of_browser),
    ] {
        let response = get(&path, accept).await;
        assert_eq!(
            response.json()["error"]["kind"],
            json!("notFound"),
            "{path}"
        );
    }
    let page = running
        .ask("GET", &format!("/s/{foreign}"), &Value::Null)
        .await;
    assert_eq!(page.status, 200);
    running.end().await;
}
