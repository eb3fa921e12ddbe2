//! Lines of the fixtures in each of which one value was changed, and lines of older forms. A package has to read, keep or
//! refuse each as the model does.

use std::path::Path;

use serde_json::{Value, json};

use xtask::run::Result;

use super::{Lines, Output, outputs};
use crate::exact::Exact;
use crate::language::Language;
use crate::model::{Model, Reading};

/// Every so many lines one is changed.
const EVERY: usize = 3;
/// Longer lines are not changed, to save time.
const LONGEST: usize = 30_000;

/// Numbers that look random and are the same in each run.
struct Choices(u64);

impl Choices {
    /// Returns a number below `n`.
    fn below(&mut self, n: usize) -> usize {
        // The multiplier and the increment are Knuth's for this kind of generator. Its high bits are the random ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % n
    }
}

/// Reads the lines with the package, adds what is wrong to the faults, and returns the figures in a sentence.
pub(super) fn check(
    language: &Language,
    model: &Model,
    lines: &Lines,
    folder: &Path,
    faults: &mut Vec<String>,
) -> Result<String> {
    let mut choices = Choices(1);
    let [mut known, mut unknown, mut refused] = [0; 3];
    for (way, recorded) in &lines.all {
        let some = recorded
            .iter()
            .step_by(EVERY)
            .filter(|line| line.len() < LONGEST);
        let mut changed: Vec<_> = some.filter_map(|line| change(line, &mut choices)).collect();
        let one_change = changed.len();
        changed.extend(lines.others.iter().cloned());
        let outputs = outputs(language, folder, way, &changed)?;
        for (at, (line, output)) in changed.iter().zip(&outputs).enumerate() {
            let reading = model.reading(way, line);
            match reading {
                Reading::Known(_) => known += 1,
                Reading::Unknown => unknown += 1,
                Reading::Refused(_) => refused += 1,
            }
            // A line with several mistakes has several right paths.
            if !is_right(&reading, line, output, at < one_change) {
                let [line, output] = [line.clone(), format!("{output:?}")]
                    .map(|text| text.chars().take(400).collect::<String>());
                faults.push(format!(
                    "{way}: {reading:?} is expected of {line}\n  gave {output}"
                ));
            }
        }
    }
    Ok(format!(
        "of changed and older lines {known} read, {unknown} kept as unknown, {refused} refused, as the model says"
    ))
}

fn is_right(reading: &Reading, line: &str, output: &Output, compares_path: bool) -> bool {
    let is_same = |written: &str| match (Exact::read(line), Exact::read(written)) {
        (Ok(before), Ok(after)) => before == after,
        _ => false,
    };
    match (reading, output) {
        (Reading::Known(expected), Output::Read { unknown, line, .. }) => {
            expected == unknown && is_same(line)
        }
        (Reading::Unknown, Output::Unknown(written)) => is_same(written),
        (Reading::Refused(expected), Output::Error { path, .. }) => {
            !compares_path || path == expected
        }
        _ => false,
    }
}

/// Changes one value of a line. Returns `None` for a line without values, or with half of a surrogate pair.
fn change(line: &str, choices: &mut Choices) -> Option<String> {
    let mut line: Value = serde_json::from_str(line).ok()?;
    let mut paths = Vec::new();
    add_paths(&line, "", &mut paths);
    let path = paths.get(choices.below(paths.len().max(1)))?;
    let (parent, key) = path.rsplit_once('/')?;
    let key = key.replace("~1", "/").replace("~0", "~");
    match (line.pointer_mut(parent)?, choices.below(9)) {
        (Value::Object(members), 0) => _ = members.remove(&key),
        (Value::Object(members), 1) => {
            _ = members.insert("of_tomorrow".to_owned(), json!([null, 1.0]));
        }
        (_, choice) => {
            let values = [
                json!(null),
                json!(7),
                json!("of_tomorrow"),
                json!([]),
                json!({}),
                json!(true),
                json!(1.5),
                json!([{ "type": "of_tomorrow" }]),
                json!({ "type": "of_tomorrow" }),
            ];
            *line.pointer_mut(path)? = values[choice].clone();
        }
    }
    Some(line.to_string())
}

/// Adds the path of each value in a value, as a JSON pointer.
fn add_paths(value: &Value, path: &str, paths: &mut Vec<String>) {
    let mut add = |key: String, value: &Value| {
        let path = format!("{path}/{key}");
        paths.push(path.clone());
        add_paths(value, &path, paths);
    };
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                add(key.replace('~', "~0").replace('/', "~1"), value);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                add(at.to_string(), value);
            }
        }
        _ => {}
    }
}
