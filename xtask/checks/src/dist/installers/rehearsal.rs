//! Installs the command in every way that needs no account, from registries on loopback, and then uses the installed
//! command.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use xtask::npm;
use xtask::run::{Result, read, run};
use xtask::workspace::Workspace;

use super::super::targets::TARGETS;
use super::super::{COMMAND, INSTALLER, command, folder, make, megabytes};
use super::{Made, Release, Target, checksums, copy, write};

/// A Node.js version in which a process can replace itself by another program.
const NEWER_NODE: &str = "node@24";
/// The number of additional starts. Their median duration is printed.
const STARTS: usize = 11;
/// A program that replaces Homebrew and runs a formula.
const BREW: &str = include_str!("brew.rb");

/// Makes packages from the archive for this machine. Installs each package below `place`, and then uses the installed
/// command. Prints durations and sizes. Needs npm, python3, ruby, dpkg, and curl or wget.
///
/// # Errors
/// Fails if a package cannot be made or installed, or if the installed command does not work.
pub(crate) fn check(workspace: &Workspace, place: &Path) -> Result {
    let (package, archives) = (command(workspace)?, folder(workspace));
    let target = TARGETS.iter().find(|target| target.is_of_this_machine());
    let target = target.ok_or("a release has no archive for this machine")?;
    make(workspace, package, target, &archives)?;
    let release = Release::new(workspace, package, &archives)?;
    let made = release.make(workspace, &[target])?;
    if place.exists() {
        fs::remove_dir_all(place)?;
    }
    let served = place.join("served");
    fs::create_dir_all(&served)?;
    let rehearsal = Rehearsal {
        release: &release,
        target,
        made: &made,
        place,
        server: Server::start(&served)?,
        served,
    };
    let npm = rehearsal.by_npm()?;
    let newer = rehearsal.by_newer_node(&npm)?;
    let pip = rehearsal.by_pip()?;
    let script = rehearsal.by_script(&workspace.root.join(INSTALLER))?;
    let formula = rehearsal.by_formula()?;
    let mut ways = vec![npm, newer, pip, script, formula];
    if !made.debian.is_empty() {
        ways.push(rehearsal.by_dpkg()?);
    }
    let mut table = format!(
        "{:<18} {:>11} {:>9} {:>8} {:>8}\n",
        "installed by", "download MB", "install s", "first ms", "start ms"
    );
    for way in &ways {
        writeln!(table, "{}", way.row(release.version)?)?;
    }
    print!("\n{table}");
    Ok(())
}

/// The data that the different ways of installation need.
struct Rehearsal<'a> {
    release: &'a Release<'a>,
    target: &'a Target,
    made: &'a Made,
    /// The folder below which everything is installed.
    place: &'a Path,
    server: Server,
    /// The folder whose files the server serves.
    served: PathBuf,
}

/// A command that was installed in one way.
struct Way {
    name: &'static str,
    /// The words on the command line that start the command.
    call: Vec<PathBuf>,
    /// The files that were downloaded.
    downloaded: Vec<PathBuf>,
    took: Duration,
}

