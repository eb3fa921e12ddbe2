//! Performs the steps of a user with the packages: builds a program, and installs the command. The user has a registry,
//! but no other part of the project.

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

/// The crate that contains the scripted `claude`, and the name of its program.
const STAND_IN: (&str, &str) = ("claw-testkit", "scripted-agent");
/// The answer of the scripted `claude`.
const ANSWER: &str = "Four, said the script.";

/// The folders of the user.
pub(super) struct Stranger<'a> {
    pub(super) plan: &'a Plan,
    pub(super) registry: PathBuf,
    /// The user's own folder. It contains the program.
    pub(super) folder: PathBuf,
}

/// A build of the program.
struct Built {
    profile: &'static str,
    executable: PathBuf,
    seconds: f64,
    /// The processor seconds, if the system counts them.
    processor: Option<f64>,
    bytes: u64,
}

impl Stranger<'_> {
    /// Writes the program. Builds it from scratch in both profiles, and sends one prompt with each build. Prints the
    /// durations and sizes.
    ///
    /// # Errors
    /// Fails if there is no registry, if a build fails, or if the program does not print the answer.
    pub(super) fn hello(&self, workspace: &Workspace, target: Option<&str>) -> Result {
        let prefix = match target {
            Some(wine::TARGET) => Some(Prefix::new(workspace)?),
            Some(target) => return Err(format!("programs for {target} do not run here").into()),
            None => None,
        };
        if let Some(target) = target {
            toolchains::add_target(target)?;
        }
        // The results of earlier builds must not shorten the durations.
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)?;
        }
        // The program is a separate workspace, even if its folder is inside another workspace.
        hello::write(self.plan, &self.folder, "\n[workspace]\n")?;
        // The sources are downloaded before the builds, so that the durations do not include downloads.
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

    /// Installs the command in the same way as a user. Checks the version of the command, and runs one scripted prompt.
    ///
    /// # Errors
    /// Fails if there is no registry, if the command cannot be built, or if it does not answer.
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

    /// Returns a folder with the scripted `claude`, which is also installed from the registry.
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

    /// Runs `cargo install`, and returns the published name of the package. Reuses the dependencies that were built for
    /// the program.
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

    /// Runs the program with the scripted `claude`, and returns its output.
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
        let output = read(hello.current_dir(&self.folder))?;
        if output.trim() == ANSWER {
            Ok(ANSWER.to_owned())
        } else {
            Err(format!("the program printed {output:?}, not {ANSWER:?}").into())
        }
    }

    fn script(&self) -> PathBuf {
        self.folder.join("script.json")
    }

    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    /// Prepares a cargo command that runs in the user's folder and uses only the created registry.
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

/// Returns the file name of a program.
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
