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

/// The paths of a certificate and of its key. Both files are in PEM.
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

    /// Reads the certificate with its chain and the key, and checks that they belong together.
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

/// Reads a file. `check` checks the metadata of the open file before its contents are read.
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

/// Checks that other users can neither read nor change a file. The file's group may read it, because systems often have a group
/// for keys.
fn is_private(metadata: &fs::Metadata) -> Result<(), &'static str> {
    lacks(metadata, 0o027)
}

/// Checks that a file belongs to this user, and that no other user can read it.
pub(super) fn is_of_user(metadata: &fs::Metadata) -> Result<(), &'static str> {
    belongs_to(metadata, this_user())?;
    lacks(metadata, 0o077)
}

/// Creates a folder to which only this user has access. If the folder exists, it must belong to the user, and no other user may
/// be able to change it.
pub(super) fn private_folder(folder: &Path) -> io::Result<()> {
    let mut create = fs::DirBuilder::new();
    create.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut create, 0o700);
    create.create(folder)?;
    let metadata = fs::metadata(folder)?;
    let checked = belongs_to(&metadata, this_user()).and_then(|()| {
        let is_open = mode(&metadata) & 0o022 != 0;
        let text = "other users can change the folder: `chmod 700` it";
        if is_open { Err(text) } else { Ok(()) }
    });
    checked.map_err(io::Error::other)
}

/// Returns the ID of this process's user. Returns 0 on Windows, which has no such IDs.
fn this_user() -> u32 {
    #[cfg(unix)]
    return rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    0
}

fn belongs_to(metadata: &fs::Metadata, user: u32) -> Result<(), &'static str> {
    #[cfg(unix)]
    let owner = std::os::unix::fs::MetadataExt::uid(metadata);
    #[cfg(not(unix))]
    let (owner, _) = (user, metadata);
    if owner == user {
        Ok(())
    } else {
        Err("it belongs to another user")
    }
}

/// Returns the mode of a file. Returns 0 on Windows, which has no modes.
fn mode(metadata: &fs::Metadata) -> u32 {
    #[cfg(unix)]
    return std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
    #[cfg(not(unix))]
    {
        let _ = metadata;
        0
    }
}

/// Checks that a file's mode has none of these bits.
fn lacks(metadata: &fs::Metadata, bits: u32) -> Result<(), &'static str> {
    if mode(metadata) & bits == 0 {
        Ok(())
    } else {
        Err("other users can read or change the key: `chmod 600` the file")
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_key_or_its_folder_of_another_user_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        claw_client::transport::create_private_file(&file).unwrap();
        let metadata = fs::metadata(&file).unwrap();
        assert_eq!(is_of_user(&metadata), Ok(()));
        let other = belongs_to(&metadata, this_user() + 1);
        assert_eq!(other, Err("it belongs to another user"));

        let own = folder.path().join("claw/tls");
        private_folder(&own).unwrap();
        assert_eq!(mode(&fs::metadata(&own).unwrap()) & 0o777, 0o700);
        // Other users may read the folder, because the folder itself contains only the names of files.
        fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).unwrap();
        private_folder(&own).unwrap();
        fs::set_permissions(&own, fs::Permissions::from_mode(0o777)).unwrap();
        let error = private_folder(&own).unwrap_err().to_string();
        assert!(
            error.contains("other users can change the folder"),
            "{error}"
        );
    }
}
