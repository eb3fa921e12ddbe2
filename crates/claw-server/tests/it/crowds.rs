//! More connections than the server takes.

use claw_testkit::agent::Script;
use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

use crate::client::{Running, soon};
use crate::socket;

/// Whether the other end has closed it.
pub(crate) async fn is_closed(mut stream: TcpStream) -> bool {
    let mut rest = Vec::new();
    let _ = soon(stream.read_to_end(&mut rest)).await;
    rest.is_empty()
}

#[tokio::test]
async fn connections_in_use_stay_and_those_that_ask_for_nothing_make_room() {
    let running = Running::start_as(Script::reply("Hi."), |builder| {
        builder.connections(|connections| connections.most = 3)
    })
    .await;
    let session = running.session().await;
    let mut viewers = Vec::new();
    for _ in 0..2 {
        viewers.push(running.events(&session, None).await);
    }
    let idle = TcpStream::connect(running.address).await.unwrap();
    // It is in use by the time that its events come.
    viewers.push(running.events(&session, None).await);
    assert!(is_closed(idle).await);
    // All are in use.
    let more = TcpStream::connect(running.address).await.unwrap();
    assert!(is_closed(more).await);
    for viewer in &mut viewers {
        assert_eq!(viewer.next().await.unwrap().kind, "reset");
    }
    drop(viewers);
    running.end().await;
}

#[tokio::test]
async fn a_web_socket_has_its_place_until_it_ends() {
    let running = Running::start_as(Script::reply("Hi."), |builder| {
        builder.connections(|connections| connections.most = 2)
    })
    .await;
    let session = running.session().await;
    let connect = async || {
        let token = socket::token(&running);
        socket::connect(&running, &session, &[token]).await.unwrap()
    };
    let (one, other) = (connect().await, connect().await);
    // Both are in use, though nothing is said.
    let more = TcpStream::connect(running.address).await.unwrap();
    assert!(is_closed(more).await);
    drop(one);
    // The server learns of it in its own time.
    let answered = async {
        let head = running.head("GET", "/api/projects");
        let request = format!("{head}Connection: close\r\n\r\n");
        while running.raw(&request).await.status != 200 {}
    };
    soon(answered).await;
    drop(other);
    running.end().await;
}

/// The resident memory of this process, in bytes.
#[cfg(target_os = "linux")]
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse::<usize>().unwrap() * 1024
}

/// Allows this process as many open files as it may have.
#[cfg(target_os = "linux")]
fn many_files(needed: u64) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
    assert!(
        limit.maximum.is_none_or(|most| most >= needed),
        "the test needs {needed} open files: raise `ulimit -Hn`"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_idle_connections_keep_nobody_else_out() {
    // What the other tests hold is not counted.
    if !claw_testkit::alone("crowds::ten_thousand_idle_connections_keep_nobody_else_out") {
        return;
    }
    many_files(15_000);
    let running = Running::start(Script::reply("Hi.")).await;
    let before = resident();
    let mut idle = Vec::new();
    for number in 0..10_000 {
        idle.push(soon(TcpStream::connect(running.address)).await.unwrap());
        if number % 1000 == 999 {
            let answer = running.ask("GET", "/api/projects", &Value::Null).await;
            assert_eq!(answer.status, 200, "after {number}: {}", answer.body);
        }
    }
    let metrics = running.ask("GET", "/metrics", &Value::Null).await;
    let value = |name: &str| {
        let mut lines = metrics.body.lines();
        let line = lines.find_map(|line| line.strip_prefix(name));
        line.unwrap().trim().parse::<u64>().unwrap()
    };
    let open = value("claw_connections ");
    assert!((4000..=4096).contains(&open), "{open}");
    assert!(value("claw_connections_closed_total{reason=\"displaced\"}") > 5000);
    // Both ends are in this process.
    let memory = resident().saturating_sub(before);
    println!("{} bytes for each of {open} connections", memory / 4096);
    assert!(memory < 128 << 20, "{memory} bytes");
    drop(idle);
    running.end().await;
}
