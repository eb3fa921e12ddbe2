//! A user's line on stdin: what real CLIs take.

use claw_types::api::MessageParam;
use claw_types::dialect::{self, Dialect};
use claw_types::message::{UserMessage, UserPrompt};
use claw_types::{Message, StdinMessage, Tri, from_line};

use crate::support::stdin;

/// As the documentation of Claude Code shows it. 2.1.200 and 2.1.329 take it.
const SHORTEST: &str = r#"{"type":"user","message":{"role":"user","content":"hi"}}"#;

fn prompt(line: &str) -> UserPrompt {
    match stdin(line) {
        StdinMessage::User(prompt) => *prompt,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_the_cli_takes_is_read_and_sent_on_as_it_came() {
    for rest in [
        "",
        r#","parent_tool_use_id":null"#,
        r#","parent_tool_use_id":"toolu_1""#,
        r#","uuid":null,"session_id":null"#,
        r#","session_id":"""#,
    ] {
        let line = SHORTEST.replace("\"}}", &format!("\"}}{rest}}}"));
        let read = prompt(&line);
        assert_eq!(read.message.content.text(), "hi");
        assert_eq!(serde_json::to_string(&read).unwrap(), line);
    }
    assert_eq!(prompt(SHORTEST).parent_tool_use_id, Tri::Absent);
}

#[test]
fn what_the_cli_does_not_take_is_refused() {
    for (line, path) in [
        (r#"{"type":"user"}"#, ""),
        (r#"{"type":"user","message":null}"#, "message"),
        (r#"{"type":"user","message":"hi"}"#, "message"),
        (r#"{"type":"user","content":"hi"}"#, ""),
        (r#"{"type":"user","message":{"content":"hi"}}"#, "message"),
        (r#"{"type":"user","message":{"role":"user"}}"#, "message"),
    ] {
        let error = from_line::<StdinMessage>(line.as_bytes()).unwrap_err();
        assert_eq!(error.path(), path, "{line}: {error}");
    }
}

#[test]
fn what_claude_writes_always_says_whom_it_is_for() {
    let error = from_line::<Message>(SHORTEST.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("parent_tool_use_id"), "{error}");
    // Which way a line went is not known there: one that says too little is an older one.
    let read = dialect::from_line(SHORTEST.as_bytes()).unwrap();
    assert!(matches!(read, Dialect::User(_)), "{read:?}");
}

#[test]
fn one_form_is_made_of_the_other() {
    let written = UserMessage::new(MessageParam::user("hi"))
        .uuid("u")
        .is_meta(true);
    let line = r#"{"type":"user","message":{"role":"user","content":"hi"},"parent_tool_use_id":null,"uuid":"u","is_meta":true}"#;
    assert_eq!(stdin(line), StdinMessage::from(written.clone()));
    assert_eq!(UserMessage::from(prompt(line)), written);
    let without = line.replace(r#""parent_tool_use_id":null,"#, "");
    assert_eq!(UserMessage::from(prompt(&without)), written);
    let agents = line.replace(":null", r#":"toolu_1""#);
    let message = UserMessage::from(prompt(&agents));
    assert_eq!(message.parent_tool_use_id.unwrap(), "toolu_1");
}
