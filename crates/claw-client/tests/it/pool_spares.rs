//! Processes of a pool that are started before their session is known: the scripted agent as a process.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_client::pool::{Pool, PoolStats};
use claw_client::types::QueryOptions;
use claw_client::types::control::PermissionResult;
use claw_client::{Session, SessionBuilder};
use claw_testkit::agent::{Script, Step};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::agent::soon;
use crate::pool::{any_session, echoes};
use crate::proc::{come_true, kill, marked};

fn pool(processes: usize, spares: usize, options: &QueryOptions) -> Pool {
    Pool::builder()
        .processes(processes)
        .spares(spares, options.clone(), Session::builder)
        .build()
}

async fn reaches(pool: &Pool, what: &str, is_so: impl Fn(PoolStats) -> bool) {
    come_true(what, || is_so(pool.stats())).await;
}

/// Echoes, and says which session it was started for.
fn names(folder: &Path, mark: &str) -> QueryOptions {
    any_session(folder, &echoes(), mark)
}

#[tokio::test]
async fn a_session_takes_a_spare_over_and_another_is_started() {
    let folder = tempfile::tempdir().unwrap();
    let options = names(folder.path(), "spares-taken");
    let pool = pool(4, 1, &options);
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    assert_eq!((pool.stats().running, pool.stats().starts), (0, 0));
    let [spare] = marked("CLAW_TEST_MARK=spares-taken")[..] else {
        panic!("there is one process")
    };
    let session = pool.session(options.clone(), Session::builder);
    let turn = soon(session.send("Hi")).await.unwrap();
    assert_eq!(turn.session().unwrap().process().pid(), Some(spare));
    assert_eq!(soon(turn.answer()).await.unwrap(), "Hi");
    let stats = pool.stats();
    assert_eq!((stats.claims, stats.starts, stats.fallbacks), (1, 0, 0));
    // The process was started for the session that it has now.
    let arguments = claw_testkit::processes::arguments(spare).join(" ");
    assert!(arguments.contains(session.id().as_str()), "{arguments}");
    reaches(&pool, "the next spare", |stats| stats.spares == 1).await;
    assert_eq!(marked("CLAW_TEST_MARK=spares-taken").len(), 2);
    drop((session, pool));
    come_true("the end of all processes", || {
        marked("CLAW_TEST_MARK=spares-taken").is_empty()
    })
    .await;
}

#[tokio::test]
async fn a_session_whose_id_is_named_or_asked_for_starts_cold() {
    let folder = tempfile::tempdir().unwrap();
    let options = names(folder.path(), "spares-id");
    let pool = pool(8, 1, &options);
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    let asked = pool.session(options.clone(), Session::builder);
    let id = asked.id().clone();
    assert_eq!(soon(asked.ask("1")).await.unwrap(), "1");
    assert_eq!((asked.id(), pool.stats().claims), (&id, 0));
    // With a process there is an id, and it is the spare's.
    let ready = pool.session(options.clone(), Session::builder);
    soon(ready.ready()).await.unwrap();
    assert_eq!(pool.stats().claims, 1);
    let id = ready.id().clone();
    assert_eq!(soon(ready.ask("2")).await.unwrap(), "2");
    assert_eq!(ready.id(), &id);
}

#[cfg(unix)]
#[tokio::test]
async fn a_session_with_a_launcher_takes_no_spare() {
    let folder = tempfile::tempdir().unwrap();
    let options = names(folder.path(), "spares-launcher");
    let pool = pool(4, 1, &options);
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    let starts = folder.path().join("starts");
    let session = pool.session(options, crate::process::behind(&starts));
    let turn = soon(session.send("Hi")).await.unwrap();
    assert_eq!(soon(turn.answer()).await.unwrap(), "Hi");
    assert_eq!((pool.stats().claims, pool.stats().starts), (0, 1));
    assert_eq!(std::fs::read_to_string(&starts).unwrap(), "start\n");
}

#[tokio::test]
async fn a_spare_that_dies_is_replaced_after_a_pause() {
    let folder = tempfile::tempdir().unwrap();
    let options = names(folder.path(), "spares-dead");
    let pool = pool(4, 1, &options);
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    let [spare] = marked("CLAW_TEST_MARK=spares-dead")[..] else {
        panic!("there is one process")
    };
    let died = std::time::Instant::now();
    kill(spare);
    reaches(&pool, "its end", |stats| stats.spare_failures == 1).await;
    reaches(&pool, "another one", |stats| stats.spares == 1).await;
    assert!(died.elapsed() > Duration::from_millis(900), "{died:?}");
    assert_eq!(pool.stats().spare_starts, 2);
}

