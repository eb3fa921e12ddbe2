//! A connection to another host, and the forwarding of requests over it.

use std::error::Error;
use std::fmt::Display;
use std::future::Future;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _};
use http::uri::Uri;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Either, Empty, Full, StreamBody};
use hyper::body::{Body, Frame};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::key::{self, ClusterKey, HEADER, ToSign};
use crate::url::HostUrl;

/// The path of the greeting, which is the first request to another host.
pub(crate) const HELLO: &str = "/cluster/hello";

/// Maximum time in which a host must accept a connection and prove its identity.
const CONNECT: Duration = Duration::from_secs(3);

/// Headers that apply to only one connection.
static HOP_BY_HOP: [HeaderName; 7] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Headers of a client that only the host to which the client has connected may receive: the client's credentials, and
/// the name with which the client reached the host.
static OF_CLIENT: [HeaderName; 4] = [
    header::AUTHORIZATION,
    header::COOKIE,
    header::HOST,
    header::ORIGIN,
];

/// The reason why a request was not forwarded to a host, or why there is no response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeerError {
    /// The claim does not contain a valid address.
    #[error("the claim of the session names no address of a host")]
    Address,
    /// The host has responded, but refuses the request.
    #[error("the host that has the session refuses: {0}")]
    Refused(String),
    /// The host cannot be reached. The request was not sent.
    #[error("the host that has the session cannot be reached: {0}")]
    Gone(String),
    /// The host no longer has the session, and has sent no response.
    #[error("the host that had the session has lost it: send the request again")]
    Lost,
    /// The connection ended before the response.
    #[error(
        "the host that has the session broke the connection off: {0}; the request may have been carried out"
    )]
    Broken(#[source] hyper::Error),
}

/// A connection to another host, which has proved its identity. [`Host::connect`](crate::Host::connect) returns it.
#[derive(Debug)]
pub struct Peer {
    sender: SendRequest<Full<Bytes>>,
    key: ClusterKey,
    /// The address to which this host has connected.
    address: HostUrl,
    /// The ID of the host.
    to: String,
    /// The time that the host's clock showed, and the instant at which it was received.
    time: (u64, Instant),
}

impl Peer {
    /// Connects to a host, and checks its identity.
    pub(crate) async fn connect(
        key: &ClusterKey,
        id: &str,
        url: HostUrl,
    ) -> Result<Self, PeerError> {
        let connected = timeout(CONNECT, Self::greet(key, id, url)).await;
        connected.unwrap_or_else(|_| Err(PeerError::Gone("it does not answer".to_owned())))
    }

    async fn greet(key: &ClusterKey, id: &str, address: HostUrl) -> Result<Self, PeerError> {
        let gone = |error: &dyn Display| PeerError::Gone(error.to_string());
        let stream = TcpStream::connect(address.socket()).await;
        let stream = stream.map_err(|error| gone(&error))?;
        let _ = stream.set_nodelay(true);
        let (sender, connection) = handshake(TokioIo::new(stream))
            .await
            .map_err(|error| gone(&error))?;
        // This task runs the connection. It ends when the sender and an upgraded connection are dropped.
        tokio::spawn(async move {
            let _ = connection.with_upgrades().await;
        });
        let mut peer = Self {
            sender,
            key: key.clone(),
            address,
            to: id.to_owned(),
            time: (key::now(), Instant::now()),
        };
        let mut hello = Request::new(Full::default());
        *hello.uri_mut() = Uri::from_static(HELLO);
        let signed = peer.sign(&mut hello, b"", None)?;
        let answer = peer.sender.send_request(hello).await;
        let answer = answer.map_err(|error| gone(&error))?;
        let proof = answer.headers().get(HEADER);
        let proof = proof.and_then(|proof| proof.to_str().ok());
        let proven = proof.and_then(|proof| key.proven_time(&signed, proof));
        match (answer.status(), proven) {
            (StatusCode::NO_CONTENT, Some(at)) => {
                peer.time = (at, Instant::now());
                peer.sender.ready().await.map_err(|error| gone(&error))?;
                Ok(peer)
            }
            // A server with another ID now has this address, so the host with this ID is gone.
            (StatusCode::MISDIRECTED_REQUEST, _) => Err(gone(&"another one has its address")),
            (status, _) => {
                let text = format!(
                    "{} answers {status}: do the hosts have the same key, and is that its --advertise?",
                    peer.address
                );
                Err(PeerError::Refused(text))
            }
        }
    }