impl Rehearsal<'_> {
    fn by_npm(&self) -> Result<Way> {
        let address = format!("{}/npm", self.server.address);
        for package in &self.made.npm {
            let file = name(package);
            copy(package, &self.served.join("npm/files").join(&file))?;
            let mut tar = Command::new("tar");
            let manifest = read(tar.arg("-xzOf").arg(package).arg("package/package.json"))?;
            let mut manifest: Value = serde_json::from_str(&manifest)?;
            manifest["dist"] = json!({"tarball": format!("{address}/files/{file}")});
            let name = manifest["name"].as_str().unwrap_or_default().to_owned();
            let document = json!({
                "name": name,
                "dist-tags": {"latest": self.release.version},
                "versions": {self.release.version: manifest},
            });
            write(&self.served.join("npm"), &[(&name, &document.to_string())])?;
        }
        let (prefix, cache) = (self.place.join("npm"), self.place.join("npm-cache"));
        let mut npm = Command::new("npm");
        npm.args(["install", "--global", "--no-audit", "--no-fund"]);
        npm.args(["--registry", &address])
            .arg("--prefix")
            .arg(&prefix);
        npm.arg("--cache").arg(cache).arg(&self.release.name);
        let took = timed(&mut npm)?;
        let way = Way {
            name: "npm",
            call: vec![prefix.join("bin").join(COMMAND)],
            downloaded: self.made.npm.clone(),
            took,
        };
        way.ends_with_its_caller()?;
        Ok(way)
    }

    /// Starts the command that npm installed, with a newer Node.js.
    fn by_newer_node(&self, npm: &Way) -> Result<Way> {
        let folder = self.place.join("node");
        // The script of this package copies the executable for this platform from another package.
        npm::install(&folder, &[NEWER_NODE], &["--ignore-scripts=false"])?;
        let node = folder.join("node_modules/node/bin/node");
        let mut call = vec![node];
        call.extend(npm.call.iter().cloned());
        let way = Way {
            name: "npm, newer Node.js",
            call,
            downloaded: npm.downloaded.clone(),
            took: npm.took,
        };
        way.ends_with_its_caller()?;
        Ok(way)
    }

    fn by_pip(&self) -> Result<Way> {
        let index = self.served.join("simple").join(&self.release.name);
        let mut page = String::new();
        for wheel in &self.made.wheels {
            let file = name(wheel);
            copy(wheel, &index.join(&file))?;
            writeln!(page, "<a href=\"{file}\">{file}</a>")?;
        }
        write(&index, &[("index.html", &page)])?;
        let environment = self.place.join("python");
        run(Command::new("python3")
            .args(["-m", "venv"])
            .arg(&environment))?;
        let programs = environment.join("bin");
        let mut pip = Command::new(programs.join("pip"));
        pip.env_remove("PIP_FIND_LINKS");
        pip.args(["install", "--disable-pip-version-check", "--no-cache-dir"]);
        pip.arg(format!("--index-url={}/simple", self.server.address));
        let took = timed(pip.arg(&self.release.name))?;
        Ok(Way {
            name: "pip",
            call: vec![programs.join(COMMAND)],
            downloaded: self.made.wheels.clone(),
            took,
        })
    }

    /// Makes the server serve the archive under the same path as a release. Returns the path of the archive.
    fn serve_archive(&self) -> Result<PathBuf> {
        let archive = self.release.archive(self.target);
        let folder = self.served.join("releases/latest/download");
        copy(&archive, &folder.join(name(&archive)))?;
        checksums::write(&folder, &[])?;
        Ok(archive)
    }

    fn by_script(&self, script: &Path) -> Result<Way> {
        let archive = self.serve_archive()?;
        let to = self.place.join("script");
        let mut sh = Command::new("sh");
        sh.arg(script).arg("--to").arg(&to);
        sh.env("CLAW_RELEASES", format!("{}/releases", self.server.address));
        let took = timed(&mut sh)?;
        Ok(Way {
            name: "install.sh",
            call: vec![to.join("bin").join(COMMAND)],
            downloaded: vec![archive],
            took,
        })
    }

    /// Runs the formula with a program that replaces Homebrew. That program takes the archive from the local server.
    fn by_formula(&self) -> Result<Way> {
        let archive = self.serve_archive()?;
        let (to, brew) = (self.place.join("formula"), self.place.join("brew.rb"));
        fs::write(&brew, BREW)?;
        let mut ruby = Command::new("ruby");
        ruby.arg(brew)
            .arg(&self.made.formula)
            .arg(&archive)
            .arg(&to);
        let took = timed(&mut ruby)?;
        Ok(Way {
            name: "formula",
            call: vec![to.join("bin").join(COMMAND)],
            downloaded: vec![archive],
            took,
        })
    }

    /// Installs the Debian package below a folder that has its own package database. Removes the package, and installs
    /// it again.
    fn by_dpkg(&self) -> Result<Way> {
        let root = self.place.join("debian");
        let database = root.join("var/lib/dpkg");
        for folder in ["info", "updates", "triggers"] {
            fs::create_dir_all(database.join(folder))?;
        }
        fs::write(database.join("status"), "")?;
        let dpkg = || {
            let mut dpkg = Command::new("dpkg");
            dpkg.arg(format!("--root={}", root.display()));
            dpkg.args(["--force-not-root", "--force-depends", "--log=/dev/null"]);
            dpkg
        };
        let call = root.join("usr/bin").join(COMMAND);
        run(dpkg().arg("--install").args(&self.made.debian))?;
        run(dpkg().args(["--purge", &self.release.name]))?;
        if call.exists() || root.join("usr/share/man").exists() {
            return Err("dpkg --purge left files".into());
        }
        let took = timed(dpkg().arg("--install").args(&self.made.debian))?;
        Ok(Way {
            name: "dpkg",
            call: vec![call],
            downloaded: self.made.debian.clone(),
            took,
        })
    }
}

