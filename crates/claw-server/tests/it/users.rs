//! Users: who may do what, and for how long.

use std::path::PathBuf;

use claw_server::{NewUser, Role, Server, Token, Users};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::StreamExt;
use serde_json::{Value, json};

use crate::attacks::bare;
use crate::client::{KEY, Response, Running, soon};
use crate::socket::{connect, heard, say};

/// A server with a user of each role, and their tokens.
struct Shared {
    running: Running,
    file: PathBuf,
    tokens: Vec<(Role, String)>,
}

fn expose(token: Option<Token>) -> String {
    token.unwrap().expose().to_owned()
}

impl Shared {
    async fn start(script: Script) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("users.json");
        let token = |role: Role| {
            let added = Users::add(&file, NewUser::new(role.name(), role));
            (role, expose(added.unwrap()))
        };
        let tokens = Role::ALL.map(token).to_vec();
        let users = Users::open(&file).unwrap();
        let running = Running::start_in(script, folder, |builder| builder.users(users)).await;
        Self {
            running,
            file,
            tokens,
        }
    }

    fn token(&self, role: Role) -> &str {
        let mut all = self.tokens.iter();
        &all.find(|(of, _)| *of == role).unwrap().1
    }

    fn head(&self, role: Role, method: &str, path: &str) -> String {
        let (host, token) = (self.running.address, self.token(role));
        format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n")
    }

    async fn ask(&self, role: Role, method: &str, path: &str, body: &Value) -> Response {
        let (head, body) = (self.head(role, method, path), body.to_string());
        let length = body.len();
        let request = format!(
            "{head}Connection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.running.raw(&request).await
    }
}

#[tokio::test]
async fn each_route_needs_the_role_of_its_row() {
    let shared = Shared::start(Script::reply("Hi.")).await;
    let host = shared.running.address;
    let mut refused = 0;
    for route in Server::routes().into_iter().filter(|it| !it.is_open) {
        let path = route.example_path("x");
        for (role, token) in &shared.tokens {
            let headers = format!("Host: {host}\r\nAuthorization: Bearer {token}\r\n");
            let status = bare(&shared.running, route.method.as_str(), &path, &headers).await;
            let what = format!("{} {path} as {role}: {status}", route.method);
            if *role < route.role {
                assert_eq!(status, 403, "{what}");
                refused += 1;
            } else {
                assert!(![0, 401, 403].contains(&status), "{what}");
            }
        }
    }
    // Six routes need `prompt`, three `answer` and seven `own`.
    assert!(refused > 20, "{refused}");
    shared.running.end().await;
}

/// What is changed by a route of a lower role than that of the change.
#[tokio::test]
async fn no_other_way_leads_around_a_role() {
    let script = Script::new([Step::Turns(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::permission([Step::tool_result("7")], [Step::tool_error("no")]),
    ])]);
    let shared = Shared::start(script).await;
    let session = shared.running.session().await;
    let kind = |response: &Response| response.json()["error"]["kind"].clone();
    let new = json!({"project": "shop", "mode": "acceptEdits"});
    for role in [Role::Prompt, Role::Answer] {
        let response = shared.ask(role, "POST", "/api/sessions", &new).await;
        assert_eq!((response.status, kind(&response)), (403, json!("role")));
    }
    let opened = shared.ask(Role::Own, "POST", "/api/sessions", &new).await;
    assert_eq!(opened.status, 201, "{}", opened.body);
    let prompts = format!("/api/sessions/{session}/prompts");
    let urgent = json!({"text": "Stop.", "priority": "now"});
    let response = shared.ask(Role::Prompt, "POST", &prompts, &urgent).await;
    assert_eq!((response.status, kind(&response)), (403, json!("role")));
    let params = json!({"session_id": session, "text": "Hi."});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params});
    let response = shared.ask(Role::View, "POST", "/rpc", &call).await.json();
    assert_eq!(response["error"]["data"]["kind"], "role", "{response}");

    let token = format!("Bearer {}", shared.token(Role::View));
    let connected = connect(&shared.running, &session, &[("authorization", token)]).await;
    let mut viewer = connected.unwrap();
    for message in [
        json!({"type": "prompt", "text": "Hi."}),
        json!({"type": "interrupt"}),
        json!({"type": "permission_answer", "requestId": "1", "answer": {"decision": "allow"}}),
    ] {
        say(&mut viewer, &message).await;
        assert_eq!(
            heard(&mut viewer, "error").await["kind"],
            "role",
            "{message}"
        );
    }
    // The viewer still sees what others do.
    let sent = shared
        .ask(
            Role::Prompt,
            "POST",
            &prompts,
            &json!({"text": "How many?"}),
        )
        .await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    let asked = heard(&mut viewer, "permission_request").await;
    let request = asked["requestId"].as_str().unwrap();
    let path = format!("/api/sessions/{session}/requests/{request}");
    let allow = json!({"decision": "allow"});
    assert_eq!(
        shared.ask(Role::Prompt, "POST", &path, &allow).await.status,
        403
    );
    assert_eq!(
        shared.ask(Role::Answer, "POST", &path, &allow).await.status,
        200
    );
    // Others see the name of the user, who cannot choose it.
    let resolved = heard(&mut viewer, "permission_resolved").await;
    assert_eq!(resolved["by"], "answer");
    shared.running.end().await;
}

