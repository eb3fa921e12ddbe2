//! `cargo xtask windows`, `musl` and `aarch64`: run the tests for other platforms, as far as this machine can run them.
//!
//! Windows programs run in wine, and aarch64 programs run in qemu's emulation. Programs with musl run directly. Each
//! test runs in a separate process, so that a test that hangs can be ended and named. The tests of a build for this
//! machine are also listed. A test that is missing in the platform's build is treated as a test that does not run
//! there. A baseline contains each test that does not run, with the reason.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use baseline::Baseline;
use programs::{Programs, Test};
use xtask::run::{Result, read};
use xtask::workspace::Workspace;
use xtask::{claude, toolchains, wine};

mod baseline;
mod programs;
mod runs;

/// The crates whose tests run on other platforms by default.
const PACKAGES: [&str; 9] = [
    "claw-codec",
    "claw-spawn",
    "claw-transport",
    "claw-sessions",
    "claw-store",
    "claw-store-bucket",
    "claw-store-postgres",
    "claw-store-redis",
    "claw-client",
];

/// The environment variable with which tests get the folder of the testkit's programs. Tests cannot build these
/// programs on the platform.
const STAND_INS: &str = "CLAW_TEST_PROGRAMS";

/// The command line of `cargo xtask windows`, `musl` and `aarch64`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The crates whose tests run. Default: the crates that start, transfer and store sessions.
    packages: Vec<String>,
    /// Run only tests whose name contains this.
    #[arg(long)]
    filter: Option<String>,
    /// Print the output of each test that fails, including those that are known to fail.
    #[arg(long)]
    verbose: bool,
    /// The number of tests that run at once. Default: the number of processors.
    #[arg(long)]
    jobs: Option<usize>,
}

/// Another platform.
pub(crate) struct Platform {
    /// The name of the command for this platform.
    name: &'static str,
    /// The target triple of Rust.
    target: &'static str,
    /// The npm package of the CLI for this platform. `None` if the CLI of this machine is used.
    claude: Option<&'static str>,
    /// The timeout of a single test.
    patience: Duration,
    /// A text in the output of a test that failed because of a fault in the runner. Such a test is repeated.
    fault: Option<&'static str>,
    runner: fn(&Workspace) -> Result<Runner>,
}

