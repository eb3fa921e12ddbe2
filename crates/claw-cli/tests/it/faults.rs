//! What stands in the way is said exactly, each with its exit code.
#![cfg(unix)]

use super::claw::{claw, ran, script};

#[test]
fn no_claude_says_where_it_looked_and_how_to_install() {
    let home = tempfile::tempdir().unwrap();
    let run = ran(claw(&["run", "hello"])
        .env("PATH", home.path())
        .env("HOME", home.path())
        .output()
        .unwrap());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stderr
            .contains(&home.path().join(".local/bin/claude").display().to_string())
    );
    assert!(
        run.stderr
            .contains("npm install -g @anthropic-ai/claude-code"),
        "{}",
        run.stderr
    );
    assert_eq!(run.stdout, "");
}

#[test]
fn a_missing_directory_is_named() {
    let home = tempfile::tempdir().unwrap();
    let claude = home.path().join("claude");
    script(&claude, "#!/bin/sh\nexit 0\n");
    let run = ran(claw(&["run", "hello", "--cwd", "/no/such/folder"])
        .env("CLAW_CLAUDE_PATH", &claude)
        .output()
        .unwrap());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("/no/such/folder"), "{}", run.stderr);
    assert!(!run.stderr.contains("npm"), "{}", run.stderr);
}

#[test]
fn a_file_that_cannot_be_launched_is_named() {
    let home = tempfile::tempdir().unwrap();
    let claude = home.path().join("claude");
    script(&claude, "#!/no/such/interpreter\n");
    let run = ran(claw(&["run", "hello"])
        .env("CLAW_CLAUDE_PATH", &claude)
        .output()
        .unwrap());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stderr.contains(&claude.display().to_string()),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("npm"), "{}", run.stderr);
}

#[test]
fn a_crash_tells_status_and_stderr_without_steering_the_terminal() {
    let home = tempfile::tempdir().unwrap();
    let claude = home.path().join("claude");
    script(
        &claude,
        "#!/bin/sh\nread line\nprintf 'out of \\033[31mluck\\n' >&2\nexit 7\n",
    );
    let run = ran(claw(&["run", "hello"])
        .env("CLAW_CLAUDE_PATH", &claude)
        .output()
        .unwrap());
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(
        run.stderr.contains('7') && run.stderr.contains("luck"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
}
