//! `claw sessions`: the sessions that `claude` stores on disk.

mod change;
pub(crate) mod choose;
mod deleted;
mod export;
#[cfg(feature = "stores")]
mod indexed;
mod list;
mod moved;
mod repair;
mod search;
#[cfg(feature = "stores")]
mod service;
#[cfg(feature = "stores")]
mod stored;
#[cfg(feature = "stores")]
mod synced;
mod table;
#[cfg(test)]
mod tests;
mod usage;

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::path::PathBuf;

use claw_sessions::{Changes, Session, Sessions};

use crate::args::Store;
use crate::args::config_dirs::ConfigDirs;
use crate::args::sessions::{Command, Id, Scope, Which};
use crate::config_dirs::{in_several, readable};
use crate::escape::{escape, escape_json};
use crate::outcome::{Outcome, report};
use crate::view;

impl Scope {
    /// Returns the directory whose sessions are used. Returns `None` if the sessions of all directories are used.
    fn directory(&self) -> Option<PathBuf> {
        let here = || PathBuf::from(".");
        (!self.all).then(|| self.project.clone().unwrap_or_else(here))
    }
}

impl Id {
    /// Returns the session to which a command applies.
    fn session(&self, sessions: &Sessions) -> Result<Session, Failed> {
        Ok(sessions.find_by_prefix(&self.id)?)
    }
}

impl Which {
    /// Returns the session to which a command applies. Without an ID, it is the newest session of this folder.
    fn session(&self, sessions: &Sessions) -> Result<Session, Failed> {
        if let Some(id) = &self.id {
            return Ok(sessions.find_by_prefix(id)?);
        }
        let newest = sessions.list().project(".").limit(1).run()?;
        report_problems(&newest.problems);
        if let Some(session) = newest.on_disk.into_iter().next() {
            Ok(session)
        } else {
            anstream::eprintln!("claw: there is no session of this folder");
            Err(Failed::Reported(Outcome::Unreadable))
        }
    }
}

/// The result of a function that writes to stdout.
pub(super) type Done = Result<(), Failed>;

/// The reason why a command has failed.
pub(super) enum Failed {
    Sessions(claw_sessions::Error),
    #[cfg(feature = "stores")]
    Stored(claw_client::store::StoredError),
    /// Writing to stdout or to another output has failed.
    Write(io::Error),
    /// The command has already reported the error to the user.
    Reported(Outcome),
}

