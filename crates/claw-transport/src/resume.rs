//! Checks whether the session to resume exists before a CLI is started. If the CLI does not find the session, locates
//! the session's file.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use claw_types::members;
use claw_types::options::QueryOptions;

use crate::{Exited, SessionNotFound, TransportError};

/// The texts that the CLI writes to stderr if it does not find a session: by its ID, which follows the text, or by its
/// title.
const NO_SUCH_ID: &str = "No conversation found with session ID: ";
const NO_SUCH_TITLE: &str = "is not a UUID and does not match any session title";
/// The number of bytes of a session's file that are read to find its working directory.
const BEGINNING: u64 = 4 << 20;

/// The session that a CLI is started to resume.
#[derive(Debug)]
pub(crate) struct Resumed {
    /// The session's ID, title or path.
    id: String,
    /// The session's file on this machine, if known.
    file: Option<PathBuf>,
}

impl Resumed {
    /// Creates a `Resumed` for a session that was not searched for before the start. Returns `None` if the options
    /// resume no session.
    pub(crate) fn unchecked(options: &QueryOptions) -> Option<Self> {
        let id = options.resume.as_ref()?.to_string();
        Some(Self { id, file: None })
    }

    /// Returns the error for a CLI that has ended. If the CLI's stderr shows that it did not find this session, the
    /// error reports that. Whether the CLI finds the session from its working directory depends on its version, which
    /// is unknown before it runs.
    pub(crate) fn exit_error(&self, exited: Exited) -> TransportError {
        let by_id = exited.stderr.rsplit_once(NO_SUCH_ID);
        let named = by_id.map(|(_, named)| named);
        let not_found = match &self.file {
            Some(_) => named.is_some_and(|named| named.starts_with(&self.id)),
            None => named.is_some() || exited.stderr.contains(NO_SUCH_TITLE),
        };
        if !not_found {
            return TransportError::Exited(Box::new(exited));
        }
        TransportError::SessionNotFound(Box::new(SessionNotFound {
            id: self.id.clone(),
            searched: None,
            file: self.file.clone(),
            cwd: self.cwd(),
            exited: Some(exited),
        }))
    }

    /// Returns the directory in which the session began: the first directory in its file.
    fn cwd(&self) -> Option<PathBuf> {
        let file = File::open(self.file.as_ref()?).ok()?;
        let beginning = BufReader::new(file.take(BEGINNING));
        let mut lines = beginning.split(b'\n').map_while(Result::ok);
        lines.find_map(|line| {
            let [cwd] = members(&line, ["cwd"])?;
            Some(PathBuf::from(&*cwd?.as_str()?))
        })
    }
}

/// Searches for the file of the session that `resume` names, in the same way as the CLI does. `variable` returns a
/// variable of the CLI's environment. Returns `None` if the options resume no session.
///
/// Returns an error only if the session is certainly missing. If `resume` contains a title or a path, only the CLI
/// searches for the session. The same applies if unknown flags may change where the CLI searches, or if the folder of
/// the sessions does not exist or cannot be read.
pub(crate) fn check(
    options: &QueryOptions,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<Resumed>, TransportError> {
    let Some(unchecked) = Resumed::unchecked(options) else {
        return Ok(None);
    };
    if unchecked.id.trim().is_empty() {
        // Without this check, the CLI would end with an error result, as if a turn had run.
        return Err(missing(unchecked.id, None));
    }
    let has_other_flags = options.extra_args.iter().flatten().next().is_some();
    if has_other_flags || !is_session_id(&unchecked.id) {
        return Ok(Some(unchecked));
    }
    let Some(projects) = projects(options.cwd.as_deref(), variable) else {
        return Ok(Some(unchecked));
    };
    match file_in(&projects, &unchecked.id) {
        Ok(Some(file)) => Ok(Some(Resumed {
            file: Some(file),
            ..unchecked
        })),
        Ok(None) => Err(missing(unchecked.id, Some(projects))),
        Err(_) => Ok(Some(unchecked)),
    }
}

/// Returns the error for a session that is certainly missing.
fn missing(id: String, searched: Option<PathBuf>) -> TransportError {
    TransportError::SessionNotFound(Box::new(SessionNotFound {
        id,
        searched,
        file: None,
        cwd: None,
        exited: None,
    }))
}

/// Whether the text is a session ID. Any other text is a title or the path of a file.
fn is_session_id(id: &str) -> bool {
    id.len() == 36 && uuid::Uuid::try_parse(id).is_ok()
}

/// Returns the folder that contains a folder for each working directory.
fn projects(cwd: Option<&Path>, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let config = match variable("CLAUDE_CONFIG_DIR") {
        // The folder is relative to the CLI's working directory.
        Some(folder) if !folder.is_empty() => cwd.unwrap_or(Path::new("")).join(folder),
        // Different versions of the CLI interpret an empty value differently.
        Some(_) => return None,
        None => {
            let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
            let home = variable(home).filter(|home| !home.is_empty())?;
            Path::new(&home).join(".claude")
        }
    };
    Some(config.join("projects"))
}

/// Returns the file of the session with this ID, for any working directory. The CLI also resumes sessions of other
/// directories. Only CLI 2.1.200 is limited to sessions of the same repository.
fn file_in(projects: &Path, id: &str) -> std::io::Result<Option<PathBuf>> {
    let name = format!("{id}.jsonl");
    for folder in std::fs::read_dir(projects)? {
        let file = folder?.path().join(&name);
        match file.metadata() {
            // A CLI that failed to start can leave an empty file behind.
            Ok(found) if found.len() > 0 => return Ok(Some(file)),
            Err(error) if !is_absent(&error) => return Err(error),
            _ => {}
        }
    }
    Ok(None)
}

fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

#[cfg(test)]
mod tests;
