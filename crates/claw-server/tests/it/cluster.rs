//! Several hosts with one store: one of them runs a session, and every other one passes on what concerns it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_client::store::{
    MemoryStore, Owner, ReadSessions, SessionRef, SessionStore, StoreError, StoreOptions, Subpath,
};
use claw_cluster::{ClusterKey, HostUrl};
use claw_server::{Audit, AuditEntry, HubError, Limits, NewPrompt, ServerBuilder, Token};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use claw_testkit::store::{Call, Intercept, Intercepted, intercepted};
use claw_types::message::UserMessage;
use futures::StreamExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::attacks::bare;
use crate::client::{Response, Running, soon};
use crate::socket;
use crate::stores::append_to;

const TOKEN: &str = "the-token-of-all-hosts";
pub(crate) const KEY: &str = "the-key-that-all-hosts-have-in-common";

/// A host's connection to the store, which a test can cut.
pub(crate) type Way = Intercepted<Cut, MemoryStore>;

#[derive(Debug, Default)]
pub(crate) struct Cut {
    is_cut: AtomicBool,
    /// The address that replaces the addresses of the claims' owners.
    pub(crate) forged: Mutex<Option<String>>,
}

impl Cut {
    /// Cuts the connection, or restores it.
    pub(crate) fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Relaxed);
    }
}

impl Intercept for Cut {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call != Call::Sessions && self.is_cut.load(Relaxed) {
            return Err(StoreError::unavailable("the way is cut"));
        }
        Ok(())
    }

    fn holder(&self, holder: Option<(Owner, Duration)>) -> Option<(Owner, Duration)> {
        let forged = self.forged.lock().unwrap().clone();
        holder.map(|(mut owner, left)| {
            owner.address = forged.or(owner.address);
            (owner, left)
        })
    }
}

fn way_to(store: &Arc<MemoryStore>) -> Arc<Way> {
    Arc::new(intercepted(store.clone(), Cut::default()))
}

/// A turn that waits in its middle.
fn waits() -> Script {
    Script::new([Step::Turns(vec![Step::message([
        Block::text("I think.").hold(1, "half")
    ])])])
}

async fn host(way: &Arc<Way>, key: &str, ttl: Duration, script: Script) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    host_at(way, key, ttl, script, listener, address)
}

/// A host with other limits.
pub(crate) async fn host_with(way: &Arc<Way>, change: impl FnOnce(&mut Limits)) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let script = Script::reply("Hi.");
    host_as(way, KEY, LONG, script, listener, address, change)
}

/// A host of this store whose server is changed further.
pub(crate) async fn host_of(
    store: &Arc<MemoryStore>,
    script: Script,
    folder: TempDir,
    change: impl FnOnce(ServerBuilder) -> ServerBuilder,
) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let store: Arc<dyn SessionStore> = way_to(store);
    let options = StoreOptions::new(store).ttl(LONG);
    Running::start_on(listener, script, folder, None, |builder| {
        let (url, key) = (HostUrl::new(&url).unwrap(), ClusterKey::new(KEY).unwrap());
        let builder = builder.store(options).token(Token::new(TOKEN).unwrap());
        change(builder.cluster(url, key))
    })
}

/// A host that the others reach at this address.
fn host_at(
    way: &Arc<Way>,
    key: &str,
    ttl: Duration,
    script: Script,
    listener: TcpListener,
    address: SocketAddr,
) -> Running {
    host_as(way, key, ttl, script, listener, address, |_| {})
}

fn host_as(
    way: &Arc<Way>,
    key: &str,
    ttl: Duration,
    script: Script,
    listener: TcpListener,
    address: SocketAddr,
    change: impl FnOnce(&mut Limits),
) -> Running {
    let url = format!("http://{address}");
    let store: Arc<dyn SessionStore> = way.clone();
    let options = StoreOptions::new(store).ttl(ttl);
    let folder = tempfile::tempdir().unwrap();
    Running::start_on(listener, script, folder, None, |builder| {
        let key = ClusterKey::new(key).unwrap();
        builder
            .store(options)
            .limits(change)
            .token(Token::new(TOKEN).unwrap())
            .cluster(HostUrl::new(&url).unwrap(), key)
    })
}

