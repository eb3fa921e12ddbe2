//! A certificate and its key in files.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use super::TlsSetupError;

/// The maximum size of a file, in bytes.
const LARGEST: u64 = 1 << 20;

/// The files of a certificate and of its key, in PEM.
#[derive(Debug)]
pub(super) struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

impl Files {
    pub(super) fn new(certificate: &Path, key: &Path) -> Self {
        Self {
            certificate: certificate.to_owned(),
            key: key.to_owned(),
        }
    }

    /// Reads the files.
    pub(super) fn read(&self, provider: &CryptoProvider) -> Result<CertifiedKey, TlsSetupError> {
        let text = read(&self.certificate, |_| Ok(()))?;
        let invalid = |reason: &str| TlsSetupError::invalid(&self.certificate, reason);
        let chain = CertificateDer::pem_slice_iter(&text).collect::<Result<Vec<_>, _>>();
        let chain = chain.map_err(|_| invalid("it is not in PEM"))?;
        if chain.is_empty() {
            return Err(invalid("it has no certificate in PEM"));
        }
        let text = read(&self.key, is_private)?;
        let invalid = |reason: &str| TlsSetupError::invalid(&self.key, reason);
        let key = PrivateKeyDer::from_pem_slice(&text);
        let key = key.map_err(|_| invalid("it has no private key in PEM without a password"))?;
        let key = provider.key_provider.load_private_key(key);
        let key = key.map_err(|error| invalid(&format!("the key cannot be used: {error}")))?;
        let both = CertifiedKey::new(chain, key);
        match both.keys_match() {
            Ok(()) => Ok(both),
            Err(rustls::Error::InconsistentKeys(_)) => {
                let certificate = self.certificate.display();
                Err(invalid(&format!(
                    "the key is not that of the certificate in {certificate}"
                )))
            }
            Err(error) => Err(TlsSetupError::invalid(&self.certificate, &error)),
        }
    }
}

/// The contents of a file, after a check of the open file.
pub(super) fn read(
    path: &Path,
    check: impl FnOnce(&fs::Metadata) -> Result<(), &'static str>,
) -> Result<Vec<u8>, TlsSetupError> {
    let contents = || {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        check(&metadata).map_err(io::Error::other)?;
        let mut contents = Vec::new();
        file.take(LARGEST).read_to_end(&mut contents)?;
        Ok(contents)
    };
    contents().map_err(|error| TlsSetupError::Read {
        path: path.to_owned(),
        error,
    })
}

/// Whether a file keeps a secret. Its group may read it, as the group of the keys of a system does.
#[cfg(unix)]
fn is_private(metadata: &fs::Metadata) -> Result<(), &'static str> {
    use std::os::unix::fs::PermissionsExt as _;
    if metadata.permissions().mode() & 0o027 == 0 {
        Ok(())
    } else {
        Err("other users can read or change the key: `chmod 600` the file")
    }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
fn is_private(_: &fs::Metadata) -> Result<(), &'static str> {
    Ok(())
}
