//! Three hosts of an older `claw` on one store are replaced one after the other by hosts of this one, while prompts run; then
//! one of them is replaced by the older `claw` again. `cargo xtask upgrade` runs this, and the gates leave it out.
//!
//! `CLAW_TEST_UPGRADE_FROM` is the path of the older `claw`. Without it, all hosts are of this one.
#![expect(clippy::print_stderr, reason = "the figures of an upgrade")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, io, slice};

use claw_store::{SessionRef, SessionStore};
use claw_testkit::Block;
use claw_testkit::api::{Answer, Rule, Scenario};
use claw_testkit::server::{Server, free_address};
use futures::TryStreamExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::faults::{Load, begin, until};
use super::kept::terminate;
use super::{Host, PATIENCE, Place, asked, balanced, claims, mark, mark_in, number, settled, text};

/// The number of processes of a host.
const PROCESSES: usize = 4;
/// The file with the log of a host, in its folder.
const LOG: &str = "log";
/// What hosts log while a host is replaced or a turn is held.
const EXPECTED: [&str; 2] = [
    "the host that has the session cannot be reached",
    "the session's process is silent",
];

/// Starts a host with the disk of this number, at this address.
fn start(place: &Place, claw: &Path, disk: usize, address: String) -> Host {
    let folder = place.path(&format!("disk-{disk}"));
    fs::create_dir_all(&folder).unwrap();
    let log = File::options()
        .create(true)
        .append(true)
        .open(folder.join(LOG))
        .unwrap();
    let store = Some(place.store.url());
    let args = ["--processes", &PROCESSES.to_string()];
    place.host_of(claw, folder, address, &args, store, |command| {
        command.stderr(log);
    })
}

/// What a host answers to a request that must succeed.
fn good(host: &Host, request: &str) -> String {
    let answer = text(&host.address, request).unwrap_or_default();
    assert!(answer.starts_with("HTTP/1.1 200"), "{request}: {answer}");
    answer
}

/// Each host lists all sessions, and finds the newest prompt.
fn list_and_search(hosts: &[Host], load: &Load) {
    let ids = load.ids.lock().unwrap().clone();
    let newest = load.answered.lock().unwrap().last().cloned().unwrap();
    let search = format!("GET /api/search?q={newest}");
    for (at, host) in hosts.iter().enumerate() {
        until(&format!("host {at} does not list all sessions"), || {
            let list = good(host, "GET /api/sessions?limit=100");
            ids.iter().all(|id| list.contains(id))
        });
        until(&format!("host {at} does not find {newest}"), || {
            let answer = good(host, &search);
            let (head, found) = answer.split_once("\r\n\r\n").unwrap();
            !head.contains("claw-missing") && found.contains(&newest)
        });
    }
}

/// No session is claimed by another host than these.
async fn only_these_claim(place: &Place, hosts: &[&Host], load: &Load) {
    let ids = load.ids.lock().unwrap().clone();
    let mut dead = claims(place, &ids).await;
    dead.retain(|_, holder| {
        let mut addresses = hosts.iter().map(|host| &host.address);
        let holder = holder.as_ref();
        holder.is_some_and(|holder| addresses.all(|address| address != holder))
    });
    assert!(dead.is_empty(), "claims of hosts that have ended: {dead:?}");
}

/// Sessions of a host that will end. The turns of all but the last one do not end and have all processes, and the prompt of
/// the last one waits. The prompt of a session is `mark(run, session, 0)`.
struct Left {
    run: usize,
    ids: Vec<String>,
}

impl Left {
    async fn at(host: &Host, place: &Place, run: usize) -> Self {
        let mut left = Self {
            run,
            ids: Vec::new(),
        };
        for session in 0..=PROCESSES {
            left.ids.push(begin(host));
            assert_eq!(left.send(host, session), 202);
            if session < PROCESSES {
                let gate = gate(run, session);
                let reached = timeout(PATIENCE, place.api.gates().reached(&gate));
                reached.await.expect("a turn that is held does not begin");
            }
        }
        left
    }

