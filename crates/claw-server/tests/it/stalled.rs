//! Viewers that never read.

use std::time::Duration;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::client::{Running, soon};
use crate::faults::Row;

/// How long a viewer may read nothing.
const PATIENCE: Duration = Duration::from_secs(2);
/// So many texts of 64 KiB are more than the system keeps for a connection.
const TEXTS: usize = 200;

/// A connection that keeps little of what it has not read.
async fn connect(running: &Running, request: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(running.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = [0; 9];
    soon(stream.read_exact(&mut answer)).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 ");
    stream
}

async fn metric(running: &Running, name: &str) -> u64 {
    let metrics = running.ask("GET", "/metrics", &Value::Null).await;
    let mut lines = metrics.body.lines();
    let line = lines.find_map(|line| line.strip_prefix(name));
    line.unwrap().trim().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_viewer_that_never_reads_is_cut_off_and_the_others_see_everything() {
    let texts = Step::repeat(TEXTS, [Step::message([Block::text("x".repeat(64 << 10))])]);
    let script = Script::new([Step::Turns(vec![
        texts,
        Step::message([Block::text("The end.")]),
    ])]);
    let running = Running::start_as(script, |builder| {
        builder
            .connections(|connections| connections.stalled = PATIENCE)
            // Everybody who reads at all keeps up.
            .limits(|limits| limits.log = 256 << 20)
    })
    .await;
    let session = running.session().await;
    let head = running.head("GET", &format!("/api/sessions/{session}/events"));
    let mut deaf = connect(&running, &format!("{head}\r\n")).await;
    let head = running.head("GET", &format!("/api/sessions/{session}/socket"));
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let mut deaf_socket = connect(&running, &format!("{head}{upgrade}")).await;
    let mut events = running.events(&session, None).await;
    running.prompt(&session, "Say much").await;
    let seen = events
        .until("change", |change| {
            change["value"]["content"]["text"] == "The end."
        })
        .await;
    let whole = |event: &&crate::client::Event| {
        let content = &event.data["value"]["content"];
        content["text"]
            .as_str()
            .is_some_and(|text| text.len() == 64 << 10)
    };
    assert!(seen.iter().filter(whole).count() >= TEXTS);
    soon(async {
        while metric(&running, "claw_viewers ").await > 1 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let row = Row::of("a viewer reads too slowly");
    row.is_counted(
        &running,
        "claw_connections_closed_total{reason=\"stalled\"}",
    )
    .await;
    // `serve_page.rs` of claw-cli checks that the page shows this text after its connection has ended.
    row.names(Row::PAGE, "The connection is lost. Trying again…");
    let stalled = metric(
        &running,
        "claw_connections_closed_total{reason=\"stalled\"}",
    )
    .await;
    assert_eq!(stalled, 2);
    // What the system had kept for them, and no more: far less than was said.
    for stream in [&mut deaf, &mut deaf_socket] {
        let mut rest = Vec::new();
        let _ = soon(stream.read_to_end(&mut rest)).await;
        assert!(rest.len() < TEXTS * (64 << 10) / 2, "{}", rest.len());
    }
    let close = format!("/api/sessions/{session}/close");
    running.ask("POST", &close, &json!(null)).await;
    running.end().await;
}
