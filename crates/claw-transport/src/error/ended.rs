//! How a process ended, and for which reason it says, as errors have it.

use std::fmt;
use std::path::PathBuf;

use claw_codec::Line;
use claw_types::escape;

use super::shown;
use crate::Exit;

/// A process that has ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Exited {
    /// Which process. `None` where it is not on this machine.
    pub pid: Option<u32>,
    /// How it ended.
    pub exit: Exit,
    /// The end of what it wrote to stderr, secrets masked.
    pub stderr: String,
    /// The line that it was writing, as far as it came. It may hold secrets. [`Process::exit_error`] does not know
    /// it; whoever reads the lines puts it here.
    ///
    /// [`Process::exit_error`]: crate::Process::exit_error
    pub cut: Option<Line>,
}

impl fmt::Display for Exited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("claude")?;
        if let Some(pid) = self.pid {
            write!(f, " (process {pid})")?;
        }
        f.write_str(" ended")?;
        if let Some(line) = &self.cut {
            write!(f, " in the middle of line {}", line.number)?;
        }
        write!(f, ": {}", self.exit)?;
        match self.stderr.trim() {
            "" => Ok(()),
            text => write!(f, "; stderr: {}", escape(text)),
        }
    }
}

/// A session that was to be resumed, and was not found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionNotFound {
    /// The session that was asked for: its id, its title or its file.
    pub id: String,
    /// The folder in which all sessions are kept, where claw looked into it before the start.
    pub looked_in: Option<PathBuf>,
    /// The file that it is kept in, where it is kept on this machine: this `claude` did not find it from its working
    /// directory. (2.1.200 resumes only sessions of the same directory or repository; 2.1.329 and 2.1.330 resume
    /// all.)
    pub file: Option<PathBuf>,
    /// The working directory that it was begun in, where `file` says so. With this one as `cwd` it is resumed.
    pub cwd: Option<PathBuf>,
    /// How the process ended that did not find it. `None`: nothing was started.
    pub exited: Option<Exited>,
}

impl fmt::Display for SessionNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = escape(&self.id);
        let Some(file) = &self.file else {
            write!(f, "there is no session {id}")?;
            if let Some(folder) = &self.looked_in {
                write!(f, " in {}", shown(folder))?;
            }
            return f.write_str(
                "; `claude` keeps sessions for each user, and for each CLAUDE_CONFIG_DIR",
            );
        };
        write!(
            f,
            "claude did not find the session {id} from its working directory; it is "
        )?;
        if let Some(cwd) = &self.cwd {
            write!(f, "of the directory {}, ", shown(cwd))?;
        }
        write!(
            f,
            "kept in {}. This version resumes sessions of the same directory or repository only",
            shown(file)
        )
    }
}
