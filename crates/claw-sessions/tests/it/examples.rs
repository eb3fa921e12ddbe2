//! The programs in `examples/`, each run.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::folder::{Folder, ID, conversation};

/// What an example prints, with these sessions as the user's.
fn run(name: &str, folder: &Folder, arguments: &[&str]) -> String {
    let test = std::env::current_exe().unwrap();
    // Where `cargo test` puts it: beside the folder of this test.
    let examples = test.ancestors().nth(2).unwrap().join("examples");
    let path = examples.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.is_file(),
        "{} is not built: run all tests of the package, or `cargo build -p claw-sessions --examples`",
        path.display()
    );
    let mut example = Command::new(path);
    example.env("CLAUDE_CONFIG_DIR", folder.config());
    example.env_remove("CLAUDE_CODE_PROJECT_DIR_NAME");
    let output = example.args(arguments).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn fork() {
    let folder = Folder::new();
    let session = folder.add(ID, &conversation(4).join("\n"));
    let printed = run("fork", &folder, &[ID, "", "Another one"]);
    let fork = session.sessions().find(printed.trim()).unwrap();
    let info = fork.info().unwrap().unwrap();
    assert_eq!(info.custom_title.as_deref(), Some("Another one"));
    assert_eq!(fork.messages().read().unwrap().messages.len(), 4);
}

#[test]
fn history() {
    let folder = Folder::new();
    let work = folder.config().join("work");
    let project = folder
        .config()
        .join("projects")
        .join(claw_sessions::slug(&work));
    std::fs::create_dir(&work).unwrap();
    std::fs::create_dir(&project).unwrap();
    let lines = conversation(2).join("\n");
    std::fs::write(project.join(format!("{ID}.jsonl")), lines).unwrap();
    let printed = run("history", &folder, &[work.to_str().unwrap()]);
    let lines: Vec<_> = printed.lines().collect();
    assert_eq!(lines.len(), 2, "{printed}");
    assert!(lines[0].starts_with("user: ") && lines[0].contains("words 0"));
    assert!(lines[1].starts_with("assistant: ") && lines[1].contains("words 1"));
}

#[test]
fn usage() {
    let folder = Folder::new();
    let answer = r#"{"type":"assistant","uuid":"a1","parentUuid":null,"timestamp":"2026-01-02T00:00:00.000Z","sessionId":"s","isSidechain":false,"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":30,"output_tokens":12}}}"#;
    let lines = [conversation(1), vec![answer.to_owned()]].concat();
    folder.add(ID, &lines.join("\n"));
    let printed = run("usage", &folder, &[]);
    let first = printed.lines().next().unwrap_or_default();
    let words: Vec<_> = first.split_whitespace().collect();
    assert_eq!(words, ["2026-01-02", "1", "answers", "42", "tokens"]);
    assert!(printed.contains("words 0"), "{printed}");
}

#[test]
fn every_example_has_a_test() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let there = std::fs::read_dir(folder).unwrap().map(|entry| {
        let path = entry.unwrap().path();
        path.file_stem().unwrap().to_str().unwrap().to_owned()
    });
    let tested = ["fork", "history", "usage"].map(str::to_owned);
    assert_eq!(there.collect::<BTreeSet<_>>(), tested.into_iter().collect());
}
