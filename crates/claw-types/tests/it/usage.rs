//! What the API says of an answer besides what is in it.

use claw_types::Message;
use claw_types::api::{
    ApiMessage, CacheMissKind, FallbackCreditReason, FallbackCreditStatus, Iteration,
};
use claw_types::message::{McpAnnotations, NotedAgentKind, TaskNotification};
use serde_json::{Value, json};

use crate::support::message;

fn usage(more: &Value) -> Value {
    let mut usage = json!({"input_tokens": 10, "output_tokens": 5});
    for (key, value) in more.as_object().unwrap() {
        usage[key] = value.clone();
    }
    usage
}

/// An answer with this beside its content, read and written without a loss.
fn answer(more: &Value) -> ApiMessage {
    let mut api = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage(&json!({}))});
    for (key, value) in more.as_object().unwrap() {
        api[key] = value.clone();
    }
    let line = json!({"type": "assistant", "message": api, "parent_tool_use_id": null,
        "uuid": "u", "session_id": "s"});
    match message(&line.to_string()) {
        Message::Assistant(answer) => answer.message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_steps_of_an_answer() {
    let step = |kind: &str, model: &Value| {
        json!({"type": kind, "model": model, "input_tokens": 7, "output_tokens": 3,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 2, "cache_creation":
            {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}})
    };
    let mut compaction = step("compaction", &json!(null));
    compaction.as_object_mut().unwrap().remove("model");
    compaction["cache_creation"] = json!(null);
    let steps = json!([
        step("message", &json!("claude-opus-5-5")), step("message", &json!(null)), compaction,
        step("advisor_message", &json!("a")), step("fallback_message", &json!("f")),
        {"type": "of tomorrow", "tokens": 1}
    ]);
    let answer = answer(&json!({"usage": usage(&json!({"iterations": steps}))}));
    let steps = answer.usage.iterations.value().unwrap();
    let [
        Iteration::Message(first),
        Iteration::Message(second),
        Iteration::Compaction(summed),
        Iteration::AdvisorMessage(_),
        Iteration::FallbackMessage(fallback),
        Iteration::Unknown(_),
    ] = steps.as_slice()
    else {
        panic!("{steps:?}")
    };
    assert_eq!(first.model.value().unwrap(), "claude-opus-5-5");
    assert!(second.model.value().is_none() && !second.model.is_absent());
    assert_eq!(summed.input_tokens, 7);
    assert_eq!(fallback.model.value().unwrap(), "f");
}

#[test]
fn no_steps() {
    for none in [json!([]), json!(null)] {
        answer(&json!({"usage": usage(&json!({"iterations": none}))}));
    }
}

#[test]
fn thinking_that_nobody_counted() {
    for details in [
        json!({"thinking_tokens": null}),
        json!({}),
        json!({"thinking_tokens": 4}),
        json!(null),
    ] {
        answer(&json!({"usage": usage(&json!({"output_tokens_details": details}))}));
    }
}

#[test]
fn credit_for_another_model() {
    let credit = |status: Value| {
        let usage = usage(&json!({"fallback_credit": {"status": status}}));
        let credit = answer(&json!({"usage": usage})).usage.fallback_credit;
        credit.value().unwrap().status.clone()
    };
    assert!(matches!(
        credit(json!({"type": "redeemed"})),
        FallbackCreditStatus::Redeemed(_)
    ));
    let FallbackCreditStatus::NotApplied(why) = credit(json!({"type": "not_applied",
        "reason": "variant_fields_present", "remove_to_redeem": ["speed"]}))
    else {
        panic!("it was not applied")
    };
    assert_eq!(why.reason, FallbackCreditReason::VariantFieldsPresent);
    assert_eq!(why.remove_to_redeem.value().unwrap(), &["speed"]);
    credit(json!({"type": "not_applied", "reason": "of tomorrow", "remove_to_redeem": null}));
    assert!(matches!(
        credit(json!({"type": "of tomorrow"})),
        FallbackCreditStatus::Unknown(_)
    ));
}

#[test]
fn why_the_cache_was_missed() {
    let miss = |reason: Value| {
        let found = answer(&json!({"diagnostics": {"cache_miss_reason": reason}})).diagnostics;
        found.value().unwrap().cache_miss_reason.value().cloned()
    };
    let changed = miss(json!({"type": "tools_changed", "cache_missed_input_tokens": 900})).unwrap();
    assert_eq!(changed.kind, CacheMissKind::ToolsChanged);
    assert_eq!(*changed.cache_missed_input_tokens.value().unwrap(), 900);
    let gone = miss(json!({"type": "previous_message_not_found"})).unwrap();
    assert_eq!(gone.kind, CacheMissKind::PreviousMessageNotFound);
    assert!(miss(json!({"type": "of tomorrow", "more": 1})).is_some());
    assert!(miss(json!(null)).is_none());
    answer(&json!({"diagnostics": null}));
}

#[test]
fn what_a_server_says_of_a_link() {
    let link = |annotations: Value| -> Box<TaskNotification> {
        let line = json!({"type": "system", "subtype": "task_notification", "task_id": "t",
            "status": "completed", "output_file": "", "summary": "", "uuid": "u",
            "session_id": "s", "resource_links": [{"uri": "calc://pi", "name": "pi",
            "annotations": annotations}]});
        match message(&line.to_string()) {
            Message::TaskNotification(done) => done,
            other => panic!("{other:?}"),
        }
    };
    let read = |done: &TaskNotification| -> Result<McpAnnotations, serde_json::Error> {
        let links = done.resource_links.as_deref().unwrap();
        links[0].annotations.as_ref().unwrap().read()
    };
    let said = read(&link(
        json!({"audience": ["user", "assistant"], "priority": 0.5,
        "lastModified": "2026-01-05T00:00:00Z", "vendor": 1}),
    ))
    .unwrap();
    assert_eq!(said.audience.unwrap().len(), 2);
    assert!(said.extra.get("vendor").is_some());
    // The server's: whatever it is, the line is read.
    assert!(read(&link(json!({"priority": "high"}))).is_err());
}

#[test]
fn a_plugins_note_for_an_agent() {
    let note = json!({"to": {"kind": "main"}, "about": {"kind": "agent",
        "description": "Look for tests", "tool_use_id": "toolu_1"}, "text": "It looks elsewhere.",
        "source": "notes@builtin"});
    let line = json!({"type": "system", "subtype": "informational", "content": "a note",
        "level": "notice", "agent_note": note, "uuid": "u", "session_id": "s"});
    let Message::Informational(notice) = message(&line.to_string()) else {
        panic!("{line}");
    };
    let note = notice.agent_note.unwrap();
    assert_eq!(note.to.kind, NotedAgentKind::Main);
    assert_eq!(note.about.kind, NotedAgentKind::Agent);
    assert_eq!(note.about.description.as_deref(), Some("Look for tests"));
    assert_eq!(note.about.tool_use_id.unwrap().as_str(), "toolu_1");
    assert_eq!(note.text, "It looks elsewhere.");
    assert_eq!(note.source, "notes@builtin");
}

#[test]
fn the_tool_calls_of_a_workflow_and_the_description_of_a_task() {
    let line = json!({"type": "system", "subtype": "task_progress", "task_id": "t",
        "description": "d", "usage": {"total_tokens": 1, "tool_uses": 5, "duration_ms": 2},
        "workflow_agent_tool_calls": [{"index": 1, "toolCalls": 5}], "uuid": "u",
        "session_id": "s"});
    let Message::TaskProgress(progress) = message(&line.to_string()) else {
        panic!("{line}");
    };
    let calls = progress.workflow_agent_tool_calls.unwrap();
    assert_eq!((calls[0].index.get(), calls[0].tool_calls.get()), (1, 5));

    let line = json!({"type": "system", "subtype": "task_notification", "task_id": "t",
        "status": "completed", "output_file": "", "summary": "", "description": "Look for tests",
        "uuid": "u", "session_id": "s"});
    let Message::TaskNotification(end) = message(&line.to_string()) else {
        panic!("{line}");
    };
    assert_eq!(end.description.as_deref(), Some("Look for tests"));
}
