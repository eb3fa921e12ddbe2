//! Other crates can build every message, and what they build is what they said.

use claw_types::api::{
    ApiMessage, Content, ContentBlock, MessageParam, Role, StopReason, TextBlock, ToolResultBlock,
    ToolUseBlock, Usage,
};
use claw_types::control::{
    CanUseTool, ControlRequest, ControlResponse, EndSession, Initialize, Interrupt,
    PermissionAllow, PermissionDestination, PermissionResult, PermissionUpdate, SetMode,
};
use claw_types::message::{
    AssistantMessage, Priority, ResultError, ResultErrorSubtype, ResultSuccess, SystemInit,
    TerminalReason, UserMessage,
};
use claw_types::options::{PermissionMode, QueryOptions};
use claw_types::{Count, Extra, Json, Map, Message, MessageUuid, StdinMessage, StdoutMessage, Tri};
use serde_json::json;

use crate::support::{message, stdin, stdout};

#[test]
fn sizes() {
    assert_eq!(size_of::<Message>(), 24);
    assert_eq!(size_of::<StdoutMessage>(), 24);
    assert_eq!(size_of::<PermissionMode>(), 16);
    assert_eq!(size_of::<StopReason>(), 16);
    assert_eq!(size_of::<Extra>(), size_of::<usize>());
    assert_eq!(size_of::<MessageUuid>(), 40);
    assert_eq!(size_of::<Json>(), 16);
}

#[test]
fn an_answer() {
    let answer = ApiMessage::new(
        "msg_1",
        Role::Assistant,
        "claude-opus-5-5",
        vec![
            TextBlock::new("Four.").into(),
            ToolUseBlock::new("toolu_1", "Bash", json!({"command": "ls"})).into(),
        ],
        Usage::new(5).input_tokens(10),
    )
    .stop_reason(StopReason::ToolUse);
    let built = AssistantMessage::new(answer, "u", "s").parent_tool_use_id("toolu_0");
    let line = r#"{"type":"assistant","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5-5",
        "content":[{"type":"text","text":"Four."},{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}],
        "stop_reason":"tool_use","stop_sequence":null,"usage":{"output_tokens":5,"input_tokens":10}},
        "parent_tool_use_id":"toolu_0","uuid":"u","session_id":"s"}"#;
    let built = Message::from(built);
    assert_eq!(message(line), built);
    assert_eq!(built.text(), "Four.");
    assert_eq!(built.tool_uses().next().unwrap().name, "Bash");
    assert_eq!(built.uuid().unwrap(), "u");
    assert_eq!(built.session_id().unwrap(), "s");
    assert_eq!(built.parent_tool_use_id().unwrap(), "toolu_0");
    assert!(!built.is_result());
}

#[test]
fn a_prompt_has_a_uuid_of_its_own() {
    let (a, b) = (UserMessage::prompt("x"), UserMessage::prompt("x"));
    assert_ne!(a.uuid, b.uuid);
    assert_eq!(
        a.uuid
            .as_ref()
            .unwrap()
            .as_uuid()
            .unwrap()
            .get_version_num(),
        4
    );
    let a = a.uuid("u").priority(Priority::Now).should_query(false);
    assert_eq!(
        stdin(
            r#"{"type":"user","message":{"role":"user","content":"x"},"parent_tool_use_id":null,"uuid":"u","priority":"now","shouldQuery":false}"#
        ),
        StdinMessage::from(a)
    );
}

#[test]
fn tool_results() {
    let text = ToolResultBlock::new("toolu_1").content("hi").is_error(true);
    let blocks = ToolResultBlock::new("toolu_2").content(vec![TextBlock::new("a").into()]);
    let user = UserMessage::new(MessageParam::user(vec![text.into(), blocks.into()]));
    let user = Message::from(user);
    let texts: Vec<_> = user
        .tool_results()
        .map(|result| result.content.as_ref().map(Content::text).unwrap())
        .collect();
    assert_eq!(texts, ["hi", "a"]);
    message(&serde_json::to_string(&user).unwrap());
}

#[test]
fn results() {
    let mut success = ResultSuccess::new(
        5,
        4.5,
        false,
        1,
        "Four.",
        0,
        Usage::new(5),
        Map::default(),
        vec![],
        "u",
        "s",
    )
    .terminal_reason(TerminalReason::Completed);
    success.api_error_status = Tri::Null;
    let Message::ResultSuccess(read) = message(&serde_json::to_string(&success).unwrap()) else {
        panic!();
    };
    assert_eq!(*read, success);
    assert!(Message::from(success).is_result());
    let error = ResultError::new(
        ResultErrorSubtype::ErrorMaxTurns,
        5,
        4,
        true,
        1,
        0.5,
        Usage::new(5),
        Map::default(),
        vec![],
        "u",
        "s",
    )
    .errors(vec!["why".to_owned()]);
    let Message::ResultError(read) = message(&serde_json::to_string(&error).unwrap()) else {
        panic!();
    };
    assert_eq!(*read, error);
}

#[test]
fn an_init() {
    let init = SystemInit::new(
        "/w",
        "s",
        vec!["Bash".to_owned()],
        vec![],
        "m",
        PermissionMode::Plan,
        vec![],
        "none",
        "2.1.329",
        "default",
        vec![],
        vec![],
        "u",
    )
    .effort("high");
    let Message::SystemInit(read) = message(&serde_json::to_string(&init).unwrap()) else {
        panic!();
    };
    assert_eq!(*read, init);
}

