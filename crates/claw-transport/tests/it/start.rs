use claw_testkit::processes;
use claw_transport::{CommandSpec, Launcher, Local, Shutdown, Transport, TransportError};
use futures::{StreamExt, poll};

use crate::support::{Started, line, process, run, soon, until, until_none_has};

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

/// On Linux, tests of its own say more.
#[cfg(not(target_os = "linux"))]
#[tokio::test]
async fn a_program_that_cannot_run_is_another_error() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("claude{}", std::env::consts::EXE_SUFFIX);
    for content in ["", "no program", "MZ"] {
        let file = folder.path().join(&name);
        std::fs::write(&file, content).unwrap();
        let error = fails(CommandSpec::new(&file)).await;
        assert!(
            matches!(&error, TransportError::NotLaunchable { path, .. } if *path == file),
            "{error:?}"
        );
        assert!(std::error::Error::source(&error).is_some());
    }
}
