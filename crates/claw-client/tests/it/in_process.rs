//! The scripted agent in this process ends as one in a process of its own does.

use claw_client::transport::Shutdown;
use claw_client::types::QueryOptions;
use claw_client::{Session, SessionBuilder};
use claw_testkit::Block;
use claw_testkit::agent::{Agent, Cut, Death, Script, Step};
use std::time::Duration;

use crate::agent::soon;
use crate::process::options;

fn in_process(agent: &Agent) -> SessionBuilder {
    Session::builder(QueryOptions::default()).transport(agent.clone())
}

/// How a session fails, without the process id that only one of both has.
async fn failed(builder: SessionBuilder) -> String {
    let asked = async {
        let session = soon(builder.connect()).await?;
        soon(session.ask("Go")).await
    };
    let error = asked.await.unwrap_err();
    assert!(error.is_exited(), "{error}");
    let text = error.to_string();
    let pid = text
        .split_once(" (process ")
        .and_then(|(_, rest)| rest.split_once(')'));
    match pid {
        Some((pid, _)) => text.replace(&format!(" (process {pid})"), ""),
        None => text,
    }
}

#[tokio::test]
async fn whatever_it_dies_of_it_is_told_as_of_a_process() {
    let turn = |steps: Vec<Step>| {
        let mut all = vec![Step::message([Block::text("one two three")])];
        all.extend(steps);
        Script::new([Step::Turn(all)])
    };
    let burns = || Step::Stderr("fatal: it burns\n".to_owned());
    let scripts = [
        (
            "at its start",
            Script::new([Step::expect_initialize(), burns(), Step::Exit(4)]),
        ),
        ("in mid-turn", turn(vec![burns(), Step::Exit(3)])),
        ("with success", turn(vec![burns(), Step::Exit(0)])),
        ("of a signal", turn(vec![Step::Signal(9)])),
        ("of SIGTERM", turn(vec![Step::Signal(15)])),
        (
            "in mid-line",
            turn(vec![
                Step::Raw("{\"type\":\"resu".to_owned()),
                Step::Exit(3),
            ]),
        ),
        (
            "at a byte of its output",
            turn(vec![burns()]).cut(Cut::new(2000, Death::Exit(7))),
        ),
        (
            "of its own fault",
            turn(vec![Step::tool_result("of no call")]),
        ),
        (
            "once its output is closed",
            turn(vec![Step::CloseStdout, Step::Exit(5)]),
        ),
    ];
    for (how, script) in scripts {
        let folder = tempfile::tempdir().unwrap();
        let process = failed(Session::builder(options(folder.path(), &script))).await;
        let agent = failed(in_process(&Agent::new(script))).await;
        println!("{how}: {process}");
        assert_eq!(agent, process, "{how}");
    }
}

#[tokio::test]
async fn it_ends_when_it_is_asked_to() {
    let agent = Agent::new(Script::reply("Four."));
    let session = soon(in_process(&agent).connect()).await.unwrap();
    assert_eq!(soon(session.ask("What is 2 + 2?")).await.unwrap(), "Four.");
    let exit = soon(session.close()).await.unwrap();
    assert!(exit.is_success() && !exit.is_forced(), "{exit}");
    let prompts = agent.received().into_iter();
    let prompts: Vec<_> = prompts.filter(|line| line["type"] == "user").collect();
    assert_eq!(prompts[0]["message"]["content"], "What is 2 + 2?");
    // The same one may be opened again.
    let session = soon(in_process(&agent).connect()).await.unwrap();
    assert_eq!(soon(session.ask("And now?")).await.unwrap(), "Four.");
}

#[tokio::test]
async fn it_ends_when_its_session_is_dropped() {
    let agent = Agent::new(Script::new([Step::Hang]));
    let query = soon(in_process(&agent).query("Go")).await.unwrap();
    let exited = query.session().process().exited();
    drop(query);
    let exit = soon(exited).await;
    assert_eq!((exit.code(), exit.is_forced()), (Some(143), true));
}

#[tokio::test]
async fn one_that_ignores_everything_is_killed() {
    let hangs = Script::new([Step::Hang]).ignore_sigterm().ignore_eof();
    let agent = Agent::new(hangs);
    let query = soon(in_process(&agent).query("Go")).await.unwrap();
    let short = Duration::from_millis(1);
    let ladder = Shutdown::default().grace(short).terminate(short);
    let exit = soon(query.session().close_with(ladder)).await.unwrap();
    assert!(exit.is_forced(), "{exit}");
    #[cfg(unix)]
    assert_eq!(exit.signal(), Some(9));
}

/// Its runtime is gone, and with it the agent: nobody waits for it for ever.
#[test]
fn one_whose_runtime_is_gone_has_ended() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let agent = Agent::new(Script::reply("Four."));
    let session = runtime.block_on(in_process(&agent).connect()).unwrap();
    drop(runtime);
    let exit = futures::executor::block_on(session.process().exited());
    assert_eq!(exit.status(), None);
}
