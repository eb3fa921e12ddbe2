use std::sync::Weak;

use claw_types::Json;
use claw_types::control::CanUseTool;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::requests::context::CallbackContext;

fn request(tool: &str, suggestions: &Value) -> ToolPermissionRequest {
    let body: CanUseTool = serde_json::from_value(json!({
        "subtype": "can_use_tool", "tool_name": tool, "input": {"command": "true"},
        "tool_use_id": "t", "permission_suggestions": suggestions}))
    .unwrap();
    let context = CallbackContext::new("q".into(), CancellationToken::new(), Weak::new());
    ToolPermissionRequest::new(body, context)
}

fn decided(decide: &FirstMatch, tool: &str) -> String {
    let decision = decide.decision(request(tool, &json!([])));
    match decision.now_or_never().unwrap() {
        Ok(PermissionResult::Allow(_)) => "yes".to_owned(),
        Ok(PermissionResult::Deny(deny)) => deny.message,
        Ok(other) => panic!("{other:?}"),
        Err(reason) => reason,
    }
}

#[test]
fn the_first_opinion_counts_and_none_is_a_no() {
    let decide = FirstMatch::new()
        .deny(["Write"], "read only")
        .allow(["Read", "mcp__calc__*"])
        .decide(|request| async move {
            match request.tool_name() {
                "Write" => panic!("it is not asked"),
                "Bash" => Some(Err("no idea")),
                "Glob" => Some(Ok(PermissionResult::allow())),
                _ => None,
            }
        })
        .deny(["*"], "the last word");
    for (tool, expected) in [
        ("Read", "yes"),
        ("ReadMore", "the last word"),
        ("mcp__calc__add", "yes"),
        ("mcp__other__add", "the last word"),
        ("Write", "read only"),
        ("Bash", "no idea"),
        ("Glob", "yes"),
    ] {
        assert_eq!(decided(&decide, tool), expected, "{tool}");
    }
    assert_eq!(decided(&FirstMatch::new(), "Read"), "no rule allows Read");
}

#[test]
fn what_is_suggested_stays_in_the_session() {
    let suggestions = json!([
        {"type": "addRules", "rules": [{"toolName": "Bash", "ruleContent": "true"}],
            "behavior": "allow", "destination": "localSettings"},
        {"type": "addDirectories", "directories": ["/w"], "destination": "userSettings"},
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
        {"type": "tomorrow", "destination": "projectSettings"}
    ]);
    let allowed = request("Bash", &suggestions).allow_for_session();
    let allowed = Json::new(&allowed).unwrap().to_value().unwrap();
    let updates = allowed["updatedPermissions"].as_array().unwrap();
    assert_eq!(updates.len(), 3);
    assert!(
        updates
            .iter()
            .all(|update| update["destination"] == "session"),
        "{updates:?}"
    );
    assert_eq!(updates[0]["rules"], suggestions[0]["rules"]);
}
