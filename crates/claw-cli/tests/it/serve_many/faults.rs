//! Hosts that do not run for a while, ways that are cut, a database that ends, and hosts that are restarted one after
//! the other, each with the real CLI: one host at a time writes a session, and no prompt runs twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule, Scenario};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::proxy::Way;
use super::{Host, Place, asked, balanced, mark, number, processes, settled};

const SHORT: [&str; 2] = ["--claim-ttl", "2"];
const TTL: Duration = Duration::from_secs(2);

/// The prompt `…-0-…` waits in its middle at the gate `half`; every other one is answered.
fn scenario() -> Scenario {
    let mut held = Rule::new(Answer::message([Block::text("I think.").hold(0, "half")]));
    held.when.prompt = Some(mark(0, 0, 0));
    Scenario::new(
        "held",
        [held, Rule::new(Answer::message([Block::text("Yes.")]))],
    )
}

fn begin(host: &Host) -> String {
    let one = [host.address.clone()];
    let (status, opened) = balanced(&one, 0, "POST /api/sessions", &json!({"project": "shop"}));
    assert_eq!(status, 201, "{opened}");
    opened["id"].as_str().unwrap().to_owned()
}

fn prompt(hosts: &[String], id: &str, turn: usize, text: &str) {
    let request = format!("POST /api/sessions/{id}/prompts");
    let (status, answer) = balanced(hosts, turn, &request, &json!({"text": text}));
    assert_eq!(status, 202, "{answer}");
}

