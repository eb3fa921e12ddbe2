//! Whatever goes to `claude` can be built from another crate, by its constructors: nothing of it
//! needs JSON.

use std::collections::BTreeSet;
use std::fmt::Debug;

use claw_types::control::internal::*;
use claw_types::control::*;
use claw_types::hook::*;
use claw_types::message::internal::{
    BashCommand, NotificationDelivery, QueuedNotification, SessionNotice,
};
use claw_types::message::{Priority, UserMessage};
use claw_types::options::*;
use claw_types::{Map, StdinMessage, from_line};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Each value with the name of its struct.
macro_rules! built {
    ($union:ty: $($kind:ident($($part:expr),* $(,)?)),* $(,)?) => {
        [$((stringify!($kind), <$union>::from($kind::new($($part),*)))),*]
    };
}

/// They are all that the union has, and each is read as what was built.
fn whole<T>(union: &str, built: &[(&str, T)])
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let names: BTreeSet<_> = built.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names, members(union), "{union}");
    for (name, value) in built {
        let line = serde_json::to_string(value).unwrap();
        let read: T = serde_json::from_str(&line).unwrap();
        assert_eq!(&read, value, "{name}: {line}");
        let debug = format!("{read:?}");
        assert!(!debug.starts_with("Unknown"), "{debug}");
        assert!(!debug.contains("extra: {\""), "{debug}");
    }
}

/// The structs that a union has, as the committed schema names them.
fn members(union: &str) -> BTreeSet<String> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../schemas/codegen/claw.schema.json"
    );
    let bundle: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let union = &bundle["$defs"][union];
    let members = union["oneOf"].as_array().or(union["anyOf"].as_array());
    let name = |member: &Value| {
        member["$ref"]
            .as_str()?
            .rsplit('/')
            .next()
            .map(str::to_owned)
    };
    members.unwrap().iter().filter_map(name).collect()
}

#[test]
fn control_requests() {
    let hook = StopInput::new("s", "/t.jsonl", "/w", false);
    let built = built![ControlRequestBody:
        CanUseTool("Bash", json!({"command": "ls"}), "toolu_1"),
        HookCallback("hook_0", hook),
        McpMessage("calc", json!({"jsonrpc": "2.0", "method": "ping", "id": 1})),
        Elicitation("calc", "What is your name?"),
        RequestUserDialog("choice", json!({})),
        Initialize(),
        Interrupt(),
        SetPermissionMode(PermissionMode::Plan),
        SetModel(),
        SetMaxThinkingTokens(),
        McpStatus(),
        McpSetServers(Map::from_iter([("calc", McpServerConfig::from(McpStdioServer::new("calc")))])),
        McpReconnect("calc"),
        McpToggle("calc", true),
        RewindFiles("u"),
        StopTask("t"),
        BackgroundTasks(),
        CancelAsyncMessage("u"),
        ApplyFlagSettings(json!({"model": "m"})),
        SeedReadState("/w/a", 5),
        GetContextUsage(),
        GetSessionCost(),
        GetUsage(),
        ListModels(),
        FileSuggestions("src"),
        ListPermissionRules(),
        GetHooksListing(),
        ReloadPlugins(),
        ReloadSkills(),
        ReloadOutputStyles(),
        RegisterRepoRoot("/w"),
        ReadFile("/w/a"),
        GetSettings(),
        UpdateSettings(WritableSettings::from("localSettings"), json!({})),
        McpCall("mcp__calc__add"),
        McpReadResource("calc", "calc://pi"),
        SetMcpPermissionModeOverride("calc"),
        McpAuthenticate("calc"),
        McpClearAuth("calc"),
        McpOauthCallbackUrl("calc", "http://127.0.0.1:8080/back"),
        ChannelEnable("calc"),
        GetTaskOutput("t"),
        SideQuestion("Why?"),
        GenerateSessionTitle("Adds numbers"),
        RenameSession("Sums"),
        SetColor("red"),
        SetHasSubscribers(),
        GetBinaryVersion(),
        SetPromptSuggestionsPaused(true),
        SetMessageWaiting(true),
        PromptDraftActivity(),
        MessageRated("u", Sentiment::from("positive")),
        SubmitFeedback("It works."),
        GetStatus(),
        ExportConversation(),
        GetSkillsDialog(),
        GetMemoryDialog(),
        GetSandboxDialog(),
        GetPlan(),
        SetCwd("/w"),
        ClaimSession("/w"),
        DecideHeldPeerMessage("h", HeldPeerDecision::Drop),
        SetPeerDelivery(),
        GetWorkspaceDiff(),
        EndSession(),
    ];
    whole("ControlRequestBody", &built);
    // A request on its line, whichever it is.
    for (name, body) in built {
        let request = ControlRequest::new("r", body);
        let line = serde_json::to_string(&request).unwrap();
        let read: StdinMessage = from_line(line.as_bytes()).unwrap();
        assert_eq!(read, request.into(), "{name}");
    }
}