/// Hosts have their projects in different folders, under one name in the store.
pub(crate) async fn hosts<const N: usize>(
    ttl: Duration,
    script: impl Fn() -> Script,
) -> [(Running, Arc<Way>); N] {
    let store = Arc::new(MemoryStore::new());
    let mut hosts = Vec::new();
    for _ in 0..N {
        let way = way_to(&store);
        hosts.push((host(&way, KEY, ttl, script()).await, way));
    }
    hosts.try_into().ok().unwrap()
}

pub(crate) const LONG: Duration = Duration::from_secs(15);

async fn send(running: &Running, session: &str, uuid: &str, text: &str) -> Response {
    let path = format!("/api/sessions/{session}/prompts");
    let prompt = json!({"text": text, "uuid": uuid});
    running.ask("POST", &path, &prompt).await
}

async fn view(running: &Running, session: &str) -> Value {
    let path = format!("/api/sessions/{session}");
    let view = running.ask("GET", &path, &Value::Null).await;
    assert_eq!(view.status, 200, "{}", view.body);
    view.json()
}

fn uuid(number: usize) -> String {
    format!("{number}0000000-0000-4000-8000-000000000000")
}

#[tokio::test]
async fn what_concerns_a_session_is_passed_on_to_the_host_that_has_it() {
    let [(one, _), (other, _)] = hosts(LONG, waits).await;
    let session = one.session().await;
    let mut events = other.events(&session, None).await;
    let first = events.until("reset", |_| true).await;
    let mut socket = socket::connect(&other, &session, &[socket::token(&other)])
        .await
        .unwrap();
    assert_eq!(send(&other, &session, &uuid(1), "Think").await.status, 202);
    assert_eq!(send(&one, &session, &uuid(1), "Think").await.status, 200);
    soon(one.agent.gates().reached("half")).await;
    assert!(other.agent.received().is_empty(), "it has no process");
    assert_eq!(view(&other, &session).await["state"]["phase"], "running");
    events
        .until("state", |state| state["phase"] == "running")
        .await;
    // A viewer that comes back by the other way goes on where it was.
    let last = &first.last().unwrap().id;
    let mut again = one.events(&session, Some(last)).await;
    assert_ne!(again.next().await.unwrap().kind, "reset");
    one.agent.gates().open("half");
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    // What the session has said comes through the WebSocket too.
    loop {
        let message = soon(socket.next()).await.unwrap().unwrap();
        if message.to_text().unwrap().contains(&session) {
            break;
        }
    }
    let resumed = other
        .ask("POST", "/api/sessions", &json!({"resume": session}))
        .await;
    assert_eq!(resumed.status, 201, "{}", resumed.body);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt",
        "params": {"session_id": session, "text": "Think", "uuid": uuid(1)}});
    let called = other.ask("POST", "/rpc", &call).await.json();
    assert_eq!(called["result"]["uuid"], uuid(1), "{called}");
    let metrics = one.ask("GET", "/metrics", &Value::Null).await.body;
    assert!(metrics.contains("\nclaw_claims 1\n"), "{metrics}");
    // With the end of its host it is free at once.
    one.end().await;
    assert_eq!(
        events.until("closed", |_| true).await.last().unwrap().kind,
        "closed"
    );
    other.end().await;
}

#[tokio::test]
async fn nobody_is_let_in_without_the_key() {
    let store = Arc::new(MemoryStore::new());
    let (one_way, other_way) = (way_to(&store), way_to(&store));
    let one = host(&one_way, KEY, LONG, waits()).await;
    let other = host(
        &other_way,
        "another-key-of-thirty-two-characters",
        LONG,
        waits(),
    )
    .await;
    let session = one.session().await;
    let path = format!("/api/sessions/{session}");
    let refused = other.ask("GET", &path, &Value::Null).await;
    assert_eq!(refused.status, 502, "{}", refused.body);
    assert!(refused.body.contains("same key"), "{}", refused.body);
    // The header is not one more way in, with a token or without.
    let alone = Running::start(waits()).await;
    for running in [&one, &alone] {
        for header in ["", "v1 1 x y z", "v1"] {
            let headers = format!("claw-cluster: {header}\r\n");
            let refused = running
                .ask_with("GET", "/api/projects", &Value::Null, &headers)
                .await;
            assert_eq!(refused.status, 401, "{}", refused.body);
        }
    }
    for ended in [one, other, alone] {
        ended.end().await;
    }
}

