//! The `claw` command: runs Claude Code from a shell, and shows recorded sessions.
#![forbid(unsafe_code)]

#[cfg(feature = "terminal")]
mod acp;
mod args;
mod ask;
mod attach;
#[cfg(feature = "serve")]
mod audit;
mod chat;
#[cfg(feature = "terminal")]
mod completions;
#[cfg(any(feature = "terminal", feature = "serve"))]
mod config_dirs;
#[cfg(feature = "terminal")]
mod conform;
#[cfg(feature = "terminal")]
mod console;
mod defaults;
mod demo;
#[cfg(feature = "serve")]
mod doctor;
mod escape;
#[cfg(feature = "terminal")]
mod file_lines;
mod input;
mod interrupts;
mod left_out;
mod limit;
mod options;
mod outcome;
mod progress;
mod run;
#[cfg(feature = "terminal")]
mod schema;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "terminal")]
mod sessions;
#[cfg(any(feature = "terminal", feature = "serve"))]
mod signals;
mod store;
mod url_password;
#[cfg(all(unix, feature = "serve"))]
mod user_socket;
#[cfg(feature = "serve")]
mod users;
#[cfg(feature = "terminal")]
mod utf16;
mod view;

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use claw_client::types::QueryOptions;
use claw_client::types::options::{PermissionMode, SystemPrompt};
use tokio::runtime::Runtime;

#[cfg(feature = "terminal")]
use crate::args::Show;
use crate::args::{Chat, Command, Later, Setup};
use crate::outcome::Outcome;
use crate::run::Connection;

/// The number of threads that a session needs in addition to the runtime's workers. These threads start and watch the
/// CLI, and wait for files, the terminal, and the exit of stdout's reader.
const OTHER_THREADS: usize = 5;

impl Setup {
    /// Returns the options. Flags take precedence over the file, and the file takes precedence over claw's defaults.
    fn options(&self) -> Result<QueryOptions, Outcome> {
        let file = self.options.as_deref();
        let mut options = file.map_or_else(|| Ok(QueryOptions::default()), options::read)?;
        options
            .system_prompt
            .get_or_insert_with(SystemPrompt::claude_code);
        options.include_partial_messages.get_or_insert(true);
        let mode = self.permission_mode.as_deref().map(PermissionMode::from);
        override_by(&mut options.model, self.model.clone());
        override_by(&mut options.cwd, self.cwd.clone());
        override_by(&mut options.permission_mode, mode);
        override_by(&mut options.allowed_tools, self.allowed_tools.clone());
        Ok(options)
    }

    /// Applies the configuration folders. Called when the session is known. A session of a store uses the first folder.
    #[cfg(any(feature = "terminal", feature = "serve"))]
    fn apply_config_dirs(&self, options: &mut QueryOptions) -> Result<(), Outcome> {
        self.config_dirs.apply(options)
    }

    #[cfg(not(any(feature = "terminal", feature = "serve")))]
    fn apply_config_dirs(&self, _: &mut QueryOptions) -> Result<(), Outcome> {
        if self.config_dirs.config_dirs.is_empty() {
            Ok(())
        } else {
            Err(left_out::refuse("--config-dir", "terminal"))
        }
    }

    /// Opens the store of the sessions. Returns `None` for a replayed recording, which needs no store.
    async fn opened(
        &self,
        command: &str,
        options: &QueryOptions,
    ) -> Result<Option<store::Opened>, Outcome> {
        if self.replay.is_some() {
            return Ok(None);
        }
        let directory = options.cwd.as_deref().unwrap_or(Path::new("."));
        self.store.open(command, directory).await
    }

    fn connection<'a>(&'a self, store: Option<&'a store::Opened>) -> Connection<'a> {
        Connection {
            store,
            record: self.record.as_deref(),
            replay: self.replay.as_deref(),
            limit_wait: self.wait_for_limit.map(Duration::from_hours),
            stall: (self.stall > 0).then(|| Duration::from_secs(self.stall)),
        }
    }
}

/// Replaces an option by a flag, if the flag is given.
fn override_by<T>(option: &mut Option<T>, flag: Option<T>) {
    if flag.is_some() {
        *option = flag;
    }
}

