use claw_client::types::control::CanUseTool;
use serde_json::{Value, json};

use super::*;

fn question(suggestions: Value) -> CanUseTool {
    let mut question = json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {},
        "tool_use_id": "t"});
    question["permission_suggestions"] = suggestions;
    serde_json::from_value(question).unwrap()
}

fn texts(suggestions: Value) -> Vec<String> {
    let suggestions = suggestions_of(suggestions);
    suggestions
        .into_iter()
        .map(|suggestion| suggestion.text)
        .collect()
}

fn suggestions_of(told: Value) -> Vec<Suggestion> {
    suggestions(&question(told))
}

#[test]
fn what_changes_and_where_it_is_kept_is_said() {
    let rules = json!([{"toolName": "Bash", "ruleContent": "ls:*"}, {"toolName": "Read"}]);
    let add = |destination: &str| json!([{"type": "addRules", "rules": rules, "behavior": "allow", "destination": destination}]);
    for (destination, kept) in [
        (
            "session",
            "until this session's process ends; nothing is written",
        ),
        (
            "userSettings",
            "written to your user settings: for good, in all your projects",
        ),
        (
            "projectSettings",
            "written to the project's settings, .claude/settings.json: for good, for everybody in this project",
        ),
        (
            "localSettings",
            "written to the project's local settings, .claude/settings.local.json: for good, for you in this project",
        ),
    ] {
        let expected = format!("always allow Bash(ls:*), every use of Read ({kept})");
        assert_eq!(texts(add(destination)), [expected]);
    }
    let others = json!([
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
        {"type": "addDirectories", "directories": ["/a", "/b"], "destination": "session"},
        {"type": "removeRules", "rules": rules, "behavior": "deny", "destination": "session"},
        {"type": "setMode", "mode": "bypassPermissions", "destination": "session"},
        {"type": "removeDirectories", "directories": ["/a"], "destination": "session"},
        {"type": "addRules", "rules": rules, "behavior": "deny", "destination": "session"},
        {"type": "addRules", "rules": rules, "behavior": "ask", "destination": "session"},
        {"type": "replaceRules", "rules": rules, "behavior": "allow", "destination": "session"},
    ]);
    let session = "(until this session's process ends; nothing is written)";
    assert_eq!(
        texts(others),
        [
            format!(
                "go on in the permission mode acceptEdits, which changes and deletes files in the session's folders without asking {session}"
            ),
            format!(
                "add to the session's folders, which tools read without asking: /a, /b {session}"
            ),
            format!("take away these deny rules: Bash(ls:*), every use of Read {session}"),
            format!(
                "go on in the permission mode bypassPermissions, which uses every tool without asking {session}"
            ),
            format!("take away from the session's folders: /a {session}"),
            format!("always deny Bash(ls:*), every use of Read {session}"),
            format!("always ask for Bash(ls:*), every use of Read {session}"),
            format!("have these allow rules and no other: Bash(ls:*), every use of Read {session}"),
        ]
    );
}

#[test]
fn what_claw_cannot_tell_is_not_offered() {
    let rule = json!([{"toolName": "Bash"}]);
    let unknown = json!([
        {"type": "ofTomorrow", "destination": "session"},
        {"type": "addRules", "rules": rule, "behavior": "allow", "destination": "ofTomorrow"},
        {"type": "addRules", "rules": rule, "behavior": "ofTomorrow", "destination": "session"},
        {"type": "addRules", "rules": [], "behavior": "allow", "destination": "session"},
    ]);
    assert!(texts(unknown).is_empty());
    let mut one = question(json!([{"type": "setMode", "mode": "plan", "destination": "session"}]));
    assert_eq!(suggestions(&one).len(), 1);
    one.suppress_always_allow_rule = Some(true);
    assert!(suggestions(&one).is_empty());
}

#[test]
fn a_suggestion_steers_no_terminal() {
    let rule = json!([{"toolName": "Bash", "ruleContent": "a\u{1b}[2J\n[y/N] b"}]);
    let hostile = json!([{"type": "addRules", "rules": rule, "behavior": "allow",
        "destination": "session"}]);
    let text = &texts(hostile)[0];
    assert!(
        text.starts_with("always allow Bash(a\\u{1b}[2J [y/N] b)"),
        "{text}"
    );
}

#[test]
fn only_a_yes_or_numbers_that_were_offered_are_a_yes() {
    let two = suggestions_of(json!([
        {"type": "setMode", "mode": "plan", "destination": "session"},
        {"type": "addDirectories", "directories": ["/a"], "destination": "session"},
    ]));
    let of = |line: &str| {
        let updates = chosen(line, &two)?;
        let kinds = updates.iter().map(|update| match update {
            PermissionUpdate::SetMode(_) => 1,
            _ => 2,
        });
        Some(kinds.collect::<Vec<_>>())
    };
    for (line, expected) in [
        ("y", Some(vec![])),
        (" Yes ", Some(vec![])),
        ("1", Some(vec![1])),
        ("2, 1,2", Some(vec![2, 1])),
        ("", None),
        ("n", None),
        ("0", None),
        ("3", None),
        ("1,3", None),
        ("1 2", None),
        ("y,1", None),
        ("-1", None),
    ] {
        assert_eq!(of(line), expected, "{line:?}");
    }
    assert!(chosen("1", &[]).is_none());
}
