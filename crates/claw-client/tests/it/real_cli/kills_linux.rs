//! What SIGTERM alone does to the real CLI and its shells, and a daemon that stays.

use std::path::Path;

use claw_client::Session;
use claw_client::types::control::PermissionResult;
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, Rule, Scenario};
use serde_json::json;

use super::cli::Cli;
use super::kills::Doing::{self, Background, Shell};
use super::kills::{Busy, busy};
use super::leftovers::mark;
use super::patience;
use super::shells::none_left_soon;
use crate::agent::soon;
use crate::proc::{come_true, kill, marked};

/// claw sends SIGTERM and nothing else: it may not touch what the CLI started, and the CLI was not
/// ended by a signal. So the shells were ended by the CLI's own hand.
async fn ends_its_shells_itself(doing: Doing) {
    let Busy {
        api,
        cli,
        session,
        turn,
        folder: _folder,
    } = busy(doing, true).await;
    assert!(marked(&mark(&cli)).len() > 1);
    let exited = session.process().exited();
    drop((session, turn));
    let exit = soon(exited).await;
    assert!(exit.is_forced(), "{exit}");
    assert_eq!((exit.code(), exit.signal()), (Some(143), None), "{doing:?}");
    none_left_soon(&cli).await;
    drop(api);
}

#[tokio::test]
async fn a_dropped_one_ends_its_shells_by_its_own_hand() {
    // One after another: each has 8 s to obey, whatever else the machine does.
    for doing in [Shell, Background] {
        ends_its_shells_itself(doing).await;
    }
}

/// A conversation that starts a daemon, as `tmux` would be one, and says so in a file.
fn daemon(file: &Path) -> Scenario {
    let command = format!(
        "setsid --fork sleep 1000 </dev/null >/dev/null 2>&1; echo > {}",
        file.display()
    );
    let run = Answer::message([Block::tool_use(
        "Bash",
        json!({"command": command, "description": "d"}),
    )]);
    let text = Answer::message([Block::text("Started.")]);
    Scenario::new(
        "daemon",
        [Rule::new(text).on_tool_result(""), Rule::new(run)],
    )
}

#[tokio::test]
async fn a_daemon_that_was_asked_for_survives_a_clean_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs");
    let api = Api::start(daemon(&file)).await.unwrap();
    let cli = Cli::new(&api);
    let builder =
        Session::builder(cli.options()).can_use_tool(|_| async { PermissionResult::allow() });
    let session = soon(builder.connect()).await.unwrap();
    let turn = session.send("Go").await.unwrap();
    assert!(!soon(turn.result()).await.unwrap().is_error());
    assert!(file.exists());
    let exit = soon(session.close_with(patience())).await.unwrap();
    assert!(exit.is_clean() && exit.is_success(), "{exit}");
    drop(session);
    // All but the daemon.
    let mark = mark(&cli);
    come_true("the daemon alone", || marked(&mark).len() <= 1).await;
    let [daemon] = marked(&mark)[..] else {
        panic!("the daemon is gone")
    };
    kill(daemon);
    none_left_soon(&cli).await;
}
