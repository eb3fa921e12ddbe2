//! `claw check`.

use std::fs;

use crate::claw::{Ran, claw, fixtures, long_line, ran, text};
use crate::show::answer;

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

/// Every file of every recording: what was written, what was sent, what was left on disk. Of most transcripts,
/// the longest lines are not kept.
#[test]
fn no_recording_has_a_violation() {
    let (mut lines, mut folders, mut found) = (0, 0, Vec::new());
    for folder in fs::read_dir(fixtures()).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let ran = ran(claw(&["check", "--gaps", text(&folder)]).output().unwrap());
        let of_folder = fs::read_dir(&folder).unwrap().map(|file| {
            let file = file.unwrap().path();
            let is_lines = file.extension().is_some_and(|end| end == "ndjson");
            is_lines.then(|| fs::read_to_string(file).unwrap().lines().count())
        });
        let of_folder: usize = of_folder.flatten().sum();
        // Some were recorded to show what claw does not know: notes are no violations.
        let wrong = ran.stdout.lines().any(|line| !line.contains(": note: "));
        let summary = format!("{of_folder} lines, 0 violations, ");
        if ran.code != Some(0) || wrong || !ran.stderr.starts_with(&summary) {
            let name = folder.display();
            found.push(format!("{name}: {}{}", ran.stdout, ran.stderr));
        }
        folders += 1;
        lines += of_folder;
    }
    assert!(found.is_empty(), "{}", found.concat());
    assert!(folders > 100 && lines > 3_000, "{folders}, {lines}");
}

#[test]
fn a_whole_transcript_has_no_gaps() {
    let file = fixtures().join("compact/transcript.ndjson");
    let lines = fs::read_to_string(&file).unwrap();
    let (code, violations) = found(&lines);
    assert_eq!((code, &*violations), (Some(0), &[][..]));
    // The line that the last but one stands on is taken out.
    let mut lines: Vec<_> = lines.lines().collect();
    let named = |line: &str, key: &str| {
        serde_json::from_str::<serde_json::Value>(line).unwrap()[key].clone()
    };
    let parent = lines
        .iter()
        .rev()
        .map(|line| named(line, "parentUuid"))
        .find(serde_json::Value::is_string);
    lines.retain(|line| named(line, "uuid") != *parent.as_ref().unwrap());
    let (code, violations) = found(&lines.join("\n"));
    assert_eq!(code, Some(1));
    assert!(
        violations.len() == 1 && violations[0].contains(": parentExists: "),
        "{violations:?}"
    );
}

#[test]
fn what_a_file_was_written_with_does_not_matter() {
    let lines = fs::read_to_string(fixtures().join("text/stdout.ndjson")).unwrap();
    let other_ends = lines.replace('\n', "\r\n");
    for lines in [
        format!("\u{feff}{lines}"),
        format!("\u{feff}{other_ends}"),
        lines.trim_end().to_owned(),
    ] {
        assert_eq!(found(&lines), (Some(0), Vec::new()));
    }
    for nothing in ["", "\n\n", "\u{feff}"] {
        assert_eq!(found(nothing), (Some(0), Vec::new()));
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
        "6: resultClosesTurn: the turn that began on line 1 has no result",
    ];
    assert_eq!(found.len(), starts.len(), "{found:?}");
    for (found, start) in found.iter().zip(starts) {
        assert!(found.starts_with(start), "{found}");
    }
}

/// What was written, what was sent and what was left on disk: in each, one byte that no line may have.
#[test]
fn a_line_that_is_not_utf_8_is_found_in_every_file() {
    let fixture = fixtures().join("text");
    for name in ["stdout.ndjson", "stdin.ndjson", "transcript.ndjson"] {
        let folder = tempfile::tempdir().unwrap();
        for file in fs::read_dir(&fixture).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
        let file = folder.path().join(name);
        let mut bytes = fs::read(&file).unwrap();
        // In a text of the last line that has an ID, so that the order of lines stays.
        let key = b"\"uuid\":\"";
        let at = bytes.windows(key.len()).rposition(|part| part == key);
        let at = at.unwrap() + key.len();
        bytes[at] = 0xff;
        let before = bytes[..at].rsplit(|byte| *byte == b'\n');
        let (column, line) = (before.clone().next().unwrap().len() + 1, before.count());
        fs::write(&file, bytes).unwrap();
        let ran = check(text(folder.path()));
        let finding = format!(
            "{}:{line}: readable: the line is not UTF-8 (column {column})\n",
            file.display()
        );
        assert_eq!(
            (ran.code, ran.stdout),
            (Some(1), finding),
            "{name}: {}",
            ran.stderr
        );
    }
}

#[test]
fn a_line_over_the_limit_is_found_and_the_next_one_is_read() {
    let (_folder, file) = long_line();
    let ran = check(text(&file));
    let name = file.display();
    let finding =
        format!("{name}:3: readable: the line is 67108865 bytes long, the limit is 67108864\n");
    assert_eq!((ran.code, ran.stdout), (Some(1), finding));
    assert_eq!(ran.stderr, "3 lines, 1 violations, 0 notes\n");
}

#[test]
fn what_is_not_known_is_a_note_and_no_fault() {
    let block = answer(1, "").replace(
        r#"{"type":"text","text":""}"#,
        r#"{"type":"text","text":"extra: {\nUnknown(","deep":{"a":1}},{"type":"poem"}"#,
    );
    let stranger = r#"{"type":"system","subtype":"brand_new","uuid":"n","session_id":"s"}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":1,"result":"","stop_reason":null,"total_cost_usd":0,"usage":{"output_tokens":1},"modelUsage":{},"permission_denials":[],"uuid":"r","session_id":"s","later":1}"#;
    let (code, found) = found(&[INIT, &block, stranger, "{\"no\":\"type\"}", result].join("\n"));
    let expected = [
        "2: note: the field deep of TextBlock is not known",
        "2: note: the kind poem is not known",
        "3: note: the kind system/brand_new is not known",
        "4: note: the kind without a name is not known",
        "5: note: the field later of ResultSuccess is not known",
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
    let none = check("no/such/file");
    assert_eq!(none.code, Some(3));
    assert!(
        none.stderr.starts_with("claw: no/such/file: "),
        "{}",
        none.stderr
    );
}

/// The lines are not good, which takes as long.
#[cfg(target_os = "linux")]
#[test]
fn checking_takes_no_more_than_linear_work() {
    crate::show::assert_linear(&|file| vec!["check".to_owned(), text(file).to_owned()]);
}
