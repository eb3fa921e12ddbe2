//! What a person reads who has not installed the CLI.

use std::process::Command;

use crate::examples::built;

/// An example whose `main` returns the error.
#[test]
fn without_a_cli_main_says_how_to_install_one() {
    let home = tempfile::tempdir().unwrap();
    let folders = ["bin", ".local/bin", "bin"].map(|folder| home.path().join(folder));
    let output = Command::new(built("quick_query"))
        .env_clear()
        .env("HOME", home.path())
        .env("USERPROFILE", home.path())
        .env("PATH", std::env::join_paths(folders).unwrap())
        // The search path alone: a CLI may be installed on this machine.
        .env("CLAW_CLAUDE_PATH", "claude")
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    let start = "Error: claude was not found: install it with \
        `npm install -g @anthropic-ai/claude-code`, or name its path in";
    assert!(said.starts_with(start), "{said}");
    // Every place once, as a path and not as a value of Rust's.
    for folder in ["bin", ".local/bin"] {
        let place = home.path().join(folder).join("claude");
        assert_eq!(said.matches(place.to_str().unwrap()).count(), 1, "{said}");
    }
    assert!(!said.contains(['"', '[', '{']), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}
