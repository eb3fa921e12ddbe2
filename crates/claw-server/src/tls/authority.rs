//! The certificate authority of one machine. It signs the certificates of the machine's servers. A device that trusts the
//! authority accepts all these certificates.

use std::fmt;
use std::fs;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use claw_client::transport::create_private_file;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier as _;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use rustls::{CertificateError, RootCertStore};
use sha2::{Digest as _, Sha256};

use super::certificate::{self, Fields, Name, Own, Permitted, Purpose};
use super::key::Key;
use super::{TlsSetupError, files};
use crate::iso_time;

const DAY: Duration = Duration::from_hours(24);
/// The validity of an authority's certificate.
const VALID: Duration = Duration::from_hours(24 * 3650);
/// An authority that expires within this time is replaced when a server starts.
const RENEWED: Duration = Duration::from_hours(24 * 90);
/// The validity of a server's certificate. Devices accept at most 398 days.
const LEAF_VALID: Duration = Duration::from_hours(24 * 30);
/// The reason why a damaged file of an authority is refused.
const NO_AUTHORITY: &str = "it has no key with the certificate of an authority: remove the file for a new authority, which \
    each device has to trust again";
/// The maximum length of the machine's name within the name of the authority.
const LONGEST_NAME: usize = 32;

/// The private addresses, which no machine on the internet has. Every authority may sign for them.
const PRIVATE: &[(IpAddr, u32)] = &[
    (IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0)), 8),
    (IpAddr::V4(Ipv4Addr::new(172, 16, 0, 0)), 12),
    (IpAddr::V4(Ipv4Addr::new(192, 168, 0, 0)), 16),
    (IpAddr::V4(Ipv4Addr::new(169, 254, 0, 0)), 16),
    // Carriers use these addresses for their networks. Tailscale uses them too.
    (IpAddr::V4(Ipv4Addr::new(100, 64, 0, 0)), 10),
    (IpAddr::V4(Ipv4Addr::new(127, 0, 0, 0)), 8),
    (IpAddr::V6(Ipv6Addr::LOCALHOST), 128),
    (IpAddr::V6(Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0)), 7),
    (IpAddr::V6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0)), 10),
];

/// The authority of a machine. A device that trusts the authority's certificate accepts the certificates that the authority
/// signs for the servers of this machine. The authority's own certificate limits the names for which devices accept this:
/// private addresses, further addresses of the machine, `localhost`, and the machine's name below `local`.
///
/// The key is only in a file that only the user can read, and in the memory of servers.
pub struct Authority {
    key: Key,
    certificate: CertificateDer<'static>,
    own: Own,
    file: PathBuf,
}

