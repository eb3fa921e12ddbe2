//! Sessions of programs without async.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use claw_client::blocking::{self, Session, SessionBuilder};
use claw_client::hook::PreToolUse;
use claw_client::types::control::{PermissionResult, SetModel};
use claw_client::types::hook::{HookPermissionDecision, PreToolUseOutput};
use claw_client::types::{Json, Message, QueryOptions};
use claw_client::{
    CallbackContext, Error, IncomingRequest, Received, ToolPermissionRequest, TurnResult,
};
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Script, Step};
use serde_json::{Value, json};

fn builder(agent: &Agent) -> SessionBuilder {
    Session::builder(QueryOptions::default()).transport(agent.clone())
}

/// A turn with a tool that has to be asked for; what is said then.
fn asking() -> Step {
    let call = Block::tool_use("Bash", json!({"command": "true"}));
    let said = |text| Step::message([Block::text(text)]);
    Step::Turns(vec![
        Step::message([call]),
        Step::permission(
            [Step::tool_result("done"), said("Done.")],
            [said("Refused.")],
        ),
    ])
}

/// The answers that an agent got, in order.
fn answers(agent: &Agent) -> Vec<Value> {
    let lines = agent.received().into_iter();
    let answers = lines.filter(|line| line["type"] == "control_response");
    answers.map(|line| line["response"].clone()).collect()
}

/// Does this on another thread, which must not take for ever.
fn soon<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = mpsc::channel();
    let worker = thread::spawn(move || drop(done.send(work())));
    match result.recv_timeout(Duration::from_mins(1)) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it takes too long"),
        Err(_) => std::panic::resume_unwind(worker.join().unwrap_err()),
    }
}

#[test]
fn a_conversation() {
    let agent = Agent::new(Script::reply("Four."));
    let session = builder(&agent).connect().unwrap();
    assert_eq!(session.ask("What is 2 + 2?").unwrap(), "Four.");
    let mut texts = Vec::new();
    for received in session.send("Again?").unwrap() {
        let Received::Message(message) = received.unwrap() else {
            panic!("a line can be read")
        };
        texts.extend(TurnResult::try_from(message).map(|result| result.text().into_owned()));
    }
    assert_eq!(texts, ["Four."]);
    let mut text = session.send("And again?").unwrap().text_stream();
    let pieces: Result<Vec<_>, Error> = text.by_ref().collect();
    assert_eq!(pieces.unwrap().concat(), "Four.");
    assert!(!text.result().unwrap().is_error());
    let mut turn = session.send("Once more?").unwrap();
    assert!(turn.next_frame().unwrap().unwrap().into_frame().is_some());
    assert!(!turn.result().unwrap().is_error());
    // It was read.
    assert!(turn.result().is_err());
    session.interrupt().unwrap();
    // The agent knows no such call.
    assert!(session.set_model("opus").is_err());
    assert!(session.call(SetModel::new()).is_err());
    assert!(session.info().is_some());
    let exit = session.close().unwrap();
    assert!(exit.is_success() && !exit.is_forced(), "{exit}");
    assert!(session.ask("Still there?").unwrap_err().is_closed());
}

#[test]
fn a_query_ends_by_itself() {
    let agent = Agent::new(Script::reply("Four."));
    let query = builder(&agent).query("What is 2 + 2?").unwrap();
    let process = query.session().process().clone();
    let mut results = query.filter_map(|received| TurnResult::try_from(received.unwrap()).ok());
    assert_eq!(results.next().unwrap().text(), "Four.");
    assert_eq!(results.next(), None);
    assert!(blocking::wait(process.exited()).is_success());
}

