//! The ways in which a session ends.

use std::io;

use claw_client::transport::TransportError;
use claw_client::types::QueryOptions;
use claw_client::{Error, Received, Session};
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use futures::{StreamExt, TryStreamExt};

use crate::agent::{Agent, builder, connect, query, soon};

fn held() -> Step {
    Step::Turn(vec![Step::message([
        Block::text("one two three").hold(2, "half")
    ])])
}

fn is_end_of_output(error: &Error) -> bool {
    matches!(error.transport(), Some(TransportError::Io(error))
        if error.kind() == io::ErrorKind::UnexpectedEof)
}

#[tokio::test]
async fn the_end_of_output_ends_everything_at_once() {
    let cut = Step::Turn(vec![
        Step::message([Block::text("so far")]),
        Step::gate("cut"),
        Step::Raw("{\"type\":\"resu".into()),
        Step::CloseStdout,
    ]);
    let (session, agent) = connect(Script::new([cut])).await;
    let (first, second) = (
        session.send("1").await.unwrap(),
        session.send("2").await.unwrap(),
    );
    soon(agent.gates.reached("cut")).await;
    agent.gates.open("cut");
    let items: Vec<_> = soon(first.collect()).await;
    let (last, before) = items.split_last().unwrap();
    assert!(is_end_of_output(last.as_ref().unwrap_err()), "{last:?}");
    // There is no exit to tell of the half line, so it stands for itself.
    assert!(
        matches!(before.last(), Some(Ok(Received::Unreadable(_)))),
        "{:?}",
        before.last()
    );
    assert!(is_end_of_output(&soon(second.result()).await.unwrap_err()));
    assert!(is_end_of_output(
        &soon(session.interrupt()).await.unwrap_err()
    ));
    let error = soon(session.send("3")).await.unwrap_err();
    assert!(is_end_of_output(&error), "{error}");
}

#[tokio::test]
async fn a_request_fails_with_the_pipe() {
    let script = Script::new([Step::expect_request("interrupt"), Step::Exit(3)]);
    let (session, _agent) = connect(script).await;
    assert!(is_end_of_output(
        &soon(session.interrupt()).await.unwrap_err()
    ));
}

#[tokio::test]
async fn a_handshake_fails_with_the_pipe() {
    let (pipe, _agent) = Agent::start(Script::new([Step::Exit(3)]));
    assert!(is_end_of_output(
        &soon(builder().transport(pipe).connect()).await.unwrap_err()
    ));
    let (messages, _agent) = query(Script::new([Step::Exit(3)])).await;
    let error = soon(messages.try_collect::<Vec<_>>()).await.unwrap_err();
    assert!(is_end_of_output(&error), "{error}");
}

#[tokio::test]
async fn a_query_that_is_cut_is_no_whole_one() {
    let (messages, agent) = query(Script::new([held()])).await;
    soon(agent.gates.reached("half")).await;
    let session = messages.session().clone();
    drop(agent);
    soon(session.close()).await.unwrap();
    let items: Vec<_> = soon(messages.collect()).await;
    // It was ended from here: what was said so far, and no error.
    assert!(items.iter().all(Result::is_ok), "{items:?}");
}

#[tokio::test]
async fn close_ends_open_turns() {
    let (session, agent) = connect(Script::new([held()])).await;
    let turn = session.send("Go").await.unwrap();
    soon(agent.gates.reached("half")).await;
    let mut messages = session.messages().unwrap();
    soon(session.close()).await.unwrap();
    // Aborted by the CLI with a result, or without one.
    let ended = soon(turn.result()).await;
    assert!(
        !matches!(&ended, Ok(result) if !result.is_error()),
        "{ended:?}"
    );
    while let Some(message) = soon(messages.next()).await {
        message.unwrap();
    }
    // Once more is no error; anything else is.
    soon(session.clone().close()).await.unwrap();
    assert!(soon(session.interrupt()).await.unwrap_err().is_closed());
    let received = agent.received().await;
    assert_eq!(
        received.last().unwrap()["request"]["subtype"],
        "end_session"
    );
}

#[tokio::test]
async fn the_last_handle_ends_the_session() {
    let (session, agent) = connect(Script::new([held()])).await;
    let turn = session.clone().send("Go").await.unwrap();
    let messages = session.messages().unwrap();
    soon(agent.gates.reached("half")).await;
    drop(session);
    drop(messages);
    agent.gates.open("half");
    // A turn is a handle too.
    let session = turn.session().clone();
    assert!(!soon(turn.result()).await.unwrap().is_error());
    drop(session);
    agent.gone().await;
}

#[tokio::test]
async fn a_dropped_query_ends_the_agent() {
    let (messages, agent) = query(Script::new([held()])).await;
    drop(messages);
    agent.gone().await;
    let (messages, agent) = query(Script::new([held()])).await;
    soon(agent.gates.reached("half")).await;
    drop(messages);
    // The agent notices when it goes on.
    agent.gates.open("half");
    agent.gone().await;
}

#[tokio::test]
async fn a_dropped_handshake_ends_the_agent() {
    let (pipe, agent) = Agent::start(Script::new([Step::expect_request("initialize")]));
    let connecting = builder().transport(pipe).connect();
    let mut connecting = std::pin::pin!(connecting);
    assert!(futures::poll!(connecting.as_mut()).is_pending());
    connecting.set(
        builder()
            .transport(Agent::start(Script::new([])).0)
            .connect(),
    );
    agent.gone().await;
}

#[test]
fn a_runtime_that_goes_away_ends_what_waits() {
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
    };
    let first = runtime();
    let (session, turn) = first.block_on(async {
        let (session, agent) = connect(Script::new([held()])).await;
        let turn = session.send("Go").await.unwrap();
        agent.gates.reached("half").await;
        (session, turn)
    });
    drop(first);
    let error = runtime().block_on(turn.result()).unwrap_err();
    assert!(error.is_closed(), "{error}");
    assert!(
        runtime()
            .block_on(session.interrupt())
            .unwrap_err()
            .is_closed()
    );
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("claude");
    let options = QueryOptions::default().path_to_claude_code_executable(missing.clone());
    let error = claw_client::query("Hi", options.clone()).await.unwrap_err();
    assert!(error.is_not_found() && error.is_launch_failure(), "{error}");
    assert!(
        error.to_string().contains(missing.to_str().unwrap()),
        "{error}"
    );
    let options = options.cwd(folder.path().join("nowhere"));
    let error = Session::builder(options).connect().await.unwrap_err();
    assert!(error.is_launch_failure(), "{error}");
}
