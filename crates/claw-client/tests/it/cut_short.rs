//! What a CLI leaves that exits with a good status: ended if it exits in the middle of a turn, left
//! alone if it is done.

use claw_client::{Error, Session};
use claw_testkit::Gates;
use claw_testkit::agent::{Child, Script, Step};
use futures::StreamExt;

use crate::agent::soon;
use crate::proc::{come_true, kill, marked};
use crate::process::options;

/// A session whose agent plays this.
struct Scene {
    session: Session,
    gates: Gates,
    /// What all its processes have in their environment.
    mark: String,
    _folder: tempfile::TempDir,
}

impl Scene {
    async fn new(steps: Vec<Step>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut options = options(folder.path(), &Script::new(steps));
        let gates = folder.path().display().to_string();
        let env = options.env.as_mut().unwrap();
        env.insert("CLAW_AGENT_GATES", Some(gates.clone()));
        Self {
            session: soon(Session::builder(options).connect()).await.unwrap(),
            mark: format!("CLAW_AGENT_GATES={gates}"),
            gates: Gates::in_folder(gates),
            _folder: folder,
        }
    }

    /// How many of its processes are there, the agent included.
    fn alive(&self) -> usize {
        marked(&self.mark).len()
    }

    /// A process has no environment for a moment while it becomes another program.
    async fn has_its_daemon(&self) {
        come_true("the agent and its daemon are there", || self.alive() == 2).await;
    }

    /// Ends what is left.
    fn end(&self) {
        marked(&self.mark).into_iter().for_each(kill);
    }
}

fn daemon() -> Step {
    Step::Child(Child::new().daemon())
}

fn has_code(error: &Error, expected: i32) -> bool {
    let exit = error.exited().map(|exited| exited.exit);
    exit.is_some_and(|exit| exit.code() == Some(expected) && exit.is_clean())
}

#[tokio::test]
async fn an_exit_in_mid_turn_leaves_no_daemon() {
    for code in [0, 1] {
        let exits = Step::Turn(vec![daemon(), Step::gate("started"), Step::Exit(code)]);
        let scene = Scene::new(vec![exits]).await;
        let turn = scene.session.send("Go").await.unwrap();
        soon(scene.gates.reached("started")).await;
        scene.has_its_daemon().await;
        scene.gates.open("started");
        let error = soon(turn.result()).await.unwrap_err();
        assert!(has_code(&error, code), "{error:?}");
        come_true("the daemon is gone", || scene.alive() == 0).await;
    }
}

/// A background turn is one as well.
#[tokio::test]
async fn an_exit_in_a_turn_that_nobody_prompted_leaves_no_daemon() {
    let init = r#"{"type":"system","subtype":"init","session_id":"s"}"#;
    let begun = Step::Text(init.into());
    let steps = vec![daemon(), begun, Step::gate("started"), Step::Exit(0)];
    let scene = Scene::new(steps).await;
    let messages = scene.session.messages().unwrap();
    soon(scene.gates.reached("started")).await;
    scene.has_its_daemon().await;
    scene.gates.open("started");
    // To the end.
    soon(messages.count()).await;
    come_true("the daemon is gone", || scene.alive() == 0).await;
}

#[tokio::test]
async fn an_exit_after_the_result_leaves_a_daemon_alone() {
    let done = [
        Step::Turn(vec![daemon()]),
        Step::gate("done"),
        Step::Exit(0),
    ];
    let done = Scene::new(done.into()).await;
    let turn = done.session.send("Go").await.unwrap();
    assert!(!soon(turn.result()).await.unwrap().is_error());
    soon(done.gates.reached("done")).await;
    let messages = done.session.messages().unwrap();
    done.gates.open("done");
    soon(messages.count()).await;
    another_is_cut_short().await;
    assert_eq!(done.alive(), 1);
    done.end();
}

#[tokio::test]
async fn an_exit_that_was_asked_for_leaves_a_daemon_alone() {
    let stays = Step::Turn(vec![daemon(), Step::gate("started")]);
    let scene = Scene::new(vec![stays]).await;
    let _turn = scene.session.send("Go").await.unwrap();
    soon(scene.gates.reached("started")).await;
    // The turn is open, and the agent exits with 1 for that.
    let exit = soon(scene.session.close()).await.unwrap();
    assert!(exit.is_clean(), "{exit}");
    another_is_cut_short().await;
    assert_eq!(scene.alive(), 1);
    scene.end();
}

/// Has the supervisor look through the system after all that was asked of it before.
async fn another_is_cut_short() {
    let exits = Step::Turn(vec![daemon(), Step::gate("started"), Step::Exit(0)]);
    let scene = Scene::new(vec![exits]).await;
    let turn = scene.session.send("Go").await.unwrap();
    soon(scene.gates.reached("started")).await;
    scene.gates.open("started");
    soon(turn.result()).await.unwrap_err();
    come_true("the other daemon is gone", || scene.alive() == 0).await;
}
