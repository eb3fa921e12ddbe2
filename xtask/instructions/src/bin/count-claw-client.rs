//! A program whose instructions `cargo xtask instructions` counts. It passes a turn's messages from the pipe to the
//! user, a given number of times.
//!
//! `count-claw-client <turn|skip> KIND TIMES` prints the number of messages in a round. The other end is in the same
//! process: it writes recorded lines in chunks into a pipe in memory. `skip` reads the chunks from such a pipe, and
//! parses their lines without keeping anything.
#![forbid(unsafe_code)]
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program that measures"
)]

use std::fs;
use std::hint::black_box;
use std::path::Path;

use claw_client::Session;
use claw_client::transport::Io;
use claw_client::types::QueryOptions;
use futures::StreamExt as _;
use serde::de::IgnoredAny;
use serde_json::Value;
use tokio::io::{
    AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream,
};

/// The number of messages in a round.
const LINES: usize = 400;
const CHUNK: usize = 64 * 1024;
const RESULT: &str = concat!(
    r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"#,
    r#""num_turns":1,"result":"done","stop_reason":"end_turn","total_cost_usd":0,"#,
    r#""session_id":"00000000-0000-4000-8000-000000000001","#,
    r#""uuid":"00000000-0000-4000-8000-000000000002","#,
    r#""usage":{"input_tokens":1,"output_tokens":1},"modelUsage":{},"permission_denials":[]}"#,
    "\n"
);

fn main() {
    let [what, kind, times] = &xtask_instructions::arguments();
    let (lines, times) = (lines(kind), times.parse().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        match &**what {
            "turn" => turns(lines, times).await,
            "skip" => skip(lines, times).await,
            other => panic!("{other:?} is nothing to count"),
        }
    });
    println!("{LINES}");
}

async fn turns(lines: String, times: usize) {
    let (ours, theirs) = tokio::io::duplex(CHUNK);
    let (reader, writer) = tokio::io::split(ours);
    tokio::spawn(agent(theirs, lines));
    let builder = Session::builder(QueryOptions::default());
    let session = builder
        .transport(Io::new(reader, writer))
        .connect()
        .await
        .unwrap();
    for _ in 0..times {
        let mut turn = session.send("Go").await.unwrap();
        while let Some(message) = turn.next().await {
            black_box(message.unwrap());
        }
    }
}

/// Answers the handshake, and every prompt with all lines.
async fn agent(mut pipe: DuplexStream, lines: String) {
    let (reader, mut writer) = tokio::io::split(&mut pipe);
    let mut input = BufReader::new(reader).lines();
    while let Ok(Some(line)) = input.next_line().await {
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["type"] == "control_request" {
            let answer = serde_json::json!({"type": "control_response", "response": {
                "subtype": "success", "request_id": message["request_id"], "response": {},
            }});
            let answer = format!("{answer}\n");
            writer.write_all(answer.as_bytes()).await.unwrap();
        } else {
            for part in [&lines[..], RESULT] {
                writer.write_all(part.as_bytes()).await.unwrap();
            }
        }
    }
}

async fn skip(lines: String, times: usize) {
    let (mut reader, mut theirs) = tokio::io::duplex(CHUNK);
    tokio::spawn(async move {
        for _ in 0..times {
            theirs.write_all(lines.as_bytes()).await.unwrap();
        }
    });
    let mut chunk = Vec::with_capacity(CHUNK);
    while reader.read_buf(&mut chunk).await.unwrap() > 0 {
        let whole = memchr::memrchr(b'\n', &chunk).map_or(0, |at| at + 1);
        for line in chunk[..whole].split_inclusive(|byte| *byte == b'\n') {
            black_box(serde_json::from_slice::<IgnoredAny>(line).unwrap());
        }
        chunk.drain(..whole);
    }
}

/// Lines of a type from the recordings, in a fixed order, spread over all of them, repeated.
fn lines(kind: &str) -> String {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut scenarios: Vec<_> = fs::read_dir(fixtures)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    scenarios.sort();
    let start = format!("{{\"type\":\"{kind}\"");
    let text: String = scenarios
        .iter()
        .map(|scenario| fs::read_to_string(scenario.join("stdout.ndjson")).unwrap_or_default())
        .collect();
    // Lines with half of a surrogate pair cannot be read as a `Value`.
    let fits =
        |line: &&str| line.starts_with(&start) && serde_json::from_str::<Value>(line).is_ok();
    let all: Vec<&str> = text.lines().filter(fits).take(LINES).collect();
    assert!(!all.is_empty(), "no recorded line is {kind}");
    let some = all.iter().cycle().take(LINES);
    some.flat_map(|line| [line, "\n"]).collect()
}
