//! Sessions of a pool that are dropped, or whose processes are ended, while something still runs in them: the scripted
//! agent as a process.

use std::future::pending;
use std::path::Path;
use std::time::Duration;

use claw_client::pool::{Pool, PooledSession};
use claw_client::types::QueryOptions;
use claw_client::{PermissionResult, Session};
use claw_testkit::agent::{Script, Step};
use claw_testkit::{Block, Gates};
use futures::FutureExt;

use crate::agent::soon;
use crate::pool::any_session;
use crate::proc::{come_true, marked};
use crate::slow::Nothing;

/// A turn that reaches the gate `half`, and goes on for ever.
fn endless() -> Script {
    Script::new([Step::Turn(vec![Step::gate("half")])])
}

fn options(folder: &Path, script: &Script, mark: &str) -> QueryOptions {
    let mut options = any_session(folder, script, mark);
    let env = options.env.get_or_insert_default();
    env.insert("CLAW_AGENT_GATES", Some(folder.display().to_string()));
    options
}

fn processes(mark: &str) -> usize {
    marked(&format!("CLAW_TEST_MARK={mark}")).len()
}

/// What is dropped in mid-turn.
#[derive(Debug, Clone, Copy)]
enum Dropped {
    Turn,
    Ask,
    /// Of a pool whose prompts wait for the reset of a usage limit.
    AskOverLimits,
}

/// Drops a turn of the session while it runs.
async fn drop_in_mid_turn(session: &PooledSession, what: Dropped, gates: &Gates) {
    match what {
        Dropped::Turn => {
            let turn = soon(session.send("Go")).await.unwrap();
            soon(gates.reached("half")).await;
            drop(turn);
        }
        Dropped::Ask | Dropped::AskOverLimits => {
            let mut ask = session.ask("Go").boxed();
            tokio::select! {
                answer = &mut ask => panic!("{answer:?}"),
                () = soon(gates.reached("half")) => {}
            }
        }
    }
}

#[tokio::test]
async fn the_process_of_a_dropped_session_ends_although_a_dropped_turn_runs() {
    for what in [Dropped::Turn, Dropped::Ask, Dropped::AskOverLimits] {
        let folder = tempfile::tempdir().unwrap();
        let mark = format!("pool-gone-{what:?}");
        let options = options(folder.path(), &endless(), &mark);
        let gates = Gates::in_folder(folder.path());
        let pool = Pool::builder();
        let pool = match what {
            Dropped::AskOverLimits => pool.limit_wait(Duration::from_hours(1)),
            _ => pool,
        };
        let pool = pool.build();
        let session = pool.session(options, Session::builder);
        drop_in_mid_turn(&session, what, &gates).await;
        // The session goes on as long as it has a handle.
        let other = session.clone();
        drop(session);
        pool.wait_for_endings()
            .now_or_never()
            .expect("nothing ends");
        assert!(other.is_live() && processes(&mark) == 1);
        drop(other);
        // It ends at once, so this waits for it.
        assert_eq!((pool.stats().running, pool.stats().ending), (0, 1));
        soon(pool.wait_for_endings()).await;
        assert_eq!(processes(&mark), 0, "{what:?}");
        assert_eq!(pool.stats().sessions, 0);
        assert_eq!(pool.stats().crashes, 0);
    }
}

#[tokio::test]
async fn a_process_ends_on_demand_although_a_dropped_turn_runs() {
    for what in [Dropped::Turn, Dropped::Ask, Dropped::AskOverLimits] {
        let folder = tempfile::tempdir().unwrap();
        let mark = format!("pool-demand-{what:?}");
        let options = options(folder.path(), &endless(), &mark);
        let gates = Gates::in_folder(folder.path());
        let pool = Pool::builder().build();
        let session = pool.session(options, Session::builder);
        drop_in_mid_turn(&session, what, &gates).await;
        soon(session.end_process()).await;
        assert_eq!(processes(&mark), 0, "{what:?}");
        assert_eq!(pool.stats().sessions, 1);
    }
}

/// The end waits for a turn that somebody has, and no longer than somebody has it.
#[tokio::test]
async fn a_process_that_is_to_end_ends_when_its_turn_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), &endless(), "pool-waits");
    let gates = Gates::in_folder(folder.path());
    let pool = Pool::builder().build();
    let session = pool.session(options, Session::builder);
    let turn = soon(session.send("Go")).await.unwrap();
    soon(gates.reached("half")).await;
    let mut end = session.end_process().boxed();
    assert!(futures::poll!(&mut end).is_pending());
    // The turn is a handle.
    drop(session);
    assert_eq!((pool.stats().running, pool.stats().ending), (1, 0));
    drop(turn);
    assert_eq!((pool.stats().running, pool.stats().ending), (0, 1));
    soon(end).await;
    assert_eq!(processes("pool-waits"), 0);
}

/// A process that is used without a prompt is not ended below its user.
#[tokio::test]
async fn a_process_in_use_outlives_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), &endless(), "pool-in-use");
    let pool = Pool::builder().build();
    let session = pool.session(options, Session::builder);
    let process = soon(session.process()).await.unwrap();
    drop(session);
    pool.wait_for_endings()
        .now_or_never()
        .expect("nothing ends");
    // The agent answers, that it knows no such request.
    let error = soon(process.session().call(Nothing)).await.unwrap_err();
    assert!(error.is_refused(), "{error}");
    drop(process);
    soon(pool.wait_for_endings()).await;
    assert_eq!(processes("pool-in-use"), 0);
}

/// A callback that nobody answers: it is dropped, as in a session without a pool.
#[tokio::test]
async fn a_dropped_session_ends_although_a_callback_waits() {
    struct TellDrop(tokio::sync::mpsc::UnboundedSender<&'static str>);
    impl Drop for TellDrop {
        fn drop(&mut self) {
            let _ = self.0.send("dropped");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let turn = Step::Turn(vec![
        Step::message([Block::tool_use(
            "Bash",
            serde_json::json!({"command": "ls"}),
        )]),
        Step::permission([Step::tool_result("done")], []),
    ]);
    let options = options(folder.path(), &Script::new([turn]), "pool-callback");
    let (told, mut tells) = tokio::sync::mpsc::unbounded_channel();
    let pool = Pool::builder().build();
    let session = pool.session(options, move |options| {
        let told = told.clone();
        Session::builder(options).can_use_tool(move |_| {
            let tells = TellDrop(told.clone());
            let _ = told.send("asked");
            async move {
                let _tells = tells;
                pending::<PermissionResult>().await
            }
        })
    });
    let mut ask = session.ask("Go").boxed();
    tokio::select! {
        answer = &mut ask => panic!("{answer:?}"),
        asked = soon(tells.recv()) => assert_eq!(asked, Some("asked")),
    }
    drop((ask, session));
    soon(pool.wait_for_endings()).await;
    assert_eq!(processes("pool-callback"), 0);
    assert_eq!(soon(tells.recv()).await, Some("dropped"));
    come_true("the pool's knowledge of it", || pool.stats().sessions == 0).await;
}
