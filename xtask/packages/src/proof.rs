//! The proof of a package: every line of the fixtures is read and written by it, and comes back equal.
//!
//! The program of a package is started once for each direction, with the direction as its argument and lines on stdin. For
//! each line it writes one line to stdout, with tabs between the parts:
//!
//! - `read`, the name of the type (and, for a control request, `/` and the type of its body), the number of values in it
//!   that are unknown, and the line as the package writes it;
//! - `unknown`, and the line as the package writes it, if the kind of the line is unknown;
//! - `error`, the path of the mistake, such as `message.content[2].type`, and the reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use xtask::lines;
use xtask::run::Result;
use xtask::workspace::{Workspace, has_extension, slashes};

use crate::exact::Exact;
use crate::language::Language;
use crate::model::{Model, ROOTS};

mod bad;
mod changed;
#[cfg(test)]
mod tests;

/// The lines of every direction.
pub(crate) struct Lines {
    all: Vec<(&'static str, Vec<String>)>,
    /// Lines of older forms and those with which claw is fuzzed.
    others: Vec<String>,
}

/// What the program of a package wrote about a line.
#[derive(Debug)]
enum Output {
    Read {
        kind: String,
        unknown: usize,
        line: String,
    },
    Unknown(String),
    Error {
        path: String,
        reason: String,
    },
}

/// What was counted.
#[derive(Default)]
struct Account {
    lines: usize,
    unknown: usize,
    inner: usize,
    types: BTreeMap<String, usize>,
}

impl Lines {
    /// Reads the lines of the fixtures, and adds some of future versions.
    pub(crate) fn read(workspace: &Workspace) -> Result<Self> {
        let mut all = Vec::new();
        for (way, _) in ROOTS {
            let mut lines = lines::recorded(workspace, way)?;
            if way != "transcript" {
                lines.extend(lines::tomorrow(way).iter().map(Value::to_string));
            }
            all.push((way, lines));
        }
        let mut others = Vec::new();
        for file in workspace.files()? {
            let path = slashes(&file);
            let is_old =
                path.starts_with("crates/claw-types/fixtures/") && has_extension(&path, "ndjson");
            if is_old || path.starts_with("fuzz/seeds/from_line/") {
                let text = fs::read(workspace.root.join(&file))?;
                let text = String::from_utf8_lossy(&text);
                others.extend(
                    text.lines()
                        .filter(|line| !line.trim().is_empty())
                        .map(str::to_owned),
                );
            }
        }
        Ok(Self { all, others })
    }
}

/// Reads every line with the package, and the bad lines. Returns the figures in a sentence.
///
/// # Errors
/// Fails if a line is refused, changed, or read as another kind than meta.json says, or if a bad line is accepted.
pub(crate) fn check(
    language: &Language,
    model: &Model,
    lines: &Lines,
    folder: &Path,
) -> Result<String> {
    let mut faults = Vec::new();
    let mut text = String::new();
    for (way, lines) in &lines.all {
        let outputs = outputs(language, folder, way, lines)?;
        let mut account = Account::default();
        for (line, output) in lines.iter().zip(&outputs) {
            if let Err(fault) = account.add(language, model, way, line, output) {
                let start: String = line.chars().take(200).collect();
                faults.push(format!("{way}: {fault}\n  in {start}"));
            }
        }
        let Account {
            lines,
            unknown,
            inner,
            types,
        } = account;
        let _ = write!(
            text,
            "{way}: {lines} lines read and equal, {} types of lines, {unknown} lines of unknown kinds, {inner} unknown \
             values in others; ",
            types.len()
        );
    }
    let refused = bad::check(language, folder, &mut faults)?;
    let changed = changed::check(language, model, lines, folder, &mut faults)?;
    let _ = write!(
        text,
        "{refused} bad lines refused or kept as unknown; {changed}"
    );
    if faults.is_empty() {
        return Ok(text);
    }
    let shown = faults
        .iter()
        .take(20)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    Err(format!(
        "{}: {} faults. {text}\n{shown}",
        language.name,
        faults.len()
    )
    .into())
}

impl Account {
    /// Adds a line, and what the program wrote about it.
    fn add(
        &mut self,
        language: &Language,
        model: &Model,
        way: &str,
        line: &str,
        output: &Output,
    ) -> std::result::Result<(), String> {
        let expected = kind(model, way, line).map(|kind| {
            let names: Vec<_> = kind.iter().map(|name| (language.type_name)(name)).collect();
            names.join("/")
        });
        let written = match output {
            Output::Error { path, reason } => return Err(format!("refused at {path}: {reason}")),
            Output::Unknown(written) if expected.is_none() => {
                self.unknown += 1;
                written
            }
            Output::Read {
                kind,
                unknown,
                line,
            } if expected.as_ref() == Some(kind) => {
                self.inner += unknown;
                *self.types.entry(kind.clone()).or_default() += 1;
                line
            }
            other => {
                return Err(format!("expected {expected:?}: {other:?}")
                    .chars()
                    .take(400)
                    .collect());
            }
        };
        let before = Exact::read(line)?;
        let after = Exact::read(written)?;
        if let Some(path) = before.difference(&after) {
            return Err(format!("changed at {path}"));
        }
        self.lines += 1;
        Ok(())
    }
}

/// Returns the definition of a line according to meta.json, and that of the body of a control request.
fn kind<'a>(model: &'a Model, way: &str, line: &str) -> Option<Vec<&'a str>> {
    // Halves of surrogate pairs cannot be in a tree, and are in no tag.
    let line = serde_json::from_str::<Map<String, Value>>(line)
        .or_else(|_| serde_json::from_str(&line.replace("\\ud", "d").replace("\\uD", "D")))
        .ok()?;
    let kinds = model.kinds.iter().filter(|kind| {
        let mut tags = kind.tags.iter();
        kind.direction == way && tags.all(|(key, value)| line.get(key) == Some(value))
    });
    let kind = kinds.max_by_key(|kind| kind.tags.len())?;
    let mut names = vec![kind.definition.as_str()];
    if kind.definition == "ControlRequest" {
        let body = line.get("request")?.as_object()?;
        names.extend(model.case_of("ControlRequestBody", body));
    }
    Some(names)
}