impl Way {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.call[0]);
        command.args(&self.call[1..]);
        command
    }

    /// Uses the command, and returns its row of the table.
    fn row(&self, version: &str) -> Result<String> {
        let first = self.start(version)?;
        let again = (0..STARTS).map(|_| self.start(version));
        let mut again: Vec<_> = again.collect::<Result<_>>()?;
        again.sort_unstable();
        run(self.command().arg("demo").stdout(Stdio::null()))?;
        // The caller must get the exit code of the executable.
        let status = self
            .command()
            .arg("--no-such-option")
            .stderr(Stdio::null())
            .status()?;
        if status.code() != Some(2) {
            return Err(format!("{}: an unknown option ends with {status}", self.name).into());
        }
        let mut bytes = 0.0;
        for file in &self.downloaded {
            bytes += megabytes(file)?;
        }
        Ok(format!(
            "{:<18} {bytes:>11.1} {:>9.1} {:>8.0} {:>8.0}",
            self.name,
            self.took.as_secs_f64(),
            first.as_secs_f64() * 1000.0,
            again[STARTS / 2].as_secs_f64() * 1000.0,
        ))
    }

    /// Starts the command once, and returns the duration of the run.
    fn start(&self, version: &str) -> Result<Duration> {
        let begun = Instant::now();
        let printed = read(self.command().arg("--version"))?;
        let took = begun.elapsed();
        let expected = format!("{COMMAND} {version}");
        if printed.trim().starts_with(&expected) {
            Ok(took)
        } else {
            Err(format!("{}: {printed} is not {expected}", self.name).into())
        }
    }

    /// Checks that the executable ends when a signal ends the process that was started.
    fn ends_with_its_caller(&self) -> Result {
        for signal in ["TERM", "HUP"] {
            // The agent reads stdin until stdin ends. A signal must also end it.
            let mut agent = self.command();
            agent
                .arg("acp")
                .stdin(Stdio::piped())
                .stdout(Stdio::piped());
            let mut agent = agent.spawn()?;
            let (stdin, output) = (agent.stdin.take(), agent.stdout.take());
            let (mut stdin, output) = stdin.zip(output).ok_or("it has no pipes")?;
            let request = json!({
                "jsonrpc": "2.0",
                "id": 1,
                "method": "initialize",
                "params": {"protocolVersion": 1},
            });
            writeln!(stdin, "{request}")?;
            let mut output = BufReader::new(output);
            let mut answer = String::new();
            output.read_line(&mut answer)?;
            let number = agent.id().to_string();
            run(Command::new("kill").arg(format!("-{signal}")).arg(number))?;
            let status = agent.wait()?;
            // stdout closes when the executable ends. The end of stdin would end it, too, so stdin stays open until
            // then.
            let (sender, closed) = channel();
            thread::spawn(move || sender.send(io::copy(&mut output, &mut io::sink())));
            if closed.recv_timeout(Duration::from_mins(1)).is_err() {
                drop(stdin);
                let name = self.name;
                return Err(format!("{name}: {signal} ends the launcher alone").into());
            }
            if answer.is_empty() || status.success() {
                return Err(format!("{}: {answer:?}, then {status}", self.name).into());
            }
        }
        Ok(())
    }
}

/// Runs a command and returns its duration.
fn timed(command: &mut Command) -> Result<Duration> {
    let begun = Instant::now();
    run(command)?;
    Ok(begun.elapsed())
}

/// Returns the name of a file.
fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().display().to_string()
}

/// A web server on loopback that serves a folder. The server ends when the `Server` is dropped.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(folder: &Path) -> Result<Self> {
        let mut python = Command::new("python3");
        python.args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]);
        python.arg("--directory").arg(folder);
        let process = python
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut server = Self {
            process,
            address: String::new(),
        };
        let mut line = String::new();
        if let Some(output) = &mut server.process.stdout {
            BufReader::new(output).read_line(&mut line)?;
        }
        // It prints: Serving HTTP on 127.0.0.1 port 8000 (http://127.0.0.1:8000/) ...
        let port = line
            .split_whitespace()
            .skip_while(|word| *word != "port")
            .nth(1);
        let port = port.ok_or_else(|| format!("python3 -m http.server printed: {line}"))?;
        server.address = format!("http://127.0.0.1:{port}");
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both calls fail only if the process has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
