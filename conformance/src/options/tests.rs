use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::cases::Case;
use super::reasons::{judge, rows};
use super::record::{Found, Record, compare};

const TABLE: &str = "\
| what | why |
|---|---|
| elsewhere | another table |

### Differences in what the CLI receives

| what | there | here | why |
|---|---|---|---|
| a flag | two words | one | because |

### Elsewhere

| what | there | here | why |
|---|---|---|---|
| stderr | short | long | |
";

fn record(raw: &Value) -> Record {
    let host = BTreeMap::from([
        ("PATH".to_owned(), "/bin".to_owned()),
        ("DEBUG".to_owned(), "1".to_owned()),
    ]);
    Record::parse(&raw.to_string(), &host).unwrap()
}

fn keys(there: &Value, here: &Value) -> Vec<String> {
    let found = compare(&record(there), &record(here));
    found
        .differences
        .into_iter()
        .map(|difference| difference.key)
        .collect()
}

#[test]
fn the_way_and_what_goes_it_are_two_things() {
    let there = json!({"argv": ["--settings", "{\"a\":1}", "--plugin-dir=/p", "--debug"],
        "env": {"PATH": "/bin"}});
    let here = json!({"argv": ["--debug"], "env": {"PATH": "/bin"}, "initialize": {
        "subtype": "initialize", "settings": {"a": 1},
        "plugins": [{"type": "local", "path": "/other"}]}});
    let expected = [
        "plugins: other",
        "way of plugins: other",
        "way of settings: other",
    ];
    assert_eq!(keys(&there, &here), expected);
    let file = json!({"argv": ["--settings=FILE{\"a\": 1}", "--debug"], "env": {"PATH": "/bin"}});
    let expected = [
        "plugins: only there",
        "way of plugins: only there",
        "way of settings: other",
    ];
    assert_eq!(keys(&there, &file), expected);
}

#[test]
fn each_piece_is_compared() {
    let there = json!({"argv": ["--model=a", "--add-dir=/a", "--add-dir=/b", "--x", "1"],
        "env": {"PATH": "/bin", "A": "1"}, "initialize": {"title": "t"}, "prompt": {"uuid": "1"}});
    let here = json!({"argv": ["--model=b", "--add-dir=/b", "--add-dir=/a", "--x=1"], "cwd": "/x",
        "env": {"PATH": "/usr/bin", "DEBUG": "1"}, "prompt": {"uuid": "2"}});
    let expected = [
        "argv --add-dir: other",
        "argv --model: other",
        "argv --x: other",
        "cwd: other",
        "env A: only there",
        "env DEBUG: only there",
        "env PATH: only here",
        "initialize title: only there",
    ];
    assert_eq!(keys(&there, &here), expected);
    assert_eq!(keys(&there, &there), [""; 0]);
}

#[test]
fn a_refusal_is_all_that_is_said() {
    let taken = json!({"argv": ["--x"]});
    let refused = json!({"refused": "no"});
    assert_eq!(keys(&taken, &refused), ["refused: only here"]);
    let both = compare(&record(&refused), &record(&json!({"refused": "never"})));
    assert!(both.refused && both.differences.is_empty());
}

fn case(rest: &Value) -> Case {
    let mut case = json!({"option": "x"});
    case.as_object_mut()
        .unwrap()
        .extend(rest.as_object().unwrap().clone());
    serde_json::from_value(case).unwrap()
}

fn found() -> Found {
    compare(
        &record(&json!({"argv": ["--x", "1"]})),
        &record(&json!({"argv": ["--x=1"]})),
    )
}

#[test]
fn explained_is_what_has_a_row_and_the_row_what_explains() {
    let rows = rows(TABLE);
    assert_eq!(rows.iter().collect::<Vec<_>>(), ["a flag"]);
    let explained = case(&json!({"differs": {"argv --x: other": "a flag"}}));
    assert_eq!(
        judge(std::slice::from_ref(&explained), &[found()], &rows),
        [""; 0]
    );
    let fails = |case: Case, found: Found, words: &[&str]| {
        let problems = judge(&[case], &[found], &rows);
        assert_eq!(problems.len(), words.len(), "{problems:?}");
        for (problem, words) in problems.iter().zip(words) {
            assert!(problem.contains(words), "{problem}");
        }
    };
    fails(
        case(&json!({})),
        found(),
        &["not explained: argv --x", "`a flag`"],
    );
    fails(
        explained.clone(),
        Found::default(),
        &["but gone: argv --x", "`a flag`"],
    );
    let elsewhere = case(&json!({"differs": {"argv --x: other": "stderr"}}));
    fails(elsewhere, found(), &["has no row `stderr`", "`a flag`"]);
    let refused = Found {
        refused: true,
        ..found()
    };
    fails(explained, refused, &["now refused by both"]);
}
