//! Descriptions of ended processes, for errors.

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
    /// The process ID. `None` if the process did not run on this machine.
    pub pid: Option<u32>,
    /// The exit of the process.
    pub exit: Exit,
    /// The last part of the process's output on stderr, with secrets masked.
    pub stderr: String,
    /// The incomplete line that the process was writing to stdout when it ended. It may contain secrets.
    /// [`Process::exit_error`] leaves this field `None`. claw-client sets it, because claw-client reads the lines.
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

/// A session that was to be resumed but was not found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionNotFound {
    /// The session that was requested: its ID, its title or the path of its file.
    pub id: String,
    /// The folder that contains all sessions, if claw searched it for the session before it started a process.
    pub searched: Option<PathBuf>,
    /// The session's file, if it is on this machine. The `claude` that was started did not find the file from its
    /// working directory. (CLI 2.1.200 resumes only sessions of the same directory or repository; 2.1.329 to 2.1.332
    /// resume all.)
    pub file: Option<PathBuf>,
    /// The working directory in which the session began, if `file` contains it. The session can be resumed with this
    /// directory as `cwd`.
    pub cwd: Option<PathBuf>,
    /// The exit of the process that did not find the session. `None` if claw found out that the session is missing
    /// before it started a process.
    pub exited: Option<Exited>,
}

impl fmt::Display for SessionNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The message stays on one line, even if the requested ID contains line feeds.
        let id = self.id.replace('\n', "\\n");
        let id = escape(&id);
        let Some(file) = &self.file else {
            if self.id.trim().is_empty() {
                return f.write_str("there is no session without an id");
            }
            write!(f, "there is no session {id}")?;
            if let Some(folder) = &self.searched {
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
