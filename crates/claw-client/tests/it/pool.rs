//! Many sessions on few processes: the scripted agent as a process.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use claw_client::pool::{Pool, PooledSession};
use claw_client::types::QueryOptions;
use claw_client::types::control::{SetModel, SetPermissionMode};
use claw_client::{Session, TurnEvent};
use claw_testkit::Gates;
use claw_testkit::agent::{Script, Step};
use futures::{FutureExt, StreamExt, future};
use serde_json::json;

use crate::agent::{Agent, Pipe, builder, soon};
use crate::proc::{children, come_true, kill, marked, peak_memory};
use crate::process::options;
use crate::turns::result;

/// Answers every prompt with the prompt.
pub(crate) fn echoes() -> Script {
    let Step::Line(mut line) = result(&json!(["$prompt_uuid"])) else {
        unreachable!("it is a line")
    };
    line["result"] = json!("$prompt");
    Script::new([Step::Turns(vec![Step::Line(line), Step::LoseResult])])
}

/// Options of an agent that resumes whatever it is told to: it keeps nothing.
pub(crate) fn any_session(folder: &Path, script: &Script, mark: &str) -> QueryOptions {
    let options = options(folder, script);
    let mut env = options.env.clone().unwrap();
    env.insert("CLAW_TEST_MARK", Some(mark.to_owned()));
    options.env(env)
}

/// A session that is resumed without a file on disk.
fn session(pool: &Pool, options: QueryOptions) -> PooledSession {
    pool.session_builder(options, Session::builder)
        .source(Forgetful)
        .open()
}

/// Has each process begin anew: the scripted agent keeps no conversation.
struct Forgetful;

impl claw_client::pool::ResumeSource for Forgetful {
    fn resume(
        &self,
        session: &claw_client::SessionId,
        options: QueryOptions,
    ) -> future::BoxFuture<'_, Result<QueryOptions, claw_client::Error>> {
        future::ready(Ok(options.session_id(session.clone()))).boxed()
    }
}

/// Looks at the processes with this mark, again and again, and gives the most that it saw.
struct Watched {
    most: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
    watcher: std::thread::JoinHandle<()>,
}

/// How many processes have this mark. On Windows: how many children there are, because wine may wait for ever for the
/// environment of a process that is just starting.
fn running(mark: &str) -> usize {
    if cfg!(windows) {
        children().len()
    } else {
        marked(mark).len()
    }
}

impl Watched {
    fn start(mark: &str) -> Self {
        let (most, over) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let (seen, stop, mark) = (most.clone(), over.clone(), format!("CLAW_TEST_MARK={mark}"));
        let watcher = std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                seen.fetch_max(running(&mark), Ordering::Relaxed);
            }
        });
        Self {
            most,
            over,
            watcher,
        }
    }

    fn most(self) -> usize {
        self.over.store(true, Ordering::Relaxed);
        self.watcher.join().unwrap();
        self.most.load(Ordering::Relaxed)
    }
}

/// How much is asked of a pool: `CLAW_TEST_POOL=500,20,8` for the full load.
struct Load {
    sessions: usize,
    turns: usize,
    processes: usize,
}

impl Load {
    fn of_environment() -> Self {
        let load = std::env::var("CLAW_TEST_POOL").unwrap_or("40,5,4".to_owned());
        let numbers: Vec<_> = load
            .split(',')
            .map(|number| number.parse().unwrap())
            .collect();
        let [sessions, turns, processes] = numbers[..] else {
            panic!("CLAW_TEST_POOL is sessions,turns,processes and not {load}")
        };
        Self {
            sessions,
            turns,
            processes,
        }
    }
}

/// Patience for a queue of a thousand turns.
async fn some_day<T>(future: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(Duration::from_mins(20), future).await;
    waited.expect("it takes too long")
}

#[test]
fn every_turn_is_answered_once_and_in_order_and_processes_stay_few() {
    let name = "pool::every_turn_is_answered_once_and_in_order_and_processes_stay_few";
    if claw_testkit::alone(name) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().build().unwrap().block_on(many_turns());
    }
}

