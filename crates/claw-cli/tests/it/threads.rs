//! A limit of processes and threads that leaves no room for claw's.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

#[test]
fn too_few_threads_are_an_error_and_no_hang() {
    // The limit does not hold for root, whose program another user may not reach.
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("claw");
    // Another process makes the copy: a process that another test starts meanwhile would inherit a file that this process
    // writes, and a file that is written cannot be started.
    let copy = Command::new("cp")
        .args([env!("CARGO_BIN_EXE_claw").as_ref(), program.as_os_str()])
        .status();
    assert!(copy.unwrap().success());
    let mut limited = Command::new("timeout");
    limited.arg("60");
    if rustix::process::geteuid().is_root() {
        limited.args([
            "setpriv",
            "--reuid=54321",
            "--regid=54321",
            "--clear-groups",
        ]);
    }
    limited.args(["prlimit", "--nproc=2"]);
    limited.arg(&program).args(["run", "Hello"]);
    let output = limited.env("HOME", folder.path()).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.starts_with("claw: this process may not have the ") && error.contains("ulimit -u"),
        "{}: {error}",
        output.status
    );
    assert!(!error.contains("panicked"), "{error}");
    // The code of `timeout`.
    assert!(
        output
            .status
            .code()
            .is_some_and(|code| code != 0 && code != 124)
    );
}
