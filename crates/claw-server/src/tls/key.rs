//! Private P-256 keys that sign.

pub(super) use there::{Key, random};

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod there {
    use graviola::Error;
    use graviola::hashing::Sha256;
    use graviola::signing::ecdsa::{P256, SigningKey};

    /// A private key. Callers create it only after a check that the processor has the needed instructions.
    pub(crate) struct Key(SigningKey<P256>);

    impl Key {
        pub(crate) fn generate() -> Result<Self, Error> {
            SigningKey::generate().map(Self)
        }

        /// Reads a key from PKCS#8 in DER.
        pub(crate) fn from_pkcs8(der: &[u8]) -> Result<Self, Error> {
            SigningKey::from_pkcs8_der(der).map(Self)
        }

        /// Returns the key as PKCS#8 in DER.
        pub(crate) fn pkcs8(&self) -> Result<Vec<u8>, Error> {
            let mut buffer = [0; 512];
            self.0.to_pkcs8_der(&mut buffer).map(<[u8]>::to_vec)
        }

        /// Returns the public key, as a `SubjectPublicKeyInfo` in DER.
        pub(crate) fn public(&self) -> Result<Vec<u8>, Error> {
            let mut buffer = [0; 256];
            self.0.to_spki_der(&mut buffer).map(<[u8]>::to_vec)
        }

        /// Returns the ECDSA signature of a message with SHA-256, in DER.
        pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
            let mut buffer = [0; 128];
            let signature = self.0.sign_asn1::<Sha256>(&[message], &mut buffer);
            signature.map(<[u8]>::to_vec)
        }
    }

    /// Returns random bytes.
    pub(crate) fn random() -> Result<[u8; 16], Error> {
        let mut bytes = [0; 16];
        graviola::random::fill(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod there {
    use claw_tls::TlsError;

    /// Has no values, because there is no cryptography for this architecture.
    pub(crate) enum Key {}

    impl Key {
        pub(crate) fn generate() -> Result<Self, TlsError> {
            Err(TlsError::Processor)
        }

        pub(crate) fn from_pkcs8(_: &[u8]) -> Result<Self, TlsError> {
            Err(TlsError::Processor)
        }

        pub(crate) fn pkcs8(&self) -> Result<Vec<u8>, TlsError> {
            match *self {}
        }

        pub(crate) fn public(&self) -> Result<Vec<u8>, TlsError> {
            match *self {}
        }

        pub(crate) fn sign(&self, _: &[u8]) -> Result<Vec<u8>, TlsError> {
            match *self {}
        }
    }

    pub(crate) fn random() -> Result<[u8; 16], TlsError> {
        Err(TlsError::Processor)
    }
}
