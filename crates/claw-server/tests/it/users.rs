//! Users: who may do what, and for how long.

use std::collections::BTreeSet;
use std::path::PathBuf;

use claw_server::{NewUser, Project, Role, Server, Token, Users};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::StreamExt;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::attacks::{bare, transcript};
use crate::client::{KEY, Response, Running, soon};
use crate::socket::{connect, heard, say};

/// A server with a user of each role, and their tokens.
pub(crate) struct Shared {
    pub(crate) running: Running,
    file: PathBuf,
    tokens: Vec<(Role, String)>,
}

fn expose(token: &Token) -> String {
    token.expose().to_owned()
}

impl Shared {
    pub(crate) async fn start(script: Script) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("users.json");
        let token = |role: Role| {
            let added = Users::add(&file, NewUser::new(role.name(), role));
            (role, expose(&added.unwrap()))
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

    pub(crate) fn token(&self, role: Role) -> &str {
        let mut all = self.tokens.iter();
        &all.find(|(of, _)| *of == role).unwrap().1
    }

    pub(crate) fn head(&self, role: Role, method: &str, path: &str) -> String {
        let (host, token) = (self.running.address, self.token(role));
        format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n")
    }

    pub(crate) async fn ask(&self, role: Role, method: &str, path: &str, body: &Value) -> Response {
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
    let always = json!({"decision": "allowAlways"});
    let response = shared.ask(Role::Answer, "POST", &path, &always).await;
    assert_eq!((response.status, kind(&response)), (403, json!("role")));
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
    let token = expose(&Users::add(&shared.file, NewUser::new("ana", Role::Own)).unwrap());
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
    // The streams send signs of life, so the wait for their end needs a limit of its own.
    soon(async {
        while events.next().await.is_some() {}
        while list.next().await.is_some() {}
        while let Some(Ok(_)) = socket.next().await {}
    })
    .await;
    // The streams of others go on.
    running.prompt(&session, "Hi.").await;
    others.until("state", |_| true).await;
    // A user of the same name is another one: the earlier logins stay invalid.
    let again = expose(&Users::add(&shared.file, NewUser::new("ana", Role::Own)).unwrap());
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

fn asking() -> Script {
    Script::new([Step::Turns(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::permission([Step::tool_result("7")], [Step::tool_error("no")]),
    ])])
}

/// A user with all rights in one project, on a server with another one: no request finds anything of that one.
#[tokio::test]
async fn a_user_of_one_project_finds_nothing_of_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("users.json");
    let blog = folder.path().join("blog");
    std::fs::create_dir(&blog).unwrap();
    let blog = blog.canonicalize().unwrap();
    let mut bo = NewUser::new("bo", Role::Own);
    // A part of a folder's name is no folder.
    bo.projects = Some(vec![blog.clone(), blog.with_file_name("sho")]);
    let tokens = vec![(Role::Own, expose(&Users::add(&file, bo).unwrap()))];
    let users = Users::open(&file).unwrap();
    let project = Project::new(&blog).unwrap();
    let change = |builder: claw_server::ServerBuilder| builder.users(users).project(project);
    let running = Running::start_in(asking(), folder, change).await;
    let shared = Shared {
        running,
        file,
        tokens,
    };
    let running = &shared.running;
    let ask = async |method: &str, path: &str, body: &Value| {
        shared.ask(Role::Own, method, path, body).await
    };

    // A session of each project that is live, and one that is only on disk.
    let foreign_live = running.session().await;
    let new = ask("POST", "/api/sessions", &json!({"project": "blog"})).await;
    let own_live = new.json()["id"].as_str().unwrap().to_owned();
    let foreign_disk = "41111111-1111-4111-8111-111111111111";
    let own_disk = "21111111-1111-4111-8111-111111111111";
    let shop = running.folder.path().join("shop").canonicalize().unwrap();
    transcript(running, foreign_disk, &shop);
    transcript(running, own_disk, &blog);
    for id in [foreign_disk, own_disk] {
        let hub = running.server.hub();
        hub.refresh(&hub.sessions().find(id).unwrap());
    }
    for session in [&foreign_live, &own_live] {
        let mut events = running.events(session, None).await;
        running.prompt(session, "How many?").await;
        events.until("request", |_| true).await;
    }

    for route in Server::routes() {
        let (method, path) = (route.method.as_str(), route.path);
        if path.contains("{project}") {
            let foreign = path.replace("{project}", "shop");
            assert_eq!(
                ask(method, &foreign, &Value::Null).await.status,
                404,
                "{path}"
            );
        }
        for id in [&*foreign_live, foreign_disk] {
            if path.contains("{id}") {
                let response = ask(method, &route.example_path(id), &json!({})).await;
                assert_eq!(response.status, 404, "{method} {path}: {}", response.body);
                let unknown = route.example_path("31111111-1111-4111-8111-111111111111");
                let unknown = ask(method, &unknown, &json!({})).await;
                assert_eq!(response.body, unknown.body, "{method} {path}");
            }
            if let Some(body) = route.example_body(id) {
                let body: Value = serde_json::from_str(&body).unwrap();
                let response = ask(method, path, &body).await;
                // A call without an ID has no response. Others are below.
                let expected = if path == "/rpc" { 204 } else { 404 };
                assert_eq!(response.status, expected, "{path}: {}", response.body);
            }
        }
    }
    let state = running
        .ask(
            "GET",
            &format!("/api/sessions/{foreign_live}"),
            &Value::Null,
        )
        .await;
    assert_eq!(state.json()["state"]["phase"], "asking", "{}", state.body);
    for id in [&*foreign_live, foreign_disk] {
        for params in [
            json!({"method": "session/messages", "params": {"session_id": id}}),
            json!({"method": "session/prompt", "params": {"session_id": id, "text": "Hi."}}),
        ] {
            let mut call = params;
            call["jsonrpc"] = json!("2.0");
            call["id"] = json!(1);
            let error = ask("POST", "/rpc", &call).await.json()["error"]["code"].clone();
            assert_eq!(error, -32001, "{call}");
        }
        for body in [
            json!({"resume": id}),
            json!({"project": "blog", "resume": id}),
            json!({"fork": {"session": id}}),
            json!({"project": "shop"}),
        ] {
            let response = ask("POST", "/api/sessions", &body).await;
            assert_eq!(response.status, 404, "{body}: {}", response.body);
        }
    }
    assert_eq!(ask("GET", "/metrics", &Value::Null).await.status, 403);

    // The own sessions are found, and no others.
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "session/list", "params": {}});
    for (method, path, body) in [
        ("GET", "/api/sessions", Value::Null),
        ("POST", "/rpc", call),
        ("GET", "/api/live", Value::Null),
        ("GET", "/api/search?q=Secret", Value::Null),
        ("GET", "/api/usage?by=project&days=9000", Value::Null),
        ("GET", "/api/usage?by=session&days=9000", Value::Null),
        ("GET", "/api/projects", Value::Null),
        ("GET", "/", Value::Null),
        ("GET", "/usage", Value::Null),
    ] {
        // The owner finds the others there, so the index has them.
        let whole = running.ask(method, path, &body).await;
        let response = ask(method, path, &body).await;
        assert_eq!(response.status, 200, "{path}: {}", response.body);
        for foreign in [&*foreign_live, foreign_disk, "\"shop\"", ">shop<"] {
            assert!(
                !response.body.contains(foreign),
                "{path} {foreign}: {}",
                response.body
            );
        }
        let ids = |response: &Response, of: &[&str]| -> BTreeSet<String> {
            let found = of.iter().filter(|id| response.body.contains(**id));
            found.map(|id| (*id).to_owned()).collect()
        };
        let (own, all) = (
            ids(&response, &[&own_live, own_disk]),
            ids(&whole, &[&foreign_live, foreign_disk]),
        );
        assert_eq!(own.len(), all.len(), "{path}: {}", response.body);
    }
    assert_eq!(
        ask("GET", "/api/live", &Value::Null).await.json()[0]["id"],
        *own_live
    );

    let mut stream = TcpStream::connect(running.address).await.unwrap();
    let head = shared.head(Role::Own, "GET", "/stream");
    stream
        .write_all(format!("{head}\r\n").as_bytes())
        .await
        .unwrap();
    let mut text = String::new();
    while !text.contains(&own_live) {
        let mut some = [0; 4096];
        let read = soon(stream.read(&mut some)).await.unwrap();
        assert_ne!(read, 0, "{text}");
        text += &String::from_utf8_lossy(&some[..read]);
    }
    assert!(text.contains("\"asking\":1,"), "{text}");
    // A change of a session that is not seen has no name.
    let title = json!({"title": "Private"});
    let path = format!("/api/sessions/{foreign_disk}");
    assert_eq!(running.ask("PATCH", &path, &title).await.status, 204);
    while !text.contains("event: edited") {
        let mut some = [0; 4096];
        let read = soon(stream.read(&mut some)).await.unwrap();
        assert_ne!(read, 0, "{text}");
        text += &String::from_utf8_lossy(&some[..read]);
    }
    for foreign in [&*foreign_live, foreign_disk, "Private"] {
        assert!(!text.contains(foreign), "{text}");
    }
    shared.running.end().await;
}
