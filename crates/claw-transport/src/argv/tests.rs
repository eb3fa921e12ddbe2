use std::collections::BTreeMap;

use super::*;

const BASE: [&str; 3] = [
    "--output-format=stream-json",
    "--verbose",
    "--input-format=stream-json",
];

/// The arguments beyond those that every CLI gets.
fn beyond(set: impl FnOnce(&mut QueryOptions)) -> Vec<String> {
    let mut options = QueryOptions::default();
    set(&mut options);
    let words = argv(&options, false).unwrap();
    let words: Vec<String> = words
        .into_iter()
        .map(|word| word.into_string().unwrap())
        .collect();
    assert_eq!(words[..3], BASE);
    words[3..].to_vec()
}

fn strings(values: &[&str]) -> Option<Vec<String>> {
    Some(values.iter().map(|value| (*value).to_owned()).collect())
}

fn refused(set: impl FnOnce(&mut QueryOptions)) -> &'static str {
    let mut options = QueryOptions::default();
    set(&mut options);
    match argv(&options, false) {
        Err(TransportError::InvalidOption { option, .. }) => option,
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_options_give_the_base() {
    assert_eq!(beyond(|_| ()), [""; 0]);
}

#[test]
fn permission_prompts() {
    let words = argv(&QueryOptions::default(), true).unwrap();
    assert_eq!(words[3..], ["--permission-prompt-tool=stdio"]);
}

#[test]
fn model() {
    assert_eq!(beyond(|o| o.model = Some("opus".into())), ["--model=opus"]);
}

#[test]
fn a_value_with_dashes_stays_a_value() {
    assert_eq!(
        beyond(|o| o.resume = Some("--help".into())),
        ["--resume=--help"]
    );
}

#[test]
fn permission_mode() {
    assert_eq!(
        beyond(|o| o.permission_mode = Some("plan".into())),
        ["--permission-mode=plan"]
    );
}

#[test]
fn bypass_permissions_needs_its_switch() {
    let bypass = |o: &mut QueryOptions| o.permission_mode = Some("bypassPermissions".into());
    assert_eq!(refused(bypass), "permission_mode");
    let words = beyond(|o| {
        bypass(o);
        o.allow_dangerously_skip_permissions = Some(true);
    });
    let expected = [
        "--permission-mode=bypassPermissions",
        "--allow-dangerously-skip-permissions",
    ];
    assert_eq!(words, expected);
}

#[test]
fn allow_dangerously_skip_permissions() {
    let words = beyond(|o| o.allow_dangerously_skip_permissions = Some(true));
    assert_eq!(words, ["--allow-dangerously-skip-permissions"]);
    assert_eq!(
        beyond(|o| o.allow_dangerously_skip_permissions = Some(false)),
        [""; 0]
    );
}

#[test]
fn tools() {
    assert_eq!(
        beyond(|o| o.tools = strings(&["Bash", "Read"])),
        ["--tools=Bash,Read"]
    );
    assert_eq!(beyond(|o| o.tools = strings(&[])), ["--tools="]);
}

#[test]
fn allowed_tools() {
    let words = beyond(|o| o.allowed_tools = strings(&["Bash(git *)", "Read"]));
    assert_eq!(words, ["--allowedTools=Bash(git *),Read"]);
    assert_eq!(beyond(|o| o.allowed_tools = strings(&[])), [""; 0]);
}

#[test]
fn disallowed_tools() {
    assert_eq!(
        beyond(|o| o.disallowed_tools = strings(&["Bash"])),
        ["--disallowedTools=Bash"]
    );
    assert_eq!(beyond(|o| o.disallowed_tools = strings(&[])), [""; 0]);
}

#[test]
fn max_turns() {
    assert_eq!(beyond(|o| o.max_turns = Some(3)), ["--max-turns=3"]);
    assert_eq!(beyond(|o| o.max_turns = Some(0)), [""; 0]);
}

#[test]
fn max_budget_usd() {
    assert_eq!(
        beyond(|o| o.max_budget_usd = Some(0.5)),
        ["--max-budget-usd=0.5"]
    );
}

#[test]
fn include_partial_messages() {
    let words = beyond(|o| o.include_partial_messages = Some(true));
    assert_eq!(words, ["--include-partial-messages"]);
}

#[test]
fn setting_sources() {
    let words = beyond(|o| o.setting_sources = strings(&["user", "project"]));
    assert_eq!(words, ["--setting-sources=user,project"]);
    assert_eq!(
        beyond(|o| o.setting_sources = strings(&[])),
        ["--setting-sources="]
    );
}

#[test]
fn additional_directories() {
    let words = beyond(|o| o.additional_directories = Some(vec!["/a".into(), "/b c".into()]));
    assert_eq!(words, ["--add-dir=/a", "--add-dir=/b c"]);
}

#[test]
fn continue_session() {
    assert_eq!(beyond(|o| o.continue_session = Some(true)), ["--continue"]);
}

#[test]
fn resume() {
    assert_eq!(beyond(|o| o.resume = Some("abc".into())), ["--resume=abc"]);
}

#[test]
fn session_id() {
    assert_eq!(
        beyond(|o| o.session_id = Some("abc".into())),
        ["--session-id=abc"]
    );
}

#[test]
fn extra_args() {
    let args = |name: &str, value: Option<&str>| {
        Some(BTreeMap::from([(
            name.to_owned(),
            value.map(str::to_owned),
        )]))
    };
    assert_eq!(beyond(|o| o.extra_args = args("debug", None)), ["--debug"]);
    assert_eq!(
        beyond(|o| o.extra_args = args("x", Some("-y z"))),
        ["--x=-y z"]
    );
    for name in ["", "--model", "a=b", "a b"] {
        assert_eq!(refused(|o| o.extra_args = args(name, None)), "extra_args");
    }
}
