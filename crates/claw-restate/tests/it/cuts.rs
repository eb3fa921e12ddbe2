//! Turns that are cut: by a worker that dies, hangs or ends, by Restate's server, by the network.

use std::fs;
use std::io::Write as _;
use std::time::Duration;

use claw_restate::TurnOutcome;
use claw_testkit::Block;
use claw_testkit::api::{Answer, ApiRequest, Rule, Scenario};
use hyper::Method;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::http::send;
use crate::place::{Place, Proxy, Worker, has_claim};
use crate::processes::{processes, until};
use crate::turns::{SESSION, hangs_once, waits};

/// Where the worker is that runs the turn.
async fn runner(place: &Place, workers: &[Worker]) -> usize {
    let (_, status) = place.call(SESSION, "status", &[], &Value::Null).await;
    has_claim(&status, workers).unwrap_or_else(|| panic!("{status}"))
}

/// The worker ends by itself.
pub(crate) async fn ended_well(worker: &mut Worker) {
    let mut exit = None;
    until("the worker ends", || {
        exit = worker.child.try_wait().unwrap();
        exit.is_some()
    })
    .await;
    assert!(exit.unwrap().success(), "{exit:?}: {}", worker.text());
}

/// The turn ran again, and everybody is told: the caller, and the model.
fn is_repeated(place: &Place, outcome: &TurnOutcome) {
    assert_eq!(
        (&*outcome.text, outcome.attempt, outcome.is_repeated),
        ("Done.", 2, true),
        "{outcome:?}"
    );
    assert!(outcome.epoch > 1, "{outcome:?}");
    let requests = place.api.requests();
    let last = requests.iter().rfind(|it| it.is_message()).unwrap();
    let text = last.body["messages"].to_string();
    assert!(text.contains("was begun before"), "{text}");
}

#[tokio::test]
async fn a_turn_runs_again_elsewhere_when_its_worker_is_killed() {
    let place = Place::new(hangs_once()).await;
    let (mut workers, _proxy) = place.three(&[]).await;
    let kill = async {
        place.api.received(ApiRequest::is_message).await;
        let victim = workers.swap_remove(runner(&place, &workers).await);
        victim.signal(Signal::KILL);
        victim
    };
    let (outcome, victim) = tokio::join!(place.prompt(SESSION, "Begin."), kill);
    is_repeated(&place, &outcome);
    // The CLI of the killed worker is gone, and so is the worker.
    let folder = victim.folder().to_owned();
    drop(victim);
    until("the CLI of the killed worker ends", || {
        processes(&folder).is_empty()
    })
    .await;
    assert_eq!(place.prompt(SESSION, "And now?").await.attempt, 1);
}

#[tokio::test]
async fn a_worker_that_was_suspended_writes_no_more() {
    let place = Place::on_postgres(hangs_once()).await;
    let (workers, _proxy) = place.three(&[]).await;
    let stop = async {
        place.api.received(ApiRequest::is_message).await;
        let stopped = runner(&place, &workers).await;
        workers[stopped].signal(Signal::STOP);
        stopped
    };
    let (outcome, stopped) = tokio::join!(place.prompt(SESSION, "Begin."), stop);
    is_repeated(&place, &outcome);
    let before = place.transcript(SESSION).await;
    workers[stopped].signal(Signal::CONT);
    // The answer of the first attempt comes now: its CLI is not there any more, or what it writes is not taken.
    place.api.gates().open("never");
    let folder = workers[stopped].folder();
    until("the CLI of the suspended worker ends", || {
        processes(folder).len() == 1
    })
    .await;
    // The worker is there again, and has nothing to add.
    let next = place.prompt(SESSION, "And now?").await;
    assert!(next.epoch > outcome.epoch, "{next:?}");
    let after = place.transcript(SESSION).await;
    assert!(after.starts_with(&before), "{before:?} {after:?}");
    assert!(!after.concat().contains("Never."), "{after:?}");
}

