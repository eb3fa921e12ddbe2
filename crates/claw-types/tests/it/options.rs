//! Options: plain data, with the names of the official TypeScript SDK.

use std::fs;

use claw_types::options::*;
use claw_types::{Json, Map, QueryOptions, json_equal};
use serde_json::{Value, json};

use crate::support::assert_lossless;

/// Every option, with each form that it has somewhere in it.
const ALL: &str = r#"{
    "model": "opus", "fallbackModel": "haiku", "cwd": "/w", "additionalDirectories": ["/a"],
    "projectConfigRoot": "/r", "env": {"A": "b", "C": null},
    "pathToClaudeCodeExecutable": "/bin/claude", "extraArgs": {"x": null, "y": "z"},
    "systemPrompt": {"type": "preset", "preset": "claude_code", "append": "a",
        "excludeDynamicSections": true, "snapshot": false},
    "planModeInstructions": "p", "agent": "a",
    "agents": {"a": {"description": "d", "prompt": "p", "tools": ["Read"],
        "disallowedTools": ["Bash"], "model": "inherit",
        "mcpServers": ["known", {"s": {"command": "serve"}}],
        "criticalSystemReminder_EXPERIMENTAL": "c", "skills": ["s"], "initialPrompt": "i",
        "maxTurns": 3, "autoCompactWindow": 5000, "background": true, "omitClaudeMd": true,
        "memory": "project", "effort": "high", "permissionMode": "plan", "observer": "o",
        "observerMessage": "m"},
        "b": {"description": "d", "prompt": "p", "effort": 7}},
    "skills": ["s"], "verbatimPrompts": true, "title": "t",
    "thinking": {"type": "enabled", "budgetTokens": 9, "display": "omitted"},
    "maxThinkingTokens": 9, "effort": "max", "maxTurns": 3, "maxBudgetUsd": 0.5,
    "taskBudget": {"total": 9},
    "outputFormat": {"type": "json_schema", "schema": {"type": "object"}},
    "betas": ["context-1m-2025-08-07"], "tools": ["Bash"], "allowedTools": ["Read"],
    "disallowedTools": ["Write"], "toolAliases": {"Bash": "mcp__x__y"},
    "toolConfig": {"askUserQuestion": {"previewFormat": "html"}}, "permissionMode": "acceptEdits",
    "allowDangerouslySkipPermissions": false, "permissionPromptToolName": "mcp__x__ask",
    "permissionPrompts": "none",
    "mcpServers": {
        "a": {"command": "serve", "args": ["-v"], "env": {"KEY": "hunter2"}, "timeout": 5000,
            "alwaysLoad": true},
        "b": {"type": "stdio", "command": "serve"},
        "c": {"type": "http", "url": "https://x.example", "headers": {"Key": "hunter2"}, "tools":
            [{"name": "t", "permission_policy": "always_ask", "org_max_permission": "ask"}]},
        "d": {"type": "sse", "url": "https://x.example", "timeout": 1000, "alwaysLoad": false}},
    "strictMcpConfig": true,
    "plugins": [{"type": "local", "path": "/p", "skipMcpDiscovery": true}],
    "settings": {"env": {"KEY": "hunter2"}},
    "sandbox": {"enabled": true, "failIfUnavailable": false, "autoAllowBashIfSandboxed": true,
        "allowUnsandboxedCommands": false,
        "network": {"allowedDomains": ["a"], "deniedDomains": ["b"], "strictAllowlist": true,
            "allowManagedDomainsOnly": false, "allowUnixSockets": ["/s"],
            "allowAllUnixSockets": false, "allowLocalBinding": true, "allowMachLookup": ["m"],
            "httpProxyPort": 1, "socksProxyPort": 2,
            "tlsTerminate": {"caCertPath": "/c", "caKeyPath": "/k"}},
        "filesystem": {"allowWrite": ["/a"], "denyWrite": ["/b"], "denyRead": ["/c"],
            "allowRead": ["/d"], "allowManagedReadPathsOnly": false, "disabled": false},
        "credentials": {"files": [{"path": "/f", "mode": "mask", "extract": "x",
                "onExtractNoMatch": "warn", "decode": "jwt", "maskClaims": ["sub"],
                "maskDuplicates": true, "injectHosts": ["h"]}],
            "envVars": [{"name": "N", "mode": "deny", "extract": "x", "onExtractNoMatch": "deny",
                "decode": "jwt", "maskClaims": ["sub"], "injectHosts": ["h"]}],
            "allowPlaintextInject": false, "awsPairs": [{"accessKeyIdVar": "A",
                "secretAccessKeyVar": "B", "sessionTokenVar": "C"}],
            "sigv4": {"streaming": "deny", "presigned": "passthrough", "sigv4a": "deny"}},
        "ignoreViolations": {"git": ["/x"]}, "enableWeakerNestedSandbox": false,
        "allowNestedUserNamespaces": false, "enableWeakerNetworkIsolation": false,
        "allowAppleEvents": false, "excludedCommands": ["docker"],
        "ripgrep": {"command": "rg", "args": ["-a"]}, "bwrapPath": "/b", "socatPath": "/s"},
    "managedSettings": {"env": {"KEY": "hunter2"}}, "settingSources": ["user", "local"],
    "delivery": "file", "resume": "r", "resumeSessionAt": "m", "resumeDropsTurn": "n",
    "continue": false, "forkSession": true, "sessionId": "s", "persistSession": false,
    "sessionMirror": true, "enableFileCheckpointing": true, "includePartialMessages": true,
    "includeHookEvents": true, "forwardSubagentText": true, "promptSuggestions": true,
    "agentProgressSummaries": true, "supportedDialogKinds": ["refusal_fallback_prompt"],
    "perTaskStopAffordance": true, "debug": true, "debugFile": "/d"
}"#;

