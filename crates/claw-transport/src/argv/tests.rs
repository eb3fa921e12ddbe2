use claw_types::options::{
    LocalPlugin, McpServerConfig, OutputFormat, PermissionMode, PermissionPrompts, SandboxSettings,
    SettingSource, TaskBudget, ThinkingAdaptive, ThinkingDisabled, ThinkingEnabled,
};
use serde_json::json;

use super::*;

const BASE: [&str; 3] = [
    "--output-format=stream-json",
    "--verbose",
    "--input-format=stream-json",
];

/// Returns the arguments except those that every CLI gets.
fn beyond(options: &QueryOptions) -> Vec<String> {
    let words = argv(options, false).unwrap();
    let words: Vec<String> = words
        .into_iter()
        .map(|word| word.into_string().unwrap())
        .collect();
    assert_eq!(words[..3], BASE);
    words[3..].to_vec()
}

fn options() -> QueryOptions {
    QueryOptions::default()
}

fn strings(values: &[&str]) -> Vec<String> {
    values.iter().map(|value| (*value).to_owned()).collect()
}

fn refused(options: &QueryOptions) -> &'static str {
    match argv(options, false) {
        Err(TransportError::InvalidOption(invalid)) => invalid.option,
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_options_give_the_base() {
    assert_eq!(beyond(&options()), [""; 0]);
}

/// Returns options that set every argument.
fn every_option() -> QueryOptions {
    serde_json::from_value(json!({
        "model": "opus", "fallbackModel": "haiku", "additionalDirectories": ["/a", "/b"],
        "projectConfigRoot": "/r", "extraArgs": {"x": "y", "z": null}, "agent": "reviewer",
        "skills": ["s"], "effort": "high", "maxTurns": 3, "maxBudgetUsd": 0.5,
        "thinking": {"type": "enabled", "budgetTokens": 9, "display": "omitted"},
        "maxThinkingTokens": 5, "taskBudget": {"total": 9}, "betas": ["b", "c"],
        "tools": ["Bash"], "allowedTools": ["Read"], "disallowedTools": ["Write"],
        "permissionMode": "bypassPermissions", "allowDangerouslySkipPermissions": true,
        "permissionPrompts": "host", "permissionPromptToolName": "mcp__a__ask",
        "mcpServers": {"a": {"command": "serve"}}, "strictMcpConfig": true,
        "plugins": [{"type": "local", "path": "/p"}], "settings": "/s.json",
        "settingSources": ["user", "local"], "resume": "r", "resumeSessionAt": "m",
        "resumeDropsTurn": "n", "forkSession": true, "sessionId": "s", "persistSession": false,
        "sessionMirror": true, "includePartialMessages": true, "includeHookEvents": true,
        "debug": true,
    }))
    .unwrap()
}

#[test]
fn the_order_of_all_arguments() {
    let before = [
        "--max-thinking-tokens=9",
        "--thinking-display=omitted",
        "--effort=high",
        "--max-turns=3",
        "--max-budget-usd=0.5",
        "--task-budget=9",
        "--model=opus",
        "--fallback-model=haiku",
        "--agent=reviewer",
        "--betas=b,c",
        "--permission-prompt-tool=mcp__a__ask",
        "--permission-prompts=host",
        "--permission-mode=bypassPermissions",
        "--allow-dangerously-skip-permissions",
        "--tools=Bash",
        "--allowedTools=Read,Skill(s)",
    ];
    let behind = [
        "--strict-mcp-config",
        "--settings=/s.json",
        "--setting-sources=user,local",
        "--project-config-root=/r",
        "--add-dir=/a",
        "--add-dir=/b",
        "--resume=r",
        "--fork-session",
        "--resume-session-at=m",
        "--resume-drops-turn=n",
        "--session-id=s",
        "--no-session-persistence",
        "--session-mirror",
        "--include-partial-messages",
        "--include-hook-events",
        "--debug",
        "--x=y",
        "--z",
    ];
    let over_stdin = ["--await-initialize", "--initialize-fields=disallowedTools"];
    let all = every_option();
    assert_eq!(beyond(&all), [&before[..], &over_stdin, &behind].concat());
    let in_flags = ["--disallowedTools=Write", "--plugin-dir=/p"];
    let by_file = all.delivery(Delivery::File);
    assert_eq!(beyond(&by_file), [&before[..], &in_flags, &behind].concat());

    let settings = options()
        .settings(json!({}))
        .managed_settings(json!({}))
        .strict_mcp_config(true)
        .continue_session(true)
        .debug_file("/d")
        .thinking(ThinkingEnabled::new().display("omitted"));
    let expected = [
        "--thinking=adaptive",
        "--thinking-display=omitted",
        "--await-initialize",
        "--initialize-fields=settings",
        "--managed-settings-in-initialize",
        "--strict-mcp-config",
        "--continue",
        "--debug-file=/d",
    ];
    assert_eq!(beyond(&settings), expected);
}

#[test]
fn permission_prompts() {
    let words = argv(&options(), true).unwrap();
    assert_eq!(words[3..], ["--permission-prompt-tool=stdio"]);
}

#[test]
fn model() {
    assert_eq!(beyond(&options().model("opus")), ["--model=opus"]);
}

#[test]
fn fallback_model() {
    let both = options().model("opus").fallback_model("haiku");
    assert_eq!(beyond(&both), ["--model=opus", "--fallback-model=haiku"]);
    assert_eq!(refused(&both.model("haiku")), "fallback_model");
}

#[test]
fn a_value_with_dashes_stays_a_value() {
    assert_eq!(beyond(&options().resume("--help")), ["--resume=--help"]);
}

#[test]
fn permission_mode() {
    let plan = options().permission_mode(PermissionMode::Plan);
    assert_eq!(beyond(&plan), ["--permission-mode=plan"]);
    assert_eq!(
        beyond(&options().permission_mode("new")),
        ["--permission-mode=new"]
    );
}

#[test]
fn bypass_permissions_needs_its_switch() {
    let bypass = options().permission_mode(PermissionMode::BypassPermissions);
    assert_eq!(refused(&bypass), "permission_mode");
    let expected = [
        "--permission-mode=bypassPermissions",
        "--allow-dangerously-skip-permissions",
    ];
    assert_eq!(
        beyond(&bypass.allow_dangerously_skip_permissions(true)),
        expected
    );
}

#[test]
fn allow_dangerously_skip_permissions() {
    let words = beyond(&options().allow_dangerously_skip_permissions(true));
    assert_eq!(words, ["--allow-dangerously-skip-permissions"]);
    assert_eq!(
        beyond(&options().allow_dangerously_skip_permissions(false)),
        [""; 0]
    );
}

#[test]
fn tools() {
    assert_eq!(
        beyond(&options().tools(strings(&["Bash", "Read"]))),
        ["--tools=Bash,Read"]
    );
    assert_eq!(beyond(&options().tools(strings(&[]))), ["--tools="]);
    assert_eq!(
        beyond(&options().tools(Tools::claude_code())),
        ["--tools=default"]
    );
}

#[test]
fn allowed_tools() {
    let words = beyond(&options().allowed_tools(strings(&["Bash(git *)", "Read"])));
    assert_eq!(words, ["--allowedTools=Bash(git *),Read"]);
    assert_eq!(beyond(&options().allowed_tools(strings(&[]))), [""; 0]);
}

#[test]
fn disallowed_tools() {
    let some = options().disallowed_tools(strings(&["Bash", "Read(/etc/**)"]));
    let expected = ["--await-initialize", "--initialize-fields=disallowedTools"];
    assert_eq!(beyond(&some), expected);
    let flag = ["--disallowedTools=Bash,Read(/etc/**)"];
    assert_eq!(beyond(&some.delivery(Delivery::File)), flag);
    let none = options().disallowed_tools(strings(&[]));
    assert_eq!(beyond(&none), [""; 0]);
    assert_eq!(beyond(&none.delivery(Delivery::File)), [""; 0]);
}

/// Returns options with a secret in each field that can contain one.
fn secretive() -> QueryOptions {
    let server = json!({"command": "serve", "env": {"KEY": "secret"}});
    let remote = json!({"type": "http", "url": "https://x.example", "headers": {"Key": "secret"}});
    let servers: Map<McpServerConfig> = [("a", server), ("b", remote)]
        .into_iter()
        .map(|(name, server)| (name, serde_json::from_value(server).unwrap()))
        .collect();
    options()
        .mcp_servers(servers)
        .settings(json!({"env": {"KEY": "secret"}}))
        .output_format(OutputFormat::json_schema(json!({"description": "secret"})))
        .system_prompt("secret")
}

#[test]
fn what_is_secret_goes_over_stdin() {
    let expected = ["--await-initialize", "--initialize-fields=settings"];
    assert_eq!(beyond(&secretive()), expected);
    assert_eq!(file_arguments(&secretive()).unwrap(), []);
}

#[test]
fn what_is_secret_goes_to_files() {
    let by_file = secretive().delivery(Delivery::File);
    assert_eq!(beyond(&by_file), [""; 0]);
    let files = file_arguments(&by_file).unwrap();
    let read = |file: &FileArgument| -> serde_json::Value {
        serde_json::from_slice(&file.content).unwrap()
    };
    assert_eq!(
        files.iter().map(|file| file.flag).collect::<Vec<_>>(),
        ["mcp-config", "settings"]
    );
    let servers = json!({"mcpServers": {
        "a": {"command": "serve", "env": {"KEY": "secret"}},
        "b": {"type": "http", "url": "https://x.example", "headers": {"Key": "secret"}},
    }});
    assert_eq!(read(&files[0]), servers);
    assert_eq!(read(&files[1]), json!({"env": {"KEY": "secret"}}));
    assert!(!format!("{files:?}").contains("secret"));
}

#[test]
fn mcp_servers() {
    let server = McpServerConfig::stdio("serve", ["--all"]);
    let servers: Map<_> = [("a", server)].into_iter().collect();
    assert_eq!(
        beyond(&options().mcp_servers(servers)),
        ["--await-initialize"]
    );
    assert_eq!(
        beyond(&options().mcp_servers(Map::<McpServerConfig>::default())),
        [""; 0]
    );
    let strict = options().strict_mcp_config(true);
    assert_eq!(beyond(&strict), ["--strict-mcp-config"]);
}

#[test]
fn settings() {
    assert_eq!(
        beyond(&options().settings("/x.json")),
        ["--settings=/x.json"]
    );
    let inline = ["--await-initialize", "--initialize-fields=settings"];
    assert_eq!(beyond(&options().settings(json!({}))), inline);
    let sandbox = SandboxSettings::new().enabled(true);
    let sandboxed = options().sandbox(sandbox);
    assert_eq!(beyond(&sandboxed), inline);
    let files = file_arguments(&sandboxed.clone().delivery(Delivery::File)).unwrap();
    let expected = r#"{"sandbox":{"enabled":true,"failIfUnavailable":true}}"#;
    assert_eq!(files, [FileArgument::new("settings", expected)]);
    assert_eq!(refused(&sandboxed.settings("/x.json")), "sandbox");
}

#[test]
fn settings_and_refused_tools() {
    let both = options()
        .settings(json!({}))
        .disallowed_tools(strings(&["Bash"]));
    let expected = [
        "--await-initialize",
        "--initialize-fields=settings,disallowedTools",
    ];
    assert_eq!(beyond(&both), expected);
}

#[test]
fn managed_settings() {
    let managed = options().managed_settings(json!({"env": {}}));
    let expected = ["--await-initialize", "--managed-settings-in-initialize"];
    assert_eq!(beyond(&managed), expected);
    let by_file = managed.delivery(Delivery::File);
    assert_eq!(refused(&by_file), "managed_settings");
}

#[test]
fn plugins() {
    let two = options().plugins([
        Plugin::local("/p"),
        LocalPlugin::new("/q").skip_mcp_discovery(true).into(),
    ]);
    assert_eq!(beyond(&two), ["--await-initialize"]);
    let expected = ["--plugin-dir=/p", "--plugin-dir-no-mcp=/q"];
    assert_eq!(beyond(&two.delivery(Delivery::File)), expected);
    assert_eq!(beyond(&options().plugins([])), [""; 0]);
}

#[test]
fn skills() {
    let some = options()
        .allowed_tools(strings(&["Read"]))
        .skills(strings(&["a", "p:b"]));
    assert_eq!(beyond(&some), ["--allowedTools=Read,Skill(a),Skill(p:b)"]);
    assert_eq!(
        beyond(&options().skills(Skills::all())),
        ["--allowedTools=Skill"]
    );
    assert_eq!(beyond(&options().skills(strings(&[]))), [""; 0]);
    assert_eq!(
        refused(&options().skills(strings(&["a),Bash(*"]))),
        "skills"
    );
}

#[test]
fn agent() {
    assert_eq!(beyond(&options().agent("reviewer")), ["--agent=reviewer"]);
}

#[test]
fn thinking() {
    let with = |thinking: Thinking| beyond(&options().thinking(thinking));
    assert_eq!(with(Thinking::adaptive()), ["--thinking=adaptive"]);
    let hidden = ThinkingAdaptive::new().display("omitted").into();
    assert_eq!(
        with(hidden),
        ["--thinking=adaptive", "--thinking-display=omitted"]
    );
    assert_eq!(with(Thinking::enabled(9)), ["--max-thinking-tokens=9"]);
    assert_eq!(with(Thinking::enabled(0)), ["--max-thinking-tokens=0"]);
    let open = ThinkingEnabled::new().display("summarized").into();
    assert_eq!(
        with(open),
        ["--thinking=adaptive", "--thinking-display=summarized"]
    );
    assert_eq!(
        with(ThinkingDisabled::new().into()),
        ["--thinking=disabled"]
    );
}

#[test]
fn max_thinking_tokens() {
    assert_eq!(
        beyond(&options().max_thinking_tokens(5)),
        ["--max-thinking-tokens=5"]
    );
    assert_eq!(
        beyond(&options().max_thinking_tokens(0)),
        ["--thinking=disabled"]
    );
    let both = options()
        .max_thinking_tokens(5)
        .thinking(Thinking::adaptive());
    assert_eq!(beyond(&both), ["--thinking=adaptive"]);
}

#[test]
fn effort() {
    assert_eq!(beyond(&options().effort("high")), ["--effort=high"]);
}

#[test]
fn task_budget() {
    assert_eq!(
        beyond(&options().task_budget(TaskBudget::new(9))),
        ["--task-budget=9"]
    );
}

#[test]
fn betas() {
    let words = beyond(&options().betas(["context-1m-2025-08-07", "b"]));
    assert_eq!(words, ["--betas=context-1m-2025-08-07,b"]);
    assert_eq!(beyond(&options().betas(Vec::<String>::new())), [""; 0]);
}

#[test]
fn output_format_and_prompts_stand_in_no_argument() {
    let options = options()
        .output_format(OutputFormat::json_schema(json!({"type": "object"})))
        .system_prompt("be brief")
        .plan_mode_instructions("plan")
        .title("--title")
        .prompt_suggestions(true)
        .agent_progress_summaries(true)
        .forward_subagent_text(true)
        .per_task_stop_affordance(true)
        .verbatim_prompts(true)
        .tool_aliases(
            [("Bash", "mcp__a__b".to_owned())]
                .into_iter()
                .collect::<Map<_>>(),
        );
    assert_eq!(beyond(&options), [""; 0]);
}

#[test]
fn permission_prompt_tool_name() {
    let by_tool = options().permission_prompt_tool_name("mcp__a__ask");
    assert_eq!(beyond(&by_tool), ["--permission-prompt-tool=mcp__a__ask"]);
    let error = argv(&by_tool, true).unwrap_err();
    assert!(error.to_string().contains("callback"), "{error}");
}

#[test]
fn who_answers_permission_prompts() {
    let nobody = options().permission_prompts(PermissionPrompts::None);
    assert_eq!(beyond(&nobody), ["--permission-prompts=none"]);
}

#[test]
fn project_config_root() {
    assert_eq!(
        beyond(&options().project_config_root("/r")),
        ["--project-config-root=/r"]
    );
}

#[test]
fn resume_at_a_message() {
    let at = options().resume("r").resume_session_at("m");
    assert_eq!(beyond(&at), ["--resume=r", "--resume-session-at=m"]);
    let dropping = at.resume_drops_turn("");
    let expected = [
        "--resume=r",
        "--resume-session-at=m",
        "--resume-drops-turn=",
    ];
    assert_eq!(beyond(&dropping), expected);
    assert_eq!(
        refused(&options().resume_session_at("m")),
        "resume_session_at"
    );
    assert_eq!(
        refused(&options().resume("r").resume_drops_turn("m")),
        "resume_drops_turn"
    );
}

#[test]
fn what_is_kept() {
    assert_eq!(
        beyond(&options().persist_session(false)),
        ["--no-session-persistence"]
    );
    assert_eq!(beyond(&options().persist_session(true)), [""; 0]);
    assert_eq!(
        beyond(&options().session_mirror(true)),
        ["--session-mirror"]
    );
}

#[test]
fn what_is_sent_besides() {
    let words = beyond(&options().include_hook_events(true));
    assert_eq!(words, ["--include-hook-events"]);
}

#[test]
fn debugging() {
    assert_eq!(beyond(&options().debug(true)), ["--debug"]);
    assert_eq!(
        beyond(&options().debug(true).debug_file("/d")),
        ["--debug-file=/d"]
    );
}

#[test]
fn max_turns() {
    assert_eq!(beyond(&options().max_turns(3)), ["--max-turns=3"]);
    let error = argv(&options().max_turns(0), false).unwrap_err();
    assert!(error.to_string().contains("max_turns"), "{error}");
}

#[test]
fn max_budget_usd() {
    assert_eq!(
        beyond(&options().max_budget_usd(0.5)),
        ["--max-budget-usd=0.5"]
    );
}

#[test]
fn include_partial_messages() {
    let words = beyond(&options().include_partial_messages(true));
    assert_eq!(words, ["--include-partial-messages"]);
}

#[test]
fn setting_sources() {
    let sources = [SettingSource::User, SettingSource::Project];
    assert_eq!(
        beyond(&options().setting_sources(sources)),
        ["--setting-sources=user,project"]
    );
    assert_eq!(
        beyond(&options().setting_sources([])),
        ["--setting-sources="]
    );
}

#[test]
fn additional_directories() {
    let words = beyond(&options().additional_directories(["/a", "/b c"]));
    assert_eq!(words, ["--add-dir=/a", "--add-dir=/b c"]);
}

#[test]
fn continue_session() {
    assert_eq!(beyond(&options().continue_session(true)), ["--continue"]);
}

#[test]
fn resume() {
    assert_eq!(beyond(&options().resume("abc")), ["--resume=abc"]);
}

#[test]
fn fork_session() {
    let fork = options().resume("abc").fork_session(true);
    assert_eq!(beyond(&fork), ["--resume=abc", "--fork-session"]);
}

#[test]
fn session_id() {
    assert_eq!(beyond(&options().session_id("abc")), ["--session-id=abc"]);
    let resumed = options().session_id("abc").resume("def");
    assert_eq!(refused(&resumed), "session_id");
    let forked = ["--resume=def", "--fork-session", "--session-id=abc"];
    assert_eq!(beyond(&resumed.fork_session(true)), forked);
}

#[test]
fn extra_args() {
    let with = |name: &str, value: Option<&str>| {
        options().extra_args(
            [(name, value.map(str::to_owned))]
                .into_iter()
                .collect::<Map<_>>(),
        )
    };
    assert_eq!(beyond(&with("debug", None)), ["--debug"]);
    assert_eq!(beyond(&with("x", Some("-y z"))), ["--x=-y z"]);
    for name in ["", "--model", "a=b", "a b"] {
        assert_eq!(refused(&with(name, None)), "extra_args");
    }
}

#[test]
fn an_option_that_nobody_knows_is_refused() {
    let mut misspelt = options();
    misspelt
        .extra
        .insert("disallowedTool", Json::empty_object());
    let error = argv(&misspelt, false).unwrap_err();
    assert!(error.to_string().contains("`disallowedTool`"), "{error}");
    let mut absent = options();
    absent.extra.insert("brandNew", Json::null());
    assert_eq!(beyond(&absent), [""; 0]);
}
