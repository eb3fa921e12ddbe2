//! The real CLI, against the scripted Messages API.

use std::time::Duration;

use claw_client::transport::{Shutdown, TransportError};
use claw_client::types::Message;
use claw_client::types::control::PermissionResult;
use claw_client::types::options::PermissionMode;
use claw_client::{Error, Session};
use claw_testkit::api::{Api, scenarios};
use futures::TryStreamExt;

use crate::agent::soon;

mod cli;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
mod leftovers;
mod options;
mod prompts;
mod requests;
#[cfg(target_os = "linux")]
mod starts;

use cli::Cli;

/// Time enough for a CLI on a loaded machine to end by itself.
fn patience() -> Shutdown {
    Shutdown::default().grace(Duration::from_secs(25))
}

#[tokio::test]
async fn a_query_is_answered() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let mut messages = soon(claw_client::query("What is 2 + 2?", cli.options()))
        .await
        .unwrap();
    let (mut text, mut results) = (String::new(), 0);
    while let Some(message) = soon(messages.try_next()).await.unwrap() {
        if let Message::Assistant(_) = message {
            text.push_str(&message.text());
        }
        results += usize::from(message.is_result());
    }
    assert_eq!((text.as_str(), results), ("Two and two make 4.", 1));
    assert!(messages.session().process().exit().unwrap().is_success());
    assert!(
        messages
            .session()
            .info()
            .unwrap()
            .claude_code_version
            .is_some()
    );
}

#[tokio::test]
async fn a_tool_is_used_as_the_callback_decides() {
    let allow: fn() -> PermissionResult = PermissionResult::allow;
    let deny: fn() -> PermissionResult = || PermissionResult::deny("not today");
    for (decide, denials) in [(allow, 0), (deny, 1)] {
        let api = Api::start(scenarios::bash()).await.unwrap();
        let cli = Cli::new(&api);
        let builder = Session::builder(cli.options()).can_use_tool(move |ask| async move {
            assert_eq!(ask.tool_name(), "Bash");
            decide()
        });
        let session = soon(builder.connect()).await.unwrap();
        let turn = session.send(scenarios::bash().prompt).await.unwrap();
        let messages: Vec<_> = soon(turn.try_collect()).await.unwrap();
        let Some(Message::ResultSuccess(result)) = messages.last() else {
            panic!("{messages:?}")
        };
        assert_eq!(result.permission_denials.len(), denials);
        let results: Vec<_> = messages.iter().flat_map(Message::tool_results).collect();
        assert_eq!(results.len(), 1);
        assert_eq!(
            results[0].is_error.unwrap_or(false),
            denials == 1,
            "{results:?}"
        );
        assert!(
            soon(session.close_with(patience()))
                .await
                .unwrap()
                .is_success()
        );
    }
}

#[tokio::test]
async fn an_interrupt_leaves_the_session() {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let turn = session.send("Count").await.unwrap();
    api.gates().open("first");
    soon(api.gates().reached("half")).await;
    soon(session.interrupt()).await.unwrap();
    assert!(soon(turn.result()).await.unwrap().is_error());
    for gate in ["half", "end"] {
        api.gates().open(gate);
    }
    assert!(
        !soon(session.send("Again").await.unwrap().result())
            .await
            .unwrap()
            .is_error()
    );
    // The exit code tells of the last result.
    assert!(
        soon(session.close_with(patience()))
            .await
            .unwrap()
            .is_success()
    );
}

#[tokio::test]
async fn two_prompts_at_once_both_end() {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    let mut turns = Vec::new();
    for prompt in ["1", "2", "3"] {
        turns.push(session.send(prompt).await.unwrap());
    }
    for gate in ["first", "half", "end"] {
        api.gates().open(gate);
    }
    for turn in turns {
        assert!(!soon(turn.result()).await.unwrap().is_error());
    }
    soon(session.close()).await.unwrap();
}

#[tokio::test]
async fn a_start_that_fails_says_why_at_once() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let options = cli.options().session_id("not-a-uuid");
    let error = soon(Session::builder(options.clone()).connect())
        .await
        .unwrap_err();
    let Error::Exited { exit, stderr, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(exit.code(), Some(1));
    assert!(stderr.contains("session ID"), "{stderr}");
    let messages = soon(claw_client::query("Hi", options)).await.unwrap();
    let error = soon(messages.try_collect::<Vec<_>>()).await.unwrap_err();
    assert!(
        error.is_exited() && error.to_string().contains("session ID"),
        "{error}"
    );
}

#[tokio::test]
async fn a_refused_key_is_an_error_result() {
    let api = Api::start(scenarios::unauthorized()).await.unwrap();
    let cli = Cli::new(&api);
    let messages = soon(claw_client::query("Hi", cli.options())).await.unwrap();
    let messages: Vec<_> = soon(messages.try_collect()).await.unwrap();
    let result = messages.iter().find(|message| message.is_result()).unwrap();
    let Message::ResultSuccess(result) = result else {
        panic!("{result:?}")
    };
    assert!(result.is_error);
    assert_eq!(result.api_error_status.value().unwrap().as_u64(), Some(401));
}

#[tokio::test]
async fn an_option_that_is_refused_starts_nothing() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let options = cli
        .options()
        .permission_mode(PermissionMode::BypassPermissions);
    let error = claw_client::query("Hi", options).await.unwrap_err();
    assert!(
        matches!(error, Error::Transport(TransportError::InvalidOption(_))),
        "{error}"
    );
}

#[tokio::test]
async fn a_command_of_the_clis_own_is_a_turn_too() {
    let api = Api::start(scenarios::text()).await.unwrap();
    let cli = Cli::new(&api);
    let session = soon(Session::builder(cli.options()).connect())
        .await
        .unwrap();
    for prompt in ["/context", "/clear", "What is 2 + 2?", "/no-such-command"] {
        let result = soon(session.send(prompt).await.unwrap().result()).await;
        assert!(!result.unwrap().is_error(), "{prompt}");
    }
    assert!(
        soon(session.close_with(patience()))
            .await
            .unwrap()
            .is_success()
    );
}

#[tokio::test]
async fn an_interrupt_takes_a_question_back() {
    let api = Api::start(scenarios::bash()).await.unwrap();
    let cli = Cli::new(&api);
    let (asks, mut asked) = tokio::sync::mpsc::channel(1);
    let builder = Session::builder(cli.options()).can_use_tool(move |_| {
        let asks = asks.clone();
        async move {
            asks.send(()).await.unwrap();
            // Only its drop ends it.
            std::future::pending::<PermissionResult>().await
        }
    });
    let session = soon(builder.connect()).await.unwrap();
    let turn = session.send(scenarios::bash().prompt).await.unwrap();
    soon(asked.recv()).await.unwrap();
    soon(session.interrupt()).await.unwrap();
    assert!(soon(turn.result()).await.unwrap().is_error());
    soon(session.close()).await.unwrap();
    // The callback that held the last sender is gone.
    drop(session);
    assert_eq!(soon(asked.recv()).await, None);
}
