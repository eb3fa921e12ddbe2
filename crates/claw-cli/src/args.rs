//! The command line of `claw`. It depends on clap alone: shell completions and man pages are made of it elsewhere.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};

/// The names by which schemas are asked for.
pub(crate) const SCHEMAS: [&str; 10] = [
    "codegen",
    "dialect",
    "hooks",
    "meta",
    "options",
    "stdin",
    "stdout",
    "tools",
    "transcript",
    "view",
];

/// Run Claude Code from a shell.
///
/// Exit codes: 0 the turn succeeded, 1 it ended with an error result or lines do not fit, 2 wrong usage, 3 claude could
/// not be started or a file not be read, 4 claude broke off, 130 interrupted: `run` and `chat` twice.
#[derive(Parser)]
#[command(name = "claw", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Send one prompt, and show the answer while it comes.
    Run(Run),
    /// Talk with claude: prompts and slash commands, line by line.
    ///
    /// Ctrl-C interrupts what claude does, and a second one leaves; so does Ctrl-D. Lines may come
    /// from a pipe as well.
    Chat(Chat),
    /// Show a whole session without claude: a scripted stand-in answers, in a process of its own.
    Demo {
        /// Refuse the tool that the stand-in asks for.
        #[arg(long)]
        deny: bool,
    },
    /// Show a session that was recorded, or a transcript.
    ///
    /// FILE is a folder of --record, what claude wrote, or a session's .jsonl; `-` is stdin. Of a
    /// folder, prompts are shown as well.
    Show(Show),
    /// Check each line of a recording or a transcript, and that lines follow one another as they should.
    ///
    /// What is wrong is printed with its line, as are notes on what claw does not know: kinds and
    /// fields of a newer CLI, which are no fault.
    Check {
        /// A folder of --record, what claude wrote, or a session's .jsonl; `-` is stdin.
        file: PathBuf,
        /// Lines were taken out of transcripts: a parent that is not there is no fault.
        #[arg(long)]
        gaps: bool,
    },
    /// Write a session that was recorded, or a transcript, as a page.
    View {
        /// A folder of --record, what claude wrote, or a session's .jsonl; `-` is stdin.
        #[arg(long, value_name = "FILE")]
        html: PathBuf,
        /// Where the page goes; `-` is stdout. It is one file, needs no network, and runs no script.
        #[arg(long, short, value_name = "PAGE")]
        output: PathBuf,
    },
    /// Print a JSON Schema of the protocol, or check lines against it.
    Schema {
        /// stdout: what claude writes; stdin: what it reads; options; hooks; tools; transcript: a
        /// line of a session's file; dialect: older forms of a line; codegen: every definition, for code generation; meta: the list of kinds.
        #[arg(value_parser = PossibleValuesParser::new(SCHEMAS))]
        name: String,
        /// Check each line of this file, or of stdin where it is `-`.
        #[arg(long, value_name = "FILE")]
        check: Option<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct Run {
    /// What to ask.
    pub(crate) prompt: String,
    /// Print the messages as claude writes them, a JSON object a line.
    #[arg(long)]
    pub(crate) json: bool,
    /// How many answers of the model the turn may take.
    #[arg(long)]
    pub(crate) max_turns: Option<u64>,
    #[command(flatten)]
    pub(crate) setup: Setup,
}

#[derive(Args)]
pub(crate) struct Chat {
    /// Go on with the conversation of this id.
    #[arg(long, value_name = "ID")]
    pub(crate) resume: Option<String>,
    /// Go on with the last conversation in this directory.
    #[arg(long = "continue", conflicts_with = "resume")]
    pub(crate) go_on: bool,
    #[command(flatten)]
    pub(crate) setup: Setup,
}

#[derive(Args)]
pub(crate) struct Show {
    /// The recording or transcript.
    pub(crate) file: PathBuf,
    /// Print the elements, a JSON object a line; with --follow, what changes.
    #[arg(long)]
    pub(crate) json: bool,
    /// Go on while the file grows: until Ctrl-C, or until the session of a folder is ended. A file that is
    /// cut or replaced is shown from its beginning.
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// How wide lines may be; else as wide as the terminal, or as long as they are.
    #[arg(long, value_name = "COLUMNS")]
    pub(crate) width: Option<usize>,
}

/// How claude is started.
#[derive(Args)]
pub(crate) struct Setup {
    /// Take options from a JSON file, of the form that `claw schema options` prints. Flags win over it.
    #[arg(long, value_name = "FILE")]
    pub(crate) options: Option<PathBuf>,
    /// The model, by name or alias.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The directory to work in.
    #[arg(long)]
    pub(crate) cwd: Option<PathBuf>,
    /// What is asked for: default, acceptEdits, plan, dontAsk, auto.
    #[arg(long)]
    pub(crate) permission_mode: Option<String>,
    /// Tools that are not asked for, with commas between them.
    #[arg(long, value_delimiter = ',')]
    pub(crate) allowed_tools: Option<Vec<String>>,
    /// Write what passes between claw and claude into this folder. Nothing is masked in it.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) record: Option<PathBuf>,
    /// Play the recording in this folder, of the same prompts, in place of claude.
    #[arg(long, value_name = "FOLDER", conflicts_with = "record")]
    pub(crate) replay: Option<PathBuf>,
}