    /// Signs a request with this body for this sender. Returns the signature.
    fn sign(
        &self,
        request: &mut Request<Full<Bytes>>,
        body: &[u8],
        sender: Option<&str>,
    ) -> Result<String, PeerError> {
        let (at, since) = self.time;
        let at = at.saturating_add(since.elapsed().as_secs());
        let to_sign = ToSign {
            to: &self.to,
            address: &self.address,
            method: request.method().as_str(),
            path: path_of(request.uri()),
            body,
            sender,
        };
        let signed = self.key.sign_at(at, to_sign);
        let value = HeaderValue::from_str(&signed).map_err(|_| PeerError::Address)?;
        request.headers_mut().insert(HEADER, value);
        let host = self.address.authority().ok_or(PeerError::Address)?;
        request.headers_mut().insert(header::HOST, host);
        Ok(signed)
    }

    /// Forwards a request of a client, and returns the host's response. The connection forwards no other request.
    ///
    /// `sender` names the person or program for whom the request is sent, in visible ASCII characters. The name is
    /// signed, and [`Host::check`](crate::Host::check) returns it on the other host.
    ///
    /// `gone` completes when the host no longer has the session. The response then ends, even in the middle of its
    /// body. If the host switches protocols, a task copies bytes in both directions until one side ends or `gone`
    /// completes.
    ///
    /// Headers that apply to only one connection are removed. The client's headers `Authorization`, `Cookie`, `Host`
    /// and `Origin` are removed too. The caller must remove other credentials.
    ///
    /// # Errors
    ///
    /// Fails with [`PeerError::Lost`] if `gone` completes before the response, and with [`PeerError::Broken`] if the
    /// connection ends before it.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the connection is closed. The host may have received the request.
    pub async fn forward(
        mut self,
        mut request: Request<Bytes>,
        sender: Option<&str>,
        gone: impl Future<Output = ()> + Send + 'static,
    ) -> Result<
        Response<impl Body<Data = Bytes, Error = Box<dyn Error + Send + Sync>> + Send + 'static>,
        PeerError,
    > {
        let mut gone = Box::pin(gone);
        let upgrade = request.headers().get(header::UPGRADE).cloned();
        let from = upgrade.is_some().then(|| hyper::upgrade::on(&mut request));
        let (parts, body) = request.into_parts();
        let mut onward = Request::new(Full::new(body.clone()));
        *onward.method_mut() = parts.method;
        *onward.uri_mut() = match parts.uri.path_and_query() {
            Some(path) => Uri::from(path.clone()),
            None => Uri::from_static("/"),
        };
        let mut headers = parts.headers;
        remove(&mut headers, &OF_CLIENT);
        remove(&mut headers, &HOP_BY_HOP);
        if let Some(upgrade) = upgrade {
            let connection = HeaderValue::from_static("upgrade");
            headers.insert(header::CONNECTION, connection);
            headers.insert(header::UPGRADE, upgrade);
        }
        *onward.headers_mut() = headers;
        self.sign(&mut onward, &body, sender)?;
        let answered = tokio::select! {
            answered = self.sender.send_request(onward) => answered,
            () = &mut gone => return Err(PeerError::Lost),
        };
        let mut answer = answered.map_err(PeerError::Broken)?;
        let is_upgrade = answer.status() == StatusCode::SWITCHING_PROTOCOLS;
        if let (true, Some(from)) = (is_upgrade, from) {
            let to = hyper::upgrade::on(&mut answer);
            tokio::spawn(async move {
                let both = async {
                    let (from, to) = tokio::try_join!(from, to).ok()?;
                    let (mut from, mut to) = (TokioIo::new(from), TokioIo::new(to));
                    copy_bidirectional(&mut from, &mut to).await.ok()
                };
                tokio::select! {
                    _ = both => {}
                    () = gone => {}
                }
            });
            let (mut parts, _) = answer.into_parts();
            parts.headers.remove(HEADER);
            return Ok(Response::from_parts(parts, Either::Left(Empty::new())));
        }
        let (mut parts, body) = answer.into_parts();
        remove(&mut parts.headers, &HOP_BY_HOP);
        parts.headers.remove(HEADER);
        let body = body.into_data_stream().take_until(gone).map_ok(Frame::data);
        let body = StreamBody::new(body);
        Ok(Response::from_parts(parts, Either::Right(body)))
    }
}

/// Returns the part of a URI that is signed.
pub(crate) fn path_of(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |path| path.as_str())
}

/// Removes these headers, and the headers that the header `Connection` names.
fn remove(headers: &mut HeaderMap, which: &[HeaderName]) {
    let named: Vec<_> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse::<HeaderName>().ok())
        .collect();
    if which.contains(&header::CONNECTION) {
        headers.remove("keep-alive");
        for name in named {
            headers.remove(name);
        }
    }
    for name in which {
        headers.remove(name);
    }
}
