//! The duties of a wrapper, as the document "Claude Code SDK Message Schema Specification" lists them, with
//! its own example.

use std::fs;

use claw_types::dialect::{self, Fill};
use claw_types::{Message, SessionId, StdoutMessage, from_line};
use claw_view::progress::{Certainty, Progress, Source};
use claw_view::wrapper::{Outgoing, ProgressUpdate, Translator, WrapperMessage};
use serde_json::{Value, json};

use crate::sessions::folder;

/// The document's example of what `claude` says; what it leaves out of today's form is filled in.
fn example() -> Message {
    let line = r#"{
      "type": "assistant",
      "message": {
        "content": [{
          "type": "text",
          "text": "I'll run the test suite now. Running test 5 of 20..."
        }]
      },
      "session_id": "sess_123"
    }"#;
    let fill = Fill::new("sess_123", "u-1").model("m").message_id("msg_1");
    let old = dialect::from_line(line.as_bytes()).unwrap();
    old.upgrade(&fill).unwrap().message().unwrap().clone()
}

fn json_of(sent: &Outgoing) -> Value {
    serde_json::to_value(&sent.message).unwrap()
}

#[test]
fn what_claude_says_is_a_claude_response() {
    let sent = Translator::default().message(&example());
    assert_eq!(
        json_of(&sent[0]),
        json!({
            "type": "claude_response",
            "content": "I'll run the test suite now. Running test 5 of 20...",
            "conversationId": "sess_123"
        })
    );
}

#[test]
fn progress_in_what_it_says_is_a_separate_progress_update() {
    let sent = Translator::default().message(&example());
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[1].conversation, "sess_123");
    assert_eq!(
        json_of(&sent[1]),
        json!({
            "type": "progress_update",
            "currentStep": "Running tests",
            "completedSteps": 5,
            "totalSteps": 20,
            "percentage": 25.0
        })
    );
    // It is the form that old lines were in.
    let text = serde_json::to_string(&sent[1].message).unwrap();
    assert!(matches!(
        dialect::from_line(text.as_bytes()),
        Ok(dialect::Dialect::ProgressUpdate(_))
    ));
}

#[test]
fn progress_is_told_once() {
    let mut translator = Translator::default();
    assert_eq!(translator.message(&example()).len(), 2);
    assert_eq!(translator.message(&example()).len(), 1);
}

#[test]
fn progress_without_numbers_is_no_update() {
    let progress = Progress::new(Source::Thinking, Certainty::Certain);
    assert_eq!(ProgressUpdate::of(&progress), None);
}

fn recording(name: &str) -> Vec<StdoutMessage> {
    let text = fs::read_to_string(folder().join(name).join("stdout.ndjson")).unwrap();
    text.lines()
        .map(|line| from_line(line.as_bytes()).unwrap())
        .collect()
}

fn sent(translator: &mut Translator, lines: &[StdoutMessage]) -> Vec<Outgoing> {
    let mut session = SessionId::from("");
    let mut sent = Vec::new();
    for line in lines {
        match line {
            StdoutMessage::Message(message) => {
                if let Some(its) = message.session_id() {
                    session = its.clone();
                }
                sent.extend(translator.message(message));
            }
            StdoutMessage::ControlRequest(request) => {
                sent.extend(translator.asked(&session, request));
            }
            _ => {}
        }
    }
    sent
}

#[test]
fn tool_usage_that_is_asked_for_is_a_permission_request() {
    let sent = sent(&mut Translator::default(), &recording("bash_allowed"));
    let asked: Vec<_> = sent
        .iter()
        .filter(|sent| matches!(sent.message, WrapperMessage::PermissionRequest(_)))
        .map(json_of)
        .collect();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0]["type"], "permission_request");
    assert_eq!(asked[0]["title"], "Bash(echo hello | tee greeting.txt)");
    assert_eq!(asked[0]["activity"], "command");
    assert_eq!(asked[0]["toolName"], "Bash");
    assert_eq!(asked[0]["conversationId"], sent[0].conversation);
}

#[test]
fn sub_agents_are_told_of_from_their_beginning_to_their_end() {
    let sent = sent(&mut Translator::default(), &recording("subagent"));
    let told: Vec<_> = sent
        .iter()
        .map(json_of)
        .filter(|message| message["type"] == "sub_agent_progress")
        .collect();
    let status: Vec<_> = told
        .iter()
        .map(|message| message["status"].as_str().unwrap())
        .collect();
    let over = status.iter().position(|status| *status != "running");
    assert!(over.is_some_and(|over| over > 1), "{status:?}");
    assert!(
        status[over.unwrap()..]
            .iter()
            .all(|status| *status == "completed")
    );
    assert!(
        told.iter()
            .all(|message| message["agentId"] == "toolu_0001")
    );
    assert!(
        told.iter()
            .any(|message| message["agentType"] == "general-purpose")
    );
    assert!(
        told.iter()
            .any(|message| message["currentStep"] == "Running Count")
    );
    // What it says itself is not what claude says.
    let said: Vec<_> = sent
        .iter()
        .map(json_of)
        .filter(|message| message["type"] == "claude_response")
        .collect();
    assert_eq!(said.len(), 1);
    assert_eq!(said[0]["content"], "Two files, says the agent.");
}

#[test]
fn a_session_is_a_conversation_of_a_project() {
    let lines = recording("bash_allowed");
    let mut translator = Translator::default();
    let sent_to = sent(&mut translator, &lines);
    // Of itself: its own name, and the folder that it works in.
    assert_eq!(sent_to[0].conversation, sent_to[0].session.as_str());
    assert_eq!(sent_to[0].project.as_deref(), Some("/work/project"));
    assert_eq!(translator.sessions("/work/project").count(), 1);
    // As it is assigned.
    let mut translator = Translator::default();
    translator.assign(
        sent_to[0].session.as_str(),
        "chat-7",
        Some("shop".to_owned()),
    );
    let assigned = sent(&mut translator, &lines);
    assert!(assigned.iter().all(|sent| sent.conversation == "chat-7"));
    assert!(
        assigned
            .iter()
            .all(|sent| sent.project.as_deref() == Some("shop"))
    );
    assert_eq!(json_of(&assigned[0])["conversationId"], "chat-7");
    let session = assigned[0].session.clone();
    translator.forget(&session);
    assert_eq!(translator.conversation(&session), session.as_str());
    assert_eq!(translator.project(&session), None);
}

#[test]
fn a_conversation_goes_on_after_a_clear_in_another_session() {
    let lines = recording("clear");
    let mut translator = Translator::default();
    let sent = sent(&mut translator, &lines);
    let sessions: std::collections::HashSet<_> =
        sent.iter().map(|sent| sent.session.clone()).collect();
    let conversations: std::collections::HashSet<_> =
        sent.iter().map(|sent| &sent.conversation).collect();
    assert_eq!((sessions.len(), conversations.len()), (2, 1));
}

#[test]
fn two_sessions_do_not_mix() {
    let mut translator = Translator::default();
    let (one, two) = (recording("text"), recording("thinking"));
    let mut all = Vec::new();
    for at in 0..one.len().max(two.len()) {
        for line in [one.get(at), two.get(at)].into_iter().flatten() {
            all.extend(sent(&mut translator, std::slice::from_ref(line)));
        }
    }
    assert!(all.len() >= 2);
    assert!(
        all.iter()
            .all(|sent| sent.conversation == sent.session.as_str())
    );
}
