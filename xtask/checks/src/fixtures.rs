//! `cargo xtask fixtures`: the recordings in fixtures/, one folder for each scenario.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use changes::Traits;
use xtask::run::Result;
use xtask::workspace::{Workspace, slashes};

pub mod changes;
mod check;
mod clean;
mod drive;
mod list;
mod manifest;
mod play;
mod recipe;
mod record;
mod screen;
mod transcripts;

/// The action on the recordings.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Check that every recording is complete, agrees with its manifest, and contains no personal data.
    Check,
    /// Write the lists in fixtures/README.md.
    List,
    /// Record one recipe, or all, with the real CLI against the scripted API on loopback.
    Record {
        /// The name of the recipe in xtask/recordings/.
        name: Option<String>,
    },
    /// Remove data that belongs to one machine from NDJSON, from stdin to stdout.
    Clean {
        /// The home folder of the CLI.
        #[arg(long)]
        home: PathBuf,
        /// The folder in which the CLI ran.
        #[arg(long)]
        project: PathBuf,
        /// Files with texts from you, your model and your tools, which stay unchanged. Other long prose is replaced by
        /// other letters.
        #[arg(long)]
        own: Vec<PathBuf>,
    },
}

/// Runs `cargo xtask fixtures`.
///
/// # Errors
/// Fails if the action fails, or if a recording has a problem.
pub fn main(command: &Command) -> Result {
    match command {
        Command::Check => check(&Workspace::read()?),
        Command::List => list(&Workspace::read()?),
        Command::Record { name } => {
            let workspace = Workspace::read()?;
            record::record(&workspace, name.as_deref())?;
            list(&workspace)
        }
        Command::Clean { home, project, own } => {
            let own: Vec<_> = own
                .iter()
                .map(fs::read_to_string)
                .collect::<io::Result<_>>()?;
            let own = clean::Own::of(own.iter().map(String::as_str));
            let mut ndjson = Vec::new();
            io::stdin().read_to_end(&mut ndjson)?;
            let names = clean::Names::new(home, project);
            io::stdout().write_all(&clean::clean(&ndjson, &names, &own))?;
            Ok(())
        }
    }
}

/// Checks every scenario, and prints its problems.
///
/// # Errors
/// Fails if there is a problem, or if there are no scenarios.
pub fn check(workspace: &Workspace) -> Result {
    let fixtures = workspace.root.join("fixtures");
    let scenarios = scenarios(&fixtures)?;
    if scenarios.is_empty() {
        return Err("there are no recordings in fixtures/".into());
    }
    let recipes = recipe::all(&workspace.root.join(recipe::FOLDER))?;
    let mut wrong = 0;
    for folder in &scenarios {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let source = recipes
            .iter()
            .find_map(|recipe| Some((recipe, recipe.run_of(&name)?)))
            .map(|(recipe, run)| recipe.source(run))
            .transpose()?;
        for problem in check::problems(folder, source.as_ref())? {
            wrong += 1;
            println!(
                "error: {}: {problem}",
                slashes(folder.strip_prefix(&workspace.root)?)
            );
        }
    }
    for recipe in &recipes {
        if !scenarios.contains(&fixtures.join(&recipe.name)) {
            wrong += 1;
            println!("error: fixtures/{}: it is not recorded", recipe.name);
        }
    }
    if wrong == 0 && !list::readme(&fixtures)?.1 {
        wrong += 1;
        println!("error: fixtures/README.md is old: `cargo xtask fixtures list`");
    }
    println!("{} recordings", scenarios.len());
    if wrong == 0 {
        Ok(())
    } else {
        Err(format!("{wrong} to mend").into())
    }
}

/// Writes the lists in fixtures/README.md.
fn list(workspace: &Workspace) -> Result {
    let fixtures = workspace.root.join("fixtures");
    let (text, _) = list::readme(&fixtures)?;
    Ok(fs::write(fixtures.join("README.md"), text)?)
}