impl Chat {
    async fn run(self) -> Outcome {
        let mut options = match self.setup.options() {
            Ok(options) => options,
            Err(outcome) => return outcome,
        };
        let store = match self.setup.opened("chat", &options).await {
            Ok(store) => store,
            Err(outcome) => return outcome,
        };
        // Whether `options` already contains the configuration folder of the session.
        #[cfg_attr(
            not(feature = "terminal"),
            expect(unused_mut, reason = "a list of sessions sets it")
        )]
        let mut is_placed = false;
        if self.resume.is_some() || self.go_on {
            options.resume = match &self.resume {
                #[cfg(feature = "terminal")]
                Some(None) => {
                    let dirs = &self.setup.config_dirs;
                    let chosen = sessions::choose::choose(&options, store.as_ref(), dirs).await;
                    match chosen {
                        Ok(chosen) => {
                            let (id, place) = chosen;
                            if let Some(place) = &place {
                                config_dirs::set(place.sessions(), &mut options);
                                is_placed = true;
                            }
                            Some(id)
                        }
                        Err(outcome) => return outcome,
                    }
                }
                #[cfg(not(feature = "terminal"))]
                Some(None) => return left_out::refuse("list of sessions to resume", "terminal"),
                resume => resume.clone().flatten().map(Into::into),
            };
            options.continue_session = self.go_on.then_some(true);
        }
        match self.attach(&options).await {
            Ok(None) => {}
            Ok(Some(outcome)) | Err(outcome) => return outcome,
        }
        if !is_placed && let Err(outcome) = self.setup.apply_config_dirs(&mut options) {
            return outcome;
        }
        chat::chat(options, self.setup.connection(store.as_ref())).await
    }
}

#[cfg(feature = "terminal")]
impl Show {
    async fn run(self) -> Outcome {
        let how = view::show::How {
            json: self.json,
            follow: self.follow,
            rewound: self.rewound,
            width: self.width,
        };
        view::show::show(&self.file, how).await
    }
}

fn main() -> ExitCode {
    let runtime = match start_runtime() {
        Ok(runtime) => runtime,
        Err(error) => return outcome::report(&error, Outcome::BrokeOff).into(),
    };
    let outcome = runtime.block_on(async {
        if demo::is_stand_in() {
            // This call exits the process itself, because the thread that reads stdin cannot be interrupted.
            demo::stand_in().await
        } else {
            let command = match left_out::parse() {
                Ok(cli) => cli.command,
                Err(outcome) => return outcome,
            };
            match command {
                Command::Run(Later(args)) => args.run().await,
                Command::Chat(Later(args)) => args.run().await,
                Command::Demo(Later(args)) => demo::demo(args.deny).await,
                #[cfg(feature = "terminal")]
                Command::Conform(Later(args)) => args.run().await,
                #[cfg(feature = "terminal")]
                Command::Show(Later(args)) => args.run().await,
                #[cfg(feature = "terminal")]
                Command::Check(Later(args)) => view::check::check(&args.file, args.gaps),
                #[cfg(feature = "terminal")]
                Command::View(Later(args)) => {
                    let file = args.file.or(args.html).unwrap_or_default();
                    match args.output {
                        Some(page) => view::html::view(&file, &page),
                        None => view::show::show(&file, view::show::How::default()).await,
                    }
                }
                #[cfg(feature = "terminal")]
                Command::Sessions(Later(args)) => {
                    args.command.run(&args.store, &args.config_dirs).await
                }
                #[cfg(feature = "stores")]
                Command::Store(Later(args)) => args.command.run().await,
                #[cfg(feature = "serve")]
                Command::Serve(Later(args)) => args.run().await,
                #[cfg(feature = "serve")]
                Command::Audit(Later(args)) => args.run(),
                #[cfg(feature = "serve")]
                Command::Users(Later(args)) => args.command.run(),
                #[cfg(feature = "terminal")]
                Command::Acp(Later(args)) => args.run().await,
                #[cfg(feature = "terminal")]
                Command::Schema(Later(args)) => schema::run(&args.name, args.check.as_deref()),
                #[cfg(feature = "terminal")]
                Command::Completions(Later(args)) => completions::print(&args.shell),
                #[cfg(feature = "terminal")]
                Command::Config(Later(args)) => args.command.run(),
                #[cfg(feature = "serve")]
                Command::Doctor(Later(args)) => {
                    doctor::run(args.network, args.json, &args.config_dirs).await
                }
                #[cfg(not(all(feature = "terminal", feature = "serve", feature = "stores")))]
                // The parser has already refused every command that this build lacks, so this is never reached.
                _ => Outcome::Usage,
            }
        }
    });
    outcome.into()
}

/// Starts the async runtime.
///
/// # Errors
///
/// Fails if this process may not start enough threads. Without this check, the runtime would panic and hang.
fn start_runtime() -> io::Result<Runtime> {
    let named = std::env::var("TOKIO_WORKER_THREADS").ok();
    let named = named.and_then(|number| number.parse().ok());
    let workers = named.or_else(|| thread::available_parallelism().ok().map(usize::from));
    let threads = workers.unwrap_or(1) + OTHER_THREADS;
    check_threads(threads).map_err(|error| {
        let text = format!(
            "this process may not have the {threads} threads that claw needs (see `ulimit -u`, or the limit of the \
             container): {error}"
        );
        io::Error::new(error.kind(), text)
    })?;
    Runtime::new()
}

/// Checks that this many threads can run at the same time, by starting and ending them.
fn check_threads(threads: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        // Each thread waits for this lock, so that no thread ends before all have started.
        let _closed = gate.lock();
        (0..threads).try_for_each(|_| {
            let thread = thread::Builder::new().stack_size(64 << 10);
            thread.spawn_scoped(scope, || drop(gate.lock())).map(drop)
        })
    })
}
