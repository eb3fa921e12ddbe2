//! Hosts that do not run for a while, ways that are cut, a database that ends, and hosts that are restarted one after
//! the other, each with the real CLI: one host at a time writes a session, and no prompt runs twice.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule, Scenario};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::proxy::Way;
use super::{Host, PATIENCE, Place, asked, balanced, is_timely, mark, number, processes, settled};

pub(super) const SHORT: [&str; 2] = ["--claim-ttl", "2"];
pub(super) const TTL: Duration = Duration::from_secs(2);

/// The prompt `…-0-…` waits in its middle at the gate `half`; every other one is answered.
pub(super) fn scenario() -> Scenario {
    let mut held = Rule::new(Answer::message([Block::text("I think.").hold(0, "half")]));
    held.when.prompt = Some(mark(0, 0, 0));
    Scenario::new(
        "held",
        [held, Rule::new(Answer::message([Block::text("Yes.")]))],
    )
}

pub(super) fn begin(host: &Host) -> String {
    let one = [host.address.clone()];
    let (status, opened) = balanced(&one, 0, "POST /api/sessions", &json!({"project": "shop"}));
    assert_eq!(status, 201, "{opened}");
    opened["id"].as_str().unwrap().to_owned()
}

pub(super) fn prompt(hosts: &[String], id: &str, turn: usize, text: &str) {
    let request = format!("POST /api/sessions/{id}/prompts");
    let (status, answer) = balanced(hosts, turn, &request, &json!({"text": text}));
    assert_eq!(status, 202, "{answer}");
}