#[test]
fn prompts_come_from_an_iterator_that_blocks() {
    let agent = Agent::new(Script::reply("Yes."));
    let (prompts, given) = mpsc::channel::<String>();
    let query = builder(&agent).query_all(given).unwrap();
    prompts.send("One?".to_owned()).unwrap();
    let mut results = 0;
    for received in query {
        if received.unwrap().message().is_some_and(Message::is_result) {
            results += 1;
            match results {
                1 => prompts.send("Two?".to_owned()).unwrap(),
                _ => break,
            }
        }
    }
    assert_eq!(results, 2);
    // The query is gone. The thread that took the prompts ends with the next one.
    prompts.send("Three?".to_owned()).unwrap();
    soon(move || while prompts.send("Four?".to_owned()).is_ok() {});
}

#[test]
fn threads_share_a_session() {
    fn is_shared<T: Clone + Send + Sync + 'static>(_: &T) {}
    let agent = Agent::new(Script::reply("Yes."));
    let session = builder(&agent).connect().unwrap();
    is_shared(&session);
    let asking: Vec<_> = (0..8)
        .map(|n| {
            let session = session.clone();
            thread::spawn(move || session.ask(format!("{n}?")))
        })
        .collect();
    for asked in asking {
        assert_eq!(soon(|| asked.join().unwrap()).unwrap(), "Yes.");
    }
    // One waits for a message that does not come, another one closes.
    let mut messages = session.messages().unwrap();
    let reading = thread::spawn(move || while let Some(Ok(_)) = messages.next() {});
    session.close().unwrap();
    soon(|| reading.join().unwrap());
}

/// The question waits until the other session has its answer, which it gets on the same thread of claw's.
#[test]
fn a_callback_that_blocks_holds_up_nothing_else() {
    let agent = Agent::new(Script::new([asking()]));
    let (asked, is_asked) = mpsc::channel();
    let (open, gate) = mpsc::channel::<()>();
    let gate = Mutex::new(gate);
    let session = builder(&agent)
        .can_use_tool(move |tool: ToolPermissionRequest| {
            asked.send(tool.tool_name().to_owned()).unwrap();
            gate.lock().unwrap().recv().unwrap();
            PermissionResult::allow()
        })
        .connect()
        .unwrap();
    let mut turn = session.send("Go").unwrap();
    assert_eq!(soon(move || is_asked.recv().unwrap()), "Bash");

    let other = builder(&Agent::new(Script::reply("Here.")))
        .connect()
        .unwrap();
    assert_eq!(soon(move || other.ask("There?")).unwrap(), "Here.");
    // Nor its own session.
    let own = session.clone();
    assert!(soon(move || own.set_model("opus")).is_err());

    open.send(()).unwrap();
    assert_eq!(soon(move || turn.result()).unwrap().text(), "Done.");
}

#[test]
fn a_callback_may_call_its_own_session() {
    let agent = Agent::new(Script::new([asking()]));
    let session = builder(&agent)
        .can_use_tool(|tool: ToolPermissionRequest| {
            let session = Session::from(tool.context().session().unwrap());
            match session.set_model("opus") {
                // It knows no such call, and is still there.
                Err(error) if !error.is_exited() && !error.is_timeout() => {
                    Ok(PermissionResult::allow())
                }
                other => Err(format!("{other:?}")),
            }
        })
        .connect()
        .unwrap();
    assert_eq!(soon(move || session.ask("Go")).unwrap(), "Done.");
}

#[test]
fn a_callback_that_panics_or_fails_refuses() {
    let panics = |_: ToolPermissionRequest| -> PermissionResult { panic!("oh") };
    let fails = |_: ToolPermissionRequest| Err::<PermissionResult, _>("not today");
    let agents = [(); 2].map(|()| Agent::new(Script::new([asking()])));
    let sessions = [
        builder(&agents[0]).can_use_tool(panics).connect().unwrap(),
        builder(&agents[1]).can_use_tool(fails).connect().unwrap(),
    ];
    for (session, agent) in sessions.into_iter().zip(&agents) {
        assert_eq!(soon(move || session.ask("Go")).unwrap(), "Refused.");
        assert_eq!(answers(agent)[0]["response"]["behavior"], "deny");
    }
}

