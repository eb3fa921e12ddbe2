//! `claw sessions`: the sessions that `claude` keeps on disk.

mod change;
pub(crate) mod choose;
mod export;
mod list;
mod pick;
mod search;
mod table;
#[cfg(test)]
mod tests;
mod usage;

use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use claw_sessions::Sessions;

use crate::escape::{escape, escape_json};
use crate::outcome::{Outcome, report};
use crate::view;
use pick::{Id, Which};

/// What is done with sessions.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the sessions of this folder, the last changed first.
    List {
        #[command(flatten)]
        scope: Scope,
        /// How many at most.
        #[arg(long, value_name = "NUMBER")]
        limit: Option<usize>,
        /// Print each as a JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Show a session, as `claw show` does.
    Show {
        #[command(flatten)]
        which: Which,
        /// Print the elements, a JSON object a line; with --follow, what changes.
        #[arg(long)]
        json: bool,
        /// Go on while the session goes on, until Ctrl-C.
        #[arg(long, short)]
        follow: bool,
        /// How wide lines may be; else as wide as the terminal, or as long as they are.
        #[arg(long, value_name = "COLUMNS")]
        width: Option<usize>,
    },
    /// Give a session a title.
    Rename {
        #[command(flatten)]
        id: Id,
        /// The title.
        title: String,
    },
    /// Give a session a tag, in the place of the one that it has.
    Tag {
        #[command(flatten)]
        id: Id,
        /// The tag.
        #[arg(required_unless_present = "remove")]
        tag: Option<String>,
        /// Take the tag away.
        #[arg(long, conflicts_with = "tag")]
        remove: bool,
    },
    /// Put a session away, until somebody goes on with it. Nothing of it is lost.
    Archive {
        #[command(flatten)]
        id: Id,
        /// Take it out again.
        #[arg(long)]
        undo: bool,
    },
    /// Delete a session and the transcripts of its sub-agents, after asking.
    Delete {
        #[command(flatten)]
        id: Id,
        /// Do not ask.
        #[arg(long, short)]
        yes: bool,
    },
    /// Copy a session into a new one, and print its id.
    Fork {
        #[command(flatten)]
        which: Which,
        /// The last message that is copied, by its uuid; else all are.
        #[arg(long, value_name = "UUID")]
        up_to: Option<String>,
        /// The new session's title.
        #[arg(long)]
        title: Option<String>,
    },
    /// Find a text in what was said, in this folder's sessions and those of sub-agents.
    Search {
        /// The text, as it stands there: no pattern.
        text: String,
        #[command(flatten)]
        scope: Scope,
        /// Take upper case and lower case for the same.
        #[arg(long, short)]
        ignore_case: bool,
        /// Search what tools were given and gave as well, thinking, attachments and notes.
        #[arg(long)]
        everything: bool,
        /// Print each place as a JSON object a line.
        #[arg(long)]
        json: bool,
    },
    /// Count the tokens of a session, or of all sessions of this folder, and what the CLI wrote of their cost.
    Usage {
        /// The beginning of a session's id; else all sessions of this folder are counted.
        id: Option<String>,
        #[command(flatten)]
        scope: Scope,
        /// What a row of the table is.
        #[arg(long, value_enum, default_value_t = By::Model)]
        by: By,
        /// Print all of it as a JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Write a session into a file: as Markdown, as a page, or its lines as they are.
    Export {
        #[command(flatten)]
        which: Which,
        /// Where it goes; `-` is stdout.
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
        /// In which form; else as the file's name ends.
        #[arg(long, value_enum)]
        format: Option<export::Format>,
    },
}

/// What usage is told apart by.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    Model,
    Day,
    Project,
}

/// Of which projects.
#[derive(Args)]
pub(crate) struct Scope {
    /// The sessions of all projects.
    #[arg(long)]
    all: bool,
    /// The sessions of this directory, in the place of the current one.
    #[arg(long, value_name = "FOLDER", conflicts_with = "all")]
    project: Option<PathBuf>,
}

impl Scope {
    /// The directory whose sessions are meant. `None` for those of all.
    fn directory(&self) -> Option<PathBuf> {
        let here = || PathBuf::from(".");
        (!self.all).then(|| self.project.clone().unwrap_or_else(here))
    }
}

/// How something ends that writes to stdout.
pub(super) type Done = Result<(), Failed>;

/// Why a command could not be done.
pub(super) enum Failed {
    Sessions(claw_sessions::Error),
    /// Stdout, or what was to be written.
    Write(io::Error),
    /// What was asked for makes no sense: it is told already.
    Told(Outcome),
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
    pub(crate) async fn run(self) -> Outcome {
        let done = match Sessions::of_user() {
            Ok(sessions) => self.with(&sessions).await,
            Err(error) => Err(error.into()),
        };
        match done {
            Ok(()) => Outcome::Success,
            Err(Failed::Told(outcome)) => outcome,
            Err(Failed::Sessions(error)) => report(&error, outcome(&error)),
            // Whoever reads has seen enough.
            Err(Failed::Write(error)) if error.kind() == ErrorKind::BrokenPipe => Outcome::Success,
            Err(Failed::Write(error)) => report(&error, Outcome::BrokeOff),
        }
    }

    async fn with(self, sessions: &Sessions) -> Done {
        match self {
            Self::List { scope, limit, json } => list::list(sessions, &scope, limit, json),
            Self::Show {
                which,
                json,
                follow,
                width,
            } => {
                let session = which.session(sessions)?;
                let how = view::show::How {
                    json,
                    follow,
                    width,
                };
                match view::show::show(session.transcript(), how).await {
                    Outcome::Success => Ok(()),
                    outcome => Err(Failed::Told(outcome)),
                }
            }
            Self::Rename { id, title } => change::rename(&id.session(sessions)?, &title),
            Self::Tag { id, tag, .. } => change::tag(&id.session(sessions)?, tag.as_deref()),
            Self::Archive { id, undo } => change::archive(&id.session(sessions)?, undo),
            Self::Delete { id, yes } => change::delete(&id.session(sessions)?, yes),
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
            Self::Usage {
                id,
                scope,
                by,
                json,
            } => usage::usage(sessions, id.as_deref(), &scope, by, json),
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
        | Error::EmptyTitle
        | Error::EmptyTag
        | Error::NoSuchMessage { .. } => Outcome::Usage,
        _ => Outcome::Unreadable,
    }
}

/// Tells on stderr what could not be read. The rest was.
fn tell(problems: &[claw_sessions::Error]) {
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

/// Writes a text that is safe already.
fn say(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}
