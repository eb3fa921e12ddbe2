//! Whether the session that is to be resumed is there, before a CLI is started that would only say that
//! it is not; and where it is, for a CLI that does not find it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use claw_types::SessionId;
use claw_types::options::QueryOptions;
use serde::Deserialize;

use crate::TransportError;

/// What the CLI writes to stderr, followed by the id, when it does not find a session.
const NOT_FOUND: &str = "No conversation found with session ID: ";
/// How much of a session's file is read to learn its working directory.
const BEGINNING: u64 = 4 << 20;

/// A session that is kept on this machine.
#[derive(Debug)]
pub(crate) struct KeptSession {
    id: String,
    file: PathBuf,
}

impl KeptSession {
    /// The error of a CLI that has ended because it did not find this session from where it ran. Which
    /// versions do is not known before the start: a CLI does not say its version until it runs.
    pub(crate) fn not_resumed(&self, stderr: &str) -> Option<TransportError> {
        let (_, named) = stderr.rsplit_once(NOT_FOUND)?;
        named
            .starts_with(&self.id)
            .then(|| TransportError::SessionElsewhere {
                id: self.id.clone(),
                cwd: self.cwd(),
                file: self.file.clone(),
            })
    }

    /// The directory that it was begun in: the first one that its file names.
    fn cwd(&self) -> Option<PathBuf> {
        #[derive(Deserialize)]
        struct Line {
            cwd: PathBuf,
        }
        let beginning = BufReader::new(File::open(&self.file).ok()?.take(BEGINNING));
        let mut lines = beginning.split(b'\n').map_while(Result::ok);
        lines.find_map(|line| Some(serde_json::from_slice::<Line>(&line).ok()?.cwd))
    }
}

/// Looks for the file of the session that `resume` names, as the CLI will. `variable` reads the
/// environment that the CLI will have. None where nothing is known of that session.
///
/// Says no only where that is certain. Titles and paths of files, which `resume` may name as well, are
/// left to the CLI; so is all where flags that claw does not know may change where it looks, and where
/// the folder of the sessions cannot be read.
pub(crate) fn check(
    options: &QueryOptions,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<KeptSession>, TransportError> {
    let Some(id) = options.resume.as_ref().map(SessionId::as_str) else {
        return Ok(None);
    };
    let has_other_flags = options.extra_args.iter().flatten().next().is_some();
    if has_other_flags || !is_session_id(id) {
        return Ok(None);
    }
    let Some(projects) = projects(options.cwd.as_deref(), variable) else {
        return Ok(None);
    };
    match file_in(&projects, id) {
        Ok(Some(file)) => Ok(Some(KeptSession {
            id: id.to_owned(),
            file,
        })),
        Ok(None) => Err(TransportError::SessionNotFound {
            id: id.to_owned(),
            looked_in: projects,
        }),
        Err(_) => Ok(None),
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

/// The file of a session of that name, of whatever working directory. The CLI resumes one of another
/// directory as well; 2.1.200 only one of the same repository.
fn file_in(projects: &Path, id: &str) -> std::io::Result<Option<PathBuf>> {
    let name = format!("{id}.jsonl");
    for folder in std::fs::read_dir(projects)? {
        let file = folder?.path().join(&name);
        match file.metadata() {
            // An empty one is what a start that failed leaves.
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