#[tokio::test]
async fn a_user_has_access_from_the_addition_to_the_removal() {
    let shared = Shared::start(Script::reply("Hi.")).await;
    let (running, session) = (&shared.running, shared.running.session().await);
    let token = expose(Users::add(&shared.file, NewUser::new("ana", Role::Own)).unwrap());
    let host = running.address;
    let status = async |path: &str, headers: &str| {
        bare(running, "GET", path, &format!("Host: {host}\r\n{headers}")).await
    };
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(status("/api/projects", &bearer).await, 200);
    // The token logs browsers in, and a browser makes a link for another one of the same user.
    let cookie = running.log_in(&format!("/login/{token}")).await;
    let of_page = format!("Cookie: {cookie}\r\n{KEY}");
    assert_eq!(status("/api/projects", &of_page).await, 200);
    let made = running
        .raw(&format!(
            "POST /api/logins HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{of_page}Content-Length: 0\r\nConnection: close\r\n\r\n"
        ))
        .await;
    assert_eq!(made.status, 201, "{}", made.body);
    let other = running.log_in(made.json()["path"].as_str().unwrap()).await;
    let of_other = format!("Cookie: {other}\r\n{KEY}");
    assert_eq!(status("/api/projects", &of_other).await, 200);

    let head = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n");
    let events = head(&format!("/api/sessions/{session}/events"));
    let mut events = running.stream(&format!("{events}{bearer}")).await;
    let mut list = running
        .stream(&format!("{}{of_page}", head("/stream")))
        .await;
    let authorization = format!("Bearer {token}");
    let connected = connect(running, &session, &[("authorization", authorization)]).await;
    let mut socket = connected.unwrap();
    heard(&mut socket, "session_state").await;
    let mut others = running.events(&session, None).await;

    Users::remove(&shared.file, "ana").unwrap();
    for headers in [&bearer, &of_page, &of_other] {
        assert_eq!(status("/api/projects", headers).await, 401, "{headers}");
    }
    assert_eq!(running.follow(&format!("/login/{token}")).await.status, 403);
    while events.next().await.is_some() {}
    while list.next().await.is_some() {}
    while let Some(Ok(_)) = soon(socket.next()).await {}
    // The streams of others go on.
    running.prompt(&session, "Hi.").await;
    others.until("state", |_| true).await;
    // A user of the same name is another one: the earlier logins stay invalid.
    let again = expose(Users::add(&shared.file, NewUser::new("ana", Role::Own)).unwrap());
    let again = format!("Authorization: Bearer {again}\r\n");
    assert_eq!(status("/api/projects", &again).await, 200);
    for headers in [&bearer, &of_page, &of_other] {
        assert_eq!(status("/api/projects", headers).await, 401, "{headers}");
    }
    shared.running.end().await;
}

/// A login of a user is none of the owner, on a server without users either.
#[tokio::test]
async fn the_login_of_a_user_ends_with_the_users_of_the_server() {
    let shared = Shared::start(Script::reply("Hi.")).await;
    let link = format!("/login/{}", shared.token(Role::Own));
    let cookie = shared.running.log_in(&link).await;
    let cookie = cookie.split_once('=').unwrap().1.to_owned();
    let folder = shared.running.end_and_keep().await;
    std::fs::remove_dir(folder.path().join("shop")).unwrap();
    let running = Running::start_in(Script::reply("Hi."), folder, |builder| builder).await;
    let host = running.address;
    let headers = format!("Host: {host}\r\nCookie: claw_session={cookie}\r\n{KEY}");
    assert_eq!(bare(&running, "GET", "/api/projects", &headers).await, 401);
    running.end().await;
}
