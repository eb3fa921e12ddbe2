//! Users on several hosts: each host knows for whom another one forwards a request, and decides by its own file of users.

use std::path::PathBuf;
use std::sync::Arc;

use claw_client::store::{MemoryStore, SessionRef, SessionStore as _};
use claw_cluster::{ClusterKey, HostUrl, ToSign};
use claw_server::{Audit, AuditEntry, AuditSender, NewUser, Project, Role, Users};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::StreamExt as _;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::audit::entries;
use crate::client::{KEY as PAGE_KEY, Response, Running, soon};
use crate::cluster::{KEY, host_of};
use crate::socket::{Socket, connect, heard, say};

/// A host, its file of users, and its audit log.
struct Host {
    running: Running,
    users: PathBuf,
    log: PathBuf,
}

/// Asks for permission in each turn.
fn asking() -> Script {
    Script::new([Step::Turns(vec![
        Step::message([Block::tool_use("Bash", json!({"command": "ls"}))]),
        Step::permission([Step::tool_result("7")], [Step::tool_error("no")]),
    ])])
}

impl Host {
    /// A host with a copy of this file of users.
    async fn start(store: &Arc<MemoryStore>, users: &PathBuf) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("users.json");
        std::fs::copy(users, &own).unwrap();
        let log = folder.path().join("logs").join("audit");
        std::fs::create_dir(log.parent().unwrap()).unwrap();
        let blog = folder.path().join("blog");
        std::fs::create_dir(&blog).unwrap();
        let (opened, audit) = (Users::open(&own).unwrap(), Audit::open(&log).unwrap());
        let running = host_of(store, asking(), folder, |builder| {
            let project = Project::new(&blog).unwrap().store_project("blog");
            builder.project(project).users(opened).audit(audit)
        });
        Self {
            running: running.await,
            users: own,
            log,
        }
    }

    fn entries(&self) -> Vec<AuditEntry> {
        entries(&self.log)
    }

    /// Changes the entry of a user in the file of this host alone.
    fn change(&self, name: &str, change: impl FnOnce(&mut Value)) {
        let text = std::fs::read_to_string(&self.users).unwrap();
        let mut all: Value = serde_json::from_str(&text).unwrap();
        let users = all["users"].as_array_mut().unwrap();
        change(users.iter_mut().find(|it| it["name"] == name).unwrap());
        // Its length differs, so that the server sees the change whatever the clock of the file system.
        std::fs::write(&self.users, format!("{all}\n\n")).unwrap();
    }

    async fn ask(&self, token: &str, method: &str, path: &str, body: &Value) -> Response {
        self.ask_with(token, "", method, path, body).await
    }

    async fn ask_with(
        &self,
        token: &str,
        headers: &str,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Response {
        let (host, body) = (self.running.address, body.to_string());
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n{headers}Connection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.running.raw(&request).await
    }

    async fn socket(&self, token: &str, session: &str) -> Socket {
        let authorization = ("authorization", format!("Bearer {token}"));
        let connected = connect(&self.running, session, &[authorization]).await;
        connected.unwrap()
    }

    /// A stream of events, whose end is read as text.
    async fn events(&self, token: &str, session: &str) -> TcpStream {
        let host = self.running.address;
        let request = format!(
            "GET /api/sessions/{session}/events HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        let mut stream = TcpStream::connect(host).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut head = [0; 12];
        soon(stream.read_exact(&mut head)).await.unwrap();
        assert_eq!(&head, b"HTTP/1.1 200");
        stream
    }
}

/// Two hosts with a user of each role, and the tokens of the users. The first one has the session.
struct Pair {
    one: Host,
    other: Host,
    tokens: Vec<(Role, String)>,
    session: String,
    store: Arc<MemoryStore>,
}

impl Pair {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("users.json");
        let tokens = Role::ALL.map(|role| {
            let token = Users::add(&file, NewUser::new(role.name(), role)).unwrap();
            (role, token.expose().to_owned())
        });
        let store = Arc::new(MemoryStore::new());
        let one = Host::start(&store, &file).await;
        let other = Host::start(&store, &file).await;
        let session = one.running.session().await;
        Self {
            one,
            other,
            tokens: tokens.to_vec(),
            session,
            store,
        }
    }

    fn token(&self, role: Role) -> &str {
        let mut all = self.tokens.iter();
        &all.find(|(of, _)| *of == role).unwrap().1
    }

    fn path(&self, more: &str) -> String {
        format!("/api/sessions/{}{more}", self.session)
    }

    /// Asks the host that does not have the session.
    async fn ask(&self, role: Role, method: &str, more: &str, body: &Value) -> Response {
        let (token, path) = (self.token(role), self.path(more));
        self.other.ask(token, method, &path, body).await
    }

    async fn end(self) {
        self.other.running.end().await;
        self.one.running.end().await;
    }
}

