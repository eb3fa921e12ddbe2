use serde_json::json;

use crate::schema::files;
use crate::tool::ArtifactOutput;

/// The schema accepts the values that can be read.
#[test]
fn the_schema_goes_by_the_key() {
    let (_, schema) = files()
        .into_iter()
        .find(|(path, _)| *path == "tools.schema.json")
        .unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let pin = json!({"action": "pin", "url": "u", "pinned": true});
    let cases = [
        (json!({"pin": pin}), true),
        (json!({"pin": pin, "of_tomorrow": 1}), true),
        (json!({"pin": {"url": "u"}}), false),
        (json!({"pin": 7}), false),
        (json!({"of_tomorrow": 1}), true),
        (json!({}), true),
        (json!(["pin"]), false),
        (
            json!({"watches": [{"rail": "live_stopped", "url": "u", "stop_kind": "s"}]}),
            true,
        ),
        (
            json!({"watches": [{"rail": "live_stopped", "url": "u"}]}),
            false,
        ),
        (json!({"watches": [{"rail": "of_tomorrow"}]}), true),
        (json!({"watches": [{"task_id": "t"}]}), false),
        (json!({"watches": [{"url": "u"}]}), true),
    ];
    for (output, fits) in cases {
        let read = serde_json::from_value::<ArtifactOutput>(output.clone());
        assert_eq!(read.is_ok(), fits, "{read:?}");
        let used = json!({"tool_name": "Artifact", "tool_response": output});
        assert_eq!(schema.is_valid(&used), fits, "{used}");
    }
}
