//! Compares the files that claw writes with those that the official packages write.
//!
//! Each side changes a copy of the same folders. Then the files are compared. New IDs and times are replaced by the
//! same names on both sides.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use claw_sessions::{Error, Session, Sessions};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::compare::differences;
use super::reasons;
use super::transcript::transcript;
use super::world::World;
use xtask::run::{Result, read};
use xtask::sdk;
use xtask::workspace::Workspace;

mod cases;
mod stored;
mod why;

/// A change that each side makes.
#[derive(Debug, Serialize)]
struct Change {
    case: String,
    what: &'static str,
    id: String,
    /// The title or the tag.
    text: Option<String>,
    up_to: Option<String>,
}

/// The outcome of a change.
#[derive(Debug, Deserialize)]
struct Outcome {
    /// The ID of the new session.
    id: Option<String>,
    error: Option<String>,
}

impl Outcome {
    fn of(made: std::result::Result<Option<String>, String>) -> Self {
        match made {
            Ok(id) => Self { id, error: None },
            Err(error) => Self {
                id: None,
                error: Some(error),
            },
        }
    }
}

/// Changes this number of generated transcripts, and those of the named cases. Returns the differences without a
/// reason, and the unused reasons.
pub(super) fn compare(workspace: &Workspace, seed: u64, count: usize) -> Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let mut world = World::new(folder.path(), seed)?;
    let mut changes = Vec::new();
    cases::named(&mut world, &mut changes)?;
    generated(&mut world, &mut changes, count)?;
    let side = |name: &str, more: Value| -> Result<PathBuf> {
        let config = folder.path().join(name);
        copy(&world.config, &config)?;
        let mut work = json!({"config": config, "changes": changes});
        if let (Value::Object(work), Value::Object(more)) = (&mut work, more) {
            work.extend(more);
        }
        let file = folder.path().join(format!("{name}.json"));
        fs::write(file, work.to_string())?;
        Ok(config)
    };
    let ours = side("ours", Value::Null)?;
    let sessions = Sessions::new(&ours);
    let our_outcomes: Vec<_> = changes
        .iter()
        .map(|change| outcome(&sessions, change))
        .collect();
    let our_store = side("ours-stored", Value::Null)?;
    let stored_outcomes = stored::outcomes(&our_store, &changes)?;

    let typescript = side("typescript", Value::Null)?;
    let mut node = Command::new("node");
    node.arg(workspace.root.join("conformance/src/sessions/writing.mjs"));
    node.arg(sdk::package(workspace)?)
        .arg(folder.path().join("typescript.json"));
    let python = side("python", Value::Null)?;
    let python_store = side(
        "python-stored",
        json!({"directories": directories(&world)?}),
    )?;
    let interpreter = super::interpreter(workspace)?;
    let script = |name: &str| {
        let mut script = Command::new(&interpreter);
        script.arg(workspace.root.join("conformance/src/sessions/writing.py"));
        script.arg(folder.path().join(name));
        script
    };

    let mut problems = Vec::new();
    let mut of_python = BTreeMap::new();
    for (sdk, config, ours, our_outcomes, mut command) in [
        ("TypeScript", &typescript, &ours, &our_outcomes, node),
        (
            "Python",
            &python,
            &ours,
            &our_outcomes,
            script("python.json"),
        ),
        (
            super::STORED,
            &python_store,
            &our_store,
            &stored_outcomes,
            script("python-stored.json"),
        ),
    ] {
        let lines = read(&mut command)?;
        let outcomes = lines.lines().map(serde_json::from_str);
        let outcomes: Vec<Outcome> = outcomes.collect::<std::result::Result<_, _>>()?;
        let mut found = BTreeMap::new();
        let mut different = 0;
        for ((change, ours_is), theirs_is) in changes.iter().zip(our_outcomes).zip(&outcomes) {
            let mut one = written(ours, change, ours_is)?;
            let mut other = written(config, change, theirs_is)?;
            if config == &python_store {
                // A store need not keep the exact text of a line.
                as_lines(&mut one);
                as_lines(&mut other);
            }
            let all = differences(&one, &other);
            different += usize::from(!all.is_empty());
            for difference in all {
                let key = (
                    change.case.clone(),
                    format!("{}{}", change.what, difference.field),
                );
                let entry = found.entry(key).or_insert_with(|| {
                    let up_to = change.up_to.as_deref().unwrap_or_default();
                    (0, format!("{} {up_to} {}", change.id, difference.values))
                });
                entry.0 += 1;
            }
        }
        println!(
            "{sdk}: {} changes, {} written alike",
            changes.len(),
            changes.len() - different
        );
        let is_full = count >= super::MANY;
        if sdk == super::STORED {
            // Differences that also exist on disk are explained there.
            found.retain(|key, _| !of_python.contains_key(key));
        }
        problems.extend(reasons::judge_by(why::REASONS, sdk, is_full, &found));
        of_python = found;
    }
    Ok(problems)
}

fn change(
    case: &str,
    what: &'static str,
    id: &str,
    text: Option<String>,
    up_to: Option<String>,
) -> Change {
    Change {
        case: case.to_owned(),
        what,
        id: id.to_owned(),
        text,
        up_to,
    }
}

