//! Notifications, with a push service on loopback that reads them as a browser would.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use claw_server::{NewUser, Role, ServerBuilder, Users};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use graviola::aead::AesGcm;
use graviola::hashing::Sha256;
use graviola::key_agreement::p256::{PublicKey, StaticPrivateKey};
use graviola::signing::ecdsa::{P256, VerifyingKey};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tracing::Level;

use crate::activity::asks;
use crate::client::{Running, soon};
use crate::faults::Row;
use crate::metrics::Log;

/// A browser's side of a subscription.
pub(crate) struct Device {
    key: StaticPrivateKey,
    auth: [u8; 16],
}

fn hmac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(key).unwrap();
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().to_vec()
}

impl Device {
    pub(crate) fn new() -> Self {
        let key = StaticPrivateKey::new_random().unwrap();
        Self { key, auth: [7; 16] }
    }

    pub(crate) fn subscription(&self, endpoint: &str) -> Value {
        let key = BASE64.encode(self.key.public_key_uncompressed());
        json!({"endpoint": endpoint, "expirationTime": null,
            "keys": {"p256dh": key, "auth": BASE64.encode(self.auth)}})
    }

    /// Reads a message as RFC 8291 says.
    fn read(&self, body: &[u8]) -> Vec<u8> {
        let (salt, rest) = body.split_at(16);
        assert!(u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize >= body.len() - 86);
        assert_eq!(rest[4], 65);
        let (sender, sealed) = rest[5..].split_at(65);
        let peer = PublicKey::from_x962_uncompressed(sender).unwrap();
        let shared = self.key.diffie_hellman(&peer).unwrap();
        let own = self.key.public_key_uncompressed();
        let both = hmac(&self.auth, &[&shared.0]);
        let input = hmac(&both, &[b"WebPush: info\0", &own, sender, &[1]]);
        let pseudo = hmac(salt, &[&input]);
        let key = hmac(&pseudo, &[b"Content-Encoding: aes128gcm\0\x01"]);
        let nonce = hmac(&pseudo, &[b"Content-Encoding: nonce\0\x01"]);
        let (text, tag) = sealed.split_at(sealed.len() - 16);
        let mut text = text.to_vec();
        AesGcm::new(&key[..16])
            .decrypt(&nonce[..12].try_into().unwrap(), &[], &mut text, tag)
            .unwrap();
        let end = text.iter().rposition(|byte| *byte != 0).unwrap();
        assert_eq!(text[end], 2, "the last record");
        text.truncate(end);
        text
    }
}

/// The example of RFC 8291, section 5: the browser of these tests reads what any other one would.
#[test]
fn the_browser_of_these_tests_reads_the_message_of_the_standard() {
    let bytes = |text: &str| BASE64.decode(text).unwrap();
    let device = Device {
        key: StaticPrivateKey::from_bytes(&bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
            .unwrap(),
        auth: bytes("BTBZMqHH6r4Tts7J_aSIgg").try_into().unwrap(),
    };
    let message = bytes(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_\
         yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
    );
    let text = device.read(&message);
    assert_eq!(text, b"When I grow up, I want to be a watermelon");
}

/// A message that has come.
struct Got {
    name: String,
    headers: HeaderMap,
    body: Bytes,
}

struct Service {
    address: SocketAddr,
    got: mpsc::UnboundedReceiver<Got>,
    answer: Arc<Mutex<StatusCode>>,
}

type Shared = (mpsc::UnboundedSender<Got>, Arc<Mutex<StatusCode>>);

impl Service {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, got) = mpsc::unbounded_channel();
        let answer = Arc::new(Mutex::new(StatusCode::CREATED));
        let take = async |State((sender, answer)): State<Shared>,
                          Path(name): Path<String>,
                          headers: HeaderMap,
                          body: Bytes| {
            let _ = sender.send(Got {
                name,
                headers,
                body,
            });
            *answer.lock().unwrap()
        };
        let router = Router::new()
            .route("/{name}", post(take))
            .with_state((sender, answer.clone()));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            address,
            got,
            answer,
        }
    }

    fn endpoint(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    async fn next(&mut self) -> Got {
        soon(self.got.recv()).await.unwrap()
    }

    /// The next message, read by a device.
    async fn message(&mut self, device: &Device) -> Value {
        let got = self.next().await;
        serde_json::from_slice(&device.read(&got.body)).unwrap()
    }
}

