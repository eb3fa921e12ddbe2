//! The `claw` command: runs Claude Code from a shell, and shows recorded sessions.
#![forbid(unsafe_code)]

mod ask;
mod chat;
mod commands;
mod demo;
mod escape;
mod input;
mod interrupts;
mod options;
mod outcome;
mod progress;
mod run;
mod schema;
mod view;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use claw_client::types::QueryOptions;
use claw_client::types::options::{PermissionMode, SystemPrompt};

use crate::outcome::Outcome;
use crate::run::Tape;

/// Run Claude Code from a shell.
///
/// Exit codes: 0 success, 1 the turn ended with an error result or lines are invalid, 2 wrong usage, 3 claude could not
/// be started or a file could not be read, 4 the connection to claude broke off, 130 interrupted (for `run` and `chat`
/// by a second Ctrl-C).
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Send one prompt and show the response while it streams.
    Run(Run),
    /// Talk with claude: prompts and slash commands, line by line.
    ///
    /// Ctrl-C interrupts the turn. A second Ctrl-C leaves, and so does Ctrl-D. Lines may come from a pipe as well.
    Chat(Chat),
    /// Show a whole session without claude. A scripted stand-in answers, in a process of its own.
    Demo {
        /// Deny the tool use that the stand-in asks for.
        #[arg(long)]
        deny: bool,
    },
    /// Show a recorded session or a transcript.
    ///
    /// FILE is a folder written by --record, a file with the output of claude, or a session's .jsonl; `-` is stdin. For
    /// a folder, prompts are shown as well.
    Show(Show),
    /// Check the lines of a recording or a transcript, and their order.
    ///
    /// Each defect is printed with its line. Notes tell about kinds and fields that claw does not know, which a newer
    /// CLI may have; they are not defects.
    Check {
        /// A folder written by --record, a file with the output of claude, or a session's .jsonl; `-` is stdin.
        file: PathBuf,
        /// Accept missing parents, for transcripts from which lines were removed.
        #[arg(long)]
        gaps: bool,
    },
    /// Write a recorded session or a transcript as an HTML page.
    View {
        /// A folder written by --record, a file with the output of claude, or a session's .jsonl; `-` is stdin.
        #[arg(long, value_name = "FILE")]
        html: PathBuf,
        /// The file to write; `-` is stdout. The page is a single file, needs no network, and runs no script.
        #[arg(long, short, value_name = "PAGE")]
        output: PathBuf,
    },
    /// Print a JSON Schema of the protocol, or validate lines against it.
    Schema {
        /// stdout: lines that claude writes; stdin: lines that claude reads; options; hooks; tools; transcript: entries
        /// of a session's file; dialect: older forms of lines; view: elements to draw; codegen: all definitions, for
        /// code generation; meta: the list of kinds.
        #[arg(value_parser = PossibleValuesParser::new(schema::NAMES))]
        name: String,
        /// Validate each line of this file; `-` is stdin.
        #[arg(long, value_name = "FILE")]
        check: Option<PathBuf>,
    },
}

#[derive(Args)]
struct Run {
    /// The prompt to send.
    prompt: String,
    /// Print the messages as claude writes them, one JSON object a line.
    #[arg(long)]
    json: bool,
    /// The maximum number of model responses in the turn.
    #[arg(long)]
    max_turns: Option<u64>,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Args)]
struct Chat {
    /// Resume the conversation with this ID.
    #[arg(long, value_name = "ID")]
    resume: Option<String>,
    /// Continue the last conversation in this directory.
    #[arg(long = "continue", conflicts_with = "resume")]
    go_on: bool,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Args)]
