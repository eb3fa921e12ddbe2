//! All workers are restarted, one after the other, while prompts come.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use claw_testkit::Block;
use claw_testkit::api::{ApiRequest, Scenario};
use rustix::process::Signal;
use tokio::time::sleep;

use crate::cuts::ended_well;
use crate::place::{Place, Worker, number};

/// How long a worker runs before the next one is restarted: the proxy asks for the health each second.
const PAUSE: Duration = Duration::from_secs(2);

/// Restarts each worker at its address.
async fn restart(place: &Place, workers: &mut [Worker]) {
    for worker in workers {
        sleep(PAUSE).await;
        worker.signal(Signal::TERM);
        ended_well(worker).await;
        place.again(worker, &[]);
    }
    sleep(PAUSE).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_are_restarted_one_after_the_other_and_no_prompt_fails() {
    let place = Place::new(Scenario::always([Block::text("Yes.")])).await;
    let (mut workers, _proxy) = place.three(&[]).await;
    let has_ended = AtomicBool::new(false);
    let (place, ended) = (&place, &has_ended);
    // Each session sends a prompt as soon as the one before is answered.
    let clients = (0..number("CLAW_TEST_RESTATE_CLIENTS", 3)).map(|session| async move {
        let id = format!("4f6e1c3a-0000-4000-8000-{session:012}");
        let mut answered = 0;
        while !ended.load(Relaxed) {
            let text = format!("prompt-{session}-{answered}-end");
            let outcome = place.prompt(&id, &text).await;
            // Not one of them was cut, either: a worker that ends lets its turns end.
            assert_eq!(
                (&*outcome.text, outcome.attempt, outcome.is_error),
                ("Yes.", 1, false),
                "{outcome:?}"
            );
            answered += 1;
        }
        answered
    });
    let restarts = async {
        restart(place, &mut workers).await;
        ended.store(true, Relaxed);
    };
    let (answered, ()) = tokio::join!(futures::future::join_all(clients), restarts);
    eprintln!("rolling restart: prompts answered {answered:?}");
    assert!(
        answered.iter().all(|answered| *answered > 0),
        "{answered:?}"
    );
    let requests = place.api.requests();
    let asked = requests.iter().filter(|it| ApiRequest::is_message(it));
    assert_eq!(asked.count(), answered.iter().sum::<usize>());
}