#[test]
fn questions_and_answers() {
    let line = |value: &StdinMessage| stdin(&serde_json::to_string(value).unwrap());
    for body in [
        ControlRequest::new("r", Initialize::new().title("t")),
        ControlRequest::new("r", Interrupt::new().cancel_queued(true)),
        ControlRequest::new("r", EndSession::new()),
        ControlRequest::new("r", CanUseTool::new("Bash", json!({}), "toolu_1")),
    ] {
        let value = StdinMessage::from(body);
        assert_eq!(line(&value), value);
        stdout(&serde_json::to_string(&value).unwrap());
    }
    let error = ControlResponse::error("r", "no");
    assert_eq!(error.request_id().unwrap(), "r");
    let allow = PermissionAllow::new()
        .updated_input(json!({"command": "ls"}))
        .updated_permissions(vec![
            SetMode::new(PermissionMode::AcceptEdits, PermissionDestination::Session).into(),
        ]);
    assert_eq!(
        serde_json::to_value(PermissionResult::from(allow)).unwrap(),
        json!({"behavior":"allow","updatedInput":{"command":"ls"},
            "updatedPermissions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]})
    );
    assert_eq!(
        serde_json::to_value(PermissionResult::allow()).unwrap(),
        json!({"behavior":"allow"})
    );
    assert_eq!(
        serde_json::to_value(PermissionResult::deny("no")).unwrap(),
        json!({"behavior":"deny","message":"no"})
    );
}

#[test]
fn permissions_are_updated() {
    let rules = json!([{"toolName": "Bash", "ruleContent": "ls:*"}, {"toolName": "Read"}]);
    for update in [
        json!({"type": "addRules", "rules": rules, "behavior": "allow", "destination": "session"}),
        json!({"type": "replaceRules", "rules": rules, "behavior": "ask",
            "destination": "projectSettings"}),
        json!({"type": "removeRules", "rules": rules, "behavior": "deny",
            "destination": "localSettings"}),
        json!({"type": "setMode", "mode": "plan", "destination": "userSettings"}),
        json!({"type": "addDirectories", "directories": ["/d"], "destination": "cliArg"}),
        json!({"type": "removeDirectories", "directories": ["/d"], "destination": "session"}),
    ] {
        let read: PermissionUpdate = serde_json::from_value(update.clone()).unwrap();
        assert!(!read.is_unknown(), "{update}");
        assert_eq!(serde_json::to_value(&read).unwrap(), update);
    }
}

#[test]
fn constants_are_patterns() {
    let name = |mode: &PermissionMode| match mode {
        &PermissionMode::Plan => "plan",
        &PermissionMode::AcceptEdits => "edits",
        other if other.is_known() => "known",
        _ => "of tomorrow",
    };
    assert_eq!(name(&"plan".into()), "plan");
    assert_eq!(name(&"acceptEdits".into()), "edits");
    assert_eq!(name(&PermissionMode::DontAsk), "known");
    assert_eq!(name(&"Plan".into()), "of tomorrow");
    assert_eq!(PermissionMode::from("Plan").to_string(), "Plan");
    assert!(PermissionMode::KNOWN.contains(&"plan"));
}

#[test]
fn options_hide_what_is_secret() {
    let env = Map::from_iter([("TOKEN", Some("hunter2".to_owned())), ("GONE", None)]);
    let options = QueryOptions::default().env(env).model("m").max_turns(3);
    assert!(!format!("{options:?} {options:#?}").contains("hunter2"));
    let flags = Map::from_iter([("mcp-config", Some("hunter2".to_owned()))]);
    let in_text = QueryOptions::default().extra_args(flags);
    assert!(!format!("{in_text:?}").contains("hunter2"));
    let written = serde_json::to_value(&options).unwrap();
    assert_eq!(
        written,
        json!({"env":{"TOKEN":"hunter2","GONE":null},"model":"m","maxTurns":3})
    );
    assert_eq!(
        serde_json::from_value::<QueryOptions>(written).unwrap(),
        options
    );
}

#[test]
fn a_key_may_be_absent_null_or_there() {
    let usage = Usage::new(Count::from(1)).input_tokens(2);
    assert_eq!(usage.input_tokens.value(), Some(&Count::from(2)));
    assert!(usage.speed.is_absent());
    let block: ContentBlock = TextBlock::new("x").into();
    assert_eq!(
        serde_json::to_value(&block).unwrap(),
        json!({"type":"text","text":"x"})
    );
}

#[test]
fn a_result_of_the_api_s_own_tools_names_its_use() {
    for kind in [
        "web_search",
        "web_fetch",
        "tool_search",
        "code_execution",
        "bash_code_execution",
        "text_editor_code_execution",
        "advisor",
    ] {
        let block = json!({"type": format!("{kind}_tool_result"), "tool_use_id": "srvtoolu_1",
            "content": {"type": "x"}});
        let block: ContentBlock = serde_json::from_value(block).unwrap();
        let (id, content) = block.api_tool_result().unwrap();
        assert_eq!(
            (id.as_str(), content.as_raw()),
            ("srvtoolu_1", r#"{"type":"x"}"#)
        );
    }
    assert!(
        ContentBlock::from(TextBlock::new("x"))
            .api_tool_result()
            .is_none()
    );
}

#[test]
#[should_panic(expected = "a count cannot be negative: -1")]
fn a_negative_count_fails_at_once() {
    let _ = QueryOptions::default().max_turns(-1);
}