#[tokio::test]
async fn a_worker_drops_its_turn_when_the_connection_is_lost() {
    let place = Place::new(hangs_once()).await;
    let worker = place.worker();
    let proxy = Proxy::start(&place, &[&worker]).await;
    place.restate.register(proxy.address).await;
    let lose = async {
        place.api.received(ApiRequest::is_message).await;
        // As where the network is gone: the connection stays, and nobody answers.
        kill_process(Pid::from_child(&proxy.child), Signal::STOP).unwrap();
        let folder = worker.folder();
        until("the CLI ends", || processes(folder).len() == 1).await;
        assert!(worker.text().contains("a turn is cut"), "{}", worker.text());
        kill_process(Pid::from_child(&proxy.child), Signal::CONT).unwrap();
    };
    let (outcome, ()) = tokio::join!(place.prompt(SESSION, "Begin."), lose);
    is_repeated(&place, &outcome);
}

#[tokio::test]
async fn a_worker_that_ends_lets_its_turns_end() {
    let place = Place::new(waits()).await;
    let (mut workers, _proxy) = place.three(&[]).await;
    let end = async {
        place.api.received(ApiRequest::is_message).await;
        let mut ending = workers.swap_remove(runner(&place, &workers).await);
        ending.signal(Signal::TERM);
        until("it says so", || {
            ending.text().contains("the worker ends with its turns")
        })
        .await;
        // The proxy knows it by now, and leaves the turn alone.
        sleep(Duration::from_secs(4)).await;
        place.api.gates().open("go");
        ended_well(&mut ending).await;
    };
    let (outcome, ()) = tokio::join!(place.prompt(SESSION, "Begin."), end);
    assert_eq!((&*outcome.text, outcome.attempt), ("Done.", 1));
}

#[tokio::test]
async fn a_worker_that_may_not_wait_cuts_its_turns_and_gives_them_up_at_once() {
    let place = Place::new(hangs_once()).await;
    let (mut workers, _proxy) = place.three(&["--drain", "0", "--ttl", "600"]).await;
    let end = async {
        place.api.received(ApiRequest::is_message).await;
        let mut ending = workers.swap_remove(runner(&place, &workers).await);
        ending.signal(Signal::TERM);
        ended_well(&mut ending).await;
    };
    let asked = async { tokio::join!(place.prompt(SESSION, "Begin."), end) };
    let outcome = tokio::time::timeout(Duration::from_mins(1), asked).await;
    is_repeated(&place, &outcome.unwrap().0);
}

#[tokio::test]
async fn a_turn_goes_on_after_the_server_was_restarted() {
    let mut place = Place::new(hangs_once()).await;
    let worker = place.worker();
    place.restate.register(worker.address).await;
    let url = place.restate.url(SESSION, "prompt");
    let ask = move || {
        let url = url.clone();
        async move {
            let body = json!({"prompt": "Begin."});
            send(Method::POST, &url, &[("idempotency-key", "k")], &body).await
        }
    };
    let first = tokio::spawn(ask());
    place.api.received(ApiRequest::is_message).await;
    place.restate.restart(Signal::TERM).await;
    // The caller was cut off, and asks again with its key.
    let first = first.await.unwrap();
    assert!(!matches!(first, Ok((200, _))), "{first:?}");
    let (status, answer) = ask().await.unwrap();
    assert_eq!(status, 200, "{answer}");
    is_repeated(&place, &serde_json::from_value(answer).unwrap());
}