#[tokio::test]
async fn a_spare_gives_its_place_to_a_session_that_needs_one() {
    let folder = tempfile::tempdir().unwrap();
    let options = names(folder.path(), "spares-room");
    let pool = pool(1, 1, &options);
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    let [spare] = marked("CLAW_TEST_MARK=spares-room")[..] else {
        panic!("there is one process")
    };
    let other = options.clone().cwd(folder.path());
    let other = pool.session(other, Session::builder);
    let turn = soon(other.send("Hi")).await.unwrap();
    let own = turn.session().unwrap().process().pid().unwrap();
    assert_eq!(marked("CLAW_TEST_MARK=spares-room"), [own]);
    assert_ne!(own, spare);
    assert_eq!(soon(turn.answer()).await.unwrap(), "Hi");
    let stats = pool.stats();
    assert_eq!(
        (
            stats.spares,
            stats.spares_given_up,
            stats.claims,
            stats.starts
        ),
        (0, 1, 0, 1)
    );
    assert_eq!((stats.evictions, stats.crashes), (0, 0));
}

/// The agent refuses to change its model. A process of the session's own is started with it.
#[tokio::test]
async fn a_session_that_is_refused_by_its_spare_starts_cold() {
    let folder = tempfile::tempdir().unwrap();
    let options = names(folder.path(), "spares-refused");
    let pool = pool(4, 1, &options);
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    let session = pool.session(options.clone().model("haiku"), Session::builder);
    assert_eq!(soon(session.ask("Hi")).await.unwrap(), "Hi");
    let stats = pool.stats();
    assert_eq!((stats.claims, stats.fallbacks, stats.starts), (0, 1, 1));
}

#[tokio::test]
async fn a_session_whose_spare_does_not_answer_starts_cold() {
    let folder = tempfile::tempdir().unwrap();
    let hangs = Script::new([
        Step::expect_request("initialize"),
        Step::Initialized,
        Step::Deaf,
    ]);
    let options = any_session(folder.path(), &hangs, "spares-deaf");
    let pool = pool(4, 1, &options);
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    // The processes to come answer.
    any_session(folder.path(), &echoes(), "spares-deaf");
    let patience = |options| Session::builder(options).initialize_timeout(Duration::from_secs(5));
    let session = pool.session(options.clone(), patience);
    assert_eq!(soon(session.ask("Hi")).await.unwrap(), "Hi");
    let stats = pool.stats();
    assert_eq!((stats.claims, stats.fallbacks, stats.starts), (0, 1, 1));
}

/// What a session may have that its spare has not.
#[tokio::test]
async fn options_that_a_claim_can_set_and_options_that_force_a_cold_start() {
    type Set = fn(QueryOptions) -> QueryOptions;
    let folder = tempfile::tempdir().unwrap();
    let options = names(folder.path(), "spares-options");
    // What the scripted agent refuses to be told, the session falls back from: it was tried.
    let told: [(&str, Set); 3] = [
        ("nothing", |options| options),
        ("title", |options| options.title("Mine")),
        ("model", |options| options.model("haiku")),
    ];
    let cold: [(&str, Set); 11] = [
        ("cwd", |options| options.cwd("/")),
        ("env", |options| {
            let mut env = options.env.clone().unwrap();
            env.insert("A", Some("b".to_owned()));
            options.env(env)
        }),
        ("system_prompt", |options| options.system_prompt("Be kind.")),
        ("allowed_tools", |options| options.allowed_tools(["Read"])),
        ("additional_directories", |options| {
            options.additional_directories(["/"])
        }),
        ("max_turns", |options| options.max_turns(3)),
        ("agents", |options| {
            let agent = claw_client::types::options::AgentDefinition::new("d", "p");
            options.agents([("a", agent)])
        }),
        ("partial messages", |options| {
            options.include_partial_messages(true)
        }),
        ("prompt_suggestions", |options| {
            options.prompt_suggestions(true)
        }),
        ("setting_sources", |options| {
            options.setting_sources(Vec::new())
        }),
        ("session_id", |options| {
            options.session_id("6f5d1c1e-0d0b-4c58-9b62-1f7d6c0f4a11")
        }),
    ];
    let tried = async |set: Set, build: fn(QueryOptions) -> SessionBuilder| {
        let pool = pool(2, 1, &options);
        reaches(&pool, "a spare", |stats| stats.spares == 1).await;
        let session = pool.session(set(options.clone()), build);
        soon(session.ready()).await.unwrap();
        pool.stats().claims + pool.stats().fallbacks == 1
    };
    for (what, set) in told {
        assert!(tried(set, Session::builder).await, "{what}");
    }
    for (what, set) in cold {
        assert!(!tried(set, Session::builder).await, "{what}");
    }
    // It is on the command line whether somebody answers permission requests.
    let asks =
        |options| Session::builder(options).can_use_tool(|_| async { PermissionResult::allow() });
    assert!(!tried(|options| options, asks).await);
}