/// Runs the program of the package with lines of a direction.
fn outputs(language: &Language, folder: &Path, way: &str, lines: &[String]) -> Result<Vec<Output>> {
    let input = folder.join(format!("built/{way}.ndjson"));
    fs::create_dir_all(folder.join("built"))?;
    fs::write(&input, lines.join("\n") + "\n")?;
    // A path below the folder is not searched on the path of programs.
    let program = Path::new(language.program[0]);
    let is_path = program.components().count() > 1;
    let program = if is_path {
        folder.join(program)
    } else {
        program.to_owned()
    };
    let output = Command::new(program)
        .args(&language.program[1..])
        .arg(way)
        .current_dir(folder)
        .stdin(fs::File::open(&input)?)
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}", language.program[0]))?;
    if !output.status.success() {
        let [name, status] = [language.name.to_owned(), output.status.to_string()];
        return Err(format!("{name}: the program ended with {status} on {way} lines").into());
    }
    let text = String::from_utf8(output.stdout)?;
    let outputs = text.lines().map(parse).collect::<Result<Vec<_>>>()?;
    if outputs.len() != lines.len() {
        let [wrote, read] = [outputs.len(), lines.len()];
        return Err(format!("{}: {wrote} outputs for {read} {way} lines", language.name).into());
    }
    Ok(outputs)
}

fn parse(output: &str) -> Result<Output> {
    let parts: Vec<_> = output.splitn(4, '\t').map(str::to_owned).collect();
    let [tag, rest @ ..] = &parts[..] else {
        return Err("an empty output".into());
    };
    match (tag.as_str(), rest) {
        ("read", [kind, unknown, line]) => Ok(Output::Read {
            kind: kind.clone(),
            unknown: unknown.parse()?,
            line: line.clone(),
        }),
        ("unknown", [line]) => Ok(Output::Unknown(line.clone())),
        ("error", [path, reason]) => Ok(Output::Error {
            path: path.clone(),
            reason: reason.clone(),
        }),
        _ => Err(format!("no output of a package's program: {output}").into()),
    }
}

/// Returns an answer with a content block.
fn answer(block: &Value) -> Value {
    json!({
        "type": "assistant", "uuid": "u", "session_id": "s", "parent_tool_use_id": null,
        "message": {
            "id": "m", "type": "message", "role": "assistant", "model": "m",
            "content": [{ "type": "text", "text": "a" }, block],
            "stop_reason": null, "stop_sequence": null,
            "usage": { "input_tokens": 1, "output_tokens": 1 }
        }
    })
}
