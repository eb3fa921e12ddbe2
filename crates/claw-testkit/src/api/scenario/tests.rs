use super::{super::conversation::Conversation, Answer, Reply, Rule, Scenario, When};
use crate::{Block, api::scenarios};
use serde_json::json;

fn after_tool(text: &str, is_error: bool) -> Conversation {
    Conversation::of(&json!({"messages": [
        {"role": "user", "content": "run it"},
        {"role": "assistant", "content": []},
        {"role": "user", "content": [{"type": "tool_result", "content": text, "is_error": is_error}]},
    ]}))
}

#[test]
fn conditions_all_have_to_hold() {
    let answer = || Answer::message([Block::text("x")]);
    let fits = |rule: Rule, conversation| rule.when.fits(&conversation);
    let asked = || Conversation::of(&json!({"messages": [{"role": "user", "content": "run it"}]}));
    assert!(When::default().fits(&asked()));
    assert!(fits(Rule::new(answer()).on_prompt("run"), asked()));
    assert!(!fits(Rule::new(answer()).on_prompt("walk"), asked()));
    assert!(!fits(Rule::new(answer()).on_tool_result(""), asked()));
    assert!(!fits(Rule::new(answer()).on_tool_error(false), asked()));
    assert!(fits(
        Rule::new(answer()).on_tool_result(""),
        after_tool("hi", false)
    ));
    assert!(!fits(
        Rule::new(answer()).on_tool_result("ho"),
        after_tool("hi", false)
    ));
    assert!(fits(
        Rule::new(answer()).on_tool_error(true),
        after_tool("hi", true)
    ));
    assert!(!fits(
        Rule::new(answer()).on_tool_error(true),
        after_tool("hi", false)
    ));
    assert!(!fits(
        Rule::new(answer()).on_prompt("walk").on_tool_result(""),
        after_tool("hi", false)
    ));
}

#[test]
fn rules_can_tell_who_asks() {
    let rule = || Rule::new(Answer::message([Block::text("x")]));
    let asked = Conversation::of(&json!({
        "model": "claude-small-1",
        "system": "You sum up.",
        "tools": [{"name": "Bash"}],
        "messages": [{"role": "user", "content": "<system-reminder>It ended.</system-reminder>"}],
    }));
    for (rule, fits) in [
        (rule().on_model("small"), true),
        (rule().on_model("large"), false),
        (rule().on_system("sum up"), true),
        (rule().on_system("help"), false),
        (rule().on_tool("Bash"), true),
        (rule().on_tool("Ba"), false),
        (rule().on_reminder("ended"), true),
        (rule().on_reminder("began"), false),
    ] {
        assert_eq!(rule.when.fits(&asked), fits, "{rule:?}");
    }
}

#[test]
fn an_answer_is_a_message_or_an_error() {
    let read = |text: &str| serde_json::from_str::<Answer>(text);
    let reply = Reply::new([Block::text("Half")]).stop("stop_reason", "max_tokens");
    let text =
        r#"{"message": [{"type": "text", "text": "Half"}], "stop": {"stop_reason": "max_tokens"}}"#;
    assert_eq!(read(text).unwrap(), reply.clone().into());
    for answer in [
        reply.clone().header("x-limit", "5").into(),
        reply.broken_off("overloaded_error", "Overloaded").into(),
        Answer::error(500, "api_error", "x"),
    ] {
        let text = serde_json::to_string(&answer).unwrap();
        assert_eq!(read(&text).unwrap(), answer);
    }
    for text in [
        "{}",
        r#"{"error": {"status": 500, "kind": "api_error", "message": "x"}, "usage": {"a": 1}}"#,
        r#"{"error": {"status": 500, "kind": "api_error", "message": "x"}, "headers": {"a": "1"}}"#,
        r#"{"message": [], "stopp": {}}"#,
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn scenarios_are_data() {
    for scenario in scenarios::all() {
        let text = serde_json::to_string(&scenario).unwrap();
        assert_eq!(serde_json::from_str::<Scenario>(&text).unwrap(), scenario);
        assert!(
            !scenario.prompt.is_empty(),
            "{} has no prompt",
            scenario.name
        );
        assert_eq!(scenarios::by_name(&scenario.name), Some(scenario));
    }
}

#[test]
fn a_misspelt_key_is_an_error() {
    let text = r#"{"name": "x", "rules": [{"wen": {}, "answer": {"message": []}}]}"#;
    assert!(serde_json::from_str::<Scenario>(text).is_err());
}
