//! Sends requests to a server over its Unix socket.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use claw_server::{ErrorBody, UserSocket};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::handshake;
use hyper::{Method, Request, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::timeout;

/// The name of this terminal. Other viewers see it beside its answers.
pub(super) const VIEWER: &str = "claw chat";
/// Maximum size of a response, in bytes. Events have their own limit.
const LARGEST: usize = 64 << 20;
/// Maximum time for a response.
const PATIENCE: Duration = Duration::from_mins(1);
/// Maximum time without data in a stream of events. The server sends a comment every 15 seconds.
const SILENCE: Duration = Duration::from_secs(45);
/// Maximum size of an event, in bytes.
const LARGEST_EVENT: usize = 256 << 20;

/// The reason why a request has no result.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server cannot be reached, or the connection has failed. It is not known whether the server has carried out
    /// the request.
    Unreachable(String),
    /// The server refuses the request.
    Refused {
        status: StatusCode,
        /// The reason in words. Not escaped.
        message: String,
        /// The name of the viewer who has answered the request before.
        answered_by: Option<String>,
    },
}

impl Failure {
    pub(super) fn message(self) -> String {
        match self {
            Self::Unreachable(message) | Self::Refused { message, .. } => message,
        }
    }

    /// Whether the server has an answer of this viewer already.
    pub(super) fn is_answered_by(&self, viewer: &str) -> bool {
        matches!(self, Self::Refused { answered_by: Some(by), .. } if by == viewer)
    }

    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused { status, .. } if *status == StatusCode::NOT_FOUND)
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "it is called with the error of a result"
    )]
    fn unreachable(error: impl ToString) -> Self {
        Self::Unreachable(error.to_string())
    }
}

/// A server that listens on a Unix socket.
#[derive(Debug, Clone)]
pub(super) struct Server {
    pub(super) socket: PathBuf,
}

impl Server {
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        let body = self.body(Method::GET, path, None).await?;
        serde_json::from_slice(&body).map_err(Failure::unreachable)
    }

    /// Sends a body, and reads the response. An empty response is read as null.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &Value,
    ) -> Result<T, Failure> {
        let body = self.body(Method::POST, path, Some(body)).await?;
        let body = if body.is_empty() { &b"null"[..] } else { &body };
        serde_json::from_slice(body).map_err(Failure::unreachable)
    }

    async fn body(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Bytes, Failure> {
        let asked = async {
            let response = request(&self.socket, method, path, body, None).await?;
            read(response).await
        };
        match timeout(PATIENCE, asked).await {
            Ok(body) => body,
            Err(_) => Err(Failure::unreachable("the server does not answer")),
        }
    }

    /// Opens the stream of a session's events that come after the event with the ID `last`.
    pub(super) async fn events(&self, path: &str, last: Option<&str>) -> Result<Events, Failure> {
        let asked = request(&self.socket, Method::GET, path, None, last);
        let response = match timeout(PATIENCE, asked).await {
            Ok(response) => response?,
            Err(_) => return Err(Failure::unreachable("the server does not answer")),
        };
        if !response.status().is_success() {
            let refused = read(response).await.err();
            return Err(refused.unwrap_or_else(|| Failure::unreachable("there are no events")));
        }
        Ok(Events {
            body: response.into_body(),
            text: Vec::new(),
            searched: 0,
        })
    }
}

async fn request(
    socket: &Path,
    method: Method,
    path: &str,
    body: Option<&Value>,
    last_event: Option<&str>,
) -> Result<Response<Incoming>, Failure> {
    let stream = UserSocket::connect(socket)
        .await
        .map_err(Failure::unreachable)?;
    let (mut sender, connection) = handshake(TokioIo::new(stream))
        .await
        .map_err(Failure::unreachable)?;
    tokio::spawn(connection);
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "claw")
        .header("x-claw-viewer", VIEWER);
    if let Some(last) = last_event {
        request = request.header("last-event-id", last);
    }
    let body = match body {
        Some(body) => {
            request = request.header(header::CONTENT_TYPE, "application/json");
            Bytes::from(body.to_string())
        }
        None => Bytes::new(),
    };
    let request = request
        .body(Full::new(body))
        .map_err(Failure::unreachable)?;
    sender
        .send_request(request)
        .await
        .map_err(Failure::unreachable)
}

/// Reads the body of a successful response. Fails with the reason if the response is an error.
async fn read(response: Response<Incoming>) -> Result<Bytes, Failure> {
    let status = response.status();
    let body = Limited::new(response.into_body(), LARGEST).collect().await;
    let body = body.map_err(Failure::unreachable)?.to_bytes();
    if status.is_success() {
        return Ok(body);
    }
    let (message, answered) = match serde_json::from_slice::<ErrorBody>(&body) {
        Ok(body) => (body.error.message, body.error.answered),
        Err(_) => (format!("the server answers {status}"), None),
    };
    Err(Failure::Refused {
        status,
        message,
        answered_by: answered.map(|answered| answered.by),
    })
}

/// A server-sent event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SentEvent {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) data: String,
}

/// The events of a session.
pub(super) struct Events {
    body: Incoming,
    /// The received bytes that are not yet read as an event.
    text: Vec<u8>,
    /// The number of bytes of `text` in which there is no end of an event.
    searched: usize,
}

impl Events {
    /// Returns the next event. Returns `None` if the connection fails, or if it is silent for too long.
    pub(super) async fn next(&mut self) -> Option<SentEvent> {
        loop {
            let from = self.searched.saturating_sub(1);
            let end = self.text[from..].windows(2).position(|two| two == b"\n\n");
            if let Some(end) = end {
                let event: Vec<u8> = self.text.drain(..from + end + 2).collect();
                self.searched = 0;
                if let Some(event) = parsed(&String::from_utf8_lossy(&event)) {
                    return Some(event);
                }
                continue;
            }
            self.searched = self.text.len();
            let frame = timeout(SILENCE, self.body.frame()).await.ok()??.ok()?;
            if let Ok(data) = frame.into_data() {
                if self.text.len() + data.len() > LARGEST_EVENT {
                    return None;
                }
                self.text.extend_from_slice(&data);
            }
        }
    }
}

/// Parses the lines of an event. Returns `None` for a comment.
fn parsed(lines: &str) -> Option<SentEvent> {
    let mut event = SentEvent::default();
    for line in lines.lines() {
        let Some((name, value)) = line.split_once(": ") else {
            continue;
        };
        match name {
            "id" => value.clone_into(&mut event.id),
            "event" => value.clone_into(&mut event.kind),
            "data" => value.clone_into(&mut event.data),
            _ => {}
        }
    }
    (!event.kind.is_empty()).then_some(event)
}

/// Encodes a text as a part of a path, or as a value of a query.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_and_comments_are_left_out() {
        let event = parsed("id: a-1\nevent: state\ndata: {\"a\": \"b: c\"}\n\n").unwrap();
        assert_eq!(
            (&*event.id, &*event.kind, &*event.data),
            ("a-1", "state", "{\"a\": \"b: c\"}")
        );
        assert_eq!(parsed(":\n\n"), None);
    }

    #[test]
    fn a_name_is_one_part_of_a_path() {
        assert_eq!(encoded("a b/ü?&#"), "a%20b%2F%C3%BC%3F%26%23");
    }
}
