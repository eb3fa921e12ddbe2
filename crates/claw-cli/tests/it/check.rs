//! `claw check`.

use std::fs;

use crate::claw::{Ran, claw, ran};
use crate::show::{LINEAR, answer, fixtures, sizes, text, time};

fn check(file: &str) -> Ran {
    ran(claw(&["check", file]).output().unwrap())
}

/// What is found in these lines, without the file's name.
fn found(lines: &str) -> (Option<i32>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.ndjson");
    fs::write(&file, lines).unwrap();
    let ran = check(text(&file));
    let name = format!("{}:", file.display());
    let lines = ran
        .stdout
        .lines()
        .map(|line| line.strip_prefix(&name).unwrap().to_owned());
    (ran.code, lines.collect())
}

const INIT: &str = r#"{"type":"system","subtype":"init","apiKeySource":"none","claude_code_version":"2.1.329","cwd":"/","tools":[],"mcp_servers":[],"model":"m","permissionMode":"default","slash_commands":[],"output_style":"default","skills":[],"plugins":[],"uuid":"i","session_id":"s"}"#;

#[test]
fn good_recordings_have_no_violation() {
    for name in [
        "bash_denied",
        "text",
        "text/transcript.ndjson",
        "subagent",
        "unpublished_turns",
    ] {
        let ran = check(text(&fixtures().join(name)));
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.stdout);
    }
}

#[test]
fn each_finding_has_its_line() {
    let lines = [
        INIT,
        &answer(1, "Hello."),
        "{\"type\":\"assistant\"}",
        "no JSON",
        "",
        &answer(1, "Hello again."),
    ];
    let (code, found) = found(&lines.join("\n"));
    assert_eq!(code, Some(1), "{found:?}");
    let starts = [
        "3: readable: ",
        "4: readable: ",
        "6: uniqueUuid: ",
        "6: resultClosesTurn: ",
    ];
    assert_eq!(found.len(), starts.len(), "{found:?}");
    for (found, start) in found.iter().zip(starts) {
        assert!(found.starts_with(start), "{found}");
    }
}

#[test]
fn what_is_not_known_is_a_note_and_no_fault() {
    let block = answer(1, "").replace(
        r#"{"type":"text","text":""}"#,
        r#"{"type":"text","text":"extra: {\nUnknown(","deep":{"a":1}},{"type":"poem"}"#,
    );
    let stranger = r#"{"type":"system","subtype":"brand_new","uuid":"n","session_id":"s"}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":1,"result":"","stop_reason":null,"total_cost_usd":0,"usage":{"output_tokens":1},"modelUsage":{},"permission_denials":[],"uuid":"r","session_id":"s","later":1}"#;
    let (code, found) = found(&[INIT, &block, stranger, result].join("\n"));
    let expected = [
        "2: note: the field deep of TextBlock is not known",
        "2: note: the kind poem is not known",
        "3: note: the kind system/brand_new is not known",
        "4: note: the field later of ResultSuccess is not known",
    ];
    assert_eq!(found, expected);
    assert_eq!(code, Some(0));
}

#[test]
fn a_finding_cannot_steer_the_terminal() {
    let (code, found) = found("{\"type\":\"\\u001b[2J\"}\n\u{1b}[2J\n");
    assert_eq!(code, Some(1));
    assert!(
        !found.is_empty() && !found.concat().contains('\u{1b}'),
        "{found:?}"
    );
}

#[test]
fn a_file_that_cannot_be_read_is_another_end() {
    assert_eq!(check("no/such/file").code, Some(3));
}

#[test]
fn checking_takes_no_more_than_linear_time() {
    let folder = tempfile::tempdir().unwrap();
    for [few, many] in sizes(folder.path()) {
        // These are not good, which takes as long.
        let (few, many) = (time(&["check", text(&few)]), time(&["check", text(&many)]));
        assert!(many < few * LINEAR, "{few:?}, then {many:?}");
    }
}
