//! A pool that waits for the reset of a usage limit, with a paused clock.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use claw_client::Error;
use claw_client::pool::{Pool, PooledSession};
use claw_client::types::QueryOptions;
use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::agent::{Agent, Pipe, builder};

const HOUR: Duration = Duration::from_hours(1);

/// A turn that ends at a limit, as CLI 2.1.330 writes it.
fn limit(status: &str, reset_in: Duration) -> Step {
    let reset = SystemTime::now() + reset_in;
    let reset = reset
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let info = json!({"status": status, "resetsAt": reset, "rateLimitType": "five_hour", "isUsingOverage": false});
    Step::Turn(vec![
        Step::Line(json!({
            "type": "rate_limit_event", "rate_limit_info": info, "uuid": "$uuid", "session_id": "$session_id",
        })),
        Step::api_failure(429, "rate_limit", "You've hit your limit"),
    ])
}

fn answer() -> Step {
    Step::Turn(vec![Step::message([Block::text("Yes.")])])
}

fn session(pool: &Pool, steps: impl IntoIterator<Item = Step>) -> (PooledSession, Agent) {
    let (pipe, agent) = Agent::start(Script::new(steps));
    let pipe = Mutex::new(Some(pipe));
    let session = pool.session(QueryOptions::default(), move |_| {
        let pipe: Pipe = pipe.lock().unwrap().take().expect("it is started once");
        builder().transport(pipe)
    });
    (session, agent)
}

/// The prompts that an agent got, once its session is gone.
async fn prompts(agent: Agent) -> Vec<Value> {
    let received = agent.received().await;
    received
        .into_iter()
        .filter(|line| line["type"] == "user")
        .collect()
}

fn is_limit(answer: Result<String, Error>) {
    let error = answer.unwrap_err();
    assert!(error.is_turn_failed(), "{error}");
    assert!(
        error.to_string().contains("You've hit your limit"),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_prompt_waits_for_the_reset_and_is_sent_once_more() {
    let pool = Pool::builder().limit_wait(2 * HOUR).build();
    let (session, agent) = session(&pool, [limit("rejected", HOUR), answer()]);
    let begun = Instant::now();
    let asking = tokio::spawn(session.ask("Is it so?"));
    while pool.stats().limited == 0 {
        tokio::task::yield_now().await;
    }
    let stats = pool.stats();
    let left = stats
        .limit_reset
        .unwrap()
        .duration_since(SystemTime::now())
        .unwrap();
    assert!(left.abs_diff(HOUR) < Duration::from_mins(1), "{left:?}");
    // It keeps no process busy.
    assert_eq!((stats.limited, stats.running, stats.idle), (1, 1, 1));
    assert_eq!(asking.await.unwrap().unwrap(), "Yes.");
    let waited = begun.elapsed();
    assert!(
        waited > HOUR && waited < HOUR + Duration::from_mins(1),
        "{waited:?}"
    );
    assert_eq!((pool.stats().limited, pool.stats().limit_reset), (0, None));
    drop(session);
    let prompts = prompts(agent).await;
    assert_eq!(prompts.len(), 2);
    assert_eq!(prompts[0]["message"], prompts[1]["message"]);
    assert_ne!(prompts[0]["uuid"], prompts[1]["uuid"]);
}

/// The CLI reports a limit only once, and not for each turn that ends at it.
#[tokio::test(start_paused = true)]
async fn every_prompt_that_ends_at_the_limit_waits() {
    let pool = Pool::builder().limit_wait(2 * HOUR).build();
    let unreported = Step::api_failure(429, "rate_limit", "You've hit your limit");
    let steps = [
        limit("rejected", HOUR),
        Step::Turn(vec![unreported]),
        answer(),
        answer(),
    ];
    let (session, agent) = session(&pool, steps);
    let asks = ["Is it so?", "And this?"].map(|prompt| tokio::spawn(session.ask(prompt)));
    while pool.stats().limited < 2 {
        assert!(
            asks.iter().all(|ask| !ask.is_finished()),
            "one did not wait"
        );
        tokio::task::yield_now().await;
    }
    for ask in asks {
        assert_eq!(ask.await.unwrap().unwrap(), "Yes.");
    }
    drop(session);
    assert_eq!(prompts(agent).await.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_second_limit_fails() {
    let pool = Pool::builder().limit_wait(2 * HOUR).build();
    let steps = [
        limit("rejected", HOUR),
        limit("rejected", 2 * HOUR),
        answer(),
    ];
    let (session, agent) = session(&pool, steps);
    is_limit(session.ask("Is it so?").await);
    drop(session);
    assert_eq!(prompts(agent).await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_too_far_away_or_unknown_or_not_asked_for_fails_at_once() {
    let patient = || Pool::builder().limit_wait(HOUR / 2);
    for (pool, step) in [
        (patient(), limit("rejected", HOUR)),
        // The CLI has reported a warning and no refusal.
        (patient(), limit("allowed_warning", Duration::from_mins(1))),
        (Pool::builder(), limit("rejected", Duration::from_mins(1))),
    ] {
        let pool = pool.build();
        let (session, agent) = session(&pool, [step, answer()]);
        let begun = Instant::now();
        is_limit(session.ask("Is it so?").await);
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "{:?}",
            begun.elapsed()
        );
        drop(session);
        assert_eq!(prompts(agent).await.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn who_leaves_meanwhile_has_nothing_sent_again() {
    let pool = Pool::builder().limit_wait(2 * HOUR).build();
    let (session, agent) = session(&pool, [limit("rejected", HOUR), answer()]);
    let asking = tokio::spawn(session.ask("Is it so?"));
    while pool.stats().limited == 0 {
        tokio::task::yield_now().await;
    }
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    assert_eq!(pool.stats().limited, 0);
    tokio::time::sleep(2 * HOUR).await;
    drop(session);
    assert_eq!(prompts(agent).await.len(), 1);
}