/// The way in which programs of a platform are run.
#[derive(Default)]
struct Runner {
    /// The words that precede the program on the command line.
    words: Vec<PathBuf>,
    environment: Vec<(&'static str, PathBuf)>,
    /// The environment variables that the build needs.
    build: Vec<(&'static str, &'static str)>,
    /// The wine installation, which ends when the `Runner` is dropped.
    prefix: Option<wine::Prefix>,
}

/// Windows, in wine.
pub(crate) const WINDOWS: Platform = Platform {
    name: "windows",
    target: wine::TARGET,
    claude: Some("claude-code-win32-x64"),
    // Starting the CLI takes ten seconds on a busy machine.
    patience: Duration::from_mins(10),
    // Windows sometimes refuses to start a program, with an internal error. This happens about once in thousands of
    // starts, and claw does not cause it.
    fault: Some("(os error 1359)"),
    runner: |workspace| {
        let prefix = wine::Prefix::new(workspace)?;
        Ok(Runner {
            words: vec![wine::PROGRAM.into()],
            environment: prefix.environment(),
            prefix: Some(prefix),
            ..Runner::default()
        })
    },
};

/// Linux with musl instead of glibc.
pub(crate) const MUSL: Platform = Platform {
    name: "musl",
    target: "x86_64-unknown-linux-musl",
    claude: None,
    patience: Duration::from_mins(3),
    fault: None,
    runner: |_| {
        // The TLS library that the tests of claw-store-bucket use contains C code.
        wine::is_there("x86_64-linux-musl-gcc", "musl-tools")?;
        Ok(Runner::default())
    },
};

/// Linux on 64-bit ARM, in qemu.
pub(crate) const AARCH64: Platform = Platform {
    name: "aarch64",
    target: "aarch64-unknown-linux-gnu",
    claude: Some("claude-code-linux-arm64"),
    patience: Duration::from_mins(5),
    fault: None,
    runner: |_| {
        wine::is_there("qemu-aarch64", "qemu-user")?;
        wine::is_there(
            "aarch64-linux-gnu-gcc",
            "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        )?;
        // A program of the platform can start other programs. The system starts these, so the system itself must be
        // configured for qemu.
        if !Path::new("/proc/sys/fs/binfmt_misc/qemu-aarch64").exists() {
            return Err(
                "the system does not run programs for aarch64: `apt-get install qemu-user-binfmt`, and \
                        without systemd also, as root, `mount -t binfmt_misc binfmt_misc \
                        /proc/sys/fs/binfmt_misc && /usr/lib/systemd/systemd-binfmt`"
                    .into(),
            );
        }
        Ok(Runner {
            // The folder in which qemu searches for the libraries of the platform.
            environment: vec![("QEMU_LD_PREFIX", "/usr/aarch64-linux-gnu".into())],
            build: vec![(
                "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER",
                "aarch64-linux-gnu-gcc",
            )],
            ..Runner::default()
        })
    },
};

/// Builds and runs the tests, compares the results with the baseline, and prints the figures.
///
/// # Errors
/// Fails if a program is missing, if a test fails that is not in the baseline, or if a test passes that is in the
/// baseline.
pub(crate) fn main(platform: &Platform, args: &Args) -> Result {
    let workspace = Workspace::read()?;
    toolchains::add_target(platform.target)?;
    let runner = (platform.runner)(&workspace)?;
    let packages: Vec<&str> = if args.packages.is_empty() {
        PACKAGES.into()
    } else {
        args.packages.iter().map(String::as_str).collect()
    };
    let baseline = Baseline::read(&workspace.root, platform.name)?;
    let claude = match platform.claude {
        Some(package) => claude::install_package(&workspace, package)?,
        None => claude::install(&workspace)?,
    };

    let lists = |test: &Test| {
        let filter = args.filter.as_deref();
        filter.is_none_or(|filter| test.name.contains(filter))
    };
    let here = Programs::build(None, &packages, &[])?;
    let here = here.tests(|program| Command::new(program))?;
    let here: BTreeSet<Test> = here
        .into_iter()
        .map(|(test, _)| test)
        .filter(lists)
        .collect();
    let there = Programs::build(Some(platform.target), &packages, &runner.build)?;
    let mut there = there.tests(|program| runner.command(program))?;
    there.retain(|(test, _)| lists(test));

    let stand_in = programs::program("claw-testkit", platform.target, &runner.build)?;
    // Tests need the folder that contains the program.
    let stand_ins = stand_in.parent().map(Path::to_owned).unwrap_or_default();
    let environment = [
        (claude::VARIABLE, runner.path(claude)),
        (STAND_INS, runner.path(stand_ins)),
    ];
    let jobs = match args.jobs {
        Some(jobs) => jobs,
        None => std::thread::available_parallelism()?.get(),
    };
    let outcomes = runs::all(&there, jobs, platform, |program| {
        let mut command = runner.command(program);
        command.envs(environment.iter().cloned());
        command
    })?;
    let compared = baseline.compare(&here, &outcomes, args.filter.is_none(), args.verbose);
    // This runs even if the results differ from the baseline, because the two checks are independent.
    if args.packages.is_empty() && args.filter.is_none() {
        smoke(platform, &runner)?;
    }
    compared
}

/// Runs the command `claw` itself: prints its version, and runs a whole session with the scripted CLI.
fn smoke(platform: &Platform, runner: &Runner) -> Result {
    let claw = programs::program("claw-cli", platform.target, &runner.build)?;
    for (argument, expected) in [("--version", "claw "), ("demo", "files")] {
        let output = read(runner.command(&claw).arg(argument))?;
        if !output.contains(expected) {
            return Err(
                format!("claw {argument} does not say {expected:?}, but:\n{output}").into(),
            );
        }
        println!("ok     claw {argument}");
    }
    Ok(())
}

impl Runner {
    /// Returns the command that runs a program.
    fn command(&self, program: &Path) -> Command {
        let mut words = self.words.iter().map(PathBuf::as_path).chain([program]);
        let mut command = Command::new(words.next().unwrap_or(program));
        command.args(words).envs(self.environment.iter().cloned());
        command
    }

    /// Returns a path in the form that programs of the platform use.
    fn path(&self, path: PathBuf) -> PathBuf {
        match self.prefix {
            Some(_) => wine::path(&path),
            None => path,
        }
    }
}