/// Waits for something that other processes do.
fn until(what: &str, mut is: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn lost(host: &Host) -> u64 {
    let request = "GET /metrics";
    let text = super::text(&host.address, request).unwrap_or_default();
    let line = text
        .lines()
        .find(|line| line.starts_with(r#"claw_claim_events_total{event="lost"}"#));
    line.and_then(|line| line.rsplit(' ').next()?.parse().ok())
        .unwrap_or_default()
}

/// Another host has the session now, and goes on with it; the first one ends its process, and what it still has to
/// say is nowhere.
fn is_followed(place: &Place, one: &Host, other: &Host, id: &str, back: impl FnOnce()) {
    let left = [other.address.clone()];
    let began = Instant::now();
    let view = settled(&left, id);
    let taken_over = began.elapsed();
    assert!(taken_over < TTL + Duration::from_secs(6), "{taken_over:?}");
    assert_eq!(view["state"]["phase"], "cut", "{view}");
    prompt(&left, id, 0, &mark(0, 0, 1));
    let view = settled(&left, id);
    assert_eq!(view["state"]["phase"], "idle", "{view}");
    back();
    until("the process of the first host does not end", || {
        processes(&one.folder) == BTreeSet::from([one.child.id().to_string()])
    });
    until(
        "the first host does not know that its claim is lost",
        || lost(one) == 1,
    );
    place.api.gates().open("half");
    // Through the first host too, it is what the other one has.
    let through = [one.address.clone()];
    prompt(&through, id, 0, &mark(0, 0, 2));
    let view = settled(&through, id);
    assert!(!view.to_string().contains("I think."), "{view}");
    for which in 0..3 {
        assert_eq!(
            asked(&place.api).get(&mark(0, 0, which)),
            Some(&1),
            "{which}"
        );
    }
}

/// A session whose turn is in its middle.
async fn in_a_turn(place: &Place, host: &Host) -> String {
    let id = begin(host);
    prompt(std::slice::from_ref(&host.address), &id, 0, &mark(0, 0, 0));
    place.api.gates().reached("half").await;
    id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_was_suspended_writes_nothing_more() {
    let place = Place::new(scenario()).await;
    let (one, other) = (place.host(&SHORT), place.host(&SHORT));
    let id = in_a_turn(&place, &one).await;
    let pid = Pid::from_child(&one.child);
    kill_process(pid, Signal::STOP).unwrap();
    std::thread::sleep(2 * TTL);
    is_followed(&place, &one, &other, &id, || {
        kill_process(pid, Signal::CONT).unwrap();
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_without_a_way_to_the_store_ends_its_sessions() {
    let place = Place::new(scenario()).await;
    let url = place.store.url();
    let (_, target) = url.rsplit_once('@').unwrap();
    let (target, _) = target.split_once('/').unwrap();
    let way = Way::to(target);
    let cut = url.replace(target, &way.address.to_string());
    let (one, other) = (place.host_at(&SHORT, &cut), place.host(&SHORT));
    let id = in_a_turn(&place, &one).await;
    way.cut(true);
    is_followed(&place, &one, &other, &id, || way.cut(false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_way_to_a_host_that_is_cut_is_gone_around() {
    let place = Place::new(Scenario::always([Block::text("Yes.")])).await;
    let (one, other) = (place.host(&[]), place.host(&[]));
    let way = Way::to(&one.address);
    let hosts = [way.address.to_string(), other.address.clone()];
    let id = begin(&one);
    prompt(&hosts, &id, 0, &mark(0, 0, 0));
    way.cut(true);
    // The load balancer gives up on the host, which goes on with its sessions: the other one passes on to it.
    prompt(&hosts[1..], &id, 0, &mark(0, 0, 1));
    let view = settled(&hosts[1..], &id);
    assert_eq!(view["state"]["phase"], "idle", "{view}");
    assert_eq!(lost(&one), 0);
    for which in 0..2 {
        assert_eq!(
            asked(&place.api).get(&mark(0, 0, which)),
            Some(&1),
            "{which}"
        );
    }
}

/// Prompts of several sessions, one after the other for each, until they are told to end. How many were answered.
fn load(
    hosts: &Arc<std::sync::Mutex<Vec<String>>>,
    sessions: usize,
    ends: &Arc<AtomicBool>,
) -> Vec<std::thread::JoinHandle<usize>> {
    let sessions = (0..sessions).map(|session| {
        let (hosts, ends) = (hosts.clone(), ends.clone());
        std::thread::spawn(move || {
            let now = || hosts.lock().unwrap().clone();
            let (status, opened) = balanced(
                &now(),
                session,
                "POST /api/sessions",
                &json!({"project": "shop"}),
            );
            assert_eq!(status, 201, "{opened}");
            let id = opened["id"].as_str().unwrap();
            let mut sent = 0;
            while !ends.load(Relaxed) {
                let text = format!("Answer {}.", mark(0, session, sent));
                let mut failed = 0;
                // One prompt under one UUID, however often it takes. After a failed turn, the text is a new prompt.
                loop {
                    let uuid = format!("{session:08x}-{failed:04x}-4000-8000-{sent:012x}");
                    let request = format!("POST /api/sessions/{id}/prompts");
                    let body = json!({"text": text, "uuid": uuid});
                    let (status, answer) = balanced(&now(), session + sent, &request, &body);
                    assert!([200, 202].contains(&status), "{status}: {answer}");
                    let view = settled(&now(), id);
                    let unanswered = view["state"]["unanswered"].as_array().cloned();
                    let cut = unanswered.unwrap_or_default();
                    let cut = cut.iter().find(|cut| cut["uuid"] == *uuid);
                    match cut {
                        None if !view["state"]["error"].is_null() => failed += 1,
                        None => break,
                        Some(cut) => assert_eq!(cut["sent"], false, "a turn was cut: {view}"),
                    }
                }
                sent += 1;
            }
            sent
        })
    });
    sessions.collect()
}

fn all_answered_once(place: &Place, sent: &[usize]) {
    let asked = asked(&place.api);
    for (session, sent) in sent.iter().enumerate() {
        for which in 0..*sent {
            let times = asked.get(&mark(0, session, which));
            assert_eq!(times, Some(&1), "{session} {which}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_are_restarted_one_after_the_other_and_no_prompt_fails() {
    let place = Place::new(Scenario::always([Block::text("Yes.")])).await;
    let sessions = number("CLAW_TEST_MANY_SESSIONS", 3);
    let mut hosts: Vec<_> = (0..2).map(|_| place.host(&SHORT)).collect();
    let addresses = hosts.iter().map(|host| host.address.clone()).collect();
    let addresses = Arc::new(std::sync::Mutex::new(addresses));
    let ends = Arc::new(AtomicBool::new(false));
    let clients = load(&addresses, sessions, &ends);
    for (at, host) in hosts.iter_mut().enumerate() {
        std::thread::sleep(Duration::from_secs(1));
        // The new one first, as in Kubernetes; the load balancer sees that the old one is not ready.
        let new = place.host(&SHORT);
        addresses.lock().unwrap()[at] = new.address.clone();
        let mut old = std::mem::replace(host, new);
        kill_process(Pid::from_child(&old.child), Signal::TERM).unwrap();
        assert!(old.child.wait().unwrap().success());
    }
    std::thread::sleep(Duration::from_secs(1));
    ends.store(true, Relaxed);
    let sent: Vec<_> = clients
        .into_iter()
        .map(|client| client.join().unwrap())
        .collect();
    eprintln!("rolling restart: prompts answered {sent:?}");
    all_answered_once(&place, &sent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_is_restarted_under_load() {
    let place = Place::new(Scenario::always([Block::text("Yes.")])).await;
    let hosts: Vec<_> = (0..2).map(|_| place.host(&[])).collect();
    let addresses: Vec<_> = hosts.iter().map(|host| host.address.clone()).collect();
    let ends = Arc::new(AtomicBool::new(false));
    let clients = load(&Arc::new(std::sync::Mutex::new(addresses)), 2, &ends);
    std::thread::sleep(Duration::from_secs(1));
    place.store.kill_and_restart().unwrap();
    std::thread::sleep(Duration::from_secs(1));
    ends.store(true, Relaxed);
    let sent: Vec<_> = clients
        .into_iter()
        .map(|client| client.join().unwrap())
        .collect();
    all_answered_once(&place, &sent);
    assert_eq!(hosts.iter().map(lost).sum::<u64>(), 0, "no claim is lost");
}

/// The session that a CLI's command line names.
fn session_of(process: &str) -> Option<String> {
    let line = std::fs::read(format!("/proc/{process}/cmdline")).ok()?;
    let line = String::from_utf8_lossy(&line);
    let args: Vec<_> = line.split('\0').collect();
    let of = args.iter().find_map(|arg| {
        arg.strip_prefix("--resume=")
            .or_else(|| arg.strip_prefix("--session-id="))
    });
    let next = args
        .windows(2)
        .find(|two| ["--resume", "--session-id"].contains(&two[0]));
    of.or_else(|| next.map(|two| two[1])).map(str::to_owned)
}

/// The process that has started a process.
fn parent(process: &str) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program is in parentheses, and may have any characters.
    let (_, rest) = stat.rsplit_once(") ")?;
    rest.split(' ').nth(1).map(str::to_owned)
}

/// What the processes of all hosts say of themselves, again and again: the sessions of which there were two at once.
fn watch(
    place: &Place,
    ends: &Arc<AtomicBool>,
) -> std::thread::JoinHandle<(usize, BTreeSet<String>)> {
    let (folder, ends) = (place.folder.path().to_owned(), ends.clone());
    std::thread::spawn(move || {
        let (mut looks, mut doubles) = (0, BTreeSet::new());
        while !ends.load(Relaxed) {
            let running: BTreeMap<_, _> = processes(&folder)
                .into_iter()
                .filter_map(|process| Some((process.clone(), session_of(&process)?)))
                .collect();
            let mut seen = BTreeSet::new();
            for (process, session) in &running {
                // A process that the CLI starts is a copy of it until it becomes another program.
                let is_child =
                    parent(process).is_some_and(|parent| running.get(&parent) == Some(session));
                if !is_child && !seen.insert(session) {
                    doubles.insert(session.clone());
                }
            }
            looks += 1;
            std::thread::sleep(Duration::from_millis(20));
        }
        (looks, doubles)
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sessions_have_one_turn_at_a_time_each() {
    let place = Place::new(Scenario::always([Block::text("Yes.")])).await;
    let sessions = number("CLAW_TEST_MANY_CROWD", 6);
    let prompts = number("CLAW_TEST_MANY_PROMPTS", 2);
    let count = number("CLAW_TEST_MANY_HOSTS", 3);
    let hosts: Vec<_> = (0..count).map(|_| place.host(&[])).collect();
    let addresses: Vec<_> = hosts.iter().map(|host| host.address.clone()).collect();
    let (ends, done) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let watched = watch(&place, &ends);
    let began = Instant::now();
    let clients: Vec<_> = (0..sessions)
        .map(|session| {
            let (addresses, done) = (addresses.clone(), done.clone());
            std::thread::spawn(move || {
                let (status, opened) = balanced(
                    &addresses,
                    session,
                    "POST /api/sessions",
                    &json!({"project": "shop"}),
                );
                assert_eq!(status, 201, "{opened}");
                let id = opened["id"].as_str().unwrap();
                let mut times = Vec::new();
                for which in 0..prompts {
                    let sent = Instant::now();
                    // Each time by another way.
                    prompt(
                        &addresses,
                        id,
                        session + which,
                        &format!("Answer {}.", mark(0, session, which)),
                    );
                    super::settled_within(
                        &addresses[(session + which) % addresses.len()..][..1],
                        id,
                        Duration::from_mins(20),
                    );
                    times.push(sent.elapsed());
                    done.fetch_add(1, Relaxed);
                }
                times
            })
        })
        .collect();
    let times: Vec<Vec<_>> = clients
        .into_iter()
        .map(|client| client.join().unwrap())
        .collect();
    let all = began.elapsed();
    ends.store(true, Relaxed);
    let (looks, doubles) = watched.join().unwrap();
    assert!(looks > 0);
    assert_eq!(
        doubles,
        BTreeSet::new(),
        "two processes of one session at once"
    );
    all_answered_once(&place, &vec![prompts; sessions]);
    let mut each: Vec<_> = times.iter().flatten().copied().collect();
    each.sort_unstable();
    let mut ended: Vec<Duration> = times.iter().map(|times| times.iter().sum()).collect();
    ended.sort_unstable();
    let turns = sessions * prompts;
    eprintln!(
        "{turns} turns of {sessions} sessions on {count} hosts in {all:.1?}, one each {:.0?}; a turn: half of them within \
         {:.1?}, the longest {:.1?}; a session: the first after {:.1?}, the last after {:.1?}; {looks} looks at all processes",
        all / u32::try_from(turns).unwrap(),
        each[turns / 2],
        each[turns - 1],
        ended[0],
        ended[sessions - 1],
    );
    // Nobody waits for ever while others are served.
    assert!(
        ended[sessions - 1] < 4 * ended[0] + Duration::from_secs(20),
        "{ended:?}"
    );
}
