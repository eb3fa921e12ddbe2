//! Four sessions, each twice: as "Message Types Reference" has them, and as the real CLI does.

use std::fs;
use std::path::{Path, PathBuf};

use claw_types::api::ContentBlock;
use claw_types::dialect::{self, Dialect};
use claw_types::message::AssistantMessageError;
use claw_types::{Message, from_line};

use super::documents::example;
use super::{REFERENCE, fill};

/// Name, the document's example, the recording.
const SESSIONS: [(&str, &str, &str); 4] = [
    ("simple_query", "session_simple_query", "text"),
    ("tool_use", "session_tool_use", "bash_allowed"),
    ("error_response", "wire_error_result", "unauthorized"),
    ("thinking_content", "wire_thinking", "thinking"),
];

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn session(kind: &str, name: &str) -> String {
    fs::read_to_string(package().join(format!("fixtures/sessions/{kind}/{name}.ndjson"))).unwrap()
}

/// What the documented session becomes.
fn documented(name: &str) -> Vec<Message> {
    let upgrade = |line: &str| {
        let old = dialect::from_line(line.as_bytes()).unwrap();
        assert!(!matches!(old, Dialect::Today(_)), "{line}");
        let today = old.upgrade(&fill()).unwrap();
        today.message().unwrap().clone()
    };
    session("documented", name).lines().map(upgrade).collect()
}

fn recorded(name: &str) -> Vec<Message> {
    session("recorded", name)
        .lines()
        .map(|line| from_line(line.as_bytes()).unwrap())
        .collect()
}

#[test]
fn documented_sessions_are_the_documents() {
    for (name, shown, _) in SESSIONS {
        let lines = example(REFERENCE, shown).values();
        let session = session("documented", name);
        let session: Vec<_> = session.lines().collect();
        assert_eq!(session, lines, "{name}");
    }
}

#[test]
fn recorded_sessions_are_the_recordings() {
    for (name, _, scenario) in SESSIONS {
        let original = package().join(format!("../../fixtures/{scenario}/stdout.ndjson"));
        assert!(
            session("recorded", name) == fs::read_to_string(&original).unwrap(),
            "{name}: copy {} here again",
            original.display()
        );
    }
}

#[test]
fn a_simple_query() {
    for messages in [documented("simple_query"), recorded("simple_query")] {
        let is = |check: fn(&Message) -> bool| messages.iter().filter(|m| check(m)).count();
        assert_eq!(is(|message| matches!(message, Message::SystemInit(_))), 1);
        assert!(
            is(|message| matches!(message, Message::Assistant(_)) && !message.text().is_empty())
                > 0
        );
        assert_eq!(is(Message::is_result), 1);
    }
}

#[test]
fn a_tool_is_used() {
    for messages in [documented("tool_use"), recorded("tool_use")] {
        let used: Vec<_> = messages
            .iter()
            .flat_map(Message::tool_uses)
            .map(|tool| tool.id.clone())
            .collect();
        let gave: Vec<_> = messages
            .iter()
            .flat_map(Message::tool_results)
            .map(|tool| tool.tool_use_id.clone())
            .collect();
        assert!(!used.is_empty());
        assert_eq!(used, gave);
    }
}

#[test]
fn an_error_ends_the_session() {
    let documented = documented("error_response");
    let [Message::ResultError(error)] = &documented[..] else {
        panic!();
    };
    let said = ["Failed to execute command: permission denied".to_owned()];
    assert_eq!(error.errors.as_deref(), Some(&said[..]));
    // The real CLI says so in an answer, and in a success that is an error.
    let recorded = recorded("error_response");
    assert!(
        recorded
            .iter()
            .any(|message| matches!(message, Message::Assistant(answer)
        if answer.error == Some(AssistantMessageError::AuthenticationFailed)))
    );
    assert!(
        recorded
            .iter()
            .any(|message| matches!(message, Message::ResultSuccess(result) if result.is_error))
    );
}

#[test]
fn reasoning_comes_before_the_answer() {
    for messages in [documented("thinking_content"), recorded("thinking_content")] {
        let blocks: Vec<_> = messages.iter().flat_map(Message::blocks).collect();
        assert!(matches!(
            blocks[..],
            [ContentBlock::Thinking(_), ContentBlock::Text(_)]
        ));
    }
}
