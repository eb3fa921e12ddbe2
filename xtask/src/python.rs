//! Packages of pip, installed under target/.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Result, run};
use crate::workspace::Workspace;

/// Returns the folder of the programs of a virtual environment that has these packages, as arguments of
/// `pip install`. The environment is created and filled if `wanted`, which describes the packages, is not installed yet.
///
/// # Errors
/// When python3, its module venv, or pip is missing or fails.
pub fn install(
    folder: &Path,
    wanted: &str,
    packages: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<PathBuf> {
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    // Written last: an installation that was broken off is done again.
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Ok(programs);
    }
    let mut environment = Command::new("python3");
    environment.args(["-m", "venv"]).arg(folder);
    // What prints a path, or a table, prints nothing else on stdout.
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
    fs::write(&installed, wanted)?;
    Ok(programs)
}

/// The environment variable that names the Python that has the S3 server of the tests.
pub const S3: &str = "CLAW_TEST_MINISTACK";

/// Returns the Python that has the S3 server of the tests: the one that [`S3`] names, or one that is installed.
///
/// # Errors
/// As [`install`].
pub fn install_s3(workspace: &Workspace) -> Result<PathBuf> {
    /// As claw-testkit names it, in its errors.
    const PACKAGE: &str = "ministack==1.5.33";

    if let Some(python) = std::env::var_os(S3) {
        return Ok(python.into());
    }
    let folder = workspace.ci_directory().join("ministack");
    Ok(install(&folder, PACKAGE, [PACKAGE])?.join("python"))
}
