//! Requests to Restate's server.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::handshake;
use hyper::{Method, Request};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// One request. Fails if the server is gone before it has answered.
pub(crate) async fn send(
    method: Method,
    url: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> Result<(u16, Value), Box<dyn std::error::Error + Send + Sync>> {
    let uri: hyper::Uri = url.parse()?;
    let authority = uri.authority().ok_or("no authority")?.as_str().to_owned();
    let stream = TcpStream::connect(&authority).await?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let bytes = match body {
        Value::Null => Bytes::new(),
        body => body.to_string().into(),
    };
    let mut request = Request::builder()
        .method(method)
        .uri(uri.path_and_query().map_or("/", |path| path.as_str()))
        .header("host", authority);
    if !bytes.is_empty() {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = sender.send_request(request.body(Full::new(bytes))?).await?;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await?.to_bytes();
    connection.abort();
    let text = String::from_utf8_lossy(&body).into_owned();
    let value = serde_json::from_slice(&body).unwrap_or(Value::String(text));
    Ok((status, value))
}
