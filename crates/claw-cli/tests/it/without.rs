//! A claw that was built without features.

use crate::claw::{claw, ran};

/// What this build does not have: the command line that asks for it, and the feature.
fn left_out() -> Vec<(&'static [&'static str], &'static str)> {
    let all: &[(&[&str], &str, bool)] = &[
        (
            &["show", "session.jsonl"],
            "terminal",
            cfg!(feature = "terminal"),
        ),
        (&["check"], "terminal", cfg!(feature = "terminal")),
        (
            &["view", "--html", "a", "-o", "b"],
            "terminal",
            cfg!(feature = "terminal"),
        ),
        (&["sessions"], "terminal", cfg!(feature = "terminal")),
        (
            &["sessions", "list", "--all"],
            "terminal",
            cfg!(feature = "terminal"),
        ),
        (
            &["chat", "--resume"],
            "terminal",
            cfg!(feature = "terminal"),
        ),
        (&["serve"], "serve", cfg!(feature = "serve")),
        (
            &["schema", "stdout"],
            "terminal",
            cfg!(feature = "terminal"),
        ),
        (
            &["schema", "--help"],
            "terminal",
            cfg!(feature = "terminal"),
        ),
        (
            &["completions", "zsh"],
            "terminal",
            cfg!(feature = "terminal"),
        ),
        (&["config", "list"], "terminal", cfg!(feature = "terminal")),
        (&["doctor"], "serve", cfg!(feature = "serve")),
        (&["users", "list"], "serve", cfg!(feature = "serve")),
        (&["audit", "file"], "serve", cfg!(feature = "serve")),
    ];
    let all = all.iter().filter(|(.., is_on)| !is_on);
    all.map(|(arguments, feature, _)| (*arguments, *feature))
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
