//! A validator and serde agree: what the schemas take is what the types read, and nothing else. For
//! every recorded line and every example of an older form, for these with one thing changed, and
//! for generated values.
//!
//! One thing no schema can say, and it is not generated: a count may not be `-0.0`.

mod change;
mod generate;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use claw_types::dialect::Dialect;
use claw_types::hook::{HookInput, HookOutput};
use claw_types::line_to_value;
use claw_types::schema::files;
use claw_types::{FromLine, QueryOptions, StdinMessage, StdoutMessage, from_line};
use jsonschema::Validator;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::support::recorded;

/// A schema, and what reads the same.
struct Judges {
    file: &'static str,
    schema: Value,
    validator: Validator,
    read: fn(&str) -> Result<(), String>,
    /// What they did not agree on, by where; the first value of each.
    disagree: BTreeMap<String, String>,
    asked: usize,
}

impl Judges {
    fn new(file: &'static str, read: fn(&str) -> Result<(), String>) -> Self {
        let (_, schema) = files().into_iter().find(|(path, _)| *path == file).unwrap();
        Self {
            file,
            validator: jsonschema::validator_for(&schema).unwrap(),
            schema,
            read,
            disagree: BTreeMap::new(),
            asked: 0,
        }
    }

    fn ask(&mut self, value: &Value) {
        self.asked += 1;
        let read = (self.read)(&value.to_string());
        if self.validator.is_valid(value) == read.is_ok() {
            return;
        }
        let place = match (&read, self.validator.validate(value)) {
            (Err(error), _) => format!("serde refuses: {error}"),
            (_, Err(error)) => format!("the schema refuses {}", error.instance_path()),
            _ => String::new(),
        };
        self.disagree
            .entry(place)
            .or_insert_with(|| value.to_string());
    }

    /// Panics with all disagreements, and unless so many values were asked about.
    fn agree(&self, least: usize) {
        let shown: Vec<_> = self
            .disagree
            .iter()
            .flat_map(|(place, value)| [place.as_str(), value])
            .collect();
        let shown = shown.join("\n");
        assert!(
            self.disagree.is_empty(),
            "{} of {}:\n{shown}",
            self.file,
            self.asked
        );
        assert!(
            self.asked >= least,
            "{}: only {} values",
            self.file,
            self.asked
        );
    }
}

fn line<T: FromLine>(text: &str) -> Result<(), String> {
    let read = from_line::<T>(text.as_bytes());
    read.map(drop).map_err(|error| error.to_string())
}

fn value<T: DeserializeOwned>(text: &str) -> Result<(), String> {
    let read = serde_json::from_str::<T>(text);
    read.map(drop).map_err(|error| error.to_string())
}

fn stdout() -> Judges {
    Judges::new("stdout.schema.json", line::<StdoutMessage>)
}

fn stdin() -> Judges {
    Judges::new("stdin.schema.json", line::<StdinMessage>)
}

fn dialect() -> Judges {
    Judges::new("dialect.schema.json", line::<Dialect>)
}

fn options() -> Judges {
    Judges::new("options.schema.json", value::<QueryOptions>)
}

fn hooks(definition: &str, read: fn(&str) -> Result<(), String>) -> Judges {
    let mut judges = Judges::new("hooks.schema.json", read);
    let reference = format!("#/$defs/{definition}");
    judges.schema = json!({ "$ref": reference, "$defs": judges.schema["$defs"] });
    judges.validator = jsonschema::validator_for(&judges.schema).unwrap();
    judges
}

fn trees(file: &str) -> Vec<Value> {
    let samples = recorded(file);
    samples
        .iter()
        .map(|sample| line_to_value(&sample.line).unwrap())
        .collect()
}

fn old_lines() -> Vec<Value> {
    let examples = crate::dialect::documents::all();
    let lines = examples.iter().filter(|example| example.part == "line");
    lines
        .flat_map(crate::dialect::documents::Example::values)
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect()
}

/// Each as it is; then with one thing changed, at each place of a kind that was not changed before.
fn changed(judges: &mut Judges, trees: &[Value], least: usize) {
    let mut seen = HashSet::new();
    for tree in trees {
        judges.ask(tree);
        assert!(
            judges.disagree.is_empty() && judges.validator.is_valid(tree),
            "{tree}"
        );
    }
    for tree in trees {
        change::each(tree, &mut seen, |changed| judges.ask(changed));
    }
    judges.agree(least);
}

/// Values made by the schema's own word, most of which fit, and some of which miss by something.
fn generated(judges: Judges, cases: u32) {
    let schema = judges.schema.clone();
    let judges = RefCell::new((judges, 0));
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    proptest!(config, |(seed in any::<u64>())| {
        let (judges, taken) = &mut *judges.borrow_mut();
        let value = generate::value(&schema, seed);
        judges.ask(&value);
        *taken += u32::from(judges.validator.is_valid(&value));
    });
    let (judges, taken) = judges.into_inner();
    judges.agree(cases as usize);
    // Neither all nor nothing: a generator that always hits, or always misses, says little.
    assert!(
        (cases / 8..cases * 49 / 50).contains(&taken),
        "{taken} of {cases} fit"
    );
}

#[test]
fn recorded_lines_and_changed_ones_agree_on_stdout() {
    changed(&mut stdout(), &trees("stdout.ndjson"), 25_000);
}

#[test]
fn recorded_lines_and_changed_ones_agree_on_stdin() {
    changed(&mut stdin(), &trees("stdin.ndjson"), 3_000);
}

#[test]
fn old_lines_and_todays_and_changed_ones_agree() {
    let mut lines = old_lines();
    lines.extend(trees("stdout.ndjson"));
    lines.extend(trees("stdin.ndjson"));
    changed(&mut dialect(), &lines, 30_000);
}

#[test]
fn generated_lines_from_claude_agree() {
    generated(stdout(), 15_000);
}

#[test]
fn generated_lines_to_claude_agree() {
    generated(stdin(), 10_000);
}

#[test]
fn generated_old_lines_agree() {
    generated(dialect(), 10_000);
}

#[test]
fn generated_options_agree() {
    generated(options(), 5_000);
}

#[test]
fn generated_hooks_agree() {
    generated(hooks("HookInput", value::<HookInput>), 5_000);
    generated(hooks("HookOutput", value::<HookOutput>), 5_000);
}
