use serde_json::{Value, json};

use super::*;

fn options(fields: Value) -> QueryOptions {
    serde_json::from_value(fields).unwrap()
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    for (fields, option) in [
        (json!({"modle": "m"}), "options"),
        (
            json!({"model": "m", "fallbackModel": "m"}),
            "fallback_model",
        ),
        (json!({"maxTurns": 0}), "max_turns"),
        (json!({"thinking": {"type": "tomorrow"}}), "thinking"),
        (
            json!({"outputFormat": {"type": "tomorrow"}}),
            "output_format",
        ),
        (
            json!({"outputFormat": {"type": "json_schema", "schema": true}}),
            "output_format",
        ),
        (
            json!({"systemPrompt": {"type": "tomorrow"}}),
            "system_prompt",
        ),
        (
            json!({"systemPrompt": {"type": "preset", "preset": "x"}}),
            "system_prompt",
        ),
        (json!({"tools": {"type": "preset", "preset": "x"}}), "tools"),
        (json!({"skills": "some"}), "skills"),
        (json!({"plugins": [{"type": "remote"}]}), "plugins"),
        (json!({"continue": true, "resume": "r"}), "resume"),
        (json!({"resume": "r", "sessionId": "s"}), "session_id"),
        (json!({"continue": true, "sessionId": "s"}), "session_id"),
        (json!({"resumeSessionAt": "m"}), "resume_session_at"),
        (
            json!({"resume": "r", "resumeDropsTurn": "m"}),
            "resume_drops_turn",
        ),
        (
            json!({"permissionMode": "bypassPermissions"}),
            "permission_mode",
        ),
        (
            json!({"mcpServers": {"s": {"type": "sdk", "name": "s"}}}),
            "mcp_servers",
        ),
        (
            json!({"mcpServers": {"s": {"type": "tomorrow"}}}),
            "mcp_servers",
        ),
        (
            json!({"agents": {"a": {"description": "d", "prompt": "p",
                "mcpServers": ["known", {"s": {"type": "sdk", "name": "s"}}]}}}),
            "agents",
        ),
        (json!({"settings": "/x", "sandbox": {}}), "sandbox"),
        (json!({"managedSettings": []}), "managed_settings"),
        (json!({"settings": " {\"env\": {}}"}), "settings"),
        (json!({"extraArgs": {"--x": null}}), "extra_args"),
        (json!({"extraArgs": {"a=b": null}}), "extra_args"),
    ] {
        let error = options(fields.clone()).validate().expect_err(option);
        assert_eq!(error.option, option, "{fields}: {error}");
        assert!(error.to_string().starts_with("option "), "{error}");
    }
}

#[test]
fn what_can_be_is_not() {
    for fields in [
        json!({}),
        json!({"tomorrow": null}),
        json!({"model": "m", "fallbackModel": "n"}),
        json!({"resume": "r", "sessionId": "s", "forkSession": true}),
        json!({"resume": "r", "resumeSessionAt": "m", "resumeDropsTurn": ""}),
        json!({"permissionMode": "bypassPermissions", "allowDangerouslySkipPermissions": true}),
        json!({"skills": "all"}),
        json!({"skills": ["plain", "plugin:skill", "with space", "a*b", r"a\b"]}),
        json!({"settings": "/x"}),
        json!({"settings": {}, "sandbox": {}}),
        json!({"mcpServers": {"a": {"command": "c"}, "b": {"type": "sse", "url": "u"}}}),
    ] {
        assert_eq!(options(fields.clone()).validate(), Ok(()), "{fields}");
    }
}

/// With the CLI 2.1.330, `--disallowedTools=Write(,Bash` takes neither tool away.
#[test]
fn a_rule_that_would_take_others_along() {
    let divided = ["Bash(echo (a) b)", "Bash(echo (), :*)"];
    let malformed = [
        "Write(",
        "Write(/tmp",
        "Write)",
        "(Write)",
        "Write(/tmp) x",
        "",
        " ",
    ];
    for rule in malformed.into_iter().chain(divided) {
        for option in ["allowedTools", "disallowedTools"] {
            let error = options(json!({option: ["Read", rule, "Bash"]})).validate();
            let error = error.unwrap_err();
            assert!(option.starts_with(&error.option[..5]), "{error}");
            assert!(
                error.reason.starts_with(&format!("{rule:?} is no rule")),
                "{error}"
            );
        }
    }
    for rule in [
        "Write",
        "mcp__server__*",
        "Bash(cargo test:*)",
        "Bash(a, (b c:*)",
        "Bash(a) ",
        "Bash()",
        "Read(//tmp/a(b))",
    ] {
        options(json!({"disallowedTools": [rule]}))
            .validate()
            .unwrap();
    }
}

#[test]
fn skill_names_that_would_say_more() {
    for name in [
        "",
        " a",
        "a ",
        "a(b",
        "a)b",
        "a,b",
        "a\nb",
        "a\u{feff}",
        "/a",
        "*",
        "a:*",
        "a *",
        "a\\",
        r"a\\b",
    ] {
        let error = options(json!({"skills": [name]})).validate().unwrap_err();
        assert_eq!(error.option, "skills", "{name:?}");
    }
}