impl Authority {
    /// Reads the authority from the file `authority.pem` in this folder. If there is no such file, creates an authority that is
    /// valid for ten years. If the authority is valid for less than 90 days, replaces it by a new one, and keeps the old one in
    /// `authority.old.pem`. `machine` is the machine's name. `addresses` are further addresses for which a new authority may
    /// sign. The file `authority.crt` contains only the certificate, for programs that must trust it. If the folder does not
    /// exist, creates it so that only this user has access.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or written, if `authority.pem` contains no authority, or if this file belongs to another
    /// user or other users can read it. Also fails if the folder belongs to another user, or if other users can change it.
    pub fn open(
        folder: impl AsRef<Path>,
        machine: &str,
        addresses: &[IpAddr],
    ) -> Result<Self, TlsSetupError> {
        claw_tls::provider()?;
        let folder = folder.as_ref();
        files::private_folder(folder).map_err(|error| unwritten(folder, error))?;
        let file = folder.join("authority.pem");
        let opened = match Self::read(&file) {
            Err(TlsSetupError::Read { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                Self::make(&file, machine, addresses, false)
            }
            Ok(old) if old.own.until < SystemTime::now() + RENEWED => {
                tracing::warn!(
                    "the authority of this machine ends soon: devices have to trust the next one"
                );
                Self::make(&file, machine, addresses, true)
            }
            there => there,
        }?;
        let text = pem("CERTIFICATE", &opened.certificate);
        let public = file.with_extension("crt");
        if fs::read(&public).ok().as_deref() != Some(text.as_bytes()) {
            fs::write(&public, text).map_err(|error| unwritten(&public, error))?;
        }
        Ok(opened)
    }

    fn read(file: &Path) -> Result<Self, TlsSetupError> {
        let text = files::read(file, files::is_of_user)?;
        let invalid = || TlsSetupError::invalid(file, NO_AUTHORITY);
        let key = PrivateKeyDer::from_pem_slice(&text).map_err(|_| invalid())?;
        let key = Key::from_pkcs8(key.secret_der()).map_err(|_| invalid())?;
        let certificate = CertificateDer::from_pem_slice(&text).map_err(|_| invalid())?;
        let own = Own::read(&certificate).ok_or_else(invalid)?;
        if key.public().ok().as_ref() != Some(&own.key) {
            return Err(invalid());
        }
        Ok(Self {
            key,
            certificate,
            own,
            file: file.to_owned(),
        })
    }

    /// Creates an authority in this file. If another server has created one meanwhile, uses that one. If `replaces` is `true`,
    /// replaces the authority in the file instead.
    fn make(
        file: &Path,
        machine: &str,
        addresses: &[IpAddr],
        replaces: bool,
    ) -> Result<Self, TlsSetupError> {
        let text = new(machine, addresses, SystemTime::now());
        let text = text.ok_or_else(|| TlsSetupError::invalid(file, "no authority can be made"))?;
        let new = file.with_extension(uuid::Uuid::new_v4().to_string());
        let write = || {
            let mut written = create_private_file(&new)?;
            written.write_all(text.as_bytes())?;
            written.sync_all()?;
            if replaces {
                // The clock may be wrong, and devices trust the old authority. So the old authority is kept.
                let old = file.with_extension("old.pem");
                let _ = fs::remove_file(&old);
                fs::hard_link(file, &old)?;
                return fs::rename(&new, file);
            }
            // The link cannot be created if another server has already created the file. Then that server's authority is used.
            match fs::hard_link(&new, file) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                _ => Ok(()),
            }
        };
        let written = write();
        // The temporary file contains a key, so it must not remain. After a rename it no longer exists.
        let _ = fs::remove_file(&new);
        written.map_err(|error| unwritten(file, error))?;
        Self::read(file)
    }

    /// Returns the certificate, in DER.
    pub fn certificate(&self) -> &[u8] {
        &self.certificate
    }

    /// Returns the SHA-256 of the certificate, as devices show it: pairs of hexadecimal digits with colons between them.
    pub fn fingerprint(&self) -> String {
        let pairs = Sha256::digest(&self.certificate);
        let pairs = pairs.iter().map(|byte| format!("{byte:02X}"));
        pairs.collect::<Vec<_>>().join(":")
    }

    /// Returns the name that devices show, such as `claw on desk, 2026-11-29`.
    pub fn name(&self) -> &str {
        &self.own.name
    }

