//! `cargo xtask downstream`: tests code that generators of other languages create from the schemas.
//!
//! The commands of schemas/README.md are run exactly as written, in a copy of what they read under target/. The generated
//! names are checked. The programs read every line of the fixtures, and some lines of future versions. The packages in
//! schemas/packages are built from the generated code, installed into an empty project, and read the same lines.
//! `server` is a client of `claw serve`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use xtask::run::{Result, run};
use xtask::workspace::{OPENAPI, Workspace, slashes};

mod lines;
mod names;
mod packages;
mod server;

use lines::{Lines, WAYS};

/// The command line of `cargo xtask downstream`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Test only these languages, or the client of `claw serve`.
    #[arg(value_name = "LANGUAGE", value_parser = clap::builder::PossibleValuesParser::new(choices()))]
    languages: Vec<String>,
}

/// A language that the schemas support.
struct Language {
    /// Its heading in schemas/README.md.
    heading: &'static str,
    /// Its folder in schemas/downstream.
    folder: &'static str,
    /// The command of the compiled program.
    program: &'static [&'static str],
    /// Checks the generated code.
    check: fn(&names::Definitions, &Path) -> Result,
    /// Whether the program checks only tags, and also reads lines that the types do not allow.
    by_tags: bool,
    /// Whether the program reads half of a surrogate pair.
    reads_halves: bool,
    /// The published package for the language.
    package: Option<packages::Package>,
}

const LANGUAGES: [Language; 3] = [
    Language {
        heading: "## TypeScript",
        folder: "typescript",
        program: &["node", "dist/read.js"],
        check: names::typescript,
        by_tags: true,
        reads_halves: true,
        package: Some(packages::NPM),
    },
    Language {
        heading: "## Python",
        folder: "python",
        program: &["venv/bin/python", "read.py"],
        check: names::python,
        by_tags: false,
        reads_halves: true,
        package: Some(packages::PYTHON),
    },
    Language {
        heading: "## Rust",
        folder: "rust",
        program: &["target/debug/read"],
        check: names::rust,
        by_tags: false,
        reads_halves: false,
        package: None,
    },
];

/// Returns the names that can be checked separately: the languages, and the client of the server.
fn choices() -> Vec<&'static str> {
    let languages = LANGUAGES.iter().map(|language| language.folder);
    languages.chain([server::NAME]).collect()
}

pub(crate) fn main(args: &Args) -> Result {
    check(&Workspace::read()?, &args.languages)
}

/// Generates, compiles and runs the code in the named languages, or in all languages.
///
/// # Errors
/// Fails if a tool is missing or fails, if a name differs from the definition's name, or if a program does not find the
/// contents of a line.
pub(crate) fn check(workspace: &Workspace, languages: &[String]) -> Result {
    let copy = workspace.ci_directory().join("downstream");
    for file in workspace.files()? {
        let top = file.iter().next().unwrap_or_default().to_string_lossy();
        let is_read = ["schemas", "fixtures"].contains(&&*top) || top.starts_with("LICENSE-");
        if is_read || file == Path::new(OPENAPI) {
            mirror(&workspace.root.join(&file), &copy.join(&file))?;
        }
    }
    let readme = fs::read_to_string(copy.join("schemas/README.md"))?;
    if languages.is_empty() || languages.iter().any(|name| name == server::NAME) {
        server::check(&copy, &readme)?;
    }
    let definitions = names::Definitions::read(&copy.join("schemas"))?;
    let lines = Lines::read(workspace)?;
    println!("{}", lines.account());
    let mut found: Vec<(&str, Vec<Value>)> = Vec::new();
    for language in &LANGUAGES {
        if !languages.is_empty() && !languages.iter().any(|name| name == language.folder) {
            continue;
        }
        let folder = copy.join("schemas/downstream").join(language.folder);
        quoted(language.heading, &readme, &folder)?;
        run(shell(&copy).arg(commands(language.heading, &readme)?))?;
        (language.check)(&definitions, &folder)?;
        if language.by_tags {
            types_take(&lines, &folder)?;
        }
        let counts = read_all(language, &lines, &folder)?;
        if let Some((other, theirs)) = found.first() {
            let same = theirs.iter().zip(&counts).all(|(a, b)| same_facts(a, b));
            if !same {
                let name = language.folder;
                return Err(format!("{other} and {name} differ: {theirs:?}, {counts:?}").into());
            }
        }
        found.push((language.folder, counts));
        if let Some(package) = &language.package {
            package.check(&lines, &copy, language.by_tags)?;
        }
    }
    Ok(())
}

/// Copies a file if its contents have changed.
fn mirror(from: &Path, to: &Path) -> Result {
    let new = fs::read(from)?;
    if fs::read(to).ok().as_ref() != Some(&new) {
        fs::create_dir_all(to.parent().unwrap_or(to))?;
        fs::write(to, new)?;
    }
    Ok(())
}

