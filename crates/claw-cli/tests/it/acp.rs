//! `claw acp`, as an editor starts it.
#![cfg(feature = "terminal")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use super::claw::{claw, ran};

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
    assert_eq!(login["args"], json!(["--login"]));
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

/// An editor logs a person in with the command by which it starts the agent, and the arguments that the agent names. One
/// that is older runs the command that the agent names.
#[cfg(unix)]
#[test]
fn the_login_that_is_offered_runs_the_login_of_claude() {
    let folder = tempfile::tempdir().unwrap();
    let claude = folder.path().join("claude");
    super::claw::script(&claude, "#!/bin/sh\necho \"logs in: $*\"\n");
    let record = folder.path().join("record");
    let invocation = [
        "acp",
        "--model",
        "opus",
        "--record",
        record.to_str().unwrap(),
    ];
    let older = json!({"terminal": true, "_meta": {"terminal-auth": true}});
    let params = json!({"protocolVersion": 1, "clientCapabilities": older});
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let mut child = claw(&invocation)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{line}").unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let method = &answer["result"]["authMethods"][0];
    let texts = |list: &Value| -> Vec<String> {
        let list = list.as_array().unwrap().iter();
        list.map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let appended = [
        invocation.map(str::to_owned).to_vec(),
        texts(&method["args"]),
    ]
    .concat();
    let command = &method["_meta"]["terminal-auth"];
    assert_eq!(command["command"], env!("CARGO_BIN_EXE_claw"));
    for arguments in [appended, texts(&command["args"])] {
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let mut login = claw(&arguments);
        let login = login.env("CLAW_CLAUDE_PATH", &claude);
        let ran = ran(login.output().unwrap());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{arguments:?}");
        assert_eq!(ran.stdout, "logs in: auth login\n");
    }
}

/// ACP-STDERR-001 of the protocol's test kit.
#[test]
fn acp_stderr_001_a_whole_session_writes_nothing_to_stderr() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.json");
    let says = claw_testkit::agent::Script::reply("Yes.");
    std::fs::write(&script, serde_json::to_string(&says).unwrap()).unwrap();
    let mut agent = claw(&["acp"])
        .env("CLAW_CLAUDE_PATH", claw_testkit::agent::program().unwrap())
        .env("CLAW_AGENT_SCRIPT", &script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = agent.stdin.take().unwrap();
    let mut lines = BufReader::new(agent.stdout.take().unwrap()).lines();
    let mut ask = |id: u64, method: &str, params: Value| {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(stdin, "{line}").unwrap();
        let mut answers = lines.by_ref().map(|line| {
            let line = line.unwrap();
            serde_json::from_str::<Value>(&line).unwrap()
        });
        let answer = answers.find(|line| line["id"] == id && line.get("method").is_none());
        answer.unwrap()["result"].clone()
    };
    let initialize = json!({"protocolVersion": 1, "clientCapabilities": {}});
    ask(1, "initialize", initialize);
    let new = json!({"cwd": folder.path(), "mcpServers": []});
    let session = ask(2, "session/new", new)["sessionId"].clone();
    let prompt = json!({"sessionId": session, "prompt": [{"type": "text", "text": "Hello?"}]});
    assert_eq!(ask(3, "session/prompt", prompt)["stopReason"], "end_turn");
    drop(stdin);
    let output = agent.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
