//! Runs `claw`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// `claw` with these arguments, in an environment that holds nothing but where programs are.
pub(crate) fn claw(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_claw"));
    command.args(args).env_clear().stdin(Stdio::null());
    // Not the configuration file of who runs the tests.
    let none = if cfg!(windows) { "NUL" } else { "/dev/null" };
    command.env("CLAW_CONFIG", none);
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

/// The output of a command, and how the command ended.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// An executable script.
#[cfg(unix)]
pub(crate) fn script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// The folder of recorded sessions.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// A file whose third line is a byte over the limit of a line, after a blank one and before a good one.
#[cfg(feature = "terminal")]
pub(crate) fn long_line() -> (tempfile::TempDir, PathBuf) {
    use std::io::{Seek as _, SeekFrom, Write as _};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.ndjson");
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(b"{\"type\":\"keep_alive\"}\n\n").unwrap();
    // A hole, which takes no room.
    file.seek(SeekFrom::Current((64 << 20) + 1)).unwrap();
    file.write_all(b"\n{\"type\":\"keep_alive\"}\n").unwrap();
    (folder, path)
}

/// A path as an argument.
#[cfg(feature = "terminal")]
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
