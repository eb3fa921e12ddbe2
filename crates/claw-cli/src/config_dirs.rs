//! The configuration folders that `--config-dir` names.

use std::path::{Path, PathBuf};

use claw_client::types::QueryOptions;
use claw_sessions::{Error, Sessions};

use crate::args::config_dirs::ConfigDirs;
use crate::escape::escape;
use crate::outcome::{Outcome, report, write_stderr};

impl ConfigDirs {
    /// Returns the sessions of the named folders. If no folder is named, returns the sessions of the folder that a
    /// `claude` with these options uses.
    ///
    /// # Errors
    ///
    /// Prints an error and fails if none of the folders can be read.
    #[cfg(feature = "terminal")]
    pub(crate) fn sessions(&self, options: Option<&QueryOptions>) -> Result<Sessions, Outcome> {
        let sessions = self.named(options).map_err(|error| {
            let outcome = match error {
                Error::NoHome => Outcome::Unreadable,
                _ => Outcome::Usage,
            };
            report(&error, outcome)
        })?;
        readable(&sessions)?;
        Ok(sessions)
    }

    /// Returns the sessions of the named folders. The folders need not exist.
    pub(crate) fn named(&self, options: Option<&QueryOptions>) -> Result<Sessions, Error> {
        let set = |name: &str| options?.env.as_ref()?.get(name);
        let variable = |name: &str| match set(name) {
            Some(set) => set.as_ref().map(Into::into),
            None => std::env::var_os(name),
        };
        Sessions::of_config_dirs(self.config_dirs.iter().map(|dir| expanded(dir)), variable)
    }

    /// Returns the sessions of the named folders, for a command that begins sessions itself. Returns `None` if no
    /// folder is named. The folders need not exist. Prints a message about each folder that cannot be read.
    ///
    /// # Errors
    ///
    /// Prints an error and fails if the folders cannot be determined.
    pub(crate) fn of_command(&self, options: &QueryOptions) -> Result<Option<Sessions>, Outcome> {
        if self.config_dirs.is_empty() {
            return Ok(None);
        }
        let sessions = self
            .named(Some(options))
            .map_err(|error| report(&error, Outcome::Usage))?;
        if sessions.has_several() {
            report_problems(&sessions.problems());
        }
        Ok(Some(sessions))
    }

    /// Sets the folder with which `claude` is started. It is the folder of the continued session, or else the first
    /// folder.
    ///
    /// # Errors
    ///
    /// Prints an error and fails if the folders cannot be determined, or if several folders contain the session.
    pub(crate) fn apply(&self, options: &mut QueryOptions) -> Result<(), Outcome> {
        if self.config_dirs.is_empty() {
            return Ok(());
        }
        let sessions = self
            .named(Some(&*options))
            .map_err(|error| report(&error, Outcome::Usage))?;
        let mut of = sessions.clone();
        if sessions.has_several()
            && (options.resume.is_some() || options.continue_session == Some(true))
        {
            report_problems(&sessions.problems());
            let found = match &options.resume {
                Some(id) => match sessions.find(id.as_str()) {
                    Err(Error::InSeveral { id, config_dirs }) => {
                        return Err(in_several(&id, &config_dirs));
                    }
                    found => found.ok(),
                },
                None => newest(&sessions, options),
            };
            // If no folder contains the session, `claude` reports this.
            if let Some(session) = found {
                of = session.sessions().clone();
            }
        }
        set(&of, options);
        Ok(())
    }
}

/// Checks that at least one of the folders can be read. If not, prints the errors.
#[cfg(feature = "terminal")]
pub(crate) fn readable(sessions: &Sessions) -> Result<(), Outcome> {
    let problems = sessions.problems();
    if problems.len() < sessions.each().len() {
        return Ok(());
    }
    report_problems(&problems);
    Err(Outcome::Unreadable)
}

fn report_problems(problems: &[Error]) {
    for problem in problems {
        write_stderr(&format!("claw: {}\n", escape(&problem.to_string())));
    }
}

/// Returns the session that is continued if none is named. It is the newest session of the directory.
fn newest(sessions: &Sessions, options: &QueryOptions) -> Option<claw_sessions::Session> {
    let directory = options.cwd.as_deref().unwrap_or(Path::new("."));
    let list = sessions.list().project(directory).limit(1).run();
    list.ok()?.on_disk.into_iter().next()
}

/// Sets the folder with which `claude` is started.
pub(crate) fn set(of: &Sessions, options: &mut QueryOptions) {
    if let Some((name, value)) = of.environment() {
        let env = options.env.get_or_insert_default();
        env.insert(name, value.map(ToOwned::to_owned));
    }
}

/// Reports that several folders contain the session.
pub(crate) fn in_several(id: &str, config_dirs: &[PathBuf]) -> Outcome {
    let named = config_dirs
        .iter()
        .map(|dir| format!("--config-dir {}", dir.display()));
    let named = named.collect::<Vec<_>>().join(" or ");
    let text = format!("session {id} is in several configuration folders: name one with {named}");
    write_stderr(&format!("claw: {}\n", escape(&text)));
    Outcome::Usage
}

/// Replaces a `~` at the beginning of a folder. A shell does not do so for a folder in the configuration file.
fn expanded(dir: &str) -> PathBuf {
    let rest = dir.strip_prefix('~');
    let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with(std::path::is_separator));
    match rest.zip(std::env::home_dir()) {
        Some((rest, home)) => home.join(rest.trim_start_matches(std::path::is_separator)),
        None => dir.into(),
    }
}