#[test]
fn every_option_is_a_field() {
    let options: QueryOptions = serde_json::from_str(ALL).unwrap();
    let written = serde_json::to_string(&options).unwrap();
    assert!(json_equal(&written, ALL), "{written}");
    let shown = format!("{options:#?}");
    assert!(!shown.contains("extra: {\n"), "{shown}");
    assert!(!shown.contains("Unknown"), "{shown}");
    // Each option is in this text, or in a case of `cargo xtask options`.
    let cases = cases();
    macro_rules! check {
        ($field:ident $key:literal $way:ident($($argument:tt)?) $text:literal) => {
            let mut all = cases.iter().chain([&options]);
            assert!(
                all.any(|case| case.$field.is_some()),
                "no case sets {}",
                $key
            );
        };
    }
    claw_types::each_option!(check);
}

/// The options of the cases in which `cargo xtask options` compares claw with the official SDK.
fn cases() -> Vec<QueryOptions> {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../conformance/src/options/cases.json"
    );
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let options = |case: &Value| {
        let parts = [&case["options"], &case["here"]].into_iter();
        let fields = parts.filter_map(Value::as_object).flatten();
        let all: Value = fields.map(|(key, value)| (key, value.clone())).collect();
        let options: QueryOptions = serde_json::from_value(all.clone()).unwrap();
        assert_eq!(serde_json::to_value(&options).unwrap(), all);
        options
    };
    cases.iter().map(options).collect()
}

#[test]
fn what_is_secret_is_never_shown() {
    let options: QueryOptions = serde_json::from_str(ALL).unwrap();
    assert!(!format!("{options:?} {options:#?}").contains("hunter2"));
    let servers = options.mcp_servers.unwrap();
    assert!(!format!("{servers:?} {servers:#?}").contains("hunter2"));
    let of_tomorrow = r#"{"mcpServers": {"m": {"type": "ws", "headers": {"K": "hunter2"}}}}"#;
    let options: QueryOptions = serde_json::from_str(of_tomorrow).unwrap();
    let shown = format!("{options:?} {options:#?}");
    assert!(
        shown.contains("\"ws\"") && !shown.contains("hunter2"),
        "{shown}"
    );
}

