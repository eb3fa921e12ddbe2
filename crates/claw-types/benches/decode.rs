//! Compares decoding and encoding with `serde_json::Value`. Prints a table of ratios, with a row
//! for each kind of message.
//!
//! `cargo bench -p claw-types --bench decode [-- FOLDER]`. Lines come from the recordings in
//! `fixtures/`. Both sides run in one process in interleaved rounds, on the system's allocator;
//! each figure is the median of a round's ratio. A kind's figure is the median over its lines, and
//! the last rows are geometric means over kinds of lines up to 8 kB.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench for people"
)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use claw_types::{Message, from_line, to_line};
use serde_json::Value;

/// The frequent kinds, whose mean is shown separately.
const FREQUENT: [&str; 4] = ["assistant", "user", "result", "stream_event"];
/// The number of kinds of classic messages.
const CLASSIC: usize = 17;
/// Longer lines mostly measure the copying of strings, so they are shown separately.
const SHORT: usize = 8 * 1024;
const ROUNDS: usize = 41;

fn main() {
    let folder = std::env::args()
        .skip(1)
        .find(|a| !a.starts_with("--"))
        .map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"),
            PathBuf::from,
        );
    let mut lines: BTreeMap<String, Vec<Vec<u8>>> = BTreeMap::new();
    for file in ndjson(&folder) {
        for line in std::fs::read(&file)
            .unwrap()
            .split(|b| *b == b'\n')
            .filter(|l| !l.is_empty())
        {
            // `Value` cannot read half of a surrogate pair, so there is nothing to compare with.
            if serde_json::from_slice::<Value>(line).is_err() {
                continue;
            }
            let Some(kind) = known_kind(line) else {
                continue;
            };
            let length = if line.len() <= SHORT { "" } else { " (long)" };
            let of_kind = lines.entry(format!("{kind}{length}")).or_default();
            if of_kind.iter().all(|other| other != line) {
                of_kind.push(line.to_vec());
            }
        }
    }
    println!(
        "{:<28}{:>6}{:>9}{:>11}{:>10}{:>10}",
        "kind", "lines", "bytes", "ns/line", "decode", "encode"
    );
    let (mut all, mut frequent) = (Means::default(), Means::default());
    for (kind, lines) in &lines {
        let (ns, decode, encode) = measure(lines);
        let bytes = lines.iter().map(Vec::len).sum::<usize>() / lines.len();
        println!(
            "{kind:<28}{:>6}{bytes:>9}{ns:>11.0}{decode:>9.2}x{encode:>9.2}x",
            lines.len()
        );
        if !kind.ends_with("(long)") {
            all.add(decode, encode);
            if FREQUENT.contains(&kind.as_str()) {
                frequent.add(decode, encode);
            }
        }
    }
    all.print("all kinds");
    frequent.print("the frequent four");
    assert!(
        all.count >= CLASSIC && frequent.count == FREQUENT.len(),
        "{} does not have all classic kinds",
        folder.display()
    );
}

/// The kind of a line for which claw has a type. It has the subtype only if the type alone is not
/// specific.
fn known_kind(line: &[u8]) -> Option<String> {
    Some(match from_line(line).ok()? {
        Message::Unknown(_) => return None,
        Message::UserReplay(_) => "user (replay)".to_owned(),
        Message::ResultSuccess(_) => "result".to_owned(),
        Message::ResultError(_) => "result (error)".to_owned(),
        message => message.kind().into_owned(),
    })
}

/// Geometric means over kinds.
#[derive(Default)]
struct Means {
    decode: f64,
    encode: f64,
    count: usize,
}

impl Means {
    fn add(&mut self, decode: f64, encode: f64) {
        self.decode += decode.ln();
        self.encode += encode.ln();
        self.count += 1;
    }

    fn print(&self, what: &str) {
        #[expect(clippy::cast_precision_loss, reason = "a few kinds")]
        let mean = |sum: f64| (sum / self.count as f64).exp();
        println!(
            "{:<54}{:>9.2}x{:>9.2}x",
            format!("geometric mean of {what} ({})", self.count),
            mean(self.decode),
            mean(self.encode)
        );
    }
}

fn ndjson(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(ndjson(&path));
        } else if path.file_name().is_some_and(|n| n == "stdout.ndjson")
            || path.extension().is_some_and(|e| e == "ndjson")
                && !path.to_string_lossy().contains("stdin")
        {
            files.push(path);
        }
    }
    files
}

/// The nanoseconds per line, and the factors by which claw is faster than `Value` (the medians over
/// the lines).
fn measure(lines: &[Vec<u8>]) -> (f64, f64, f64) {
    // The number of lines is large enough for a median, and small enough for a run of some seconds.
    let step = lines.len().div_ceil(60);
    let mut decode = Vec::new();
    let mut encode = Vec::new();
    let mut ns = Vec::new();
    for line in lines.iter().step_by(step) {
        let times = u32::try_from((200_000 / line.len()).clamp(4, 200)).unwrap();
        let message: Message = from_line(line).unwrap();
        let value: Value = serde_json::from_slice(line).unwrap();
        let (mut d, mut e, mut n) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let ours = time(times, || {
                black_box(from_line::<Message>(black_box(line)).unwrap())
            });
            let theirs = time(times, || {
                black_box(serde_json::from_slice::<Value>(black_box(line)).unwrap())
            });
            d.push(theirs.as_secs_f64() / ours.as_secs_f64());
            n.push(ours.as_secs_f64() * 1e9 / f64::from(times));
            let ours = time(times, || to_line(black_box(&message)).unwrap());
            let theirs = time(times, || serde_json::to_vec(black_box(&value)).unwrap());
            e.push(theirs.as_secs_f64() / ours.as_secs_f64());
        }
        decode.push(median(&mut d));
        encode.push(median(&mut e));
        ns.push(median(&mut n));
    }
    (median(&mut ns), median(&mut decode), median(&mut encode))
}

fn time<T>(times: u32, mut f: impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    for _ in 0..times {
        drop(f());
    }
    start.elapsed()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
