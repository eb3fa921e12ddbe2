//! A connection to another host, and the forwarding of requests over it.

use std::future::Future;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::Response;
use claw_client::store::Owner;
use futures::StreamExt as _;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::key::{self, ClusterKey, ToSign};
use super::{HEADER, HELLO, HostUrl, path_of};
use crate::api::Refusal;
use crate::api::extract::KEY;

/// Maximum time for a host to accept a connection and to identify itself.
const CONNECT: Duration = Duration::from_secs(3);

/// Headers that apply to one connection only.
static HOP_BY_HOP: [HeaderName; 7] = [
    header::CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Headers of a client that are meant only for the host to which the client has connected: its credentials, and the
/// name by which it reached the host.
static OF_CLIENT: [HeaderName; 5] = [
    header::AUTHORIZATION,
    header::COOKIE,
    header::HOST,
    header::ORIGIN,
    KEY,
];

/// The reason why a request cannot be forwarded to a host.
#[derive(Debug, thiserror::Error)]
pub(super) enum PeerError {
    /// The claim does not contain a valid address.
    #[error("the claim of the session names no address of a host")]
    Address,
    /// The host responds, but refuses.
    #[error("the host that has the session refuses: {0}")]
    Refused(String),
    /// The host cannot be reached.
    #[error("the host that has the session cannot be reached: {0}")]
    Gone(String),
}

/// A connection to the owner of a claim, which has proved its identity.
pub(super) struct Peer {
    sender: SendRequest<Body>,
    /// The address that was dialled.
    address: HostUrl,
    to: String,
    /// The time of the owner's clock, and when it was received.
    time: (u64, Instant),
}

impl Peer {
    pub(super) async fn connect(key: &ClusterKey, owner: &Owner) -> Result<Self, PeerError> {
        let url = owner.address.as_deref().and_then(HostUrl::new);
        let url = url.ok_or(PeerError::Address)?;
        let connected = timeout(CONNECT, Self::greet(key, url, owner)).await;
        connected.unwrap_or_else(|_| Err(PeerError::Gone("it does not answer".to_owned())))
    }

    async fn greet(key: &ClusterKey, address: HostUrl, owner: &Owner) -> Result<Self, PeerError> {
        let gone = |error: &dyn std::fmt::Display| PeerError::Gone(error.to_string());
        let stream = TcpStream::connect(address.socket()).await;
        let stream = stream.map_err(|error| gone(&error))?;
        let _ = stream.set_nodelay(true);
        let (sender, connection) = handshake(TokioIo::new(stream))
            .await
            .map_err(|error| gone(&error))?;
        // The task ends when the sender and an upgraded connection are dropped.
        tokio::spawn(async move {
            let _ = connection.with_upgrades().await;
        });
        let mut peer = Self {
            sender,
            address,
            to: owner.id.clone(),
            time: (key::now(), Instant::now()),
        };
        let mut hello = Request::new(Body::empty());
        *hello.uri_mut() = Uri::from_static(HELLO);
        let signed = peer.sign(key, &mut hello, b"")?;
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
            // Another server now has the address.
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

    /// Signs a request with this body, and returns the signature.
    fn sign(
        &self,
        key: &ClusterKey,
        request: &mut Request,
        body: &[u8],
    ) -> Result<String, PeerError> {
        let (at, since) = self.time;
        let at = at.saturating_add(since.elapsed().as_secs());
        let to_sign = ToSign {
            to: &self.to,
            address: &self.address,
            method: request.method().as_str(),
            path: path_of(request.uri()),
            body,
        };
        let signed = key.sign_at(at, to_sign);
        let value = HeaderValue::from_str(&signed).map_err(|_| PeerError::Address)?;
        request.headers_mut().insert(HEADER, value);
        let host = self.address.authority().ok_or(PeerError::Address)?;
        request.headers_mut().insert(header::HOST, host);
        Ok(signed)
    }

    /// Forwards a request and its response, until `gone` completes because the host no longer has the session.
    pub(super) async fn forward(
        mut self,
        key: &ClusterKey,
        mut request: Request<Bytes>,
        gone: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Response, Refusal> {
        let failed = |text: String| Refusal::new(StatusCode::BAD_GATEWAY, "elsewhere", text);
        let mut gone = Box::pin(gone);
        let upgrade = request.headers().get(header::UPGRADE).cloned();
        let from = upgrade.is_some().then(|| hyper::upgrade::on(&mut request));
        let (parts, body) = request.into_parts();
        let mut onward = Request::new(Body::from(body.clone()));
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
        self.sign(key, &mut onward, &body)
            .map_err(|error| failed(error.to_string()))?;
        let answered = tokio::select! {
            answered = self.sender.send_request(onward) => answered,
            () = &mut gone => {
                let text = "the host that had the session has lost it: send the request again";
                return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "elsewhere", text));
            }
        };
        let mut answer = answered.map_err(|error| {
            failed(format!(
                "the host that has the session broke the connection off: {error}; the request may have been carried out"
            ))
        })?;
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
            return Ok(Response::from_parts(parts, Body::empty()));
        }
        let (mut parts, body) = answer.into_parts();
        remove(&mut parts.headers, &HOP_BY_HOP);
        parts.headers.remove(HEADER);
        let body = Body::new(body).into_data_stream().take_until(gone);
        Ok(Response::from_parts(parts, Body::from_stream(body)))
    }
}

/// Removes these headers, and those that the header `Connection` names.
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