/// A turn that begins while the store is away waits for it, and so does a session that is asked for.
#[tokio::test]
async fn a_store_that_is_away_is_waited_for() {
    let [(one, way), (other, other_way)] = hosts(LONG, waits).await;
    let session = one.session().await;
    let mut events = one.events(&session, None).await;
    events.until("reset", |_| true).await;
    for way in [&way, &other_way] {
        way.intercept.is_cut.store(true, Relaxed);
    }
    let uuid = uuid(1);
    let sent = send(&one, &session, &uuid, "Think");
    let seen = view(&other, &session);
    let back = async {
        let waits = |state: &Value| state["waitsForStore"] == true;
        events.until("state", waits).await;
        for way in [&way, &other_way] {
            way.intercept.is_cut.store(false, Relaxed);
        }
    };
    let (sent, seen, ()) = soon(futures::future::join3(sent, seen, back)).await;
    assert_eq!(sent.status, 202, "{}", sent.body);
    assert!(!seen["state"].is_null(), "{seen}");
    let is_back = |state: &Value| state["waitsForStore"].is_null() && state["phase"] == "running";
    events.until("state", is_back).await;
    soon(one.agent.gates().reached("half")).await;
    one.agent.gates().open("half");
    let is_over = |state: &Value| state["phase"] == "idle";
    let last = events.until("state", is_over).await.pop().unwrap();
    assert_eq!(last.data["error"], Value::Null, "{last:?}");
    one.end().await;
    other.end().await;
}

