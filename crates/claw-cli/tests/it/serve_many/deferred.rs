//! A permission request that outlives its process and all hosts.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use claw_testkit::api::scenarios;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Host, PATIENCE, Place, balanced, processes, text};

/// Asks a host until the answer fits.
fn until(host: &Host, request: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    let one = [host.address.clone()];
    loop {
        let (status, body) = balanced(&one, 0, request, &Value::Null);
        if status == 200 && fits(&body) {
            return body;
        }
        assert!(began.elapsed() < PATIENCE, "{status}: {body}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn phase_in_list<'a>(list: &'a Value, id: &str) -> &'a Value {
    let all = list["sessions"].as_array().unwrap();
    let found = all.iter().find(|session| session["id"] == id);
    found.map_or(&Value::Null, |session| &session["phase"])
}

/// Ends hosts as a restart does, and waits for them.
fn end(hosts: Vec<Host>) {
    for host in &hosts {
        kill_process(Pid::from_child(&host.child), Signal::TERM).unwrap();
    }
    for mut host in hosts {
        assert!(host.child.wait().unwrap().success());
    }
}

/// A session that asks whether it may run a command, on the first of these hosts. Its ID, and that of the request.
fn asks(hosts: &[Host]) -> (String, String) {
    let one = [hosts[0].address.clone()];
    let (status, opened) = balanced(&one, 0, "POST /api/sessions", &json!({"project": "shop"}));
    assert_eq!(status, 201, "{opened}");
    let id = opened["id"].as_str().unwrap().to_owned();
    let request = format!("POST /api/sessions/{id}/prompts");
    let (status, answer) = balanced(&one, 0, &request, &json!({"text": "Write hello."}));
    assert_eq!(status, 202, "{answer}");
    let view = until(&hosts[0], &format!("GET /api/sessions/{id}"), |view| {
        view["requests"][0]["id"].is_string()
    });
    let request = view["requests"][0]["id"].as_str().unwrap();
    (id, request.to_owned())
}

/// Answers at a host that has never seen the session, and waits for the end of the turn.
fn is_answered_at(host: &Host, other: &Host, (id, request): &(String, String), decision: &str) {
    let path = format!("/api/sessions/{id}");
    let view = until(host, &format!("GET {path}"), |_| true);
    assert_eq!(view["state"]["phase"], "deferred", "{view}");
    assert_eq!(view["requests"][0]["id"], **request, "{view}");
    let answer = format!("POST {path}/requests/{request}");
    let answer = format!("{answer} HTTP/1.1\r\nX-Claw-Viewer: Ada\r\nX-Rest:");
    let one = [host.address.clone()];
    let (status, answered) = balanced(&one, 0, &answer, &json!({"decision": decision}));
    assert_eq!(status, 200, "{answered}");
    let late = format!("POST {path}/requests/{request}");
    let (status, refused) = balanced(
        std::slice::from_ref(&other.address),
        0,
        &late,
        &json!({"decision": "deny"}),
    );
    assert_eq!(status, 409, "{refused}");
    assert!(refused.to_string().contains("Ada"), "{refused}");
    let view = until(host, &format!("GET {path}"), |view| {
        view["state"]["phase"] == "idle"
    });
    assert_eq!(view["state"]["error"], Value::Null, "{view}");
    assert_eq!(view["requests"], json!([]), "{view}");
    let is_allowed = decision == "allow";
    assert_eq!(host.folder.join("shop/greeting.txt").exists(), is_allowed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_is_answered_after_all_hosts_were_restarted() {
    let place = Place::new(scenarios::bash()).await;
    let args = ["--defer-after", "1"];
    let hosts: Vec<_> = (0..2).map(|_| place.host(&args)).collect();
    let asked = asks(&hosts);
    let view = format!("GET /api/sessions/{}", asked.0);
    until(&hosts[1], &view, |view| {
        view["state"]["phase"] == "deferred"
    });
    // Nothing but the server itself is left of it.
    let left = processes(&hosts[0].folder);
    let own = BTreeSet::from([hosts[0].child.id().to_string()]);
    assert_eq!(left, own, "no process waits");
    let metrics = text(&hosts[0].address, "GET /metrics").unwrap();
    let crashed = r#"claw_process_events_total{event="crashed"} 0"#;
    assert!(metrics.contains(crashed), "{metrics}");
    end(hosts);

    let hosts: Vec<_> = (0..2).map(|_| place.host(&args)).collect();
    let listed = until(&hosts[1], "GET /api/sessions", |_| true);
    assert_eq!(phase_in_list(&listed, &asked.0), "deferred", "{listed}");
    is_answered_at(&hosts[0], &hosts[1], &asked, "allow");
    end(hosts);
    // Whoever is late learns who was first, after a restart too.
    let hosts = [place.host(&args)];
    let late = format!("POST /api/sessions/{}/requests/{}", asked.0, asked.1);
    let one = [hosts[0].address.clone()];
    let (status, refused) = balanced(&one, 0, &late, &json!({"decision": "deny"}));
    assert_eq!(status, 409, "{refused}");
    assert!(refused.to_string().contains("Ada"), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_waits_when_its_host_ends_is_kept_and_can_be_denied() {
    let place = Place::new(scenarios::bash()).await;
    let args = ["--defer-after", "3000"];
    let hosts = vec![place.host(&args)];
    let asked = asks(&hosts);
    end(hosts);
    let hosts: Vec<_> = (0..2).map(|_| place.host(&args)).collect();
    is_answered_at(&hosts[0], &hosts[1], &asked, "deny");
    let told = place.api.requests().last().unwrap().body.to_string();
    assert!(told.contains("The user denied this."), "{told}");
}