async fn many_turns() {
    let Load {
        sessions: count,
        turns,
        processes,
    } = Load::of_environment();
    let folder = tempfile::tempdir().unwrap();
    let options = any_session(folder.path(), &echoes(), "pool-many");
    let pool = Pool::builder()
        .processes(processes)
        .starts(processes)
        .build();
    let watched = Watched::start("pool-many");
    let begun = std::time::Instant::now();
    let sessions = (0..count).map(|number| {
        let session = session(&pool, options.clone());
        async move {
            let (mut waits, mut ended) = (Vec::new(), Vec::new());
            for turn in 0..turns {
                let prompt = format!("{number}.{turn}");
                let asked = std::time::Instant::now();
                assert_eq!(some_day(session.ask(&*prompt)).await.unwrap(), prompt);
                waits.push(asked.elapsed());
                ended.push(begun.elapsed());
            }
            (session, waits, ended)
        }
    });
    let all = future::join_all(sessions).await;
    let stats = pool.stats();
    let waits: Vec<_> = all.iter().flat_map(|(_, waits, _)| waits).collect();
    let longest = waits.iter().max().unwrap();
    let mean = waits.iter().copied().sum::<Duration>() / u32::try_from(waits.len()).unwrap();
    println!(
        "{count} sessions, {turns} turns, {processes} processes: {:?}, mean {mean:?}, longest {longest:?}",
        begun.elapsed()
    );
    println!("{stats:?}, {} KiB", peak_memory());
    assert!(watched.most() <= processes);
    // All get on alike: when the first one is done, nobody has more than two turns left.
    let done = all.iter().filter_map(|(_, _, ended)| ended.last()).min();
    for (_, _, ended) in &all {
        let so_far = ended.iter().filter(|time| Some(*time) <= done).count();
        assert!(so_far + 2 >= turns, "{so_far} of {turns}: {ended:?}");
    }
    // Nobody starves.
    assert!(**longest < 5 * mean, "mean {mean:?}, longest {longest:?}");
    assert_eq!(
        (stats.sessions, stats.waiting, stats.refused),
        (count, 0, 0),
        "{stats:?}"
    );
    assert!(stats.running + stats.ending <= processes, "{stats:?}");
    assert!(
        stats.starts >= count as u64 && stats.failed_starts == 0,
        "{stats:?}"
    );
    drop(all);
    come_true("the end of all processes", || {
        marked("CLAW_TEST_MARK=pool-many").is_empty()
    })
    .await;
    come_true("the pool's knowledge of it", || pool.stats().sessions == 0).await;
}

#[tokio::test]
async fn a_process_ends_on_demand_once_nobody_uses_it_and_the_session_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let script = Script::new([
        Step::Turn(vec![Step::gate("half")]),
        Step::expect_request("end_session"),
        Step::gate("written"),
        Step::Exit(0),
    ]);
    let mut options = any_session(folder.path(), &script, "pool-end");
    let place = folder.path().display().to_string();
    let env = options.env.get_or_insert_default();
    env.insert("CLAW_AGENT_GATES", Some(place));
    let gates = Gates::in_folder(folder.path());
    let pool = Pool::builder().build();
    let session = session(&pool, options);
    // Without a process there is nothing to end.
    session.end_process().now_or_never().unwrap();
    let turn = soon(session.send("First")).await.unwrap();
    soon(gates.reached("half")).await;
    let mut ends = session.end_process().boxed();
    assert!(futures::poll!(&mut ends).is_pending());
    assert!(session.is_live());
    gates.open("half");
    soon(turn.result()).await.unwrap();
    // It is told to end by the call, and its end is waited for.
    soon(gates.reached("written")).await;
    assert!(futures::poll!(&mut ends).is_pending());
    let mut all = pool.wait_for_endings().boxed();
    assert!(futures::poll!(&mut all).is_pending());
    gates.open("written");
    soon(ends).await;
    soon(all).await;
    assert!(marked("CLAW_TEST_MARK=pool-end").is_empty());
    soon(session.ask("Second")).await.unwrap();
    assert_eq!(pool.stats().starts, 2);
}

#[tokio::test]
async fn the_end_of_a_session_that_was_dropped_while_it_started_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let script = Script::new([
        Step::expect_initialize(),
        Step::gate("starts"),
        Step::Initialized,
    ]);
    let mut options = any_session(folder.path(), &script, "pool-dropped");
    let place = folder.path().display().to_string();
    let env = options.env.get_or_insert_default();
    env.insert("CLAW_AGENT_GATES", Some(place));
    let gates = Gates::in_folder(folder.path());
    let pool = Pool::builder().build();
    let session = session(&pool, options);
    let mut ask = session.ask("Never sent").boxed();
    assert!(futures::poll!(&mut ask).is_pending());
    soon(gates.reached("starts")).await;
    // It has a handle, so it is not about to end.
    pool.wait_for_endings().now_or_never().unwrap();
    drop((ask, session));
    let mut ended = pool.wait_for_endings().boxed();
    assert!(futures::poll!(&mut ended).is_pending());
    gates.open("starts");
    soon(ended).await;
    assert!(marked("CLAW_TEST_MARK=pool-dropped").is_empty());
    assert_eq!(pool.stats().sessions, 0);
}