/// Nobody waits for the answer any more, and the closure can know.
#[test]
fn a_callback_sees_that_its_request_was_taken_back() {
    let agent = Agent::new(Script::new([asking()]));
    let (contexts, context) = mpsc::channel();
    let (gone, is_gone) = mpsc::channel();
    let session = builder(&agent)
        .can_use_tool(move |tool: ToolPermissionRequest| {
            contexts.send(()).unwrap();
            blocking::wait(tool.context().cancelled());
            gone.send(()).unwrap();
            PermissionResult::allow()
        })
        .connect()
        .unwrap();
    let mut turn = session.send("Go").unwrap();
    soon(move || context.recv().unwrap());
    session.interrupt().unwrap();
    soon(move || is_gone.recv().unwrap());
    assert!(soon(move || turn.result()).unwrap().interrupted());
    session.close().unwrap();
    assert_eq!(answers(&agent), Vec::<Value>::new());
}

#[test]
fn a_hook_is_a_plain_closure() {
    let hook = json!({
        "type": "control_request", "request_id": "asked",
        "request": {
            "subtype": "hook_callback", "callback_id": "hook_0", "tool_use_id": "toolu_0001",
            "input": {
                "hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": "/c",
                "tool_name": "Bash", "tool_input": {"command": "rm"}, "tool_use_id": "toolu_0001"
            }
        }
    });
    let answered =
        Step::Expect(serde_json::from_value(json!({"type": "control_response"})).unwrap());
    let agent = Agent::new(Script::new([Step::Turn(vec![
        Step::message([Block::text("I clean up.")]),
        Step::Line(hook),
        answered,
    ])]));
    let session = builder(&agent)
        .hook::<PreToolUse>("Bash", |input, _: CallbackContext| {
            thread::yield_now();
            PreToolUseOutput::new()
                .permission_decision(HookPermissionDecision::Deny)
                .permission_decision_reason(format!("no {}", input.tool_name))
        })
        .connect()
        .unwrap();
    soon(move || session.ask("Go")).unwrap();
    let output = &answers(&agent)[0]["response"]["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny");
    assert_eq!(output["permissionDecisionReason"], "no Bash");
}

#[test]
fn a_hook_by_name_is_a_plain_closure() {
    let agent = Agent::new(Script::new([Step::Turn(vec![
        Step::Line(json!({
            "type": "control_request", "request_id": "asked",
            "request": {"subtype": "hook_callback", "callback_id": "hook_0",
                "input": {"hook_event_name": "BrandNewEvent", "about": "cheese"}}
        })),
        Step::Expect(serde_json::from_value(json!({"type": "control_response"})).unwrap()),
        Step::message([Block::text("Fine.")]),
    ])]));
    let session = builder(&agent)
        .hook_named("BrandNewEvent", "", |input: Json, _: CallbackContext| {
            thread::yield_now();
            json!({"reason": input.get("about").unwrap().parse::<String>().unwrap()})
        })
        .connect()
        .unwrap();
    soon(move || session.ask("Go")).unwrap();
    assert_eq!(answers(&agent)[0]["response"], json!({"reason": "cheese"}));
}

#[test]
fn requests_are_an_iterator() {
    let agent = Agent::new(Script::new([asking()]));
    let session = builder(&agent).answer_requests().connect().unwrap();
    let requests = session.requests().unwrap();
    let answering = thread::spawn(move || {
        for request in requests {
            if let IncomingRequest::Permission(_, responder) = request {
                responder.answer(PermissionResult::allow());
            }
        }
    });
    let own = session.clone();
    assert_eq!(soon(move || own.ask("Go")).unwrap(), "Done.");
    session.close().unwrap();
    soon(|| answering.join().unwrap());
}

#[test]
fn what_has_no_method_is_waited_for() {
    let agent = Agent::new(Script::new([Step::expect_request("set_model")]));
    let session = builder(&agent).connect().unwrap();
    let call = session.as_async().set_model("opus");
    let error = blocking::wait(call.timeout(Duration::ZERO)).unwrap_err();
    assert!(error.is_timeout(), "{error}");
}