fn with_loopback(builder: ServerBuilder) -> ServerBuilder {
    builder.may_push_to_loopback()
}

async fn subscribe(running: &Running, subscription: &Value, content: bool) -> u16 {
    let body = json!({"subscription": subscription, "content": content});
    running.ask("POST", "/push/subscribe", &body).await.status
}

async fn key(running: &Running) -> String {
    let key = running.ask("GET", "/push/key", &Value::Null).await.json();
    key["key"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_device_gets_what_it_allows_encrypted_and_signed() {
    let mut service = Service::start().await;
    let running = Running::start_as(asks(), with_loopback).await;
    let (quiet, open) = (Device::new(), Device::new());
    let endpoint = service.endpoint("quiet");
    assert_eq!(
        subscribe(&running, &quiet.subscription(&endpoint), false).await,
        204
    );
    let session = running.session().await;
    running.prompt(&session, "A private matter").await;
    let got = service.next().await;
    let header = |name: &str| got.headers.get(name).unwrap().to_str().unwrap();
    assert_eq!(
        (header("content-encoding"), header("urgency")),
        ("aes128gcm", "high")
    );
    assert!(header("ttl").parse::<u32>().unwrap() > 0);
    let message: Value = serde_json::from_slice(&quiet.read(&got.body)).unwrap();
    assert_eq!(
        message,
        json!({"kind": "request", "session": session, "project": "shop", "title": null, "text": null, "request": null})
    );

    // The name of the server, as RFC 8292 has it.
    let public = key(&running).await;
    let vapid = header("authorization").strip_prefix("vapid t=").unwrap();
    let (token, given) = vapid.split_once(", k=").unwrap();
    assert_eq!(given, public);
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let verifying = VerifyingKey::<P256>::from_x962_uncompressed(&BASE64.decode(public).unwrap());
    let signature = BASE64.decode(signature).unwrap();
    verifying
        .unwrap()
        .verify::<Sha256>(&[signed.as_bytes()], &signature)
        .unwrap();
    let parts: Vec<Value> = signed
        .split('.')
        .map(|part| serde_json::from_slice(&BASE64.decode(part).unwrap()).unwrap())
        .collect();
    assert_eq!(parts[0]["alg"], "ES256");
    assert_eq!(parts[1]["aud"], format!("http://{}", service.address));
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let left = parts[1]["exp"].as_u64().unwrap() - now.unwrap().as_secs();
    assert!((1..=24 * 3600).contains(&left), "{left}");
    assert!(parts[1]["sub"].as_str().unwrap().starts_with("https:"));

    // The device allows contents from now on, and another one is there.
    running.deny(&session).await;
    assert_eq!(service.message(&quiet).await["kind"], "finished");
    let endpoint = service.endpoint("open");
    assert_eq!(
        subscribe(&running, &open.subscription(&endpoint), true).await,
        204
    );
    running.prompt(&session, "And now?").await;
    let (mut told, mut request) = (Vec::new(), None);
    for _ in 0..2 {
        let got = service.next().await;
        if got.name == "open" {
            let message: Value = serde_json::from_slice(&open.read(&got.body)).unwrap();
            assert_eq!(message["text"], "Bash: ls");
            request = message["request"].as_str().map(str::to_owned);
        }
        told.push(got.name);
    }
    told.sort();
    assert_eq!(told, ["open", "quiet"]);
    // As the button of the notification answers it.
    let path = format!("/api/sessions/{session}/requests/{}", request.unwrap());
    let allow = json!({"decision": "allow"});
    assert_eq!(running.ask("POST", &path, &allow).await.status, 200);
    assert_eq!(running.ask("POST", &path, &allow).await.status, 409);
    running.end().await;
}

/// Users of each kind, each with a device that shows contents.
#[tokio::test]
async fn a_device_gets_what_its_user_sees_and_answers_what_its_user_may() {
    let mut service = Service::start().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("users.json");
    let blog = folder.path().join("blog");
    let users = [
        ("foreign", Role::Own, Some(vec![blog])),
        ("view", Role::View, None),
        ("prompt", Role::Prompt, None),
        ("answer", Role::Answer, None),
        ("own", Role::Own, None),
    ];
    let tokens = users.map(|(name, role, projects)| {
        let mut new = NewUser::new(name, role);
        new.projects = projects;
        (name, Users::add(&file, new).unwrap())
    });
    let open = Users::open(&file).unwrap();
    let change = |builder: ServerBuilder| with_loopback(builder).users(open);
    let running = Running::start_in(asks(), folder, change).await;
    let device = Device::new();
    for (name, token) in &tokens {
        let subscription = device.subscription(&service.endpoint(name));
        let body = json!({"subscription": subscription, "content": true}).to_string();
        let (host, length) = (running.address, body.len());
        let request = format!(
            "POST /push/subscribe HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}",
            token.expose()
        );
        assert_eq!(running.raw(&request).await.status, 204, "{name}");
    }
    let session = running.session().await;
    running.prompt(&session, "Go").await;
    // Nobody gets the second notice before the first one is answered.
    for kind in ["request", "finished"] {
        let mut told = Vec::new();
        for _ in 0..4 {
            let got = service.next().await;
            let message: Value = serde_json::from_slice(&device.read(&got.body)).unwrap();
            assert_eq!(message["kind"], kind, "{message}");
            let may = kind == "request" && ["answer", "own"].contains(&&*got.name);
            assert_eq!(
                message["request"].is_string(),
                may,
                "{}: {message}",
                got.name
            );
            if kind == "request" {
                assert!(
                    message["text"].as_str().unwrap().contains("ls"),
                    "{message}"
                );
            }
            told.push(got.name);
        }
        told.sort();
        assert_eq!(told, ["answer", "own", "prompt", "view"]);
        if kind == "request" {
            running.deny(&session).await;
        }
    }
    running.end().await;
}

#[tokio::test]
async fn only_what_is_shown_whole_can_be_allowed_in_a_notification() {
    let inputs = [
        (json!({"command": "ls"}), Some("Bash: ls")),
        (
            json!({"command": "ls", "description": "Look"}),
            Some("Bash: ls (Look)"),
        ),
        (
            json!({"command": "ls", "run_in_background": true}),
            Some(r#"Bash: {"command":"ls","run_in_background":true}"#),
        ),
        (json!({"command": format!("echo {}", "x".repeat(80))}), None),
        (json!({"command": "ls\nrm -rf ."}), None),
        (json!({"command": "ls \u{202e}x"}), None),
        (
            json!({"command": ["ls"], "other": 1}),
            Some(r#"Bash: {"command":["ls"],"other":1}"#),
        ),
    ];
    let turn = |(input, _): &(Value, Option<&str>)| {
        Step::Turn(vec![
            Step::message([Block::tool_use("Bash", input.clone())]),
            Step::permission([Step::tool_result("ok")], []),
        ])
    };
    let script = Script::new(inputs.iter().map(turn));
    let mut service = Service::start().await;
    let running = Running::start_as(script, with_loopback).await;
    let device = Device::new();
    let endpoint = service.endpoint("x");
    assert_eq!(
        subscribe(&running, &device.subscription(&endpoint), true).await,
        204
    );
    let session = running.session().await;
    for (input, whole) in &inputs {
        running.prompt(&session, "Go").await;
        let message = service.message(&device).await;
        assert_eq!(message["kind"], "request", "{input}");
        assert_eq!(
            message["request"].is_string(),
            whole.is_some(),
            "{input}: {message}"
        );
        if let Some(whole) = whole {
            assert_eq!(message["text"], *whole);
        }
        running.deny(&session).await;
        assert_eq!(service.message(&device).await["kind"], "finished");
    }
    running.end().await;
}

#[tokio::test]
async fn devices_and_the_key_outlive_the_server_and_a_device_that_is_gone_is_forgotten() {
    let mut service = Service::start().await;
    let running = Running::start_as(asks(), with_loopback).await;
    let before = key(&running).await;
    let device = Device::new();
    let endpoint = service.endpoint("x");
    assert_eq!(
        subscribe(&running, &device.subscription(&endpoint), false).await,
        204
    );
    let folder = running.end_and_keep().await;
    std::fs::remove_dir(folder.path().join("shop")).unwrap();
    #[cfg(unix)]
    for file in ["vapid", "subscriptions"] {
        use std::os::unix::fs::PermissionsExt as _;
        let path = folder.path().join("config/claw/push").join(file);
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    let running = Running::start_in(asks(), folder, with_loopback).await;
    assert_eq!(key(&running).await, before);
    *service.answer.lock().unwrap() = StatusCode::GONE;
    let session = running.session().await;
    running.prompt(&session, "Hello").await;
    assert_eq!(service.message(&device).await["kind"], "request");
    let file = running.folder.path().join("config/claw/push/subscriptions");
    // It is forgotten once the answer was read.
    soon(async {
        while std::fs::read_to_string(&file).unwrap_or_default() != "[]" {
            tokio::task::yield_now().await;
        }
    })
    .await;
    running.deny(&session).await;
    running.end().await;
    assert!(service.got.try_recv().is_err());
}

/// What a name stands for may change after it was subscribed.
#[tokio::test]
async fn an_address_is_checked_again_when_something_is_sent() {
    let mut service = Service::start().await;
    let running = Running::start_as(asks(), with_loopback).await;
    let device = Device::new();
    let endpoint = service.endpoint("x");
    let subscription = device.subscription(&endpoint);
    assert_eq!(subscribe(&running, &subscription, false).await, 204);
    let folder = running.end_and_keep().await;
    std::fs::remove_dir(folder.path().join("shop")).unwrap();
    let log = Log::new(Level::WARN);
    // For this server, loopback is none of the internet.
    let running = Running::start_in(asks(), folder, |builder| builder).await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    for _ in 0..3 {
        running.prompt(&session, "Hello").await;
        events.until("request", |_| true).await;
        running.deny(&session).await;
        events
            .until("state", |state| state["phase"] == "idle")
            .await;
    }
    let row = Row::of("a push service takes nothing");
    row.is_counted(&running, "claw_notices_lost_total{way=\"push\"}")
        .await;
    row.is_logged(&log, "a notification is lost after …").await;
    running.end().await;
    assert!(service.got.try_recv().is_err());
}

#[tokio::test]
async fn a_device_that_left_is_not_told_and_there_are_not_too_many() {
    let mut service = Service::start().await;
    let running = Running::start_as(asks(), with_loopback).await;
    let device = Device::new();
    for number in 0..33 {
        let endpoint = service.endpoint(&number.to_string());
        let status = subscribe(&running, &device.subscription(&endpoint), false).await;
        assert_eq!(status, if number < 32 { 204 } else { 503 });
    }
    for number in 0..31 {
        let body = json!({"endpoint": service.endpoint(&number.to_string())});
        let gone = running.ask("POST", "/push/unsubscribe", &body).await;
        assert_eq!(gone.status, 204);
    }
    let session = running.session().await;
    running.prompt(&session, "Hello").await;
    assert_eq!(service.next().await.name, "31");
    running.deny(&session).await;
    assert_eq!(service.next().await.name, "31");
    running.end().await;
}

/// What somebody subscribes who wants the server to write to what it alone can reach.
#[tokio::test]
async fn a_subscription_that_leads_inside_or_has_no_keys_is_refused() {
    let running = Running::start(asks()).await;
    let device = Device::new();
    let own = running.address;
    for endpoint in [
        &*format!("http://{own}/api/sessions"),
        &format!("https://{own}/api/sessions"),
        "https://localhost/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://[::ffff:127.0.0.1]/x",
        "https://10.0.0.1/x",
        "https://192.168.1.1/x",
        "https://169.254.169.254/latest",
        "https://[fd00::1]/x",
        "https://[fe80::1]/x",
        "http://8.8.8.8/x",
        "file:///etc/passwd",
        "",
    ] {
        let status = subscribe(&running, &device.subscription(endpoint), true).await;
        assert_eq!(status, 400, "{endpoint}");
    }
    let good = "https://8.8.8.8/x";
    assert_eq!(
        subscribe(&running, &device.subscription(good), true).await,
        204
    );
    for (name, value) in [
        ("p256dh", ""),
        ("p256dh", "AAAA"),
        ("auth", "AAAA"),
        ("auth", "!"),
    ] {
        let mut subscription = device.subscription(good);
        subscription["keys"][name] = json!(value);
        let status = subscribe(&running, &subscription, true).await;
        assert!(status == 400 || status == 422, "{name}: {status}");
    }
    let mut point = device.subscription(good);
    let off = [&[4][..], &[9; 64]].concat();
    point["keys"]["p256dh"] = json!(BASE64.encode(off));
    assert_eq!(subscribe(&running, &point, true).await, 400);
    running.end().await;
}