    fn uuid(&self, session: usize) -> String {
        format!("{session:08x}-0000-4000-8000-{:012x}", self.run << 32)
    }

    /// Sends the prompt of a session. Returns the status.
    fn send(&self, host: &Host, session: usize) -> u16 {
        let text = format!("Answer {}.", mark(self.run, session, 0));
        let body = json!({"text": text, "uuid": self.uuid(session)});
        let request = format!("POST /api/sessions/{}/prompts", self.ids[session]);
        balanced(slice::from_ref(&host.address), 0, &request, &body).0
    }

    /// The host has ended. Another one reads what the first one has recorded of the prompts: it does not run again those
    /// that were sent to claude, and runs the last one.
    fn goes_on_at(&self, host: &Host) {
        for session in 0..=PROCESSES {
            let was_sent = session < PROCESSES;
            let status = if was_sent { 200 } else { 202 };
            let view = settled(slice::from_ref(&host.address), &self.ids[session]);
            let expected = json!([{"uuid": self.uuid(session), "sent": was_sent}]);
            assert_eq!(view["state"]["unanswered"], expected, "{view}");
            assert_eq!(self.send(host, session), status, "{view}");
            settled(slice::from_ref(&host.address), &self.ids[session]);
        }
    }
}

/// The gate at which the turn of a session is held.
fn gate(run: usize, session: usize) -> String {
    format!("held-{run}-{session}")
}

/// For each prompt of a session: how often it is in the store, and how many answers are behind it.
async fn stored(store: &dyn SessionStore, id: &str) -> BTreeMap<String, (usize, usize)> {
    let session = SessionRef::new("shop", id).unwrap().main();
    let mut lines = store.load(&session);
    let mut found = BTreeMap::<String, (usize, BTreeSet<String>)>::new();
    let mut last = String::new();
    while let Some(line) = lines.try_next().await.unwrap() {
        let line: Value = serde_json::from_str(line.line.as_str()).unwrap();
        let message = &line["message"];
        if line["type"] == "user" {
            if let Some(mark) = mark_in(&message["content"].to_string()) {
                found.entry(mark.clone()).or_default().0 += 1;
                last = mark;
            }
        } else if line["type"] == "assistant" && message["model"] != "<synthetic>" {
            let answer = message["id"].as_str().unwrap().to_owned();
            found.entry(last.clone()).or_default().1.insert(answer);
        }
    }
    let counts = found.into_iter();
    counts
        .map(|(mark, (times, answers))| (mark, (times, answers.len())))
        .collect()
}

/// Each of these prompts of sessions is in the store once, has one answer there, and was sent to the model once.
async fn all_once(name: &str, place: &Place, sessions: &[(String, Vec<String>)]) {
    let (store, asked) = (place.open().await, asked(&place.api));
    let (mut prompts, mut once, mut wrong) = (0, [0; 3], BTreeMap::new());
    for (id, marks) in sessions {
        let stored = stored(&*store, id).await;
        for mark in marks {
            let (times, answers) = stored.get(mark).copied().unwrap_or_default();
            let counts = [times, answers, asked.get(mark).copied().unwrap_or_default()];
            prompts += 1;
            for (once, count) in once.iter_mut().zip(counts) {
                *once += usize::from(count == 1);
            }
            if counts != [1; 3] {
                wrong.insert(mark, counts);
            }
        }
    }
    let [in_store, answered, sent] = once;
    eprintln!(
        "{name}: {prompts} prompts of {} sessions: in the store once {in_store}, answered once {answered}, sent to the model \
         once {sent}",
        sessions.len(),
    );
    assert!(
        wrong.is_empty(),
        "times in the store, answered, sent to the model: {wrong:?}"
    );
}