fn kind(response: &Response) -> Value {
    response.json()["error"]["kind"].clone()
}

#[tokio::test]
async fn a_forwarded_request_is_one_of_its_user_in_everything() {
    let pair = Pair::start().await;
    let hi = json!({"text": "How many?"});
    let mut viewer = pair
        .other
        .socket(pair.token(Role::View), &pair.session)
        .await;
    heard(&mut viewer, "session_state").await;
    // The other host alone knows the roles that messages of a socket need.
    say(&mut viewer, &json!({"type": "prompt", "text": "Hi."})).await;
    assert_eq!(heard(&mut viewer, "error").await["kind"], "role");
    let refused = pair.ask(Role::View, "POST", "/prompts", &hi).await;
    assert_eq!((refused.status, kind(&refused)), (403, json!("role")));
    let sent = pair.ask(Role::Prompt, "POST", "/prompts", &hi).await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    let asked = heard(&mut viewer, "permission_request").await;
    let answer = format!("/requests/{}", asked["requestId"].as_str().unwrap());
    let always = json!({"decision": "allowAlways"});
    let refused = pair.ask(Role::Answer, "POST", &answer, &always).await;
    assert_eq!((refused.status, kind(&refused)), (403, json!("role")));
    let allow = json!({"decision": "allow"});
    // A name that a program chooses has no effect.
    let (token, path) = (pair.token(Role::Answer), pair.path(&answer));
    let named = "X-Claw-Viewer: own\r\nX-Claw-From: 1.2.3.4:5\r\n";
    let answered = pair.other.ask_with(token, named, "POST", &path, &allow);
    assert_eq!(answered.await.status, 200);
    assert_eq!(
        heard(&mut viewer, "permission_resolved").await["by"],
        "answer"
    );

    // The host that has carried it out has the lines, each with the user.
    let entries = pair.one.entries();
    let done: Vec<_> = entries
        .iter()
        .filter(|entry| entry.refused.is_none() && entry.by == AuditSender::User)
        .map(|entry| (&*entry.action, entry.user.as_deref().unwrap()))
        .collect();
    assert_eq!(
        done,
        [("sendPrompt", "prompt"), ("answerRequest", "answer")]
    );
    let refused: Vec<_> = entries
        .iter()
        .filter(|entry| entry.refused.is_some())
        .map(|entry| (&*entry.action, entry.user.as_deref().unwrap()))
        .collect();
    assert_eq!(
        refused,
        [("sendPrompt", "view"), ("answerRequest", "answer")]
    );
    assert!(
        entries
            .iter()
            .all(|it| it.from.as_deref() != Some("1.2.3.4:5"))
    );
    // What the first host has refused is in its own log.
    let of_other = pair.other.entries();
    assert_eq!(of_other.len(), 1, "{of_other:?}");
    assert_eq!(of_other[0].user.as_deref(), Some("view"));
    pair.end().await;
}

