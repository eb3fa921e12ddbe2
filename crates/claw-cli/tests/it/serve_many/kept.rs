//! Entries that only one host has when another host has continued the session, and answers that viewers saw while the
//! store was unreachable: none of them is lost, and every host continues every session.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, Instant};

use claw_testkit::Block;
use claw_testkit::api::{Answer, Reply, Rule, Scenario};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::crowd::metric;
use super::faults::{SHORT, begin, in_a_turn, lost, prompt, scenario, until, way_to_store};
use super::proxy::Way;
use super::usage::{equals_the_transcripts, tokens};
use super::{Host, Place, ask, balanced, mark, number, processes, settled, text};

/// What the CLI of a host has written of a session in the host's own configuration folder, and where.
fn transcript(folder: &Path, id: &str) -> Option<(PathBuf, String)> {
    let projects = fs::read_dir(folder.join("config/projects")).ok()?;
    let mut files = projects.map(|project| project.unwrap().path().join(format!("{id}.jsonl")));
    files.find_map(|file| Some((file.clone(), fs::read_to_string(&file).ok()?)))
}

/// Appends an answer to a transcript, as a CLI does that receives SIGTERM in mid-turn.
fn write_answer(folder: &Path, id: &str, text: &str) {
    let (transcript, before) = transcript(folder, id).unwrap();
    let mut lines = before
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut line = lines.rfind(|line| line["uuid"].is_string()).unwrap();
    line["parentUuid"] = line["uuid"].take();
    line["uuid"] = json!("00000000-0000-4000-8000-0000000000aa");
    line["type"] = json!("assistant");
    line["message"] = json!({"id": "msg_only_here", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
        "usage": {"input_tokens": 1, "output_tokens": 1}});
    let line = line.as_object_mut().unwrap();
    for name in ["attachment", "promptId", "permissionMode"] {
        line.remove(name);
    }
    let line = Value::from(std::mem::take(line));
    fs::write(transcript, format!("{before}{line}\n")).unwrap();
}

fn elements(host: &Host, id: &str) -> Vec<Value> {
    let one = [host.address.clone()];
    let request = format!("GET /api/sessions/{id}/elements");
    let (status, elements) = balanced(&one, 0, &request, &Value::Null);
    assert_eq!(status, 200, "{elements}");
    elements.as_array().unwrap().clone()
}

/// Where the elements have a text.
fn places(elements: &[Value], text: &str) -> Vec<usize> {
    let has = |element: &Value| element["content"].to_string().contains(text);
    let all = elements.iter().enumerate();
    all.filter(|(_, element)| has(element))
        .map(|(at, _)| at)
        .collect()
}

