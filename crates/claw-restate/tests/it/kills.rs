//! Workers are killed at random moments of their turns, and each prompt is answered by itself.
//!
//! `CLAW_TEST_RESTATE_KILLS` is how often.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use claw_restate::TurnOutcome;
use claw_testkit::Block;
use claw_testkit::api::{Answer, ApiRequest, Rule, Scenario};
use futures::future::join_all;
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::place::{Place, Worker, has_claim, number};
use crate::processes::{processes, until};

/// How many sessions have a prompt at a time.
const SESSIONS: usize = 3;
/// What the model reads with a prompt that was begun before.
const NOTE: &str = "was begun before";
const DONE: &str = "Done.";

/// Each turn runs a command before it is done.
fn acts() -> Scenario {
    let command = json!({"command": "sleep 0.4; echo acted", "description": "Act"});
    let done = Answer::message([Block::text(DONE)]);
    let act = Answer::message([Block::tool_use("Bash", command)]);
    Scenario::new(
        "acts",
        [Rule::new(done).on_tool_result("acted"), Rule::new(act)],
    )
}

fn id(session: usize) -> String {
    format!("4f6e1c3a-0000-4000-8000-{session:012}")
}

fn mark(run: usize, session: usize) -> String {
    format!("prompt-{run}-{session}-end")
}

/// What came of the kills.
#[derive(Debug, Default)]
struct Figures {
    /// Kills of a worker that had a turn.
    kills: usize,
    /// The turns that these workers had.
    cut: usize,
    /// How many of them had begun, so that they were repeated.
    repeated: usize,
    prompts: usize,
    /// The conversation has their result, and that of the attempt before: it was cut between the two.
    twice: usize,
    /// From the kill to the result of a turn that was cut.
    longest: Duration,
}

/// Which workers have the sessions.
async fn holders(place: &Place, workers: &[Worker]) -> Vec<Option<usize>> {
    let holders = (0..SESSIONS).map(|session| async move {
        let (_, status) = place.call(&id(session), "status", &[], &Value::Null).await;
        has_claim(&status, workers)
    });
    join_all(holders).await
}

