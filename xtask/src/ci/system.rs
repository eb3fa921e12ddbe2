//! Programs of the system that gates start. All of them are in packages of Debian.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};

use xtask::run::{Result, read, run};

/// A program of the system.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Program {
    name: &'static str,
    /// The Debian packages that contain the program.
    packages: &'static [&'static str],
    /// The way to detect whether the system has the program.
    found: Found,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// All of these programs are on the path.
    OnPath(&'static [&'static str]),
    /// All of these programs are on the path, or the environment variable contains the path of a program that replaces
    /// them.
    OnPathOrNamed(&'static [&'static str], &'static str),
    /// This command succeeds if the program is installed.
    By(&'static [&'static str]),
    /// The program with the second name is in a subfolder of the folder with the first name, or is on the path.
    Below(&'static str, &'static str),
}

use Found::{Below, By, OnPath, OnPathOrNamed};

pub(super) const PYTHON: Program = Program {
    name: "Python with venv",
    packages: &["python3", "python3-venv"],
    found: By(&["python3", "-c", "import ensurepip"]),
};
pub(super) const NPM: Program = Program {
    name: "npm",
    packages: &["npm"],
    found: OnPath(&["npm"]),
};
pub(super) const CHROMIUM: Program = Program {
    name: "Chromium",
    packages: &["chromium", "chromium-headless-shell"],
    found: OnPathOrNamed(
        &["chromium", "chromium-headless-shell"],
        "CLAW_TEST_CHROMIUM",
    ),
};
pub(super) const SHELLS: Program = Program {
    name: "zsh and fish",
    packages: &["zsh", "fish"],
    found: OnPath(&["zsh", "fish"]),
};
/// The programs with which `claw serve --walls` isolates sessions.
pub(super) const WALLS: Program = Program {
    name: "bubblewrap and an SSH server",
    packages: &["bubblewrap", "openssh-client", "openssh-server"],
    found: OnPath(&["bwrap", "ssh", "ssh-keygen", "sshd"]),
};
pub(super) const GIT: Program = Program {
    name: "git",
    packages: &["git"],
    found: OnPath(&["git"]),
};
pub(super) const VALGRIND: Program = Program {
    name: "valgrind",
    packages: &["valgrind"],
    found: OnPath(&["valgrind"]),
};
pub(super) const POSTGRES: Program = Program {
    name: "Postgres",
    packages: &["postgresql"],
    found: Below("/usr/lib/postgresql", "bin/postgres"),
};
pub(super) const BOUNCER: Program = Program {
    name: "PgBouncer",
    packages: &["pgbouncer"],
    found: OnPath(&["pgbouncer"]),
};
pub(super) const REDIS: Program = Program {
    name: "Redis",
    packages: &["redis-server"],
    found: OnPath(&["redis-server"]),
};
pub(super) const HAPROXY: Program = Program {
    name: "HAProxy",
    packages: &["haproxy"],
    found: OnPath(&["haproxy"]),
};
pub(super) const PROMETHEUS: Program = Program {
    name: "Prometheus",
    packages: &["prometheus"],
    found: OnPath(&["promtool"]),
};
pub(super) const GO: Program = Program {
    name: "Go",
    packages: &["golang-go"],
    found: OnPath(&["go"]),
};
/// Ruby, with the library that the tests of the packages use.
pub(super) const RUBY: Program = Program {
    name: "Ruby with minitest",
    packages: &["ruby", "ruby-minitest"],
    found: By(&["ruby", "-rminitest", "-e", "Gem"]),
};
/// Elixir, with its build tool and the library that the tests of the packages use.
pub(super) const ELIXIR: Program = Program {
    name: "Elixir with mix",
    packages: &["elixir"],
    found: By(&[
        "elixir",
        "-e",
        "{:module, _} = Code.ensure_loaded(Mix); {:module, _} = Code.ensure_loaded(ExUnit)",
    ]),
};
/// Java. The compiler of Kotlin, which is installed from npm, needs it.
pub(super) const JAVA: Program = Program {
    name: "Java",
    packages: &["default-jre-headless"],
    found: OnPath(&["java"]),
};
pub(super) const SYSTEMD: Program = Program {
    name: "systemd-analyze",
    packages: &["systemd"],
    found: OnPath(&["systemd-analyze"]),
};

