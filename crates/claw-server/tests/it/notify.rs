//! Notices, and receivers that are slow, broken or gone.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use claw_server::{Notify, NotifyFormat, PublicUrl};
use claw_testkit::agent::{Script, Step};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::activity::asks;
use crate::client::{Running, soon};

const SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";

/// What a receiver does with a request.
#[derive(Debug, Clone, Copy)]
enum Does {
    Answers(u16),
    Hangs,
    Closes,
}

/// A request that has come.
#[derive(Debug)]
struct Got {
    path: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Got {
    fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Checks the signature as the Standard Webhooks say it.
    #[track_caller]
    fn is_signed(&self) {
        assert_eq!(self.header("content-type"), Some("application/json"));
        let part = |name: &str| self.header(name).unwrap();
        let (id, at) = (part("webhook-id"), part("webhook-timestamp"));
        at.parse::<u64>().unwrap();
        let key = STANDARD.decode(&SECRET[6..]).unwrap();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{id}.{at}.{}", self.body).as_bytes());
        let given = part("webhook-signature").strip_prefix("v1,").unwrap();
        mac.verify_slice(&STANDARD.decode(given).unwrap()).unwrap();
    }
}

/// A receiver on loopback.
struct Receiver {
    url: String,
    got: mpsc::UnboundedReceiver<Got>,
}

impl Receiver {
    /// Does this with the first requests, and answers 200 to all that follow.
    async fn start(path: &str, first: &[Does]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}{path}", listener.local_addr().unwrap());
        let (sender, got) = mpsc::unbounded_channel();
        let first: VecDeque<_> = first.iter().copied().collect();
        let first = Arc::new(Mutex::new(first));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let next = first.lock().unwrap().pop_front();
                let does = next.unwrap_or(Does::Answers(200));
                let sender = sender.clone();
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let Some(got) = read(&mut stream).await else {
                        return;
                    };
                    let _ = sender.send(got);
                    match does {
                        Does::Answers(status) => {
                            let answer =
                                format!("HTTP/1.1 {status} Yes\r\nContent-Length: 0\r\n\r\n");
                            let _ = stream.write_all(answer.as_bytes()).await;
                        }
                        // Until the other one leaves.
                        Does::Hangs => drop(stream.read(&mut [0]).await),
                        Does::Closes => {}
                    }
                });
            }
        });
        Self { url, got }
    }

    async fn next(&mut self) -> Got {
        soon(self.got.recv()).await.unwrap()
    }
}

async fn read(stream: &mut BufReader<tokio::net::TcpStream>) -> Option<Got> {
    let mut line = String::new();
    stream.read_line(&mut line).await.ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim().split_once(": ") else {
            break;
        };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?;
    let mut body = vec![0; length.1.parse().ok()?];
    stream.read_exact(&mut body).await.ok()?;
    let body = String::from_utf8(body).ok()?;
    Some(Got {
        path,
        headers,
        body,
    })
}

fn signed(receiver: &Receiver) -> Notify {
    let notify = Notify::new(&receiver.url, NotifyFormat::Json, Some(SECRET.to_owned()));
    notify.unwrap().pause(Duration::from_millis(1))
}

async fn start(script: Script, notify: Notify) -> Running {
    let public = PublicUrl::new("https://claw.example.org").unwrap();
    Running::start_as(script, |builder| builder.notify(notify).public_url(public)).await
}

#[tokio::test]
async fn a_request_and_the_end_of_the_work_are_told_signed_and_without_contents() {
    let mut receiver = Receiver::start("/hook?for=me", &[]).await;
    let running = start(asks(), signed(&receiver)).await;
    let session = running.session().await;
    running.prompt(&session, "A private matter").await;
    let got = receiver.next().await;
    got.is_signed();
    assert_eq!(got.path, "/hook?for=me");
    let mut body = got.json();
    assert!(body["time"].take().is_i64());
    let link = format!("https://claw.example.org/s/{session}");
    assert_eq!(
        body,
        json!({"kind": "request", "session": session, "project": "shop", "title": null, "time": null,
            "link": link, "content": null})
    );
    running.deny(&session).await;
    let got = receiver.next().await;
    got.is_signed();
    assert_eq!(got.json()["kind"], "finished");
    assert!(!got.body.contains("private") && !got.body.contains("Then not"));
    running.end().await;
}

#[tokio::test]
async fn contents_are_told_if_that_is_wanted() {
    let mut receiver = Receiver::start("/hook", &[]).await;
    let running = start(asks(), signed(&receiver).with_content()).await;
    let session = running.session().await;
    running.prompt(&session, "How many?").await;
    let got = receiver.next().await.json();
    assert_eq!(
        (&got["title"], &got["content"]),
        (&json!("How many?"), &json!("Bash(ls)"))
    );
    running.deny(&session).await;
    assert_eq!(receiver.next().await.json()["content"], "Then not.");
    running.end().await;
}

#[tokio::test]
async fn the_form_of_a_server_is_told_as_other_requests_are() {
    let mut receiver = Receiver::start("/hook", &[]).await;
    let form = Step::request("elicitation", crate::forms::elicitation());
    let script = Script::new([Step::Turns(vec![form])]);
    let running = start(script, signed(&receiver).with_content()).await;
    let session = running.session().await;
    running.prompt(&session, "Ask").await;
    let got = receiver.next().await.json();
    assert_eq!(
        (&got["kind"], &got["content"]),
        (&json!("request"), &json!("calc asks: Who are you?"))
    );
    running.end().await;
}

