//! This host. It checks the requests of other hosts, and connects to other hosts.

use std::sync::{Mutex, PoisonError};

use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode, Uri, header};

use crate::key::{self, ClusterKey, HEADER, SignedRequest};
use crate::nonces::{Nonces, Refused};
use crate::peer::{HELLO, Peer, PeerError, path_of};
use crate::url::HostUrl;

/// This host, which is one of several hosts.
#[derive(Debug)]
pub struct Host {
    id: String,
    url: HostUrl,
    key: ClusterKey,
    /// The nonces of recent requests from other hosts.
    nonces: Mutex<Nonces>,
}

/// The reason why a request of another host is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The signature is not valid, for this reason.
    #[error("{0}")]
    Signature(&'static str),
    /// A request with this nonce was accepted before.
    #[error("the request was sent before")]
    Replay,
    /// The host has accepted too many requests within the time for which it remembers nonces.
    #[error("the other hosts send too many requests")]
    Busy,
    /// The request is addressed to another ID. An earlier server at this address had this ID, and had claimed the
    /// session.
    #[error("this is not the host that the request is for")]
    Misdirected,
}

impl RequestError {
    /// Returns the status of the response.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Signature(_) | Self::Replay => StatusCode::UNAUTHORIZED,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Misdirected => StatusCode::MISDIRECTED_REQUEST,
        }
    }
}

impl Host {
    /// Creates a host. `id` is the ID under which this host claims sessions. `url` is the address at which the other hosts
    /// reach it.
    pub fn new(id: impl Into<String>, url: HostUrl, key: ClusterKey) -> Self {
        Self {
            id: id.into(),
            url,
            key,
            nonces: Mutex::default(),
        }
    }

    /// Connects to the host with this ID at this address, and checks its identity.
    ///
    /// # Errors
    ///
    /// Fails if the address is not valid, or if the host does not prove within three seconds that it has the ID and the
    /// key.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the connection is closed. The other host has received at most a greeting.
    pub async fn connect(&self, id: &str, url: &str) -> Result<Peer, PeerError> {
        let url = HostUrl::new(url).ok_or(PeerError::Address)?;
        Peer::connect(&self.key, id, url).await
    }

    /// Checks the signature of a request from another host, and remembers its nonce. Must be called once for each
    /// request with the header [`HEADER`], before the request is handled. [`has_signed_body`](Self::has_signed_body)
    /// checks the body. Returns the person or program for whom the request is sent, if the other host has named one.
    ///
    /// # Errors
    ///
    /// Fails with the reason if the request must be refused.
    pub fn check(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Option<String>, RequestError> {
        let path = path_of(uri);
        let (given, method) = (signature(headers), method.as_str());
        let is_greeting = path == HELLO;
        let signed = if is_greeting {
            // The host that sends a greeting does not know this host's time yet. So a greeting with any time is accepted.
            self.verify_at_any_time(given, method, path)
        } else {
            self.key.verify(given, &self.url, method, path)
        };
        let signed = signed.map_err(RequestError::Signature)?;
        if signed.to != self.id {
            return Err(RequestError::Misdirected);
        }
        // An attacker can repeat a greeting, but receives only the same proof. So the nonces of greetings are not remembered.
        if is_greeting {
            return Ok(None);
        }
        let sender = signed.sender.map(str::to_owned);
        // The sender's clock may be ahead by [`key::SKEW`], so the request can be valid for twice this time. The nonce is
        // remembered until then.
        let mut nonces = self.nonces.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = nonces.take(signed.nonce, key::now(), 2 * key::SKEW.as_secs());
        taken.map_err(|refused| match refused {
            Refused::Replay => RequestError::Replay,
            Refused::Full => RequestError::Busy,
        })?;
        Ok(sender)
    }

    /// Returns whether a [checked](Self::check) request has the body that was signed.
    pub fn has_signed_body(&self, request: &Parts, body: &[u8]) -> bool {
        let (given, path) = (signature(&request.headers), path_of(&request.uri));
        let signed = self.verify_at_any_time(given, request.method.as_str(), path);
        signed.is_ok_and(|signed| signed.has_body(body))
    }

    /// Returns the response to a [checked](Self::check) greeting, which is the first request of another host. Returns
    /// `None` for every other request.
    pub fn answer_greeting(&self, uri: &Uri, headers: &HeaderMap) -> Option<Response<()>> {
        if uri.path() != HELLO {
            return None;
        }
        let given = headers.get(HEADER)?.to_str().ok()?;
        let proof = self.key.prove(given, key::now());
        let mut response = Response::new(());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let headers = response.headers_mut();
        headers.insert(HEADER, HeaderValue::from_str(&proof).ok()?);
        let store = HeaderValue::from_static("no-store");
        headers.insert(header::CACHE_CONTROL, store);
        Some(response)
    }

    fn verify_at_any_time<'a>(
        &self,
        given: &'a str,
        method: &str,
        path: &str,
    ) -> Result<SignedRequest<'a>, &'static str> {
        let signed = self
            .key
            .verify_at_any_time(given, &self.url, method, path)?;
        Ok(signed.0)
    }
}

