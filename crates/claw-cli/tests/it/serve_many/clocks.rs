//! Hosts whose clocks are an hour apart; their CLIs have the right time. `cargo xtask many` runs this, and the gates leave
//! it out: it needs `faketime`.

use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::faults::{SHORT, TTL, begin, in_a_turn, is_followed, lost, prompt, scenario};
use super::{Host, Place, asked, mark, settled, text};

/// How far the clock of a host is ahead.
const AHEAD: &str = "+3600s";

/// What a host needs in its environment so that its clock is ahead.
fn ahead() -> Vec<(String, String)> {
    let library = Command::new("faketime")
        .args(["-f", AHEAD, "printenv", "LD_PRELOAD"])
        .output()
        .unwrap_or_else(|error| panic!("{error}: get faketime by `apt-get install faketime`"));
    assert!(library.status.success(), "{library:?}");
    let library = String::from_utf8(library.stdout).unwrap();
    let set = [
        ("LD_PRELOAD", library.trim()),
        ("FAKETIME", AHEAD),
        // A clock that is wrong runs as fast as any other.
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ];
    set.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

/// A host whose clock is ahead, and two whose clocks are right.
fn hosts(place: &Place) -> [Host; 3] {
    let ahead = place.host_with(&SHORT, Some(place.store.url()), &ahead());
    [ahead, place.host(&SHORT), place.host(&SHORT)]
}

/// The hour that a host's clock shows.
fn hour(host: &Host) -> String {
    let answer = text(&host.address, "GET /health").unwrap();
    let mut lines = answer.lines();
    let date = lines.find_map(|line| line.strip_prefix("date: ")).unwrap();
    let (day, _) = date.split_once(':').unwrap();
    day[day.len() - 2..].to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_pass_on_requests_and_keep_their_claims() {
    let place = Place::new(scenario()).await;
    let hosts = hosts(&place);
    assert_ne!(hour(&hosts[0]), hour(&hosts[1]), "the clock is not ahead");
    let held = in_a_turn(&place, &hosts[1]).await;
    let began = Instant::now();
    let mut which = 1;
    // Each host has a session, and every other one passes prompts on.
    while which <= 6 || began.elapsed() < 3 * TTL {
        let (host, by) = (&hosts[which % 3], &hosts[(which + 1 + which / 3 % 2) % 3]);
        let by = [by.address.clone()];
        let id = begin(host);
        prompt(&by, &id, 0, &mark(0, 0, which));
        let view = settled(&by, &id);
        assert_eq!(view["state"]["phase"], "idle", "{view}");
        which += 1;
    }
    place.api.gates().open("half");
    let view = settled(&[hosts[0].address.clone()], &held);
    assert_eq!(view["state"]["phase"], "idle", "{view}");
    for which in 0..which {
        let times = asked(&place.api).get(&mark(0, 0, which)).copied();
        assert_eq!(times, Some(1), "{which}");
    }
    assert_eq!(hosts.iter().map(lost).sum::<u64>(), 0, "no claim is lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suspended_host_is_followed_and_writes_nothing_more() {
    for (one, other) in [(0, 1), (1, 0)] {
        let place = Place::new(scenario()).await;
        let hosts = hosts(&place);
        let id = in_a_turn(&place, &hosts[one]).await;
        let pid = Pid::from_child(&hosts[one].child);
        kill_process(pid, Signal::STOP).unwrap();
        // So long that its claim is over.
        std::thread::sleep(TTL + Duration::from_secs(1));
        is_followed(&place, &hosts[one], &hosts[other], &id, || {
            kill_process(pid, Signal::CONT).unwrap();
        });
    }
}
