//! Checks whether the folders can be written to.

use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::check::{Check, State};
use crate::args::config_dirs::ConfigDirs;

/// Returns the folder in which claude stores its settings and sessions.
pub(super) fn claude_folder() -> Option<PathBuf> {
    let named = env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
    let named = named.map(PathBuf::from);
    named.or_else(|| Some(env::home_dir()?.join(".claude")))
}

pub(super) fn check(dirs: &ConfigDirs) -> Vec<Check> {
    let mut checks = Vec::new();
    match claude_folder() {
        _ if !dirs.config_dirs.is_empty() => checks.extend(named(dirs)),
        Some(folder) => checks.push(checked(
            &folder,
            "claude keeps sessions there: make it writable, or name another in CLAUDE_CONFIG_DIR.",
        )),
        None => checks.push(Check::bad("folder", "there is no home folder", "Set HOME.")),
    }
    checks.push(checked(
        &env::temp_dir(),
        "claude needs a folder for temporary files: make it writable, or name another in TMPDIR.",
    ));
    if let Ok(folder) = env::current_dir() {
        let mut check = checked(&folder, "Tools cannot change files in this directory.");
        if check.state == State::Bad {
            // This is only a warning, because not every session writes files.
            check.state = State::Warning;
        }
        checks.push(check);
    }
    checks
}

/// Checks the folders that `--config-dir` or the configuration file names.
fn named(dirs: &ConfigDirs) -> Vec<Check> {
    let mend = "claude keeps sessions there: make it, or take it away from --config-dir and `claw config`.";
    let sessions = match dirs.named(None) {
        Ok(sessions) => sessions,
        Err(error) => return vec![Check::bad("folder", error.to_string(), mend)],
    };
    let each = sessions.each().map(|home| match home.problems().first() {
        Some(problem) => Check::bad("folder", problem.to_string(), mend),
        None => checked(home.config_dir(), mend),
    });
    each.collect()
}

fn checked(folder: &Path, mend: &str) -> Check {
    let name = folder.display();
    match write_to(folder) {
        Ok(()) => Check::good("folder", format!("{name} is writable")),
        Err(error) => Check::bad("folder", format!("{name}: {error}"), mend),
    }
}

/// Creates a file in the folder, and removes it. If the folder does not exist, uses the nearest existing parent.
fn write_to(folder: &Path) -> io::Result<()> {
    let folder = std::path::absolute(folder)?;
    let nearest = folder.ancestors().find(|folder| folder.exists());
    let nearest = nearest.ok_or(io::ErrorKind::NotFound)?;
    let file = nearest.join(format!(".claw-doctor-{}", std::process::id()));
    File::create_new(&file)?;
    fs::remove_file(&file)
}
