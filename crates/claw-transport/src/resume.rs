//! Whether the session that is to be gone on with is there, before a CLI is started that would only
//! say that it is not.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use claw_types::SessionId;
use claw_types::options::QueryOptions;

use crate::TransportError;

/// Looks for the file of the session that `resume` names, as the CLI will. `variable` reads the
/// environment that the CLI will have.
///
/// Says no only where that is certain. Titles and paths of files, which `resume` may name as well, are
/// left to the CLI; so is all where flags that claw does not know may change where it looks, and where
/// the folder of the sessions cannot be read.
pub(crate) fn check(
    options: &QueryOptions,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<(), TransportError> {
    let Some(id) = options.resume.as_ref().map(SessionId::as_str) else {
        return Ok(());
    };
    let has_other_flags = options.extra_args.iter().flatten().next().is_some();
    if has_other_flags || !is_session_id(id) {
        return Ok(());
    }
    let Some(projects) = projects(options.cwd.as_deref(), variable) else {
        return Ok(());
    };
    match is_kept_in(&projects, id) {
        Ok(false) => Err(TransportError::SessionNotFound {
            id: id.to_owned(),
            looked_in: projects,
        }),
        Ok(true) | Err(_) => Ok(()),
    }
}

/// Anything else is a title or the path of a file.
fn is_session_id(id: &str) -> bool {
    id.len() == 36 && uuid::Uuid::try_parse(id).is_ok()
}

/// The folder with a folder for each working directory.
fn projects(cwd: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let config = match variable("CLAUDE_CONFIG_DIR") {
        // Relative to where the CLI will run.
        Some(folder) if !folder.is_empty() => cwd.unwrap_or(Path::new("")).join(folder),
        // An empty one means something else to each version.
        Some(_) => return None,
        None => {
            let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
            let home = variable(home).filter(|home| !home.is_empty())?;
            Path::new(&home).join(".claude")
        }
    };
    Some(config.join("projects"))
}

/// Whether any working directory has a session of that name. The CLI takes one of another directory
/// as well; 2.1.200 only one of the same repository, which it says itself.
fn is_kept_in(projects: &Path, id: &str) -> std::io::Result<bool> {
    let name = format!("{id}.jsonl");
    for folder in std::fs::read_dir(projects)? {
        match folder?.path().join(&name).metadata() {
            // An empty one is what a start that failed leaves.
            Ok(file) if file.len() > 0 => return Ok(true),
            Err(error) if !is_absent(&error) => return Err(error),
            _ => {}
        }
    }
    Ok(false)
}

fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

#[cfg(test)]
mod tests;
