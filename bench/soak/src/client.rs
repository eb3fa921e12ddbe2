//! Requests to a server.

use std::net::SocketAddr;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::Result;

/// How long a response may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a server is, and its token.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
}

impl Client {
    /// Sends a request over a connection of its own.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Response<Incoming>> {
        let stream = TcpStream::connect(self.address).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("host", self.address.to_string())
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", "application/json");
        let body = body.map_or_else(Bytes::new, |body| body.to_string().into());
        let sent = sender.send_request(request.body(Full::new(body))?);
        Ok(timeout(PATIENCE, sent).await??)
    }

    /// The status and the body of a response.
    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value)> {
        let response = self.send(method, path, body).await?;
        let status = response.status().as_u16();
        let bytes = timeout(PATIENCE, response.into_body().collect())
            .await??
            .to_bytes();
        Ok((status, serde_json::from_slice(&bytes).unwrap_or_default()))
    }

    /// The body of a response that has to be a success.
    pub(crate) async fn have(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value> {
        let (status, value) = self.ask(method.clone(), path, body).await?;
        if (200..300).contains(&status) {
            Ok(value)
        } else {
            Err(format!("{method} {path}: {status}: {value}").into())
        }
    }
}