#[tokio::test]
async fn the_lower_one_of_two_roles_counts_and_an_unknown_user_is_refused() {
    let pair = Pair::start().await;
    // One host has taken the role away, and the other one does not know yet.
    pair.one.change("own", |user| user["role"] = json!("view"));
    let refused = pair.ask(Role::Own, "POST", "/close", &Value::Null).await;
    assert_eq!((refused.status, kind(&refused)), (403, json!("role")));
    pair.one.change("own", |user| user["role"] = json!("own"));
    // The other way round, in a socket, which a viewer may open.
    pair.other
        .change("answer", |user| user["role"] = json!("view"));
    let mut socket = pair
        .other
        .socket(pair.token(Role::Answer), &pair.session)
        .await;
    say(&mut socket, &json!({"type": "interrupt"})).await;
    assert_eq!(heard(&mut socket, "error").await["kind"], "role");

    // A user of one host alone.
    let ana = Users::add(&pair.other.users, NewUser::new("ana", Role::Own)).unwrap();
    let list = pair
        .other
        .ask(ana.expose(), "GET", "/api/sessions", &Value::Null);
    assert_eq!(list.await.status, 200);
    let path = pair.path("");
    let refused = pair
        .other
        .ask(ana.expose(), "GET", &path, &Value::Null)
        .await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert!(
        refused
            .body
            .contains("all hosts need the same file of users"),
        "{}",
        refused.body
    );
    // A user of the same name on the other host is another one.
    Users::add(&pair.one.users, NewUser::new("ana", Role::Own)).unwrap();
    let refused = pair
        .other
        .ask(ana.expose(), "GET", &path, &Value::Null)
        .await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    // A host without users knows none.
    let store = Arc::new(MemoryStore::new());
    let folder = tempfile::tempdir().unwrap();
    let without = host_of(&store, asking(), folder, |builder| builder).await;
    let with = Host::start(&store, &pair.other.users).await;
    let session = without.session().await;
    let path = format!("/api/sessions/{session}");
    let token = pair.token(Role::Own);
    assert_eq!(
        with.ask(token, "GET", &path, &Value::Null).await.status,
        403
    );
    assert_eq!(
        with.running.ask("GET", &path, &Value::Null).await.status,
        200
    );
    with.running.end().await;
    without.end().await;
    pair.end().await;
}

#[tokio::test]
async fn the_streams_of_a_user_end_who_was_removed_from_either_host() {
    let pair = Pair::start().await;
    for (removed_from, role) in [(&pair.one, Role::View), (&pair.other, Role::Prompt)] {
        let token = pair.token(role);
        let mut events = pair.other.events(token, &pair.session).await;
        let mut socket = pair.other.socket(token, &pair.session).await;
        heard(&mut socket, "session_state").await;
        Users::remove(&removed_from.users, role.name()).unwrap();
        soon(async {
            let mut rest = Vec::new();
            // The end may be a break.
            let _ = events.read_to_end(&mut rest).await;
            while let Some(Ok(_)) = socket.next().await {}
        })
        .await;
        let path = pair.path("");
        let response = pair.other.ask(token, "GET", &path, &Value::Null).await;
        let status = response.status;
        assert!([401, 403].contains(&status), "{status}");
    }
    // Others go on.
    let mut other = pair
        .other
        .socket(pair.token(Role::Answer), &pair.session)
        .await;
    heard(&mut other, "session_state").await;
    pair.end().await;
}

