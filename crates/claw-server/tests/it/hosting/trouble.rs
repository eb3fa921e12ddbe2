//! Turns that fail, clients that leave or read nothing, servers that end.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_client::{QueryOptions, Session};
use claw_server::{Hosting, NewPrompt, hosted_session};
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpSocket;

use super::{Turn, processes, prompts, request, said, says, start, start_as, turn, waits};
use crate::client::{Running, soon};

/// A server whose first process plays the first script, and every later one the second. With the options of each.
async fn start_twice(
    first: Script,
    second: Script,
) -> (Running, Agent, Arc<Mutex<Vec<QueryOptions>>>) {
    let agents = [Agent::new(first), Agent::new(second.clone())];
    let begun = Arc::<Mutex<Vec<QueryOptions>>>::default();
    let (of_session, second) = (begun.clone(), agents[1].clone());
    let build = move |options: QueryOptions| {
        let mut begun = of_session.lock().unwrap();
        let agent = agents[usize::from(!begun.is_empty())].clone();
        begun.push(options.clone());
        Session::builder(options).transport(agent)
    };
    let running = start_as(Script::reply("unused"), Hosting::new("shop"), |builder| {
        builder.session(build)
    })
    .await;
    (running, second, begun)
}

#[tokio::test]
async fn after_a_turn_that_failed_the_prompts_that_wait_have_the_same_session() {
    let dies = Script::new([Step::Turn(vec![
        Step::message([Block::text("I think.")]),
        Step::Stderr("out of luck\n".to_owned()),
        Step::Exit(3),
    ])]);
    let (running, agent, begun) =
        start_twice(dies, Script::new([says("Two."), says("Three.")])).await;
    let one = Turn::ask(&running, "x", "first").await;
    let two = Turn::ask(&running, "x", "second").await;
    let three = Turn::ask(&running, "x", "third").await;
    let one = one.rest().await;
    let error = said(&one);
    assert!(error.starts_with("I think. | error: "), "{error}");
    assert!(error.contains("out of luck"), "{error}");
    assert_eq!(one.last().unwrap().0, "error");
    assert_eq!(said(&two.rest().await), "Two. | done");
    assert_eq!(said(&three.rest().await), "Three. | done");
    assert_eq!(prompts(&agent), ["second", "third"]);
    let session = hosted_session("x");
    let begun = begun.lock().unwrap().clone();
    assert_eq!(begun.len(), 2);
    assert_eq!((&begun[0].session_id, &begun[0].resume), (&session, &None));
    assert_eq!((&begun[1].session_id, &begun[1].resume), (&None, &session));
    assert_eq!(running.server.hub().live().len(), 1);
    running.end().await;
}

#[tokio::test]
async fn a_process_that_cannot_start_is_an_error_and_the_next_prompt_tries_again() {
    let fails = Script::new([Step::Stderr("no key\n".to_owned()), Step::Exit(1)]);
    let (running, _, begun) = start_twice(fails, Script::reply("Here.")).await;
    let error = turn(&running, "x", "first").await;
    assert_eq!(error.len(), 1, "{error:#?}");
    assert!(said(&error).starts_with("error: "), "{error:#?}");
    assert_eq!(said(&turn(&running, "x", "second").await), "Here. | done");
    // Nothing was said yet: the session begins anew, under its own ID.
    let session = hosted_session("x");
    for options in begun.lock().unwrap().iter() {
        assert_eq!((&options.session_id, &options.resume), (&session, &None));
    }
    running.end().await;
}

#[tokio::test]
async fn a_result_that_is_an_error_is_a_message_of_a_turn_that_is_done() {
    let fails = Step::Turn(vec![Step::fail("error_max_turns", "too many")]);
    let running = start(Script::new([fails])).await;
    let events = turn(&running, "x", "Think").await;
    let result: Value = serde_json::from_str(
        &events
            .iter()
            .find(|(_, data)| data.contains("error_max_turns"))
            .unwrap()
            .1,
    )
    .unwrap();
    assert_eq!(result["type"], "result");
    assert_eq!(events.last().unwrap().0, "done");
    running.end().await;
}

#[tokio::test]
async fn a_client_that_leaves_does_not_stop_its_turn_nor_the_prompt_that_waits() {
    let script = Script::new([waits("one", "One."), says("Two."), says("Three.")]);
    let running = start(script).await;
    let one = Turn::ask(&running, "x", "first").await;
    soon(running.agent.gates().reached("one")).await;
    let two = Turn::ask(&running, "x", "second").await;
    drop((one, two));
    let three = Turn::ask(&running, "x", "third").await;
    running.agent.gates().open("one");
    assert_eq!(said(&three.rest().await), "Three. | done");
    assert_eq!(prompts(&running.agent), ["first", "second", "third"]);
    assert_eq!(processes(&running.agent), 1);
    running.end().await;
}

