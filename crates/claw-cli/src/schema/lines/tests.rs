use super::*;
use crate::args::SCHEMAS;
use crate::schema::packed::Packed;

fn found(name: &str, line: &str) -> Vec<String> {
    let validator = jsonschema::validator_for(&schema(name)).unwrap();
    let faults = faults(&validator, line);
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn every_name_has_a_schema() {
    for name in SCHEMAS {
        assert!(schema(name).is_object(), "{name}");
    }
    let packed = Packed::unpack(crate::schema::PACKED).unwrap();
    assert_eq!(packed.files.len(), SCHEMAS.len());
}

#[test]
fn a_fault_is_where_it_is() {
    let line = r#"{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","model":"m",
        "content":[{"type":"text","text":"fine"},{"type":"text","text":7}],"stop_reason":null,
        "stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}},
        "parent_tool_use_id":null,"uuid":"u","session_id":"s"}"#;
    assert_eq!(
        found("stdout", line),
        ["message.content[1].text: value is not of type \"string\""]
    );
    assert_eq!(found("stdout", &line.replace("7}", "\"7\"}")), [""; 0]);
}

#[test]
fn every_fault_of_the_kind_that_is_meant_is_told() {
    assert_eq!(
        found(
            "stdin",
            r#"{"type":"control_cancel_request","tool_use_id":7}"#
        ),
        [
            "\"request_id\" is a required property",
            "tool_use_id: value is not of type \"string\""
        ]
    );
}

#[test]
fn kinds_of_tomorrow_fit_and_broken_lines_do_not() {
    assert_eq!(found("stdout", r#"{"type":"of_tomorrow"}"#), [""; 0]);
    assert!(found("stdout", "{")[0].starts_with("no JSON: "));
    assert_eq!(found("stdout", "7").len(), 1);
}

#[test]
fn half_of_a_surrogate_pair_is_no_fault() {
    let line = r#"{"type":"of_tomorrow","text":"\ud83d"}"#;
    assert_eq!(found("stdout", line), [""; 0]);
}
