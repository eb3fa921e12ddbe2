//! The configuration folders that `--config-dir` names.

use std::path::{Path, PathBuf};

use claw_client::types::QueryOptions;
use claw_sessions::{Error, Sessions};

use crate::args::config_dirs::ConfigDirs;
use crate::escape::escape;
use crate::outcome::{Outcome, report, write_stderr};

impl ConfigDirs {
    /// The sessions of the folders. Without a folder, those of the folder that a `claude` with these options uses.
    ///
    /// # Errors
    ///
    /// The error is printed. It is one if none of the named folders can be read.
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

    /// The sessions of the folders, of which none need exist.
    pub(crate) fn named(&self, options: Option<&QueryOptions>) -> Result<Sessions, Error> {
        let set = |name: &str| options?.env.as_ref()?.get(name);
        let variable = |name: &str| match set(name) {
            Some(set) => set.as_ref().map(Into::into),
            None => std::env::var_os(name),
        };
        Sessions::of_config_dirs(self.config_dirs.iter().map(|dir| expanded(dir)), variable)
    }

    /// The sessions of the folders, of which none need exist, for a command that begins sessions itself. `None` if no
    /// folder is named. A folder that cannot be read is reported.
    ///
    /// # Errors
    ///
    /// The error is printed.
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

    /// Sets the folder with which `claude` is started: that of the session to be continued, or the first one.
    ///
    /// # Errors
    ///
    /// The error is printed, also if several folders have the session.
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
            // `claude` reports a session that is in none of them.
            if let Some(session) = found {
                of = session.sessions().clone();
            }
        }
        set(&of, options);
        Ok(())
    }
}

/// Whether one of the folders can be read, if they were named. The errors are printed.
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

/// The session that is continued without a name.
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

/// Reports that several folders have the session.
pub(crate) fn in_several(id: &str, config_dirs: &[PathBuf]) -> Outcome {
    let named = config_dirs
        .iter()
        .map(|dir| format!("--config-dir {}", dir.display()));
    let named = named.collect::<Vec<_>>().join(" or ");
    let text = format!("session {id} is in several configuration folders: name one with {named}");
    write_stderr(&format!("claw: {}\n", escape(&text)));
    Outcome::Usage
}

/// The folder. No shell has replaced the `~` at the beginning if it is named in the configuration file.
fn expanded(dir: &str) -> PathBuf {
    let rest = dir.strip_prefix('~');
    let rest = rest.filter(|rest| rest.is_empty() || rest.starts_with(std::path::is_separator));
    match rest.zip(std::env::home_dir()) {
        Some((rest, home)) => home.join(rest.trim_start_matches(std::path::is_separator)),
        None => dir.into(),
    }
}
