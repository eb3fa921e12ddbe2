//! Futures that are dropped, wherever they are.

use std::future::Future;
use std::path::Path;
use std::pin::pin;
use std::task::Poll;

use claw_client::types::Message;
use claw_client::types::control::PermissionResult;
use claw_client::{IncomingRequest, Session, SessionBuilder};
use claw_testkit::Block;
use claw_testkit::agent::{Child, Script, Step};
use futures::future::{BoxFuture, poll_fn};
use futures::{FutureExt, StreamExt};
use serde_json::json;

use crate::agent::{builder as builder_in_memory, connect_as, next, soon};
use crate::proc::{children, come_true, descriptors, marked, wait_until};
use crate::process::options;
use crate::slow::Nothing;

/// Polls the future so many times, then drops it. `None` if it had not ended by then.
async fn polled<T>(times: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut left = times;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(cx) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Two messages, a request, a child in a session of its own; then a crash, so that whatever has
/// come until then, nothing may be left.
fn script() -> Script {
    let call = Block::tool_use("Bash", json!({"command": "true"}));
    let turn = Step::Turn(vec![
        Step::Child(Child::new().daemon()),
        Step::message([Block::text("one two"), call]),
        Step::permission([Step::tool_result("done")], []),
        Step::message([Block::text("three")]),
    ]);
    Script::new([turn, Step::Signal(9)])
}

fn builder(folder: &Path) -> SessionBuilder {
    Session::builder(options(folder, &script()))
        .can_use_tool(|_| async { PermissionResult::allow() })
}

/// All of a session's life: every kind of future that there is.
async fn session(folder: &Path) {
    let session = builder(folder).connect().await.unwrap();
    let mut turn = session.send("Go").await.unwrap();
    // The agent knows no such request: that it is refused is an answer.
    session.call(Nothing).await.unwrap_err();
    turn.next().await.unwrap().unwrap();
    turn.next_frame().await.unwrap().unwrap();
    assert!(!turn.result().await.unwrap().is_error());
    // It has crashed by then, or does so now.
    drop(session.close().await);
}

/// One whose requests come as data, and whose text comes in pieces.
async fn conversation(folder: &Path) {
    let call = Block::tool_use("Bash", json!({"command": "true"}));
    let turn = Step::Turn(vec![
        Step::message([Block::text("one two"), call]),
        Step::permission([Step::tool_result("done")], []),
        Step::message([Block::text("three")]),
    ]);
    let script = Script::new([
        turn,
        Step::Turns(vec![Step::message([Block::text("more")])]),
    ]);
    let builder = Session::builder(options(folder, &script)).answer_requests();
    let session = builder.connect().await.unwrap();
    let mut requests = session.requests().unwrap();
    let mut text = session.send("Go").await.unwrap().text_stream();
    let mut said = String::new();
    loop {
        tokio::select! {
            request = requests.next() => match request {
                Some(IncomingRequest::Permission(_, responder)) => {
                    responder.answer(PermissionResult::allow());
                }
                other => panic!("{other:?}"),
            },
            piece = text.next() => match piece {
                Some(piece) => said.push_str(&piece.unwrap()),
                None => break,
            },
        }
    }
    assert_eq!(said, "one twothree");
    session.reinitialize().await.unwrap();
    assert_eq!(session.ask("More").await.unwrap(), "more");
    session.close().await.unwrap();
}

async fn query(folder: &Path) {
    let mut messages = builder(folder).query("Go").await.unwrap();
    let mut results = 0;
    while let Some(Ok(received)) = messages.next().await {
        results += usize::from(received.message().is_some_and(Message::is_result));
        // A place to be dropped behind each message, also where they come together.
        tokio::task::yield_now().await;
    }
    assert_eq!(results, 1);
}

/// Drops it after one poll, after two, and so on, until it comes to its end.
async fn dropped_everywhere<F: Future<Output = ()>>(life: impl Fn() -> F, mark: &str) {
    let tasks = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    // What stays: the supervisor's, the runtime's own.
    assert!(polled(3, life()).await.is_none());
    let counted = || (descriptors(), tasks(), children().len());
    come_true("the first one's end", || {
        counted().2 == 0 && counted().1 == 0
    })
    .await;
    let before = counted();
    let (mut ends, mut early) = (1, 0);
    loop {
        if soon(polled(ends, life())).await.is_none() {
            ends += 1;
        } else if ends > 5 {
            break;
        } else {
            // On a busy machine the agent may be ahead, and several answers are there at once: once more.
            early += 1;
            assert!(early < 100, "it ends after {ends} polls");
        }
    }
    come_true("the end of all processes", || marked(mark).is_empty()).await;
    // Fewer, if the first one's were still being closed when they were counted.
    let fits = |(descriptors, tasks, children)| {
        descriptors <= before.0 && (tasks, children) == (before.1, before.2)
    };
    come_true("descriptors, tasks, children", || fits(counted())).await;
    println!(
        "dropped after 1 to {ends} polls: {before:?} before, {:?} after",
        counted()
    );
}

fn run<F: Future<Output = ()>>(life: impl Fn(std::path::PathBuf) -> F) {
    claw_testkit::agent::program().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.json");
    let mark = format!("CLAW_AGENT_SCRIPT={}", file.display());
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    runtime.block_on(dropped_everywhere(|| life(folder.path().to_owned()), &mark));
}

#[test]
fn a_session_at_every_await_point() {
    if claw_testkit::alone("drops::a_session_at_every_await_point") {
        run(|folder| async move { session(&folder).await });
    }
}

#[test]
fn a_conversation_at_every_await_point() {
    if claw_testkit::alone("drops::a_conversation_at_every_await_point") {
        run(|folder| async move { conversation(&folder).await });
    }
}

#[test]
fn a_query_at_every_await_point() {
    if claw_testkit::alone("drops::a_query_at_every_await_point") {
        run(|folder| async move { query(&folder).await });
    }
}

/// What uses a session, to its end.
type Given = fn(Session) -> BoxFuture<'static, ()>;

/// What a session gives, each in a future that comes to its end.
fn given() -> Vec<(&'static str, Given)> {
    vec![
        ("a handle", |session| {
            async move {
                let clone = session.clone();
                drop(session);
                clone.call(Nothing).await.unwrap_err();
            }
            .boxed()
        }),
        ("a turn", |session| {
            async move {
                let mut turn = session.send("Go").await.unwrap();
                while let Some(message) = turn.next().await {
                    message.unwrap();
                }
            }
            .boxed()
        }),
        ("a turn's result", |session| {
            async move {
                let turn = session.send("Go").await.unwrap();
                assert!(!turn.result().await.unwrap().is_error());
            }
            .boxed()
        }),
        ("a turn's text", |session| {
            async move {
                let text = session.send("Go").await.unwrap().text_stream();
                let pieces: Vec<_> = text.collect().await;
                assert!(pieces.iter().all(Result::is_ok));
            }
            .boxed()
        }),
        ("the stream of all messages", |session| {
            async move {
                let mut messages = session.messages().unwrap();
                let turn = session.send("Go").await.unwrap();
                while !next(&mut messages).await.unwrap().unwrap().is_result() {}
                turn.result().await.unwrap();
            }
            .boxed()
        }),
        ("an answer", |session| {
            async move { drop(session.ask("Go").await.unwrap()) }.boxed()
        }),
        ("a pending call", |session| {
            async move { drop(session.call(Nothing).await.unwrap_err()) }.boxed()
        }),
        ("a handshake", |session| {
            async move { drop(session.reinitialize().await.unwrap()) }.boxed()
        }),
        ("a prompt that is taken back", |session| {
            async move {
                let turn = session.send("Go").await.unwrap();
                drop(turn.cancel().await);
            }
            .boxed()
        }),
    ]
}

/// The session lives on: after each drop it answers, and no task is left of what was dropped.
#[test]
fn what_a_session_gives_at_every_await_point() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().unwrap();
    let tasks = runtime.metrics();
    runtime.block_on(async {
        let call = Block::tool_use("Bash", json!({"command": "true"}));
        let script = Script::new([Step::Turns(vec![
            Step::message([Block::text("one two"), call]),
            Step::permission([Step::tool_result("done")], []),
            Step::message([Block::text("three")]),
        ])]);
        let builder = builder_in_memory().can_use_tool(|_| async { PermissionResult::allow() });
        let (session, agent) = connect_as(builder, script).await;
        soon(session.ask("Go")).await.unwrap();
        let before = tasks.num_alive_tasks();
        for (name, future) in given() {
            let mut ends = 0;
            for times in 1.. {
                let ended = soon(polled(times, future(session.clone()))).await;
                // It answers, whatever became of the other.
                soon(session.call(Nothing)).await.unwrap_err();
                soon(session.ask("Still there?")).await.unwrap();
                come_true(name, || tasks.num_alive_tasks() == before).await;
                if ended.is_some() {
                    ends = times;
                    break;
                }
            }
            assert!(ends > 1, "{name}");
            println!("{name}: dropped after 1 to {ends} polls");
        }
        drop(session);
        agent.gone().await;
        come_true("the end of all tasks", || tasks.num_alive_tasks() == 0).await;
    });
}

