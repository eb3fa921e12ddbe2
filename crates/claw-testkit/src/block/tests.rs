use serde_json::{Value, json};

use super::Block;

fn joined(block: &Block, field: &str) -> String {
    block
        .deltas()
        .iter()
        .filter_map(|delta| {
            let delta: Value = serde_json::from_str(delta).unwrap();
            delta[field].as_str().map(str::to_owned)
        })
        .collect()
}

#[test]
fn deltas_add_up_to_the_whole() {
    assert_eq!(
        joined(&Block::text("Grüße 🎉  two spaces "), "text"),
        "Grüße 🎉  two spaces "
    );
    let thinking = Block::thinking("I should \"quote\" it.", "c2ln");
    assert_eq!(joined(&thinking, "thinking"), "I should \"quote\" it.");
    assert_eq!(joined(&thinking, "signature"), "c2ln");
    let input = json!({"command": "echo 'Grüße 🎉🎉🎉🎉🎉🎉'", "description": "Say it"});
    let call = Block::tool_use("Bash", input.clone());
    assert_eq!(
        joined(&call, "partial_json").parse::<Value>().unwrap(),
        input
    );
    assert!(call.deltas().len() > 3);
}

#[test]
fn escaped_text_goes_out_as_it_is() {
    let block = Block::escaped_text(["Cut \\ud83d", " here"]);
    assert_eq!(
        block.deltas()[0],
        r#"{"type":"text_delta","text":"Cut \ud83d"}"#
    );
    assert_eq!(block.whole(), r#"{"type":"text","text":"Cut \ud83d here"}"#);
}

#[test]
fn holds_past_the_last_delta_stand_before_the_end() {
    let block = Block::text("one two").hold(1, "a").hold(99, "b");
    let at = |index| block.gates_before(index, 2).collect::<Vec<_>>();
    assert_eq!((at(0), at(1), at(2)), (vec![], vec!["a"], vec!["b"]));
}

#[test]
fn blocks_are_data() {
    let text = r#"{"type":"text","text":"Hi","hold":[{"before":0,"gate":"x"}]}"#;
    assert_eq!(
        serde_json::from_str::<Block>(text).unwrap(),
        Block::text("Hi").hold(0, "x")
    );
    let block = Block::tool_use("Read", json!({"file_path": "a"}));
    let text = serde_json::to_string(&block).unwrap();
    assert_eq!(serde_json::from_str::<Block>(&text).unwrap(), block);
}

#[test]
fn blocks_of_the_api_itself() {
    let citation = json!({"type": "char_location", "cited_text": "x"});
    let cited = Block::cited_text("So it is.", [citation.clone()]);
    let whole: Value = serde_json::from_str(&cited.whole()).unwrap();
    assert_eq!(
        whole,
        json!({"type": "text", "text": "So it is.", "citations": [citation]})
    );
    assert_eq!(cited.deltas().len(), 4);
    let redacted = Block::whole_block(json!({"data": "c2ln", "type": "redacted_thinking"}));
    assert_eq!(redacted.opening(), redacted.whole());
    assert!(redacted.deltas().is_empty());
    let search = Block::server_tool_use("s1", "web_search", json!({"query": "claw"}));
    assert!(!search.is_tool_use());
    assert_eq!(joined(&search, "partial_json"), r#"{"query":"claw"}"#);
    for block in [cited, redacted, search] {
        let text = serde_json::to_string(&block).unwrap();
        assert_eq!(serde_json::from_str::<Block>(&text).unwrap(), block);
    }
}