async fn upgrade(name: &str, server: Server) {
    let mut rules = vec![Rule::new(Answer::message([Block::text("Yes.")]))];
    let held = [1, 2].map(|run| (0..PROCESSES).map(move |session| (run, session)));
    let held: Vec<_> = held.into_iter().flatten().collect();
    for &(run, session) in &held {
        let text = Block::text("I think.").hold(0, gate(run, session));
        let rule = Rule::new(Answer::message([text]));
        rules.insert(0, rule.on_prompt(mark(run, session, 0)));
    }
    let place = Place::on(server, Scenario::new("held", rules)).await;
    let new = PathBuf::from(env!("CARGO_BIN_EXE_claw"));
    let old = env::var_os("CLAW_TEST_UPGRADE_FROM").map_or_else(|| new.clone(), PathBuf::from);
    let sessions = number("CLAW_TEST_UPGRADE_SESSIONS", 16);
    let free = || free_address().unwrap().to_string();
    let mut hosts: Vec<_> = (0..3)
        .map(|disk| start(&place, &old, disk, free()))
        .collect();
    let load = Load::on(hosts.iter().map(|host| host.address.clone()).collect());
    let clients = load.start(sessions);
    let answered = || load.answered.lock().unwrap().len();
    until("the load does not begin", || answered() >= sessions);
    let mut all = Vec::new();
    for (disk, claw, which, run) in [
        (0, &new, "new", Some(1)),
        (1, &new, "new", None),
        (2, &new, "new", None),
        (0, &old, "old", Some(2)),
    ] {
        let left = match run {
            Some(run) => Some(Left::at(&hosts[disk], &place, run).await),
            None => None,
        };
        let began = Instant::now();
        let before = answered();
        let address = hosts[disk].address.clone();
        terminate(hosts.remove(disk));
        let ended = began.elapsed();
        only_these_claim(&place, &hosts.iter().collect::<Vec<_>>(), &load).await;
        hosts.insert(disk, start(&place, claw, disk, address));
        list_and_search(&hosts, &load);
        if let Some(left) = left {
            left.goes_on_at(&hosts[disk]);
            let waited = mark(left.run, PROCESSES, 0);
            all.push((left.ids[PROCESSES].clone(), vec![waited]));
        }
        until("the load does not go on", || {
            answered() >= before + sessions
        });
        eprintln!(
            "{name}: host {disk} ended after {ended:.1?} and is {which} now; {} prompts answered meanwhile",
            answered() - before
        );
    }
    for (session, talked) in load.end(clients).into_iter().enumerate() {
        let marks = (0..talked.sent).map(|which| mark(0, session, which));
        all.push((talked.id, marks.collect()));
    }
    all_once(name, &place, &all).await;
    let asked = asked(&place.api);
    for (run, session) in held {
        let times = asked.get(&mark(run, session, 0));
        assert_eq!(times, Some(&1), "a turn that was cut has run again");
    }
    only_these_claim(&place, &hosts.iter().collect::<Vec<_>>(), &load).await;
    hosts.into_iter().for_each(terminate);
    only_these_claim(&place, &[], &load).await;
    for disk in 0..3 {
        let log = fs::read_to_string(place.path(&format!("disk-{disk}")).join(LOG)).unwrap();
        let is_expected = |line: &&str| EXPECTED.iter().any(|text| line.contains(text));
        let (expected, others): (Vec<_>, Vec<_>) = log.lines().partition(is_expected);
        eprintln!(
            "{name}: host {disk} logged {} expected lines",
            expected.len()
        );
        assert!(others.is_empty(), "{others:#?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_are_replaced_by_another_version_and_back() {
    let mut tried = 0;
    for (name, server) in [
        ("Postgres", Server::postgres(&[])),
        ("Redis", Server::redis(&[])),
    ] {
        match server {
            Ok(server) => {
                upgrade(name, server).await;
                tried += 1;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                eprintln!("{name}: NOT TRIED: {error}");
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
    assert_ne!(tried, 0, "there is no server of a store");
}
