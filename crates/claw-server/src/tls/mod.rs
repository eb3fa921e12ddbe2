//! TLS of the server's own connections.

mod files;
pub(crate) mod plain;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use claw_tls::TlsError;
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use files::Files;

/// How long the certificate of a handshake may be older than its files.
const CHECKED: Duration = Duration::from_secs(1);

/// The TLS of a server: its certificate, and the key of the certificate. Versions 1.2 and 1.3 of TLS are accepted.
/// Clones share the certificate.
///
/// The certificate is not verified: clients do so.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    certificates: Arc<Certificates>,
}

/// The reason why there is no TLS.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsSetupError {
    /// A file cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        error: io::Error,
    },
    /// A file is not what it has to be.
    #[error("{}: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The reason, as a phrase.
        reason: String,
    },
    /// There is no cryptography for this processor.
    #[error(transparent)]
    Unavailable(#[from] TlsError),
}

impl TlsSetupError {
    fn invalid(path: &Path, reason: &(impl ToString + ?Sized)) -> Self {
        Self::Invalid {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

impl Tls {
    /// Reads the certificate, followed by those of the authorities between it and the root, and its key from these files
    /// in PEM. Other users must not be able to read the file of the key.
    ///
    /// When the files change, new connections use their new contents within a second. As long as these are invalid, the
    /// certificate before them is used, and the log has the reason.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, has nothing that is valid, or if the key belongs to another certificate.
    pub fn open(
        certificate: impl AsRef<Path>,
        key: impl AsRef<Path>,
    ) -> Result<Self, TlsSetupError> {
        let provider = Arc::new(claw_tls::provider()?);
        let files = Files::new(certificate.as_ref(), key.as_ref());
        let certificates = Certificates::new(files, provider.clone())?;
        Self::new(certificates, provider)
    }

    fn new(
        certificates: Certificates,
        provider: Arc<CryptoProvider>,
    ) -> Result<Self, TlsSetupError> {
        let certificates = Arc::new(certificates);
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            // The provider has cipher suites for both versions.
            .map_err(|_| TlsError::Processor)?
            .with_no_client_auth()
            .with_cert_resolver(certificates.clone());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            certificates,
        })
    }

    /// Performs the handshake of a connection.
    pub(crate) async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
    ) -> io::Result<TlsStream<S>> {
        self.certificates.refresh().await;
        self.acceptor.accept(stream).await
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

/// The current certificate, and where it comes from.
struct Certificates {
    files: Files,
    provider: Arc<CryptoProvider>,
    current: RwLock<Arc<CertifiedKey>>,
    checked: Mutex<Checked>,
}

struct Checked {
    at: Instant,
    /// The problem that the log has.
    problem: Option<String>,
}

impl Certificates {
    fn new(files: Files, provider: Arc<CryptoProvider>) -> Result<Self, TlsSetupError> {
        let current = files.read(&provider)?;
        Ok(Self {
            files,
            provider,
            current: RwLock::new(Arc::new(current)),
            checked: Mutex::new(Checked {
                at: Instant::now(),
                problem: None,
            }),
        })
    }

    /// Reads the files again, at most once in [`CHECKED`].
    async fn refresh(self: &Arc<Self>) {
        {
            let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
            if checked.at.elapsed() < CHECKED {
                return;
            }
            checked.at = Instant::now();
        }
        let all = self.clone();
        let read = move || all.read_again();
        // The runtime ends.
        let _ = tokio::task::spawn_blocking(read).await;
    }

    fn read_again(&self) {
        let problem = match self.files.read(&self.provider) {
            Ok(new) => {
                let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
                if current.cert != new.cert {
                    *current = Arc::new(new);
                }
                None
            }
            Err(error) => Some(error.to_string()),
        };
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(problem) = problem.as_ref().filter(|_| checked.problem != problem) {
            tracing::warn!("the certificate stays as it was: {problem}");
        }
        checked.problem = problem;
    }
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Certificates")
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        Some(current.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn test_file(name: &str) -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/tls");
        folder.join(name)
    }

    #[test]
    fn a_certificate_stays_until_there_is_another_one_with_its_key() {
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = (folder.path().join("crt"), folder.path().join("key"));
        let put = |path: &Path, name: &str| {
            let mut file = claw_client::transport::create_private_file(path).unwrap();
            io::Write::write_all(&mut file, &fs::read(test_file(name)).unwrap()).unwrap();
        };
        put(&certificate, "first.crt");
        put(&key, "first.key");
        let tls = Tls::open(&certificate, &key).unwrap();
        let all = &tls.certificates;
        let current = || all.current.read().unwrap().clone();
        let first = current();
        all.read_again();
        assert!(Arc::ptr_eq(&current(), &first));
        // In the middle of a renewal.
        put(&certificate, "second.crt");
        all.read_again();
        assert!(Arc::ptr_eq(&current(), &first));
        let problem = all.checked.lock().unwrap().problem.clone();
        assert!(problem.unwrap().contains("not that of the certificate"));
        put(&key, "second.key");
        all.read_again();
        assert_ne!(current().cert, first.cert);
        assert_eq!(all.checked.lock().unwrap().problem, None);
    }
}
