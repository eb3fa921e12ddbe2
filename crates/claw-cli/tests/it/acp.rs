//! `claw acp`, as an editor starts it.
#![cfg(feature = "acp")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use super::claw::claw;

#[test]
fn an_editor_gets_an_answer_and_the_command_ends_with_its_stdin() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let mut child = claw(&["acp", "--record", record.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let terminal = json!({"auth": {"terminal": true}});
    let params = json!({"protocolVersion": 1, "clientCapabilities": terminal});
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    writeln!(stdin, "{line}").unwrap();
    let mut answer = String::new();
    stdout.read_line(&mut answer).unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["result"]["agentInfo"]["name"], "claw");
    let login = &answer["result"]["authMethods"][0];
    assert_eq!(login["args"], json!(["acp", "--login"]));
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let recorded = std::fs::read_to_string(record.join("editor.jsonl")).unwrap();
    let from: Vec<_> = recorded
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["from"].clone())
        .collect();
    assert_eq!(from, ["editor", "claw"]);
}