#[tokio::test]
async fn a_failure_is_told() {
    let mut receiver = Receiver::start("/", &[]).await;
    let script = Script::new([Step::Turn(vec![Step::Exit(1)])]);
    let running = start(script, signed(&receiver)).await;
    let session = running.session().await;
    running.prompt(&session, "Fail").await;
    assert_eq!(receiver.next().await.json()["kind"], "failed");
    running.end().await;
}

#[tokio::test]
async fn a_notice_is_sent_again_under_its_id_to_a_receiver_that_fails_and_a_refusal_counts() {
    let first = [
        Does::Answers(500),
        Does::Closes,
        Does::Answers(200),
        Does::Answers(404),
    ];
    let mut receiver = Receiver::start("/", &first).await;
    let running = start(asks(), signed(&receiver)).await;
    let session = running.session().await;
    running.prompt(&session, "How many?").await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let got = receiver.next().await;
        got.is_signed();
        ids.push(got.header("webhook-id").unwrap().to_owned());
    }
    assert!(ids[0] == ids[1] && ids[1] == ids[2], "{ids:?}");
    // It is refused once, and not sent again.
    running.deny(&session).await;
    assert_eq!(receiver.next().await.json()["kind"], "finished");
    running.prompt(&session, "And now?").await;
    assert_eq!(receiver.next().await.json()["kind"], "request");
    running.deny(&session).await;
    running.end().await;
}

#[tokio::test]
async fn a_receiver_that_hangs_delays_no_session_and_what_is_too_much_is_lost() {
    let mut receiver = Receiver::start("/", &[Does::Hangs; 1]).await;
    let notify = signed(&receiver).deadline(Duration::from_hours(1));
    let running = start(asks(), notify).await;
    let session = running.session().await;
    running.prompt(&session, "How many?").await;
    receiver.next().await;
    // The receiver holds the first one. Over a hundred notices follow, and all turns are carried out.
    let mut events = running.events(&session, None).await;
    for _ in 0..60 {
        running.deny(&session).await;
        events
            .until("state", |state| state["phase"] == "idle")
            .await;
        running.prompt(&session, "Again").await;
        events.until("request", |_| true).await;
    }
    assert!(receiver.got.try_recv().is_err());
    running.deny(&session).await;
    running.end().await;
}

#[tokio::test]
async fn ntfy_slack_and_telegram_get_what_they_take() {
    let hostile = "<!channel> & <b>*x*</b> é";
    let cases = [
        (
            NotifyFormat::Ntfy,
            "/my-topic",
            "/",
            Some("tk_0123456789abcdef"),
        ),
        (
            NotifyFormat::Slack,
            "/services/T/B/x",
            "/services/T/B/x",
            None,
        ),
        (
            NotifyFormat::Telegram,
            "/bot1:x/sendMessage?chat_id=-42",
            "/bot1:x/sendMessage",
            None,
        ),
    ];
    for (format, path, asked, secret) in cases {
        let mut receiver = Receiver::start(path, &[]).await;
        let notify = Notify::new(&receiver.url, format, secret.map(str::to_owned)).unwrap();
        let running = start(asks(), notify.with_content()).await;
        let session = running.session().await;
        running.prompt(&session, hostile).await;
        let got = receiver.next().await;
        assert_eq!(got.path, asked);
        let link = format!("https://claw.example.org/s/{session}");
        let wanted = match format {
            NotifyFormat::Ntfy => {
                let bearer = secret.map(|secret| format!("Bearer {secret}"));
                assert_eq!(got.header("authorization"), bearer.as_deref());
                json!({"topic": "my-topic", "title": "Claude asks: shop", "click": link, "priority": 4,
                    "message": format!("{hostile}\nBash(ls)")})
            }
            NotifyFormat::Slack => {
                json!({"unfurl_links": false, "unfurl_media": false, "text": format!(
                "Claude asks: shop\n&lt;!channel&gt; &amp; &lt;b&gt;*x*&lt;/b&gt; é\nBash(ls)\n{link}")})
            }
            _ => json!({"chat_id": "-42", "link_preview_options": {"is_disabled": true},
                "text": format!("Claude asks: shop\n{hostile}\nBash(ls)\n{link}")}),
        };
        assert_eq!(got.json(), wanted);
        running.deny(&session).await;
        running.end().await;
    }
}

#[test]
fn what_cannot_be_sent_is_refused_at_the_start() {
    let of = |url: &str, format, secret: Option<&str>| {
        Notify::new(url, format, secret.map(str::to_owned)).map_err(|error| error.to_string())
    };
    for url in [
        "",
        "example.org",
        "ftp://example.org/",
        "http://",
        "http://user:pass@example.org/",
        "file:///etc/passwd",
    ] {
        let error = of(url, NotifyFormat::Json, Some(SECRET)).unwrap_err();
        assert!(error.contains("address"), "{url}: {error}");
    }
    for secret in [None, Some("short"), Some("with a space in between")] {
        let error = of("http://example.org/", NotifyFormat::Json, secret).unwrap_err();
        assert!(error.contains("secret"), "{error}");
    }
    assert!(of("http://example.org/", NotifyFormat::Ntfy, None).is_err());
    assert!(
        of(
            "http://example.org/bot1/sendMessage",
            NotifyFormat::Telegram,
            None
        )
        .is_err()
    );
    assert!(of("http://example.org/", NotifyFormat::Slack, Some(SECRET)).is_err());
    let https = of("https://example.org/", NotifyFormat::Json, Some(SECRET));
    let https = format!("{:?}", https.unwrap());
    assert!(!https.contains(SECRET), "{https}");
}
