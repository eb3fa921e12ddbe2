//! The command line of `claw run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CLAUDE, Setup};

/// The heading of options that choose a conversation.
const CONVERSATION: &str = "Conversation";

/// What `claw run` prints on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// The answer, or with --schema the JSON.
    Text,
    /// The message that ends the turn, one JSON object.
    Json,
    /// Every message as claude writes it, one JSON object per line.
    Ndjson,
}

/// The exit codes, which do not change.
const CODES: &str = "\
Exit codes:
  0    there is an answer
  1    the turn ended with an error
  2    wrong usage: an option, an empty prompt, a schema, the configuration file
  3    claude could not be started, or a file could not be read
  4    the connection to claude broke off
  5    there is an answer, but a tool was denied
  6    a limit was reached: of --max-turns, the budget, the account or the context
  7    claude is not logged in, or its key was refused
  8    an MCP server that --require-mcp names is not connected
  130  interrupted (Ctrl-C, SIGINT)
  141  the reader of stdout left before the answer
  143  ended by SIGTERM (129: by SIGHUP)";

#[derive(Args)]
#[command(after_long_help = CODES)]
pub(crate) struct Run {
    /// The prompt to send. `-`, or no prompt, reads it from stdin; `-` also reads a terminal.
    pub(crate) prompt: Option<String>,
    /// What goes to stdout. Everything else goes to stderr.
    #[arg(long, short, value_name = "FORM", value_enum, default_value_t = Output::Text)]
    pub(crate) output: Output,
    /// Add a file to the prompt: text, or a PDF. May be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Vec<PathBuf>,
    /// Add an image to the prompt: PNG, JPEG, GIF or WebP. May be given several times.
    #[arg(long, value_name = "FILE")]
    pub(crate) image: Vec<PathBuf>,
    /// Require an answer that fits the JSON Schema in this file, and print it as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,
    /// Continue the last conversation in this directory.
    #[arg(long = "continue", short = 'c', conflicts_with = "resume", help_heading = CONVERSATION)]
    pub(crate) go_on: bool,
    /// Resume the conversation with this ID.
    #[arg(long, short, value_name = "ID", help_heading = CONVERSATION)]
    pub(crate) resume: Option<String>,
    /// Continue in a copy of the conversation, with a new ID. Needs --continue or --resume.
    #[arg(long, help_heading = CONVERSATION)]
    pub(crate) fork: bool,
    /// The maximum number of responses of the model until there is an answer.
    #[arg(long, value_name = "NUMBER", help_heading = CLAUDE)]
    pub(crate) max_turns: Option<u64>,
    /// End with code 8 unless the MCP server of this name is connected when the turn begins. `all` means every
    /// configured server. May be given several times.
    #[arg(long, value_name = "NAME|all", help_heading = CLAUDE)]
    pub(crate) require_mcp: Vec<String>,
    /// Wait for the text that is piped in, without a time limit.
    #[arg(long)]
    pub(crate) stdin: bool,
    /// Write only errors and questions to stderr.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Also write the session's ID, model and directory to stderr, and what claude writes there.
    #[arg(long, short)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) setup: Setup,
}