#[tokio::test]
async fn a_turn_is_not_mixed_with_those_of_others_who_use_the_session() {
    let script = Script::new([
        says("Zero."),
        waits("one", "One."),
        waits("two", "Two."),
        says("Three."),
        says("Four."),
    ]);
    let running = start(script).await;
    turn(&running, "x", "first").await;
    // The program that has the server uses the session as well.
    let session = hosted_session("x").unwrap();
    let own = running.server.hub().open(session.as_str()).await.unwrap();
    own.prompt(NewPrompt::new("own")).await.unwrap();
    soon(running.agent.gates().reached("one")).await;
    let hosted = Turn::ask(&running, "x", "second").await;
    own.prompt(NewPrompt::new("own again")).await.unwrap();
    running.agent.gates().open("one");
    soon(running.agent.gates().reached("two")).await;
    assert_eq!(prompts(&running.agent), ["first", "own", "second"]);
    running.agent.gates().open("two");
    assert_eq!(said(&hosted.rest().await), "Two. | done");
    assert_eq!(said(&turn(&running, "x", "third").await), "Four. | done");
    let all = ["first", "own", "second", "own again", "third"];
    assert_eq!(prompts(&running.agent), all);
    drop(own);
    running.end().await;
}

/// So many texts of 64 KiB are more than the system keeps for a connection.
const TEXTS: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_too_slowly_misses_the_rest_and_the_turn_goes_on() {
    let texts = Step::repeat(TEXTS, [Step::message([Block::text("x".repeat(64 << 10))])]);
    let script = Script::new([Step::Turn(vec![texts, Step::gate("end")]), says("Two.")]);
    let running = start_as(script, Hosting::new("shop"), |builder| {
        builder.limits(|limits| limits.unread = 256 << 10)
    })
    .await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(running.address).await.unwrap();
    let ask = request(&running, "x", "Say much");
    stream.write_all(ask.as_bytes()).await.unwrap();
    let slow = Turn::of(stream).await;
    // Claude has said everything, whoever listens.
    soon(running.agent.gates().reached("end")).await;
    running.agent.gates().open("end");
    assert_eq!(
        said(&turn(&running, "x", "Are you there?").await),
        "Two. | done"
    );
    let heard = soon(slow.rest()).await;
    let (name, data) = heard.last().unwrap();
    assert_eq!(name, "error");
    assert!(data.contains("too slowly"), "{data}");
    assert!(heard.iter().all(|(name, _)| name != "done"));
    let bytes: usize = heard.iter().map(|(_, data)| data.len()).sum();
    assert!(bytes < TEXTS * (64 << 10), "{bytes}");
    assert_eq!(processes(&running.agent), 1);
    running.end().await;
}

#[tokio::test]
async fn what_is_too_much_is_an_event_and_not_a_status() {
    // A gateway takes a status for a server that has died.
    let running = start_as(
        Script::new([
            waits("one", "One."),
            Step::Turns(vec![Step::message([Block::text("More.")])]),
        ]),
        Hosting::new("shop"),
        |builder| builder.limits(|limits| limits.sessions = 1),
    )
    .await;
    let mut waiting = vec![Turn::ask(&running, "x", "first").await];
    soon(running.agent.gates().reached("one")).await;
    for number in 0..16 {
        waiting.push(Turn::ask(&running, "x", &number.to_string()).await);
    }
    assert_eq!(
        said(&turn(&running, "x", "one too many").await),
        "error: too many prompts wait"
    );
    assert_eq!(
        said(&turn(&running, "other", "another session").await),
        "error: too many sessions are in use"
    );
    running.agent.gates().open("one");
    for (number, turn) in waiting.into_iter().enumerate() {
        let text = if number == 0 {
            "One. | done"
        } else {
            "More. | done"
        };
        assert_eq!(said(&turn.rest().await), text);
    }
    // The one that nobody uses any more makes room.
    assert_eq!(
        said(&turn(&running, "other", "Hello").await)
            .split(" | ")
            .last(),
        Some("done")
    );
    running.end().await;
}

#[tokio::test]
async fn a_turn_may_finish_when_the_server_ends_and_else_its_client_is_told() {
    let mut running = start(Script::new([waits("one", "One.")])).await;
    let one = Turn::ask(&running, "x", "first").await;
    soon(running.agent.gates().reached("one")).await;
    running.stop();
    running.agent.gates().open("one");
    assert_eq!(said(&one.rest().await), "One. | done");
    running.end().await;

    let hangs = Script::new([Step::Turn(vec![Step::gate("one"), Step::Hang])]);
    let running = start_as(hangs, Hosting::new("shop"), |builder| {
        builder.connections(|connections| connections.finish = Duration::ZERO)
    })
    .await;
    let one = Turn::ask(&running, "x", "first").await;
    let two = Turn::ask(&running, "x", "second").await;
    running.agent.gates().open("one");
    let (one, two, ()) = tokio::join!(one.rest(), two.rest(), running.end());
    for events in [one, two] {
        assert_eq!(events.last().unwrap().0, "error", "{events:#?}");
    }
}