/// The runtime of this test has one thread.
#[tokio::test]
async fn a_turn_does_not_wait_while_the_host_does_not_run() {
    const WAIT: Duration = Duration::from_secs(2);
    let folder = tempfile::tempdir().unwrap();
    let gates = Gates::in_folder(folder.path());
    let works = Script::new([
        Step::expect_prompt(),
        Step::gate("works"),
        result(&json!(null)),
    ]);
    let mut slow = any_session(folder.path(), &works, "pool-stopped");
    let place = folder.path().display().to_string();
    slow.env
        .get_or_insert_default()
        .insert("CLAW_AGENT_GATES", Some(place));
    let pool = Pool::builder().processes(1).wait(WAIT).build();
    let first = session(&pool, slow);
    let turn = soon(first.send("Work")).await.unwrap();
    soon(gates.reached("works")).await;
    let other = tempfile::tempdir().unwrap();
    let second = session(&pool, any_session(other.path(), &echoes(), "pool-stopped"));
    let waits = tokio::spawn(async move { second.ask("Next").await });
    let result = tokio::spawn(turn.result());
    while pool.stats().waiting == 0 {
        tokio::task::yield_now().await;
    }
    // The place becomes free meanwhile.
    gates.open("works");
    std::thread::sleep(2 * WAIT);
    soon(result).await.unwrap().unwrap();
    assert_eq!(soon(waits).await.unwrap().unwrap(), "Next");
    assert_eq!(pool.stats().refused, 0);
}

#[tokio::test]
async fn a_full_queue_refuses_and_a_turn_that_waits_too_long_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let slow = Script::new([Step::Turn(vec![Step::Hang])]);
    let options = any_session(folder.path(), &slow, "pool-full");
    let pool = Pool::builder()
        .processes(1)
        .queue(1)
        .wait(Duration::from_millis(300))
        .build();
    let busy = session(&pool, options.clone());
    let turn = soon(busy.send("Hang")).await.unwrap();
    let (first, second) = (
        session(&pool, options.clone()),
        session(&pool, options.clone()),
    );
    let mut waits = first.ask("Wait").boxed();
    assert!(futures::poll!(&mut waits).is_pending());
    let full = soon(second.ask("No room")).await.unwrap_err();
    assert!(
        full.is_busy() && full.to_string().contains("1 turns wait"),
        "{full}"
    );
    let late = soon(waits).await.unwrap_err();
    assert!(
        late.is_busy() && late.to_string().contains("within 300ms"),
        "{late}"
    );
    assert_eq!(pool.stats().refused, 2);
    // The place is free again for whoever asks next.
    let again = second.ask("Again").boxed();
    drop(turn);
    let late = soon(again).await.unwrap_err();
    assert!(
        late.is_busy(),
        "the process still works on its turn: {late}"
    );
}

#[tokio::test]
async fn a_process_that_is_killed_in_mid_turn_fails_that_turn_alone() {
    let folder = tempfile::tempdir().unwrap();
    let script = Script::new([Step::Turn(vec![
        Step::Line(json!({"type": "keep_alive"})),
        Step::Hang,
    ])]);
    let hanging = any_session(folder.path(), &script, "pool-killed");
    let echoing = tempfile::tempdir().unwrap();
    let echoing = any_session(echoing.path(), &echoes(), "pool-killed");
    let pool = Pool::builder().processes(1).build();
    // Its first process hangs, those after it answer.
    let starts = AtomicUsize::new(0);
    let session = pool
        .session_builder(QueryOptions::default(), move |options| {
            let which = if starts.fetch_add(1, Ordering::Relaxed) == 0 {
                &hanging
            } else {
                &echoing
            };
            let mut which = which.clone();
            which.session_id = options.session_id;
            Session::builder(which)
        })
        .source(Forgetful)
        .open();
    let turn = soon(session.send("Hang")).await.unwrap();
    let [pid] = marked("CLAW_TEST_MARK=pool-killed")[..] else {
        panic!("there is one process")
    };
    kill(pid);
    let error = soon(turn.result()).await.unwrap_err();
    assert!(error.is_exited(), "{error}");
    assert_eq!(
        soon(session.ask("Still there?")).await.unwrap(),
        "Still there?"
    );
    assert_eq!(pool.stats().crashes, 1);
    // The program's own kill is no crash; the next one is.
    for (is_expected, crashes) in [(true, 1), (false, 2)] {
        let process = soon(session.process()).await.unwrap();
        if is_expected {
            session.expect_end();
        }
        process.session().process().kill();
        drop(process);
        let ended = async {
            while session.is_live() {
                tokio::task::yield_now().await;
            }
        };
        soon(ended).await;
        assert_eq!(soon(session.ask("Now?")).await.unwrap(), "Now?");
        assert_eq!(pool.stats().crashes, crashes);
    }
}

