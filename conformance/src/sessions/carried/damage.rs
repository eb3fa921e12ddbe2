//! Breaks transcripts without a loss, so that a repair must bring back all that the CLI read.

use std::collections::HashMap;

use serde_json::Value;

use crate::sessions::random::Random;

/// A broken transcript.
pub(super) struct Damaged {
    pub(super) text: Vec<u8>,
    /// The names of the problems that a repair must find.
    pub(super) problems: Vec<&'static str>,
}

/// The number of places at which a transcript is broken.
const PLACES: usize = 3;

/// The ways in which a line is broken.
const WAYS: usize = 9;

/// Breaks a transcript at up to three places. Returns `None` if the transcript has no line of a conversation.
pub(super) fn damage(random: &mut Random, text: &[u8]) -> Option<Damaged> {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let mut lines: Vec<Vec<u8>> = text
        .split(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let found = Links::new(&lines);
    // A line that is broken, and the one behind it.
    let mut is_broken = vec![false; lines.len() + 1];
    let mut problems = Vec::new();
    for place in 0..PLACES {
        let free: Vec<_> = (0..lines.len())
            .filter(|at| found.0.contains_key(at) && !is_broken[*at] && !is_broken[at + 1])
            .collect();
        let Some(at) = random.one_of(&free).copied() else {
            break;
        };
        // Each way occurs as often as the others.
        let way = (random.below(WAYS / PLACES)) * PLACES + place;
        problems.extend(found.break_line(way, at, &mut lines));
        is_broken[at] = true;
        is_broken[at + 1] = true;
    }
    if problems.is_empty() {
        return None;
    }
    let mut text = Vec::new();
    for line in lines.iter().filter(|line| !line.is_empty()) {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    Some(Damaged { text, problems })
}

/// The lines of the conversation, by their indexes.
struct Links(HashMap<usize, Value>);

impl Links {
    fn new(lines: &[Vec<u8>]) -> Self {
        let found = lines.iter().enumerate().filter_map(|(at, line)| {
            let line: Value = serde_json::from_slice(line).ok()?;
            let is_link = ["user", "assistant", "system", "attachment"]
                .iter()
                .any(|kind| line["type"] == *kind);
            (is_link && line["uuid"].is_string()).then_some((at, line))
        });
        Self(found.collect())
    }

    /// Breaks a line, and returns the names of the problems.
    fn break_line(&self, way: usize, at: usize, lines: &mut [Vec<u8>]) -> &'static [&'static str] {
        let own = lines[at].clone();
        let rest = own[..own.len() / 2].to_vec();
        let (broken, problems): (Vec<u8>, &[_]) = match way {
            0 => (["\u{feff}".as_bytes(), &own].concat(), &["byte_order_mark"]),
            1 => ([&[0; 64][..], &own].concat(), &["nul"]),
            2 => ([&own[..], &[0; 3]].concat(), &["nul"]),
            3 => ([&[0; 512][..], b"\n", &own].concat(), &["nul"]),
            4 => ([&rest[..], &own].concat(), &["spliced", "torn"]),
            5 => ([&own[..], &rest].concat(), &["spliced", "torn"]),
            6 if self.0.contains_key(&(at + 1)) => {
                let next = std::mem::take(&mut lines[at + 1]);
                ([own, next].concat(), &["spliced"])
            }
            7 if self.is_found_without_parent(at) => {
                let parent = self.0[&at]["parentUuid"].as_str().unwrap_or_default();
                let text = String::from_utf8_lossy(&own).into_owned();
                let lost = format!("\"parentUuid\":\"{parent}\"");
                let other = "\"parentUuid\":\"eeeeeeee-0000-4000-8000-00000000000e\"";
                (
                    text.replacen(&lost, other, 1).into_bytes(),
                    &["missing_parent"],
                )
            }
            8 => ([&own[..], b"\n", &own].concat(), &["duplicate"]),
            _ => ([&rest[..], b"\n", &own].concat(), &["torn"]),
        };
        lines[at] = broken;
        problems
    }

    /// Whether a line is linked to its parent again if the parent is lost: the parent is the line before it in the
    /// conversation, and no other line has its time or a later one that is not later than that of the line.
    fn is_found_without_parent(&self, at: usize) -> bool {
        let time = |line: &Value| line["timestamp"].as_str().map(str::to_owned);
        let is_own = |line: &Value| line["isSidechain"] != true && line["teamName"].is_null();
        let line = &self.0[&at];
        let before = (0..at)
            .rev()
            .filter_map(|at| self.0.get(&at))
            .find(|line| is_own(line));
        let Some(parent) = before.filter(|before| before["uuid"] == line["parentUuid"]) else {
            return false;
        };
        let (Some(from), Some(to)) = (time(parent), time(line)) else {
            return false;
        };
        let between = self.0.values().filter(|other| {
            time(other).is_some_and(|time| from <= time && time <= to)
                && other["uuid"] != line["uuid"]
        });
        is_own(line) && from <= to && between.count() == 1
    }
}
