//! Prompts are answered, and what a result says of how often its turn was begun.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use claw_testkit::Block;
use claw_testkit::api::{Answer, ApiRequest, Rule, Scenario};
use serde_json::json;

use crate::place::{Place, Worker, number};
use crate::processes::watch;

pub(crate) const SESSION: &str = "4f6e1c3a-0000-4000-8000-000000000001";

/// The first answer never comes, the others do.
pub(crate) fn hangs_once() -> Scenario {
    let hangs = Answer::message([Block::text("Never.").hold(0, "never")]);
    let answers = Answer::message([Block::text("Done.")]);
    Scenario::new(
        "hangs-once",
        [Rule::new(hangs).times(1), Rule::new(answers)],
    )
}

/// The first answer waits at a gate.
pub(crate) fn waits() -> Scenario {
    Scenario::always([Block::text("Done.").hold(0, "go")])
}

/// What the steps of turns took that a worker has run, in milliseconds.
fn steps(worker: &Worker) -> Vec<u64> {
    let text = worker.text();
    let ended = text
        .lines()
        .filter(|line| line.contains("a turn has ended"));
    let step = |line: &str| {
        line.split_once("elapsed_ms=")
            .unwrap()
            .1
            .trim()
            .parse()
            .unwrap()
    };
    ended.map(step).collect()
}

#[tokio::test]
async fn a_prompt_is_answered_and_the_next_one_goes_on() {
    let place = Place::new(Scenario::always([Block::text("Yes.")])).await;
    let worker = place.worker();
    place.restate.register(worker.address).await;
    let first = place.prompt(SESSION, "The word is plum.").await;
    assert_eq!(first.text, "Yes.");
    assert_eq!((first.attempt, first.is_repeated), (1, false));
    assert_eq!(first.session_id.as_str(), SESSION);
    let began = Instant::now();
    let second = place.prompt(SESSION, "Which word?").await;
    let (all, steps) = (began.elapsed().as_millis(), steps(&worker));
    eprintln!("a prompt took {all} ms, its step {} ms of these", steps[1]);
    assert!(second.epoch > first.epoch, "{second:?}");
    let requests = place.api.requests();
    let last = requests.iter().rfind(|it| it.is_message()).unwrap();
    let text = last.body["messages"].to_string();
    assert!(
        text.contains("plum") && text.contains("Which word?"),
        "{text}"
    );

    let (status, answer) = place.call(SESSION, "status", &[], &json!(null)).await;
    assert_eq!((status, answer), (200, json!({"isStored": true})));
    let (status, answer) = place
        .call("no-uuid", "prompt", &[], &json!({"prompt": "x"}))
        .await;
    assert_eq!(status, 400, "{answer}");
    let (status, answer) = place
        .call(SESSION, "prompt", &[], &json!({"text": "x"}))
        .await;
    assert_eq!(status, 400, "{answer}");
}

#[tokio::test]
async fn a_result_with_an_idempotency_key_is_computed_once() {
    let place = Place::new(waits()).await;
    let worker = place.worker();
    place.restate.register(worker.address).await;
    let body = json!({"prompt": "x"});
    let ask = || place.call(SESSION, "prompt", &[("idempotency-key", "k")], &body);
    let answers = async { tokio::join!(ask(), ask()) };
    let open = async {
        place.api.received(ApiRequest::is_message).await;
        place.api.gates().open("go");
    };
    let ((one, two), ()) = tokio::join!(answers, open);
    let later = ask().await;
    assert_eq!(one.0, 200, "{one:?}");
    assert!(one == two && one == later, "{one:?} {two:?} {later:?}");
    let asked = place.api.requests();
    assert_eq!(asked.iter().filter(|it| it.is_message()).count(), 1);
}

fn id_of(session: usize) -> String {
    format!("4f6e1c3a-0000-4000-8000-{session:012}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sessions_run_one_turn_at_a_time_each() {
    let sessions = number("CLAW_TEST_RESTATE_SESSIONS", 6);
    let prompts = number("CLAW_TEST_RESTATE_PROMPTS", 2);
    let place = Place::on_postgres(Scenario::always([Block::text("Yes.")])).await;
    // The default. A busy machine delays the renewal of a claim for seconds.
    let (workers, _proxy) = place.three(&["--ttl", "15"]).await;
    let ends = Arc::new(AtomicBool::new(false));
    let watched = watch(place.folder.path(), &ends);
    let began = Instant::now();
    // All at once: Restate keeps the order within a session.
    let place = &place;
    let asked = (0..sessions).flat_map(|session| {
        (0..prompts).map(move |prompt| async move {
            let id = id_of(session);
            let began = Instant::now();
            let outcome = place
                .prompt(&id, &format!("prompt-{session}-{prompt}-end"))
                .await;
            (session, outcome, began.elapsed())
        })
    });
    let answers = futures::future::join_all(asked).await;
    let elapsed = began.elapsed();
    ends.store(true, Relaxed);
    let seen = watched.join().unwrap();
    assert!(
        seen.doubles.is_empty(),
        "two processes of one session at once: {:?}",
        seen.doubles
    );
    let asked: BTreeSet<_> = (0..sessions).map(id_of).collect();
    assert!(
        seen.sessions == asked,
        "in {} looks, others had a process: {:?}; no process was seen of {:?}",
        seen.looks,
        seen.sessions.difference(&asked).collect::<Vec<_>>(),
        asked.difference(&seen.sessions).collect::<Vec<_>>()
    );
    let mut epochs = vec![Vec::new(); sessions];
    for (session, outcome, _) in &answers {
        assert_eq!(
            (&*outcome.text, outcome.attempt),
            ("Yes.", 1),
            "{outcome:?}"
        );
        epochs[*session].push(outcome.epoch);
    }
    for (session, epochs) in epochs.iter_mut().enumerate() {
        epochs.sort_unstable();
        epochs.dedup();
        assert_eq!(epochs.len(), prompts, "session {session}");
    }
    // Each prompt once, and every answer but the last in the conversation of the next one: no two turns ran at once.
    let requests = place.api.requests();
    let messages: Vec<_> = requests.iter().filter(|it| it.is_message()).collect();
    assert_eq!(messages.len(), sessions * prompts);
    for session in 0..sessions {
        let mine: Vec<_> = messages
            .iter()
            .map(|it| it.body["messages"].to_string())
            .filter(|text| text.contains(&format!("prompt-{session}-")))
            .collect();
        let mut answered: Vec<_> = mine
            .iter()
            .map(|text| text.matches("\"Yes.\"").count())
            .collect();
        answered.sort_unstable();
        assert_eq!(
            answered,
            (0..prompts).collect::<Vec<_>>(),
            "session {session}"
        );
    }
    // What a turn takes besides its step: Restate, the proxy, the network. Turns that wait for others are longer.
    let mut steps: Vec<_> = workers.iter().flat_map(steps).collect();
    steps.sort_unstable();
    let mut all: Vec<_> = answers
        .iter()
        .map(|(_, _, elapsed)| elapsed.as_millis())
        .collect();
    all.sort_unstable();
    eprintln!(
        "median of the steps {} ms, of the calls {} ms",
        steps[steps.len() / 2],
        all[all.len() / 2]
    );
    let shares: Vec<_> = workers
        .iter()
        .map(|it| it.text().matches("a turn has ended").count())
        .collect();
    eprintln!(
        "{} turns in {elapsed:.1?}, by worker: {shares:?}; the processes were looked at {} times",
        sessions * prompts,
        seen.looks
    );
}