#[tokio::test]
async fn a_turn_that_nobody_hears_keeps_its_process_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let pool = Pool::builder().processes(1).build();
    let mut script = echoes();
    script.steps.insert(
        0,
        Step::Turn(vec![
            Step::gate("half"),
            Step::message([claw_testkit::Block::text("Late")]),
        ]),
    );
    // In this process, so that its gates can be opened.
    let (pipe, agent) = Agent::start(script);
    let pipe = std::sync::Mutex::new(Some(pipe));
    let first = pool
        .session_builder(QueryOptions::default(), move |_| {
            let pipe: Pipe = pipe.lock().unwrap().take().expect("it is started once");
            builder().transport(pipe)
        })
        .open();
    drop(soon(first.send("Unheard")).await.unwrap());
    soon(agent.gates.reached("half")).await;
    let second = session(&pool, any_session(folder.path(), &echoes(), "pool-unheard"));
    let mut waits = second.ask("Me").boxed();
    assert!(futures::poll!(&mut waits).is_pending());
    assert_eq!((pool.stats().waiting, pool.stats().evictions), (1, 0));
    agent.gates.open("half");
    assert_eq!(soon(waits).await.unwrap(), "Me");
    assert_eq!(pool.stats().evictions, 1);
    assert!(!first.is_live() && second.is_live());
}

#[tokio::test]
async fn a_turn_that_takes_too_long_is_interrupted_and_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let pool = Pool::builder().processes(1).build();
    let mut script = echoes();
    let never = Step::Turn(vec![Step::gate("never")]);
    script.steps.insert(0, never);
    let slow = session(&pool, any_session(folder.path(), &script, "pool-too-long"));
    let mut turn = soon(slow.send("Slow")).await.unwrap();
    let late = tokio::time::timeout(Duration::from_millis(300), turn.last()).await;
    assert!(late.is_err());
    soon(turn.interrupt().expect("the turn runs"))
        .await
        .unwrap();
    assert!(soon(turn.last()).await.unwrap().interrupted());
    assert!(turn.interrupt().is_none());
    assert!(soon(turn.last()).await.unwrap_err().is_result_lost());
    assert_eq!(soon(slow.ask("Quick")).await.unwrap(), "Quick");
}

#[tokio::test]
async fn a_start_that_fails_or_panics_fails_its_turns_and_frees_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let pool = Pool::builder().processes(1).build();
    let missing = QueryOptions::default().path_to_claude_code_executable("/no/such/claude");
    let none = pool.session(missing, Session::builder);
    assert!(soon(none.ask("Hi")).await.unwrap_err().is_not_found());
    let panics = pool.session(QueryOptions::default(), |_| panic!("no builder"));
    assert!(soon(panics.ask("Hi")).await.unwrap_err().is_closed());
    assert_eq!(pool.stats().failed_starts, 2);
    let works = session(&pool, any_session(folder.path(), &echoes(), "pool-failed"));
    assert_eq!(soon(works.ask("Hi")).await.unwrap(), "Hi");
}

