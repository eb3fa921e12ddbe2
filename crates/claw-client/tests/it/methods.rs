//! Each call that a session can make has a method, or a reason to have none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use claw_client::Session;
use claw_client::types::control::WritableSettings;
use claw_client::types::options::PermissionMode;
use claw_client::types::{Map, MessageUuid};
use claw_testkit::agent::Script;
use serde_json::{Value, json};

use crate::agent::connect;

/// Kinds that [`Session::call`] alone makes, and why.
const BY_CALL: [(&str, &str); 15] = [
    (
        "cancel_async_message",
        "Turn::cancel makes it for the turn's own prompt",
    ),
    (
        "claim_session",
        "for a CLI that was started before its session; claw starts none",
    ),
    (
        "end_session",
        "Session::close makes it, and waits for the process",
    ),
    ("get_memory_dialog", "a page of the CLI's own screen"),
    ("get_sandbox_dialog", "a page of the CLI's own screen"),
    ("get_skills_dialog", "a page of the CLI's own screen"),
    ("get_status", "a page of the CLI's own screen"),
    (
        "initialize",
        "Session::reinitialize makes it as it was made at the start",
    ),
    ("mcp_message", "the transport of the host's own MCP servers"),
    ("message_rated", "what a window on the session tells"),
    (
        "prompt_draft_activity",
        "what a window on the session tells",
    ),
    ("set_color", "a CLI on pipes refuses it"),
    ("set_has_subscribers", "what a window on the session tells"),
    ("set_message_waiting", "what a window on the session tells"),
    (
        "submit_feedback",
        "sends the conversation to the CLI's makers: nothing to do by one word",
    ),
];

/// The call of each method, by its kind: the `subtype` on the wire.
fn methods(session: &Session) -> BTreeMap<&'static str, String> {
    fn call(kind: &'static str, call: &impl Debug) -> (&'static str, String) {
        (kind, format!("{call:?}"))
    }
    [
        call("interrupt", &session.interrupt()),
        call(
            "set_permission_mode",
            &session.set_permission_mode(PermissionMode::Plan),
        ),
        call("set_model", &session.set_model("model")),
        call(
            "set_max_thinking_tokens",
            &session.set_max_thinking_tokens(None),
        ),
        call(
            "apply_flag_settings",
            &session.apply_flag_settings(json!({})),
        ),
        call(
            "update_settings",
            &session.update_settings(WritableSettings::UserSettings, json!({})),
        ),
        call(
            "set_prompt_suggestions_paused",
            &session.set_prompt_suggestions_paused(true),
        ),
        call("set_cwd", &session.set_cwd("path")),
        call(
            "register_repo_root",
            &session.register_repo_root("directory"),
        ),
        call("reload_plugins", &session.reload_plugins()),
        call("reload_skills", &session.reload_skills()),
        call("reload_output_styles", &session.reload_output_styles()),
        call("rename_session", &session.rename_session("title")),
        call(
            "generate_session_title",
            &session.generate_session_title("description"),
        ),
        call("stop_task", &session.stop_task("task_id")),
        call("background_tasks", &session.background_tasks()),
        call("rewind_files", &session.rewind_files(MessageUuid::random())),
        call("seed_read_state", &session.seed_read_state("path", 1.5)),
        call("mcp_set_servers", &session.set_mcp_servers(Map::default())),
        call(
            "mcp_reconnect",
            &session.reconnect_mcp_server("server_name"),
        ),
        call(
            "mcp_toggle",
            &session.toggle_mcp_server("server_name", true),
        ),
        call(
            "set_mcp_permission_mode_override",
            &session.set_mcp_permission_mode("server_name", PermissionMode::Default),
        ),
        call(
            "mcp_authenticate",
            &session.authenticate_mcp_server("server_name"),
        ),
        call(
            "mcp_oauth_callback_url",
            &session.submit_mcp_oauth_callback_url("server_name", "callback_url"),
        ),
        call("mcp_clear_auth", &session.clear_mcp_auth("server_name")),
        call("channel_enable", &session.enable_mcp_channel("server_name")),
        call("mcp_call", &session.call_mcp_tool("tool")),
        call(
            "mcp_read_resource",
            &session.read_mcp_resource("server_name", "uri"),
        ),
        call("mcp_status", &session.mcp_status()),
        call("get_context_usage", &session.context_usage()),
        call("get_session_cost", &session.session_cost()),
        call("get_usage", &session.usage_report()),
        call("get_settings", &session.settings()),
        call("list_models", &session.list_models()),
        call("list_permission_rules", &session.list_permission_rules()),
        call("get_hooks_listing", &session.list_hooks()),
        call("get_plan", &session.plan()),
        call("get_task_output", &session.task_output("task_id")),
        call("get_workspace_diff", &session.workspace_diff()),
        call("get_binary_version", &session.binary_version()),
        call("read_file", &session.read_file("path")),
        call("file_suggestions", &session.file_suggestions("query")),
        call("export_conversation", &session.export_conversation()),
        call("side_question", &session.side_question("question")),
    ]
    .into()
}

/// The kinds of calls to `claude`, by the committed schema.
fn kinds() -> BTreeSet<String> {
    let schema = include_str!("../../../../schemas/codegen/claw.schema.json");
    let schema: Value = serde_json::from_str(schema).unwrap();
    let types = &schema["$defs"];
    let kinds = types["ControlRequestBody"]["oneOf"].as_array().unwrap();
    let kinds = kinds.iter().filter_map(|kind| {
        let name = kind["$ref"].as_str()?.rsplit('/').next()?;
        let directions = types[name]["x-direction"].as_array()?;
        let to_claude = directions.iter().any(|direction| direction == "stdin");
        let tag = &types[name]["properties"]["subtype"]["enum"][0];
        to_claude.then(|| tag.as_str().unwrap().to_owned())
    });
    kinds.collect()
}

#[tokio::test]
async fn each_kind_of_call_has_a_method_or_a_reason() {
    let (session, _agent) = connect(Script::new([])).await;
    let methods = methods(&session);
    for (kind, call) in &methods {
        assert!(call.contains(&format!("subtype: \"{kind}\"")), "{call}");
    }
    let named = methods.keys().copied();
    let listed = BY_CALL.iter().map(|(kind, _)| *kind);
    let both: Vec<_> = listed
        .clone()
        .filter(|kind| methods.contains_key(kind))
        .collect();
    assert!(both.is_empty(), "a method after all: {both:?}");
    let known: BTreeSet<_> = named.chain(listed).map(str::to_owned).collect();
    assert_eq!(known, kinds());
}
