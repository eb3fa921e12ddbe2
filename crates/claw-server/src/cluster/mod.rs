//! Several hosts with one store, behind any load balancer.
//!
//! A session runs on the host that has claimed it. The claim is a row of the store with an epoch, a time to live and
//! the address of that host. Every other host forwards requests, event streams and web sockets of the session to it
//! ([`mod@place`]). The row of a route says how the session of its requests is found. There is no list of hosts, and all
//! hosts are equal.
//!
//! - A host claims a session when it makes it live, for a prompt or a viewer, and releases the claim when it closes the
//!   session.
//! - The claims of a host that dies expire. The next host that receives a request for a session claims it, reads what
//!   the store has of it, and shows which prompts were cut off (`hub::prompt_log`). No prompt is repeated
//!   automatically.
//! - A host that was suspended finds its claims lost and ends their processes. The store refuses what it still writes.
//! - Before a host forwards a request, it checks that the host at the address is the owner of the claim and has the key
//!   ([`peer`]). So no data of a session is sent to another program that now has the address. Requests are signed with
//!   the key ([`key`]), together with their bodies and with the address that the sender dialled. A host refuses
//!   requests to another address than its own, because any program that can write to the store could otherwise redirect
//!   requests through another machine.
//! - The response to the greeting contains the time of the greeted host, and requests are signed with that time. So the
//!   clocks of the hosts need not agree.
//! - A forwarded request is never forwarded again: if the session is not on the receiving host either, the request is
//!   refused.
//! - If a host cannot be reached, requests wait until its claim expires, and no longer.

mod key;
mod nonces;
mod peer;
mod place;

use std::sync::PoisonError;

use axum::http::request::Parts;
use axum::http::uri::{Authority, Scheme, Uri};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

pub use key::{ClusterKey, SignedRequest, ToSign};
use nonces::Refused;
pub(crate) use place::{Cluster, placed, receive};

use crate::api::Refusal;

/// The header of requests between hosts, and of the response to the greeting.
pub(crate) const HEADER: &str = "claw-cluster";

/// The path of the greeting, which is the first request to another host.
const HELLO: &str = "/cluster/hello";

/// The address at which the other hosts of a store reach this one, such as `http://10.0.0.5:8000`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostUrl(Authority);

impl HostUrl {
    /// Reads an address: `http://`, a name or an IP address, and a port if it is not 80. Returns `None` for any other
    /// text. Hosts speak plain HTTP with each other.
    pub fn new(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let is_plain = matches!(uri.path(), "" | "/") && uri.query().is_none();
        let authority = uri.authority()?;
        let is_named = !authority.host().is_empty() && !authority.as_str().contains('@');
        let is_http = uri.scheme() == Some(&Scheme::HTTP);
        (is_plain && is_named && is_http).then(|| Self(authority.clone()))
    }

    /// The name or IP address, without the brackets of IPv6, and the port.
    pub fn socket(&self) -> (&str, u16) {
        let host = self.0.host();
        let host = host.strip_prefix('[').unwrap_or(host);
        let host = host.strip_suffix(']').unwrap_or(host);
        (host, self.0.port_u16().unwrap_or(80))
    }

    /// The value of the header `Host`.
    fn authority(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(self.0.as_str()).ok()
    }
}

impl std::fmt::Display for HostUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "http://{}", self.0)
    }
}

impl Cluster {
    /// Checks the signature of a request from another host.
    pub(crate) fn check(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), Refusal> {
        let refuse = |status, text: &str| Refusal::new(status, "cluster", text);
        let given = headers.get(HEADER).and_then(|value| value.to_str().ok());
        let path = path_of(uri);
        let (given, method) = (given.unwrap_or_default(), method.as_str());
        let is_greeting = path == HELLO;
        let signed = if is_greeting {
            // The host that sends a greeting does not know this host's time yet.
            let signed = self
                .key
                .verify_at_any_time(given, &self.address, method, path);
            signed.map(|(signed, _)| signed)
        } else {
            self.key.verify(given, &self.address, method, path)
        };
        match signed {
            // A copy of a greeting only gets the same proof, so it is harmless.
            Ok(signed) if signed.to == self.owner.id && is_greeting => Ok(()),
            Ok(signed) if signed.to == self.owner.id => {
                // The nonce is remembered for as long as the request could be valid by a clock that is ahead.
                let mut nonces = self.nonces.lock().unwrap_or_else(PoisonError::into_inner);
                let taken = nonces.take(signed.nonce, key::now(), 2 * key::SKEW.as_secs());
                taken.map_err(|refused| match refused {
                    Refused::Replay => {
                        refuse(StatusCode::UNAUTHORIZED, "the request was sent before")
                    }
                    Refused::Full => refuse(
                        StatusCode::SERVICE_UNAVAILABLE,
                        "the other hosts send too many requests",
                    ),
                })
            }
            // The request is for an earlier server at this address, which had the claim.
            Ok(_) => Err(refuse(
                StatusCode::MISDIRECTED_REQUEST,
                "this is not the host that the request is for",
            )),
            Err(why) => Err(refuse(StatusCode::UNAUTHORIZED, why)),
        }
    }

    /// Whether a checked request of another host has the body that was signed.
    fn has_signed_body(&self, request: &Parts, body: &[u8]) -> bool {
        let given = request.headers.get(HEADER);
        let given = given.and_then(|given| given.to_str().ok());
        let path = path_of(&request.uri);
        let (given, method) = (given.unwrap_or_default(), request.method.as_str());
        let signed = self
            .key
            .verify_at_any_time(given, &self.address, method, path);
        signed.is_ok_and(|(signed, _)| signed.has_body(body))
    }

    /// The response to a checked greeting of another host. `None` for every other request.
    pub(crate) fn answer(&self, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
        if uri.path() != HELLO {
            return None;
        }
        let given = headers.get(HEADER)?.to_str().ok()?;
        let proof = self.key.prove(given, key::now());
        let proof = HeaderValue::from_str(&proof).ok()?;
        let mut response = StatusCode::NO_CONTENT.into_response();
        response.headers_mut().insert(HEADER, proof);
        let store = HeaderValue::from_static("no-store");
        response.headers_mut().insert(header::CACHE_CONTROL, store);
        Some(response)
    }
}

/// The part of a URI that is signed.
fn path_of(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |path| path.as_str())
}

/// Refuses requests of other hosts on a server that is not one of several.
pub(crate) fn refuse() -> Refusal {
    let text = "this server is not one of several hosts";
    Refusal::new(StatusCode::UNAUTHORIZED, "cluster", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_plain_http_and_has_no_path() {
        for (text, socket) in [
            ("http://10.0.0.5:8000", ("10.0.0.5", 8000)),
            ("http://worker-1/", ("worker-1", 80)),
            ("http://[::1]:8000", ("::1", 8000)),
        ] {
            assert_eq!(HostUrl::new(text).unwrap().socket(), socket, "{text}");
        }
        for text in [
            "",
            "10.0.0.5:8000",
            "https://10.0.0.5",
            "http://user@10.0.0.5",
            "http://10.0.0.5/a",
            "http://10.0.0.5/?a",
            "file:///etc/passwd",
            "http://",
        ] {
            assert_eq!(HostUrl::new(text), None, "{text}");
        }
    }
}
