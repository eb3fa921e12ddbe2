use std::ffi::OsString;

use super::{AgentError, Launch, Script};

fn launch(args: &[&str], environment: &[(&str, &str)]) -> Result<Launch, AgentError> {
    let args = args.iter().map(OsString::from);
    let variable = |name: &str| {
        environment
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| OsString::from(value))
    };
    Launch::from_args(args, variable)
}

#[test]
fn the_flags_of_claude_are_passed_over() {
    let args = [
        "--output-format=stream-json",
        "--verbose",
        "--builtin=demo",
        "--pace-ms=0",
        "-p",
    ];
    let launch = launch(&args, &[("CLAW_AGENT_PACE_MS", "5")]).unwrap();
    assert_eq!(
        launch.script,
        Script {
            pace_ms: 0,
            ..Script::demo()
        }
    );
}

#[test]
fn the_environment_says_the_same() {
    let launch = launch(
        &[],
        &[("CLAW_AGENT_BUILTIN", "demo"), ("CLAW_AGENT_PACE_MS", "5")],
    )
    .unwrap();
    assert_eq!(
        launch.script,
        Script {
            pace_ms: 5,
            ..Script::demo()
        }
    );
}

#[test]
fn a_script_that_is_not_there_is_named() {
    assert!(matches!(
        launch(&["--builtin=nope"], &[]),
        Err(AgentError::NoSuchScript { name }) if name == "nope"
    ));
    assert!(matches!(
        launch(&["--script", "/does/not/exist"], &[]),
        Err(AgentError::Script { path, .. }) if path.ends_with("exist")
    ));
}

#[test]
fn a_script_with_a_misspelt_key_is_an_error() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&file, r#"{"step": []}"#).unwrap();
    let flag = format!("--script={}", file.path().display());
    assert!(matches!(
        launch(&[&flag], &[]),
        Err(AgentError::Script { .. })
    ));
}