struct Show {
    /// The recording or transcript.
    file: PathBuf,
    /// Print the elements, one JSON object a line. With --follow, print the changes.
    #[arg(long)]
    json: bool,
    /// Continue while the file grows: until Ctrl-C, or for a folder until its session ends. A file that is truncated or
    /// replaced is shown from its beginning.
    #[arg(long, short)]
    follow: bool,
    /// The maximum width of lines. Default: the width of the terminal, or unlimited without one.
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

/// The options with which claude is started.
#[derive(Args)]
struct Setup {
    /// Read options from a JSON file, in the form that `claw schema options` prints. Flags take precedence.
    #[arg(long, value_name = "FILE")]
    options: Option<PathBuf>,
    /// The model, by name or alias.
    #[arg(long)]
    model: Option<String>,
    /// The working directory.
    #[arg(long)]
    cwd: Option<PathBuf>,
    /// The permission mode: default, acceptEdits, plan, dontAsk, auto.
    #[arg(long)]
    permission_mode: Option<String>,
    /// Tools that are allowed without asking, separated by commas.
    #[arg(long, value_delimiter = ',')]
    allowed_tools: Option<Vec<String>>,
    /// Record everything between claw and claude into this folder. Secrets are not masked.
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    /// Play the recording in this folder, of the same prompts, in place of claude.
    #[arg(long, value_name = "FOLDER", conflicts_with = "record")]
    replay: Option<PathBuf>,
}

impl Setup {
    /// The options. Flags take precedence over the file, and the file over claw's defaults.
    fn options(&self) -> Result<QueryOptions, Outcome> {
        let file = self.options.as_deref();
        let mut options = file.map_or_else(|| Ok(QueryOptions::default()), options::read)?;
        options
            .system_prompt
            .get_or_insert_with(SystemPrompt::claude_code);
        options.include_partial_messages.get_or_insert(true);
        let mode = self.permission_mode.as_deref().map(PermissionMode::from);
        win(&mut options.model, self.model.clone());
        win(&mut options.cwd, self.cwd.clone());
        win(&mut options.permission_mode, mode);
        win(&mut options.allowed_tools, self.allowed_tools.clone());
        Ok(options)
    }

    fn tape(&self) -> Tape<'_> {
        Tape {
            record: self.record.as_deref(),
            replay: self.replay.as_deref(),
        }
    }
}

/// Replaces an option of the file by a flag, if the flag is given.
fn win<T>(option: &mut Option<T>, flag: Option<T>) {
    if flag.is_some() {
        *option = flag;
    }
}

impl Run {
    async fn run(self) -> Outcome {
        let shown = if self.json {
            run::Shown::Json
        } else {
            run::Shown::Text
        };
        let mut options = match self.setup.options() {
            Ok(options) => options,
            Err(outcome) => return outcome,
        };
        win(&mut options.max_turns, self.max_turns.map(Into::into));
        let decider = ask::Decider::Terminal;
        run::run(&self.prompt, options, decider, shown, self.setup.tape()).await
    }
}

impl Chat {
    async fn run(self) -> Outcome {
        let mut options = match self.setup.options() {
            Ok(options) => options,
            Err(outcome) => return outcome,
        };
        if self.resume.is_some() || self.go_on {
            options.resume = self.resume.map(Into::into);
            options.continue_session = self.go_on.then_some(true);
        }
        chat::chat(options, self.setup.tape()).await
    }
}

impl Show {
    async fn run(self) -> Outcome {
        let how = view::show::How {
            json: self.json,
            follow: self.follow,
            width: self.width,
        };
        view::show::show(&self.file, how).await
    }
}

fn main() -> ExitCode {
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => return outcome::report(&error, Outcome::BrokeOff).into(),
    };
    let outcome = runtime.block_on(async {
        if demo::is_stand_in() {
            // Exits by itself, because the thread that reads stdin cannot be interrupted.
            demo::stand_in().await
        } else {
            match Cli::parse().command {
                Command::Run(args) => args.run().await,
                Command::Chat(args) => args.run().await,
                Command::Demo { deny } => demo::demo(deny).await,
                Command::Show(args) => args.run().await,
                Command::Check { file, gaps } => view::check::check(&file, gaps),
                Command::View { html, output } => view::html::view(&html, &output),
                Command::Schema { name, check } => match check {
                    Some(file) => schema::check(&name, &file),
                    None => schema::print(&name),
                },
            }
        }
    });
    outcome.into()
}
