use serde_json::json;

use super::{Conversation, ToolResult};

#[test]
fn the_prompt_is_what_the_person_said() {
    let body = json!({"messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "<system-reminder>use-bash, says the CLI</system-reminder>"},
            {"type": "text", "text": "say hello\n<system-reminder>\nmore\n</system-reminder>\n"},
            {"type": "text", "text": "<system-reminder>behind</system-reminder>"},
        ]},
        {"role": "user", "content": "<system-reminder>a whole message"},
    ]});
    let expected = Conversation {
        prompt: "say hello".to_owned(),
        reminders: "use-bash, says the CLI\nmore\nbehinda whole message".to_owned(),
        ..Conversation::default()
    };
    assert_eq!(Conversation::of(&body), expected);
}

#[test]
fn only_results_since_the_last_answer_wait() {
    let result =
        |id: &str, content| json!({"type": "tool_result", "tool_use_id": id, "content": content});
    let mut messages = vec![
        json!({"role": "user", "content": "go"}),
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a"}]}),
        json!({"role": "user", "content": [result("a", json!("first"))]}),
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "b"}]}),
        json!({"role": "user", "content": [
            result("b", json!([{"type": "text", "text": "sec"}, {"type": "text", "text": "ond"}])),
            {"type": "tool_result", "tool_use_id": "c", "content": "no", "is_error": true},
        ]}),
        json!({"role": "user", "content": [{"type": "text", "text": "<system-reminder>x</system-reminder>"}]}),
    ];
    let conversation = Conversation::of(&json!({"messages": messages}));
    let result = |id: &str, text: &str, is_error| ToolResult {
        tool_use_id: id.to_owned(),
        text: text.to_owned(),
        is_error,
    };
    assert_eq!(
        conversation.tool_results,
        [result("b", "second", false), result("c", "no", true)]
    );
    assert_eq!(conversation.prompt, "go");
    assert_eq!(conversation.reminders, "x");
    messages.push(json!({"role": "assistant", "content": "ok"}));
    messages.push(json!({"role": "user", "content": "next"}));
    let conversation = Conversation::of(&json!({"messages": messages}));
    assert_eq!(
        (
            conversation.prompt.as_str(),
            conversation.tool_results.len()
        ),
        ("next", 0)
    );
}

#[test]
fn who_is_asked_is_seen() {
    let conversation = Conversation::of(&json!({
        "model": "some-model",
        "system": [{"type": "text", "text": "You sum "}, {"type": "text", "text": "up."}],
        "tools": [{"name": "Bash"}, {"type": "web_search_20250305", "name": "web_search"}],
        "messages": [],
    }));
    assert_eq!(conversation.model, "some-model");
    assert_eq!(conversation.system, "You sum up.");
    assert_eq!(conversation.tools, ["Bash", "web_search"]);
    assert_eq!(Conversation::of(&json!({"system": "x"})).system, "x");
}

#[test]
fn what_is_not_understood_is_passed_over() {
    for body in [
        json!(null),
        json!([]),
        json!({"messages": [1, {"role": "user", "content": 7}]}),
    ] {
        assert_eq!(Conversation::of(&body), Conversation::default());
    }
}
