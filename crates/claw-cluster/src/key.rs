//! The key that the hosts of a store share, and the signatures with this key.

use std::fmt::{self, Write as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderName;
use sha2::{Digest as _, Sha256};

use crate::url::HostUrl;

/// The header that contains the signature of a request, and the proof in the response to a greeting.
pub const HEADER: HeaderName = HeaderName::from_static("claw-cluster");

/// Minimum length of a key, in characters.
const SHORTEST: usize = 32;
/// Maximum difference between the clocks of two hosts, including the time of transmission.
pub(crate) const SKEW: Duration = Duration::from_mins(1);

/// A signed request from another host. Its signature was checked and is valid.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignedRequest<'a> {
    /// The ID of the host to which the request is addressed. That host claims sessions under this ID.
    pub to: &'a str,
    /// A number that no other request has. A receiver that remembers it can refuse a copy of the request.
    pub nonce: u128,
    /// The person or program for whom the request is sent. The sending host chooses this text. `None` if it has named
    /// no one.
    pub sender: Option<&'a str>,
    /// The SHA-256 of the body, in hexadecimal digits.
    body: &'a str,
}

impl SignedRequest<'_> {
    /// Returns whether this is the body that was signed.
    pub fn has_body(&self, body: &[u8]) -> bool {
        digest(body) == self.body
    }
}

/// The parts of a request that are signed.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "every sender makes one")]
pub struct ToSign<'a> {
    /// The ID of the host to which the request is addressed. That host claims sessions under this ID.
    pub to: &'a str,
    /// The address to which the sender connects. The receiver refuses the request if this is not its own address,
    /// because then another machine has forwarded the request.
    pub address: &'a HostUrl,
    /// The method.
    pub method: &'a str,
    /// The path, with the query.
    pub path: &'a str,
    /// The whole body.
    pub body: &'a [u8],
    /// The person or program for whom the request is sent, as a text of visible ASCII characters. The receiver gets the
    /// same text. `None` if the receiver needs no name.
    pub sender: Option<&'a str>,
}

/// The secret key that the hosts of a store share. The hosts sign their requests to each other with it. `Debug` does
/// not show the key.
#[derive(Clone)]
pub struct ClusterKey(String);

