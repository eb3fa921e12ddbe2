//! A claw that was built without features.

use crate::claw::{claw, ran};

/// What this build does not have: the command line that asks for it, and the feature.
fn left_out() -> Vec<(&'static [&'static str], &'static str)> {
    let all: [(&[&str], &str, bool); 12] = [
        (&["show", "session.jsonl"], "view", cfg!(feature = "view")),
        (&["check"], "view", cfg!(feature = "view")),
        (
            &["view", "--html", "a", "-o", "b"],
            "view",
            cfg!(feature = "view"),
        ),
        (&["sessions"], "sessions", cfg!(feature = "sessions")),
        (
            &["sessions", "list", "--all"],
            "sessions",
            cfg!(feature = "sessions"),
        ),
        (
            &["chat", "--resume"],
            "sessions",
            cfg!(feature = "sessions"),
        ),
        (&["serve"], "serve", cfg!(feature = "serve")),
        (&["schema", "stdout"], "schema", cfg!(feature = "schema")),
        (&["schema", "--help"], "schema", cfg!(feature = "schema")),
        (
            &["completions", "zsh"],
            "completions",
            cfg!(feature = "completions"),
        ),
        (&["config", "list"], "config", cfg!(feature = "config")),
        (&["doctor"], "doctor", cfg!(feature = "doctor")),
    ];
    let all = all.into_iter().filter(|(.., is_on)| !is_on);
    all.map(|(arguments, feature, _)| (arguments, feature))
        .collect()
}

#[test]
fn a_command_that_is_left_out_says_how_to_get_it() {
    for (arguments, feature) in left_out() {
        let ran = ran(claw(arguments).output().unwrap());
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{arguments:?}");
        for needed in [
            "this build has no ",
            &format!("`{feature}`"),
            "--features full",
        ] {
            assert!(ran.stderr.contains(needed), "{arguments:?}: {}", ran.stderr);
        }
    }
}

#[test]
fn the_help_lists_the_commands_that_are_left_out() {
    let help = ran(claw(&["--help"]).output().unwrap()).stdout;
    assert!(help.contains("--features full"), "{help}");
    // Long descriptions go on in the next line, below their beginning.
    let whole = help.replace("\n               ", " ");
    for (arguments, feature) in left_out() {
        let said = format!("Not in this build: it needs the feature `{feature}`");
        let is_said =
            |line: &str| line.trim_start().starts_with(arguments[0]) && line.contains(&said);
        assert!(
            arguments[0] == "chat" || whole.lines().any(is_said),
            "{arguments:?}: {help}"
        );
    }
}