pub(super) fn terminate(mut host: Host) {
    kill_process(Pid::from_child(&host.child), Signal::TERM).unwrap();
    until("a host does not end after SIGTERM", || {
        let ended = host.child.try_wait().unwrap();
        ended.is_some_and(|status| {
            assert!(status.success(), "{status}");
            true
        })
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_only_a_killed_host_has_is_shown_and_the_session_goes_on_there() {
    let place = Place::new(scenario()).await;
    let (one, other) = (place.host(&SHORT), place.host(&SHORT));
    let id = in_a_turn(&place, &one).await;
    let folder = one.folder.clone();
    let address = one.address.clone();
    kill_process(Pid::from_child(&one.child), Signal::KILL).unwrap();
    drop(one);
    until("the CLI of the killed host does not end", || {
        processes(&folder).is_empty()
    });
    write_answer(&folder, &id, "Only here.");
    let left = [other.address.clone()];
    settled(&left, &id);
    prompt(&left, &id, 0, &mark(0, 0, 1));
    settled(&left, &id);
    let again = || place.host_in(folder.clone(), &SHORT, Some(place.store.url()), &[]);
    let one = again();
    // While the other host has the session, what the first one has is shown there.
    until("what only the first host has is not shown", || {
        !places(&elements(&other, &id), "Only here.").is_empty()
    });
    assert!(metric(&one, "claw_kept_entries_total") > 0);
    terminate(other);
    let hosts = [one.address.clone()];
    prompt(&hosts, &id, 0, &mark(0, 0, 2));
    let view = settled(&hosts, &id);
    assert_eq!(view["state"]["phase"], "idle", "{view}");
    assert_eq!(view["state"]["error"], Value::Null, "{view}");
    terminate(one);
    let one = again();
    let shown = elements(&one, &id);
    let kept = places(&shown, "Only here.");
    let [at] = kept[..] else {
        panic!("{kept:?} of {shown:#?}");
    };
    let notice = shown[at]["content"]["text"].as_str().unwrap();
    assert!(shown[at]["content"]["type"] == "notice", "{notice}");
    let next = places(&shown, &mark(0, 0, 1))[0];
    assert!(at < next, "{shown:#?}");
    let begin = "Written on host http://127.0.0.1:";
    assert!(
        notice.starts_with(begin) && notice.contains("not taken over"),
        "{notice}"
    );
    // The host has another address than before, and the notice is the same.
    assert_ne!(one.address, address);
}

/// An answer is shown while the store is unreachable for longer than the claim lasts. `follows`: another host continues
/// the session during that time.
async fn shown_while_the_store_is_away(follows: bool) {
    let place = Place::new(scenario()).await;
    let (way, cut) = way_to_store(&place);
    let args = ["--claim-ttl", "6"];
    let ((one, log), other) = (place.logged_host(&args, &cut), place.host(&args));
    let id = in_a_turn(&place, &one).await;
    let (address, request) = (
        one.address.clone(),
        format!("GET /api/sessions/{id}/events"),
    );
    let viewer = spawn(move || text(&address, &request).unwrap());
    way.cut(true);
    place.api.gates().open("half");
    until("the answer is not written", || {
        let written = transcript(&one.folder, &id);
        written.is_some_and(|(_, text)| text.contains("I think."))
    });
    until("the answer does not wait for the store", || {
        metric(&one, "claw_store_unstored_bytes") > 0
    });
    until("the claim is not lost", || lost(&one) == 1);
    // What docs/serve.md has under "What is wrong": the lines are on the disk of this host alone.
    until("no session is left", || {
        metric(&one, "claw_store_sessions_left") > 0
    });
    until("what is not stored is not in the log", || {
        let log = fs::read_to_string(&log).unwrap();
        log.contains("what an earlier process had not stored is not stored yet")
    });
    let events = viewer.join().unwrap();
    assert!(events.contains("I think."), "{events}");
    assert!(!events.contains("server ended"), "{events}");
    let left = [other.address.clone()];
    if follows {
        settled(&left, &id);
        prompt(&left, &id, 0, &mark(0, 0, 1));
        settled(&left, &id);
    }
    way.cut(false);
    for host in [&one, &other] {
        until("the answer is not shown", || {
            !places(&elements(host, &id), "I think.").is_empty()
        });
    }
    until("lines still wait for the store", || {
        let names = ["claw_store_unstored_bytes", "claw_store_sessions_left"];
        names.iter().all(|name| metric(&one, name) == 0)
    });
    let view = settled(std::slice::from_ref(&one.address), &id);
    assert_eq!(view["state"]["phase"], "idle", "{view}");
    assert!(view["state"].get("unanswered").is_none(), "{view}");
    let shown = elements(&one, &id);
    let is_kept = !places(&shown, "not taken over").is_empty();
    assert_eq!(is_kept, follows, "{shown:#?}");
    assert_eq!(metric(&one, "claw_kept_entries_total") > 0, follows);
    // Both hosts continue the session.
    for (which, host) in [(2, &one), (3, &other)] {
        let hosts = [host.address.clone()];
        prompt(&hosts, &id, 0, &mark(0, 0, which));
        let view = settled(&hosts, &id);
        assert_eq!(view["state"]["error"], Value::Null, "{view}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_was_shown_while_the_store_was_away_is_stored() {
    shown_while_the_store_is_away(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_was_shown_before_another_host_went_on_is_kept() {
    shown_while_the_store_is_away(true).await;
}

/// A host with a disk and a way to the store, which outlive its processes.
struct Slot {
    host: Host,
    way: Way,
    url: String,
}

/// How long a claim lasts for the hosts that are killed and cut off.
const CLAIM: [&str; 2] = ["--claim-ttl", "3"];

fn answer(mark: &str) -> String {
    format!("This is the answer to {mark}.")
}

/// Reads the elements of all sessions at a host until `ends` is set, and records which answers the host shows.
fn watch(
    address: Arc<Mutex<String>>,
    ids: Arc<Vec<String>>,
    seen: Arc<Mutex<BTreeMap<String, BTreeSet<String>>>>,
    ends: Arc<AtomicBool>,
) -> JoinHandle<()> {
    spawn(move || {
        while !ends.load(Relaxed) {
            for id in &*ids {
                let at = address.lock().unwrap().clone();
                let request = format!("GET /api/sessions/{id}/elements");
                // The body breaks off if the host is killed while it is sent.
                let Some((200, Value::Array(elements))) = ask(&at, &request, &Value::Null) else {
                    continue;
                };
                let mut seen = seen.lock().unwrap();
                let seen = seen.entry(id.clone()).or_default();
                for element in &elements {
                    let text = element["content"]["text"].as_str().unwrap_or_default();
                    let is_text = element["content"]["type"] == "assistantText";
                    if is_text && text.starts_with("This is the answer to ") && text.ends_with('.')
                    {
                        seen.insert(text.to_owned());
                    }
                }
            }
            sleep(Duration::from_millis(300));
        }
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_that_was_seen_outlives_kills_and_cuts() {
    let (kills, cuts) = (
        number("CLAW_TEST_MANY", 1),
        number("CLAW_TEST_MANY_CUTS", 1),
    );
    let sessions = number("CLAW_TEST_MANY_SESSIONS", 2);
    let rounds = kills + cuts;
    let marks = (0..rounds + 3).flat_map(|run| {
        (0..sessions).flat_map(move |session| (0..2).map(move |which| mark(run, session, which)))
    });
    let rules = marks.map(|mark| {
        let reply = Reply::new([Block::text(answer(&mark))]).usage("output_tokens", tokens(&mark));
        Rule::new(Answer::from(reply)).on_prompt(mark)
    });
    let place = Place::new(Scenario::new("answers", rules)).await;
    let mut slots: Vec<_> = (0..3)
        .map(|_| {
            let (way, url) = way_to_store(&place);
            let host = place.host_at(&CLAIM, &url);
            Slot { host, way, url }
        })
        .collect();
    let ids: Vec<_> = (0..sessions).map(|at| begin(&slots[at % 3].host)).collect();
    let ids = Arc::new(ids);
    let seen = Arc::new(Mutex::default());
    let ends = Arc::new(AtomicBool::new(false));
    let addresses: Vec<_> = slots
        .iter()
        .map(|slot| Arc::new(Mutex::new(slot.host.address.clone())))
        .collect();
    let viewers: Vec<_> = addresses
        .iter()
        .map(|address| watch(address.clone(), ids.clone(), seen.clone(), ends.clone()))
        .collect();
    let (mut killed, mut was_cut) = (0, 0);
    for round in 0..rounds {
        let hosts: Vec<_> = slots.iter().map(|slot| slot.host.address.clone()).collect();
        let clients: Vec<_> = (0..sessions)
            .map(|session| {
                let (hosts, id) = (hosts.clone(), ids[session].clone());
                spawn(move || {
                    for which in 0..2 {
                        let uuid = format!("{session:08x}-{which:04x}-4000-8000-{round:012x}");
                        let text = format!("Answer {}.", mark(round, session, which));
                        let body = json!({"text": text, "uuid": uuid});
                        let request = format!("POST /api/sessions/{id}/prompts");
                        let (status, answer) = balanced(&hosts, session + round, &request, &body);
                        assert!([200, 202].contains(&status), "{status}: {answer}");
                    }
                })
            })
            .collect();
        let random = (round as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        sleep(Duration::from_millis(300 + random % 3000));
        let at = round % 3;
        let slot = &mut slots[at];
        // Kills and cuts alternate in the ratio of their numbers.
        if killed * cuts <= was_cut * kills && killed < kills || was_cut == cuts {
            killed += 1;
            kill_process(Pid::from_child(&slot.host.child), Signal::KILL).unwrap();
            slot.host.child.wait().unwrap();
            sleep(Duration::from_millis(random % 5000));
            let folder = slot.host.folder.clone();
            slot.host = place.host_in(folder, &CLAIM, Some(&slot.url), &[]);
            *addresses[at].lock().unwrap() = slot.host.address.clone();
        } else {
            was_cut += 1;
            slot.way.cut(true);
            sleep(Duration::from_secs(5));
            slot.way.cut(false);
        }
        for client in clients {
            client.join().unwrap();
        }
        let hosts: Vec<_> = slots.iter().map(|slot| slot.host.address.clone()).collect();
        for id in &*ids {
            settled(&hosts, id);
        }
        eprintln!("{killed} kills, {was_cut} cuts");
    }
    ends.store(true, Relaxed);
    for viewer in viewers {
        viewer.join().unwrap();
    }
    let seen = seen.lock().unwrap().clone();
    let mut kept = 0;
    for (at, slot) in slots.iter().enumerate() {
        let hosts = [slot.host.address.clone()];
        for (session, id) in ids.iter().enumerate() {
            // This host continues the session.
            let mark = mark(rounds + at, session, 0);
            prompt(&hosts, id, 0, &format!("Answer {mark}."));
            let view = settled(&hosts, id);
            assert_eq!(view["state"]["error"], Value::Null, "{view}");
            let began = Instant::now();
            loop {
                let shown = elements(&slot.host, id);
                let is_shown = |text: &&String| places(&shown, text).is_empty();
                let missing: Vec<_> = seen[id].iter().filter(is_shown).collect();
                kept = kept.max(places(&shown, "not taken over").len());
                if missing.is_empty() && !places(&shown, &answer(&mark)).is_empty() {
                    break;
                }
                assert!(began.elapsed() < super::PATIENCE, "{missing:?}");
                sleep(Duration::from_millis(100));
            }
            let (status, closed) = balanced(
                &hosts,
                0,
                &format!("POST /api/sessions/{id}/close"),
                &Value::Null,
            );
            assert!(status < 300, "{status}: {closed}");
        }
    }
    let hosts: Vec<_> = slots.iter().map(|slot| &slot.host).collect();
    let counted = equals_the_transcripts(&place, &hosts, &ids).await;
    let all: usize = slots
        .iter()
        .map(|slot| metric(&slot.host, "claw_kept_entries_total"))
        .sum();
    eprintln!(
        "{killed} kills, {was_cut} cuts of {sessions} sessions on 3 hosts: {} answers were seen, and all are there; {kept} \
         notices of one session at the most; {all} entries kept since the last start of a host; every host's usage has \
         the {counted} answers of the transcripts",
        seen.values().map(BTreeSet::len).sum::<usize>(),
    );
    for slot in slots {
        let folder = slot.host.folder.join("tmp");
        terminate(slot.host);
        let left = fs::read_dir(folder).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        let is_ours = |name: &&std::ffi::OsString| name.to_string_lossy().starts_with("claw-");
        let ours: Vec<_> = left.iter().filter(is_ours).collect();
        assert!(ours.is_empty(), "{ours:?}");
    }
}
