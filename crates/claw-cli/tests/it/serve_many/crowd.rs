//! Many sessions at once, on several hosts, on one, and on hosts without a store: what a host does in a minute, and what it
//! needs for that.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use claw_testkit::Block;
use claw_testkit::api::Scenario;
use claw_testkit::processes::session;
use serde_json::json;

use super::faults::{all_answered_once, prompt};
use super::{Host, Place, balanced, is_timely, mark, number, processes, settled_within, text};

/// How often all processes are looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How often their memory is measured, which the system takes long for.
const MEASURE: Duration = Duration::from_secs(2);
/// How many processes a host has.
const PROCESSES: usize = 4;
/// How long a session keeps its process at the most while others wait for one.
const TENURE: Duration = Duration::from_mins(1);
/// How many turns a session may be ahead of another one of its host, while both have prompts and wait for a process.
const LEAD: usize = 2;

/// What a process has in RAM, in KiB: a page that several processes have counts for each in part.
fn memory(process: &str) -> Option<usize> {
    let rollup = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// What was seen of the processes of all hosts.
#[derive(Default)]
struct Seen {
    looks: usize,
    /// The sessions that had two processes at once.
    doubles: BTreeSet<String>,
    /// The most processes of the CLI that there were at once.
    most: usize,
    /// What processes of the CLI had in RAM, in KiB.
    memory: Vec<usize>,
}

/// Looks at the processes of all hosts, again and again.
fn watch(place: &Place, ends: &Arc<AtomicBool>) -> JoinHandle<Seen> {
    let (folder, ends) = (place.folder.path().to_owned(), ends.clone());
    spawn(move || {
        let mut seen = Seen::default();
        let mut measured = Instant::now();
        while !ends.load(Relaxed) {
            let all: BTreeMap<_, _> = processes(&folder)
                .into_iter()
                .filter_map(|process| Some((process.clone(), session(process.parse().ok()?)?)))
                .collect();
            let mut sessions = BTreeSet::new();
            for session in all.values() {
                if !sessions.insert(session) {
                    seen.doubles.insert(session.clone());
                }
            }
            seen.looks += 1;
            seen.most = seen.most.max(all.len());
            if measured.elapsed() > MEASURE {
                seen.memory.extend(all.keys().filter_map(|it| memory(it)));
                measured = Instant::now();
            }
            sleep(LOOK);
        }
        seen
    })
}

/// The sum of what a host counts under a name.
pub(super) fn metric(host: &Host, name: &str) -> usize {
    let text = text(&host.address, "GET /metrics").unwrap();
    let lines = text.lines().filter(|line| {
        let rest = line.strip_prefix(name).unwrap_or_default();
        rest.starts_with(['{', ' '])
    });
    let values = lines.map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap());
    values.sum()
}

fn median<T: Ord + Copy>(mut of: Vec<T>) -> Option<T> {
    of.sort_unstable();
    of.get(of.len() / 2).copied()
}

/// The turns of a session.
#[derive(Default)]
struct Talk {
    /// How long each turn took, with its wait for a process.
    took: Vec<Duration>,
    /// When each was over.
    ended: Vec<Instant>,
}

/// Has a session answer its prompts, one after the other, each by another host where there is a store.
fn talk(hosts: &[String], session: usize, prompts: usize) -> Talk {
    let project = json!({"project": "shop"});
    let (status, opened) = balanced(hosts, session, "POST /api/sessions", &project);
    assert_eq!(status, 201, "{opened}");
    let id = opened["id"].as_str().unwrap();
    let mut talk = Talk::default();
    for which in 0..prompts {
        let sent = Instant::now();
        let at = session + which;
        let said = format!("Answer {}.", mark(0, session, which));
        prompt(hosts, id, at, &said);
        let by = [hosts[at % hosts.len()].clone()];
        settled_within(&by, id, Duration::from_mins(20));
        talk.took.push(sent.elapsed());
        talk.ended.push(Instant::now());
    }
    talk
}

