use super::claw::{claw, ran};

#[test]
fn a_whole_session_with_nothing_installed() {
    let demo = ran(claw(&["demo"]).env_remove("PATH").output().unwrap());
    assert_eq!(demo.code, Some(0), "{}", demo.stderr);
    let at = |part: &str| {
        demo.stdout
            .find(part)
            .unwrap_or_else(|| panic!("{part} in {}", demo.stdout))
    };
    let order = [
        at("scripted stand-in"),
        at("> How many files"),
        at("Let me see"),
        at("● Bash("),
        at("? Bash asks for permission: allowed"),
        at("✓ 7"),
        at("There are seven files"),
        at("— done: 2 turns"),
    ];
    assert!(order.is_sorted(), "{}", demo.stdout);
}

#[test]
fn a_refused_tool_is_another_story() {
    let demo = ran(claw(&["demo", "--deny"]).output().unwrap());
    assert_eq!(demo.code, Some(0), "{}", demo.stderr);
    for part in [
        "permission: denied",
        "✗ ",
        "The user said no.",
        "You did not let me",
        "— done",
    ] {
        assert!(demo.stdout.contains(part), "{part} in {}", demo.stdout);
    }
    assert!(!demo.stdout.contains("✓"), "{}", demo.stdout);
}
