//! The real CLI is killed, whatever it is doing.

use claw_client::Session;
use claw_client::transport::{Process, Subprocess};
use claw_client::types::control::PermissionResult;
use claw_testkit::api::{Api, scenarios};
use futures::future::join_all;

use super::cli::Cli;
use super::leftovers::mark;
use super::shells::{none_left_soon, shell};
use crate::agent::soon;
use crate::proc::{come_true, is_ended_by, kill, marked};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Doing {
    Nothing,
    Talking,
    Asking,
    Shell,
    Background,
}

use Doing::{Asking, Background, Nothing, Shell, Talking};

/// A session that is doing this.
pub(super) struct Busy {
    pub(super) api: Api,
    pub(super) cli: Cli,
    pub(super) session: Session,
    pub(super) turn: Option<claw_client::Turn>,
    /// Kept until the end.
    pub(super) folder: tempfile::TempDir,
}

pub(super) async fn busy(doing: Doing, leave_orphans: bool) -> Busy {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs");
    let scenario = match doing {
        Nothing => scenarios::text(),
        Talking => scenarios::slow(),
        Asking => scenarios::write(),
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
        folder,
    }
}

async fn is_killed(doing: Doing, how: fn(&Process)) {
    let Busy {
        api,
        cli,
        session,
        turn,
        folder: _folder,
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
                .is_some_and(|exited| is_ended_by(exited.exit, 9)),
            "{doing:?}: {error:?}"
        );
    }
    assert!(is_ended_by(soon(session.process().exited()).await, 9));
    none_left_soon(&cli).await;
    drop(api);
}

/// What a CLI can be doing here. It has shells on Windows only where Git Bash is.
fn all() -> Vec<Doing> {
    let mut all = vec![Nothing, Talking, Asking];
    if cfg!(unix) {
        all.extend([Shell, Background]);
    }
    all
}

#[tokio::test]
async fn a_kill_from_outside_leaves_nothing() {
    let outside = |process: &Process| kill(process.pid().unwrap());
    join_all(all().into_iter().map(|doing| is_killed(doing, outside))).await;
}

#[tokio::test]
async fn a_kill_by_claw_leaves_nothing() {
    join_all(
        all()
            .into_iter()
            .map(|doing| is_killed(doing, Process::kill)),
    )
    .await;
}