#[test]
fn lines_for_stdin() {
    let mut line = Vec::from(built![StdinMessage:
        ControlRequest("r", Interrupt::new()),
        ControlCancelRequest("r"),
        KeepAlive(),
        UpdateEnvironmentVariables(Map::from_iter([("A", "b".to_owned())])),
        BashCommand("ls"),
        SessionNotice("u", "handoff", "s", "Go on.", "mcp_session_notice"),
        QueuedNotification(NotificationDelivery::new(
            "n",
            "trigger_fire",
            "It is Monday.",
            Priority::Later,
            "2026-01-05T00:00:00Z"
        )),
    ]);

    line.push(("UserPrompt", UserMessage::prompt("Hello.").into()));
    let answer = ControlResponse::new(ControlSuccess::new("r"));
    line.push(("ControlResponse", answer.into()));
    whole("StdinMessage", &line);
    let refused = ControlResponse::new(ControlError::new("r", "no"));
    let line = serde_json::to_string(&refused).unwrap();
    assert_eq!(
        from_line::<StdinMessage>(line.as_bytes()).unwrap(),
        refused.into()
    );
}

#[test]
fn what_hooks_say() {
    let said = built![HookSpecificOutput:
        PreToolUseOutput(),
        PostToolUseOutput(),
        PostToolUseFailureOutput(),
        PostToolBatchOutput(),
        UserPromptSubmitOutput(),
        UserPromptExpansionOutput(),
        SessionStartOutput(),
        SetupOutput(),
        NotificationOutput(),
        StopOutput(),
        SubagentStartOutput(),
        SubagentStopOutput(),
        PermissionRequestOutput(HookPermissionAllow::new()),
        PermissionDeniedOutput(),
        PreModelSwitchOutput(),
        PostModelSwitchOutput(),
        ElicitationOutput(),
        ElicitationResultOutput(),
        CwdChangedOutput(),
        FileChangedOutput(),
        WorktreeCreateOutput("/w/tree"),
        MessageDisplayOutput(),
        PreSkillShellCommandOutput(),
    ];
    whole("HookSpecificOutput", &said);
    for (name, said) in said {
        let output = HookOutput::from(SyncHookOutput::new().hook_specific_output(said));
        let text = serde_json::to_string(&output).unwrap();
        assert_eq!(
            serde_json::from_str::<HookOutput>(&text).unwrap(),
            output,
            "{name}"
        );
    }
    whole(
        "HookOutput",
        &built![HookOutput: AsyncHookOutput(), SyncHookOutput()],
    );
}

#[test]
fn permissions() {
    whole(
        "PermissionResult",
        &built![PermissionResult: PermissionAllow(), PermissionDeny("No.")],
    );
    let rules = || vec![PermissionRule::new("Bash")];
    let session = || PermissionDestination::Session;
    let updates = built![PermissionUpdate:
        AddRules(rules(), PermissionBehavior::Allow, session()),
        ReplaceRules(rules(), PermissionBehavior::Allow, session()),
        RemoveRules(rules(), PermissionBehavior::Allow, session()),
        SetMode(PermissionMode::AcceptEdits, session()),
        AddDirectories(vec!["/w".to_owned()], session()),
        RemoveDirectories(vec!["/w".to_owned()], session()),
    ];
    whole("PermissionUpdate", &updates);
}

#[test]
fn mcp_servers() {
    let servers = built![McpOtherServer:
        McpHttpServer("http://127.0.0.1:8080/mcp"),
        McpSseServer("http://127.0.0.1:8080/sse"),
        McpSdkServer("calc"),
        McpProxyServer("http://127.0.0.1:8080", "id"),
    ];
    whole("McpOtherServer", &servers);
}
