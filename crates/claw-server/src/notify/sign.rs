//! Signatures according to Standard Webhooks: <https://www.standardwebhooks.com>.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Returns the headers that sign a message with this body. The signature includes the current time.
pub(super) fn headers(secret: &str, id: &str, body: &[u8]) -> [(&'static str, String); 3] {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs()).to_string();
    let signature = sign(secret, id, &now, body);
    [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", now),
        ("webhook-signature", format!("v1,{signature}")),
    ]
}

/// Returns the key of a secret. If the secret begins with `whsec_` and base64 follows, the key is the decoded base64.
/// Otherwise the key is the text itself.
fn key(secret: &str) -> Vec<u8> {
    let coded = secret.strip_prefix("whsec_");
    let decoded = coded.and_then(|coded| STANDARD.decode(coded).ok());
    decoded.unwrap_or_else(|| secret.as_bytes().to_vec())
}

fn sign(secret: &str, id: &str, timestamp: &str, body: &[u8]) -> String {
    // This cannot fail, because HMAC accepts keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key(secret)) else {
        return String::new();
    };
    for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
        mac.update(part);
    }
    STANDARD.encode(mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    /// The values come from an example in the libraries of the Standard Webhooks specification.
    #[test]
    fn a_signature_is_that_of_the_standard() {
        let signature = super::sign(
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            "1614265330",
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(signature, "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }
}
