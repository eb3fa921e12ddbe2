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

/// The maximum time for a response.
const PATIENCE: Duration = Duration::from_secs(60);

/// The address and the token of a server.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
}

impl Client {
    /// Sends a request over a new connection.
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

    /// Sends a request, and returns the status and the body of the response.
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

    /// Sends a request, and returns the body of the response, which must report success.
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