/// The server's time-outs are a second each here. Claw's own for turns are longer than any turn, so nothing is repeated;
/// without them, the same turn is.
#[tokio::test]
async fn no_time_out_repeats_a_long_turn() {
    let short = "[worker.invoker]\ninactivity-timeout = \"1s\"\nabort-timeout = \"1s\"";
    for (has_own, attempt) in [(true, 1), (false, 2)] {
        let place = Place::with(if has_own { waits() } else { hangs_once() }, short).await;
        let worker = place.worker();
        place.restate.register(worker.address).await;
        if !has_own {
            let body = json!({"inactivity_timeout": "1s", "abort_timeout": "1s"});
            place.restate.patch_service("ClaudeTurn", &body).await;
        }
        let open = async {
            place.api.received(ApiRequest::is_message).await;
            // Three times as long as the server's time-outs together.
            sleep(Duration::from_secs(6)).await;
            place.api.gates().open("go");
        };
        let (outcome, ()) = tokio::join!(place.prompt(SESSION, "Begin."), open);
        assert_eq!((&*outcome.text, outcome.attempt), ("Done.", attempt));
    }
}

/// The example of the guide: a tool that knows by the turn's invocation that it has run.
#[tokio::test]
async fn a_tool_can_run_once_in_a_turn_that_runs_twice() {
    let folder = tempfile::tempdir().unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/once.sh");
    let command = format!(
        "cd {}; ONCE_FOLDER=$PWD sh {script} charge sh -c 'echo charged; echo charged >> ledger'",
        folder.path().display()
    );
    let charges = || {
        Answer::message([Block::tool_use(
            "Bash",
            json!({"command": command, "description": "Charge"}),
        )])
    };
    let hangs = Answer::message([Block::text("Never.").hold(0, "never")]);
    let scenario = Scenario::new(
        "charges",
        [
            // The first attempt is cut behind its tool, and the second one does it again.
            Rule::new(hangs).on_tool_result("charged").times(1),
            Rule::new(charges()).on_prompt("begun before").times(1),
            Rule::new(Answer::message([Block::text("Done.")])).on_tool_result("charged"),
            Rule::new(charges()),
        ],
    );
    let place = Place::new(scenario).await;
    let (mut workers, _proxy) = place.three(&[]).await;
    let kill = async {
        let has_charged = |request: &ApiRequest| {
            request.is_message() && request.body["messages"].to_string().contains("tool_result")
        };
        place.api.received(has_charged).await;
        let victim = workers.swap_remove(runner(&place, &workers).await);
        victim.signal(Signal::KILL);
    };
    let (outcome, ()) = tokio::join!(place.prompt(SESSION, "Charge."), kill);
    is_repeated(&place, &outcome);
    assert_eq!(
        fs::read_to_string(folder.path().join("ledger")).unwrap(),
        "charged\n"
    );
}

/// What is on a worker's disk, and not in the store, stops nothing.
#[tokio::test]
async fn what_a_cut_attempt_has_left_on_a_disk_is_no_obstacle() {
    let place = Place::new(Scenario::always([Block::text("Done.")])).await;
    let (one, two) = (place.worker(), place.worker());
    place.restate.register(one.address).await;
    place.prompt(SESSION, "Begin.").await;
    // As if nothing had been stored.
    fs::remove_dir_all(place.folder.path().join("store")).unwrap();
    let outcome = place.prompt(SESSION, "Go on.").await;
    assert_eq!(&*outcome.text, "Done.");

    // The first worker has a line that was not stored, and the second one has gone on.
    place.restate.register(two.address).await;
    place.prompt(SESSION, "And on.").await;
    let projects = one.folder().join("config/projects");
    let transcript = fs::read_dir(projects)
        .unwrap()
        .flatten()
        .find_map(|folder| {
            let path = folder.path().join(format!("{SESSION}.jsonl"));
            path.is_file().then_some(path)
        });
    let mut transcript = fs::File::options()
        .append(true)
        .open(transcript.unwrap())
        .unwrap();
    let line = json!({"type": "summary", "summary": "of one host", "leafUuid": SESSION, "uuid": "4f6e1c3a-0000-4000-8000-00000000000f"});
    writeln!(transcript, "{line}").unwrap();
    place.restate.register(one.address).await;
    assert_eq!(place.prompt(SESSION, "To the end.").await.text, "Done.");
}
