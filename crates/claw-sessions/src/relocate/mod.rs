//! Moves sessions to the new path of their directory.

mod entries;
mod missing;
mod paths;
mod rewrite;

use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use claw_types::SessionId;

use self::entries::{collision, move_entry};
pub use self::missing::MissingDirectory;
use self::paths::Paths;
use self::rewrite::rewrite;
use crate::home::{named_folders, names, transcripts};
use crate::info::directory_of;
use crate::list::stat;
use crate::running::processes;
use crate::slug::{MOST, sanitized, slug};
use crate::{Error, Sessions, sidecar};

/// Moves the sessions of a directory that was moved or renamed. Made by [`Sessions::relocation`].
#[derive(Debug, Clone)]
#[must_use = "a relocation does nothing until it is planned or run"]
pub struct Relocation<'a> {
    sessions: &'a Sessions,
    from: PathBuf,
    to: PathBuf,
    has_all_below: bool,
}

/// The result of a relocation that was run or planned. Made by [`Relocation::run`] and [`Relocation::plan`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Relocated {
    /// The old path of the directory, absolute and without symbolic links.
    pub from: PathBuf,
    /// The new path of the directory, absolute and without symbolic links. It need not exist.
    pub to: PathBuf,
    /// The directories whose sessions were found, sorted by their old paths.
    pub directories: Vec<RelocatedDirectory>,
}

/// A directory whose sessions were moved, or would be moved.
#[derive(Debug)]
#[non_exhaustive]
pub struct RelocatedDirectory {
    /// The configuration folder with the sessions.
    pub config_dir: PathBuf,
    /// The old path of the directory.
    pub from: PathBuf,
    /// The new path of the directory.
    pub to: PathBuf,
    /// The IDs of the sessions, sorted.
    pub sessions: Vec<SessionId>,
    /// The names of the other files and folders of the project, such as `memory`, sorted.
    pub others: Vec<String>,
    /// The files and folders that stay where they are.
    pub left: Vec<LeftInPlace>,
}

/// A file or a folder that is not moved.
#[derive(Debug)]
#[non_exhaustive]
pub struct LeftInPlace {
    /// The path of the file or folder. For a session, this is the path of its transcript.
    pub path: PathBuf,
    /// The reason.
    pub reason: LeftReason,
}

/// The reason why a file or a folder is not moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeftReason {
    /// A running `claude` uses the session. If the process belongs to another machine or container, it may have ended.
    #[error("claude runs with it, as process {pid}")]
    Running {
        /// The ID of the process.
        pid: u32,
    },
    /// A move of the file or folder would overwrite a file.
    #[error("{} exists", path.display())]
    Exists {
        /// The path of the file that exists.
        path: PathBuf,
    },
    /// The session belongs to another directory. The CLI stores the sessions of both directories in the same folder.
    #[error("it is a session of {directory}")]
    OtherDirectory {
        /// The path of the other directory.
        directory: String,
    },
    /// Sessions that are not moved may need the file or folder: sessions of another directory, or of a running
    /// `claude`.
    #[error("sessions that are not moved may need it")]
    Shared,
    /// The path is a symbolic link or a file, but should be a folder.
    #[error("it is not a folder")]
    NotAFolder,
    /// The file or folder could not be read or moved. A part of it may have been moved. Another run moves the rest.
    #[error("{0}")]
    Failed(io::Error),
}

impl Sessions {
    /// Begins to move the sessions of a directory that was moved or renamed from `from` to `to`, so that the CLI finds
    /// them under the new path. The directory itself is not touched.
    ///
    /// The CLI stores the sessions of a directory in a folder that is named after the directory's path. A relocation
    /// moves the transcripts, the files of sub-agents, the project's memory, and all other files of that folder to the
    /// folder of the new path. The file history is stored for each session. Its paths are changed in the transcripts,
    /// so that the CLI can restore files that were changed before the move.
    ///
    /// Nothing is overwritten. A session that a running `claude` uses is not moved. If the process is killed, each file
    /// is in the old or in the new folder, and another run moves the rest. A relocation from `to` to `from` reverses
    /// the move.
    ///
    /// ```no_run
    /// use claw_sessions::Sessions;
    ///
    /// let sessions = Sessions::of_user()?;
    /// let relocation = sessions.relocation("/home/user/sums", "/home/user/work/sums");
    /// for directory in relocation.plan()?.directories {
    ///     println!("{} sessions of {}", directory.sessions.len(), directory.from.display());
    /// }
    /// let relocated = relocation.run()?;
    /// for left in relocated.directories.iter().flat_map(|directory| &directory.left) {
    ///     eprintln!("{} stays: {}", left.path.display(), left.reason);
    /// }
    /// # Ok::<(), claw_sessions::Error>(())
    /// ```
    pub fn relocation(&self, from: impl Into<PathBuf>, to: impl Into<PathBuf>) -> Relocation<'_> {
        Relocation {
            sessions: self,
            from: from.into(),
            to: to.into(),
            has_all_below: false,
        }
    }
}

