use claw_types::options::AskUserQuestionConfig;

use super::*;

const STATE: &str = "CLAUDE_CODE_SDK_READS_SESSION_STATE";
const CRASHES: &str = "BUN_ENABLE_CRASH_REPORTING";
const CRASH_URL: &str = "BUN_CRASH_REPORT_URL";

fn env(pairs: &[(&str, Option<&str>)], host: &[&str]) -> BTreeMap<OsString, Option<OsString>> {
    let pairs = pairs
        .iter()
        .map(|(n, v)| ((*n).to_owned(), v.map(str::to_owned)));
    let options = QueryOptions::default().env(pairs.collect::<claw_types::Map<_>>());
    overlay(&options, host.iter().map(Into::into))
}

#[test]
fn defaults_are_applied() {
    let env = env(&[], &[]);
    for name in [
        "CLAUDECODE",
        "CLAUDE_CODE_ENTRYPOINT",
        "NODE_OPTIONS",
        "DEBUG",
        "CLAUDE_CODE_QUESTION_EXTENDED",
        "CLAUDE_CODE_QUESTION_OPTIONAL_DESCRIPTIONS",
        "CLAUDE_CODE_AGENT_PROGRESS_SUMMARIES",
    ] {
        assert_eq!(env[&OsString::from(name)], None, "{name}");
    }
    let state = OsString::from("CLAUDE_CODE_SDK_READS_SESSION_STATE");
    assert_eq!(env[&state], Some("1".into()));
    assert_eq!(env[&OsString::from(CRASHES)], Some("0".into()));
}

#[test]
fn what_the_host_has_set_stays() {
    assert!(!env(&[], &[STATE]).contains_key(&OsString::from(STATE)));
    for reports in [CRASHES, CRASH_URL] {
        assert!(!env(&[], &[reports]).contains_key(&OsString::from(CRASHES)));
    }
}

#[test]
fn a_place_for_crash_reports_among_the_options_keeps_them_on() {
    let asked = env(&[(CRASH_URL, Some("http://127.0.0.1"))], &[]);
    assert!(!asked.contains_key(&OsString::from(CRASHES)));
    let removed = env(&[(CRASH_URL, None)], &[]);
    assert_eq!(removed[&OsString::from(CRASHES)], Some("0".into()));
}

#[test]
fn the_options_win() {
    let env = env(
        &[
            ("CLAUDECODE", Some("1")),
            ("CLAUDE_CODE_SDK_READS_SESSION_STATE", None),
            ("PATH", None),
            ("MINE", Some("x")),
        ],
        &[],
    );
    assert_eq!(env[&OsString::from("CLAUDECODE")], Some("1".into()));
    assert_eq!(
        env[&OsString::from("CLAUDE_CODE_SDK_READS_SESSION_STATE")],
        None
    );
    assert_eq!(env[&OsString::from("PATH")], None);
    assert_eq!(env[&OsString::from("MINE")], Some("x".into()));
}

#[test]
fn options_that_are_variables() {
    const CHECKPOINTING: &str = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
    const PREVIEW_FORMAT: &str = "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT";
    let with = |options: &QueryOptions, name: &str| {
        let env = overlay(options, []);
        env.get(OsStr::new(name)).cloned()
    };
    let checkpoints = QueryOptions::default().enable_file_checkpointing(true);
    assert_eq!(with(&checkpoints, CHECKPOINTING), Some(Some("true".into())));
    let format = AskUserQuestionConfig::new().preview_format("html");
    let html = QueryOptions::default().tool_config(ToolConfig::new().ask_user_question(format));
    assert_eq!(with(&html, PREVIEW_FORMAT), Some(Some("html".into())));
    let none = QueryOptions::default().enable_file_checkpointing(false);
    for name in [CHECKPOINTING, PREVIEW_FORMAT] {
        assert_eq!(with(&none, name), None);
    }
}

#[test]
fn the_variables_of_claw_itself_stay_with_claw() {
    let hidden = [
        "CLAW_STORE",
        "CLAW_CLUSTER_KEY",
        "CLAW_NOTIFY",
        "CLAW_NOTIFY_SECRET",
        "CLAW_WHATEVER_COMES_NEXT",
        "CLAW_",
        "AGENT_AUTH_TOKEN",
        "claw_store",
    ];
    let inherited = ["PATH", "CLAW", "CLAWS", "CLAW_SESSION", "CLAW_AGENT_SCRIPT"];
    let host: Vec<_> = hidden.iter().chain(&inherited).copied().collect();
    let env = env(&[("CLAW_NOTIFY", Some("mine"))], &host);
    for name in hidden {
        let expected = (name == "CLAW_NOTIFY").then(|| "mine".into());
        assert_eq!(env[&OsString::from(name)], expected, "{name}");
    }
    for name in inherited {
        assert!(!env.contains_key(&OsString::from(name)), "{name}");
    }
}