/// The events of the pool, by their field `event`, and all that was written.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<(Vec<String>, String)>>);

impl Subscriber for Heard {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("claw_client") && *metadata.level() <= tracing::Level::DEBUG
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        event.record(&mut Fields(&mut self.0.lock().unwrap()));
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Fields<'a>(&'a mut (Vec<String>, String));

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = writeln!(self.0.1, "{field}={value:?}");
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        let _ = writeln!(self.0.1, "{field}={value}");
        if field.name() == "event" {
            self.0.0.push(value.to_owned());
        }
    }
}

#[tokio::test]
async fn every_change_of_a_process_is_an_event_and_no_event_has_a_prompt() {
    let heard = Heard::default();
    // With one subscriber alone, tracing would ask the thread that comes to an event first: another test's, perhaps.
    let _another = tracing::Dispatch::new(heard.clone());
    let _guard = tracing::subscriber::set_default(heard.clone());
    let was = |event: &str| heard.0.lock().unwrap().0.iter().any(|heard| heard == event);
    let folder = tempfile::tempdir().unwrap();
    let options = names(folder.path(), "spares-events");
    let mut secret = options.env.clone().unwrap();
    secret.insert("ANTHROPIC_API_KEY", Some("sk-ant-whisper".to_owned()));
    let options = options.env(secret);
    let pool = Pool::builder()
        .processes(1)
        .queue(0)
        .spares(1, options.clone(), Session::builder)
        .build();
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    assert!(was("spare_start") && was("spare_ready"));
    kill(marked("CLAW_TEST_MARK=spares-events")[0]);
    reaches(&pool, "its end", |stats| stats.spare_failures == 1).await;
    reaches(&pool, "another one", |stats| stats.spares == 1).await;
    come_true("its event", || was("spare_failed")).await;
    let refused = pool.session(options.clone(), Session::builder);
    assert!(soon(refused.ask("whisper")).await.unwrap_err().is_busy());
    assert!(was("refuse"));
    drop((pool, refused));

    let pool = Pool::builder()
        .processes(1)
        .spares(1, options.clone(), Session::builder)
        .build();
    reaches(&pool, "a spare", |stats| stats.spares == 1).await;
    let first = pool.session(options.clone(), Session::builder);
    assert_eq!(soon(first.ask("whisper")).await.unwrap(), "whisper");
    for event in ["spare_claim", "spare_claimed", "ready"] {
        assert!(was(event), "{event}: {:?}", heard.0.lock().unwrap().0);
    }
    let other = pool.session(options.clone().cwd("/"), Session::builder);
    assert_eq!(soon(other.ask("whisper")).await.unwrap(), "whisper");
    assert!(was("evict") && was("start"));
    come_true("the end of the first", || was("end")).await;
    let turn = soon(other.send("whisper")).await.unwrap();
    turn.session().unwrap().process().kill();
    let _ = soon(turn.result()).await;
    come_true("the crash", || was("crash")).await;

    let silent = tempfile::tempdir().unwrap();
    let script = Script::new([Step::Turn(vec![
        Step::Line(json!({"type": "keep_alive"})),
        Step::Hang,
    ])]);
    let silent = any_session(silent.path(), &script, "spares-events");
    let stalls = pool.session(silent, |options| {
        Session::builder(options).stall_timeout(Duration::from_millis(200))
    });
    assert!(soon(stalls.ask("whisper")).await.unwrap_err().is_stalled());
    come_true("the stall", || was("stall")).await;
    let text = heard.0.lock().unwrap().1.clone();
    assert!(!text.contains("whisper"), "{text}");
}
