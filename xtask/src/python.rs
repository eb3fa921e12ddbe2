//! Installs packages of pip under target/.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Result, run};
use crate::workspace::Workspace;

/// Creates a virtual environment and installs packages in it, unless that was already done for the same `requirements`.
/// `packages` are arguments of `pip install`, and `requirements` is a text that describes them. Returns the folder of
/// the programs in the environment.
///
/// # Errors
/// Fails if python3, its module venv, or pip is missing or fails.
pub fn install(
    folder: &Path,
    requirements: &str,
    packages: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<PathBuf> {
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    // This file is written last, so that an interrupted installation is repeated.
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|text| text == requirements) {
        return Ok(programs);
    }
    let mut environment = Command::new("python3");
    environment.args(["-m", "venv"]).arg(folder);
    // The output goes to stderr. Commands that print a path or a table must print nothing else to stdout.
    run(environment.stdout(std::io::stderr()))
        .map_err(|error| format!("{error} (python3 with its module venv is needed)"))?;
    let mut pip = Command::new(programs.join("python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    run(pip.args(packages).stdout(std::io::stderr()))?;
    fs::write(&installed, requirements)?;
    Ok(programs)
}

/// The environment variable with the path of a Python interpreter whose environment contains the S3 server of the
/// tests.
pub const S3: &str = "CLAW_TEST_MINISTACK";

/// Returns the Python interpreter whose environment contains the S3 server of the tests. It is the interpreter that
/// [`S3`] names. If the variable is not set, the server is installed.
///
/// # Errors
/// Fails with the same errors as [`install`].
pub fn install_s3(workspace: &Workspace) -> Result<PathBuf> {
    /// The errors of claw-testkit contain the same version.
    const PACKAGE: &str = "ministack==1.5.33";

    if let Some(python) = std::env::var_os(S3) {
        return Ok(python.into());
    }
    let folder = workspace.ci_directory().join("ministack");
    Ok(install(&folder, PACKAGE, [PACKAGE])?.join("python"))
}

/// The environment variable with the folder of the official Python package. Tests fill the example stores of this
/// package.
pub const SDK: &str = "CLAW_TEST_SDK";

/// The version of the official Python package that claw is compared with.
pub const SDK_PACKAGE: &str = "claude-agent-sdk==0.2.189";

/// Returns the folder of the official Python package. It is the folder that [`SDK`] names. If the variable is not set,
/// the package is installed. The folder is a virtual environment with the package and the clients of its example
/// stores. Its subfolder `source` contains the source of the package, because the installed package does not contain
/// the example stores.
///
/// # Errors
/// Fails with the same errors as [`install`].
pub fn install_sdk(workspace: &Workspace) -> Result<PathBuf> {
    /// The package is built from source, so that it contains no CLI.
    const FROM_SOURCE: [&str; 3] = ["--no-binary", "claude-agent-sdk", SDK_PACKAGE];
    const CLIENTS: [&str; 3] = ["asyncpg==0.32.0", "boto3==1.44.8", "redis==8.1.0"];

    if let Some(folder) = std::env::var_os(SDK) {
        return Ok(folder.into());
    }
    let folder = workspace.ci_directory().join("sdk-stores");
    let packages = FROM_SOURCE.into_iter().chain(CLIENTS);
    let requirements = packages.clone().collect::<Vec<_>>().join(" ");
    let python = install(&folder, &requirements, packages)?.join("python");
    let source = folder.join("source");
    if !source.is_dir() {
        let run_python = |args: &[&str]| {
            let mut python = Command::new(&python);
            python.args(args).current_dir(&folder);
            run(python.stdout(std::io::stderr()))
        };
        let download = [
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
        ];
        run_python(&[&download[..], &FROM_SOURCE].concat())?;
        let name = SDK_PACKAGE.replace('-', "_").replace("==", "-");
        run_python(&["-m", "tarfile", "-e", &format!("{name}.tar.gz")])?;
        fs::rename(folder.join(name), source)?;
    }
    Ok(folder)
}