#[test]
fn system_prompts() {
    for (prompt, wire) in [
        (SystemPrompt::from("x"), json!("x")),
        (
            SystemPrompt::Parts(vec!["x".into(), "y".into()]),
            json!(["x", "y"]),
        ),
        (
            SystemPromptCustom::new("x").snapshot(true).into(),
            json!({"type": "custom", "prompt": "x", "snapshot": true}),
        ),
        (
            SystemPromptCustom::new(vec!["x".to_owned()]).into(),
            json!({"type": "custom", "prompt": ["x"]}),
        ),
        (
            SystemPrompt::claude_code(),
            json!({"type": "preset", "preset": "claude_code"}),
        ),
    ] {
        assert_eq!(serde_json::to_value(&prompt).unwrap(), wire);
        let text = wire.to_string();
        let read: SystemPrompt = serde_json::from_str(&text).unwrap();
        assert_eq!(read, prompt);
        assert_lossless(&read, &text);
        assert_eq!(
            serde_json::from_value::<SystemPrompt>(wire).unwrap(),
            prompt
        );
    }
    let tomorrow = r#"{"type":"tomorrow","x":[1]}"#;
    assert_lossless(
        &serde_json::from_str::<SystemPrompt>(tomorrow).unwrap(),
        tomorrow,
    );
    for wrong in ["3", "null", "true", "{\"type\":\"custom\"}"] {
        assert!(
            serde_json::from_str::<SystemPrompt>(wrong).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn shapes_of_tools_skills_and_settings() {
    let options = QueryOptions::default()
        .tools(Tools::claude_code())
        .skills(Skills::all())
        .settings("/x.json");
    let expected = json!({"tools": {"type": "preset", "preset": "claude_code"}, "skills": "all",
        "settings": "/x.json"});
    assert_eq!(serde_json::to_value(&options).unwrap(), expected);
    assert_eq!(
        serde_json::from_value::<QueryOptions>(expected).unwrap(),
        options
    );
    let options = QueryOptions::default()
        .tools(vec![])
        .skills(vec!["a".to_owned()])
        .settings(json!({"a": 1.0}));
    let expected = json!({"tools": [], "skills": ["a"], "settings": {"a": 1.0}});
    assert_eq!(serde_json::to_value(&options).unwrap(), expected);
    assert_eq!(
        serde_json::from_value::<QueryOptions>(expected).unwrap(),
        options
    );
}

#[test]
fn an_error_names_the_path() {
    let error = |text: &str| {
        serde_json::from_str::<QueryOptions>(text)
            .unwrap_err()
            .to_string()
    };
    let wrong = error(r#"{"mcpServers":{"s":{"type":"http","url":3}}}"#);
    assert!(wrong.contains("mcpServers.s.url"), "{wrong}");
    let wrong = error(r#"{"systemPrompt":{"type":"custom","prompt":3}}"#);
    assert!(wrong.contains("systemPrompt.prompt"), "{wrong}");
    let wrong = error(r#"{"tools":"Bash"}"#);
    assert!(wrong.contains("a list of texts, or a preset"), "{wrong}");
}

#[test]
fn mcp_servers_are_told_apart() {
    for text in [
        r#"{"command":"serve"}"#,
        r#"{"type":"stdio","command":"serve","new":1}"#,
        r#"{"type":"http","url":"u"}"#,
        r#"{"type":"sse","url":"u"}"#,
        r#"{"type":"sdk","name":"n","timeout":5,"tools":[{"name":"t"}]}"#,
        r#"{"type":"claudeai-proxy","url":"u","id":"i"}"#,
        r#"{"type":"tomorrow","x":1}"#,
    ] {
        let server: McpServerConfig = serde_json::from_str(text).unwrap();
        assert_lossless(&server, text);
        let is_stdio = matches!(server, McpServerConfig::Stdio(_));
        assert_eq!(is_stdio, text.contains("command"), "{text}");
        let is_unknown = matches!(server, McpServerConfig::Other(McpOtherServer::Unknown(_)));
        assert_eq!(is_unknown, text.contains("tomorrow"), "{text}");
    }
    assert_eq!(
        serde_json::to_value(McpServerConfig::stdio("serve", ["-v"])).unwrap(),
        json!({"command": "serve", "args": ["-v"]})
    );
    assert_eq!(
        serde_json::to_value(McpServerConfig::http("u")).unwrap(),
        json!({"type": "http", "url": "u"})
    );
}

#[test]
fn options_are_built() {
    let servers: Map<_> = [("s", McpServerConfig::http("u"))].into_iter().collect();
    let agent = AgentDefinition::new("d", "p")
        .effort(AgentEffort::Level(EffortLevel::High))
        .mcp_servers(vec!["s".into()]);
    let options = QueryOptions::default()
        .mcp_servers(servers)
        .agents([("a", agent)].into_iter().collect::<Map<_>>())
        .thinking(Thinking::enabled(5))
        .output_format(OutputFormat::json_schema(json!({"type": "object"})))
        .plugins([Plugin::local("/p")])
        .managed_settings(Json::empty_object())
        .task_budget(TaskBudget::new(9));
    assert_eq!(
        serde_json::to_value(&options).unwrap(),
        json!({"mcpServers": {"s": {"type": "http", "url": "u"}},
            "agents": {"a": {"description": "d", "prompt": "p", "effort": "high",
                "mcpServers": ["s"]}},
            "thinking": {"type": "enabled", "budgetTokens": 5},
            "outputFormat": {"type": "json_schema", "schema": {"type": "object"}},
            "plugins": [{"type": "local", "path": "/p"}], "managedSettings": {},
            "taskBudget": {"total": 9}})
    );
}