/// Returns the signature in the headers of a request. Returns an empty text if there is none.
fn signature(headers: &HeaderMap) -> &str {
    let given = headers.get(HEADER).and_then(|value| value.to_str().ok());
    given.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::ToSign;

    fn key() -> ClusterKey {
        ClusterKey::new("k".repeat(32)).unwrap()
    }

    fn url() -> HostUrl {
        HostUrl::new("http://10.0.0.5:8000").unwrap()
    }

    /// Creates a request that another host has signed.
    fn request(to: &str, path: &str, body: &[u8]) -> Parts {
        let signed = key().sign(ToSign {
            to,
            address: &url(),
            method: "POST",
            path,
            body,
            sender: None,
        });
        let request = http::Request::post(path).header(HEADER, signed);
        request.body(()).unwrap().into_parts().0
    }

    fn check(host: &Host, request: &Parts) -> Result<Option<String>, RequestError> {
        host.check(&request.method, &request.uri, &request.headers)
    }

    #[test]
    fn a_request_is_accepted_once_for_one_id_and_one_body() {
        let host = Host::new("owner", url(), key());
        let accepted = request("owner", "/a?b=1", b"body");
        assert_eq!(check(&host, &accepted), Ok(None));
        assert!(host.has_signed_body(&accepted, b"body"));
        assert!(!host.has_signed_body(&accepted, b"other"));
        assert_eq!(check(&host, &accepted), Err(RequestError::Replay));
        let answer = host.answer_greeting(&accepted.uri, &accepted.headers);
        assert!(answer.is_none());

        let of_earlier = request("earlier", "/a", b"");
        let refused = check(&host, &of_earlier).unwrap_err();
        assert_eq!(refused, RequestError::Misdirected);
        assert_eq!(refused.status(), StatusCode::MISDIRECTED_REQUEST);

        let mut changed = request("owner", "/a", b"");
        changed.uri = Uri::from_static("/b");
        let refused = check(&host, &changed).unwrap_err();
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
        changed.headers.remove(HEADER);
        assert!(check(&host, &changed).is_err());
    }

    #[test]
    fn a_greeting_gets_the_same_answer_each_time() {
        let host = Host::new("owner", url(), key());
        let greeting = request("owner", HELLO, b"");
        for _ in 0..2 {
            assert_eq!(check(&host, &greeting), Ok(None));
            let answer = host.answer_greeting(&greeting.uri, &greeting.headers);
            let answer = answer.unwrap();
            let proof = answer.headers()[HEADER].to_str().unwrap();
            let signed = signature(&greeting.headers);
            assert!(key().proven_time(signed, proof).is_some());
        }
        let of_earlier = request("earlier", HELLO, b"");
        assert_eq!(check(&host, &of_earlier), Err(RequestError::Misdirected));
    }
}