/// How many turns the first session to be done is ahead of the one that is furthest behind.
fn lead(talks: &[&Talk]) -> usize {
    let done = talks.iter().filter_map(|talk| talk.ended.last()).min();
    let so_far = |talk: &&Talk| talk.ended.iter().filter(|at| Some(*at) <= done).count();
    let all = talks.iter().map(|talk| talk.ended.len()).max();
    all.unwrap_or_default() - talks.iter().map(so_far).min().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sessions_have_one_turn_at_a_time_each() {
    let place = Place::new(Scenario::always([Block::text("Yes.")])).await;
    let sessions = number("CLAW_TEST_MANY_CROWD", 6);
    let prompts = number("CLAW_TEST_MANY_PROMPTS", 2);
    let count = number("CLAW_TEST_MANY_HOSTS", 3);
    let has_store = number("CLAW_TEST_MANY_STORE", 1) == 1;
    let start = || {
        if has_store {
            place.host(&[])
        } else {
            place.lone_host()
        }
    };
    let hosts: Vec<_> = (0..count).map(|_| start()).collect();
    let own = |host: &Host| memory(&host.child.id().to_string()).unwrap();
    let empty: Vec<_> = hosts.iter().map(own).collect();
    let addresses: Vec<_> = hosts.iter().map(|host| host.address.clone()).collect();
    let ends = Arc::new(AtomicBool::new(false));
    let watched = watch(&place, &ends);
    let began = Instant::now();
    let clients: Vec<_> = (0..sessions)
        .map(|session| {
            // Without a store, a session is at one host.
            let hosts = if has_store {
                addresses.clone()
            } else {
                vec![addresses[session % count].clone()]
            };
            spawn(move || talk(&hosts, session, prompts))
        })
        .collect();
    let clients = clients.into_iter().map(|client| client.join().unwrap());
    let talks: Vec<_> = clients.collect();
    let all = began.elapsed();
    ends.store(true, Relaxed);
    let seen = watched.join().unwrap();
    assert!(seen.looks > 0);
    assert_eq!(
        seen.doubles,
        BTreeSet::new(),
        "two processes of one session at once"
    );
    all_answered_once(&place, &vec![prompts; sessions]);
    let mut each: Vec<_> = talks
        .iter()
        .flat_map(|it| it.took.iter().copied())
        .collect();
    each.sort_unstable();
    let mut ended: Vec<Duration> = talks.iter().map(|it| it.took.iter().sum()).collect();
    ended.sort_unstable();
    let turns = sessions * prompts;
    let where_kept = if has_store { "a store" } else { "no store" };
    eprintln!(
        "{turns} turns of {sessions} sessions on {count} hosts with {where_kept} in {all:.1?}: {} turns a minute; a \
         turn: half of them within {:.1?}, the longest {:.1?}; a session: the first after {:.1?}, the last after {:.1?}",
        turns as u128 * 60_000 / all.as_millis(),
        each[turns / 2],
        each[turns - 1],
        ended[0],
        ended[sessions - 1],
    );
    for (host, empty) in hosts.iter().zip(empty) {
        let (now, live) = (own(host), metric(host, "claw_sessions"));
        eprintln!(
            "a host: {} MiB at its start, {} MiB with {live} live sessions, {} KiB for each; processes started: {}",
            empty / 1024,
            now / 1024,
            now.saturating_sub(empty) / live.max(1),
            metric(host, r#"claw_process_events_total{event="started"}"#),
        );
    }
    eprintln!(
        "claude: {} processes at the most, half of them with no more than {} MiB; {} looks at all processes",
        seen.most,
        median(seen.memory).unwrap_or_default() / 1024,
        seen.looks,
    );
    // Nobody waits for ever while others are served.
    assert!(
        ended[sessions - 1] < 4 * ended[0] + Duration::from_secs(20),
        "{ended:?}"
    );
    // Nobody overtakes: the sessions of a host get on alike while they wait for its processes.
    for host in 0..count.min(sessions) {
        let here: Vec<_> = talks.iter().skip(host).step_by(count).collect();
        let ahead = lead(&here);
        eprintln!(
            "{} sessions on a host: the first was {ahead} turns ahead of the last",
            here.len()
        );
        assert!(here.len() <= 2 * PROCESSES || ahead <= LEAD, "{ended:?}");
    }
    let rounds = u32::try_from(sessions.div_ceil(count * PROCESSES)).unwrap();
    is_timely(each[turns - 1], rounds * TENURE);
    // A turn waits for one turn of each session before it, so none takes much longer than all do for one each.
    let round = all / u32::try_from(prompts).unwrap();
    assert!(
        each[turns - 1] < 2 * round + Duration::from_secs(5),
        "{each:?}"
    );
}
