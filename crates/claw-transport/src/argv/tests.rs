use claw_types::options::SettingSource;
use claw_types::{Json, Map};

use super::*;

const BASE: [&str; 3] = [
    "--output-format=stream-json",
    "--verbose",
    "--input-format=stream-json",
];

/// The arguments beyond those that every CLI gets.
fn beyond(options: &QueryOptions) -> Vec<String> {
    let words = argv(options, false).unwrap();
    let words: Vec<String> = words
        .into_iter()
        .map(|word| word.into_string().unwrap())
        .collect();
    assert_eq!(words[..3], BASE);
    words[3..].to_vec()
}

fn options() -> QueryOptions {
    QueryOptions::default()
}

fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn refused(options: &QueryOptions) -> &'static str {
    match argv(options, false) {
        Err(TransportError::InvalidOption { option, .. }) => option,
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_options_give_the_base() {
    assert_eq!(beyond(&options()), [""; 0]);
}

#[test]
fn permission_prompts() {
    let words = argv(&options(), true).unwrap();
    assert_eq!(words[3..], ["--permission-prompt-tool=stdio"]);
}

#[test]
fn model() {
    assert_eq!(beyond(&options().model("opus")), ["--model=opus"]);
}

#[test]
fn fallback_model() {
    let both = options().model("opus").fallback_model("haiku");
    assert_eq!(beyond(&both), ["--model=opus", "--fallback-model=haiku"]);
    assert_eq!(refused(&both.model("haiku")), "fallback_model");
}

#[test]
fn a_value_with_dashes_stays_a_value() {
    assert_eq!(beyond(&options().resume("--help")), ["--resume=--help"]);
}

#[test]
fn permission_mode() {
    let plan = options().permission_mode(PermissionMode::Plan);
    assert_eq!(beyond(&plan), ["--permission-mode=plan"]);
    assert_eq!(
        beyond(&options().permission_mode("new")),
        ["--permission-mode=new"]
    );
}

#[test]
fn bypass_permissions_needs_its_switch() {
    let bypass = options().permission_mode(PermissionMode::BypassPermissions);
    assert_eq!(refused(&bypass), "permission_mode");
    let expected = [
        "--permission-mode=bypassPermissions",
        "--allow-dangerously-skip-permissions",
    ];
    assert_eq!(
        beyond(&bypass.allow_dangerously_skip_permissions(true)),
        expected
    );
}

#[test]
fn allow_dangerously_skip_permissions() {
    let words = beyond(&options().allow_dangerously_skip_permissions(true));
    assert_eq!(words, ["--allow-dangerously-skip-permissions"]);
    assert_eq!(
        beyond(&options().allow_dangerously_skip_permissions(false)),
        [""; 0]
    );
}

#[test]
fn tools() {
    assert_eq!(
        beyond(&options().tools(strings(&["Bash", "Read"]))),
        ["--tools=Bash,Read"]
    );
    assert_eq!(beyond(&options().tools(strings(&[]))), ["--tools="]);
}

#[test]
fn allowed_tools() {
    let words = beyond(&options().allowed_tools(strings(&["Bash(git *)", "Read"])));
    assert_eq!(words, ["--allowedTools=Bash(git *),Read"]);
    assert_eq!(beyond(&options().allowed_tools(strings(&[]))), [""; 0]);
}

#[test]
fn disallowed_tools() {
    let words = beyond(&options().disallowed_tools(strings(&["Bash"])));
    assert_eq!(words, ["--disallowedTools=Bash"]);
    assert_eq!(beyond(&options().disallowed_tools(strings(&[]))), [""; 0]);
}

#[test]
fn max_turns() {
    assert_eq!(beyond(&options().max_turns(3)), ["--max-turns=3"]);
    let error = argv(&options().max_turns(0), false).unwrap_err();
    assert!(error.to_string().contains("max_turns"), "{error}");
}

#[test]
fn max_budget_usd() {
    assert_eq!(
        beyond(&options().max_budget_usd(0.5)),
        ["--max-budget-usd=0.5"]
    );
}

#[test]
fn include_partial_messages() {
    let words = beyond(&options().include_partial_messages(true));
    assert_eq!(words, ["--include-partial-messages"]);
}

#[test]
fn setting_sources() {
    let sources = [SettingSource::User, SettingSource::Project];
    assert_eq!(
        beyond(&options().setting_sources(sources)),
        ["--setting-sources=user,project"]
    );
    assert_eq!(
        beyond(&options().setting_sources([])),
        ["--setting-sources="]
    );
}

#[test]
fn additional_directories() {
    let words = beyond(&options().additional_directories(["/a".into(), "/b c".into()]));
    assert_eq!(words, ["--add-dir=/a", "--add-dir=/b c"]);
}

#[test]
fn continue_session() {
    assert_eq!(beyond(&options().continue_session(true)), ["--continue"]);
}

#[test]
fn resume() {
    assert_eq!(beyond(&options().resume("abc")), ["--resume=abc"]);
}

#[test]
fn fork_session() {
    let fork = options().resume("abc").fork_session(true);
    assert_eq!(beyond(&fork), ["--resume=abc", "--fork-session"]);
}

#[test]
fn session_id() {
    assert_eq!(beyond(&options().session_id("abc")), ["--session-id=abc"]);
}

#[test]
fn extra_args() {
    let with = |name: &str, value: Option<&str>| {
        options().extra_args(
            [(name, value.map(str::to_owned))]
                .into_iter()
                .collect::<Map<_>>(),
        )
    };
    assert_eq!(beyond(&with("debug", None)), ["--debug"]);
    assert_eq!(beyond(&with("x", Some("-y z"))), ["--x=-y z"]);
    for name in ["", "--model", "a=b", "a b"] {
        assert_eq!(refused(&with(name, None)), "extra_args");
    }
}

#[test]
fn an_option_that_nobody_knows_is_refused() {
    let mut misspelt = options();
    misspelt
        .extra
        .insert("disallowedTool", Json::empty_object());
    let error = argv(&misspelt, false).unwrap_err();
    assert!(error.to_string().contains("`disallowedTool`"), "{error}");
    let mut absent = options();
    absent.extra.insert("brandNew", Json::null());
    assert_eq!(beyond(&absent), [""; 0]);
}
