use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use claw_testkit::processes;
use claw_transport::{CommandSpec, Launcher, Local, Shutdown, Transport, TransportError};
use futures::{StreamExt, poll};

use crate::support::{Started, copy, line, process, run, soon, until, until_none_has};

pub(crate) async fn fails(command: CommandSpec) -> TransportError {
    Local::new().launch(command).await.expect_err("it started")
}

#[tokio::test]
async fn lines_go_there_and_back() {
    let mut parts = run(&["cat"]).await;
    parts.outgoing.send("one".into()).await.unwrap();
    parts.outgoing.send("zwei – 🎉".into()).await.unwrap();
    assert_eq!(line(&mut parts).await, "one");
    assert_eq!(line(&mut parts).await, "zwei – 🎉");
    parts.outgoing.close().await.unwrap();
    assert!(soon(parts.incoming.next()).await.is_none());
    let exit = soon(parts.process.shutdown(Shutdown::default()))
        .await
        .unwrap();
    assert!(exit.is_success() && exit.is_clean() && !exit.is_forced());
    assert_eq!(parts.process.exit(), Some(exit));
}

#[tokio::test]
async fn a_missing_directory_is_named() {
    let error = fails(process(&[]).cwd("/no/such/folder")).await;
    assert!(matches!(&error, TransportError::CwdMissing { path } if path.ends_with("folder")));
    assert!(error.is_launch_failure() && !error.is_not_found());
}

#[tokio::test]
async fn a_file_is_no_working_directory() {
    let error = fails(process(&[]).cwd(std::env::current_exe().unwrap())).await;
    assert!(matches!(&error, TransportError::CwdMissing { .. }));
    assert!(error.to_string().ends_with("or is no directory"), "{error}");
}

/// What stands behind the NUL may be what a program was forbidden.
#[tokio::test]
async fn a_nul_is_refused_and_no_argument_is_lost() {
    for command in [
        process(&[]).args(["--disallowedTools=Bash\0,Write"]),
        process(&[]).env("A", "a\0b"),
    ] {
        let error = fails(command).await;
        assert!(error.is_launch_failure(), "{error}");
        assert!(error.to_string().contains("a NUL stands in"), "{error}");
    }
}

#[tokio::test]
async fn a_missing_program_is_named() {
    for program in ["/no/such/claude", "no-such-claude"] {
        let error = fails(CommandSpec::new(program)).await;
        assert!(
            error.is_not_found() && error.to_string().contains(program),
            "{error}"
        );
    }
}

#[tokio::test]
async fn outer_sessions_keep_their_marks() {
    let command = process(&["env=CLAW_SESSION"]).env("CLAW_SESSION", "outer");
    let mut parts = Started(command).open().await.unwrap().into_parts();
    let marks = line(&mut parts).await;
    let (outer, own) = marks.split_once(':').unwrap();
    assert_eq!((outer, own.len()), ("outer", 32));
}

#[tokio::test]
async fn a_start_that_nobody_waits_for_leaves_nothing() {
    let token = format!("start-dropped-{}", std::process::id());
    let variable = format!("TOKEN={token}");
    let command = process(&["wait"]).env("TOKEN", &token);
    let mut launching = Local::new().launch(command);
    let first = poll!(&mut launching);
    // It is there, and its start has not been taken note of (unless it was that quick).
    until("the process is there", || {
        !processes::with_variable(&variable).is_empty()
    });
    drop((launching, first));
    until_none_has(&variable);
}

#[tokio::test]
async fn a_start_that_is_dropped_at_once_leaves_nothing() {
    let token = format!("start-at-once-{}", std::process::id());
    let variable = format!("TOKEN={token}");
    for _ in 0..20 {
        let mut launching = Local::new().launch(process(&["wait"]).env("TOKEN", &token));
        drop(poll!(&mut launching));
    }
    // The supervisor takes one command after another: this one comes last.
    let parts = run(&[]).await;
    soon(parts.process.exited()).await;
    until_none_has(&variable);
}

#[tokio::test]
async fn an_executable_that_is_being_written_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = copy(folder.path(), "claude");
    // A machine that is busy enough lets all tries go by before the file is closed.
    for _ in 0..10 {
        let writer = OpenOptions::new().append(true).open(&file).unwrap();
        let mut launching = pin!(Started(CommandSpec::new(&file).arg("say=started")).open());
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
    let file = copy(folder.path(), "claude");
    let _writer = OpenOptions::new().append(true).open(&file).unwrap();
    let error = soon(fails(CommandSpec::new(&file))).await;
    assert!(error.to_string().contains("being written"), "{error}");
}

/// Files that the system does not run, and why not.
#[cfg(target_os = "linux")]
fn no_programs(folder: &Path) -> Vec<(PathBuf, &'static str)> {
    use crate::shell::program;

    let plain = folder.join("plain");
    std::fs::write(&plain, "#!/bin/sh\n").unwrap();
    let loader = program(folder, "loader", "#!/no/such/interpreter\n");
    let garbage = program(folder, "garbage", "\u{1}\u{2}\u{3}\u{4}");
    vec![
        (loader, "interpreter"),
        (garbage, "no program"),
        (program(folder, "text", "true\n"), "no program"),
        (program(folder, "empty", ""), "no program"),
        (plain, "not executable"),
    ]
}

#[cfg(not(target_os = "linux"))]
fn no_programs(folder: &Path) -> Vec<(PathBuf, &'static str)> {
    let contents = ["", "no program", "MZ"].into_iter().enumerate();
    let files = contents.map(|(number, content)| {
        let file = folder.join(format!("claude{number}{}", std::env::consts::EXE_SUFFIX));
        std::fs::write(&file, content).unwrap();
        // Each system has its own words.
        (file, "")
    });
    files.collect()
}

#[tokio::test]
async fn a_program_that_cannot_run_is_another_error() {
    let folder = tempfile::tempdir().unwrap();
    for (file, reason) in no_programs(folder.path()) {
        let error = fails(CommandSpec::new(&file)).await;
        assert!(
            matches!(&error, TransportError::NotLaunchable { path, .. } if *path == file),
            "{error:?}"
        );
        assert!(error.to_string().contains(reason), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}
