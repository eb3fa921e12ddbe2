use super::{super::conversation::Conversation, Answer, Rule, Scenario, When};
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