impl Relocation<'_> {
    /// Also moves the sessions of every directory below the directory.
    pub fn all_below(mut self) -> Self {
        self.has_all_below = true;
        self
    }

    /// Returns what [`run`](Self::run) would do, and changes nothing.
    ///
    /// # Errors
    ///
    /// Fails with the same errors as [`run`](Self::run).
    pub fn plan(&self) -> Result<Relocated, Error> {
        self.relocate(false)
    }

    /// Moves the sessions. A file or folder that cannot be moved is listed in [`left`](RelocatedDirectory::left).
    ///
    /// # Errors
    ///
    /// Fails with [`Error::SameDirectory`] if both paths lead to one directory, and with [`Error::Io`] if a path cannot
    /// be resolved, or if the list of projects or of running processes cannot be read. After these errors, nothing was
    /// moved.
    pub fn run(&self) -> Result<Relocated, Error> {
        self.relocate(true)
    }

    fn relocate(&self, is_run: bool) -> Result<Relocated, Error> {
        let paths = Paths::resolve(&self.from, &self.to)
            .map_err(|error| Error::io("cannot resolve", &self.from, error))?;
        if paths.from == paths.to {
            let path = paths.from;
            return Err(Error::SameDirectory { path });
        }
        let mut homes = Vec::new();
        for home in self.sessions.each() {
            let config = home.config_dir();
            let running = processes(config)
                .map_err(|error| Error::io("cannot read", config.join("sessions"), error))?;
            let sources = self.sources(&home.projects(), &paths)?;
            homes.push((home, running, sources));
        }
        let mut directories = Vec::new();
        for (home, running, sources) in homes {
            for (source, from) in sources {
                let Some(to) = paths.moved(&from) else {
                    continue;
                };
                let project = Project {
                    config_dir: home.config_dir(),
                    target: home.projects().join(slug(Path::new(&to))),
                    source,
                    to,
                    from,
                    paths: &paths,
                    has_all_below: self.has_all_below,
                    running: &running,
                };
                let directory = project.relocate(is_run);
                let is_empty = directory.sessions.is_empty() && directory.others.is_empty();
                if !is_empty || !directory.left.is_empty() {
                    directories.push(directory);
                }
            }
        }
        // The sort is stable, so the configuration folders of one directory keep their order.
        directories.sort_by(|a, b| a.from.cmp(&b.from));
        let Paths { from, to } = paths;
        Ok(Relocated {
            from,
            to,
            directories,
        })
    }

    /// Returns the folders of the projects to move, each with the old path of its directory.
    fn sources(&self, projects: &Path, paths: &Paths) -> Result<Vec<(PathBuf, String)>, Error> {
        let from = paths.from.to_string_lossy().into_owned();
        let folders = named_folders(projects, &paths.from).into_iter();
        let mut sources: Vec<_> = folders
            .filter(|folder| folder.symlink_metadata().is_ok())
            .map(|folder| (folder, from.clone()))
            .collect();
        if !self.has_all_below {
            return Ok(sources);
        }
        let all = match names(projects) {
            Ok(names) => names,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Error::io("cannot read", projects, error)),
        };
        let mut begins = sanitized(&from);
        begins.truncate(MOST);
        for name in all.iter().filter(|name| name.starts_with(&begins)) {
            let folder = projects.join(name);
            if sources.iter().all(|(known, _)| *known != folder)
                && let Some(directory) = directory_below(&folder, name, paths)
            {
                sources.push((folder, directory));
            }
        }
        Ok(sources)
    }
}

/// Returns the old path of the directory of a project, if that directory was below the moved directory. The path cannot
/// be derived from the name of the folder, so a session in the folder must contain it. A session that an earlier run
/// has not moved completely may contain the new path.
fn directory_below(folder: &Path, name: &str, paths: &Paths) -> Option<String> {
    let transcripts = transcripts(folder).ok()?;
    let found = transcripts.iter().find_map(|transcript| {
        let cwd = directory_of(&transcript.entry.path()).ok()??;
        let original = paths.original(&cwd).unwrap_or(cwd);
        let is_named = slug(Path::new(&original)) == name;
        (is_named && paths.moved(&original).is_some()).then_some(original)
    });
    found.filter(|found| Path::new(found) != paths.from)
}

/// The folder of a project whose directory was moved.
struct Project<'a> {
    config_dir: &'a Path,
    source: PathBuf,
    target: PathBuf,
    /// The old path of the directory.
    from: String,
    /// The new path of the directory.
    to: String,
    paths: &'a Paths,
    has_all_below: bool,
    running: &'a HashMap<String, u32>,
}

