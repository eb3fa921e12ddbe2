//! The testee with the API without async.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use claw_client::blocking::{Session, SessionBuilder};
use claw_client::hook::HookFor;
use claw_client::{Error, Message, Received};
use futures::executor::block_on;
use serde_json::json;
use tokio::sync::Semaphore;

use super::{Case, answer, print_event};

/// Plays the sessions of a case, each on a thread of its own.
pub(super) fn play_all(case: &Case) -> Vec<Result<(), Error>> {
    thread::scope(|scope| {
        let sessions = (0..case.sessions.unwrap_or(1)).map(|_| scope.spawn(|| play(case)));
        let threads: Vec<_> = sessions.collect();
        let results = threads.into_iter().map(|thread| {
            let result = thread.join();
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        results.collect()
    })
}

fn play(case: &Case) -> Result<(), Error> {
    // Has a permit for each result.
    let results = Arc::new(Semaphore::new(0));
    let session = builder(case, &results).connect()?;
    let talked = talk(case, &session, &results);
    let closed = session.close();
    talked.and(closed.map(drop))
}

fn builder(case: &Case, results: &Arc<Semaphore>) -> SessionBuilder {
    let mut builder = Session::builder(case.options());
    if let Some(seconds) = case.time_limit {
        builder = builder.with(|it| it.stall_timeout(Duration::from_secs(seconds)));
    }
    if let Some(permission) = case.permission.clone() {
        let results = Arc::clone(results);
        builder = builder.can_use_tool(move |request| {
            let answer = answer(&permission, &request);
            if permission.after_result {
                let _permit = block_on(results.acquire());
            }
            answer
        });
    }
    if let Some(hook) = case.hook.clone() {
        let event = hook.event.clone();
        builder = builder.hook_named(event, HookFor::all(), move |input, _| hook.call(&input));
    }
    if let Some(tool) = case.tool.clone() {
        builder = builder.mcp_server(tool.server.clone(), tool);
    }
    builder
}

/// Sends the prompts, and prints the messages of each turn.
fn talk(case: &Case, session: &Session, results: &Semaphore) -> Result<(), Error> {
    for prompt in &case.prompts {
        let mut is_first = true;
        for received in session.send(prompt)? {
            // A line that is no message does not end the session.
            let Received::Message(message) = received? else {
                continue;
            };
            print_event("message", &json!(message));
            if matches!(message, Message::ResultSuccess(_) | Message::ResultError(_)) {
                results.add_permits(1);
            }
            if !matches!(message, Message::Assistant(_)) || !std::mem::take(&mut is_first) {
                continue;
            }
            if case.leave {
                return Ok(());
            }
            if case.interrupt {
                session.interrupt()?;
            }
        }
    }
    Ok(())
}
