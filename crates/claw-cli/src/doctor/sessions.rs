//! Checks whether the directories exist in which sessions have worked.

use std::env;
use std::path::Path;

use claw_sessions::{MissingDirectory, Sessions, real_path};

use super::check::Check;
use crate::args::config_dirs::ConfigDirs;

/// The maximum number of directories for which a proposal is printed.
const PROPOSALS: usize = 5;

/// Proposes to move the sessions of directories that no longer exist. Leaves out temporary directories and worktrees of
/// sessions, because they are usually removed on purpose.
pub(super) fn check(dirs: &ConfigDirs) -> Vec<Check> {
    let Ok(sessions) = dirs.named(None) else {
        return Vec::new();
    };
    let mut missing = match sessions.missing_directories() {
        Ok(missing) => missing,
        Err(error) => {
            let mend = "claude keeps sessions there: make it readable.";
            return vec![Check::warning("sessions", error.to_string(), mend)];
        }
    };
    let temporary = env::temp_dir();
    let temporary = real_path(&temporary).unwrap_or(temporary);
    let worktrees = Path::new(".claude").join("worktrees");
    missing.retain(|directory| {
        let parents = || directory.path.ancestors();
        !directory.path.starts_with(&temporary) && !parents().any(|it| it.ends_with(&worktrees))
    });
    let mut checks = Vec::new();
    let mut rest = Vec::new();
    for directory in missing {
        match &*directory.candidates {
            [now] if checks.len() < PROPOSALS => {
                checks.push(proposal(&sessions, &directory, now));
            }
            _ => rest.push(directory),
        }
    }
    if let [first, ..] = &*rest {
        let count = rest.iter().map(|directory| directory.sessions).sum();
        let text = format!(
            "{} of directories that do not exist, such as {}",
            sessions_are(count),
            first.path.display()
        );
        let mend = "If a directory was moved or renamed: claw sessions move OLD NEW";
        checks.push(Check::warning("sessions", text, mend));
    }
    checks
}

fn proposal(sessions: &Sessions, directory: &MissingDirectory, now: &Path) -> Check {
    let names = directory.config_dirs.iter();
    let names: Vec<_> = names.filter_map(|dir| sessions.short_name(dir)).collect();
    let folders = if names.is_empty() {
        String::new()
    } else {
        format!(" (in {})", names.join(", "))
    };
    let text = format!(
        "{} of {}, which does not exist{folders}",
        sessions_are(directory.sessions),
        directory.path.display()
    );
    let options = sessions
        .each()
        .filter(|home| home.environment().is_some())
        .map(|home| format!(" --config-dir {}", argument(home.config_dir())));
    let options: String = options.collect();
    let below = if directory.has_below {
        " --all-below"
    } else {
        ""
    };
    let (from, to) = (argument(&directory.path), argument(now));
    let mend = format!(
        "If it is {} now: claw sessions{options} move {from} {to}{below}",
        now.display()
    );
    Check::warning("sessions", text, mend)
}

fn sessions_are(count: usize) -> String {
    if count == 1 {
        "1 session is".to_owned()
    } else {
        format!("{count} sessions are")
    }
}

/// Quotes a path as an argument on the command line.
fn argument(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/\\:._-+@,=".contains(c);
    if path.chars().all(is_plain) {
        path
    } else if cfg!(windows) {
        format!("\"{path}\"")
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}
