//! `claw sessions move`: moves the sessions of a directory that was moved or renamed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use claw_sessions::{RelocatedDirectory, Sessions};

use super::{Done, Failed, print};
use crate::escape::escape;
use crate::outcome::Outcome;

/// The maximum number of sessions that are named, and the maximum number of other files.
const NAMES: usize = 10;

/// The options of a move.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// Whether the sessions of directories below the directory are moved too.
    pub(super) all_below: bool,
    /// Whether the sessions are moved. If `false`, the command only prints which sessions would be moved.
    pub(super) yes: bool,
}

/// Moves sessions, or prints which ones would be moved.
pub(super) fn relocate(sessions: &Sessions, from: PathBuf, to: PathBuf, how: How) -> Done {
    let mut relocation = sessions.relocation(from, to);
    if how.all_below {
        relocation = relocation.all_below();
    }
    let relocated = if how.yes {
        relocation.run()?
    } else {
        relocation.plan()?
    };
    super::report_problems(&sessions.problems());
    if relocated.directories.is_empty() {
        let from = path(&relocated.from);
        anstream::eprintln!("claw: there are no sessions of {from}");
        return Err(Failed::Reported(Outcome::Unreadable));
    }
    if !relocated.to.is_dir() {
        anstream::eprintln!("claw: there is no directory {}", path(&relocated.to));
    }
    let directories = &relocated.directories;
    let drawn = |directory| drawn(directory, sessions);
    print(&directories.iter().map(drawn).collect::<String>())?;
    let left = directories.iter().flat_map(|directory| &directory.left);
    let mut are_all_moved = true;
    for left in left {
        are_all_moved = false;
        let reason = left.reason.to_string();
        anstream::eprintln!("claw: {} stays: {}", path(&left.path), escape(&reason));
    }
    if !how.yes {
        print("Nothing was moved. With --yes, this is moved.\n")?;
    } else if !are_all_moved {
        return Err(Failed::Reported(Outcome::ErrorResult));
    }
    Ok(())
}

/// Returns the lines about a directory.
fn drawn(directory: &RelocatedDirectory, sessions: &Sessions) -> String {
    let folder = sessions.short_name(&directory.config_dir);
    let folder = folder
        .map(|folder| format!(" in {}", escape(&folder)))
        .unwrap_or_default();
    let (from, to) = (path(&directory.from), path(&directory.to));
    let mut text = format!("{from} → {to}{folder}\n");
    let ids = directory.sessions.iter().map(|id| id.as_str().to_owned());
    let names = directory.others.iter().cloned();
    for (names, one, many) in [
        (ids.collect::<Vec<_>>(), "session", "sessions"),
        (
            names.collect(),
            "other file or folder",
            "other files and folders",
        ),
    ] {
        let what = match names.len() {
            0 => continue,
            1 => one,
            _ => many,
        };
        let more = if names.len() > NAMES { ", …" } else { "" };
        let list = names[..names.len().min(NAMES)].join(", ") + more;
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {} {what}: {}", names.len(), escape(&list));
    }
    text
}

fn path(path: &Path) -> String {
    escape(&path.display().to_string()).into_owned()
}
