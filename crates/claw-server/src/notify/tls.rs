//! TLS connections to receivers.

use std::sync::Arc;

use rustls::pki_types::ServerName;
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
        let config = claw_tls::client_config().map_err(|error| error.to_string())?;
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

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}
