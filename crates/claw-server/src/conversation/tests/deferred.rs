//! Tests of requests that wait without a process.

use super::*;

#[test]
fn a_request_that_waits_without_a_process_is_shown_and_is_not_withdrawn_with_its_room() {
    let mut conversation = conversation();
    assert!(!conversation.defer("r"), "nothing waits");
    conversation.ask("r".to_owned(), bash()).unwrap();
    assert!(conversation.is_asking());
    assert!(conversation.defer("r"));
    assert_eq!(conversation.state().phase, Phase::Deferred);
    assert!(!conversation.is_asking());
    let before = conversation.newest();
    conversation.close();
    let after = kinds(&mut conversation, before);
    let after: Vec<_> = after.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(after, ["closed"], "nobody has denied it");
}

#[test]
fn the_answer_to_a_deferred_request_starts_a_turn() {
    let mut conversation = conversation();
    conversation.ask("r".to_owned(), bash()).unwrap();
    conversation.defer("r");
    result(&mut conversation, "r", json!({"decision": "allow"})).unwrap();
    conversation.resume();
    assert_eq!(conversation.state().phase, Phase::Starting);
    conversation.started();
    assert_eq!(conversation.state().phase, Phase::Running);
    conversation.ended(None);
    assert_eq!(conversation.state().phase, Phase::Idle);
    let late = result(&mut conversation, "r", json!({"decision": "deny"}));
    assert!(matches!(late, Err(AnswerError::Late(first)) if first.by == "phone"));
}

#[test]
fn a_process_that_asks_for_the_same_tool_use_asks_under_the_same_id() {
    let mut conversation = conversation();
    conversation.ask("r".to_owned(), bash()).unwrap();
    conversation.defer("r");
    let other = request(json!({"tool_name": "Bash", "input": {"command": "rm -rf ."}}));
    assert_eq!(conversation.ask_again(&other), None);
    assert_eq!(conversation.ask_again(&bash()).as_deref(), Some("r"));
    assert!(conversation.is_asked_again("r"));
    assert_eq!(conversation.state().phase, Phase::Asking);
    assert_eq!(conversation.requests().count(), 1);
}
