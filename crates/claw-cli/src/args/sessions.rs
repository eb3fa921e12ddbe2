//! The command line of `claw sessions`. Like that of `claw`, this module depends on clap alone.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::values;

/// A command about sessions.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the sessions of this folder, the last changed first.
    List {
        #[command(flatten)]
        scope: Scope,
        /// The maximum number of sessions.
        #[arg(long, value_name = "NUMBER")]
        limit: Option<usize>,
        /// Only the sessions whose transcript is larger than this: bytes, or a number with kB, MB or GB, such as 10MB.
        #[arg(long, value_name = "SIZE", value_parser = values::bytes)]
        larger_than: Option<u64>,
        /// Print one JSON object per line.
        #[arg(long)]
        json: bool,
    },
    /// Show a session, as `claw show` does.
    Show {
        #[command(flatten)]
        which: Which,
        /// Print the elements, one JSON object per line. With --follow, print the changes.
        #[arg(long)]
        json: bool,
        /// Continue while the session continues, until Ctrl-C.
        #[arg(long, short)]
        follow: bool,
        /// Show the branches that were rewound, each below its line.
        #[arg(long)]
        rewound: bool,
        /// The maximum width of lines. Default: the width of the terminal, or unlimited without one.
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
    /// Give a session a tag, which replaces its earlier tag.
    Tag {
        #[command(flatten)]
        id: Id,
        /// The tag.
        #[arg(required_unless_present = "remove")]
        tag: Option<String>,
        /// Remove the tag.
        #[arg(long, conflicts_with = "tag")]
        remove: bool,
    },
    /// Archive a session, until it is continued. Nothing of it is lost.
    Archive {
        #[command(flatten)]
        id: Id,
        /// Remove it from the archive.
        #[arg(long)]
        undo: bool,
    },
    /// Delete a session and the transcripts of its sub-agents, after asking. With options in place of an ID, print the
    /// sessions that they select, with their sizes, and delete them after asking.
    Delete {
        /// The session's id, or an unambiguous beginning of it.
        #[arg(
            required_unless_present_any = ["older_than", "tag", "project"],
            conflicts_with_all = ["older_than", "tag", "project", "all", "dry_run"],
        )]
        id: Option<String>,
        #[command(flatten)]
        selected: Selected,
        /// Do not ask.
        #[arg(long, short)]
        yes: bool,
    },
    /// Move the sessions of a directory that was moved or renamed. Without --yes, print what would be moved.
    Move {
        /// The old path of the directory.
        from: PathBuf,
        /// The new path of the directory.
        to: PathBuf,
        /// Also move the sessions of every directory below it.
        #[arg(long)]
        all_below: bool,
        /// Move them.
        #[arg(long, short)]
        yes: bool,
    },
    /// Mend a broken session in a copy, which `claude --resume` continues. Each change is listed.
    Repair {
        #[command(flatten)]
        id: Id,
        /// Print what would be changed, and write nothing. The exit code is 1 if something would be changed.
        #[arg(long)]
        check_only: bool,
        /// Print a JSON object with the changes and the id of the copy.
        #[arg(long)]
        json: bool,
    },
    /// Copy a session into a new one, and print its id.
    Fork {
        #[command(flatten)]
        which: Which,
        /// The UUID of the last message that is copied. Default: all messages are copied.
        #[arg(long, value_name = "UUID")]
        up_to: Option<String>,
        /// The new session's title.
        #[arg(long)]
        title: Option<String>,
    },
    /// Find a text in the conversations of this folder's sessions and of their sub-agents.
    Search {
        /// The exact text, not a pattern.
        text: String,
        #[command(flatten)]
        scope: Scope,
        /// Ignore case.
        #[arg(long, short)]
        ignore_case: bool,
        /// Also search the inputs and outputs of tools, thinking, attachments and notes.
        #[arg(long)]
        everything: bool,
        /// Print each place as one JSON object per line.
        #[arg(long)]
        json: bool,
    },
    /// Count the tokens of a session, or of all sessions of this folder, and their cost.
    Usage {
        /// The beginning of a session's id. Default: all sessions of this folder are counted.
        id: Option<String>,
        #[command(flatten)]
        scope: Scope,
        #[command(flatten)]
        report: Report,
    },
    /// Copy a session of this disk into the store of --store. A second import adds what is new.
    Import {
        #[command(flatten)]
        which: Which,
    },
    /// Store the sessions of this disk in the store of --store, so that `pull` brings them to other machines. A second
    /// call stores what is new.
    Sync {
        /// Only the sessions of this directory. Default: those of all directories.
        #[arg(long, value_name = "FOLDER")]
        project: Option<PathBuf>,
        /// Continue while sessions are written, until Ctrl-C or SIGTERM. What was written until then is stored.
        #[arg(long)]
        watch: bool,
        /// Write a service of your user, for systemd or launchd, that does it from each login on, and print how it is
        /// started.
        #[arg(long, conflicts_with_all = ["watch", "json"])]
        install: bool,
        /// Print one JSON object for each session that was not unchanged.
        #[arg(long)]
        json: bool,
    },
    /// Bring the sessions of this folder's project from the store of --store, for `claude --resume`. The project has the
    /// same git remote on each machine, or else the same name. Nothing is overwritten.
    Pull {
        /// The directory to which they are brought, instead of the current one.
        #[arg(long, value_name = "FOLDER")]
        project: Option<PathBuf>,
        /// Bring the sessions of all projects whose folder is found: this folder, those in it, those that have sessions,
        /// and those beside these. All others are listed.
        #[arg(long)]
        all: bool,
        /// Print what would be brought, and change nothing.
        #[arg(long)]
        dry_run: bool,
        /// Print one JSON object for each session.
        #[arg(long)]
        json: bool,
    },
    /// Write a session to a file: as Markdown, as a page, or its unchanged lines.
    Export {
        #[command(flatten)]
        which: Which,
        /// The file to write; `-` is stdout.
        #[arg(long, short, value_name = "FILE")]
        output: PathBuf,
        /// The form. Default: according to the ending of the file's name.
        #[arg(long, value_enum)]
        format: Option<Format>,
    },
}

