//! The other end of the pipe: a program that implements the part of the protocol that an SDK needs to start, and writes
//! recorded lines as fast as the pipe accepts them.
//!
//! `FLOOD_LINES` names a file of lines; `FLOOD_COUNT` is the number of lines that are written when a prompt arrives;
//! the file is repeated as often as needed. With `FLOOD_BARE`, they are written immediately, and nothing is read.

use std::io::{BufRead as _, Write, stdin, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::{env, fs, thread};

use serde_json::{Value, json};

const RESULT: &str = r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"duration_api_ms":1,"num_turns":1,"result":"done","stop_reason":"end_turn","session_id":"00000000-0000-4000-8000-000000000001","total_cost_usd":0,"usage":{"input_tokens":1,"output_tokens":1},"modelUsage":{},"permission_denials":[],"uuid":"00000000-0000-4000-8000-000000000002"}"#;

/// About the capacity of a pipe.
const CHUNK: usize = 64 * 1024;

fn main() {
    let lines = fs::read_to_string(env::var("FLOOD_LINES").expect("FLOOD_LINES")).expect("lines");
    let lines: Vec<&str> = lines.lines().collect();
    let count: usize = env::var("FLOOD_COUNT")
        .expect("FLOOD_COUNT")
        .parse()
        .expect("a number");
    if env::var_os("FLOOD_BARE").is_some() {
        flood(&lines, count);
        return;
    }
    let (prompts, prompt) = channel();
    let flooding = Arc::new(AtomicBool::new(false));
    let state = Arc::clone(&flooding);
    thread::spawn(move || {
        for line in stdin().lock().lines() {
            let message: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
            match message["type"].as_str() {
                Some("user") => {
                    state.store(true, Ordering::Relaxed);
                    prompts.send(()).expect("somebody floods");
                }
                Some("control_request") => answer(&message, state.load(Ordering::Relaxed)),
                _ => {}
            }
        }
    });
    while prompt.recv().is_ok() {
        flood(&lines, count);
        put(&format!("{RESULT}\n"));
        flooding.store(false, Ordering::Relaxed);
    }
}

fn answer(message: &Value, flooding: bool) {
    let response = match message["request"]["subtype"].as_str() {
        Some("initialize") => json!({
            "commands": [], "agents": [], "output_style": "default",
            "available_output_styles": ["default"], "models": [], "account": {}, "pid": 1,
        }),
        _ => json!({"flooding": flooding}),
    };
    let answer = json!({"type": "control_response", "response": {
        "subtype": "success", "request_id": message["request_id"], "response": response,
    }});
    put(&format!("{answer}\n"));
}

fn flood(lines: &[&str], count: usize) {
    let mut chunk = String::with_capacity(2 * CHUNK);
    for line in lines.iter().cycle().take(count) {
        chunk.push_str(line);
        chunk.push('\n');
        if chunk.len() >= CHUNK {
            put(&chunk);
            chunk.clear();
        }
    }
    put(&chunk);
}

/// Writes complete lines in one call, so that no other line is written between them.
fn put(text: &str) {
    let mut out = stdout().lock();
    // The reader has closed the pipe, so this program ends too.
    if out
        .write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .is_err()
    {
        std::process::exit(0);
    }
}
