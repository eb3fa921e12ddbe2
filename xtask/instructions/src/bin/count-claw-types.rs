//! A program whose instructions `cargo xtask instructions` counts. It runs one operation a given number of times.
//!
//! `count-claw-types <decode|skip|encode|encode-value> KIND TIMES` prints the number of lines in a round. claw's operations
//! are compared with operations that allocate no memory, because the cost of an allocation depends on the heap: `skip`
//! reads a line without keeping anything, and `encode-value` writes a `Value` into an existing buffer.
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

use claw_types::{Message, from_line, to_line};
use serde::de::IgnoredAny;
use serde_json::Value;

/// The number of lines: enough to be typical, and few enough for a simulated processor.
const LINES: usize = 20;
const SHORT: usize = 8 * 1024;

fn main() {
    let [what, kind, times] = &xtask_instructions::arguments();
    let times: usize = times.parse().unwrap();
    let lines = lines(kind);
    let messages: Vec<Message> = lines
        .iter()
        .map(|l| from_line(l.as_bytes()).unwrap())
        .collect();
    let values: Vec<Value> = lines
        .iter()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let mut room = Vec::with_capacity(4 * SHORT);
    for _ in 0..times {
        match &**what {
            "decode" => each(&lines, |line| {
                from_line::<Message>(line.as_bytes()).unwrap()
            }),
            "skip" => each(&lines, |line| {
                serde_json::from_str::<IgnoredAny>(line).unwrap()
            }),
            "encode" => each(&messages, |message| to_line(message).unwrap()),
            "encode-value" => {
                for value in &values {
                    room.clear();
                    serde_json::to_writer(&mut room, black_box(value)).unwrap();
                    black_box(&room);
                }
            }
            other => panic!("{other:?} is nothing to count"),
        }
    }
    println!("{}", lines.len());
}

fn each<T, R>(items: &[T], f: impl Fn(&T) -> R) {
    for item in items {
        black_box(f(black_box(item)));
    }
}

/// Lines of a kind from the recordings, in a fixed order, spread over all of them.
fn lines(kind: &str) -> Vec<String> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut scenarios: Vec<_> = fs::read_dir(fixtures)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    scenarios.sort();
    let mut all = Vec::new();
    for scenario in scenarios {
        let text = fs::read_to_string(scenario.join("stdout.ndjson")).unwrap_or_default();
        all.extend(
            text.lines()
                .filter(|line| is(line, kind))
                .map(str::to_owned),
        );
    }
    assert!(!all.is_empty(), "no recorded line is {kind}");
    let step = all.len().div_ceil(LINES);
    all.into_iter().step_by(step).collect()
}

fn is(line: &str, kind: &str) -> bool {
    // The quick checks come first, because the processor is simulated.
    line.len() <= SHORT
        && kind.split('/').all(|tag| line.contains(tag))
        && serde_json::from_str::<Value>(line).is_ok()
        && from_line::<Message>(line.as_bytes()).is_ok_and(|message| message.kind() == kind)
}
