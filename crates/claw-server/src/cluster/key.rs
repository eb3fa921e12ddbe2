//! The key that the hosts of a store share, and what is signed with it.

use std::fmt::{self, Write as _};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::guard::is_same;

/// The shortest key, in characters.
const SHORTEST: usize = 32;
/// How far the clocks of two hosts may differ, with the time of the way.
pub(super) const SKEW: Duration = Duration::from_mins(1);

/// A signed request from another host. Its signature was checked and is valid.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignedRequest<'a> {
    /// The ID of the host to which the request is addressed: the ID of the owner in whose name that host claims
    /// sessions.
    pub to: &'a str,
    /// A number that no other request has. A receiver that remembers it can refuse a copy of the request.
    pub nonce: u128,
}

/// The secret key that the hosts of a store share. They sign their requests to each other with it. `Debug` does not
/// show it.
#[derive(Clone)]
pub struct ClusterKey(String);

impl ClusterKey {
    /// Creates a key from a text. Returns `None` if it has fewer than 32 characters, or characters other than visible
    /// ASCII.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let text = text.into();
        let is_fit = text.len() >= SHORTEST && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_fit.then_some(Self(text))
    }

    /// Signs a request to the owner `to`.
    pub fn sign(&self, to: &str, method: &str, path: &str) -> String {
        self.sign_at(now(), to, method, path)
    }

    /// Signs a request to the owner `to` at a time of the owner's clock.
    pub(super) fn sign_at(&self, at: u64, to: &str, method: &str, path: &str) -> String {
        let nonce = uuid::Uuid::new_v4().simple().to_string();
        let at = at.to_string();
        let mac = self.mac(["request", &at, to, &nonce, method, path]);
        format!("v1 {at} {to} {nonce} {mac}")
    }

    /// Checks the signature of a request from another host. `signed` is what [`sign`](Self::sign) returned on that
    /// host.
    ///
    /// # Errors
    ///
    /// Fails if the signature was made with another key or for another request, or if its time differs from this host's
    /// clock by more than a minute. The error gives the reason.
    pub fn verify<'a>(
        &self,
        signed: &'a str,
        method: &str,
        path: &str,
    ) -> Result<SignedRequest<'a>, &'static str> {
        let (signed, at) = self.verify_at_any_time(signed, method, path)?;
        if at.abs_diff(now()) > SKEW.as_secs() {
            return Err("the clocks of the hosts differ by more than a minute");
        }
        Ok(signed)
    }

    /// Checks all of a signature but its time, and returns that.
    pub(super) fn verify_at_any_time<'a>(
        &self,
        signed: &'a str,
        method: &str,
        path: &str,
    ) -> Result<(SignedRequest<'a>, u64), &'static str> {
        let mut parts = signed.split(' ');
        let mut next = || parts.next().unwrap_or_default();
        let [form, at, to, nonce, mac] = [next(), next(), next(), next(), next()];
        let expected = self.mac(["request", at, to, nonce, method, path]);
        if form != "v1" || parts.next().is_some() || !is_same(&expected, mac) {
            return Err("the hosts do not have the same key");
        }
        let at = at.parse().map_err(|_| "the time is none")?;
        let nonce = uuid::Uuid::try_parse(nonce).map_err(|_| "the nonce is none")?;
        let nonce = nonce.as_u128();
        Ok((SignedRequest { to, nonce }, at))
    }

    /// Shows to the sender of a signed request that this host has the key too, and what its clock says.
    pub(super) fn prove(&self, signed: &str, at: u64) -> String {
        let at = at.to_string();
        let mac = self.mac(["response", signed, &at]);
        format!("{at} {mac}")
    }

    /// Signs a link or a login of a browser.
    pub(crate) fn sign_login(&self, text: &str) -> String {
        self.mac(["login", text])
    }

    /// The time of the host that has made a proof. `None` if it does not have the key.
    pub(super) fn proven_time(&self, signed: &str, proof: &str) -> Option<u64> {
        let (at, _) = proof.split_once(' ')?;
        let at = at.parse().ok()?;
        is_same(&self.prove(signed, at), proof).then_some(at)
    }

    fn mac<const N: usize>(&self, parts: [&str; N]) -> String {
        // HMAC takes keys of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()) else {
            return String::new();
        };
        for part in parts {
            // No part has a line end: they come from a request line and a header.
            mac.update(part.as_bytes());
            mac.update(b"\n");
        }
        let bytes = mac.finalize().into_bytes();
        let mut digits = String::with_capacity(64);
        for byte in bytes {
            let _ = write!(digits, "{byte:02x}");
        }
        digits
    }
}

/// In seconds since 1970.
pub(super) fn now() -> u64 {
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

    #[test]
    fn a_request_is_signed_for_one_host_method_and_path() {
        let signed = key("a").sign("owner", "POST", "/api/x?y=1");
        let checked = key("a").verify(&signed, "POST", "/api/x?y=1");
        assert_eq!(checked.map(|signed| signed.to), Ok("owner"));
        for (key, method, path) in [
            (key("b"), "POST", "/api/x?y=1"),
            (key("a"), "GET", "/api/x?y=1"),
            (key("a"), "POST", "/api/x?y=2"),
        ] {
            assert!(key.verify(&signed, method, path).is_err());
        }
        let other = signed.replace("owner", "other");
        assert!(key("a").verify(&other, "POST", "/api/x?y=1").is_err());
        for wrong in ["", "v1", "v1 0 owner n m", &format!("{signed} more")] {
            assert!(key("a").verify(wrong, "POST", "/api/x?y=1").is_err());
        }
        // Signed long ago.
        let mac = key("a").mac(["request", "1000", "owner", "n", "GET", "/"]);
        let old = format!("v1 1000 owner n {mac}");
        let refused = key("a").verify(&old, "GET", "/");
        assert!(refused.is_err(), "{refused:?}");
        // By the clock of the owner, which is an hour ahead.
        let ahead = key("a").sign_at(now() + 3600, "owner", "GET", "/");
        let refused = key("a").verify(&ahead, "GET", "/").unwrap_err();
        assert!(refused.contains("clocks"), "{refused}");
        let at = key("a").verify_at_any_time(&ahead, "GET", "/");
        assert!(at.is_ok_and(|(signed, at)| signed.to == "owner" && at > now() + 3500));
    }

    #[test]
    fn a_host_proves_that_it_has_the_key() {
        let signed = key("a").sign("owner", "GET", "/");
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
