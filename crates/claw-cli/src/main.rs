//! The `claw` command: runs Claude Code from a shell, and shows what it does.
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
mod sessions;
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
/// Exit codes: 0 the turn succeeded, 1 it ended with an error result or lines do not fit, 2 wrong usage, 3 claude could
/// not be started or a file not be read, 4 claude broke off, 130 interrupted: `run` and `chat` twice.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
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
    /// List, show, search, count, change and copy the sessions that claude keeps on disk.
    Sessions {
        #[command(subcommand)]
        command: sessions::Command,
    },
    /// Print a JSON Schema of the protocol, or check lines against it.
    Schema {
        /// stdout: what claude writes; stdin: what it reads; options; hooks; tools; transcript: a
        /// line of a session's file; dialect: older forms of a line; codegen: every definition, for code generation; meta: the list of kinds.
        #[arg(value_parser = PossibleValuesParser::new(schema::NAMES))]
        name: String,
        /// Check each line of this file, or of stdin where it is `-`.
        #[arg(long, value_name = "FILE")]
        check: Option<PathBuf>,
    },
}

#[derive(Args)]
struct Run {
    /// What to ask.
    prompt: String,
    /// Print the messages as claude writes them, a JSON object a line.
    #[arg(long)]
    json: bool,
    /// How many answers of the model the turn may take.
    #[arg(long)]
    max_turns: Option<u64>,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Args)]
struct Chat {
    /// Go on with the conversation of this id. Without one, choose from a list of this folder's.
    #[arg(long, value_name = "ID", num_args = 0..=1)]
    resume: Option<Option<String>>,
    /// Go on with the last conversation in this directory.
    #[arg(long = "continue", conflicts_with = "resume")]
    go_on: bool,
    #[command(flatten)]
    setup: Setup,
}

#[derive(Args)]
struct Show {
    /// The recording or transcript.
    file: PathBuf,
    /// Print the elements, a JSON object a line; with --follow, what changes.
    #[arg(long)]
    json: bool,
    /// Go on while the file grows: until Ctrl-C, or until the session of a folder is ended. A file that is
    /// cut or replaced is shown from its beginning.
    #[arg(long, short)]
    follow: bool,
    /// How wide lines may be; else as wide as the terminal, or as long as they are.
    #[arg(long, value_name = "COLUMNS")]
    width: Option<usize>,
}

/// How claude is started.
#[derive(Args)]
struct Setup {
    /// Take options from a JSON file, of the form that `claw schema options` prints. Flags win over it.
    #[arg(long, value_name = "FILE")]
    options: Option<PathBuf>,
    /// The model, by name or alias.
    #[arg(long)]
    model: Option<String>,
    /// The directory to work in.
    #[arg(long)]
    cwd: Option<PathBuf>,
    /// What is asked for: default, acceptEdits, plan, dontAsk, auto.
    #[arg(long)]
    permission_mode: Option<String>,
    /// Tools that are not asked for, with commas between them.
    #[arg(long, value_delimiter = ',')]
    allowed_tools: Option<Vec<String>>,
    /// Write what passes between claw and claude into this folder. Nothing is masked in it.
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    /// Play the recording in this folder, of the same prompts, in place of claude.
    #[arg(long, value_name = "FOLDER", conflicts_with = "record")]
    replay: Option<PathBuf>,
}

impl Setup {
    /// Flags win over the file, and the file over what claw does by itself.
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

/// Puts a flag, where it is given, in the place of what the file says.
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
            options.resume = match self.resume {
                Some(None) => match sessions::choose::choose(&options) {
                    Ok(id) => Some(id),
                    Err(outcome) => return outcome,
                },
                resume => resume.flatten().map(Into::into),
            };
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
            // Exits by itself: what reads stdin for it cannot be interrupted.
            demo::stand_in().await
        } else {
            match Cli::parse().command {
                Command::Run(args) => args.run().await,
                Command::Chat(args) => args.run().await,
                Command::Demo { deny } => demo::demo(deny).await,
                Command::Show(args) => args.run().await,
                Command::Check { file, gaps } => view::check::check(&file, gaps),
                Command::View { html, output } => view::html::view(&html, &output),
                Command::Sessions { command } => command.run().await,
                Command::Schema { name, check } => match check {
                    Some(file) => schema::check(&name, &file),
                    None => schema::print(&name),
                },
            }
        }
    });
    outcome.into()
}