#[tokio::test]
async fn a_user_of_one_project_sees_its_sessions_on_all_hosts_and_no_others() {
    let pair = Pair::start().await;
    // Hosts have their projects in different folders.
    let folder = |host: &Host, name: &str| {
        let path = host.running.folder.path().join(name);
        json!([path.canonicalize().unwrap()])
    };
    for host in [&pair.one, &pair.other] {
        host.change("own", |user| user["projects"] = folder(host, "blog"));
        host.change("answer", |user| user["projects"] = folder(host, "shop"));
    }
    let seen = pair.ask(Role::Answer, "GET", "", &Value::Null).await;
    assert_eq!(seen.status, 200, "{}", seen.body);
    let unknown = "/api/sessions/31111111-1111-4111-8111-111111111111";
    for (method, more) in [("GET", ""), ("GET", "/elements"), ("POST", "/interrupt")] {
        let refused = pair.ask(Role::Own, method, more, &Value::Null).await;
        assert_eq!(refused.status, 404, "{more}: {}", refused.body);
        let path = format!("{unknown}{more}");
        let token = pair.token(Role::Own);
        let other = pair.other.ask(token, method, &path, &Value::Null).await;
        assert_eq!(other.body, refused.body, "{more}");
    }
    for body in [
        json!({"resume": pair.session}),
        json!({"fork": {"session": pair.session}}),
    ] {
        let token = pair.token(Role::Own);
        let refused = pair.other.ask(token, "POST", "/api/sessions", &body).await;
        assert_eq!(refused.status, 404, "{body}: {}", refused.body);
    }
    // A session that no host has is not made live for a user who does not see it.
    let hi = json!({"text": "Hi."});
    let sent = pair.ask(Role::Answer, "POST", "/prompts", &hi).await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    let Pair {
        one,
        other,
        tokens,
        session,
        ..
    } = pair;
    one.running.end().await;
    let path = format!("/api/sessions/{session}/elements");
    let of = |role: Role| tokens.iter().find(|it| it.0 == role).unwrap().1.clone();
    let claims = async || {
        let metrics = other.running.ask("GET", "/metrics", &Value::Null).await;
        metrics.body.contains("\nclaw_claims 1\n")
    };
    let refused = other.ask(&of(Role::Own), "GET", &path, &Value::Null).await;
    assert_eq!(refused.status, 404, "{}", refused.body);
    assert!(!claims().await);
    let seen = other
        .ask(&of(Role::Answer), "GET", &path, &Value::Null)
        .await;
    assert_eq!(seen.status, 200, "{}", seen.body);
    assert!(claims().await);
    other.running.end().await;
}

/// The host that receives a request alone knows that the user sees one project, and another host has the session.
#[tokio::test]
async fn the_projects_of_the_first_host_count_for_a_session_in_a_body() {
    let pair = Pair::start().await;
    let blog = pair.other.running.folder.path().join("blog");
    let blog = blog.canonicalize().unwrap();
    pair.other
        .change("own", |user| user["projects"] = json!([blog]));
    let unknown = "31111111-1111-4111-8111-111111111111";
    let call = |method: &str, id: &str| {
        let params = match method {
            "session/prompt" => json!({"session_id": id, "text": "Hi."}),
            _ => json!({"session_id": id}),
        };
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    };
    let bodies = |id: &str| {
        vec![
            ("/api/sessions", json!({"resume": id})),
            ("/api/sessions", json!({"fork": {"session": id}})),
            ("/rpc", call("session/messages", id)),
            ("/rpc", call("session/prompt", id)),
            ("/rpc", json!([call("session/messages", id)])),
        ]
    };
    let token = pair.token(Role::Own);
    for ((path, body), (_, of_none)) in bodies(&pair.session).into_iter().zip(bodies(unknown)) {
        let hidden = pair.other.ask(token, "POST", path, &body).await;
        let none = pair.other.ask(token, "POST", path, &of_none).await;
        assert_eq!(
            (hidden.status, &hidden.body),
            (none.status, &none.body),
            "{body}"
        );
        assert!(hidden.body.contains("error"), "{body}: {}", hidden.body);
    }
    // A list with a session is not passed on either.
    let list = call("session/list", &pair.session);
    let list = pair.other.ask(token, "POST", "/rpc", &list).await.json();
    assert_eq!(list["error"]["code"], -32602, "{list}");
    // A user who sees all projects of both hosts reaches the session.
    let token = pair.token(Role::Answer);
    for (path, body) in [
        ("/api/sessions", json!({"resume": pair.session})),
        ("/rpc", call("session/prompt", &pair.session)),
    ] {
        let seen = pair.other.ask(token, "POST", path, &body).await;
        let is_done = seen.status < 300 && !seen.body.contains("error\":{");
        assert!(is_done, "{body}: {}", seen.body);
    }
    pair.end().await;
}

#[tokio::test]
async fn a_login_of_a_user_is_valid_on_all_hosts_with_the_same_role() {
    let pair = Pair::start().await;
    let link = format!("/login/{}", pair.token(Role::View));
    let cookie = pair.one.running.log_in(&link).await;
    let value = cookie.split_once('=').unwrap().1;
    let host = pair.other.running.address;
    let ask = async |method: &str, more: &str| {
        let path = pair.path(more);
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: claw_session={value}\r\n{PAGE_KEY}Content-Length: 0\r\nConnection: close\r\n\r\n"
        );
        pair.other.running.raw(&request).await.status
    };
    assert_eq!(ask("GET", "").await, 200);
    assert_eq!(ask("POST", "/interrupt").await, 403);
    Users::remove(&pair.other.users, "view").unwrap();
    assert_eq!(ask("GET", "").await, 401);
    pair.end().await;
}

