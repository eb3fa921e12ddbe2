//! A server that is ended again and again, by SIGTERM and by SIGKILL, in the middle of prompts.
//!
//! The journal of the agents must show that every accepted prompt has run once; otherwise, the next server must show
//! the prompt with a mark. No process may be left behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use hyper::Method;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::client::Client;
use crate::hosts::{self, Setting};
use crate::samples::processes;
use crate::tally::Tally;
use crate::{Result, agent};

pub(crate) const HOST: &str = "ended";

/// The number of sessions with prompts when a server ends.
const SESSIONS: usize = 6;
/// The maximum time that a process may outlive its server.
const LEFT: Duration = Duration::from_secs(30);

/// Ends servers until the end of the run.
pub(crate) async fn run(
    setting: Setting,
    mut random: fastrand::Rng,
    end: watch::Receiver<bool>,
) -> Tally {
    let mut tally = Tally::default();
    let mut round = 0;
    while !*end.borrow() {
        round += 1;
        if let Err(error) = cycle(&setting, round, &mut random, &mut tally).await {
            tally.wrong(format!("round {round}: {error}"));
        }
        let _ = tokio::time::timeout(setting.pace * 10, end.clone().wait_for(|&end| end)).await;
    }
    tally
}

/// A prompt that a server has accepted.
struct Accepted {
    session: String,
    uuid: String,
    mark: String,
}

async fn cycle(
    setting: &Setting,
    round: u64,
    random: &mut fastrand::Rng,
    tally: &mut Tally,
) -> Result {
    let served = setting.serve(HOST, false, &["--processes", "3"]).await?;
    let sending = (0..SESSIONS).map(|at| prompts(served.client.clone(), round, at));
    let sending = tokio::spawn(futures::future::join_all(sending));
    sleep(Duration::from_millis(random.u64(50..4_000))).await;
    let signal = if random.bool() {
        Signal::TERM
    } else {
        Signal::KILL
    };
    served.end(signal).await?;
    tally.count(if signal == Signal::TERM {
        "ends by SIGTERM"
    } else {
        "ends by SIGKILL"
    });
    let accepted: Vec<Accepted> = sending.await?.into_iter().flatten().collect();
    none_left(setting).await?;

    let next = setting.serve(HOST, false, &["--processes", "3"]).await?;
    let got = journal(&setting.journal_of(HOST))?;
    for one in &accepted {
        let times = got.get(&one.mark).copied().unwrap_or_default();
        let path = format!("/api/sessions/{}", one.session);
        let (_, session) = next.client.ask(Method::GET, &path, None).await?;
        let unanswered = session["state"]["unanswered"].as_array();
        let is_marked =
            unanswered.is_some_and(|all| all.iter().any(|kept| kept["uuid"] == one.uuid));
        match (times, is_marked) {
            (2.., _) => tally.wrong(format!("{} ran {times} times", one.mark)),
            (_, true) => tally.count("marked"),
            (1, false) => tally.count("answered"),
            (0, false) => tally.wrong(format!("{} was accepted and is lost", one.mark)),
        }
    }
    // The sessions are closed here. Closed sessions need no marks.
    let mut sessions: Vec<_> = accepted.iter().map(|one| &one.session).collect();
    sessions.dedup();
    for session in sessions {
        let path = format!("/api/sessions/{session}/close");
        let _ = next.client.ask(Method::POST, &path, None).await?;
    }
    next.end(Signal::TERM).await?;
    none_left(setting).await
}

/// Begins a session and sends it three prompts, as long as the server responds.
async fn prompts(client: Client, round: u64, at: usize) -> Vec<Accepted> {
    let mut accepted = Vec::new();
    let new = json!({"project": "shop"});
    let Ok((201, session)) = client.ask(Method::POST, "/api/sessions", Some(&new)).await else {
        return accepted;
    };
    let session = session["id"].as_str().unwrap_or_default().to_owned();
    for which in 0..3 {
        let mark = format!("soak-ended-{round:06}-{at}-{which}");
        let uuid = format!("{at:08x}-{which:04x}-4000-8000-{round:012x}");
        let prompt: Value = json!({"text": format!("Answer {mark}."), "uuid": uuid});
        let path = format!("/api/sessions/{session}/prompts");
        match client.ask(Method::POST, &path, Some(&prompt)).await {
            Ok((202, _)) => accepted.push(Accepted {
                session: session.clone(),
                uuid,
                mark,
            }),
            _ => break,
        }
        sleep(Duration::from_millis(400)).await;
    }
    accepted
}

/// The number of times that each prompt reached an agent.
fn journal(path: &Path) -> Result<BTreeMap<String, usize>> {
    let mut got = BTreeMap::new();
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error.into()),
    };
    for line in text.lines() {
        if let Some(mark) = line.strip_prefix("got ").and_then(agent::mark) {
            *got.entry(mark.to_owned()).or_default() += 1;
        }
    }
    // Lines that were judged are not needed again.
    fs::write(path, "")?;
    Ok(got)
}

async fn none_left(setting: &Setting) -> Result {
    let begun = Instant::now();
    loop {
        let left = processes(&setting.run, HOST);
        if left.is_empty() {
            return Ok(());
        }
        if begun.elapsed() > LEFT {
            left.iter()
                .for_each(|&process| hosts::send(process, Signal::KILL));
            return Err(format!("{} processes are left behind by a server", left.len()).into());
        }
        sleep(Duration::from_millis(200)).await;
    }
}
