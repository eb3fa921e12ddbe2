//! TLS for the connections of the server.

mod authority;
mod certificate;
mod files;
mod key;
pub(crate) mod plain;

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use claw_tls::TlsError;
use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

pub use authority::Authority;
use certificate::Name;
use files::Files;

/// The minimum interval between two checks whether a certificate has changed or must be replaced.
const CHECKED: Duration = Duration::from_secs(1);
/// The maximum number of names in a certificate that an authority of this machine signs.
const MOST_NAMES: usize = 64;
/// The age at which a certificate that the authority of this machine has signed is replaced.
const RENEWED: Duration = Duration::from_hours(24 * 7);

/// The TLS of a server: its certificates and their keys. The server accepts TLS 1.2 and 1.3. Clones share the certificates.
///
/// The server does not verify its certificates. Clients verify them.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    certificates: Arc<Certificates>,
    provider: Arc<CryptoProvider>,
}

/// The reason why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsSetupError {
    /// A file cannot be read or written.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        #[source]
        error: io::Error,
    },
    /// The contents of a file are invalid.
    #[error("{}: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The reason, as a phrase.
        reason: String,
    },
    /// The authority of this machine cannot sign for this name. The name is not a private address, and not a name or address
    /// for which the authority was created.
    #[error(
        "{}: this authority is not for {name}: remove the file for a new one, which each device has to trust again",
        path.display()
    )]
    Name {
        /// The file of the authority.
        path: PathBuf,
        /// The name.
        name: String,
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
    /// Reads a certificate and its key from these files, in PEM. The certificate is followed by those of the authorities
    /// between it and the root. Other users must not be able to read the file of the key.
    ///
    /// When the files change, new connections use their new contents within a second. While the new contents are invalid, the
    /// server uses the previous certificate, and logs the reason.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, if it contains no valid certificate or key, or if the key belongs to another
    /// certificate.
    pub fn open(
        certificate: impl AsRef<Path>,
        key: impl AsRef<Path>,
    ) -> Result<Self, TlsSetupError> {
        let provider = Arc::new(claw_tls::provider()?);
        let files = Files::new(certificate.as_ref(), key.as_ref());
        Self::new(
            vec![(None, Slot::new(Source::Files(files), &provider)?)],
            provider,
        )
    }

    /// Uses certificates that this authority signs for these names and IP addresses, for `localhost` and for the loopback
    /// addresses. The certificates and their keys are only in memory. A certificate is valid for 30 days. The server replaces
    /// it after a week, and when a client connects to another private address of this machine.
    ///
    /// On a connection without TLS, the server shows a page with the steps to trust the authority, and serves the authority's
    /// certificate.
    ///
    /// # Errors
    ///
    /// Fails if the authority does not [permit](Authority::permits) a name.
    pub fn local<'a>(
        authority: Authority,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, TlsSetupError> {
        let provider = Arc::new(claw_tls::provider()?);
        let names = names.into_iter().chain(["localhost", "127.0.0.1", "::1"]);
        let names = authority.names(names, &provider)?;
        let source = Source::Local(Arc::new(authority), Mutex::new(names));
        Self::new(vec![(None, Slot::new(source, &provider)?)], provider)
    }

    /// Uses the certificate in these files for clients that request this server name. The files are read as by
    /// [`open`](Self::open).
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`open`](Self::open).
    pub fn named(
        self,
        name: &str,
        certificate: impl AsRef<Path>,
        key: impl AsRef<Path>,
    ) -> Result<Self, TlsSetupError> {
        let files = Files::new(certificate.as_ref(), key.as_ref());
        let slot = Slot::new(Source::Files(files), &self.provider)?;
        let mut slots = self.certificates.0.clone();
        slots.insert(0, (Some(name.to_ascii_lowercase()), slot));
        Self::new(slots, self.provider)
    }

    fn new(slots: Slots, provider: Arc<CryptoProvider>) -> Result<Self, TlsSetupError> {
        let certificates = Arc::new(Certificates(slots));
        let mut config = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            // This cannot fail, because the provider has cipher suites for both versions of TLS.
            .map_err(|_| TlsError::Processor)?
            .with_no_client_auth()
            .with_cert_resolver(certificates.clone());
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            certificates,
            provider,
        })
    }

    /// Returns the authority of this machine. Returns `None` if it signs no certificate of this server.
    pub(crate) fn authority(&self) -> Option<&Arc<Authority>> {
        let mut slots = self.certificates.0.iter();
        slots.find_map(|(_, slot)| match &slot.source {
            Source::Local(authority, _) => Some(authority),
            Source::Files(_) => None,
        })
    }

    /// Performs the handshake of a connection. `own` is the address of this machine that the client has connected to.
    pub(crate) async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
        own: Option<IpAddr>,
    ) -> io::Result<TlsStream<S>> {
        for (_, slot) in &self.certificates.0 {
            if let Some(own) = own {
                slot.add(own.to_canonical(), &self.provider);
            }
            slot.refresh(&self.provider).await;
        }
        self.acceptor.accept(stream).await
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

/// Certificates. Each is for the clients that request its server name. The last one has no name, and is for all other clients.
type Slots = Vec<(Option<String>, Arc<Slot>)>;

/// The source of a certificate.
enum Source {
    Files(Files),
    /// The authority of this machine, which signs for these names.
    Local(Arc<Authority>, Mutex<Vec<Name>>),
}

/// A certificate that may be replaced.
struct Slot {
    source: Source,
    current: RwLock<Arc<CertifiedKey>>,
    checked: Mutex<Checked>,
    /// Locked while a certificate is replaced, so that an older certificate never replaces a newer one.
    replacing: Mutex<()>,
}

struct Checked {
    at: Instant,
    /// The time at which the certificate was read or signed.
    made: SystemTime,
    /// The last problem that was logged, so that it is not logged again.
    problem: Option<String>,
}

impl Source {
    fn read(&self, provider: &CryptoProvider) -> Result<CertifiedKey, TlsSetupError> {
        match self {
            Self::Files(files) => files.read(provider),
            Self::Local(authority, names) => {
                let names = names.lock().unwrap_or_else(PoisonError::into_inner);
                authority.certify(&names, provider)
            }
        }
    }

    /// Returns whether the source may have a newer certificate than the one that was read or signed at `made`.
    fn may_be_new(&self, made: SystemTime, now: SystemTime) -> bool {
        match self {
            Self::Files(_) => true,
            // If the clock was set back, `made` may be in the future. The certificate may then not be valid yet, so it is
            // replaced.
            Self::Local(..) => now.duration_since(made).map_or(true, |age| age >= RENEWED),
        }
    }
}

impl Slot {
    fn new(source: Source, provider: &CryptoProvider) -> Result<Arc<Self>, TlsSetupError> {
        let current = source.read(provider)?;
        Ok(Arc::new(Self {
            source,
            current: RwLock::new(Arc::new(current)),
            checked: Mutex::new(Checked {
                at: Instant::now(),
                made: SystemTime::now(),
                problem: None,
            }),
            replacing: Mutex::new(()),
        }))
    }

    /// If `own` is a private address that the certificate does not contain yet, adds it and signs a new certificate.
    fn add(&self, own: IpAddr, provider: &CryptoProvider) {
        let Source::Local(_, names) = &self.source else {
            return;
        };
        {
            let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
            let is_there = names.contains(&Name::Ip(own));
            if is_there || names.len() >= MOST_NAMES || !authority::is_private(own) {
                return;
            }
            names.push(Name::Ip(own));
        }
        self.read_again(provider);
    }

    /// Reads or signs the certificate again if it may have changed. Does this at most once in [`CHECKED`].
    async fn refresh(self: &Arc<Self>, provider: &Arc<CryptoProvider>) {
        {
            let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
            let is_new = checked.at.elapsed() < CHECKED;
            if is_new || !self.source.may_be_new(checked.made, SystemTime::now()) {
                return;
            }
            checked.at = Instant::now();
        }
        let (slot, provider) = (self.clone(), provider.clone());
        let read = move || slot.read_again(&provider);
        // The call fails only if the runtime is shutting down. The error is ignored, because connections then end too.
        let _ = tokio::task::spawn_blocking(read).await;
    }

    fn read_again(&self, provider: &CryptoProvider) {
        let _replacing = self
            .replacing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let problem = match self.source.read(provider) {
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
        if problem.is_none() {
            checked.made = SystemTime::now();
        }
        checked.problem = problem;
    }
}

/// The certificates of a server.
struct Certificates(Slots);

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Certificates")
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let asked = hello.server_name();
        let is_for = |name: &str| asked.is_some_and(|asked| asked.eq_ignore_ascii_case(name));
        let mut slots = self.0.iter();
        let (_, slot) = slots.find(|(name, _)| name.as_deref().is_none_or(is_for))?;
        let current = slot.current.read().unwrap_or_else(PoisonError::into_inner);
        Some(current.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[tokio::test]
    async fn a_client_of_a_new_private_address_gets_a_certificate_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::open(folder.path(), "desk", &[]).unwrap();
        let mut roots = rustls::RootCertStore::empty();
        roots.add(authority.certificate().to_vec().into()).unwrap();
        let tls = Tls::local(authority, ["192.168.1.5"]).unwrap();
        let config = rustls::ClientConfig::builder_with_provider(tls.provider.clone());
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(roots).with_no_client_auth();
        let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
        let connect = async |own: &str, name: &str| {
            let (client, server) = tokio::io::duplex(1 << 14);
            let name = rustls::pki_types::ServerName::try_from(name.to_owned()).unwrap();
            let own = Some(own.parse().unwrap());
            let both = tokio::join!(connector.connect(name, client), tls.accept(server, own));
            both.0.is_ok()
        };
        assert!(connect("192.168.1.5", "192.168.1.5").await);
        assert!(!connect("192.168.1.5", "192.168.1.6").await);
        assert!(connect("::ffff:192.168.1.6", "192.168.1.6").await);
        // The earlier addresses stay in the certificate. Addresses that are not private are not added.
        assert!(connect("192.168.1.6", "192.168.1.5").await);
        assert!(!connect("192.0.2.1", "192.0.2.1").await);
        assert!(connect("fd00::1", "fd00::1").await);
        let Source::Local(_, names) = &tls.certificates.0[0].1.source else {
            panic!("it is local");
        };
        for last in 0..200_u8 {
            connect(&format!("10.0.0.{last}"), "10.0.0.1").await;
        }
        assert_eq!(names.lock().unwrap().len(), MOST_NAMES);
    }

    #[test]
    fn a_certificate_is_signed_again_long_before_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::open(folder.path(), "desk", &[]).unwrap();
        let source = Source::Local(Arc::new(authority), Mutex::default());
        let made = SystemTime::now();
        let day = Duration::from_hours(24);
        assert!(!source.may_be_new(made, made + 6 * day));
        assert!(source.may_be_new(made, made + 7 * day));
        assert!(source.may_be_new(made, made - day));
    }

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
        let (_, all) = &tls.certificates.0[0];
        let current = || all.current.read().unwrap().clone();
        let first = current();
        all.read_again(&tls.provider);
        assert!(Arc::ptr_eq(&current(), &first));
        // The certificate was already replaced, and its key was not. So the first certificate is still used.
        put(&certificate, "second.crt");
        all.read_again(&tls.provider);
        assert!(Arc::ptr_eq(&current(), &first));
        let problem = all.checked.lock().unwrap().problem.clone();
        assert!(problem.unwrap().contains("not that of the certificate"));
        put(&key, "second.key");
        all.read_again(&tls.provider);
        assert_ne!(current().cert, first.cert);
        assert_eq!(all.checked.lock().unwrap().problem, None);
    }
}
