//! The command line of `claw sessions`. This module depends on clap alone, as that of `claw` does.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

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
        /// Show the branches that were rewound, each below its line.
        #[arg(long)]
        rewound: bool,
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
    /// Count the tokens of a session, or of all sessions of this folder, and their cost.
    Usage {
        /// The beginning of a session's id; else all sessions of this folder are counted.
        id: Option<String>,
        #[command(flatten)]
        scope: Scope,
        #[command(flatten)]
        report: Report,
    },
    /// Bring a session of this disk into the store of --store. A second import adds what is new.
    Import {
        #[command(flatten)]
        which: Which,
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
        format: Option<Format>,
    },
}

/// What a report of usage counts, and how it is printed.
#[derive(Args)]
pub(crate) struct Report {
    /// What a row of the table is.
    #[arg(long, value_enum, default_value_t = By::Model)]
    pub(crate) by: By,
    /// The first day that counts, such as 2026-11-22.
    #[arg(long, value_name = "DAY", conflicts_with = "id")]
    pub(crate) since: Option<String>,
    /// The last day that counts.
    #[arg(long, value_name = "DAY", conflicts_with = "id")]
    pub(crate) until: Option<String>,
    /// Days begin at midnight in UTC, instead of midnight in the time zone of this machine or of TZ.
    #[arg(long)]
    pub(crate) utc: bool,
    /// A JSON file with the prices of models, in place of those that claw is shipped with.
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Print all tables as a JSON object.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print the table of --by as comma-separated values, with exact numbers.
    #[arg(long)]
    pub(crate) csv: bool,
}

/// What usage is told apart by.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    Day,
    /// Weeks as ISO 8601 counts them, which begin on Monday.
    Week,
    Month,
    Project,
    Model,
    Session,
}

/// Of which projects.
#[derive(Args)]
pub(crate) struct Scope {
    /// The sessions of all projects.
    #[arg(long)]
    pub(crate) all: bool,
    /// The sessions of this directory, in the place of the current one.
    #[arg(long, value_name = "FOLDER", conflicts_with = "all")]
    pub(crate) project: Option<PathBuf>,
}

/// A session by its id.
#[derive(Args)]
pub(crate) struct Id {
    /// The session's id, or as much of its beginning as no other id has.
    pub(crate) id: String,
}

/// A session by its id, or the newest one.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Which {
    /// The session's id, or as much of its beginning as no other id has.
    pub(crate) id: Option<String>,
    /// The session of this folder that was changed last.
    #[arg(long)]
    pub(crate) last: bool,
}

/// The form of an exported session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The conversation, to be read.
    Markdown,
    /// The conversation as one page that needs nothing else.
    Html,
    /// Every line of the transcript as it stands there.
    Ndjson,
}