#[tokio::test]
async fn a_host_without_its_store_is_not_ready_and_says_nothing_of_the_store() {
    let [(one, way)] = hosts(LONG, waits).await;
    let ready = async || {
        let host = one.address;
        let request = format!("GET /ready HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        one.raw(&request).await
    };
    assert_eq!(ready().await.status, 200);
    way.intercept.is_cut.store(true, Relaxed);
    let away = ready().await;
    assert_eq!(away.status, 503, "{}", away.body);
    assert_eq!(away.json()["error"]["kind"], "busy", "{}", away.body);
    assert!(!away.body.contains("the way is cut"), "{}", away.body);
    way.intercept.is_cut.store(false, Relaxed);
    assert_eq!(ready().await.status, 200);
    one.end().await;
}

#[tokio::test]
async fn a_prompt_whose_session_is_given_up_while_it_waits_for_the_store_is_refused_with_that_reason()
 {
    let [(one, way)] = hosts(Duration::from_secs(2), waits).await;
    let session = one.session().await;
    way.intercept.is_cut.store(true, Relaxed);
    let refused = soon(send(&one, &session, &uuid(1), "Think")).await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert_eq!(refused.header("retry-after"), Some("1"));
    let message = refused.json()["error"]["message"].to_string();
    assert!(message.contains("the store is away"), "{message}");
    one.end().await;
}

/// A request that comes while its host ends is not of a session that is nowhere.
#[tokio::test]
async fn a_session_of_a_host_that_ends_is_not_unknown() {
    let [(one, _)] = hosts(LONG, waits).await;
    let session = one.session().await;
    let held = one.server.hub().open(&session).await.unwrap();
    soon(one.server.end(Duration::ZERO)).await;
    let path = format!("/api/sessions/{session}");
    for refused in [
        send(&one, &session, &uuid(1), "Think").await,
        one.ask("GET", &path, &Value::Null).await,
    ] {
        assert_eq!(refused.status, 503, "{}", refused.body);
        assert_eq!(refused.header("retry-after"), Some("1"));
        assert!(refused.body.contains("the server ends"), "{}", refused.body);
    }
    // Who had it in hand before.
    let prompted = held.prompt(NewPrompt::new("Think")).await;
    assert!(matches!(prompted, Err(HubError::Busy(_))), "{prompted:?}");
    one.end().await;
}

#[tokio::test]
async fn a_host_that_loses_the_store_gives_its_sessions_up_and_another_one_names_their_prompts() {
    let ttl = Duration::from_secs(2);
    let [(one, way), (other, _)] = hosts(ttl, waits).await;
    let session = one.session().await;
    let mut events = other.events(&session, None).await;
    assert_eq!(send(&other, &session, &uuid(1), "Think").await.status, 202);
    soon(one.agent.gates().reached("half")).await;
    way.intercept.is_cut.store(true, Relaxed);
    // Of another version, say.
    let of = SessionRef::new("shop", &*session).unwrap();
    let log = of.at(Subpath::new("claw/prompts-damaged").unwrap());
    append_to(&*way.inner, &log, &[json!({"id": "what nobody can read"})]).await;
    // The viewer's stream ends, and nothing was answered.
    soon(async { while events.next().await.is_some() {} }).await;
    // Whoever asks next has it, once the claim is over. Until then the host that had it refuses.
    let path = format!("/api/sessions/{session}");
    let state = soon(async {
        loop {
            let view = other.ask("GET", &path, &Value::Null).await;
            if view.status == 200 {
                break view.json()["state"].clone();
            }
        }
    })
    .await;
    assert_eq!(state["phase"], "cut", "{state}");
    let mut viewer = other.events(&session, None).await;
    let shown = format!("{:?}", viewer.until("reset", |_| true).await);
    assert!(shown.contains("what nobody can read"), "{shown}");
    drop(viewer);
    assert_eq!(
        state["unanswered"],
        json!([{"uuid": uuid(1), "sent": true}])
    );
    // Nobody knows how far it came: it is not run again.
    assert_eq!(send(&other, &session, &uuid(1), "Think").await.status, 200);
    assert_eq!(send(&other, &session, &uuid(2), "Go on").await.status, 202);
    soon(other.agent.gates().reached("half")).await;
    way.intercept.is_cut.store(false, Relaxed);
    // The first host passes on now.
    assert_eq!(view(&one, &session).await["state"]["phase"], "running");
    let metrics = one.ask("GET", "/metrics", &Value::Null).await.body;
    assert!(
        metrics.contains("claw_claim_events_total{event=\"lost\"} 1"),
        "{metrics}"
    );
    let inherited = "claw_claim_events_total{event=\"inherited\"}";
    assert!(metrics.contains(&format!("{inherited} 0\n")), "{metrics}");
    let metrics = other.ask("GET", "/metrics", &Value::Null).await.body;
    assert!(metrics.contains(&format!("{inherited} 1\n")), "{metrics}");
    assert!(
        metrics.contains("claw_store_sessions_left 0\n"),
        "{metrics}"
    );
    one.end().await;
    other.end().await;
}

#[tokio::test]
async fn a_prompt_that_was_never_sent_stays_until_it_is_sent_or_dismissed() {
    let says = || Script::reply("Yes.");
    let [(one, way), (other, _), (third, _)] = hosts(LONG, says).await;
    let session = "11111111-1111-4111-8111-111111111111";
    // A host that was killed has left these.
    let of = SessionRef::new("shop", session).unwrap();
    let name = format!("claw/prompts-{:020}-{:020}-killed", 0, 0);
    let accepted = |number| {
        let prompt = UserMessage::prompt("Think").uuid(uuid(number));
        json!({"id": uuid(number), "state": "accepted", "prompt": prompt})
    };
    let sent = json!({"id": uuid(3), "state": "sent"});
    let key = of.at(Subpath::new(&name).unwrap());
    let lines = [accepted(1), accepted(2), accepted(3), sent];
    append_to(&*way.inner, &key, &lines).await;
    let unanswered =
        async |host: &Running| view(host, session).await["state"]["unanswered"].clone();
    let left = |number, is_sent: bool| json!({"uuid": uuid(number), "sent": is_sent});
    let all = json!([left(1, false), left(2, false), left(3, true)]);
    assert_eq!(unanswered(&one).await, all);
    // The session continues, on one host and on the next one.
    let prompt = async |host: &Running, number, text: &str| {
        let mut events = host.events(session, None).await;
        assert_eq!(send(host, session, &uuid(number), text).await.status, 202);
        let is_idle = |state: &Value| state["phase"] == "idle";
        events.until("state", is_idle).await;
    };
    prompt(&one, 4, "Go on").await;
    let unsent = json!([left(1, false), left(2, false)]);
    assert_eq!(unanswered(&one).await, unsent);
    one.end().await;
    assert_eq!(unanswered(&other).await, unsent);
    let cancel = format!("/api/sessions/{session}/prompts/{}/cancel", uuid(1));
    for expected in [204, 404] {
        let response = other.ask("POST", &cancel, &Value::Null).await;
        assert_eq!(response.status, expected, "{}", response.body);
    }
    assert_eq!(unanswered(&other).await, json!([left(2, false)]));
    other.end().await;
    assert_eq!(unanswered(&third).await, json!([left(2, false)]));
    prompt(&third, 2, "Think").await;
    assert_eq!(unanswered(&third).await, Value::Null);
    assert_eq!(crate::kept::prompts(&third.agent), [json!("Think")]);
    third.end().await;
    let left = ReadSessions::subkeys(&*way.inner).unwrap();
    let left = left.subkeys(&of).await.unwrap();
    assert!(
        left.iter().all(|path| !path.as_str().contains("prompts")),
        "{left:?}"
    );
}

#[tokio::test]
async fn an_interrupt_comes_by_way_of_another_host() {
    let [(one, _), (other, _)] = hosts(LONG, waits).await;
    let session = one.session().await;
    let mut events = one.events(&session, None).await;
    assert_eq!(send(&one, &session, &uuid(1), "Think").await.status, 202);
    soon(one.agent.gates().reached("half")).await;
    let path = format!("/api/sessions/{session}/interrupt");
    let interrupted = other.ask("POST", &path, &Value::Null).await;
    assert_eq!(interrupted.status, 204, "{}", interrupted.body);
    events
        .until("state", |state| state["phase"] == "idle")
        .await;
    assert_eq!(other.ask("POST", &path, &Value::Null).await.status, 409);
    one.end().await;
    other.end().await;
}

/// Passes connections on to a host, and keeps what is sent to it.
async fn overhears(target: SocketAddr) -> (SocketAddr, Arc<Mutex<Vec<u8>>>) {
    relays(target, "", "").await
}

/// Passes connections on to a host, keeps what is sent to it, and changes a word in it.
async fn relays(
    target: SocketAddr,
    word: &'static str,
    other: &'static str,
) -> (SocketAddr, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let overheard = Arc::<Mutex<Vec<u8>>>::default();
    let kept = overheard.clone();
    tokio::spawn(async move {
        while let Ok((from, _)) = listener.accept().await {
            let to = TcpStream::connect(target).await.unwrap();
            let (mut from, mut back) = from.into_split();
            let (mut answers, mut to) = to.into_split();
            let kept = kept.clone();
            tokio::spawn(async move {
                let mut bytes = vec![0; 16 << 10];
                while let Ok(count @ 1..) = from.read(&mut bytes).await {
                    kept.lock().unwrap().extend_from_slice(&bytes[..count]);
                    let sent = String::from_utf8_lossy(&bytes[..count]);
                    let sent = match word {
                        "" => sent.into_owned(),
                        word => sent.replace(word, other),
                    };
                    to.write_all(sent.as_bytes()).await.unwrap();
                }
            });
            tokio::spawn(async move { tokio::io::copy(&mut answers, &mut back).await });
        }
    });
    (address, overheard)
}

#[tokio::test]
async fn a_request_between_hosts_that_somebody_overhears_counts_once() {
    let store = Arc::new(MemoryStore::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, overheard) = overhears(listener.local_addr().unwrap()).await;
    let one = host_at(&way_to(&store), KEY, LONG, waits(), listener, address);
    let other = host(&way_to(&store), KEY, LONG, waits()).await;
    let session = one.session().await;
    view(&other, &session).await;
    let path = format!("/api/sessions/{session}");
    let header = {
        let sent = String::from_utf8(overheard.lock().unwrap().clone()).unwrap();
        let (_, request) = sent.split_once(&format!("GET {path} ")).unwrap();
        let mut lines = request.lines();
        let line = lines.find(|line| line.to_lowercase().starts_with("claw-cluster:"));
        format!("{}\r\n", line.unwrap())
    };
    let again = one.ask_with("GET", &path, &Value::Null, &header).await;
    assert_eq!(again.status, 401, "{}", again.body);
    assert!(again.body.contains("was sent before"), "{}", again.body);
    other.end().await;
    one.end().await;
}

#[tokio::test]
async fn a_claim_with_the_address_of_a_relay_gives_the_relay_nothing() {
    let [(one, _), (other, way)] = hosts(LONG, waits).await;
    let session = one.session().await;
    let (relay, overheard) = relays(one.address, "Think", "Steal").await;
    *way.intercept.forged.lock().unwrap() = Some(format!("http://{relay}"));
    let refused = send(&other, &session, &uuid(1), "Think").await;
    assert_eq!(refused.status, 502, "{}", refused.body);
    assert!(refused.body.contains("--advertise"), "{}", refused.body);
    let socket = socket::connect(&other, &session, &[socket::token(&other)]).await;
    assert!(socket.is_err());
    let overheard = String::from_utf8(overheard.lock().unwrap().clone()).unwrap();
    assert!(overheard.contains("/cluster/hello"), "{overheard}");
    assert!(!overheard.contains(&session), "{overheard}");
    assert!(!overheard.contains("Think"), "{overheard}");
    // With the owner's own address it is passed on.
    *way.intercept.forged.lock().unwrap() = None;
    assert_eq!(send(&other, &session, &uuid(1), "Think").await.status, 202);
    soon(one.agent.gates().reached("half")).await;
    one.agent.gates().open("half");
    one.end().await;
    other.end().await;
}

#[tokio::test]
async fn a_body_that_somebody_changes_between_hosts_is_refused() {
    let store = Arc::new(MemoryStore::new());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let target = listener.local_addr().unwrap();
    let (address, _) = relays(target, "Think", "Steal").await;
    let one = host_at(&way_to(&store), KEY, LONG, waits(), listener, address);
    let other = host(&way_to(&store), KEY, LONG, waits()).await;
    let session = one.session().await;
    let refused = send(&other, &session, &uuid(1), "Think").await;
    assert_eq!(refused.status, 400, "{}", refused.body);
    assert!(refused.body.contains("has signed"), "{}", refused.body);
    assert!(one.agent.received().is_empty());
    assert_eq!(send(&other, &session, &uuid(1), "Wait").await.status, 202);
    soon(one.agent.gates().reached("half")).await;
    one.agent.gates().open("half");
    other.end().await;
    one.end().await;
}

/// The host that has the session records what is done in it, with the address of the client, and no other host does.
#[tokio::test]
async fn a_forwarded_action_is_recorded_once_with_the_address_of_the_client() {
    let store = Arc::new(MemoryStore::new());
    let logs = tempfile::tempdir().unwrap();
    let start = async |name: &str| {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let audit = Audit::open(logs.path().join(name)).unwrap();
        let store: Arc<dyn SessionStore> = way_to(&store);
        let options = StoreOptions::new(store).ttl(LONG);
        Running::start_on(
            listener,
            waits(),
            tempfile::tempdir().unwrap(),
            None,
            |it| {
                let (url, key) = (HostUrl::new(&url).unwrap(), ClusterKey::new(KEY).unwrap());
                let it = it.store(options).token(Token::new(TOKEN).unwrap());
                it.cluster(url, key).audit(audit)
            },
        )
    };
    let (one, other) = (start("one").await, start("other").await);
    let entries = |name: &str| -> Vec<AuditEntry> {
        let text = std::fs::read_to_string(logs.path().join(name)).unwrap();
        let lines = text.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let session = one.session().await;
    assert_eq!(entries("one").len(), 1);
    let body = json!({"text": "Think"}).to_string();
    let head = other.head("POST", &format!("/api/sessions/{session}/prompts"));
    let mut stream = TcpStream::connect(other.address).await.unwrap();
    let client = stream.local_addr().unwrap().to_string();
    let length = body.len();
    let request = format!(
        "{head}X-Claw-From: 1.2.3.4:5\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    soon(stream.read_to_end(&mut answer)).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 202"));
    let missing = format!("/api/sessions/{session}/requests/none");
    let answer = json!({"decision": "allow"});
    assert_eq!(other.ask("POST", &missing, &answer).await.status, 404);
    let of_one = entries("one");
    let actions: Vec<_> = of_one.iter().map(|entry| &*entry.action).collect();
    let answers = ["answerRequest"; 2];
    assert_eq!(
        actions,
        [&["openSession", "sendPrompt"], &answers[..]].concat()
    );
    assert_eq!(of_one[1].from.as_ref(), Some(&client));
    assert_eq!(of_one[1].session.as_ref(), Some(&session));
    let host = format!("http://{}", one.address);
    assert_eq!(of_one[1].host.as_ref(), Some(&host));
    assert_eq!(of_one[3].refused.as_ref().unwrap().kind, "notFound");
    assert_eq!(entries("other"), []);
    // A client that claims to be a host, and has no key.
    let host = other.address;
    let forged = format!(
        "POST /api/sessions HTTP/1.1\r\nHost: {host}\r\nClaw-Cluster: x\r\nX-Claw-From: 8.8.8.8:53\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    );
    assert_eq!(other.raw(&forged).await.status, 401);
    let refused = entries("other");
    assert_eq!(refused.len(), 1, "{refused:?}");
    let from = refused[0].from.as_ref().unwrap();
    assert!(from.starts_with("127.0.0.1:"), "{from}");
    one.agent.gates().open("half");
    one.end().await;
    other.end().await;
}

#[tokio::test]
async fn prometheus_and_probes_reach_a_host_by_its_address_and_by_its_name_among_the_hosts() {
    let store = Arc::new(MemoryStore::new());
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit");
    let audit = Audit::open(&log).unwrap();
    let one = host_of(&store, waits(), folder, |builder| {
        let (url, key) = (
            HostUrl::new("http://claw-0.claw:8000"),
            ClusterKey::new(KEY),
        );
        builder.cluster(url.unwrap(), key.unwrap()).audit(audit)
    })
    .await;
    let ask = async |host: &str, path: &str, token: &str| {
        let headers = format!("Host: {host}\r\n{token}");
        bare(&one, "GET", path, &headers).await
    };
    let token = &*format!("Authorization: Bearer {TOKEN}\r\n");
    let hosts = [
        "10.1.2.3:8000",
        "[fd00::7]:8000",
        "Claw-0.claw:8000",
        "10.1.2.3",
    ];
    for host in hosts {
        for path in ["/metrics", "/ready", "/health"] {
            assert_eq!(ask(host, path, token).await, 200, "{host} {path}");
        }
        assert_eq!(ask(host, "/ready", "").await, 200, "{host}");
        assert_eq!(ask(host, "/metrics", "").await, 401, "{host}");
    }
    // A scrape is no line of the audit log.
    assert!(crate::audit::entries(&log).is_empty());
    for host in hosts {
        assert_eq!(ask(host, "/api/sessions", token).await, 403, "{host}");
    }
    for host in [
        "evil.example",
        "10.1.2.3.evil.example",
        "[evil]",
        "claw-1.claw",
    ] {
        assert_eq!(ask(host, "/metrics", token).await, 403, "{host}");
    }
    one.end().await;
}
