#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};

/// The reason why TLS is not available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The processor lacks instructions that the cryptography needs.
    #[error(
        "the processor lacks instructions that the TLS library needs (AES, AVX2, ADX, BMI2, on ARM AES and SHA2)"
    )]
    Processor,
    /// The system has no root certificates, and the file that `SSL_CERT_FILE` names has none.
    #[error("the system has no root certificates: install them, or name a file with SSL_CERT_FILE")]
    NoRoots,
}

/// Returns the configuration of a client. It trusts the root certificates of the system, or those in the file that
/// `SSL_CERT_FILE` names, verifies the name of the server, and presents no certificate. Reads the certificates at each
/// call.
///
/// # Errors
///
/// Fails if the processor lacks instructions, or if there are no root certificates.
pub fn client_config() -> Result<ClientConfig, TlsError> {
    let provider = provider()?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(TlsError::NoRoots);
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(provider));
    // The provider has cipher suites for both versions.
    let builder = builder
        .with_safe_default_protocol_versions()
        .map_err(|_| TlsError::Processor)?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Sets the cryptography that rustls uses in this process where a configuration names none, for libraries that make
/// their configuration themselves. If the process has one already, it is kept.
///
/// # Errors
///
/// Fails if the processor lacks instructions.
pub fn install_default() -> Result<(), TlsError> {
    if CryptoProvider::get_default().is_none() {
        // Another thread can have set one meanwhile, which is kept too.
        let _ = provider()?.install_default();
    }
    Ok(())
}

/// Returns the cryptography, for a configuration that a program makes itself, such as that of a server.
///
/// # Errors
///
/// Fails if the processor lacks instructions.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub fn provider() -> Result<CryptoProvider, TlsError> {
    if graviola::util::is_cpu_supported() {
        Ok(rustls_graviola::default_provider())
    } else {
        Err(TlsError::Processor)
    }
}

/// Returns the cryptography, for a configuration that a program makes itself, such as that of a server.
///
/// # Errors
///
/// Always fails on this processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn provider() -> Result<CryptoProvider, TlsError> {
    Err(TlsError::Processor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_set_once_and_kept() {
        install_default().unwrap();
        let first = CryptoProvider::get_default().unwrap().clone();
        install_default().unwrap();
        let second = CryptoProvider::get_default().unwrap();
        assert!(Arc::ptr_eq(&first, second));
    }
}