/// Returns a shell that ends at the first command that fails.
fn shell(folder: &Path) -> Command {
    let mut shell = Command::new("sh");
    // The target folder of this cargo must not apply to the cargo that builds another workspace.
    shell.current_dir(folder).env_remove("CARGO_TARGET_DIR");
    shell.args(["-eu", "-c"]);
    shell
}

/// Returns the text of the section under a heading of schemas/README.md.
fn section<'a>(heading: &str, readme: &'a str) -> Result<&'a str> {
    let (_, text) = readme
        .split_once(&format!("\n{heading}\n"))
        .ok_or_else(|| format!("schemas/README.md has no `{heading}`"))?;
    Ok(text.split("\n## ").next().unwrap_or(text))
}

/// Returns the commands of the README under a heading.
fn commands<'a>(heading: &str, readme: &'a str) -> Result<&'a str> {
    let block = section(heading, readme)?
        .split_once("```sh\n")
        .and_then(|(_, rest)| rest.split_once("```"));
    let (commands, _) = block.ok_or_else(|| format!("no commands under `{heading}`"))?;
    Ok(commands)
}

/// Fails unless the program contains the README's excerpt, line by line.
fn quoted(heading: &str, readme: &str, folder: &Path) -> Result {
    let section = section(heading, readme)?;
    let excerpt = section
        .split("\n```")
        .nth(3)
        .and_then(|text| text.split_once('\n'));
    let (_, excerpt) = excerpt.ok_or_else(|| format!("no excerpt under `{heading}`"))?;
    for file in ["src/read.ts", "read.py", "src/main.rs", "src/use.ts"] {
        if fs::read_to_string(folder.join(file)).is_ok_and(|program| program.contains(excerpt)) {
            return Ok(());
        }
    }
    Err(format!("schemas/README.md quotes what no program of `{heading}` says").into())
}

/// Checks with the compiler that every known line, written as a literal in the program, has its type.
fn types_take(lines: &Lines, folder: &Path) -> Result {
    let file = folder.join("src/lines.ts");
    fs::write(&file, lines.as_typescript())?;
    let done = run(Command::new("node_modules/.bin/tsc")
        .current_dir(folder)
        .arg("--noEmit"));
    fs::remove_file(file)?;
    done
}

/// Returns what the program finds in the lines of each direction. Checks the number of lines that it knows.
fn read_all(language: &Language, lines: &Lines, folder: &Path) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for way in WAYS {
        let found = read(language.program, folder, way, &lines.whole(way))?;
        let unknown = lines.unknown(way, language.by_tags);
        let known = lines.whole(way).lines().count() - unknown;
        if found["known"] != known || found["unknown"] != unknown {
            let name = language.folder;
            let text =
                format!("{name}, {way}: {known} lines are known, {unknown} are not; {found}");
            return Err(text.into());
        }
        println!(
            "{}, {way}: {known} lines known, {unknown} passed over",
            language.folder
        );
        // Half of a surrogate pair may be read or skipped, but must not cause a failure.
        let cut = lines.cut(way);
        let after = read(language.program, folder, way, &cut)?;
        let all_cut = cut.lines().count();
        let known = if language.reads_halves { all_cut } else { 0 };
        if after["known"] != known || after["unknown"] != all_cut - known {
            return Err(format!("{}: {after} of {cut}", language.folder).into());
        }
        println!(
            "{}, {way}: {known} of {all_cut} lines with half of a surrogate pair known",
            language.folder
        );
        all.push(found);
    }
    lines::reaches(&all)?;
    Ok(all)
}

/// Runs a program of a folder with lines as its input.
fn read(program: &[&str], folder: &Path, way: &str, lines: &str) -> Result<Value> {
    let input = folder.join(format!("../{way}.ndjson"));
    fs::write(&input, lines)?;
    let mut words = program.iter().map(PathBuf::from);
    let program = words.next().unwrap_or_default();
    // A path below the folder must not be searched on the path of programs.
    let program = if program.components().count() > 1 {
        folder.join(program)
    } else {
        program
    };
    let output = Command::new(&program)
        .args(words)
        .args((way == "stdin").then_some("stdin"))
        .current_dir(folder)
        .stdin(fs::File::open(&input)?)
        .output()
        .map_err(|error| format!("{}: {error}", slashes(&program)))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        let name = slashes(&program);
        return Err(format!("{name} fails on {way} lines: {errors}").into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Whether two programs found the same facts. The numbers of known lines are compared elsewhere.
fn same_facts(a: &Value, b: &Value) -> bool {
    let keys = a.as_object().into_iter().chain(b.as_object());
    keys.flat_map(|facts| facts.keys())
        .filter(|key| !["known", "unknown"].contains(&key.as_str()))
        .all(|key| a.get(key) == b.get(key))
}

#[cfg(test)]
mod tests;
