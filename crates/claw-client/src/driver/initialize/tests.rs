use std::ffi::{OsStr, OsString};
use std::fs;

use claw_transport::{argv, environment};
use claw_types::Map;
use claw_types::control::{
    DialogCancelled, PermissionResult, RequestUserDialog, UserDialogResponse,
};
use claw_types::hook::HookMatcher;
use claw_types::options::{
    AgentDefinition, McpServerConfig, Plugin, SandboxSettings, SystemPromptCustom,
    SystemPromptPreset,
};
use serde_json::{Value, json};

use super::*;
use crate::requests::answer::callback;
use crate::requests::permission::ToolPermissionRequest;

fn said(options: &QueryOptions) -> Value {
    serde_json::to_value(initialize(options, &Hooks::default()).unwrap()).unwrap()
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

#[test]
fn a_prompt_of_ones_own_says_how_it_is_kept() {
    let custom = SystemPromptCustom::new("x").snapshot(false);
    let options = QueryOptions::default().system_prompt(custom);
    let expected = json!({"subtype": "initialize", "systemPrompt": ["x"],
        "systemPromptSnapshot": false});
    assert_eq!(said(&options), expected);
    let preset = SystemPromptPreset::new("claude_code").snapshot(true);
    let options = QueryOptions::default().system_prompt(preset);
    let expected = json!({"subtype": "initialize", "systemPromptSnapshot": true});
    assert_eq!(said(&options), expected);
}

fn one<T>(name: &str, value: T) -> Map<T> {
    [(name, value)].into_iter().collect()
}

#[test]
fn what_has_no_flag_is_here() {
    let options = QueryOptions::default()
        .system_prompt(SystemPrompt::claude_code())
        .plan_mode_instructions("p")
        .tool_aliases(one("Bash", "mcp__x__y".to_owned()))
        .agents(one("a", AgentDefinition::new("d", "p")))
        .title("t")
        .skills(vec!["s".to_owned()])
        .prompt_suggestions(true)
        .agent_progress_summaries(true)
        .forward_subagent_text(true)
        .per_task_stop_affordance(true)
        .output_format(OutputFormat::json_schema(json!({"type": "object"})));
    let expected = json!({"subtype": "initialize", "planModeInstructions": "p",
        "toolAliases": {"Bash": "mcp__x__y"}, "agents": {"a": {"description": "d", "prompt": "p"}},
        "title": "t", "skills": ["s"], "promptSuggestions": true, "agentProgressSummaries": true,
        "forwardSubagentText": true, "perTaskStopAffordance": true,
        "jsonSchema": {"type": "object"}});
    assert_eq!(said(&options), expected);
    let all = QueryOptions::default().skills(Skills::all());
    assert!(said(&all).get("skills").is_none());
}

/// The valid options among the test cases with which `cargo xtask options` compares claw with the official SDK.
fn cases() -> Vec<QueryOptions> {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../conformance/src/options/cases.json"
    );
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let options = cases.iter().map(|case| -> QueryOptions {
        let parts = [&case["options"], &case["here"]].into_iter();
        let fields = parts.filter_map(Value::as_object).flatten();
        let all: Value = fields.map(|(key, value)| (key, value.clone())).collect();
        serde_json::from_value(all).unwrap()
    });
    options
        .filter(|options| options.validate().is_ok())
        .collect()
}

#[test]
fn options_go_the_ways_that_their_fields_declare() {
    let cases = cases();
    macro_rules! check {
        ($field:ident $key:literal initialize() $text:literal) => {
            let set = cases.iter().find(|case| case.$field.is_some()).expect($key);
            assert_eq!(said(set)[$key], serde_json::to_value(&set.$field).unwrap());
        };
        ($field:ident $key:literal launch() $text:literal) => {
            let mut sent = cases
                .iter()
                .filter_map(|case| said(case).get($key).cloned());
            let mut set = cases.iter().filter(|case| case.delivery.is_none());
            let set = set.find_map(|case| case.$field.as_ref());
            assert_eq!(
                sent.next(),
                set.map(|values| serde_json::to_value(values).unwrap())
            );
        };
        ($field:ident $key:literal variable($name:literal) $text:literal) => {
            let mut set = cases.iter().filter(|case| case.$field.is_some());
            let has_variable =
                |case| matches!(environment(case).get(OsStr::new($name)), Some(Some(_)));
            assert!(set.any(has_variable), "{}", $key);
        };
        ($field:ident $key:literal $form:ident($flag:literal) $text:literal) => {
            let mut set = cases.iter().filter(|case| case.$field.is_some());
            let is_flag = |word: OsString| {
                let word = word.into_string().unwrap();
                word.split('=').next() == Some(concat!("--", $flag))
            };
            let has_flag = |case| argv(case, false).unwrap().into_iter().any(is_flag);
            assert!(set.any(has_flag), "{}", $key);
        };
        // Options that are passed in other ways have their own tests.
        ($field:ident $key:literal $way:ident($($method:ident)?) $text:literal) => {};
    }
    claw_types::each_option!(check);
}

/// Returns options that the CLI must know before it reads its settings.
fn launch() -> QueryOptions {
    QueryOptions::default()
        .system_prompt(SystemPrompt::claude_code())
        .mcp_servers(one("s", McpServerConfig::http("https://x.example")))
        .plugins([Plugin::local("/p")])
        .settings(json!({"a": 1}))
        .sandbox(SandboxSettings::new().enabled(false))
        .managed_settings(json!({"b": 2}))
        .disallowed_tools(["Bash"])
}

