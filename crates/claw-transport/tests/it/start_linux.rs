//! Executables that Linux refuses.

use claw_transport::{CommandSpec, TransportError};

use crate::shell::program;
use crate::start::fails;

#[tokio::test]
async fn a_program_that_cannot_run_is_another_error() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "#!/bin/sh\n").unwrap();
    let files = [
        (
            program(folder.path(), "loader", "#!/no/such/interpreter\n"),
            "interpreter",
        ),
        (
            program(folder.path(), "garbage", "\u{1}\u{2}\u{3}\u{4}"),
            "no program",
        ),
        (program(folder.path(), "text", "true\n"), "no program"),
        (program(folder.path(), "empty", ""), "no program"),
        (plain, "not executable"),
    ];
    for (file, reason) in files {
        let error = fails(CommandSpec::new(&file)).await;
        assert!(matches!(&error, TransportError::NotLaunchable { path, .. } if *path == file));
        assert!(error.to_string().contains(reason), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}
