//! Several hosts with one store, behind any load balancer.
//!
//! A session is run by the host that has claimed it. The claim, a row of the store with an epoch and a time to live, says
//! at which address that host is reached. Every other host passes on what concerns the session: requests, events and web
//! sockets ([`place`]). Nobody keeps a list of hosts, and none of them is special.
//!
//! - A host claims a session when it makes it live, for a prompt or a viewer, and gives it up when it closes it.
//! - A host that dies loses its claims when their time is over. The next host that receives a request for a session claims
//!   it, reads what the store has of it, and shows which prompts were cut (`hub::prompt_log`). No prompt is repeated by
//!   itself.
//! - A host that was suspended finds its claims lost, ends their processes, and the store refuses what it still writes.
//! - A host asks the one at an address first whether it is the owner of the claim and has the key ([`peer`]), so that
//!   nothing of a session is sent to another program that has taken the address. Requests are signed with the key ([`key`]), with
//!   their bodies, and with the address that was dialled: a host refuses what was sent to another address than its own,
//!   because anybody who can write to the store can have it pass through another machine.
//! - The greeting says what the clock of the greeted host is, and requests are signed with its time: the clocks of the
//!   hosts need not agree.
//! - A forwarded request is never forwarded again: if the session is not here either, it is refused.
//! - A host that cannot be reached is waited for until its claim is over, and no longer.

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
pub(crate) use place::{Cluster, place};

use crate::api::Refusal;

/// The header of requests between hosts, and of the answer to the first of them.
pub(crate) const HEADER: &str = "claw-cluster";

/// What a host asks the one at an address first.
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
    /// Checks a request of another host.
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
            // A copy of it gets the same proof for the same sender, and nothing else.
            Ok(signed) if signed.to == self.owner.id && is_greeting => Ok(()),
            Ok(signed) if signed.to == self.owner.id => {
                // As long as a clock that is ahead lets it be valid.
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
            // An earlier server at this address had the claim.
            Ok(_) => Err(refuse(
                StatusCode::MISDIRECTED_REQUEST,
                "this is not the host that the request is for",
            )),
            Err(why) => Err(refuse(StatusCode::UNAUTHORIZED, why)),
        }
    }

    /// Whether a request of another host, which was checked, has the body that was signed.
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

    /// The answer to the first request of another host, which was checked. `None` for every other request.
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

/// What is signed of a URI.
fn path_of(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |path| path.as_str())
}

/// Refuses the requests of hosts where there are no others.
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
