//! The sessions that are carried: all recorded ones, and generated ones.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::machine::Machine;
use super::unbroken::unbroken;
use crate::sessions::SEED;
use crate::sessions::random::Random;
use crate::sessions::transcript::transcript;
use xtask::run::Result;

/// A session.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) id: String,
    /// Whether the session is as the CLI writes it.
    pub(super) is_unbroken: bool,
    /// The kinds of its lines.
    pub(super) kinds: BTreeSet<String>,
}

/// Writes the sessions of all recordings, each with an ID of its own.
///
/// The recordings are without the lines with prompts of the CLI. Here, the line behind such a line has the line before it
/// as its parent, so that the sessions are unbroken.
pub(super) fn recorded(fixtures: &Path, machine: &Machine) -> Result<Vec<Case>> {
    let mut recordings: Vec<_> = fs::read_dir(fixtures)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    recordings.sort();
    let mut random = Random::new(SEED + 1);
    let mut cases = Vec::new();
    for recording in recordings {
        let Ok(manifest) = fs::read(recording.join("manifest.json")) else {
            continue;
        };
        let manifest: Value = serde_json::from_slice(&manifest)?;
        let transcripts = manifest["transcripts"].as_object();
        let mut ids: BTreeMap<String, usize> = BTreeMap::new();
        for (file, transcript) in transcripts.into_iter().flatten() {
            let path = transcript["path"].as_str().unwrap_or_default();
            let Some(below) = path.strip_prefix("/home/user/.claude/projects/-work-project/")
            else {
                continue;
            };
            let name = recording.file_name().unwrap_or_default().to_string_lossy();
            let id = below.split(['/', '.']).next().unwrap_or_default();
            let case = *ids.entry(id.to_owned()).or_insert_with(|| {
                cases.push(Case {
                    name: format!("recorded {name}"),
                    id: random.uuid(),
                    is_unbroken: true,
                    kinds: BTreeSet::new(),
                });
                cases.len() - 1
            });
            let case = &mut cases[case];
            let text = fs::read_to_string(recording.join(file))?;
            let text = text.replace(id, &case.id);
            let text = text.replace("-work-project", &claw_sessions::slug(&machine.work));
            let text = text.replace("/work/project", &machine.work.to_string_lossy());
            let text = text.replace("/home/user", &machine.home.to_string_lossy());
            case.kinds.extend(kinds(text.as_bytes()));
            let to = machine.folder().join(below.replace(id, &case.id));
            fs::create_dir_all(to.parent().unwrap_or(Path::new("")))?;
            fs::write(to, linked(&text)?)?;
        }
        for (number, case) in ids.into_values().enumerate().skip(1) {
            cases[case].name = format!("{}, session {}", cases[case].name, number + 1);
        }
    }
    // The main transcript of a session may not be recorded.
    cases.retain(|case| machine.transcript(&case.id).exists());
    Ok(cases)
}

/// Replaces each parent that no line has by the line of the conversation before it.
fn linked(text: &str) -> Result<String> {
    let lines: Vec<Value> = text
        .lines()
        .map(serde_json::from_str)
        .collect::<std::result::Result<_, _>>()?;
    let uuids: HashSet<_> = lines
        .iter()
        .filter_map(|line| line["uuid"].as_str())
        .collect();
    let mut linked = String::new();
    let mut before = None;
    for (line, text) in lines.iter().zip(text.lines()) {
        match line["parentUuid"].as_str() {
            Some(parent) if !uuids.contains(parent) => {
                let before: &str = before.ok_or("the first line has a parent")?;
                linked += &text.replace(
                    &format!("\"parentUuid\":\"{parent}\""),
                    &format!("\"parentUuid\":\"{before}\""),
                );
            }
            _ => linked += text,
        }
        linked.push('\n');
        if line.get("parentUuid").is_some() {
            before = line["uuid"].as_str().or(before);
        }
    }
    Ok(linked)
}

/// Writes this number of generated sessions. Every second one has everything that a transcript may contain, also what the
/// CLI cannot read. The others are unbroken.
pub(super) fn generated(count: usize, machine: &Machine) -> Result<Vec<Case>> {
    let mut random = Random::new(SEED);
    let cwd = machine.work.to_string_lossy();
    let cases = (0..count).map(|number| {
        let id = random.uuid();
        let (kind, text) = if number % 2 == 0 {
            ("unbroken", unbroken(&mut random, &id, &cwd))
        } else {
            let text = transcript(&mut random, &id, &cwd);
            // A note of another directory would make it a session of that directory.
            let mut text = replaced(&text, b"\"/elsewhere\"", &serde_json::to_vec(&cwd)?);
            // The CLI writes whole lines.
            if !text.is_empty() && !text.ends_with(b"\n") {
                text.push(b'\n');
            }
            ("anything", text)
        };
        fs::write(machine.transcript(&id), &text)?;
        Ok(Case {
            name: format!("generated {number} ({kind})"),
            is_unbroken: number % 2 == 0,
            kinds: kinds(&text),
            id,
        })
    });
    cases.collect()
}

fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(from.len()).position(|part| part == from) {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}

/// Returns the kinds of the lines of a transcript, and of the parts of these lines.
fn kinds(text: &[u8]) -> BTreeSet<String> {
    let mut kinds = BTreeSet::new();
    for line in text.split(|byte| *byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        let blocks = line["message"]["content"].as_array();
        let blocks = blocks.into_iter().flatten().map(|block| &block["type"]);
        let parts = [&line["type"], &line["subtype"], &line["attachment"]["type"]];
        let parts = parts.into_iter().chain(blocks);
        kinds.extend(parts.filter_map(|kind| kind.as_str()).map(str::to_owned));
    }
    kinds
}

/// Returns this number of sessions. Each has the most kinds of lines that those before it do not have.
pub(super) fn spread(cases: &[Case], count: usize) -> Vec<&Case> {
    let mut left: Vec<&Case> = cases.iter().collect();
    let mut found: BTreeSet<&String> = BTreeSet::new();
    let mut sample = Vec::new();
    while sample.len() < count && !left.is_empty() {
        let new = |case: &Case| {
            case.kinds
                .iter()
                .filter(|kind| !found.contains(kind))
                .count()
        };
        let best = (0..left.len()).rev().max_by_key(|at| new(left[*at]));
        let case = left.remove(best.unwrap_or(0));
        found.extend(&case.kinds);
        sample.push(case);
    }
    sample
}
