//! A server that could not run for a while: no session is ended for it.

use std::time::Duration;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};

use crate::client::{Running, soon};

/// How long `claude` may be silent.
const LIMIT: Duration = Duration::from_secs(5);

/// The runtime of this test has one thread.
#[tokio::test]
async fn a_server_that_did_not_run_ends_no_session() {
    let answer = Block::text("I think.").hold(1, "half");
    let script = Script::new([Step::Turns(vec![Step::message([answer])])]);
    let running = Running::start_as(script, |builder| {
        builder.limits(|limits| limits.stall = LIMIT)
    })
    .await;
    let session = running.session().await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Think").await;
    soon(running.agent.gates().reached("half")).await;
    std::thread::sleep(2 * LIMIT);
    running.agent.gates().open("half");
    events
        .until("change", |change| {
            change["value"]["content"]["text"] == "I think."
        })
        .await;
    running.end().await;
}
