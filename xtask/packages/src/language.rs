//! A language that has a package, and how the package is generated and compiled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::Value;

use xtask::run::{Result, read, run};
use xtask::workspace::{Workspace, slashes};
use xtask::{npm, python};

use crate::model::Model;
use crate::model::api::Api;
use crate::words;

/// A language that has a package.
pub(crate) struct Language {
    /// The name on the command line, and of the folders in schemas/packages and target/ci/packages.
    pub name: &'static str,
    /// A command that succeeds if the compiler is installed.
    pub compiler: &'static [&'static str],
    /// The Debian package of the compiler.
    pub debian: &'static str,
    /// The npm package that has the compiler, with its version, if Debian has none.
    pub npm: Option<&'static str>,
    /// Checks the sources where the compiler is missing. `None` if the compiler can be installed on every machine.
    pub parser: Option<Parser>,
    /// Makes the generated sources.
    pub sources: fn(&Model) -> Result<Vec<Source>>,
    /// The shell commands that compile the package and its program, in the package's folder. The variable `NPM` has the
    /// folder in which `npm` is installed.
    pub compile: &'static str,
    /// The command of the program that reads lines and writes what it read. `proof.rs` describes its output.
    pub program: &'static [&'static str],
    /// Returns the name of the type of a definition.
    pub type_name: fn(&str) -> String,
    /// The module that is a client of `claw serve`.
    pub server: Option<Server>,
    /// The rules and the templates, as texts, to count their lines.
    pub rules: &'static [&'static str],
}

/// A parser that finds what is wrong in the syntax of a language.
pub(crate) struct Parser {
    /// The packages of pip that have the parser, with their versions.
    pub packages: &'static [&'static str],
    /// A program in Python that parses all sources below its working directory, and prints their number. It fails if a
    /// source is wrong.
    pub program: &'static str,
}

/// The client's module of a language.
pub(crate) struct Server {
    /// The files of the protocol's module that this module has too.
    pub shared: &'static [&'static str],
    /// The beginnings of the paths of generated files that this module does not have.
    pub without: &'static [&'static str],
    /// Changes the path or the text of a file of the protocol's module to that of this module.
    pub rename: fn(&str) -> String,
    /// Makes the sources with a method for each operation.
    pub client: fn(&Api) -> Result<Vec<Source>>,
    /// The command that uses a server. The variables `CLAW_ORIGIN` and `CLAW_TOKEN` have its origin and token.
    pub program: &'static [&'static str],
}

/// How a package was checked.
pub(crate) enum Compiled {
    /// It was compiled.
    Yes,
    /// It was parsed, because the compiler is missing. The text has the number of files and this reason.
    Parsed(String),
}

/// A generated file of a package.
pub(crate) struct Source {
    /// Its path in the package.
    pub path: String,
    pub text: String,
}

/// The lines of rules and templates that a language may have.
const MOST_LINES: usize = 900;

