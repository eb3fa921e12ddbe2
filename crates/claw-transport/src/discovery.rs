//! Finds the CLI.

use std::env::consts::EXE_SUFFIX;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use claw_types::options::QueryOptions;

use crate::TransportError;
use crate::command::is_same_variable;

/// The environment variable that contains the path of the CLI. All programs that use claw read it.
pub(crate) const PATH_VARIABLE: &str = "CLAW_CLAUDE_PATH";

/// Finds the CLI. The option `path_to_claude_code_executable`, or else the environment variable `CLAW_CLAUDE_PATH`, can
/// name it. The name is a path, or a bare name that is looked up in the `PATH`. If one of them names the CLI, claw
/// searches no other places. If neither is set, claw searches the `PATH` and the folders where installers put the CLI.
/// If the options' `env` sets a `PATH`, claw searches that `PATH`.
///
/// # Errors
///
/// If no CLI is found, fails with [`NotFound`](TransportError::NotFound), which lists all places that were searched. On
/// Windows, fails with [`BatchFile`](TransportError::BatchFile) if the path names a batch file, or if the search finds
/// only the batch file that npm installs.
pub fn discover(options: &QueryOptions) -> Result<PathBuf, TransportError> {
    let variable = |name: &str| {
        let mut env = options.env.iter().flatten();
        match env.find(|(found, _)| is_same_variable(found.as_ref(), name)) {
            Some((_, value)) => value.as_ref().map(OsString::from),
            None => std::env::var_os(name),
        }
    };
    let named = match &options.path_to_claude_code_executable {
        Some(path) => Some(path.clone()),
        None => variable(PATH_VARIABLE)
            .filter(|path| !path.is_empty())
            .map(PathBuf::from),
    };
    find(
        named.as_deref(),
        variable("PATH").as_deref(),
        std::env::home_dir().as_deref(),
    )
}

fn find(
    named: Option<&Path>,
    search: Option<&OsStr>,
    home: Option<&Path>,
) -> Result<PathBuf, TransportError> {
    let mut searched = Vec::new();
    let found = match named {
        Some(path) if path.components().count() > 1 || path.is_absolute() => {
            // The path is relative to the host's directory, not to the CLI's working directory.
            let path = std::path::absolute(path)?;
            refuse_batch_file(&path)?;
            searched.push(path.clone());
            path.is_file().then_some(path)
        }
        Some(name) => in_search_path(name.as_os_str(), search, &mut searched),
        None => {
            let name = format!("claude{EXE_SUFFIX}");
            let found = in_search_path(name.as_ref(), search, &mut searched).or_else(|| {
                let mut places = known_places(home, &name).into_iter();
                places.find(|place| is_there(place, &mut searched))
            });
            // If npm has installed a batch file instead of an executable, the search finds the batch file, and claw
            // refuses it with an error that names it.
            let shim = || in_search_path("claude.cmd".as_ref(), search, &mut Vec::new());
            found.or_else(|| shim().filter(|_| cfg!(windows)))
        }
    };
    let found = found.ok_or(TransportError::NotFound { searched })?;
    refuse_batch_file(&found)?;
    Ok(found)
}

/// Searches the absolute folders of a search path for a program. Relative folders are skipped, because they depend on
/// the current directory. That directory may belong to another user and may contain any program.
fn in_search_path(
    name: &OsStr,
    search: Option<&OsStr>,
    searched: &mut Vec<PathBuf>,
) -> Option<PathBuf> {
    let folders = std::env::split_paths(search?).filter(|folder| folder.is_absolute());
    let mut candidates = folders.map(|folder| folder.join(name));
    candidates.find(|candidate| is_there(candidate, searched))
}

/// Returns whether the program is at this path, and adds the path to `searched`. Returns `false` for a path that was
/// already searched.
fn is_there(place: &Path, searched: &mut Vec<PathBuf>) -> bool {
    if searched.iter().any(|before| before == place) {
        return false;
    }
    searched.push(place.to_owned());
    which::which(place).is_ok()
}

fn known_places(home: Option<&Path>, name: &str) -> Vec<PathBuf> {
    let at_home = |folder: &str| Some(home?.join(folder).join(name));
    let places = if cfg!(windows) {
        vec![at_home(".local/bin")]
    } else {
        vec![
            at_home(".npm-global/bin"),
            Some(Path::new("/usr/local/bin").join(name)),
            at_home(".local/bin"),
            at_home("node_modules/.bin"),
            at_home(".yarn/bin"),
            at_home(".claude/local"),
        ]
    };
    places.into_iter().flatten().collect()
}

/// Refuses batch files, because Windows runs them in a shell that would parse their arguments differently.
fn refuse_batch_file(path: &Path) -> Result<(), TransportError> {
    if cfg!(windows) && names_batch_file(&path.to_string_lossy()) {
        return Err(TransportError::BatchFile {
            path: path.to_owned(),
        });
    }
    Ok(())
}

fn names_batch_file(path: &str) -> bool {
    path.split(['/', '\\', ':']).any(|part| {
        let part = part.trim_end_matches(['.', ' ']).to_ascii_lowercase();
        [".bat", ".cmd"].iter().any(|end| part.ends_with(end))
    })
}

#[cfg(test)]
mod tests;
