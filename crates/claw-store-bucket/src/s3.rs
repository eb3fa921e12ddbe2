//! A client of S3 without C code: TLS and signatures in Rust.

use std::sync::Arc;

use claw_tls::TlsError;
use hmac::digest::{FixedOutput, Update};
use hmac::{Hmac, KeyInit as _};
use object_store::aws::AmazonS3Builder;
use object_store::client::{
    CryptoProvider, DigestAlgorithm, DigestContext, HmacContext, Signer, SigningAlgorithm,
};
use object_store::{Error, Result};
use sha2::Sha256;

/// Returns a builder of a client of S3, or of a service with its protocol. It has the settings of the usual environment
/// variables (`AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT` …), as [`AmazonS3Builder::from_env`] has. The client
/// uses TLS and signatures that need no C compiler. For TLS, this function calls [`claw_tls::install_default`].
///
/// # Errors
///
/// Fails if the processor lacks instructions that the cryptography needs.
#[cfg_attr(docsrs, doc(cfg(feature = "s3")))]
pub fn s3() -> Result<AmazonS3Builder, TlsError> {
    claw_tls::install_default()?;
    Ok(AmazonS3Builder::from_env().with_crypto_provider(Arc::new(Signatures)))
}

/// Computes the hashes with which requests are signed.
#[derive(Debug)]
struct Signatures;

impl CryptoProvider for Signatures {
    fn digest(&self, algorithm: DigestAlgorithm) -> Result<Box<dyn DigestContext>> {
        supported(&algorithm)?;
        Ok(Box::new(Hashed::of(Sha256::default())))
    }

    fn hmac(&self, algorithm: DigestAlgorithm, secret: &[u8]) -> Result<Box<dyn HmacContext>> {
        supported(&algorithm)?;
        let hmac = Hmac::<Sha256>::new_from_slice(secret).map_err(|error| Error::Generic {
            store: "S3",
            source: error.into(),
        })?;
        Ok(Box::new(Hashed::of(hmac)))
    }

    /// Always fails: S3 signs no request with a private key.
    fn sign(&self, _: SigningAlgorithm, _: &[u8]) -> Result<Box<dyn Signer>> {
        Err(unsupported("signatures with a private key"))
    }
}

fn supported(algorithm: &DigestAlgorithm) -> Result<()> {
    match algorithm {
        DigestAlgorithm::Sha256 => Ok(()),
        other => Err(unsupported(&format!("{other:?}"))),
    }
}

fn unsupported(what: &str) -> Error {
    Error::NotSupported {
        source: format!("a client of S3 without {what}").into(),
    }
}

/// A hash of bytes, with its result once it is finished.
struct Hashed<H> {
    hash: H,
    result: Vec<u8>,
}

impl<H: Update + FixedOutput + Clone> Hashed<H> {
    fn of(hash: H) -> Self {
        let result = Vec::new();
        Self { hash, result }
    }

    fn result(&mut self) -> &[u8] {
        self.result = self.hash.clone().finalize_fixed().to_vec();
        &self.result
    }
}

impl<H: Update + FixedOutput + Clone + Send> DigestContext for Hashed<H> {
    fn update(&mut self, data: &[u8]) {
        self.hash.update(data);
    }

    fn finish(&mut self) -> Result<&[u8]> {
        Ok(self.result())
    }
}

impl<H: Update + FixedOutput + Clone + Send> HmacContext for Hashed<H> {
    fn update(&mut self, data: &[u8]) {
        self.hash.update(data);
    }

    fn finish(&mut self) -> Result<&[u8]> {
        Ok(self.result())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().fold(String::new(), |mut hex, byte| {
            write!(hex, "{byte:02x}").unwrap();
            hex
        })
    }

    /// The values are those of FIPS 180-2 and of RFC 4231.
    #[test]
    fn hashes_are_those_of_the_standards() {
        let mut digest = Signatures.digest(DigestAlgorithm::Sha256).unwrap();
        digest.update(b"a");
        digest.update(b"bc");
        assert_eq!(
            hex(digest.finish().unwrap()),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        let mut hmac = Signatures.hmac(DigestAlgorithm::Sha256, b"Jefe").unwrap();
        hmac.update(b"what do ya want ");
        hmac.update(b"for nothing?");
        assert_eq!(
            hex(hmac.finish().unwrap()),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn a_request_is_signed_with_no_private_key() {
        let refused = Signatures.sign(SigningAlgorithm::RS256, b"key");
        assert!(matches!(refused, Err(Error::NotSupported { .. })));
    }
}