#[tokio::test]
async fn changes_are_made_again_in_each_process() {
    let folder = tempfile::tempdir().unwrap();
    let pool = Pool::builder().processes(1).build();
    // The agent refuses every other change.
    let script = Script::new([
        Step::expect_request("set_model"),
        Step::Reply(json!({"model": "next"})),
        echoes().steps.remove(0),
    ]);
    let changed = session(&pool, any_session(folder.path(), &script, "pool-changed"));
    assert!(
        soon(changed.change(SetModel::new().model("first")))
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        soon(changed.change(SetModel::new().model("next")))
            .await
            .unwrap()
            .is_none()
    );
    // An agent to which it was not said would refuse to go on.
    assert_eq!(soon(changed.ask("1")).await.unwrap(), "1");
    let folder = tempfile::tempdir().unwrap();
    let other = session(&pool, any_session(folder.path(), &echoes(), "pool-changed"));
    assert_eq!(soon(other.ask("2")).await.unwrap(), "2");
    assert_eq!(soon(changed.ask("3")).await.unwrap(), "3");
    let refused = soon(other.change(SetModel::new().model("x"))).await;
    // Without a process nothing can be refused; it is at the next start.
    assert!(refused.unwrap().is_none());
    assert!(soon(other.ask("4")).await.unwrap_err().is_refused());
}

/// Where it was only kept, the process on its way would go on in its old mode.
#[tokio::test]
async fn a_change_reaches_a_process_that_is_being_started() {
    let pool = Pool::builder().processes(1).build();
    let mut script = echoes();
    let before = [
        Step::expect_request("initialize"),
        Step::gate("start"),
        Step::Initialized,
        Step::expect_request("set_permission_mode"),
        Step::Reply(json!({"mode": "plan"})),
    ];
    script.steps.splice(0..0, before);
    let (pipe, agent) = Agent::start(script);
    let pipe = std::sync::Mutex::new(Some(pipe));
    let session = pool.session(QueryOptions::default(), move |_| {
        let pipe: Pipe = pipe.lock().unwrap().take().expect("it is started once");
        builder().transport(pipe)
    });
    let mut asked = session.ask("Hi").boxed();
    assert!(futures::poll!(&mut asked).is_pending());
    soon(agent.gates.reached("start")).await;
    let mut changed = session.change(SetPermissionMode::new("plan")).boxed();
    assert!(futures::poll!(&mut changed).is_pending());
    agent.gates.open("start");
    assert!(soon(changed).await.unwrap().is_some());
    assert_eq!(soon(asked).await.unwrap(), "Hi");
}

#[tokio::test]
async fn a_turn_has_events_and_its_place_is_free_behind_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let pool = Pool::builder().processes(1).build();
    let session = session(
        &pool,
        any_session(folder.path(), &Script::reply("Four."), "pool-events"),
    );
    let mut events = soon(session.send("2 + 2?")).await.unwrap().events();
    let mut text = String::new();
    while let Some(event) = soon(events.next()).await {
        if let TurnEvent::Text(piece) = event.unwrap() {
            text += &piece;
        }
    }
    assert_eq!(text, "Four.");
    assert_eq!((pool.stats().running, pool.stats().idle), (1, 1));
    drop(events);

    let mut turn = soon(session.send("And now?")).await.unwrap();
    let mut last = None;
    while let Some(frame) = soon(turn.next_frame()).await {
        let frame = frame.unwrap().into_frame().unwrap();
        last = Some(frame.raw().unwrap().to_vec());
    }
    let last: serde_json::Value = serde_json::from_slice(&last.unwrap()).unwrap();
    assert_eq!(
        (&last["type"], &last["result"]),
        (&json!("result"), &json!("Four."))
    );
    assert!(soon(turn.next_frame()).await.is_none() && turn.session().is_none());
}

/// The memory of processes is read on Linux alone.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn above_the_memory_limit_idle_processes_end() {
    let folder = tempfile::tempdir().unwrap();
    let options = any_session(folder.path(), &echoes(), "pool-memory");
    // Less than two processes take.
    let pool = Pool::builder().processes(4).memory(1 << 20).build();
    let sessions: Vec<_> = (0..3).map(|_| session(&pool, options.clone())).collect();
    for session in &sessions {
        assert_eq!(soon(session.ask("Hi")).await.unwrap(), "Hi");
        assert!(marked("CLAW_TEST_MARK=pool-memory").len() <= 1);
    }
    come_true("a measurement", || pool.stats().memory > 0).await;
    let wide = Pool::builder().processes(4).memory(1 << 40).build();
    let sessions: Vec<_> = (0..3).map(|_| session(&wide, options.clone())).collect();
    for session in &sessions {
        soon(session.ask("Hi")).await.unwrap();
    }
    assert_eq!(wide.stats().running, 3);
}
