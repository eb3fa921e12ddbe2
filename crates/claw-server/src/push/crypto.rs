//! Encrypts messages for one browser (RFC 8291), and identifies the server to push services (RFC 8292).

use std::io;
use std::path::Path;

pub(super) use there::{VapidKey, encrypt};

/// The reason why the server has no key for push services.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeyError {
    #[error("the key of the server for push services: {0}")]
    File(#[from] io::Error),
    #[error("{0}")]
    Crypto(&'static str),
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod there {
    use std::fs;
    use std::io::Write as _;
    use std::time::{SystemTime, UNIX_EPOCH};

    use axum::http::Uri;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
    use claw_client::transport::create_private_file;
    use graviola::aead::AesGcm;
    use graviola::hashing::Sha256;
    use graviola::hashing::hmac::Hmac;
    use graviola::key_agreement::p256::{PrivateKey, PublicKey};
    use graviola::signing::ecdsa::{P256, SigningKey};
    use serde_json::json;

    use super::{KeyError, Path, io};

    /// The length of the header of an encrypted message: salt, record size, length of the key, key.
    const HEAD: usize = 16 + 4 + 1 + 65;
    /// The size of the single record of a message. Push services do not accept larger messages.
    const RECORD: u32 = 4096;
    /// Validity of a signed token, in seconds. Push services accept at most a day.
    const VALID: u64 = 12 * 60 * 60;

    /// The key that identifies the server to push services.
    pub(crate) struct VapidKey {
        key: SigningKey<P256>,
        public: [u8; 65],
    }

    impl std::fmt::Debug for VapidKey {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("VapidKey(***)")
        }
    }

    impl VapidKey {
        /// Reads the key from this file. If the file does not exist, creates it with a new key. Only the server's user can read
        /// the file.
        pub(crate) fn open(file: &Path) -> Result<Self, KeyError> {
            if !graviola::util::is_cpu_supported() {
                return Err(KeyError::Crypto(
                    "the processor lacks instructions that encryption needs",
                ));
            }
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder)?;
            }
            let text = match fs::read(file) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => make(file)?,
                text => text?,
            };
            let wrong =
                |_| KeyError::Crypto("the file of the server's key for push services has none");
            let key = SigningKey::<P256>::from_pkcs8_der(&text).map_err(wrong)?;
            let public = key.private_key.public_key_uncompressed();
            Ok(Self { key, public })
        }

        /// Returns the public key, in the form that browsers need.
        pub(crate) fn public(&self) -> String {
            BASE64.encode(self.public)
        }

        /// Returns the value of the header `Authorization` for a request to this endpoint. `subject` is the contact that the
        /// push service receives.
        pub(crate) fn authorization(
            &self,
            endpoint: &str,
            subject: &str,
        ) -> Result<String, &'static str> {
            let uri: Uri = endpoint.parse().map_err(|_| "no address")?;
            let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
                return Err("no address");
            };
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let until = now.map_or(0, |now| now.as_secs()) + VALID;
            let claims =
                json!({"aud": format!("{scheme}://{authority}"), "exp": until, "sub": subject});
            let head = BASE64.encode(br#"{"typ":"JWT","alg":"ES256"}"#);
            let signed = format!("{head}.{}", BASE64.encode(claims.to_string()));
            let mut signature = [0; 64];
            let signature = self
                .key
                .sign::<Sha256>(&[signed.as_bytes()], &mut signature)
                .map_err(|_| "no signature")?;
            let signature = BASE64.encode(signature);
            Ok(format!("vapid t={signed}.{signature}, k={}", self.public()))
        }
    }

    /// Creates a key and its file. If several servers do this at once, all of them use the key of the first one.
    fn make(file: &Path) -> Result<Vec<u8>, KeyError> {
        let none = |_| KeyError::Crypto("no key can be made");
        let key = SigningKey::<P256>::generate().map_err(none)?;
        let mut buffer = [0; 512];
        let text = key.to_pkcs8_der(&mut buffer).map_err(none)?;
        let new = file.with_extension(uuid::Uuid::new_v4().to_string());
        let mut written = create_private_file(&new)?;
        written.write_all(text)?;
        written.sync_all()?;
        // The link cannot be created if another server has already created the file. Then that server's key is used.
        let linked = fs::hard_link(&new, file);
        fs::remove_file(&new)?;
        match linked {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error.into()),
            _ => Ok(fs::read(file)?),
        }
    }

    fn hmac(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
        let mut hmac = Hmac::<Sha256>::new(key);
        for part in parts {
            hmac.update(part);
        }
        let mut out = [0; 32];
        out.copy_from_slice(hmac.finish().as_ref());
        out
    }

    /// Encrypts a message for the browser with this key and secret.
    pub(crate) fn encrypt(
        message: &[u8],
        key: &[u8],
        auth: &[u8],
    ) -> Result<Vec<u8>, &'static str> {
        let device = PublicKey::from_x962_uncompressed(key).map_err(|_| "no key of a browser")?;
        let own = PrivateKey::new_random().map_err(|_| "no random numbers")?;
        let public = own.public_key_uncompressed();
        let shared = own
            .diffie_hellman(&device)
            .map_err(|_| "no key of a browser")?;
        let mut salt = [0; 16];
        graviola::random::fill(&mut salt).map_err(|_| "no random numbers")?;
        // This is HKDF (RFC 5869). Each output fits into one block, so one HMAC is enough for each output.
        let of_both = hmac(auth, &[&shared.0]);
        let input = hmac(&of_both, &[b"WebPush: info\0", key, &public, &[1]]);
        let pseudo = hmac(&salt, &[&input]);
        let content_key = hmac(&pseudo, &[b"Content-Encoding: aes128gcm\0", &[1]]);
        let nonce = hmac(&pseudo, &[b"Content-Encoding: nonce\0", &[1]]);
        let mut first = [0; 12];
        first.copy_from_slice(&nonce[..12]);
        // The byte 2 marks the last record. The message has only this record.
        let mut text = [message, &[2]].concat();
        if text.len() + 16 > RECORD as usize - HEAD {
            return Err("too long");
        }
        let mut tag = [0; 16];
        AesGcm::new(&content_key[..16]).encrypt(&first, &[], &mut text, &mut tag);
        Ok([
            &salt[..],
            &RECORD.to_be_bytes(),
            &[65],
            &public,
            &text,
            &tag,
        ]
        .concat())
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod there {
    use super::{KeyError, Path};

    /// Has no values, because encryption is not available on this architecture.
    #[derive(Debug)]
    pub(crate) enum VapidKey {}

    impl VapidKey {
        pub(crate) fn open(_: &Path) -> Result<Self, KeyError> {
            Err(KeyError::Crypto(
                "this build cannot encrypt: its library is for x86-64 and 64-bit ARM",
            ))
        }

        pub(crate) fn public(&self) -> String {
            match *self {}
        }

        pub(crate) fn authorization(&self, _: &str, _: &str) -> Result<String, &'static str> {
            match *self {}
        }
    }

    pub(crate) fn encrypt(_: &[u8], _: &[u8], _: &[u8]) -> Result<Vec<u8>, &'static str> {
        Err("this build cannot encrypt")
    }
}