fn panics(work: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("it panics");
    let text = panic.downcast_ref::<String>().cloned();
    text.unwrap_or_else(|| (*panic.downcast_ref::<&str>().unwrap()).to_owned())
}

/// With either kind of runtime.
async fn panics_in_async_code() {
    let agent = Agent::new(Script::reply("Four."));
    let connects = agent.clone();
    let text = panics(move || drop(builder(&connects).connect()));
    assert!(text.contains("runtime"), "{text}");
    assert_eq!(agent.received(), Vec::<Value>::new());

    let works = tokio::task::spawn_blocking(move || {
        let session = builder(&agent).connect().unwrap();
        assert_eq!(session.ask("What is 2 + 2?").unwrap(), "Four.");
        session
    });
    let session = works.await.unwrap();
    panics(|| drop(session.ask("Again?")));
    panics(|| drop(session.set_model("opus")));
    panics(|| drop(session.messages().unwrap().next()));
    // A drop waits for nothing.
    drop(session);
}

#[tokio::test]
async fn waiting_in_async_code_panics_at_once() {
    panics_in_async_code().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_in_async_code_of_many_threads_panics_at_once() {
    panics_in_async_code().await;
}

/// claw's own thread would wait for itself.
#[test]
fn waiting_in_an_async_callback_refuses_and_does_not_hang() {
    let agent = Agent::new(Script::new([asking()]));
    let ask = |tool: ToolPermissionRequest| async move {
        let session = Session::from(tool.context().session().unwrap());
        let answer = session.ask("Is that right?");
        answer.map(|_| PermissionResult::allow())
    };
    let builder = builder(&agent).with(|builder| builder.can_use_tool(ask));
    let session = builder.connect().unwrap();
    assert_eq!(soon(move || session.ask("Go")).unwrap(), "Refused.");
}

#[test]
fn a_crash_in_mid_turn_ends_what_waits() {
    let crash = [Step::Turn(vec![
        Step::message([Block::text("It begins.")]),
        Step::Stderr("fatal: it burns\n".to_owned()),
        Step::Exit(3),
    ])];
    let session = builder(&Agent::new(Script::new(crash))).connect().unwrap();
    let waits = session.clone();
    let asked = thread::spawn(move || waits.ask("Go"));
    let error = soon(move || asked.join().unwrap()).unwrap_err();
    assert!(
        error.is_exited() && error.to_string().contains("it burns"),
        "{error}"
    );
    assert!(session.interrupt().unwrap_err().is_exited());
}

#[test]
fn a_program_may_compute_for_long_between_two_calls() {
    let agent = Agent::new(Script::new([asking()]));
    let asked = Arc::new(Mutex::new(0));
    let count = asked.clone();
    let session = builder(&agent)
        .can_use_tool(move |_: ToolPermissionRequest| {
            *count.lock().unwrap() += 1;
            PermissionResult::allow()
        })
        .connect()
        .unwrap();
    let mut turn = session.send("Go").unwrap();
    // Nobody reads, and the whole turn goes by.
    soon({
        let agent = agent.clone();
        move || {
            while answers(&agent).is_empty() {
                thread::yield_now();
            }
        }
    });
    assert_eq!(*asked.lock().unwrap(), 1);
    assert_eq!(turn.result().unwrap().text(), "Done.");
}

mod processes {
    use super::*;
    use crate::proc::{marked, wait_until};
    use crate::process::options;

    #[test]
    fn a_drop_ends_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let mark = format!(
            "CLAW_AGENT_SCRIPT={}",
            folder.path().join("script.json").display()
        );
        let session = Session::builder(options(folder.path(), &Script::reply("Yes.")))
            .connect()
            .unwrap();
        let turn = session.send("Go").unwrap();
        drop(session);
        wait_until("the process", || marked(&mark).len() == 1);
        drop(turn);
        wait_until("the end of the process", || marked(&mark).is_empty());
    }
}
