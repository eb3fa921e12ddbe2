//! What only Windows has: batch files, the shims of npm, names of variables without case.

use std::fs;
use std::os::windows::fs::OpenOptionsExt as _;

use claw_testkit::processes;
use claw_transport::{CommandSpec, Transport, TransportError, discover};
use claw_types::Map;
use claw_types::options::QueryOptions;

use crate::start::fails;
use crate::support::{Started, copy, line, run, soon};

fn search(path: &std::path::Path) -> QueryOptions {
    let path = path.display().to_string();
    // Windows writes it `Path`, and so do programs that copy their environment.
    let env = [("Path", Some(path)), ("CLAW_CLAUDE_PATH", None)];
    QueryOptions::default().env(env.into_iter().collect::<Map<_>>())
}

#[test]
fn a_batch_file_is_refused_and_the_error_says_what_to_name() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["claude.cmd", "claude.BAT"] {
        let file = folder.path().join(name);
        fs::write(&file, "@echo started\r\n").unwrap();
        let options = QueryOptions::default().path_to_claude_code_executable(&file);
        let error = discover(&options).unwrap_err();
        assert!(matches!(&error, TransportError::BatchFile { path } if *path == file));
        let text = error.to_string();
        assert!(text.contains(name) && text.contains("claude.exe"), "{text}");
        assert!(error.is_launch_failure());
    }
}

/// `npm install -g` puts three shims into a folder of the search path, and no executable.
#[test]
fn an_npm_shim_is_refused_and_not_passed_over_in_silence() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["claude", "claude.cmd", "claude.ps1"] {
        fs::write(folder.path().join(name), "shim").unwrap();
    }
    let error = discover(&search(folder.path())).unwrap_err();
    let shim = folder.path().join("claude.cmd");
    assert!(
        matches!(&error, TransportError::BatchFile { path } if *path == shim),
        "{error:?}"
    );
    // An executable behind it is better.
    let other = tempfile::tempdir().unwrap();
    let claude = copy(other.path(), "claude");
    let both = std::env::join_paths([folder.path(), other.path()]).unwrap();
    assert_eq!(discover(&search(both.as_ref())).unwrap(), claude);
}

#[tokio::test]
async fn a_file_that_is_no_program_is_another_error() {
    let folder = tempfile::tempdir().unwrap();
    let files = [("garbage.exe", "\u{1}\u{2}\u{3}\u{4}"), ("empty.exe", "")];
    for (name, content) in files {
        let file = folder.path().join(name);
        fs::write(&file, content).unwrap();
        let error = fails(CommandSpec::new(&file)).await;
        assert!(
            matches!(&error, TransportError::NotLaunchable { path, .. } if *path == file),
            "{error}"
        );
        assert!(error.to_string().contains("no program"), "{error}");
    }
}

/// As while it is downloaded, or looked at by an antivirus program.
#[tokio::test]
async fn an_executable_that_somebody_has_open_alone_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = copy(folder.path(), "claude");
    let alone = fs::OpenOptions::new()
        .append(true)
        .share_mode(0)
        .open(&file);
    let error = soon(fails(CommandSpec::new(&file))).await;
    assert!(error.to_string().contains("being written"), "{error}");
    drop(alone.unwrap());
    let started = Started(CommandSpec::new(&file).arg("say=started"));
    let mut parts = started.open().await.unwrap().into_parts();
    assert_eq!(line(&mut parts).await, "started");
}

#[tokio::test]
async fn the_case_of_a_variable_does_not_count() {
    let command = crate::support::process(&["env=CLAW_TEST_CASE", "env=CLAW_SESSION"])
        .env("Claw_Test_Case", "set")
        .env("Claw_Session", "outer");
    let mut parts = Started(command).open().await.unwrap().into_parts();
    assert_eq!(line(&mut parts).await, "set");
    // The session around it is found, whatever its variable is written like.
    let marks = line(&mut parts).await;
    assert!(marks.starts_with("outer:"), "{marks}");
}

#[tokio::test]
async fn an_extended_path_and_a_drive_are_entered() {
    let folder = tempfile::tempdir().unwrap();
    let extended = folder.path().canonicalize().unwrap();
    assert!(extended.display().to_string().starts_with(r"\\?\"));
    let program = extended.join("copy.exe");
    fs::copy(processes::program().unwrap(), &program).unwrap();
    let command = CommandSpec::new(program).arg("say=started");
    let mut parts = Started(command).open().await.unwrap().into_parts();
    assert_eq!(line(&mut parts).await, "started");
    let mut parts = run(&["cwd"]).await;
    let cwd = line(&mut parts).await;
    assert_eq!(&cwd[1..3], ":\\", "{cwd}");
}
