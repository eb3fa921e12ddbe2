//! Control requests that change a session, and their answers.

use claw_client::Session;
use claw_client::types::control::{
    ApplyFlagSettings, BackgroundTasks, CancelAsyncMessage, McpConnection, McpReconnect,
    McpSetServers, McpStatus, McpToggle, RewindFiles, SeedReadState, SetMaxThinkingTokens,
    SetModel, SetPermissionMode, StopTask,
};
use claw_client::types::options::{McpServerConfig, PermissionMode};
use claw_client::types::{Json, Map, MessageUuid};
use claw_testkit::api::{Api, scenarios};
use serde_json::json;

use super::cli::Cli;
use crate::agent::soon;

#[tokio::test]
async fn mode_model_and_thinking_are_changed() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let mode = SetPermissionMode::new(PermissionMode::AcceptEdits);
    let answer = soon(session.call(mode)).await.unwrap().unwrap();
    assert_eq!(answer.mode, Some(PermissionMode::AcceptEdits));
    let error = soon(session.call(SetPermissionMode::new("nowhere")))
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some("invalid_mode"), "{error}");
    let error = soon(session.call(SetPermissionMode::new("bypassPermissions")))
        .await
        .unwrap_err();
    assert_eq!(error.code(), Some("bypass_not_launched"), "{error}");

    let answer = soon(session.call(SetModel::new().model("haiku"))).await;
    assert!(answer.unwrap().unwrap().model.contains("haiku"));
    let answer = soon(session.call(SetModel::new())).await;
    assert!(!answer.unwrap().unwrap().model.contains("haiku"));

    let thinking = SetMaxThinkingTokens::new().max_thinking_tokens(2048);
    assert_eq!(soon(session.call(thinking)).await.unwrap(), None);
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn mcp_servers_come_and_go() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let status = soon(session.call(McpStatus::new())).await.unwrap();
    assert_eq!(status.mcp_servers, []);
    let servers: Map<_> = [("broken", McpServerConfig::stdio("/nowhere", ["-v"]))]
        .into_iter()
        .collect();
    let set = soon(session.call(McpSetServers::new(servers)))
        .await
        .unwrap();
    assert_eq!(
        (set.added.as_slice(), set.removed.len()),
        (&["broken".to_owned()][..], 0)
    );
    assert!(set.errors.get("broken").is_some(), "{set:?}");
    let status = soon(session.call(McpStatus::new())).await.unwrap();
    assert_eq!(status.mcp_servers[0].status, McpConnection::Failed);
    let error = soon(session.call(McpReconnect::new("broken")))
        .await
        .unwrap_err();
    assert!(error.is_refused(), "{error}");
    assert_eq!(
        soon(session.call(McpToggle::new("broken", false)))
            .await
            .unwrap(),
        None
    );
    let status = soon(session.call(McpStatus::new())).await.unwrap();
    assert_eq!(status.mcp_servers[0].status, McpConnection::Disabled);
    let set = soon(session.call(McpSetServers::new(Map::default())))
        .await
        .unwrap();
    assert_eq!(set.removed, ["broken"]);
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn files_are_rewound_where_they_are_kept() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let unkept = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let nothing = RewindFiles::new(MessageUuid::random()).dry_run(true);
    let answer = soon(unkept.call(nothing.clone())).await.unwrap();
    assert!(!answer.can_rewind, "{answer:?}");
    assert!(answer.error.unwrap().contains("not enabled"));
    let in_earnest = RewindFiles::new(MessageUuid::random());
    let error = soon(unkept.call(in_earnest.clone())).await.unwrap_err();
    assert!(error.to_string().contains("not enabled"), "{error}");
    soon(unkept.close()).await.unwrap();

    let options = cli.options().enable_file_checkpointing(true);
    let session = soon(Session::builder(options).connect()).await.unwrap();
    let prompt = claw_client::types::message::UserMessage::prompt("What is 2 + 2?");
    let id = prompt.uuid.clone().unwrap();
    soon(session.send(prompt).await.unwrap().result())
        .await
        .unwrap();
    let rewind = RewindFiles::new(id);
    let dry = soon(session.call(rewind.clone().dry_run(true)))
        .await
        .unwrap();
    assert!(dry.can_rewind, "{dry:?}");
    assert_eq!(dry.files_changed.as_deref(), Some(&[][..]));
    let done = soon(session.call(rewind)).await.unwrap();
    assert!(done.can_rewind, "{done:?}");
    let answer = soon(session.call(nothing)).await.unwrap();
    assert!(!answer.can_rewind, "{answer:?}");
    let error = soon(session.call(in_earnest)).await.unwrap_err();
    assert!(error.to_string().contains("checkpoint"), "{error}");
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn requests_without_much_of_an_answer() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let nothing = soon(session.call(StopTask::new("nowhere"))).await.unwrap();
    assert_eq!(nothing, Some(Json::empty_object()));
    let one = BackgroundTasks::new().tool_use_id("nowhere");
    let answer = soon(session.call(one)).await.unwrap().unwrap();
    assert_eq!(answer.backgrounded, Some(false));
    let unsent = CancelAsyncMessage::new(MessageUuid::random());
    assert!(!soon(session.call(unsent)).await.unwrap().cancelled);
    let settings = ApplyFlagSettings::new(Json::from(json!({"model": "haiku"})));
    assert_eq!(soon(session.call(settings)).await.unwrap(), None);
    let seeded = SeedReadState::new("/nowhere", 1.5);
    assert_eq!(soon(session.call(seeded)).await.unwrap(), None);
    soon(session.close()).await.unwrap();
}
