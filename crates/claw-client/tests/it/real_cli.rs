//! The real CLI, against the scripted Messages API.

use std::time::Duration;

use claw_client::Session;
use claw_client::transport::{Shutdown, TransportError};
use claw_client::types::control::PermissionResult;
use claw_client::types::options::PermissionMode;
use claw_testkit::api::{Api, scenarios};
use futures::TryStreamExt;

use crate::agent::soon;

mod answers;
#[cfg(feature = "blocking")]
mod blocking;
mod cli;
mod compacting;
mod control;
mod conversation;
mod decisions;
#[cfg(feature = "store")]
mod deferred;
mod hooks;
mod kills;
#[cfg(target_os = "linux")]
mod kills_linux;
mod leftovers;
mod main_job;
#[cfg(feature = "mcp")]
mod mcp;
mod mentions;
mod more_hooks;
mod options;
#[cfg(feature = "pool")]
mod pool;
#[cfg(feature = "pool")]
mod pool_spares;
mod prompts;
mod requests;
mod resuming;
mod shells;
#[cfg(target_os = "linux")]
mod stalls;
mod starts;
#[cfg(feature = "store")]
mod store_changes;
#[cfg(feature = "store")]
mod store_ends;
#[cfg(feature = "store")]
mod store_kills;
#[cfg(feature = "store")]
mod store_secrets;
#[cfg(feature = "store")]
mod store_twice;
#[cfg(feature = "store")]
mod stores;
mod traces;

use cli::Cli;

/// Time enough for a CLI on a loaded machine to end by itself.
fn patience() -> Shutdown {
    Shutdown::default().grace(Duration::from_secs(25))
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
    let exited = error.exited().unwrap_or_else(|| panic!("{error}"));
    assert_eq!(exited.exit.code(), Some(1));
    assert!(exited.stderr.contains("session ID"), "{}", exited.stderr);
    let messages = soon(claw_client::query("Hi", options)).await.unwrap();
    let error = soon(messages.try_collect::<Vec<_>>()).await.unwrap_err();
    assert!(
        error.is_exited() && error.to_string().contains("session ID"),
        "{error}"
    );
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
        matches!(error.transport(), Some(TransportError::InvalidOption(_))),
        "{error}"
    );
}

#[tokio::test]
async fn an_interrupt_takes_a_request_back() {
    let api = Api::start(scenarios::write()).await.unwrap();
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
    let turn = session.send(scenarios::write().prompt).await.unwrap();
    soon(asked.recv()).await.unwrap();
    soon(session.interrupt()).await.unwrap();
    let result = soon(turn.result()).await.unwrap();
    assert!(result.interrupted() && result.is_error(), "{result:?}");
    soon(session.close()).await.unwrap();
    // The callback that held the last sender is gone.
    drop(session);
    assert_eq!(soon(asked.recv()).await, None);
}
