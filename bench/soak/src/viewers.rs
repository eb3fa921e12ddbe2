//! The viewers of a session: a fast and a slow one by server-sent events, and one by a WebSocket.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::StreamExt as _;
use http_body_util::BodyExt as _;
use hyper::Method;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::Result;
use crate::agent::ANSWER;
use crate::client::Client;

/// The pause between two reads of the slow viewer.
const SLOWLY: Duration = Duration::from_secs(3);

/// The viewers of a session. They disconnect when this value is dropped.
pub(crate) struct Viewers {
    tasks: Vec<JoinHandle<()>>,
    /// The answers that the fast viewer has seen.
    seen: watch::Receiver<BTreeSet<String>>,
}

impl Viewers {
    pub(crate) async fn of(client: &Client, session: &str) -> Result<Self> {
        let (sender, seen) = watch::channel(BTreeSet::new());
        let path = format!("/api/sessions/{session}/events");
        let fast = client.send(Method::GET, &path, None).await?.into_body();
        let slow = client.send(Method::GET, &path, None).await?.into_body();
        let mut request = format!("ws://{}/api/sessions/{session}/socket", client.address)
            .into_client_request()?;
        let token = format!("Bearer {}", client.token).parse()?;
        request.headers_mut().insert("authorization", token);
        let stream = TcpStream::connect(client.address).await?;
        let (mut socket, _) = client_async(request, stream).await?;
        let tasks = vec![
            tokio::spawn(follow(fast, Duration::ZERO, Some(sender))),
            tokio::spawn(follow(slow, SLOWLY, None)),
            tokio::spawn(async move { while let Some(Ok(_)) = socket.next().await {} }),
        ];
        Ok(Self { tasks, seen })
    }

    /// Whether the fast viewer sees the answer to a prompt in time.
    pub(crate) async fn see(&self, mark: &str, within: Duration) -> bool {
        let mut seen = self.seen.clone();
        let answer = format!("{ANSWER}{mark}");
        let waited =
            tokio::time::timeout(within, seen.wait_for(|seen| seen.contains(&answer))).await;
        waited.is_ok_and(|waited| waited.is_ok())
    }
}

impl Drop for Viewers {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// Reads the stream, with a pause after each piece, and reports the answers in it.
async fn follow(
    mut body: hyper::body::Incoming,
    pause: Duration,
    sender: Option<watch::Sender<BTreeSet<String>>>,
) {
    let mut rest = String::new();
    while let Some(Ok(frame)) = body.frame().await {
        sleep(pause).await;
        let (Some(sender), Ok(data)) = (&sender, frame.into_data()) else {
            continue;
        };
        rest.push_str(&String::from_utf8_lossy(&data));
        let whole = rest.rfind('\n').map_or(0, |end| end + 1);
        let answers: Vec<_> = rest[..whole]
            .match_indices(ANSWER)
            .map(|(at, _)| {
                let answer = &rest[at..whole];
                let end = answer.find(|c: char| c != '-' && !c.is_ascii_alphanumeric());
                answer[..end.unwrap_or(answer.len())].to_owned()
            })
            .collect();
        rest.drain(..whole);
        sender.send_modify(|seen| seen.extend(answers));
    }
}