impl ClusterKey {
    /// Creates a key from a text. Returns `None` if the text has fewer than 32 characters, or characters other than
    /// visible ASCII.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        let is_fit = text.len() >= SHORTEST && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_fit.then_some(Self(text))
    }

    /// Signs a request.
    pub fn sign(&self, request: ToSign<'_>) -> String {
        self.sign_at(now(), request)
    }

    /// Signs a request. `at` is the current time of the receiver's clock, in seconds since 1970.
    pub(crate) fn sign_at(&self, at: u64, request: ToSign<'_>) -> String {
        let nonce = uuid::Uuid::new_v4().simple().to_string();
        let (at, address) = (at.to_string(), request.address.to_string());
        let (to, body) = (request.to, digest(request.body));
        let (method, path) = (request.method, request.path);
        let signed = ["request", &at, to, &nonce, &address, &body, method, path];
        match request.sender {
            None => {
                let mac = self.mac(signed);
                format!("v2 {at} {to} {nonce} {address} {body} {mac}")
            }
            Some(sender) => {
                let mac = self.mac(with_sender(signed, sender));
                format!("v3 {at} {to} {nonce} {address} {body} {sender} {mac}")
            }
        }
    }

    /// Checks the signature of a request from another host. `signed` is the text that [`sign`](Self::sign) has returned
    /// on that host. `own` is the address at which the other hosts reach this host. [`SignedRequest::has_body`] checks
    /// the body.
    ///
    /// # Errors
    ///
    /// Fails if the signature was made with another key, for another request or for another address, or if its time
    /// differs from this host's clock by more than a minute. The error gives the reason.
    pub fn verify<'a>(
        &self,
        signed: &'a str,
        own: &HostUrl,
        method: &str,
        path: &str,
    ) -> Result<SignedRequest<'a>, &'static str> {
        let (signed, at) = self.verify_at_any_time(signed, own, method, path)?;
        if at.abs_diff(now()) > SKEW.as_secs() {
            return Err("the clocks of the hosts differ by more than a minute");
        }
        Ok(signed)
    }

    /// Checks a signature as [`verify`](Self::verify) does, but accepts any time. Returns the request and its time.
    pub(crate) fn verify_at_any_time<'a>(
        &self,
        signed: &'a str,
        own: &HostUrl,
        method: &str,
        path: &str,
    ) -> Result<(SignedRequest<'a>, u64), &'static str> {
        let mut parts = signed.split(' ');
        let mut next = || parts.next().unwrap_or_default();
        let [form, at, to, nonce] = [next(), next(), next(), next()];
        let [address, body] = [next(), next()];
        let sender = (form == "v3").then(&mut next);
        let mac = next();
        let signed = ["request", at, to, nonce, address, body, method, path];
        let is_valid = match (form, sender) {
            ("v2", None) => self.is_mac(signed, mac),
            ("v3", Some(sender)) if !sender.is_empty() => {
                self.is_mac(with_sender(signed, sender), mac)
            }
            _ => false,
        };
        if parts.next().is_some() || !is_valid {
            return Err("the hosts do not have the same key");
        }
        if HostUrl::new(address).as_ref() != Some(own) {
            return Err("the request was sent to another address than that of this host");
        }
        let at = at.parse().map_err(|_| "the time is none")?;
        let nonce = uuid::Uuid::try_parse(nonce).map_err(|_| "the nonce is none")?;
        let nonce = nonce.as_u128();
        let signed = SignedRequest {
            to,
            nonce,
            sender,
            body,
        };
        Ok((signed, at))
    }

    /// Returns a proof for the sender of a signed request. It proves that this host has the key, and contains `at`, the
    /// current time of this host's clock.
    pub(crate) fn prove(&self, signed: &str, at: u64) -> String {
        let at = at.to_string();
        let mac = self.mac(["response", signed, &at]);
        format!("{at} {mac}")
    }

    /// Signs a login link or a browser's login. The signature of a request is never valid as the signature of a login.
    pub fn sign_login(&self, text: &str) -> String {
        self.mac(["login", text])
    }

    /// Returns the time in a host's proof. Returns `None` if the proof was not made with this key.
    pub(crate) fn proven_time(&self, signed: &str, proof: &str) -> Option<u64> {
        let (at, mac) = proof.split_once(' ')?;
        let is_proof = self.is_mac(["response", signed, at], mac);
        is_proof.then(|| at.parse().ok()).flatten()
    }

    fn mac<const N: usize>(&self, parts: [&str; N]) -> String {
        let mac = self.hmac(parts);
        mac.map_or_else(String::new, |mac| hexadecimal(&mac.finalize().into_bytes()))
    }

    /// Returns whether `given` is the message authentication code of the parts. The comparison takes constant time.
    fn is_mac<const N: usize>(&self, parts: [&str; N], given: &str) -> bool {
        let (mac, given) = (self.hmac(parts), bytes(given));
        let checked = mac.zip(given).map(|(mac, given)| mac.verify_slice(&given));
        checked.is_some_and(|checked| checked.is_ok())
    }

    /// Returns the HMAC of the parts. Never returns `None`, because HMAC accepts keys of any length.
    fn hmac<const N: usize>(&self, parts: [&str; N]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()).ok()?;
        for part in parts {
            // Parts contain no line feeds, because they come from a request line and a header.
            mac.update(part.as_bytes());
            mac.update(b"\n");
        }
        Some(mac)
    }
}

/// Returns the parts that are signed if a request has a sender. The first part differs from the first part of a request without
/// a sender, so that a signature of one kind is never valid for the other kind.
fn with_sender<'a>(signed: [&'a str; 8], sender: &'a str) -> [&'a str; 9] {
    let [_, at, to, nonce, address, body, method, path] = signed;
    let kind = "request for a sender";
    [kind, at, to, nonce, address, body, method, path, sender]
}

/// Returns the SHA-256 of a body, in hexadecimal digits.
fn digest(body: &[u8]) -> String {
    hexadecimal(&Sha256::digest(body))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// Decodes hexadecimal digits in lower case. Returns `None` for any other text.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let bytes = pairs
        .iter()
        .map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?));
    rest.is_empty().then(|| bytes.collect()).flatten()
}

/// Returns the current time, in seconds since 1970.
pub(crate) fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