impl Program {
    fn is_there(&self) -> bool {
        match self.found {
            OnPath(programs) => are_on_path(programs),
            OnPathOrNamed(programs, variable) => {
                env::var_os(variable).is_some() || are_on_path(programs)
            }
            By(command) => succeeds(command),
            Below(folder, file) => {
                let name = Path::new(file).file_name().unwrap_or_default();
                let mut folders = Path::new(folder).read_dir().into_iter().flatten().flatten();
                folders.any(|folder| folder.path().join(file).is_file())
                    || is_on_path(&name.to_string_lossy())
            }
        }
    }
}

/// Whether a command succeeds. Its output is not shown.
fn succeeds(command: &[&str]) -> bool {
    let Some((program, arguments)) = command.split_first() else {
        return false;
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn are_on_path(programs: &[&str]) -> bool {
    programs.iter().all(|program| is_on_path(program))
}

/// Whether a program is on the path, or in the folder for server programs, which is not on a user's path.
fn is_on_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let servers = Path::new("/usr/sbin").to_owned();
    let mut folders = env::split_paths(&path).chain([servers]);
    folders.any(|folder| {
        folder
            .join(format!("{program}{}", env::consts::EXE_SUFFIX))
            .is_file()
    })
}

/// Installs missing programs with apt-get. Does nothing if the system has all of them.
///
/// # Errors
/// Fails if apt-get fails, is missing or may not be run. The error names the missing programs.
pub(super) fn provide(programs: &[&Program]) -> Result {
    let missing: Vec<&Program> = programs
        .iter()
        .copied()
        .filter(|program| !program.is_there())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let Some(apt) = apt_get() else {
        return Err(lacks(&missing).into());
    };
    run(apt().args(["update", "-qq"]))?;
    run(apt()
        .args(["install", "-y", "-qq", "--no-install-recommends"])
        .args(packages(&missing)))
}

/// Returns a function that creates the command for installing packages. Returns `None` if this machine has no such
/// command, or if this process may not run it.
fn apt_get() -> Option<fn() -> Command> {
    fn plain() -> Command {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive");
        apt
    }
    fn with_sudo() -> Command {
        let mut sudo = Command::new("sudo");
        sudo.args(["-n", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        sudo
    }

    if !is_on_path("apt-get") {
        None
    } else if read(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0") {
        Some(plain)
    } else {
        succeeds(&["sudo", "-n", "true"]).then_some(with_sudo)
    }
}

fn packages<'a>(programs: &'a [&Program]) -> impl Iterator<Item = &'static str> + 'a {
    programs
        .iter()
        .flat_map(|program| program.packages)
        .copied()
}

/// Returns a text that describes how to install the missing programs.
fn lacks(missing: &[&Program]) -> String {
    let names: Vec<_> = missing.iter().map(|program| program.name).collect();
    let packages: Vec<_> = packages(missing).collect();
    format!(
        "this machine lacks {}. On Debian: `apt-get install --no-install-recommends {}`",
        names.join(", "),
        packages.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found() {
        let by = |found| Program {
            name: "",
            packages: &[],
            found,
        };
        assert!(by(OnPath(&["cargo"])).is_there());
        assert!(by(By(&["cargo", "--version"])).is_there());
        assert!(!by(By(&["cargo", "no-such-command"])).is_there());
        assert!(!by(By(&["no-such-program"])).is_there());
        assert!(!by(OnPathOrNamed(&["no-such-program"], "CLAW_NO_SUCH_VARIABLE")).is_there());
        assert!(by(OnPathOrNamed(&["no-such-program"], "PATH")).is_there());
        assert!(!by(Below("/no-such-folder", "bin/no-such-program")).is_there());
        assert!(!by(OnPath(&["cargo", "no-such-program"])).is_there());
    }

    #[test]
    fn a_person_reads_what_is_missing_and_its_packages() {
        assert_eq!(
            lacks(&[&SHELLS, &GIT]),
            "this machine lacks zsh and fish, git. On Debian: \
             `apt-get install --no-install-recommends zsh fish git`"
        );
    }
}
