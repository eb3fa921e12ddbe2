//! What a stranger does with the packages: builds a program, installs the command. They have a registry and nothing of
//! the project.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use claw_testkit::Block;
use claw_testkit::agent::{Script, Step};

use super::hello::{self, HELLO};
use super::plan::Plan;
use super::registry;
use xtask::builds::children;
use xtask::run::{Result, cargo, read, run};
use xtask::toolchains;
use xtask::wine::{self, Prefix};
use xtask::workspace::Workspace;

/// Where the scripted `claude` is.
const STAND_IN: (&str, &str) = ("claw-testkit", "scripted-agent");
/// What that answers.
const ANSWER: &str = "Four, said the script.";

/// The stranger's folders.
pub(super) struct Stranger<'a> {
    pub(super) plan: &'a Plan,
    pub(super) registry: PathBuf,
    /// Theirs, with the program.
    pub(super) folder: PathBuf,
}

/// A build of the program.
struct Built {
    profile: &'static str,
    executable: PathBuf,
    seconds: f64,
    /// Where the system counts them.
    processor: Option<f64>,
    bytes: u64,
}

impl Stranger<'_> {
    /// Writes the program, builds it from nothing in both profiles, and lets each build ask one prompt. Prints the times
    /// and sizes.
    ///
    /// # Errors
    /// When there is no registry, something does not build, or the program does not print the answer.
    pub(super) fn hello(&self, workspace: &Workspace, target: Option<&str>) -> Result {
        let prefix = match target {
            Some(wine::TARGET) => Some(Prefix::new(workspace)?),
            Some(target) => return Err(format!("programs for {target} do not run here").into()),
            None => None,
        };
        if let Some(target) = target {
            toolchains::add_target(target)?;
        }
        // Nothing that was built before shortens the times.
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)?;
        }
        // A workspace of its own, wherever the folder lies.
        hello::write(self.plan, &self.folder, "\n[workspace]\n")?;
        // It is fetched before: the times are those of builds.
        let mut fetch = cargo("fetch");
        run(self.command(&mut fetch)?)?;
        let mut rows = String::new();
        let mut builds = Vec::new();
        for profile in ["dev", "release"] {
            let built = self.build(profile, target)?;
            // Writing to a String cannot fail.
            let _ = writeln!(
                rows,
                "{:<22} {profile:<8} {:>8.1} {:>11} {:>8.1}",
                target.unwrap_or("here"),
                built.seconds,
                built
                    .processor
                    .map_or_else(|| "-".to_owned(), |it| format!("{it:.1}")),
                megabytes(built.bytes)
            );
            builds.push(built);
        }
        let stand_in = self.stand_in(target)?;
        for built in &builds {
            let answer = self.ask(built, &stand_in, prefix.as_ref())?;
            println!("{}, {}: {answer}", HELLO, built.profile);
        }
        print!(
            "\n{:<22} {:<8} {:>8} {:>11} {:>8}\n{rows}",
            "system", "profile", "wall s", "processor s", "MB"
        );
        Ok(())
    }

    /// Installs the command as a stranger does, and asks for its version and one scripted prompt.
    ///
    /// # Errors
    /// When there is no registry, it is not built, or does not answer.
    pub(super) fn install(&self) -> Result {
        fs::create_dir_all(&self.folder)?;
        let root = self.folder.join("installed");
        let command = self.install_package("claw-cli", &root, None, &["--bin=claw"])?;
        let claw = root.join("bin").join(program("claw", None));
        println!("{}", read(Command::new(&claw).arg("--version"))?.trim());
        let shown = read(Command::new(&claw).arg("demo"))?;
        if shown.trim().is_empty() {
            return Err(format!("`claw demo` of {command} shows nothing").into());
        }
        Ok(())
    }

    fn build(&self, profile: &'static str, target: Option<&str>) -> Result<Built> {
        let mut build = cargo("build");
        build.args(["--profile", profile]);
        if let Some(target) = target {
            build.args(["--target", target]);
        }
        let (before, begun) = (children().ok(), Instant::now());
        run(self.command(&mut build)?)?;
        let seconds = begun.elapsed().as_secs_f64();
        let processor = children().ok().zip(before);
        let folder = if profile == "dev" { "debug" } else { profile };
        let executable = self
            .target()
            .join(target.unwrap_or_default())
            .join(folder)
            .join(program(HELLO, target));
        Ok(Built {
            profile,
            bytes: fs::metadata(&executable)?.len(),
            executable,
            seconds,
            processor: processor.map(|(after, before)| after - before),
        })
    }

    /// A folder with a scripted `claude`, also out of the registry.
    fn stand_in(&self, target: Option<&str>) -> Result<PathBuf> {
        let root = self.folder.join("stand-in");
        let bin = format!("--bin={}", STAND_IN.1);
        self.install_package(STAND_IN.0, &root, target, &[&bin])?;
        let bin = root.join("bin");
        fs::rename(
            bin.join(program(STAND_IN.1, target)),
            bin.join(program("claude", target)),
        )?;
        let script = Script::new([Step::Turn(vec![Step::message([Block::text(ANSWER)])])]);
        fs::write(self.script(), serde_json::to_vec(&script)?)?;
        Ok(bin)
    }

    /// Runs `cargo install`, and returns the published name. Dependencies are built with what the program needed.
    fn install_package(
        &self,
        name: &str,
        root: &Path,
        target: Option<&str>,
        more: &[&str],
    ) -> Result<String> {
        let planned = self.plan.named(name);
        let published = &planned
            .ok_or_else(|| format!("{name} is not published"))?
            .published;
        let mut install = cargo("install");
        install.args(["--debug", "--force", published]).args(more);
        install.arg("--root").arg(root);
        if let Some(target) = target {
            install.args(["--target", target]);
        }
        run(self.command(&mut install)?)?;
        Ok(published.clone())
    }

    /// Runs the program with the scripted `claude`, and returns what it prints.
    fn ask(&self, built: &Built, stand_in: &Path, prefix: Option<&Prefix>) -> Result<String> {
        let mut hello = if let Some(prefix) = prefix {
            let mut wine = Command::new(wine::PROGRAM);
            wine.arg(&built.executable).envs(prefix.environment());
            wine.env("WINEPATH", wine::path(stand_in));
            wine.env("CLAW_AGENT_SCRIPT", wine::path(&self.script()));
            wine
        } else {
            let mut hello = Command::new(&built.executable);
            hello.env("PATH", stand_in);
            hello.env("CLAW_AGENT_SCRIPT", self.script());
            hello
        };
        let said = read(hello.current_dir(&self.folder))?;
        if said.trim() == ANSWER {
            Ok(ANSWER.to_owned())
        } else {
            Err(format!("the program printed {said:?}, not {ANSWER:?}").into())
        }
    }

    fn script(&self) -> PathBuf {
        self.folder.join("script.json")
    }

    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    /// A command of cargo in the stranger's folder, with the registry and nothing else.
    fn command<'a>(&self, command: &'a mut Command) -> Result<&'a mut Command> {
        if !self.registry.join("index").is_dir() {
            return Err("there is no registry yet: run the step `registry` first".into());
        }
        registry::only(&self.registry, command)?;
        command.current_dir(&self.folder);
        command.env("CARGO_TARGET_DIR", self.target());
        Ok(command)
    }
}

/// The file of a program.
fn program(name: &str, target: Option<&str>) -> String {
    match target {
        Some(target) if target.contains("windows") => format!("{name}.exe"),
        Some(_) => name.to_owned(),
        None => format!("{name}{}", std::env::consts::EXE_SUFFIX),
    }
}

#[expect(clippy::cast_precision_loss, reason = "printed with one digit")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