/// Waits for something that other processes do.
pub(super) fn until(what: &str, mut is: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(super) fn lost(host: &Host) -> u64 {
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
pub(super) fn is_followed(place: &Place, one: &Host, other: &Host, id: &str, back: impl FnOnce()) {
    let left = [other.address.clone()];
    let began = Instant::now();
    let view = settled(&left, id);
    is_timely(began.elapsed(), TTL + Duration::from_secs(6));
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

/// A way to the store that can be cut, and the store's URL by that way.
pub(super) fn way_to_store(place: &Place) -> (Way, String) {
    let url = place.store.url();
    let (_, target) = url.rsplit_once('@').unwrap();
    let (target, _) = target.split_once('/').unwrap();
    let way = Way::to(target);
    let cut = url.replace(target, &way.address.to_string());
    (way, cut)
}

/// A session whose turn is in its middle.
pub(super) async fn in_a_turn(place: &Place, host: &Host) -> String {
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
    let (way, cut) = way_to_store(&place);
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

/// Clients that send prompts to several sessions until `ends` is set. Each session gets one prompt at a time.
#[derive(Default)]
pub(super) struct Load {
    /// The addresses of the hosts to which the clients send.
    pub(super) hosts: Mutex<Vec<String>>,
    /// The IDs of the sessions.
    pub(super) ids: Mutex<Vec<String>>,
    /// The marks of the answered prompts, oldest first.
    pub(super) answered: Mutex<Vec<String>>,
    ends: AtomicBool,
}

/// What came of a session of a load.
pub(super) struct Talked {
    pub(super) id: String,
    /// How many prompts were answered.
    pub(super) sent: usize,
    /// How many turns have failed.
    pub(super) failed: usize,
}

impl Load {
    /// Clients of hosts at these addresses.
    pub(super) fn on(hosts: Vec<String>) -> Arc<Self> {
        Arc::new(Self {
            hosts: Mutex::new(hosts),
            ..Self::default()
        })
    }

    /// Starts the clients of this many sessions.
    pub(super) fn start(self: &Arc<Self>, sessions: usize) -> Vec<JoinHandle<Talked>> {
        let clients = (0..sessions).map(|session| {
            let load = self.clone();
            std::thread::spawn(move || load.talk(session))
        });
        clients.collect()
    }

    fn talk(&self, session: usize) -> Talked {
        let now = || self.hosts.lock().unwrap().clone();
        let (status, opened) = balanced(
            &now(),
            session,
            "POST /api/sessions",
            &json!({"project": "shop"}),
        );
        assert_eq!(status, 201, "{opened}");
        let mut talked = Talked {
            id: opened["id"].as_str().unwrap().to_owned(),
            sent: 0,
            failed: 0,
        };
        let id = &talked.id;
        self.ids.lock().unwrap().push(id.clone());
        while !self.ends.load(Relaxed) {
            let sent = talked.sent;
            let text = format!("Answer {}.", mark(0, session, sent));
            let mut failed = 0;
            let began = Instant::now();
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
                assert!(began.elapsed() < PATIENCE, "{text} is not answered: {view}");
            }
            self.answered.lock().unwrap().push(mark(0, session, sent));
            talked.sent += 1;
            talked.failed += failed;
        }
        talked
    }

    /// Ends the clients. No turn may have failed. Returns what came of each session.
    pub(super) fn end(&self, clients: Vec<JoinHandle<Talked>>) -> Vec<Talked> {
        self.ends.store(true, Relaxed);
        let ended = clients.into_iter().map(|client| client.join().unwrap());
        let talks: Vec<_> = ended.collect();
        let sent: Vec<_> = talks.iter().map(|talked| talked.sent).collect();
        assert!(sent.iter().all(|sent| *sent > 0), "{sent:?}");
        let failed: Vec<_> = talks.iter().map(|talked| talked.failed).collect();
        assert_eq!(failed.iter().sum::<usize>(), 0, "turns failed: {failed:?}");
        talks
    }
}

/// How many prompts of each session were answered.
fn sent(talks: &[Talked]) -> Vec<usize> {
    talks.iter().map(|talked| talked.sent).collect()
}

pub(super) fn all_answered_once(place: &Place, sent: &[usize]) {
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
    let mut hosts: Vec<_> = (0..2).map(|_| place.host(&[])).collect();
    let addresses = hosts.iter().map(|host| host.address.clone());
    let load = Load::on(addresses.collect());
    let clients = load.start(sessions);
    for (at, host) in hosts.iter_mut().enumerate() {
        std::thread::sleep(Duration::from_secs(1));
        // The new one first, as in Kubernetes; the load balancer sees that the old one is not ready.
        let new = place.host(&[]);
        load.hosts.lock().unwrap()[at] = new.address.clone();
        let mut old = std::mem::replace(host, new);
        kill_process(Pid::from_child(&old.child), Signal::TERM).unwrap();
        assert!(old.child.wait().unwrap().success());
    }
    std::thread::sleep(Duration::from_secs(1));
    let sent = sent(&load.end(clients));
    eprintln!("rolling restart: prompts answered {sent:?}");
    all_answered_once(&place, &sent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_database_is_away_under_load_and_no_prompt_fails() {
    let place = Place::new(Scenario::always([Block::text("Yes.")])).await;
    // Most turns start a process, which takes its session out of the store. No claim ends meanwhile, on any machine.
    let args = ["--processes", "1", "--claim-ttl", "120"];
    let hosts: Vec<_> = (0..2).map(|_| place.host(&args)).collect();
    let addresses: Vec<_> = hosts.iter().map(|host| host.address.clone()).collect();
    let (sessions, away) = (4, Duration::from_secs(4));
    let load = Load::on(addresses);
    let clients = load.start(sessions);
    let is_answered = || asked(&place.api).len() >= sessions;
    until("the load does not begin", is_answered);
    let restarted = place.store.kill_and_restart_after(|| {
        std::thread::sleep(away);
    });
    restarted.unwrap();
    let answered = asked(&place.api).len();
    let goes_on = || asked(&place.api).len() >= answered + sessions;
    until("the load does not go on", goes_on);
    let sent = sent(&load.end(clients));
    eprintln!("the database was away for {away:?}: prompts answered {sent:?}");
    all_answered_once(&place, &sent);
    assert_eq!(hosts.iter().map(lost).sum::<u64>(), 0, "no claim is lost");
}
