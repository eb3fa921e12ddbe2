//! What claude and its commands find in their environment.

use std::fs;
use std::process::Stdio;

use crate::claw::{claw, script};

#[test]
fn claude_gets_no_variable_with_a_secret_of_claw() {
    let folder = tempfile::tempdir().unwrap();
    let (seen, claude) = (folder.path().join("seen"), folder.path().join("claude"));
    script(
        &claude,
        &format!("#!/bin/sh\nenv > '{}'\nexit 1\n", seen.display()),
    );
    let status = claw(&["run", "Hello"])
        .env("CLAW_CLAUDE_PATH", &claude)
        .env("CLAW_CLUSTER_KEY", "secret-1")
        .env("CLAW_NOTIFY", "https://example.org/secret-2")
        .env("CLAW_NOTIFY_SECRET", "secret-3")
        .env("AGENT_AUTH_TOKEN", "secret-4")
        .env("CLAW_A_LATER_ONE", "secret-5")
        .env("MINE", "mine")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(!status.success());
    let seen = fs::read_to_string(&seen).unwrap();
    assert!(seen.contains("MINE=mine"), "{seen}");
    assert!(!seen.contains("secret"), "{seen}");
}
