use crate::{Json, StdoutMessage, Untyped, from_line, untyped};

fn found(line: &str) -> Vec<Untyped> {
    untyped(&from_line::<StdoutMessage>(line.as_bytes()).unwrap())
}

#[test]
fn every_level_is_seen_with_its_path() {
    let line = r#"{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","model":"x",
        "content":[{"type":"text","text":"extra: {"},{"type":"text","text":"","deep":{"a":1}},{"type":"poem"}],
        "stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":5,"cache_creation":
        {"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0,"deeper":[]}}},
        "parent_tool_use_id":null,"uuid":"u","session_id":"s","error":null,"to.p":1}"#;
    let field = |owner, key: &str, path: &str| Untyped::Field {
        owner,
        key: key.to_owned(),
        path: path.to_owned(),
    };
    let expected = [
        field("TextBlock", "deep", "message.content[1].deep"),
        Untyped::Kind {
            kind: "poem".to_owned(),
            path: "message.content[2]".to_owned(),
        },
        field(
            "CacheCreation",
            "deeper",
            "message.usage.cache_creation.deeper",
        ),
        Untyped::Null {
            owner: "AssistantMessage",
            key: "error".to_owned(),
            path: "error".to_owned(),
        },
        field("AssistantMessage", "to.p", "to.p"),
    ];
    assert_eq!(found(line), expected);
}

#[test]
fn a_line_of_an_unknown_kind_is_one_thing() {
    let kind = |kind: &str| {
        vec![Untyped::Kind {
            kind: kind.to_owned(),
            path: String::new(),
        }]
    };
    assert_eq!(
        found(r#"{"type":"system","subtype":"brand_new","a":{"b":1}}"#),
        kind("system/brand_new")
    );
    assert_eq!(found(r#"{"a":1}"#), kind(""));
}

#[test]
fn free_json_and_what_is_known_have_nothing() {
    assert_eq!(found(r#"{"type":"keep_alive"}"#), []);
    let json = Json::from_text(r#"{"$claw::field":{"a":[1]}}"#.to_owned()).unwrap();
    assert_eq!(untyped(&json), []);
    let tool = r#"{"type":"assistant","message":{"id":"m","type":"message","role":"assistant","model":"x","content":[{"type":"tool_use","id":"t","name":"new","input":{"any":{"thing":1}}}],"stop_reason":null,"stop_sequence":null,"usage":{"output_tokens":5}},"parent_tool_use_id":null,"uuid":"u","session_id":"s"}"#;
    assert_eq!(found(tool), []);
}

/// A value inside another type, by `flatten`, is written unchanged.
#[test]
fn marks_do_not_show() {
    #[derive(serde::Serialize)]
    struct Mine {
        mine: u8,
        #[serde(flatten)]
        message: StdoutMessage,
    }
    for line in [
        r#"{"type":"brand_new","a":{"b":1}}"#,
        r#"{"type":"keep_alive","later":{"b":1}}"#,
    ] {
        let message: StdoutMessage = from_line(line.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&message).unwrap(), line);
        let mine = serde_json::to_string(&Mine { mine: 1, message }).unwrap();
        assert_eq!(mine, line.replacen('{', r#"{"mine":1,"#, 1));
    }
}
