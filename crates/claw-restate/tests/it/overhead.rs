//! What Restate adds to a turn, and what a turn takes with `claw serve` on the same store, with the same agent.
//!
//! `CLAW_TEST_RESTATE_TURNS` is how many turns are measured. `claw serve` is measured if `CLAW_TEST_RESTATE_CLAW` names the
//! program `claw`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use claw_testkit::Block;
use claw_testkit::api::Scenario;
use futures::future::join_all;
use hyper::Method;
use serde_json::json;

use crate::http::send;
use crate::place::{Place, Worker, number};

const TOKEN: &str = "the-token-of-this-test";

fn id(session: usize) -> String {
    format!("4f6e1c3a-0000-4000-8000-{session:012}")
}

/// The median, and the value that 99 % do not exceed.
fn figures(what: &str, mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    let most = times[(times.len() * 99).div_ceil(100) - 1];
    let count = times.len();
    eprintln!("{what}: median {median:.1} ms, 99 % {most:.1} ms, of {count} turns");
    median
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// What each turn takes, by session. The first one of a session, which begins it, is not counted.
async fn times<F: Future<Output = ()>>(
    sessions: std::ops::Range<usize>,
    turns: usize,
    prompt: impl Fn(usize) -> F,
) -> Vec<Vec<f64>> {
    let prompt = &prompt;
    let of = |session| async move {
        prompt(session).await;
        let mut times = Vec::new();
        for _ in 0..turns {
            let began = Instant::now();
            prompt(session).await;
            times.push(ms(began.elapsed()));
        }
        times
    };
    join_all(sessions.map(of)).await
}

/// What the steps of a session's turns took, in their order, without the first one.
fn steps(workers: &[Worker], session: &str) -> Vec<f64> {
    let texts: Vec<_> = workers.iter().map(Worker::text).collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    let mut lines: Vec<_> = lines
        .filter(|line| line.contains("a turn has ended") && line.contains(session))
        .collect();
    // Each begins with its time.
    lines.sort_unstable();
    let step = |line: &&str| line.split_once("elapsed_ms=").unwrap().1.trim().parse();
    lines
        .iter()
        .skip(1)
        .map(|line| step(line).unwrap())
        .collect()
}

/// `claw serve`, ended when it is dropped.
struct Serve(Child, String);

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(place: &Place, program: &std::ffi::OsStr) -> Serve {
    let folder = place.folder.path().join("serve");
    for name in ["project", "home", "tmp"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    let mut child = Command::new(program)
        .args(["serve", "--hosting", "--listen", "127.0.0.1:0", "--project"])
        .arg(folder.join("project"))
        .arg("--options")
        .arg(place.folder.path().join("options.json"))
        .env("CLAW_STORE", place.store())
        .env("AGENT_AUTH_TOKEN", TOKEN)
        .env("CLAUDE_CONFIG_DIR", folder.join("config"))
        .env("HOME", folder.join("home"))
        .env("TMPDIR", folder.join("tmp"))
        .env("IS_SANDBOX", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    let address = line
        .split("http://")
        .nth(1)
        .and_then(|rest| rest.split(['/', ' ', '?']).next());
    let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
    Serve(child, address)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_restate_adds_to_a_turn() {
    let turns = number("CLAW_TEST_RESTATE_TURNS", 4);
    let place = Place::on_postgres(Scenario::always([Block::text("Yes.")])).await;
    let (workers, _proxy) = place.three(&[]).await;
    let place = &place;
    for sessions in [0..1, 1..5] {
        let count = sessions.len();
        let each = turns.div_ceil(count);
        let all = times(sessions.clone(), each, |session| async move {
            assert_eq!(place.prompt(&id(session), "Yes?").await.text, "Yes.");
        });
        let all = all.await;
        let steps: Vec<_> = sessions
            .map(|session| steps(&workers, &id(session)))
            .collect();
        let added = all.iter().flatten().zip(steps.iter().flatten());
        let added: Vec<_> = added.map(|(all, step)| all - step).collect();
        assert_eq!(added.len(), count * each);
        figures(&format!("Restate, sessions {count}, turn"), all.concat());
        figures(&format!("Restate, sessions {count}, step"), steps.concat());
        let added = figures(
            &format!("Restate, sessions {count}, beside the step"),
            added,
        );
        assert!(added < 500.0, "{added} ms");
    }
    let Some(program) = std::env::var_os("CLAW_TEST_RESTATE_CLAW") else {
        return eprintln!("claw serve: not measured");
    };
    let serve = serve(place, &program);
    let address = &serve.1;
    for sessions in [0..1, 1..5] {
        let count = sessions.len();
        let all = times(sessions, turns.div_ceil(count), |session| async move {
            let url = format!("http://{address}/sessions/{}/messages", id(session));
            let headers = [("authorization", &*format!("Bearer {TOKEN}"))];
            let answer = send(Method::POST, &url, &headers, &json!({"prompt": "Yes?"})).await;
            let (status, answer) = answer.unwrap();
            let is_done = answer
                .as_str()
                .is_some_and(|text| text.contains("event: done"));
            assert!(status == 200 && is_done, "{status}: {answer}");
        });
        figures(
            &format!("claw serve, sessions {count}, turn"),
            all.await.concat(),
        );
    }
}
