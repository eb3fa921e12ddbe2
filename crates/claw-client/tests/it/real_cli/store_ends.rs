//! Sessions in a store that are dropped.

use std::sync::Arc;

use claw_client::store::{Claims as _, MemoryStore};
use claw_testkit::api::{Api, scenarios};
use tokio::runtime::Runtime;

use super::cli::Cli;
use super::stores::{lines, stored};
use crate::agent::soon;
use crate::proc::come_true;

/// Drops a session in the middle of a turn, and waits for what was said to be stored and the claim to be given up.
/// `drop` is done outside of every runtime.
fn dropped(runtime: &Runtime, drops_inside: bool) {
    let store = Arc::new(MemoryStore::new());
    let (api, session) = runtime.block_on(async {
        let api = Api::start(scenarios::slow()).await.unwrap();
        let cli = Cli::new(&api);
        let session = soon(stored(cli.options(), &store).connect()).await.unwrap();
        drop(session.send("The word is plum.").await.unwrap());
        soon(api.gates().reached("first")).await;
        (api, (session, cli))
    });
    let (session, cli) = session;
    let reference = session.mirror().unwrap().session();
    let exited = session.process().exited();
    if drops_inside {
        runtime.block_on(async { drop(session) });
    } else {
        drop(session);
    }
    runtime.block_on(async {
        let exit = soon(exited).await;
        // It was asked, and did not have to be killed.
        assert!(exit.is_forced() && exit.signal() != Some(9), "{exit:?}");
        while soon(store.holder(&reference)).await.unwrap().is_some() {
            tokio::task::yield_now().await;
        }
        let said = lines(&store, &reference, None).await;
        assert!(
            said.iter().any(|line| line.contains("The word is plum.")),
            "{said:?}"
        );
    });
    drop((api, cli));
}

#[test]
fn a_dropped_session_ends_at_once_and_its_last_lines_are_stored() {
    dropped(&Runtime::new().unwrap(), true);
}

#[test]
fn so_does_one_that_is_dropped_outside_of_a_runtime() {
    dropped(&Runtime::new().unwrap(), false);
}

#[test]
fn no_process_outlives_the_runtime_that_renews_its_claim() {
    let runtime = Runtime::new().unwrap();
    let store = Arc::new(MemoryStore::new());
    let (session, api, cli) = runtime.block_on(async {
        let api = Api::start(scenarios::text()).await.unwrap();
        let cli = Cli::new(&api);
        let session = soon(stored(cli.options(), &store).connect()).await.unwrap();
        soon(session.ask("The word is plum.")).await.unwrap();
        (session, api, cli)
    });
    drop(runtime);
    let other = Runtime::new().unwrap();
    other.block_on(async {
        come_true("the end of the process", || {
            session.process().exit().is_some()
        })
        .await;
    });
    drop((session, api, cli));
}
