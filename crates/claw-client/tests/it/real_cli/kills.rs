//! SIGKILL to the real CLI, whatever it is doing; and SIGTERM alone, where that is enough.

use std::path::Path;

use claw_client::Session;
use claw_client::transport::{Process, Subprocess};
use claw_client::types::control::PermissionResult;
use claw_testkit::Block;
use claw_testkit::api::{Answer, Api, Rule, Scenario, scenarios};
use futures::future::join_all;
use serde_json::json;

use super::cli::Cli;
use super::leftovers::mark;
use super::patience;
use super::shells::{none_left_soon, shell};
use crate::agent::soon;
use crate::proc::{come_true, kill, marked};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Doing {
    Nothing,
    Talking,
    Asking,
    Shell,
    Background,
}

use Doing::{Asking, Background, Nothing, Shell, Talking};

/// A session that is doing this.
struct Busy {
    api: Api,
    cli: Cli,
    session: Session,
    turn: Option<claw_client::Turn>,
    _folder: tempfile::TempDir,
}

async fn busy(doing: Doing, leave_orphans: bool) -> Busy {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs");
    let scenario = match doing {
        Nothing => scenarios::text(),
        Talking => scenarios::slow(),
        Asking => scenarios::bash(),
        Shell => shell(&file, false),
        Background => shell(&file, true),
    };
    let api = Api::start(scenario).await.unwrap();
    let cli = Cli::new(&api);
    let (asks, mut asked) = tokio::sync::mpsc::unbounded_channel();
    let builder = Session::builder(cli.options()).can_use_tool(move |_| {
        let asks = asks.clone();
        async move {
            asks.send(()).unwrap();
            if doing == Asking {
                std::future::pending::<()>().await;
            }
            PermissionResult::allow()
        }
    });
    let claude = Subprocess::new(&cli.options())
        .permission_prompts(true)
        .leave_orphans(leave_orphans);
    let session = soon(builder.transport(claude).connect()).await.unwrap();
    let mut turn = None;
    if doing != Nothing {
        turn = Some(session.send("Go").await.unwrap());
    }
    match doing {
        Nothing => {}
        Talking => {
            api.gates().open("first");
            soon(api.gates().reached("half")).await;
        }
        Asking => soon(asked.recv()).await.unwrap(),
        Shell | Background => come_true("the shell", || file.exists()).await,
    }
    if doing == Background {
        let turn = turn.take().unwrap();
        assert!(!soon(turn.result()).await.unwrap().is_error());
    }
    Busy {
        api,
        cli,
        session,
        turn,
        _folder: folder,
    }
}

async fn is_killed(doing: Doing, how: fn(&Process)) {
    let Busy {
        api,
        cli,
        session,
        turn,
        _folder,
    } = busy(doing, false).await;
    if matches!(doing, Shell | Background) {
        assert!(marked(&mark(&cli)).len() > 1, "{doing:?}");
    }
    how(session.process());
    if let Some(turn) = turn {
        let error = soon(turn.result()).await.unwrap_err();
        assert!(
            error
                .exited()
                .is_some_and(|exited| exited.exit.signal() == Some(9)),
            "{doing:?}: {error:?}"
        );
    }
    assert_eq!(soon(session.process().exited()).await.signal(), Some(9));
    none_left_soon(&cli).await;
    drop(api);
}

const ALL: [Doing; 5] = [Nothing, Talking, Asking, Shell, Background];

#[tokio::test]
async fn a_kill_from_outside_leaves_nothing() {
    let outside = |process: &Process| kill(process.pid().unwrap());
    join_all(ALL.map(|doing| is_killed(doing, outside))).await;
}

#[tokio::test]
async fn a_kill_by_claw_leaves_nothing() {
    join_all(ALL.map(|doing| is_killed(doing, Process::kill))).await;
}

/// claw sends SIGTERM and nothing else: it may not touch what the CLI started, and the CLI was not
/// ended by a signal. So the shells were ended by the CLI's own hand.
async fn ends_its_shells_itself(doing: Doing) {
    let Busy {
        api,
        cli,
        session,
        turn,
        _folder,
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
