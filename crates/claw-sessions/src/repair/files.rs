//! The other files of a session: its folder and its file history.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::home::{is_session_id, names};
use crate::{Error, Session, file, sidecar};

/// The beginning of the name of a file that exists while a copy is made. The ID of the copy follows.
const CLAIM: &str = ".claw-copy-";

/// The maximum depth of folders in a session's folder.
const DEEPEST: usize = 32;

/// The name of the file that records that a session is archived. The copy is not archived.
const ARCHIVED: &str = "archived.json";

/// The claim of a process that makes a copy. The file is locked as long as the process runs. If the claim is dropped
/// before the transcript of the copy has its name, the other files of the copy are removed.
pub(super) struct Claim {
    path: PathBuf,
    copy: Session,
    _file: File,
}

impl Claim {
    /// Removes the remains of unfinished copies in the project, and claims the ID of a copy.
    pub(super) fn new(project: &Path, copy: &Session) -> io::Result<Self> {
        sweep(project, copy);
        let path = project.join(format!("{CLAIM}{}", copy.id().as_str()));
        let file = created(&path)?;
        // If the file system has no locks, `sweep` removes nothing either.
        let _ = file.lock();
        Ok(Self {
            path,
            copy: copy.clone(),
            _file: file,
        })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        finish(&self.path, &self.copy);
    }
}

/// Removes a claim, and before it the files of a copy whose transcript does not exist.
fn finish(claim: &Path, copy: &Session) {
    if copy.transcript().symlink_metadata().is_err() {
        for folder in [copy.folder(), history(copy)] {
            if sidecar::is_folder(&folder) {
                let _ = fs::remove_dir_all(folder);
            }
        }
    }
    let _ = fs::remove_file(claim);
}

/// Removes the files of copies that were not completed. Files that cannot be removed are harmless: no list shows them.
fn sweep(project: &Path, copy: &Session) {
    for name in names(project).unwrap_or_default() {
        let Some(id) = name.strip_prefix(CLAIM).filter(|id| is_session_id(id)) else {
            continue;
        };
        let path = project.join(&name);
        let mut options = OpenOptions::new();
        options.write(true);
        let Ok(claim) = file::regular(options, &path) else {
            continue;
        };
        match claim.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => continue,
        }
        finish(&path, &copy.beside(id.into()));
    }
}

/// Returns the folder with the file history of a session. It may not exist.
pub(super) fn history(session: &Session) -> PathBuf {
    let folder = session.sessions().config_dir().join("file-history");
    folder.join(session.id().as_str())
}

/// Whether a file of a session's folder is the transcript of a sub-agent.
pub(super) fn is_subagent(name: &Path) -> bool {
    let file = name.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("subagents") && file.starts_with("agent-") && file.ends_with(".jsonl")
}

/// Returns the transcripts of sub-agents, by their paths in the session's folder.
pub(super) fn subagents(session: &Session) -> Result<Vec<PathBuf>, Error> {
    let folder = session.folder();
    let mut found = Vec::new();
    visit(&folder, 0, &mut |path, kind| {
        let name = path.strip_prefix(&folder).unwrap_or(path);
        if kind == Entry::File && is_subagent(name) {
            found.push(name.to_owned());
        }
        Ok(())
    })
    .map_err(|error| Error::io("cannot read", &folder, error))?;
    Ok(found)
}

/// Copies a folder, if the folder exists. `copy` writes each file.
pub(super) fn copy_folder(
    from: &Path,
    to: &Path,
    left_out: &mut Vec<PathBuf>,
    copy: &mut dyn FnMut(&Path, &mut dyn Write) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut failed = None;
    let visited = visit(from, 0, &mut |path, kind| {
        let name = path.strip_prefix(from).unwrap_or(path);
        let target = to.join(name);
        match kind {
            Entry::Folder => make_folders(&target)?,
            Entry::Other => left_out.push(path.to_owned()),
            Entry::File if name == Path::new(ARCHIVED) => {}
            Entry::File => {
                let file = created(&target)?;
                let mut out = BufWriter::new(&file);
                if let Err(error) = copy(path, &mut out) {
                    failed = Some(error);
                    return Err(io::Error::other("the file could not be copied"));
                }
                out.flush()?;
                drop(out);
                file.sync_all()?;
            }
        }
        Ok(())
    });
    match (failed, visited) {
        (Some(error), _) => Err(error),
        (None, visited) => visited.map_err(|error| Error::io("cannot copy", from, error)),
    }
}

/// Writes the bytes of a file.
pub(super) fn copy_bytes(path: &Path, mut out: impl Write) -> Result<(), Error> {
    let copied = file::open(path).and_then(|mut file| io::copy(&mut file, &mut out));
    copied.map_err(|error| Error::io("cannot copy", path, error))?;
    Ok(())
}

/// The kind of a directory entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entry {
    Folder,
    File,
    /// A link, or a file that is not a regular one.
    Other,
}

/// Visits a folder and everything in it, sorted by name, each folder before its entries.
fn visit(
    path: &Path,
    depth: usize,
    visitor: &mut dyn FnMut(&Path, Entry) -> io::Result<()>,
) -> io::Result<()> {
    let found = match path.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found?.file_type(),
    };
    if found.is_file() {
        return visitor(path, Entry::File);
    }
    if !found.is_dir() || depth == DEEPEST {
        return visitor(path, Entry::Other);
    }
    visitor(path, Entry::Folder)?;
    let mut names: Vec<_> = fs::read_dir(path)?
        .map(|entry| Ok(entry?.file_name()))
        .collect::<io::Result<_>>()?;
    names.sort();
    for name in names {
        visit(&path.join(name), depth + 1, visitor)?;
    }
    Ok(())
}

/// Creates a folder that only the current user can access, and the folder above it, if it does not exist.
fn make_folders(path: &Path) -> io::Result<()> {
    match sidecar::make_folder(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            sidecar::make_folder(path.parent().unwrap_or(Path::new("")))?;
            sidecar::make_folder(path)
        }
        made => made,
    }
}

/// Creates a file that only the current user can access.
fn created(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