/// Plays every recipe of a folder, each in a separate home. `then` is called with the name of each recipe and its home,
/// which contains the files that the CLI has written.
///
/// # Errors
/// Fails if a recipe cannot be played, or if `then` fails.
pub fn play(
    workspace: &Workspace,
    folder: &Path,
    mut then: impl FnMut(&str, &Path) -> Result,
) -> Result {
    for recipe in recipe::all(folder)? {
        let cli = recipe
            .read(&clean::Names::fixed())?
            .cli
            .install(workspace)?;
        let scratch = tempfile::tempdir()?;
        play_in(&recipe, &cli, scratch.path())
            .and_then(|()| then(&recipe.name, &scratch.path().join("home")))
            .map_err(|error| format!("{}: {error}", recipe.name))?;
    }
    Ok(())
}

fn play_in(recipe: &recipe::Named, cli: &Path, folder: &Path) -> Result {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let played = play::play(recipe, cli, folder);
    runtime.block_on(async { tokio::time::timeout(record::LIMIT, played).await? })
}

/// The output of a CLI for the project's recipes.
#[derive(Default)]
pub struct Played {
    /// The properties of its lines on stdout.
    pub lines: Traits,
    /// The properties of the lines of its transcripts.
    pub transcripts: Traits,
    /// The parts of lines for which claw has no type. The caller's functions find them.
    pub untyped: Traits,
    /// The recipes that failed, with their errors.
    pub failed: Vec<String>,
}

/// A function that returns the parts of a line for which claw has no type.
type UntypedOf = fn(&str) -> Vec<String>;

/// Plays the project's recipes with this CLI. Recipes for fixed versions of the CLI are left out. `of_line` finds
/// untyped parts in lines on stdout, and `of_entry` finds untyped parts in lines of transcripts.
///
/// # Errors
/// Fails if the recipes cannot be read.
pub fn played(
    root: &Path,
    cli: &Path,
    (of_line, of_entry): (UntypedOf, UntypedOf),
) -> Result<Played> {
    let mut written = Played::default();
    for recipe in recipe::all(&root.join(recipe::FOLDER))? {
        if recipe.read(&clean::Names::fixed())?.cli != recipe::Cli::Pinned {
            continue;
        }
        let scratch = tempfile::tempdir()?;
        if let Err(error) = play_in(&recipe, cli, scratch.path()) {
            written.failed.push(format!("{}: {error}", recipe.name));
        }
        for index in 0.. {
            let Ok(text) = fs::read_to_string(scratch.path().join(format!("stdout-{index}")))
            else {
                break;
            };
            changes::add(&mut written.lines, &recipe.name, &text);
            written.add_untyped(&recipe.name, &text, of_line);
        }
        for path in transcripts::written(&scratch.path().join("home"))?.keys() {
            let text = fs::read_to_string(path)?;
            changes::add(&mut written.transcripts, &recipe.name, &text);
            written.add_untyped(&recipe.name, &text, of_entry);
        }
    }
    Ok(written)
}

impl Played {
    fn add_untyped(&mut self, recipe: &str, text: &str, untyped: UntypedOf) {
        for part in text.lines().flat_map(untyped) {
            self.untyped
                .entry(part)
                .or_default()
                .insert(recipe.to_owned());
        }
    }
}

/// The result of playing a recipe with a CLI.
pub struct Left {
    /// The reason why the recipe could not be played.
    pub problem: Option<String>,
    /// The texts of its transcripts.
    pub transcripts: Vec<String>,
}

/// Plays one of the project's recipes with this CLI.
///
/// # Errors
/// Fails if there is no such recipe, or if the transcripts cannot be read.
pub fn play_one(root: &Path, name: &str, cli: &Path) -> Result<Left> {
    let recipes = recipe::all(&root.join(recipe::FOLDER))?;
    let recipe = recipes.iter().find(|recipe| recipe.name == name);
    let recipe = recipe.ok_or_else(|| format!("there is no recipe {name}"))?;
    let scratch = tempfile::tempdir()?;
    let problem = play_in(recipe, cli, scratch.path()).err();
    let mut transcripts = Vec::new();
    for path in transcripts::written(&scratch.path().join("home"))?.keys() {
        transcripts.push(fs::read_to_string(path)?);
    }
    Ok(Left {
        problem: problem.map(|error| error.to_string()),
        transcripts,
    })
}

/// Returns the folders of the scenarios, in order.
fn scenarios(fixtures: &Path) -> io::Result<Vec<PathBuf>> {
    if !fixtures.is_dir() {
        return Ok(Vec::new());
    }
    let mut folders = Vec::new();
    for entry in fs::read_dir(fixtures)? {
        let path = entry?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    Ok(folders)
}
