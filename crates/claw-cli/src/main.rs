//! The `claw` command: runs Claude Code from a shell, and shows what it does.
#![forbid(unsafe_code)]

mod ask;
mod demo;
mod escape;
mod outcome;
mod run;
mod schema;
mod show;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use claw_client::types::QueryOptions;
use claw_client::types::options::{PermissionMode, SystemPrompt};

use crate::outcome::Outcome;

/// Run Claude Code from a shell.
///
/// Exit codes: 0 the turn succeeded, 1 it ended with an error result or lines do not fit, 2 wrong usage, 3 claude could
/// not be started, 4 claude broke off, 130 interrupted twice.
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
    /// Show a whole session without claude: a scripted stand-in answers, in a process of its own.
    Demo {
        /// Refuse the tool that the stand-in asks for.
        #[arg(long)]
        deny: bool,
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
    /// How many answers of the model the turn may take.
    #[arg(long)]
    max_turns: Option<u64>,
    /// Write what passes between claw and claude into this folder. Nothing is masked in it.
    #[arg(long, value_name = "FOLDER")]
    record: Option<PathBuf>,
    /// Play the recording in this folder, of the same prompt, in place of claude.
    #[arg(long, value_name = "FOLDER", conflicts_with = "record")]
    replay: Option<PathBuf>,
}

impl Run {
    fn options(&self) -> QueryOptions {
        let mut options = QueryOptions::default()
            .system_prompt(SystemPrompt::claude_code())
            .include_partial_messages(true);
        options.model.clone_from(&self.model);
        options.cwd.clone_from(&self.cwd);
        options.permission_mode = self.permission_mode.as_deref().map(PermissionMode::from);
        options.allowed_tools.clone_from(&self.allowed_tools);
        options.max_turns = self.max_turns.map(Into::into);
        options
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
                Command::Run(args) => {
                    let shown = if args.json {
                        run::Shown::Json
                    } else {
                        run::Shown::Text
                    };
                    let tape = run::Tape {
                        record: args.record.as_deref(),
                        replay: args.replay.as_deref(),
                    };
                    let decider = ask::Decider::Terminal;
                    run::run(&args.prompt, args.options(), decider, shown, tape).await
                }
                Command::Demo { deny } => demo::demo(deny).await,
                Command::Schema { name, check } => match check {
                    Some(file) => schema::check(&name, &file),
                    None => schema::print(&name),
                },
            }
        }
    });
    outcome.into()
}