/// The contents and the form of a usage report.
#[derive(Args)]
pub(crate) struct Report {
    /// What the rows of the table are.
    #[arg(long, value_enum, default_value_t = By::Model)]
    pub(crate) by: By,
    /// The first day to count, such as 2026-11-22.
    #[arg(long, value_name = "DAY", conflicts_with = "id")]
    pub(crate) since: Option<String>,
    /// The last day to count.
    #[arg(long, value_name = "DAY", conflicts_with = "id")]
    pub(crate) until: Option<String>,
    /// Count days from midnight in UTC, instead of midnight in the time zone of this machine or of TZ.
    #[arg(long)]
    pub(crate) utc: bool,
    /// A JSON file with the prices of models, which replace those that claw is shipped with.
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    /// Print all tables as a JSON object.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print the table of --by as comma-separated values, with exact numbers.
    #[arg(long)]
    pub(crate) csv: bool,
}

/// The grouping of a usage report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    Day,
    /// Weeks according to ISO 8601, which begin on Monday.
    Week,
    Month,
    Project,
    Model,
    Session,
    /// Configuration folders of claude.
    ConfigDir,
}

/// The projects whose sessions are used.
#[derive(Args)]
pub(crate) struct Scope {
    /// The sessions of all projects.
    #[arg(long)]
    pub(crate) all: bool,
    /// The sessions of this directory, instead of the current one.
    #[arg(long, value_name = "FOLDER", conflicts_with = "all")]
    pub(crate) project: Option<PathBuf>,
}

/// The sessions that are deleted together: those that all given options select.
#[derive(Args)]
pub(crate) struct Selected {
    /// Select the sessions that were last changed longer ago than this, such as `90d` or `12h`.
    #[arg(long, value_name = "TIME", value_parser = values::age)]
    pub(crate) older_than: Option<Duration>,
    /// Select the sessions with this tag.
    #[arg(long)]
    pub(crate) tag: Option<String>,
    #[command(flatten)]
    pub(crate) scope: Scope,
    /// Only print what would be deleted.
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
}

/// A session by its id.
#[derive(Args)]
pub(crate) struct Id {
    /// The session's id, or an unambiguous beginning of it.
    pub(crate) id: String,
}

/// A session by its id, or the newest one.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Which {
    /// The session's id, or an unambiguous beginning of it.
    pub(crate) id: Option<String>,
    /// The session of this folder that was changed last.
    #[arg(long)]
    pub(crate) last: bool,
}

/// The form of an exported session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The conversation as text to read.
    Markdown,
    /// The conversation as a self-contained page.
    Html,
    /// The unchanged lines of the transcript.
    Ndjson,
}
