//! Executables that Linux refuses.

use std::fs::OpenOptions;
use std::pin::pin;
use std::time::Duration;

use claw_transport::{CommandSpec, Transport, TransportError};

use crate::shell::program;
use crate::start::fails;
use crate::support::{Started, line, soon};

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

#[tokio::test]
async fn an_executable_that_is_being_written_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = program(folder.path(), "claude", "#!/bin/sh\necho started\n");
    // A machine that is busy enough lets all tries go by before the file is closed.
    for _ in 0..10 {
        let writer = OpenOptions::new().append(true).open(&file).unwrap();
        let mut launching = pin!(Started(CommandSpec::new(&file)).open());
        // Long enough for the first try, which fails.
        let first = tokio::time::timeout(Duration::from_millis(50), &mut launching).await;
        drop(writer);
        let opened = match first {
            Ok(opened) => opened,
            Err(_) => soon(launching).await,
        };
        match opened {
            Ok(pipes) => {
                assert_eq!(line(&mut pipes.into_parts()).await, "started");
                return;
            }
            Err(error) => assert!(error.to_string().contains("being written"), "{error}"),
        }
    }
    panic!("it was never tried again");
}

#[tokio::test]
async fn an_executable_that_stays_busy_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = program(folder.path(), "claude", "#!/bin/sh\n");
    let _writer = OpenOptions::new().append(true).open(&file).unwrap();
    let error = soon(fails(CommandSpec::new(&file))).await;
    assert!(error.to_string().contains("being written"), "{error}");
}