    /// Checks that the authority may sign for these names, and returns the parsed names.
    pub(super) fn names<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        provider: &Arc<CryptoProvider>,
    ) -> Result<Vec<Name>, TlsSetupError> {
        let permitted = names.map(|name| {
            self.check(name, provider).map_err(|refused| match refused {
                Refused::Name => TlsSetupError::Name {
                    path: self.file.clone(),
                    name: name.to_owned(),
                },
                Refused::Time => TlsSetupError::invalid(
                    &self.file,
                    "the authority is not valid at the time of this machine: its clock may be wrong",
                ),
            })
        });
        permitted.collect()
    }

    /// Returns whether devices accept a certificate of the authority for this name or IP address.
    pub fn permits(&self, name: &str) -> bool {
        let provider = claw_tls::provider().ok();
        let check = |provider| self.check(name, &Arc::new(provider));
        provider.is_some_and(|provider| check(provider).is_ok())
    }

    /// Signs a certificate for this name, and verifies it as a device does. Returns the parsed name.
    fn check(&self, name: &str, provider: &Arc<CryptoProvider>) -> Result<Name, Refused> {
        let parsed = parse(name).ok_or(Refused::Name)?;
        let server = match &parsed {
            Name::Dns(name) => ServerName::try_from(name.clone()).ok(),
            Name::Ip(ip) => Some(ServerName::from(*ip)),
        };
        let verify = || {
            let (certificate, _) = self.issue(std::slice::from_ref(&parsed))?;
            let mut roots = RootCertStore::empty();
            roots.add(self.certificate.clone()).ok()?;
            let verifier =
                WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone());
            let verifier = verifier.build().ok()?;
            Some(verifier.verify_server_cert(&certificate, &[], &server?, &[], UnixTime::now()))
        };
        match verify() {
            Some(Ok(_)) => Ok(parsed),
            Some(Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidYet
                | CertificateError::NotValidYetContext { .. }
                | CertificateError::Expired
                | CertificateError::ExpiredContext { .. },
            ))) => Err(Refused::Time),
            _ => Err(Refused::Name),
        }
    }

    /// Creates a key, and signs its certificate for a server with these names.
    pub(super) fn certify(
        &self,
        names: &[Name],
        provider: &CryptoProvider,
    ) -> Result<CertifiedKey, TlsSetupError> {
        let invalid = || TlsSetupError::invalid(&self.file, "the authority cannot sign");
        let (certificate, key) = self.issue(names).ok_or_else(invalid)?;
        CertifiedKey::from_der(vec![certificate], key, provider).map_err(|_| invalid())
    }

    fn issue(&self, names: &[Name]) -> Option<(CertificateDer<'static>, PrivateKeyDer<'static>)> {
        let key = Key::generate().ok()?;
        let public = key.public().ok()?;
        let now = SystemTime::now();
        let fields = Fields {
            serial: super::key::random().ok()?,
            issuer: &self.own.name,
            subject: "claw",
            // The certificate is valid from yesterday on, because the clock of a device may be slow.
            valid: [now.checked_sub(DAY)?, now + LEAF_VALID],
            key: &public,
            issuer_key: &self.own.key,
            purpose: Purpose::Server(names),
        };
        let certificate = sign(&fields, &self.key)?;
        let key = PrivatePkcs8KeyDer::from(key.pkcs8().ok()?);
        Some((certificate.into(), key.into()))
    }
}

/// The reason why a device would not accept a certificate.
enum Refused {
    /// The authority may not sign for the name.
    Name,
    /// The authority is not valid now.
    Time,
}

/// Returns whether this is a private address, for which every authority may sign.
pub(super) fn is_private(ip: IpAddr) -> bool {
    let bits = |ip| match ip {
        IpAddr::V4(ip) => u128::from(ip.to_bits()) << 96,
        IpAddr::V6(ip) => ip.to_bits(),
    };
    PRIVATE.iter().any(|(start, length)| {
        let differ = bits(*start) ^ bits(ip);
        start.is_ipv4() == ip.is_ipv4() && differ.leading_zeros() >= *length
    })
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authority(***)")
    }
}

/// Parses a DNS name or an IP address. An IPv6 address may have brackets. Returns `None` for any other text.
pub(super) fn parse(name: &str) -> Option<Name> {
    let ip = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    if let Ok(ip) = ip.unwrap_or(name).parse() {
        return Some(Name::Ip(ip));
    }
    match ServerName::try_from(name) {
        Ok(ServerName::DnsName(_)) => Some(Name::Dns(name.to_ascii_lowercase())),
        _ => None,
    }
}

fn sign(fields: &Fields<'_>, key: &Key) -> Option<Vec<u8>> {
    // The errors of the key contain no reason, so they are replaced by a general error.
    let failed = |_| x509_cert::der::ErrorKind::Failed.into();
    certificate::sign(fields, |signed| key.sign(signed).map_err(failed)).ok()
}

