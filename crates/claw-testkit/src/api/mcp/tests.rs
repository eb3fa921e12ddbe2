use super::*;

fn asked(message: &Value) -> Value {
    answer(message).unwrap()
}

#[test]
fn it_adds() {
    let sum = asked(&json!({
        "jsonrpc": "2.0", "id": 7, "method": "tools/call",
        "params": {"name": "add", "arguments": {"a": 1, "b": 2}},
    }));
    assert_eq!(sum["id"], 7);
    assert_eq!(sum["result"]["content"][0]["text"], "The sum is 3");
}

#[test]
fn it_speaks_the_version_that_it_is_asked_for() {
    let hello =
        json!({"id": 0, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}});
    assert_eq!(asked(&hello)["result"]["protocolVersion"], "2024-11-05");
    let plain = json!({"id": 0, "method": "initialize", "params": {}});
    assert_eq!(asked(&plain)["result"]["protocolVersion"], VERSION);
}

#[test]
fn notifications_are_not_answered_and_unknown_methods_are_refused() {
    assert_eq!(
        answer(&json!({"method": "notifications/initialized"})),
        None
    );
    let unknown = asked(&json!({"id": "a", "method": "prompts/list"}));
    assert_eq!(unknown["error"]["code"], -32601);
}
