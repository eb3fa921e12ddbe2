//! `cargo xtask sessions`: compares claw's results for sessions on disk with those of the official packages.
//!
//! The command creates folders with a named case for each rule, and with pseudo-random transcripts, which are the same
//! in every run. The official TypeScript and Python functions and claw answer the same questions about them. The
//! answers are compared field by field. Each difference needs a reason in the table of `reasons.rs`, and each reason
//! needs a difference.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use xtask::run::{Result, read};
use xtask::workspace::Workspace;
use xtask::{python, sdk};

mod carried;
mod cases;
mod compare;
mod ours;
mod played;
pub(crate) mod random;
mod reasons;
mod stored;
mod transcript;
mod world;
mod writing;

use compare::differences;
use world::{Question, World};

/// The name of the comparison of the Python SDK and claw on the same sessions in a store.
const STORED: &str = "Python, stored";

/// The seed of the generator.
const SEED: u64 = 1;
/// The number of generated transcripts in this command, and in `cargo xtask ci`.
const MANY: usize = 2_400;
const FEW: usize = 60;
/// The number of generated transcripts with which every difference in writing occurs.
const FEW_WRITTEN: usize = 240;

/// The command line of `cargo xtask sessions`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Plays the recipes in this folder, such as xtask/recordings, with the real CLI, and compares only the results of
    /// reading the sessions that it leaves.
    #[arg(long, value_name = "FOLDER")]
    recipes: Option<PathBuf>,
    /// Moves, repairs and synchronises all recorded and some generated sessions, lets the real CLI resume every one, and
    /// compares what it sends.
    #[arg(long, conflicts_with = "recipes")]
    carried: bool,
    /// Resumes only the sessions whose names contain this text.
    #[arg(long, value_name = "TEXT", requires = "carried", default_value = "")]
    only: String,
}

pub(crate) fn main(args: &Args) -> Result {
    let workspace = Workspace::read()?;
    if let Some(recipes) = &args.recipes {
        return played::compare(&workspace, recipes);
    }
    if args.carried {
        return fail_on(carried::compare(&workspace, true, &args.only)?, Vec::new());
    }
    fail_on(
        compare(&workspace, MANY)?,
        writing::compare(&workspace, SEED + 77, MANY)?,
    )
}

/// Fails unless all differences have a reason, and unless sessions that were carried elsewhere are the same. Uses fewer
/// transcripts than the command.
pub(crate) fn check(workspace: &Workspace) -> Result {
    let mut written = writing::compare(workspace, SEED + 77, FEW_WRITTEN)?;
    written.extend(carried::compare(workspace, false, "")?);
    fail_on(compare(workspace, FEW)?, written)
}

fn fail_on(mut problems: Vec<String>, more: Vec<String>) -> Result {
    problems.extend(more);
    if problems.is_empty() {
        return Ok(());
    }
    Err(problems.join("\n").into())
}

/// Compares the results of reading, and returns the differences without a reason and the unused reasons.
fn compare(workspace: &Workspace, transcripts: usize) -> Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let mut world = World::new(folder.path(), SEED)?;
    cases::make(&mut world)?;
    world.generate(transcripts)?;
    let file = asked(&world, folder.path())?;
    let of_disk = ours(&world)?;
    let typescript = typescript(workspace, &file)?;
    let python = python(workspace, &file)?;
    // The same questions about a store into which the sessions were imported.
    let stored = stored::questions(&world);
    let questions = json!({
        "config": world.config, "questions": stored, "stored": stored::sessions(&stored),
    });
    fs::write(&file, questions.to_string())?;
    let of_store = stored::answers(&world.config, &stored)?;
    let python_of_store = self::python(workspace, &file)?;

    let mut problems = Vec::new();
    let mut of_python = BTreeMap::new();
    for (sdk, questions, ours, theirs) in [
        ("TypeScript", &world.questions, &of_disk, &typescript),
        ("Python", &world.questions, &of_disk, &python),
        (STORED, &stored, &of_store, &python_of_store),
    ] {
        let mut found = beside(questions, ours, theirs);
        println!(
            "{sdk}: {} questions about {} transcripts and the named cases, {} answered alike",
            ours.len(),
            world.transcripts,
            ours.len() - found.alike_not,
        );
        if sdk == STORED {
            // Differences that also exist on disk are explained there.
            found
                .differences
                .retain(|key, _| !of_python.contains_key(key));
        }
        problems.extend(reasons::judge(sdk, transcripts >= MANY, &found.differences));
        of_python = found.differences;
    }
    Ok(problems)
}

/// Writes the questions to a file, for the scripts of the official packages.
fn asked(world: &World, folder: &Path) -> Result<PathBuf> {
    let file = folder.join("questions.json");
    let questions = json!({"config": world.config, "questions": world.questions});
    fs::write(&file, questions.to_string())?;
    Ok(file)
}

fn python(workspace: &Workspace, questions: &Path) -> Result<Vec<Value>> {
    let mut python = Command::new(interpreter(workspace)?);
    python.arg(workspace.root.join("conformance/src/sessions/official.py"));
    answers(&read(python.arg(questions))?)
}

fn ours(world: &World) -> Result<Vec<Value>> {
    let questions = world.questions.iter();
    questions
        .map(|question| ours::answer(&world.config, question))
        .collect()
}

fn typescript(workspace: &Workspace, questions: &Path) -> Result<Vec<Value>> {
    let mut node = Command::new("node");
    node.arg(workspace.root.join("conformance/src/sessions/official.mjs"));
    node.arg(sdk::package(workspace)?).arg(questions);
    answers(&read(&mut node)?)
}

/// The differences between the answers of two sides.
struct Found {
    /// The number of questions that the two sides answered differently.
    alike_not: usize,
    /// The differences by case, and by question with field: their number, and the first of them.
    differences: BTreeMap<(String, String), (usize, String)>,
}

fn beside(questions: &[Question], ours: &[Value], theirs: &[Value]) -> Found {
    let mut found = Found {
        alike_not: 0,
        differences: BTreeMap::new(),
    };
    for (at, question) in questions.iter().enumerate() {
        let theirs = theirs.get(at).unwrap_or(&Value::Null);
        let differences = differences(&ours[at], theirs);
        found.alike_not += usize::from(!differences.is_empty());
        for difference in differences {
            let field = format!("{}{}", question.ask, difference.field);
            let key = (question.case.clone(), field);
            let entry = found.differences.entry(key).or_insert_with(|| {
                let what = format!("{} {} {}", question.id, question.options, difference.values);
                (0, what)
            });
            entry.0 += 1;
        }
    }
    found
}

fn answers(lines: &str) -> Result<Vec<Value>> {
    let answers = lines.lines().map(serde_json::from_str);
    Ok(answers.collect::<std::result::Result<_, _>>()?)
}

/// Returns a Python that has the official package, which is installed under target/ if necessary.
///
/// # Errors
/// Fails if Python or pip is missing or fails.
pub(crate) fn interpreter(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.ci_directory().join("sessions-python");
    Ok(python::install(&folder, python::SDK_PACKAGE, [python::SDK_PACKAGE])?.join("python"))
}
