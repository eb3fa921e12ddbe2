//! Sends a POST request. Redirects are not followed, and only the status of the response is read.

use std::net::SocketAddr;
use std::pin::pin;

use axum::http::uri::{PathAndQuery, Scheme, Uri};
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use bytes::Bytes;
use futures::future::{Either, select};
use http_body_util::Full;
use hyper::client::conn::http1::handshake;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use super::NotifyError;
use super::tls::Tls;

/// The target of a request.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// The TLS settings, if the address is an HTTPS address.
    tls: Option<Tls>,
    /// The host name or IP address, without the brackets of IPv6.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// The value of the header `Host`.
    authority: HeaderValue,
    pub(crate) path: PathAndQuery,
}

/// The reason why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PostError {
    #[error("the receiver cannot be reached: {0}")]
    Connection(#[from] std::io::Error),
    #[error("the receiver broke the connection off: {0}")]
    Http(#[from] hyper::Error),
    #[error("the receiver does not answer")]
    Silent,
    #[error("the receiver answers {0}")]
    Status(StatusCode),
}

impl PostError {
    /// Returns whether a retry may succeed.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Status(status) => {
                status.is_server_error() || *status == StatusCode::TOO_MANY_REQUESTS
            }
            _ => true,
        }
    }
}

impl Target {
    pub(crate) fn new(url: &str) -> Result<Self, NotifyError> {
        let uri: Uri = url.parse().map_err(|_| NotifyError::Address)?;
        let authority = uri.authority().ok_or(NotifyError::Address)?;
        let is_https = uri.scheme() == Some(&Scheme::HTTPS);
        let is_named = !authority.host().is_empty() && !authority.as_str().contains('@');
        if !is_named || (!is_https && uri.scheme() != Some(&Scheme::HTTP)) {
            return Err(NotifyError::Address);
        }
        let host = authority.host();
        let host = host.strip_prefix('[').unwrap_or(host);
        let host = host.strip_suffix(']').unwrap_or(host).to_owned();
        let value = HeaderValue::from_str(authority.as_str());
        let path = uri.path_and_query().cloned();
        Ok(Self {
            tls: is_https
                .then(Tls::new)
                .transpose()
                .map_err(NotifyError::Tls)?,
            port: authority
                .port_u16()
                .unwrap_or(if is_https { 443 } else { 80 }),
            host,
            authority: value.map_err(|_| NotifyError::Address)?,
            path: path.unwrap_or_else(|| PathAndQuery::from_static("/")),
        })
    }

    /// Sends a body, and returns the status of the response.
    pub(crate) async fn post(
        &self,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<StatusCode, PostError> {
        let stream = TcpStream::connect((&*self.host, self.port)).await?;
        self.on(stream, headers, body).await
    }

    /// Sends a body as [`post`](Self::post) does, but connects only to these IP addresses of the host.
    pub(crate) async fn post_to(
        &self,
        addresses: &[SocketAddr],
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<StatusCode, PostError> {
        let stream = TcpStream::connect(addresses).await?;
        self.on(stream, headers, body).await
    }

    async fn on(
        &self,
        stream: TcpStream,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<StatusCode, PostError> {
        match &self.tls {
            Some(tls) => {
                let stream = tls.connect(&self.host, stream).await?;
                self.send(stream, headers, body).await
            }
            None => self.send(stream, headers, body).await,
        }
    }

    async fn send<S: AsyncRead + AsyncWrite + Unpin + Send>(
        &self,
        stream: S,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<StatusCode, PostError> {
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = axum::http::Method::POST;
        *request.uri_mut() = Uri::from(self.path.clone());
        *request.headers_mut() = headers;
        let agent = concat!("claw/", env!("CARGO_PKG_VERSION"));
        for (name, value) in [
            (header::HOST, self.authority.clone()),
            (header::USER_AGENT, HeaderValue::from_static(agent)),
            (header::CONNECTION, HeaderValue::from_static("close")),
        ] {
            request.headers_mut().insert(name, value);
        }
        let response = pin!(sender.send_request(request));
        let response = match select(response, pin!(connection)).await {
            Either::Left((response, _)) => response,
            Either::Right((_, response)) => response.await,
        };
        Ok(response?.status())
    }
}
