//! Requests to a server, and its server-sent events.

use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::Result;

/// The address of a server, and its token if it has one.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
}

impl Client {
    /// Sends a request over a new connection.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Response<Incoming>> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let mut request = Request::builder()
            .method(&method)
            .uri(path)
            .header("host", self.address.to_string());
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let body = body.map_or_else(Bytes::new, |body| body.to_string().into());
        let response = sender.send_request(request.body(Full::new(body))?).await?;
        let status = response.status();
        if !status.is_success() {
            let text = response.into_body().collect().await?.to_bytes();
            let text = String::from_utf8_lossy(&text);
            return Err(format!("{method} {path}: {status}: {text}").into());
        }
        Ok(response)
    }

    /// Sends a request, and returns the text of the response.
    pub(crate) async fn text(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<String> {
        let response = self.send(method, path, body).await?;
        let bytes = response.into_body().collect().await?.to_bytes();
        Ok(String::from_utf8(bytes.to_vec())?)
    }

    /// Sends a request, and returns the events of the response.
    pub(crate) async fn events(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Events> {
        let response = self.send(method, path, body).await?;
        Ok(Events {
            body: response.into_body(),
            rest: Vec::new(),
        })
    }
}

/// A stream of server-sent events.
pub(crate) struct Events {
    body: Incoming,
    /// The beginning of an incomplete event.
    rest: Vec<u8>,
}

/// Complete events that arrived together, as text with the empty lines between them.
pub(crate) struct Arrived {
    pub(crate) text: String,
    /// The time of the arrival, in nanoseconds of CLOCK_MONOTONIC.
    pub(crate) at: u64,
}

impl Arrived {
    /// The events: their names and data.
    pub(crate) fn events(&self) -> impl Iterator<Item = (&str, &str)> {
        self.text.split("\n\n").filter_map(|event| {
            let mut name = "message";
            let mut data = None;
            for line in event.lines() {
                if let Some(text) = line.strip_prefix("event: ") {
                    name = text;
                } else if let Some(text) = line.strip_prefix("data: ") {
                    data = Some(text);
                }
            }
            Some((name, data?))
        })
    }
}

impl Events {
    /// Waits for the next events. `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Arrived>> {
        while let Some(frame) = self.body.frame().await {
            let at = super::now();
            let Ok(data) = frame?.into_data() else {
                continue;
            };
            self.rest.extend_from_slice(&data);
            if let Some(end) = memchr::memmem::rfind(&self.rest, b"\n\n") {
                let rest = self.rest.split_off(end + 2);
                let text = String::from_utf8(std::mem::replace(&mut self.rest, rest))?;
                return Ok(Some(Arrived { text, at }));
            }
        }
        Ok(None)
    }
}
