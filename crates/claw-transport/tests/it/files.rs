//! Arguments that name files.

use std::path::PathBuf;

use claw_testkit::processes;
use claw_transport::{FileArgument, Prefix, Subprocess, Transport};
use claw_types::Map;
use claw_types::options::{Delivery, QueryOptions};
use futures::StreamExt;
use serde_json::json;

use crate::support::{Started, is_inside, line, process, soon, this_test_alone, until};

/// Says which file it was given and what stands in it, and stays until its stdin ends.
const TELL: [&str; 2] = ["file", "read"];

fn holder(content: &str) -> Started {
    let mut command = process(&TELL);
    command.files.push(FileArgument::new("settings", content));
    Started(command)
}

#[tokio::test]
async fn a_file_is_there_as_long_as_the_process() {
    let mut parts = soon(holder("{\"a\":1}").open()).await.unwrap().into_parts();
    let path = PathBuf::from(line(&mut parts).await);
    assert_eq!(line(&mut parts).await, "{\"a\":1}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "only its user reads it");
    }
    soon(parts.outgoing.close()).await.unwrap();
    soon(parts.process.exited()).await;
    assert!(!path.exists());
}

#[tokio::test]
async fn a_file_of_a_dropped_session_goes_too() {
    let mut parts = soon(holder("{}").open()).await.unwrap().into_parts();
    let path = PathBuf::from(line(&mut parts).await);
    assert!(path.exists());
    drop(parts);
    until("the file is gone", || !path.exists());
}

#[tokio::test]
async fn a_file_of_a_killed_process_goes_too() {
    let mut parts = soon(holder("{}").open()).await.unwrap().into_parts();
    let path = PathBuf::from(line(&mut parts).await);
    parts.process.kill();
    soon(parts.process.exited()).await;
    assert!(!path.exists());
    while let Some(Ok(_)) = soon(parts.incoming.next()).await {}
}

#[tokio::test]
async fn what_is_secret_stands_in_no_argument() {
    let steps = [("SCRIPTED_PROCESS", Some(TELL.join("\n")))];
    let options = QueryOptions::default()
        .path_to_claude_code_executable(processes::program().unwrap())
        .env(steps.into_iter().collect::<Map<_>>())
        .settings(json!({"env": {"KEY": "hidden-value"}}))
        .delivery(Delivery::File);
    let mut parts = soon(Subprocess::new(&options).open())
        .await
        .unwrap()
        .into_parts();
    let _path = line(&mut parts).await;
    assert_eq!(line(&mut parts).await, r#"{"env":{"KEY":"hidden-value"}}"#);
    let arguments = processes::arguments(parts.process.pid().unwrap()).join(" ");
    assert!(arguments.contains("--settings="), "{arguments}");
    assert!(!arguments.contains("hidden-value"), "{arguments}");
}

#[tokio::test]
async fn a_program_elsewhere_gets_no_files() {
    let options = QueryOptions::default()
        .settings(json!({}))
        .delivery(Delivery::File);
    let claude = Subprocess::new(&options).launcher(Prefix::exec(["env"]));
    let error = soon(claude.open()).await.unwrap_err();
    assert!(error.to_string().contains("delivery"), "{error}");
    assert!(error.is_launch_failure());
}

const ENDS: &str = "files::a_host_that_ends_right_after_a_drop_leaves_no_file";

/// Ignores SIGTERM and the end of its input, and lives until its host is gone.
const OUTLIVES: [&str; 3] = ["ignore-terminate", "file", "outlive"];

#[test]
fn a_host_that_ends_right_after_a_drop_leaves_no_file() {
    if is_inside(ENDS) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        return runtime.block_on(async {
            let mut command = process(&OUTLIVES);
            command.files.push(FileArgument::new("settings", "{}"));
            let mut parts = soon(Started(command).open()).await.unwrap().into_parts();
            let path = line(&mut parts).await;
            assert!(PathBuf::from(&path).exists());
            println!("\nfile={path}");
            drop(parts);
            std::process::exit(0)
        });
    }
    let output = this_test_alone(ENDS).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let path = text.lines().find_map(|line| line.strip_prefix("file="));
    let path = PathBuf::from(path.unwrap_or_else(|| panic!("no path in {text}")));
    assert!(!path.exists(), "{} is left", path.display());
}
