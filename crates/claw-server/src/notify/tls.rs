//! TLS connections to receivers.

/// The implementation where the TLS library is available.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod there {
    use std::sync::Arc;

    use rustls::pki_types::ServerName;
    use rustls::{ClientConfig, RootCertStore};
    use tokio::net::TcpStream;
    use tokio_rustls::TlsConnector;
    use tokio_rustls::client::TlsStream;

    /// Opens TLS connections that trust the system's root certificates.
    #[derive(Clone)]
    pub(crate) struct Tls(TlsConnector);

    impl Tls {
        /// Reads the system's root certificates.
        ///
        /// # Errors
        ///
        /// Fails with the reason why TLS is not available.
        pub(crate) fn new() -> Result<Self, String> {
            if !can_encrypt() {
                return Err("the processor lacks instructions that the TLS library needs (AES, AVX2, ADX, BMI2, on ARM AES \
                    and SHA2)"
                    .to_owned());
            }
            let mut roots = RootCertStore::empty();
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if roots.is_empty() {
                let text = "the system has no root certificates: install them, or name a file with SSL_CERT_FILE";
                return Err(text.to_owned());
            }
            let provider = Arc::new(rustls_graviola::default_provider());
            let config = ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .map_err(|error| error.to_string())?
                .with_root_certificates(roots)
                .with_no_client_auth();
            Ok(Self(TlsConnector::from(Arc::new(config))))
        }

        /// Performs the TLS handshake on a connection to this host.
        pub(crate) async fn connect(
            &self,
            host: &str,
            stream: TcpStream,
        ) -> std::io::Result<TlsStream<TcpStream>> {
            let name = ServerName::try_from(host.to_owned()).map_err(std::io::Error::other)?;
            self.0.connect(name, stream).await
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn can_encrypt() -> bool {
        use std::arch::is_x86_feature_detected as has;
        has!("aes")
            && has!("ssse3")
            && has!("avx")
            && has!("avx2")
            && has!("adx")
            && has!("bmi2")
            && has!("pclmulqdq")
    }

    #[cfg(target_arch = "aarch64")]
    fn can_encrypt() -> bool {
        use std::arch::is_aarch64_feature_detected as has;
        has!("aes") && has!("sha2") && has!("pmull") && has!("neon")
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod there {
    use tokio::net::TcpStream;

    /// Has no values, because TLS is not available on this architecture.
    #[derive(Clone)]
    pub(crate) enum Tls {}

    impl Tls {
        pub(crate) fn new() -> Result<Self, String> {
            Err("this build has no TLS: its library is for x86-64 and 64-bit ARM".to_owned())
        }

        #[expect(clippy::unused_async, reason = "it is where there is TLS")]
        pub(crate) async fn connect(&self, _: &str, _: TcpStream) -> std::io::Result<TcpStream> {
            match *self {}
        }
    }
}

pub(crate) use there::Tls;

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}