/// The driver is a future too: the runtime is dropped when it was polled so many times.
#[test]
fn a_runtime_at_any_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script.json");
    let mark = format!("CLAW_AGENT_SCRIPT={}", file.display());
    claw_testkit::agent::program().unwrap();
    for times in 1..40 {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().unwrap();
        let life = Box::pin(query(folder.path()));
        let ended = runtime.block_on(async { soon(polled(times, life)).await });
        drop(runtime);
        if ended.is_some() {
            break;
        }
    }
    wait_until("the end of all processes", || marked(&mark).is_empty());
}

/// A CLI in the middle of a turn does not read its stdin, and would work on without anybody.
#[test]
fn a_session_whose_runtime_is_gone_ends_and_can_be_closed() {
    let folder = tempfile::tempdir().unwrap();
    let script = Script::new([Step::Turn(vec![
        Step::message([Block::text("one")]),
        Step::gate("never"),
    ])]);
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    let (first, other) = (runtime(), runtime());
    let start = || {
        first.block_on(async {
            let builder = Session::builder(options(folder.path(), &script));
            let session = builder.connect().await.unwrap();
            let mut turn = session.send("Go").await.unwrap();
            soon(turn.next()).await.unwrap().unwrap();
            (session, turn)
        })
    };
    let [(ends, _turn), (closed, _other_turn)] = [start(), start()];
    drop(first);
    other.block_on(async {
        let exit = soon(closed.close()).await.unwrap();
        assert_eq!(closed.process().exit(), Some(exit));
        soon(ends.process().exited()).await;
        assert!(ends.ask("Still there?").await.unwrap_err().is_closed());
    });
}