fn unwritten(file: &Path, error: io::Error) -> TlsSetupError {
    TlsSetupError::Read {
        path: file.to_owned(),
        error,
    }
}

/// Returns the key and the certificate of a new authority, in PEM.
fn new(machine: &str, addresses: &[IpAddr], now: SystemTime) -> Option<String> {
    // The name is written into a certificate and on a page. So only letters, digits, hyphens and dots are kept.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let machine: String = machine.chars().filter(|c| is_plain(*c)).collect();
    let machine = machine.to_ascii_lowercase();
    let mut permitted = vec![Permitted::Dns("localhost".to_owned())];
    // A permitted name permits all names below it. The machine's name alone may be a domain of the internet, such as `dev`. So
    // only the name below `local` is permitted.
    let first = machine.split('.').next().unwrap_or_default();
    let local = format!("{first}.local");
    if matches!(parse(&local), Some(Name::Dns(_))) {
        permitted.push(Permitted::Dns(local));
    }
    permitted.extend(PRIVATE.iter().map(|(ip, bits)| Permitted::Ip(*ip, *bits)));
    let single = |ip: &IpAddr| Permitted::Ip(*ip, if ip.is_ipv4() { 32 } else { 128 });
    permitted.extend(addresses.iter().map(single));
    let since = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let date = iso_time::iso(since.as_millis());
    let (date, _) = date.split_once('T')?;
    let short: String = machine.chars().take(LONGEST_NAME).collect();
    let name = format!("claw on {short}, {date}");
    let key = Key::generate().ok()?;
    let public = key.public().ok()?;
    let fields = Fields {
        serial: super::key::random().ok()?,
        issuer: &name,
        subject: &name,
        valid: [now.checked_sub(DAY)?, now + VALID],
        key: &public,
        issuer_key: &public,
        purpose: Purpose::Authority(&permitted),
    };
    let certificate = sign(&fields, &key)?;
    let key = pem("PRIVATE KEY", &key.pkcs8().ok()?);
    Some(key + &pem("CERTIFICATE", &certificate))
}

fn pem(label: &str, der: &[u8]) -> String {
    let text = BASE64.encode(der);
    let lines = text.as_bytes().chunks(64).map(String::from_utf8_lossy);
    let lines = lines.collect::<Vec<_>>().join("\n");
    format!("-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authority_that_ends_soon_is_replaced_and_a_new_one_only_once() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("tls");
        let open = || Authority::open(&folder, "desk", &[]).unwrap();
        let first = std::thread::scope(|scope| {
            let servers: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
            let opened: Vec<_> = servers.into_iter().map(|it| it.join().unwrap()).collect();
            assert!(
                opened
                    .iter()
                    .all(|it| it.certificate == opened[0].certificate)
            );
            opened[0].certificate.clone()
        });
        let file = folder.join("authority.pem");
        for (days, stays) in [(100, true), (80, false), (-1, false)] {
            let left = Duration::from_hours(24) * i32::unsigned_abs(days);
            let now = SystemTime::now();
            let until = if days < 0 { now - left } else { now + left };
            fs::write(&file, new("desk", &[], until - VALID).unwrap()).unwrap();
            let old = Authority::read(&file).unwrap().certificate;
            let opened = open();
            assert_eq!(opened.certificate == old, stays, "{days}");
            assert!(opened.certificate != first);
            // Programs find the certificate of the current authority in this file.
            let public = fs::read(file.with_extension("crt")).unwrap();
            assert_eq!(
                CertificateDer::from_pem_slice(&public).unwrap(),
                opened.certificate
            );
        }
        let mut names: Vec<_> = fs::read_dir(&folder)
            .unwrap()
            .map(|it| it.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(
            names,
            ["authority.crt", "authority.old.pem", "authority.pem"]
        );
    }
}
