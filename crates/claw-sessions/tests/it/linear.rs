//! Usage, search, export and repair do work in proportion to the size of a transcript.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use claw_sessions::Sessions;
use claw_testkit::cost::{self, Row};
use tempfile::TempDir;

const ID: &str = "11111111-1111-4111-8111-111111111111";

/// Sessions with these texts as their transcripts.
fn folder(transcripts: impl IntoIterator<Item = String>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("projects/p");
    fs::create_dir_all(&project).unwrap();
    for (number, text) in transcripts.into_iter().enumerate() {
        let id = format!("{number:08}-{}", &ID[9..]);
        fs::write(project.join(format!("{id}.jsonl")), text).unwrap();
    }
    folder
}

fn sessions(folder: &Path) -> Sessions {
    Sessions::new(folder)
}

fn place(number: usize) -> String {
    format!(
        r#""parentUuid":null,"isSidechain":false,"uuid":"u{number}","timestamp":"2026-11-22T10:00:00Z","sessionId":"s""#
    )
}

fn answer(number: usize, id: usize) -> String {
    let place = place(number);
    format!(
        r#"{{"type":"assistant",{place},"message":{{"id":"m{id}","type":"message","role":"assistant","model":"m{id}","content":[],"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":1,"output_tokens":1}}}}}}
"#
    )
}

fn user(text: &str) -> String {
    let place = place(0);
    format!(
        "{{\"type\":\"user\",{place},\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
    )
}

fn usage<'a>(what: &str, transcripts: impl Fn(usize) -> Vec<String> + 'a) -> Row<'a> {
    Row::new(what, 200, move |size| {
        let folder = folder(transcripts(size));
        Box::new(move || {
            let report = sessions(folder.path()).usage().run().unwrap();
            assert!(report.total.all.answers > 0);
        })
    })
}

fn search<'a>(
    what: &str,
    needle: &'a str,
    any: bool,
    text: impl Fn(usize) -> String + 'a,
) -> Row<'a> {
    let needle = needle.to_owned();
    Row::new(what, 2000, move |size| {
        let folder = folder([text(size)]);
        let needle = needle.clone();
        Box::new(move || {
            let sessions = sessions(folder.path());
            let mut search = sessions.search(needle).ignore_case();
            if any {
                search = search.everything();
            }
            assert_eq!(search.run().unwrap().flatten().count(), 0);
        })
    })
}

fn repair<'a>(what: &str, text: impl Fn(usize) -> String + 'a) -> Row<'a> {
    Row::new(what, 200, move |size| {
        let folder = folder([text(size)]);
        Box::new(move || {
            let session = sessions(folder.path()).find_by_prefix("0").unwrap();
            assert!(!session.repair().plan().unwrap().changes.is_empty());
        })
    })
}

#[test]
fn twice_as_much_takes_twice_the_work() {
    let all =
        |lines: usize, line: &dyn Fn(usize) -> String| (0..lines).map(line).collect::<String>();
    let rows = [
        usage("answers", |size| {
            vec![all(size, &|number| answer(number, number))]
        }),
        usage("lines of one answer", |size| {
            vec![all(size, &|number| answer(number, 0))]
        }),
        usage("sessions", |size| {
            (0..size / 4).map(|number| answer(number, number)).collect()
        }),
        usage("forks", |size| {
            let copy = |number: usize| {
                answer(number, number).replacen('{', "{\"forkedFrom\":{\"sessionId\":\"x\"},", 1)
            };
            vec![all(size, &copy), all(size, &copy), all(size, &copy)]
        }),
        search(
            "a line of what nearly fits",
            "aaaaaaaaaaab",
            false,
            |size| user(&"a".repeat(10 * size)),
        ),
        search(
            "capitals that are longer in lower case",
            "iiib",
            false,
            |size| user(&"\u{130}".repeat(size)),
        ),
        search("strings of all kinds", "needle", true, |size| {
            "\"\\u00".repeat(size)
        }),
        search("strings that begin", "needle", true, |size| {
            user(&"\\u00e9\\\"".repeat(size))
        }),
        repair("short versions of a long line", |size| {
            // In smaller files, the first allocations are a large part of the work.
            let size = 4 * size;
            all(size, &|number| user(&number.to_string())) + &user(&"long ".repeat(100 * size))
        }),
        repair("records on one line", |size| {
            all(size, &|number| answer(number, number)).replace('\n', "")
        }),
        repair("beginnings of records", |size| "{\"a\":".repeat(size)),
        repair("escapes that are not valid", |size| {
            user(&"\\x\\ud83d".repeat(size))
        }),
        repair("parents that no line has", |size| {
            let line = |number| answer(number, number).replace("null,\"isS", "\"x\",\"isS");
            all(size, &line)
        }),
        Row::new("an export", 200, move |size| {
            let text = user(&"`\\n".repeat(size)) + &all(size, &|number| answer(number, number));
            let folder = folder([text]);
            Box::new(move || {
                let session = sessions(folder.path()).find_by_prefix("0").unwrap();
                assert!(session.export_markdown(&mut Vec::new()).unwrap().is_empty());
            })
        }),
    ];
    cost::is_linear("linear::twice_as_much_takes_twice_the_work", &rows);
}
