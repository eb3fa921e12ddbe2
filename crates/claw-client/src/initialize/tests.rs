use claw_types::options::SystemPromptPreset;
use serde_json::{Value, json};

use super::*;

fn said(options: &QueryOptions) -> Value {
    serde_json::to_value(initialize(options)).unwrap()
}

#[test]
fn no_system_prompt_is_an_empty_one() {
    let expected = json!({"subtype": "initialize", "systemPrompt": [""]});
    assert_eq!(said(&QueryOptions::default()), expected);
}

#[test]
fn a_system_prompt_is_a_list() {
    let options = QueryOptions::default().system_prompt("one");
    assert_eq!(said(&options)["systemPrompt"], json!(["one"]));
    let parts = SystemPrompt::Parts(vec!["one".into(), "two".into()]);
    let options = QueryOptions::default().system_prompt(parts);
    assert_eq!(said(&options)["systemPrompt"], json!(["one", "two"]));
}

#[test]
fn a_preset_is_left_to_the_cli() {
    let options = QueryOptions::default().system_prompt(SystemPrompt::claude_code());
    assert_eq!(said(&options), json!({"subtype": "initialize"}));
    let preset = SystemPromptPreset::new("claude_code")
        .append("more")
        .exclude_dynamic_sections(true);
    let options = QueryOptions::default().system_prompt(preset);
    let expected = json!({"subtype": "initialize", "appendSystemPrompt": "more",
        "excludeDynamicSections": true});
    assert_eq!(said(&options), expected);
}