impl Project<'_> {
    fn relocate(&self, is_run: bool) -> RelocatedDirectory {
        let mut done = RelocatedDirectory {
            config_dir: self.config_dir.to_owned(),
            from: self.from.clone().into(),
            to: self.to.clone().into(),
            sessions: Vec::new(),
            others: Vec::new(),
            left: Vec::new(),
        };
        if let Err(left) = self.relocate_into(&mut done, is_run) {
            done.left.push(left);
        }
        done
    }

    fn relocate_into(
        &self,
        done: &mut RelocatedDirectory,
        is_run: bool,
    ) -> Result<(), LeftInPlace> {
        for folder in [&self.source, &self.target] {
            if folder.symlink_metadata().is_ok() && !sidecar::is_folder(folder) {
                return Err(left(folder, LeftReason::NotAFolder));
            }
        }
        let failed = |error| left(&self.source, LeftReason::Failed(error));
        let mut found = transcripts(&self.source).map_err(failed)?;
        found.sort_by(|a, b| a.id.as_str().cmp(b.id.as_str()));
        let mut rest = names(&self.source).map_err(failed)?;
        rest.sort();
        let mut is_shared = false;
        for transcript in found {
            let path = transcript.entry.path();
            // An empty file and a link are not sessions.
            if stat(&path).is_err() {
                continue;
            }
            let id = transcript.id;
            let is_own = |name: &String| {
                let after = name.strip_prefix(id.as_str());
                after.is_some_and(|after| after.is_empty() || after.starts_with('.'))
            };
            let (mut own, others) = rest.into_iter().partition::<Vec<_>, _>(is_own);
            rest = others;
            // The transcript is moved last: as long as it is in the old folder, another run moves the rest.
            own.sort_by_key(|name| path.ends_with(name));
            match self.session(&path, id.as_str(), &own, is_run) {
                Ok(true) => done.sessions.push(id),
                Ok(false) => {}
                Err(reason) => {
                    is_shared |= matches!(
                        reason,
                        LeftReason::Running { .. } | LeftReason::OtherDirectory { .. }
                    );
                    done.left.push(left(&path, reason));
                }
            }
        }
        if self.source == self.target {
            return Ok(());
        }
        // The names of files that are being written begin with `.claw-`.
        rest.retain(|name| !name.starts_with(".claw-"));
        for name in rest {
            if is_shared {
                let path = self.source.join(name);
                done.left.push(left(&path, LeftReason::Shared));
                continue;
            }
            match self.entry(&name, is_run) {
                Ok(()) => done.others.push(name),
                Err(reason) => done.left.push(left(&self.source.join(name), reason)),
            }
        }
        if is_run {
            // The removal fails if a file or folder remains in the folder, which then stays.
            let _ = fs::remove_dir(&self.source);
        }
        Ok(())
    }

    /// Moves a session, whose files have these names. Returns `false` if the session already is in the new folder.
    fn session(
        &self,
        transcript: &Path,
        id: &str,
        names: &[String],
        is_run: bool,
    ) -> Result<bool, LeftReason> {
        let directory = directory_of(transcript).map_err(LeftReason::Failed)?;
        let is_in_place = self.source == self.target;
        let is_old = |directory: &String| self.paths.moved(directory).is_some();
        if is_in_place && !directory.as_ref().is_some_and(is_old) {
            return Ok(false);
        }
        if let Some(directory) = directory.filter(|directory| self.is_other(directory)) {
            return Err(LeftReason::OtherDirectory { directory });
        }
        if let Some(pid) = self.running.get(id) {
            return Err(LeftReason::Running { pid: *pid });
        }
        if !is_in_place {
            for name in names {
                self.collision(name)?;
            }
        }
        if is_run {
            rewrite(transcript, id, self.paths, &self.to).map_err(LeftReason::Failed)?;
        }
        if !is_in_place {
            for name in names {
                self.entry(name, is_run)?;
            }
        }
        Ok(true)
    }

    /// Whether a session belongs to another directory with the same folder name.
    fn is_other(&self, directory: &str) -> bool {
        let is_below = self.has_all_below && self.paths.moved(directory).is_some();
        sanitized(directory) == sanitized(&self.from)
            && ![&*self.from, &*self.to].contains(&directory)
            && !is_below
    }

    /// Moves a file or folder of the project without overwriting another one.
    fn entry(&self, name: &str, is_run: bool) -> Result<(), LeftReason> {
        if !is_run {
            return self.collision(name);
        }
        let (from, to) = (self.source.join(name), self.target.join(name));
        let moved = sidecar::make_folder(&self.target).and_then(|()| move_entry(&from, &to));
        moved.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => LeftReason::Exists { path: to },
            _ => LeftReason::Failed(error),
        })
    }

    fn collision(&self, name: &str) -> Result<(), LeftReason> {
        match collision(&self.source.join(name), &self.target.join(name)) {
            Ok(None) => Ok(()),
            Ok(Some(path)) => Err(LeftReason::Exists { path }),
            Err(error) => Err(LeftReason::Failed(error)),
        }
    }
}

fn left(path: &Path, reason: LeftReason) -> LeftInPlace {
    let path = path.to_owned();
    LeftInPlace { path, reason }
}