/// Whoever is no host of the cluster names nobody, whatever the headers.
#[tokio::test]
async fn a_sender_that_no_host_has_signed_has_no_effect() {
    let pair = Pair::start().await;
    let id = |name: &str| {
        let text = std::fs::read_to_string(&pair.one.users).unwrap();
        let all: Value = serde_json::from_str(&text).unwrap();
        let users = all["users"].as_array().unwrap().iter();
        let user = users.clone().find(|it| it["name"] == name).unwrap();
        user["id"].as_str().unwrap().to_owned()
    };
    let session = SessionRef::new("shop", &*pair.session).unwrap();
    let holder = pair.store.claims().unwrap().holder(&session).await;
    let owner = holder.unwrap().unwrap().0.id;
    let address = HostUrl::new(&format!("http://{}", pair.one.running.address)).unwrap();
    let path = pair.path("/close");
    let sign = |key: &str, sender: Option<&str>| {
        ClusterKey::new(key).unwrap().sign(ToSign {
            to: &owner,
            address: &address,
            method: "POST",
            path: &path,
            body: b"",
            sender,
        })
    };
    let (viewer, own) = (format!("{}.view", id("view")), format!("{}.own", id("own")));
    let other_key = "x".repeat(40);
    let good = sign(KEY, Some(&viewer));
    let host = pair.one.running.address;
    let status = async |headers: String| {
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: 0\r\nConnection: close\r\n\r\n"
        );
        pair.one.running.raw(&request).await
    };
    let token = format!("Authorization: Bearer {}\r\n", pair.token(Role::View));
    for forged in [
        sign(&other_key, Some(&own)),
        sign(&other_key, None),
        good.replace(&viewer, &own),
        good.replace(&format!(" {viewer}"), "").replace("v3", "v2"),
        good.replace(".view", ".own"),
        format!("v3 {own}"),
        own.clone(),
        String::new(),
    ] {
        for token in ["", &token] {
            let response = status(format!("{token}claw-cluster: {forged}\r\n")).await;
            assert_eq!(response.status, 401, "{forged}: {}", response.body);
        }
    }
    // Two signatures are none. Other headers name nobody.
    let two = format!("claw-cluster: {good}\r\nclaw-cluster: {good}\r\n");
    assert!([400, 401, 403].contains(&status(two).await.status));
    for header in [
        "Claw-Sender",
        "X-Claw-User",
        "X-Claw-Viewer",
        "X-Forwarded-User",
    ] {
        let response = status(format!("{token}{header}: {own}\r\n")).await;
        assert_eq!((response.status, kind(&response)), (403, json!("role")));
    }
    // The host signs for whom it sends: this is a viewer, who may not close. Nor is there a user with this role or ID.
    for (sender, expected) in [
        (Some(&*viewer), "role"),
        (Some("00000000000000000000000000000000.own"), "forbidden"),
        (Some("own"), "forbidden"),
        (Some(&*format!("{}.root", id("own"))), "forbidden"),
    ] {
        let signed = sign(KEY, sender);
        let response = status(format!("claw-cluster: {signed}\r\n")).await;
        assert_eq!(
            (response.status, kind(&response)),
            (403, json!(expected)),
            "{sender:?}"
        );
        // Nobody sends it again.
        let again = status(format!("claw-cluster: {signed}\r\n")).await;
        assert_eq!(again.status, 401, "{}", again.body);
    }
    // The session is still there, and those with the right close it.
    assert_eq!(
        pair.ask(Role::View, "GET", "", &Value::Null).await.status,
        200
    );
    let signed = sign(KEY, Some(&own));
    let closed = status(format!("claw-cluster: {signed}\r\n")).await;
    assert!(closed.status < 300, "{}", closed.body);
    pair.end().await;
}