#[test]
fn what_is_secret_or_long_is_here() {
    let expected = json!({"subtype": "initialize",
        "mcpServers": {"s": {"type": "http", "url": "https://x.example"}},
        "plugins": [{"type": "local", "path": "/p"}],
        "settings": {"a": 1, "sandbox": {"enabled": false}},
        "managedSettings": {"b": 2}, "disallowedTools": ["Bash"]});
    assert_eq!(said(&launch()), expected);
    let by_file = launch().delivery(Delivery::File);
    assert_eq!(said(&by_file), json!({"subtype": "initialize"}));
    let nothing = QueryOptions::default()
        .mcp_servers(Map::<McpServerConfig>::default())
        .plugins([])
        .disallowed_tools(Vec::<String>::new());
    let expected = json!({"subtype": "initialize", "systemPrompt": [""]});
    assert_eq!(said(&nothing), expected);
}

fn answer(fields: &Value) -> InitializeResponse {
    let mut answer = json!({"commands": [], "agents": [], "output_style": "default",
        "available_output_styles": [], "models": [], "account": {}});
    for (key, value) in fields.as_object().unwrap() {
        answer[key] = value.clone();
    }
    serde_json::from_value(answer).unwrap()
}

#[test]
fn what_was_handed_over_has_to_be_confirmed() {
    let confirm = Confirm::of(&initialize(&launch(), &Hooks::default()).unwrap());
    assert!(confirm.any());
    let taken = json!({"mcp_servers_applied": true, "settings_applied": true,
        "managed_settings_applied": true, "disallowed_tools_applied": true,
        "plugins_applied": true});
    assert_eq!(confirm.missing(Some(&answer(&taken))), None);
    for (key, option) in [
        ("mcp_servers_applied", "mcp_servers"),
        ("settings_applied", "settings"),
        ("managed_settings_applied", "managed_settings"),
        ("disallowed_tools_applied", "disallowed_tools"),
        ("plugins_applied", "plugins"),
    ] {
        let mut refused = taken.clone();
        refused[key] = false.into();
        assert_eq!(confirm.missing(Some(&answer(&refused))), Some(option));
        refused.as_object_mut().unwrap().remove(key);
        assert_eq!(confirm.missing(Some(&answer(&refused))), Some(option));
    }
    assert!(confirm.missing(None).is_some());
    let nothing = Confirm::of(&initialize(&QueryOptions::default(), &Hooks::default()).unwrap());
    assert!(!nothing.any());
    assert_eq!(nothing.missing(None), None);
}

#[test]
fn a_hook_that_refuses_when_it_fails_has_to_be_confirmed() {
    let matcher = HookMatcher::new(vec!["hook_0".to_owned()]);
    let registered = |matcher| Initialize::new().hooks(one("PreToolUse", vec![matcher]));
    assert!(!Confirm::of(&registered(matcher.clone())).any());
    let confirm = Confirm::of(&registered(matcher.on_failure(HookOnFailure::Block)));
    let missing = |fields: &Value| confirm.missing(Some(&answer(fields)));
    assert_eq!(missing(&json!({})), Some("hooks"));
    assert_eq!(missing(&json!({"hook_on_failure_supported": true})), None);
    let ignored = json!({"hook_on_failure_supported": true, "hooks_applied": false});
    assert_eq!(missing(&ignored), Some("hooks"));
}

fn with_permissions() -> Closures {
    let allow = |_: ToolPermissionRequest, _| async { PermissionResult::allow() };
    Closures {
        permission: Some(callback(allow)),
        ..Closures::default()
    }
}

fn with_dialogs() -> Closures {
    let cancel =
        |_: RequestUserDialog, _| async { UserDialogResponse::from(DialogCancelled::new()) };
    Closures {
        dialog: Some(callback(cancel)),
        ..Closures::default()
    }
}

#[test]
fn callbacks_and_options_fit() {
    let none = Closures::default();
    let dialogs = QueryOptions::default().supported_dialog_kinds(vec!["hand_over".to_owned()]);
    let error = check(&dialogs, &with_permissions()).unwrap_err();
    assert!(error.to_string().contains("dialogs"), "{error}");
    assert!(check(&dialogs, &with_dialogs()).is_ok());
    let by_stream = Closures {
        by_application: true,
        ..Closures::default()
    };
    assert!(check(&dialogs, &by_stream).is_ok());
    let error = check(&QueryOptions::default(), &with_dialogs()).unwrap_err();
    assert!(error.to_string().contains("never called"), "{error}");
    let by_tool = QueryOptions::default().permission_prompt_tool_name("mcp__ask__me");
    assert!(check(&by_tool, &none).is_ok());
    let error = check(&by_tool, &with_permissions()).unwrap_err();
    assert!(
        error.to_string().contains("with a permission callback"),
        "{error}"
    );
}

#[test]
fn options_that_keep_a_callback_from_being_asked() {
    let allowed = [
        "Read",
        "Write()",
        "Edit(*)",
        "Bash(git status)",
        "Bash(ls:*)",
    ];
    let options = QueryOptions::default()
        .allowed_tools(allowed.map(str::to_owned).to_vec())
        .permission_mode(PermissionMode::BypassPermissions);
    let shadows = shadows(&options);
    assert_eq!(
        shadows,
        [
            "the permission mode bypassPermissions",
            "Read in allowed_tools",
            "Write() in allowed_tools",
            "Edit(*) in allowed_tools",
        ]
    );
}