impl From<claw_sessions::Error> for Failed {
    fn from(error: claw_sessions::Error) -> Self {
        match error {
            claw_sessions::Error::Write(error) => Self::Write(error),
            error => Self::Sessions(error),
        }
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl Command {
    pub(crate) async fn run(self, store: &Store, dirs: &ConfigDirs) -> Outcome {
        let of_file;
        let store = match &self {
            Self::Sync { .. } | Self::Pull { .. } => match store.or_of_file() {
                Ok(found) => {
                    of_file = found;
                    &of_file
                }
                Err(outcome) => return outcome,
            },
            _ => store,
        };
        // If the arguments of a service cannot name the store, the command fails before the store is opened.
        #[cfg(feature = "stores")]
        if matches!(self, Self::Sync { install: true, .. })
            && let Err(outcome) = store.arguments()
        {
            return outcome;
        }
        let directory = self.directory();
        let opened = match store.open("sessions", &directory).await {
            Ok(opened) => opened,
            Err(outcome) => return outcome,
        };
        let sessions = dirs.named(None);
        if let Ok(sessions) = &sessions
            && let Err(outcome) = readable(sessions)
        {
            return outcome;
        }
        let done = match (opened, sessions) {
            #[cfg(feature = "stores")]
            (Some(_), _)
                if let Self::Sync {
                    install: true,
                    project,
                    ..
                } = &self =>
            {
                service::install(store, dirs, project.as_deref())
            }
            #[cfg(feature = "stores")]
            (Some(store), sessions) => self.with_store(&store, sessions).await,
            #[cfg(not(feature = "stores"))]
            (Some(never), _) => match never {},
            (None, Ok(sessions)) => self.with(&sessions).await,
            (None, Err(error)) => Err(error.into()),
        };
        match done {
            Ok(()) => Outcome::Success,
            Err(Failed::Reported(outcome)) => outcome,
            Err(Failed::Sessions(claw_sessions::Error::InSeveral { id, config_dirs })) => {
                in_several(&id, &config_dirs)
            }
            Err(Failed::Sessions(error)) => report(&error, outcome(&error)),
            #[cfg(feature = "stores")]
            Err(Failed::Stored(error)) => report(&error, stored::outcome(&error)),
            // The reader of stdout has exited, which is not an error.
            Err(Failed::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Outcome::Success,
            Err(Failed::Write(error)) => report(&error, Outcome::BrokeOff),
        }
    }

    /// Returns the directory to which the command applies.
    fn directory(&self) -> PathBuf {
        match self {
            Self::List { scope, .. } | Self::Search { scope, .. } | Self::Usage { scope, .. } => {
                scope.project.clone().unwrap_or_else(|| ".".into())
            }
            Self::Delete { selected, .. } => {
                let project = selected.scope.project.clone();
                project.unwrap_or_else(|| ".".into())
            }
            _ => ".".into(),
        }
    }

    async fn with(self, sessions: &Sessions) -> Done {
        match self {
            Self::List {
                scope,
                limit,
                larger_than,
                json,
            } => {
                let how = list::How {
                    limit,
                    larger_than,
                    json,
                };
                list::list(sessions, &scope, how)
            }
            Self::Show {
                which,
                json,
                follow,
                rewound,
                width,
            } => {
                let session = which.session(sessions)?;
                let how = view::show::How {
                    json,
                    follow,
                    rewound,
                    width,
                };
                match view::show::show(session.transcript(), how).await {
                    Outcome::Success => Ok(()),
                    outcome => Err(Failed::Reported(outcome)),
                }
            }
            Self::Rename { id, title } => {
                let changes = Changes::new().title(title);
                Ok(id.session(sessions)?.change(&changes)?)
            }
            Self::Tag { id, tag, .. } => {
                let session = id.session(sessions)?;
                match tag {
                    Some(tag) => session.tag(&tag)?,
                    None => session.untag()?,
                }
                Ok(())
            }
            Self::Archive { id, undo } => {
                let changes = Changes::new().archived(!undo);
                Ok(id.session(sessions)?.change(&changes)?)
            }
            Self::Delete {
                id: Some(id), yes, ..
            } => change::delete(&Id { id }.session(sessions)?, yes),
            Self::Delete { selected, yes, .. } => deleted::delete(sessions, &selected, yes),
            Self::Move {
                from,
                to,
                all_below,
                yes,
            } => moved::relocate(sessions, from, to, moved::How { all_below, yes }),
            Self::Repair {
                id,
                check_only,
                json,
            } => repair::repair(&id.session(sessions)?, check_only, json),
            Self::Fork {
                which,
                up_to,
                title,
            } => change::fork(&which.session(sessions)?, up_to, title),
            Self::Search {
                text,
                scope,
                ignore_case,
                everything,
                json,
            } => {
                let how = search::How {
                    ignore_case,
                    everything,
                    json,
                };
                search::search(sessions, &scope, &text, how)
            }
            Self::Usage { id, scope, report } => {
                usage::usage(sessions, id.as_deref(), &scope, &report)
            }
            Self::Import { .. } => {
                anstream::eprintln!("claw: say with --store where the session is to be brought");
                Err(Failed::Reported(Outcome::Usage))
            }
            Self::Sync { .. } | Self::Pull { .. } => {
                anstream::eprintln!(
                    "claw: say with --store, or with the key store in [sync] of the configuration file, which store has the sessions"
                );
                Err(Failed::Reported(Outcome::Usage))
            }
            Self::Export {
                which,
                output,
                format,
            } => export::export(&which.session(sessions)?, &output, format),
        }
    }
}

fn outcome(error: &claw_sessions::Error) -> Outcome {
    use claw_sessions::Error;
    match error {
        Error::InvalidId { .. }
        | Error::Ambiguous { .. }
        | Error::InSeveral { .. }
        | Error::TooManyConfigDirs
        | Error::InvalidDay { .. }
        | Error::EmptyTitle
        | Error::EmptyTag
        | Error::SameDirectory { .. }
        | Error::NoSuchMessage { .. } => Outcome::Usage,
        _ => Outcome::Unreadable,
    }
}

/// Prints on stderr the parts that could not be read. All other parts were read.
fn report_problems(problems: &[claw_sessions::Error]) {
    for problem in problems {
        anstream::eprintln!("claw: {}", escape(&problem.to_string()));
    }
}

/// Writes a JSON object on a line of stdout.
fn json_line(value: &impl serde::Serialize) -> io::Result<()> {
    let line = serde_json::to_string(value)?;
    let mut out = io::stdout();
    if out.is_terminal() {
        writeln!(out, "{}", escape_json(&line))
    } else {
        writeln!(out, "{line}")
    }
}

/// Writes an escaped text to stdout.
fn print(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}
