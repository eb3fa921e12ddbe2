//! Shell scripts as processes, for what only Linux has.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use claw_transport::{CommandSpec, Parts, Transport};

use crate::support::Started;

pub(crate) fn sh(script: &str) -> CommandSpec {
    CommandSpec::new("/bin/sh").arg("-c").arg(script)
}

pub(crate) async fn run(script: &str) -> Parts {
    Started(sh(script)).open().await.unwrap().into_parts()
}

/// An executable file.
pub(crate) fn program(folder: &Path, name: &str, content: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}
