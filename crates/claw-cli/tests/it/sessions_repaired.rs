//! `claw sessions repair`.

use std::fs;

use serde_json::{Value, json};

use crate::claw::{claw, ran, text};
use crate::sessions::{Home, ONE, user};

const A: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const B: &str = "aaaaaaaa-0000-4000-8000-000000000002";
/// A parent with characters that a terminal must not get.
const HOSTILE: &str = "x\u{1b}[31m";

#[test]
fn a_broken_session_is_checked_and_mended_in_a_copy() {
    let home = Home::new();
    let name = format!("{ONE}.jsonl");
    let text = format!(
        "{}\n\0\0{}\n{{\"type\":\"us\n",
        user(A, None, "One"),
        user(B, Some(HOSTILE), "Two")
    );
    fs::write(home.file(&name), &text).unwrap();
    let list = "line 2: 2 NUL bytes: removed\n\
        line 2: no line is the parent x\\u{1b}[31m: the parent is line 1 now (harmless)\n\
        line 3: 11 bytes that are no record: left out\n";

    let checked = home.run(&["repair", &ONE[..8], "--check-only"]);
    assert_eq!((checked.code, &*checked.stderr), (Some(1), ""));
    assert_eq!(
        checked.stdout,
        format!("{list}Nothing was written. Without --check-only, a mended copy is made.\n")
    );
    assert_eq!(fs::read_dir(home.file("")).unwrap().count(), 1);

    let mended = home.good(&["repair", &ONE[..8]]);
    let start = format!("{list}{ONE} is unchanged. The mended copy: claude --resume ");
    let copy = mended.strip_prefix(&start).expect(&mended).trim_end();
    assert_eq!(fs::read_to_string(home.file(&name)).unwrap(), text);
    let shown = home.good(&["show", copy]);
    assert!(shown.contains("One") && shown.contains("Two"), "{shown}");

    let whole = home.good(&["repair", copy, "--check-only"]);
    assert_eq!(whole, format!("Nothing is broken in {copy}.\n"));
    let object = home.good(&["repair", copy, "--json"]);
    let object: Value = serde_json::from_str(&object).unwrap();
    assert_eq!(
        object,
        json!({
            "sessionId": copy, "copyId": null, "isNeeded": false, "changes": [], "moreChanges": 0,
            "leftOut": [],
        })
    );
    let object: Value = serde_json::from_str(&home.good(&["repair", ONE, "--json"])).unwrap();
    let first = &object["changes"][0];
    assert_eq!(
        first,
        &json!({
            "file": null, "line": 2, "problem": "nul", "effect": "recovered",
            "text": "2 NUL bytes: removed",
        })
    );
    assert!(object["copyId"].is_string());
}

#[test]
fn what_the_cli_reads_anyway_is_called_harmless() {
    let home = Home::new();
    let name = format!("{ONE}.jsonl");
    let text = format!("\u{feff}{}\n", user(A, None, "One"));
    fs::write(home.file(&name), text).unwrap();
    let checked = home.run(&["repair", ONE, "--check-only"]);
    assert_eq!(checked.code, Some(1));
    assert_eq!(
        checked.stdout,
        "line 1: a byte order mark: removed (harmless)\n\
         claude reads the session in the same way without a repair.\n\
         Nothing was written. Without --check-only, a mended copy is made.\n"
    );
    let none = home.run(&["repair", "99999999"]);
    assert_eq!((none.code, &*none.stdout), (Some(3), ""));
}

#[test]
fn a_check_of_a_broken_session_proposes_the_repair() {
    let home = Home::new();
    let file = home.file(&format!("{ONE}.jsonl"));
    fs::write(&file, format!("{}\n{{\"type\n", user(A, None, "One"))).unwrap();
    let check = |file: &std::path::Path| {
        let mut check = claw(&["check", text(file)]);
        ran(check.env("HOME", home.path()).output().unwrap())
    };
    let checked = check(&file);
    assert_eq!(checked.code, Some(1));
    let proposal = format!("A copy can be mended: claw sessions repair {ONE}\n");
    assert!(checked.stderr.ends_with(&proposal), "{}", checked.stderr);
    // A file elsewhere is no session.
    let other = home.path().join(format!("{ONE}.jsonl"));
    fs::copy(&file, &other).unwrap();
    let checked = check(&other);
    assert_eq!(checked.code, Some(1));
    assert!(!checked.stderr.contains("repair"), "{}", checked.stderr);
}