/// Kills a worker a while after it has begun with a turn. Returns when, and the sessions that it had.
async fn kill(place: &Place, workers: &mut [Worker], run: usize) -> (Instant, Vec<usize>) {
    let random = (run as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    let moment = Duration::from_millis(random % 2000);
    while holders(place, workers).await[run % SESSIONS].is_none() {
        sleep(Duration::from_millis(10)).await;
    }
    sleep(moment).await;
    let holders = holders(place, workers).await;
    let victim = holders[run % SESSIONS].or_else(|| holders.iter().flatten().next().copied());
    let victim = victim.unwrap_or(run % workers.len());
    workers[victim].signal(Signal::KILL);
    let killed = Instant::now();
    workers[victim].child.wait().unwrap();
    let folder = workers[victim].folder();
    until("the CLIs of the killed worker end", || {
        processes(folder).is_empty()
    })
    .await;
    place.again(&mut workers[victim], &[]);
    let had = (0..SESSIONS).filter(|session| holders[*session] == Some(victim));
    (killed, had.collect())
}

/// How often each prompt is somewhere: as it was sent, and with the note. Nothing else may be there twice.
#[derive(Debug, Default)]
struct Times {
    plain: usize,
    noted: usize,
    done: usize,
}

impl Times {
    fn add(&mut self, text: &str) {
        if text.contains(NOTE) {
            self.noted += 1;
        } else {
            self.plain += 1;
        }
    }

    /// The first attempt is the only one that sends the prompt as it is.
    fn fits(&self, attempts: u32) -> bool {
        self.plain <= 1 && self.noted < attempts as usize
    }
}

/// The prompts of a conversation in the store, and how often it has their result.
fn conversation(lines: &[String]) -> BTreeMap<String, Times> {
    let mut all: BTreeMap<String, Times> = BTreeMap::new();
    let mut uuids = BTreeSet::new();
    let mut last = None;
    for line in lines {
        let line: Value = serde_json::from_str(line).unwrap();
        if let Some(uuid) = line["uuid"].as_str() {
            assert!(uuids.insert(uuid.to_owned()), "twice: {line}");
        }
        let content = line["message"]["content"].to_string();
        match line["type"].as_str() {
            Some("user") if content.contains("prompt-") => {
                let (_, mark) = content.split_once("prompt-").unwrap();
                let mark = mark.split_once("-end").unwrap().0;
                let mark = format!("prompt-{mark}-end");
                all.entry(mark.clone()).or_default().add(&content);
                last = Some(mark);
            }
            Some("assistant") if content.contains(DONE) => {
                let mark = last.clone().unwrap();
                all.get_mut(&mark).unwrap().done += 1;
            }
            _ => {}
        }
    }
    all
}

/// How often the model was asked a prompt.
fn asked(place: &Place, mark: &str) -> Times {
    let mut times = Times::default();
    let requests = place.api.requests();
    for request in requests.iter().filter(|it| ApiRequest::is_message(it)) {
        let messages = request.body["messages"].as_array().unwrap();
        let answered = messages.iter().rposition(|it| it["role"] == "assistant");
        let new = &messages[answered.map_or(0, |at| at + 1)..];
        let new = Value::from(new).to_string();
        if new.contains(mark) {
            times.add(&new);
        }
    }
    times
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_are_killed_at_random_moments_and_every_prompt_is_answered() {
    let place = Place::on_postgres(acts()).await;
    let (mut workers, _proxy) = place.three(&[]).await;
    let place = &place;
    let kills = number("CLAW_TEST_RESTATE_KILLS", 2);
    let mut figures = Figures::default();
    let mut outcomes: Vec<Vec<TurnOutcome>> = vec![Vec::new(); SESSIONS];
    let mut runs = 0;
    while figures.kills < kills {
        assert!(runs < 3 * kills, "too few kills in mid-turn: {figures:?}");
        let prompts = (0..SESSIONS).map(|session| async move {
            let outcome = place.prompt(&id(session), &mark(runs, session)).await;
            (outcome, Instant::now())
        });
        let (answers, (killed, had)) =
            tokio::join!(join_all(prompts), kill(place, &mut workers, runs));
        let mut is_in_turn = false;
        for (session, (outcome, answered)) in answers.into_iter().enumerate() {
            assert_eq!((&*outcome.text, outcome.is_error), (DONE, false));
            assert_eq!(outcome.is_repeated, outcome.attempt > 1, "{outcome:?}");
            if had.contains(&session) && answered > killed {
                is_in_turn = true;
                figures.cut += 1;
                figures.repeated += usize::from(outcome.is_repeated);
                figures.longest = figures.longest.max(answered - killed);
            } else {
                assert_eq!(outcome.attempt, 1, "{outcome:?}");
            }
            outcomes[session].push(outcome);
        }
        figures.kills += usize::from(is_in_turn);
        figures.prompts += SESSIONS;
        runs += 1;
    }
    for (session, outcomes) in outcomes.iter().enumerate() {
        let stored = conversation(&place.transcript(&id(session)).await);
        for (run, outcome) in outcomes.iter().enumerate() {
            let mark = mark(run, session);
            let times = stored
                .get(&mark)
                .unwrap_or_else(|| panic!("{mark} is lost"));
            assert!(times.fits(outcome.attempt), "{mark}: {times:?} {outcome:?}");
            let attempts = 1..=outcome.attempt as usize;
            assert!(attempts.contains(&times.done), "{mark}: {times:?}");
            figures.twice += usize::from(times.done > 1);
            let times = asked(place, &mark);
            assert!(times.fits(outcome.attempt), "{mark}: {times:?} {outcome:?}");
        }
    }
    eprintln!("{figures:?}");
}