impl fmt::Debug for ClusterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClusterKey(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(letter: &str) -> ClusterKey {
        ClusterKey::new(letter.repeat(32)).unwrap()
    }

    fn url(text: &str) -> HostUrl {
        HostUrl::new(text).unwrap()
    }

    #[test]
    fn a_request_is_signed_for_one_host_address_method_path_and_body() {
        let own = url("http://10.0.0.5:8000");
        let request = ToSign {
            to: "owner",
            address: &own,
            method: "POST",
            path: "/api/x?y=1",
            body: b"deny",
            sender: None,
        };
        let signed = key("a").sign(request);
        let checked = key("a").verify(&signed, &own, "POST", "/api/x?y=1");
        let checked = checked.unwrap();
        assert_eq!(checked.to, "owner");
        assert!(checked.has_body(b"deny"));
        for other in [&b""[..], b"allow", b"deny "] {
            assert!(!checked.has_body(other), "{other:?}");
        }
        for (key, address, method, path) in [
            (key("b"), "http://10.0.0.5:8000", "POST", "/api/x?y=1"),
            (key("a"), "http://10.0.0.5:8001", "POST", "/api/x?y=1"),
            (key("a"), "http://10.0.0.6:8000", "POST", "/api/x?y=1"),
            (key("a"), "http://10.0.0.5:8000", "GET", "/api/x?y=1"),
            (key("a"), "http://10.0.0.5:8000", "POST", "/api/x?y=2"),
        ] {
            let refused = key.verify(&signed, &url(address), method, path);
            assert!(refused.is_err(), "{address} {method} {path}");
        }
        let digest_of_another = signed.replace(&digest(b"deny"), &digest(b"allow"));
        for wrong in [
            "",
            "v2",
            "v2 0 owner n http://10.0.0.5:8000 b m",
            &format!("{signed} more"),
            &signed.replace("owner", "other"),
            &signed.replace(":8000", ":8001"),
            &digest_of_another,
        ] {
            let refused = key("a").verify(wrong, &own, "POST", "/api/x?y=1");
            assert!(refused.is_err(), "{wrong}");
        }
        // A request that was signed long ago is refused.
        let old = key("a").sign_at(1000, request);
        let refused = key("a").verify(&old, &own, "POST", "/api/x?y=1");
        assert!(refused.unwrap_err().contains("clocks"));
        // The sender has signed the request with its own clock, which is an hour ahead.
        let ahead = key("a").sign_at(now() + 3600, request);
        let refused = key("a").verify(&ahead, &own, "POST", "/api/x?y=1");
        assert!(refused.unwrap_err().contains("clocks"));
        let at = key("a").verify_at_any_time(&ahead, &own, "POST", "/api/x?y=1");
        assert!(at.is_ok_and(|(signed, at)| signed.to == "owner" && at > now() + 3500));
    }

    #[test]
    fn a_sender_is_signed_and_cannot_be_added_changed_or_removed() {
        let own = url("http://10.0.0.5:8000");
        let request = ToSign {
            to: "owner",
            address: &own,
            method: "POST",
            path: "/api/x",
            body: b"allow",
            sender: None,
        };
        let sender = Some("bo.view");
        let of = |sender| key("a").sign(ToSign { sender, ..request });
        let verified = |signed: &str| {
            let checked = key("a").verify(signed, &own, "POST", "/api/x");
            checked.map(|it| it.sender.map(str::to_owned))
        };
        let (none, named) = (of(None), of(sender));
        assert_eq!(verified(&none), Ok(None));
        assert_eq!(verified(&named), Ok(sender.map(str::to_owned)));
        let mac = |signed: &str| signed.rsplit_once(' ').unwrap().1.to_owned();
        let before_mac = |signed: &str| signed.rsplit_once(' ').unwrap().0.to_owned();
        for wrong in [
            named.replace("bo.view", "bo.own"),
            named.replace(" bo.view", ""),
            named.replace(" bo.view", "").replace("v3", "v2"),
            named.replace("bo.view", ""),
            named.replace("v3", "v2"),
            none.replace("v2", "v3"),
            format!(
                "{} bo.own {}",
                before_mac(&none).replace("v2", "v3"),
                mac(&none)
            ),
            // This name contains a space, which separates the parts of the signed text.
            of(Some("bo own")),
            of(Some("")),
        ] {
            assert!(verified(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_host_proves_that_it_has_the_key() {
        let own = url("http://10.0.0.5");
        let signed = key("a").sign(ToSign {
            to: "owner",
            address: &own,
            method: "GET",
            path: "/",
            body: b"",
            sender: None,
        });
        let proof = key("a").prove(&signed, 1000);
        assert_eq!(key("a").proven_time(&signed, &proof), Some(1000));
        let of_another = key("b").prove(&signed, 1000);
        let of_another_time = proof.replace("1000", "1001");
        for wrong in ["", "1000", "1000 ", &of_another, &of_another_time] {
            assert_eq!(key("a").proven_time(&signed, wrong), None, "{wrong}");
        }
        assert!(ClusterKey::new("short").is_none());
        assert!(!format!("{:?}", key("a")).contains("aaa"));
    }
}
