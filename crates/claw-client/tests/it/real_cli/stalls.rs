//! The real CLI, stopped in the middle of a turn.

use std::time::Duration;

use claw_client::Session;
use claw_testkit::api::{Api, scenarios};
use rustix::process::{Pid, Signal, kill_process};

use super::cli::Cli;
use crate::agent::soon;

#[tokio::test]
async fn a_cli_that_is_stopped_in_mid_turn_is_told_and_ended() {
    let api = Api::start(scenarios::slow()).await.unwrap();
    let cli = Cli::new(&api);
    let builder = Session::builder(cli.options()).stall_timeout(Duration::from_secs(3));
    let session = soon(builder.connect()).await.unwrap();
    let turn = session.send(scenarios::slow().prompt).await.unwrap();
    soon(api.gates().reached("first")).await;
    let pid = session.process().pid().unwrap();
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let error = soon(turn.result()).await.unwrap_err();
    assert!(error.is_stalled(), "{error}");
    assert!(!soon(session.process().exited()).await.is_success());
}