impl Language {
    /// Generates the package, and returns its folder.
    ///
    /// # Errors
    /// Fails if two names of the package are equal, or if a file cannot be written.
    pub(crate) fn generate(
        &self,
        workspace: &Workspace,
        model: &Model,
        api: &Api,
    ) -> Result<PathBuf> {
        let folder = workspace.ci_directory().join("packages").join(self.name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let prefix = format!("schemas/packages/{}/", self.name);
        for file in workspace.files()? {
            let path = slashes(&file);
            if let Some(inner) = path.strip_prefix(&prefix) {
                let text = fs::read(workspace.root.join(&file))?;
                write(&folder.join(inner), &text)?;
                let server = self.server.as_ref();
                if let Some(server) = server.filter(|server| server.shared.contains(&inner)) {
                    let text = (server.rename)(&String::from_utf8(text)?);
                    write(&folder.join((server.rename)(inner)), text.as_bytes())?;
                }
            } else if path.starts_with("LICENSE-") {
                write(&folder.join(&path), &fs::read(workspace.root.join(&file))?)?;
            }
        }
        let mut sources = (self.sources)(model)?;
        if let Some(server) = &self.server {
            sources.extend(self.of_server(server, api)?);
        }
        for source in sources {
            write(&folder.join(&source.path), source.text.as_bytes())?;
        }
        Ok(folder)
    }

    /// Makes the sources of the server's module.
    fn of_server(&self, server: &Server, api: &Api) -> Result<Vec<Source>> {
        let mut sources = (self.sources)(&api.model)?;
        sources.retain(|of| server.without.iter().all(|it| !of.path.starts_with(it)));
        for source in &mut sources {
            source.path = (server.rename)(&source.path);
            source.text = (server.rename)(&source.text);
        }
        sources.extend((server.client)(api)?);
        Ok(sources)
    }

    /// Compiles the package, or parses it if the compiler is missing and there is a parser.
    ///
    /// # Errors
    /// Fails if the compiler or the parser fails, or if both are missing. The error says how to install the compiler.
    pub(crate) fn compile(&self, workspace: &Workspace, folder: &Path) -> Result<Compiled> {
        if !succeeds(self.compiler) {
            if let Some(parser) = &self.parser {
                let count = parser.parse(self.name, workspace, folder)?;
                let name = words::capital(self.name);
                return Ok(Compiled::Parsed(format!(
                    "{count} parsed, not compiled: there is no {name} compiler"
                )));
            }
            let [program, debian] = [self.compiler[0], self.debian];
            let error = format!("{program} is missing: on Debian, `apt-get install {debian}`");
            return Err(error.into());
        }
        let mut shell = Command::new("sh");
        shell.current_dir(folder).args(["-eu", "-c", self.compile]);
        if let Some(package) = self.npm {
            let prefix = workspace.ci_directory().join(package.replace('@', "-"));
            if !prefix.join("node_modules/.package-lock.json").exists() {
                npm::install(&prefix, &[package], &[])?;
            }
            shell.env("NPM", prefix);
        }
        run(&mut shell)?;
        Ok(Compiled::Yes)
    }

    /// Returns the bytes of the package's sources, and the lines of the rules and templates.
    ///
    /// # Errors
    /// Fails if there are too many lines.
    pub(crate) fn sizes(&self, folder: &Path) -> Result<[usize; 2]> {
        let rules = self.rules.iter().map(|text| text.lines().count()).sum();
        if rules > MOST_LINES {
            let name = self.name;
            return Err(format!("{name}: {rules} lines of rules, over {MOST_LINES}").into());
        }
        Ok([size(folder)?, rules])
    }
}

impl Parser {
    /// Parses the sources of a package, and returns what the program printed.
    fn parse(&self, language: &str, workspace: &Workspace, folder: &Path) -> Result<String> {
        let environment = workspace.ci_directory().join(format!("{language}-parser"));
        let requirements = self.packages.join(" ");
        let programs = python::install(&environment, &requirements, self.packages)?;
        let program = environment.join("parse.py");
        fs::write(&program, self.program)?;
        let mut python = Command::new(programs.join("python"));
        let printed = read(python.current_dir(folder).arg(&program))?;
        Ok(printed.trim().to_owned())
    }
}

/// Writes a file, and makes its folder.
fn write(path: &Path, contents: &[u8]) -> Result {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    Ok(fs::write(path, contents)?)
}

/// Returns the bytes of the files below a folder, without those that a compiler has made.
fn size(folder: &Path) -> Result<usize> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() && entry.file_name() != "built" {
            bytes += size(&entry.path())?;
        } else if kind.is_file() {
            bytes += usize::try_from(entry.metadata()?.len())?;
        }
    }
    Ok(bytes)
}

/// Whether a command succeeds. Its output is not shown.
fn succeeds(command: &[&str]) -> bool {
    let mut process = Command::new(command[0]);
    process.args(&command[1..]).stdin(Stdio::null());
    process.stdout(Stdio::null()).stderr(Stdio::null());
    process.status().is_ok_and(|status| status.success())
}

/// Renders templates, each of which has the path of its file as its name. A name that is missing in the data is an error.
///
/// # Errors
/// Fails if a template is wrong. The error names its line.
pub(crate) fn render(templates: &[(&str, &'static str)], data: &Value) -> Result<Vec<Source>> {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    environment.set_syntax(syntax);
    environment.add_filter("capitalized", |name: &str| words::capital(name));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let data = minijinja::Value::from(Serde(data));
    let source = |&(path, template): &(&str, &'static str)| -> Result<Source> {
        let text = environment.render_named_str(path, template, &data)?;
        let path = path.to_owned();
        Ok(Source { path, text })
    };
    templates.iter().map(source).collect()
}
