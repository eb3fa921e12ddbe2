//! Typed decoding, compared with other crates that have types for this protocol. Each crate decodes the lines that it
//! can read, in its fastest way.

use std::collections::BTreeMap;
use std::hint::black_box;

use claw_types::{Message, from_line};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::rounds::{mean, median, time};
use crate::{Result, lines, plain};

const ROUNDS: usize = 15;
const SHORT: usize = 8 * 1024;

/// A function that decodes a line. It returns whether it could.
type Reader = fn(&str) -> bool;

const READERS: [(&str, Reader); 7] = [
    ("serde_json::Value", reads::<Value>),
    ("the tag alone", tag),
    ("the same by serde", plain::reads),
    ("claude-codes", reads::<claude_codes::ClaudeOutput>),
    ("claude-agent-sdk-rs", reads::<claude_agent_sdk_rs::Message>),
    ("claude-cli-sdk", reads::<claude_cli_sdk::Message>),
    (
        "anthropic-agent-sdk",
        reads::<anthropic_agent_sdk::types::Message>,
    ),
];

fn reads<T: DeserializeOwned>(line: &str) -> bool {
    black_box(serde_json::from_str::<T>(line)).is_ok()
}

fn tag(line: &str) -> bool {
    #[derive(Deserialize)]
    struct Tag<'a> {
        #[serde(rename = "type", borrow)]
        kind: &'a str,
    }
    serde_json::from_str::<Tag>(line).is_ok_and(|tag| !black_box(tag.kind).is_empty())
}

pub(crate) fn main() -> Result {
    let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in lines::all()? {
        let Ok(message) = from_line::<Message>(line.as_bytes()) else {
            continue;
        };
        let known = !matches!(message, Message::Unknown(_)) && line.len() <= SHORT;
        if known && reads::<Value>(&line) {
            kinds
                .entry(message.kind().into_owned())
                .or_default()
                .push(line);
        }
    }
    print!("{:<30}{:>6}", "kind", "lines");
    for (name, _) in READERS {
        print!("{name:>22}");
    }
    println!();
    let mut all = vec![Vec::new(); READERS.len()];
    for (kind, lines) in &kinds {
        print!("{kind:<30}{:>6}", lines.len());
        for ((_, reader), all) in READERS.iter().zip(&mut all) {
            match ratio(lines, *reader) {
                Some((ratio, read)) => {
                    all.push(ratio);
                    print!("{:>22}", format!("{ratio:.2}x of {read}"));
                }
                None => print!("{:>22}", "reads none"),
            }
        }
        println!();
    }
    print!("{:<36}", "geometric mean");
    for (all, _) in all.iter().zip(READERS) {
        print!(
            "{:>22}",
            format!("{:.2}x of {} kinds", mean(all), all.len())
        );
    }
    println!();
    Ok(())
}

/// The factor by which claw is faster on the lines that the reader can decode, and the number of these lines.
fn ratio(lines: &[String], reader: Reader) -> Option<(f64, usize)> {
    let read: Vec<&String> = lines.iter().filter(|line| reader(line)).collect();
    let step = read.len().div_ceil(30).max(1);
    let mut ratios = Vec::new();
    for line in read.iter().step_by(step) {
        let times = (100_000 / line.len()).clamp(4, 200);
        let mut rounds: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let ours = time(times, || from_line::<Message>(black_box(line.as_bytes())));
                let theirs = time(times, || reader(black_box(line)));
                theirs.as_secs_f64() / ours.as_secs_f64()
            })
            .collect();
        ratios.push(median(&mut rounds));
    }
    (!ratios.is_empty()).then(|| (median(&mut ratios), read.len()))
}
