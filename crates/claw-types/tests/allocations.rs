//! How often reading a line asks for memory, beside `serde_json::Value`: in a binary of its own,
//! since it counts by the program's allocator.
#![expect(clippy::print_stdout, reason = "a table for people")]

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;

use allocation_counter::measure;
use claw_types::{Message, from_line};
use serde_json::Value;

/// Longer lines are string copying.
const SHORT: usize = 8 * 1024;

/// What the lines of a kind took.
#[derive(Default)]
struct Count {
    lines: u64,
    ours: u64,
    values: u64,
}

impl Count {
    fn add(&mut self, ours: u64, values: u64) {
        self.lines += 1;
        self.ours += ours;
        self.values += values;
    }

    /// Prints a row; returns the part of what a `Value` takes.
    #[expect(clippy::cast_precision_loss, reason = "counts")]
    fn show(&self, kind: &str) -> f64 {
        let [lines, ours, values] = [self.lines, self.ours, self.values].map(|n| n as f64);
        println!(
            "{kind:<42}{lines:>6}{:>9.1}{:>9.1}{:>7.2}",
            ours / lines,
            values / lines,
            ours / values
        );
        ours / values
    }
}

#[test]
fn a_line_takes_at_most_a_third_of_the_allocations_that_a_value_takes() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut kinds: BTreeMap<String, Count> = BTreeMap::new();
    let mut all = Count::default();
    for scenario in fs::read_dir(&fixtures).unwrap() {
        let Ok(text) = fs::read_to_string(scenario.unwrap().path().join("stdout.ndjson")) else {
            continue;
        };
        for line in text.lines().filter(|line| line.len() <= SHORT) {
            let Ok(message) = from_line::<Message>(line.as_bytes()) else {
                continue;
            };
            if matches!(message, Message::Unknown(_))
                || serde_json::from_str::<Value>(line).is_err()
            {
                continue;
            }
            let ours = measure(|| drop(black_box(from_line::<Message>(line.as_bytes()))));
            let values = measure(|| drop(black_box(serde_json::from_str::<Value>(line))));
            let kind = message.kind().into_owned();
            let [ours, values] = [ours, values].map(|counted| counted.count_total);
            kinds.entry(kind).or_default().add(ours, values);
            all.add(ours, values);
        }
    }
    println!(
        "{:<42}{:>6}{:>9}{:>9}{:>7}",
        "kind", "lines", "claw", "Value", "part"
    );
    let parts: Vec<f64> = kinds.iter().map(|(kind, count)| count.show(kind)).collect();
    all.show("all");
    #[expect(clippy::cast_precision_loss, reason = "a few kinds")]
    let mean = (parts.iter().map(|part| part.ln()).sum::<f64>() / parts.len() as f64).exp();
    println!("geometric mean of {} kinds: {mean:.3}", parts.len());
    assert!(kinds.len() > 80, "{} kinds", kinds.len());
    assert!(mean <= 1.0 / 3.0, "{mean}");
}