fn generated(world: &mut World, changes: &mut Vec<Change>, count: usize) -> Result {
    const CASE: &str = "generated";
    let (directory, folder) = world.project("generated")?;
    let cwd = directory.to_string_lossy().into_owned();
    for _ in 0..count {
        let id = world.random.uuid();
        let text = transcript(&mut world.random, &id, &cwd);
        world.write(&folder, &id, &text)?;
        let text = String::from_utf8_lossy(&text);
        let lines = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let ends: Vec<_> = lines
            .filter_map(|line| line["uuid"].as_str().map(str::to_owned))
            .collect();
        changes.push(change(CASE, "fork", &id, None, None));
        for _ in 0..2 {
            if let Some(end) = world.random.one_of(&ends) {
                changes.push(change(CASE, "fork", &id, None, Some(end.clone())));
            }
        }
    }
    Ok(())
}

/// Returns the directory of each project, by the name of the folder of its sessions.
fn directories(world: &World) -> Result<BTreeMap<String, PathBuf>> {
    let directories = fs::read_dir(&world.work)?.map(|entry| {
        let directory = entry?.path();
        Ok((claw_sessions::slug(&directory), directory))
    });
    directories.collect()
}

/// Replaces the texts of files by lists of their lines.
fn as_lines(written: &mut Value) {
    let texts = written.as_object_mut().into_iter().flatten();
    for (_, text) in texts {
        if let Value::String(lines) = text {
            let lines = lines.lines().map(serde_json::from_str::<Value>);
            *text = lines.flatten().collect();
        }
    }
}

pub(super) fn copy(from: &Path, to: &Path) -> Result {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Makes a change with claw.
fn outcome(sessions: &Sessions, change: &Change) -> Outcome {
    let made = || -> std::result::Result<Option<Session>, Error> {
        let session = sessions.find(&change.id)?;
        let text = change.text.as_deref();
        match (change.what, text) {
            ("rename", _) => session.rename(text.unwrap_or_default())?,
            ("tag", Some(tag)) => session.tag(tag)?,
            ("tag", None) => session.untag()?,
            ("archive", _) => session.archive()?,
            ("unarchive", _) => session.unarchive()?,
            ("delete", _) => session.delete()?,
            _ => {
                let mut fork = session.fork();
                if let Some(title) = text {
                    fork = fork.title(title);
                }
                if let Some(up_to) = &change.up_to {
                    fork = fork.up_to(up_to.as_str());
                }
                return fork.run().map(Some);
            }
        }
        Ok(None)
    };
    let id = |session: Session| session.id().as_str().to_owned();
    Outcome::of(
        made()
            .map(|made| made.map(id))
            .map_err(|error| error.to_string()),
    )
}

/// Returns the files that a side has written. New IDs and times are replaced by names.
fn written(config: &Path, change: &Change, outcome: &Outcome) -> Result<Value> {
    if outcome.error.is_some() {
        return Ok(json!({"failed": true}));
    }
    let source = files(config, &change.id)?;
    let Some(fork) = &outcome.id else {
        let named = source
            .into_iter()
            .map(|(name, text)| (name.replace(&change.id, "session"), text));
        return Ok(json!(named.collect::<BTreeMap<_, _>>()));
    };
    let known: BTreeSet<String> = lines(&source, &change.id)?.iter().flat_map(texts).collect();
    let mut lines = lines(&files(config, fork)?, fork)?;
    let mut names: HashMap<String, String> = HashMap::from([(fork.clone(), "the fork".to_owned())]);
    for line in &lines {
        if let Some(new) = line["uuid"].as_str() {
            let old = line["forkedFrom"]["messageUuid"]
                .as_str()
                .unwrap_or("a note");
            names.insert(new.to_owned(), format!("the copy of {old}"));
        }
    }
    for line in &mut lines {
        alike(line, &names, &known);
    }
    let (copies, notes): (Vec<_>, Vec<_>) = lines
        .into_iter()
        .partition(|line| line.get("forkedFrom").is_some());
    Ok(json!({"lines": copies, "notes": notes}))
}

/// Returns the files of a session by their names.
fn files(config: &Path, id: &str) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for project in fs::read_dir(config.join("projects"))? {
        let project = project?.path();
        for name in [
            format!("{id}.jsonl"),
            format!("{id}/archived.json"),
            format!("{id}/subagents/agent-a.jsonl"),
        ] {
            if let Ok(bytes) = fs::read(project.join(&name)) {
                let mut text = String::from_utf8_lossy(&bytes).into_owned();
                if name.ends_with("archived.json") {
                    let mut record: Value = serde_json::from_str(&text)?;
                    record["at"] = json!("now");
                    text = record.to_string();
                }
                found.insert(name, text);
            }
        }
    }
    Ok(found)
}

fn lines(files: &BTreeMap<String, String>, id: &str) -> Result<Vec<Value>> {
    let text = files
        .get(&format!("{id}.jsonl"))
        .ok_or_else(|| format!("{id} was not written"))?;
    Ok(text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}

fn texts(line: &Value) -> Vec<String> {
    ["timestamp", "ts"]
        .iter()
        .filter_map(|key| line[key].as_str().map(str::to_owned))
        .collect()
}

fn alike(value: &mut Value, names: &HashMap<String, String>, known: &BTreeSet<String>) {
    match value {
        Value::String(text) => {
            if let Some(name) = names.get(text) {
                text.clone_from(name);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| alike(item, names, known)),
        Value::Object(members) => {
            for (key, value) in members {
                let is_time = key == "timestamp" || key == "ts";
                match value {
                    Value::String(text) if is_time && !known.contains(text) => {
                        "now".clone_into(text);
                    }
                    value => alike(value, names, known),
                }
            }
        }
        _ => {}
    }
}
