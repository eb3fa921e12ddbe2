//! `claw acp`: Claude Code for editors, over stdin and stdout.

use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use claw_acp::{Agent, Direction};
use claw_client::transport::{create_private_file, discover, environment};
use claw_client::types::QueryOptions;
use claw_client::types::options::PermissionMode;
use claw_sessions::Sessions;
use futures::{FutureExt as _, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWriteExt as _};
use tokio::runtime::Handle;
use tokio_util::io::{ReaderStream, StreamReader};

use crate::args::acp::Acp;
use crate::outcome::{Outcome, report};
use crate::{config_dirs, options, signals};

/// Maximum number of bytes of stdin that wait for the agent.
const PIPE: usize = 64 << 10;

/// The file of a recording with the lines between the editor and claw.
const EDITOR: &str = "editor.jsonl";

/// The arguments that an editor adds to the agent's command to run the login.
const LOGIN: [&str; 1] = ["--login"];

impl Acp {
    pub(crate) async fn run(self) -> Outcome {
        let mut options = match self.query_options() {
            Ok(options) => options,
            Err(outcome) => return outcome,
        };
        let sessions = match self.config_dirs.of_command(&options) {
            Ok(sessions) => sessions,
            Err(outcome) => return outcome,
        };
        if let Some(sessions) = &sessions {
            config_dirs::set(sessions, &mut options);
        }
        if self.login {
            return match log_in(&options).await {
                Ok(outcome) => outcome,
                Err(error) => report(&*error, Outcome::NotStarted),
            };
        }
        let agent = match self.agent(options, sessions).await {
            Ok(agent) => agent,
            Err(outcome) => return outcome,
        };
        let ended = match signals::ended() {
            Ok(ended) => ended,
            Err(error) => return report(&error, Outcome::NotStarted),
        };
        // A signal has the effect of a disconnected client. The agent then ends its sessions, including processes that
        // ignore SIGTERM.
        let ended = ended.shared();
        let stdin = ReaderStream::new(stdin()).take_until(ended.clone());
        let served = agent.serve(StreamReader::new(stdin), tokio::io::stdout());
        match served.await {
            _ if ended.peek().is_some() => Outcome::Interrupted,
            Ok(()) => Outcome::Success,
            Err(error) => report(&error, Outcome::BrokeOff),
        }
    }

    fn query_options(&self) -> Result<QueryOptions, Outcome> {
        let file = self.options.as_deref();
        let mut options = file.map_or_else(|| Ok(QueryOptions::default()), options::read)?;
        if self.model.is_some() {
            options.model.clone_from(&self.model);
        }
        if let Some(mode) = &self.permission_mode {
            options.permission_mode = Some(PermissionMode::from(mode.as_str()));
        }
        Ok(options)
    }

    async fn agent(
        &self,
        options: QueryOptions,
        sessions: Option<Sessions>,
    ) -> Result<Agent, Outcome> {
        let mut agent = Agent::new(options).terminal_login(LOGIN);
        if let Some(sessions) = sessions {
            agent = agent.sessions(sessions);
        }
        let opened = self.store.open("acp", Path::new(".")).await?;
        #[cfg(feature = "stores")]
        if let Some(opened) = opened {
            agent = agent.store(opened.options_of_any_project(), opened.owner.clone());
        }
        #[cfg(not(feature = "stores"))]
        let _ = opened;
        if let Some(folder) = &self.record {
            let record = Record::create(folder);
            let record = record.map_err(|error| report(&error, Outcome::Unreadable))?;
            let (lines, sessions) = (record.clone(), record);
            agent = agent
                .tap(move |direction, line| lines.line(direction, line))
                .configure(move |builder| builder.record(sessions.next_session()));
        }
        Ok(agent)
    }
}

/// Returns stdin, which a separate thread reads. A read of stdin cannot be interrupted. If a thread of the runtime read
/// stdin, the runtime would wait for that read at its end.
fn stdin() -> impl AsyncRead + Send {
    let (reader, mut writer) = tokio::io::simplex(PIPE);
    let runtime = Handle::current();
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        let mut bytes = vec![0; PIPE];
        while let Ok(count @ 1..) = stdin.read(&mut bytes) {
            // A failed write means that the agent has ended.
            if runtime.block_on(writer.write_all(&bytes[..count])).is_err() {
                return;
            }
        }
        // Dropping the writer would not end the reader, so the writer is shut down. The shutdown
        // cannot fail.
        let _ = runtime.block_on(writer.shutdown());
    });
    reader
}

/// Runs the CLI's login at this terminal.
async fn log_in(options: &QueryOptions) -> Result<Outcome, Box<dyn Error>> {
    let mut command = tokio::process::Command::new(discover(options)?);
    command.args(["auth", "login"]);
    for (name, value) in environment(options) {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let status = command.status().await?;
    Ok(if status.success() {
        Outcome::Success
    } else {
        Outcome::ErrorResult
    })
}

/// The recording of a connection with an editor. One file contains the lines between the editor and claw. For each
/// session, a folder contains the lines between claw and claude. Clones are cheap and share the recording.
#[derive(Debug, Clone)]
struct Record(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    editor: Mutex<File>,
    sessions: AtomicU64,
}

impl Record {
    /// Creates the folder, which only the user can read.
    fn create(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let editor = create_private_file(folder.join(EDITOR))?;
        Ok(Self(Arc::new(Shared {
            folder: folder.to_owned(),
            editor: Mutex::new(editor),
            sessions: AtomicU64::new(0),
        })))
    }

    /// Writes a line as `{"from": …, "line": …}`. The field `line` is a text, because the line may not be JSON.
    fn line(&self, direction: Direction, line: &str) {
        let from = match direction {
            Direction::Received => "editor",
            Direction::Sent => "claw",
        };
        let entry = serde_json::json!({"from": from, "line": line});
        let editor = self.0.editor.lock();
        let mut editor = editor.unwrap_or_else(PoisonError::into_inner);
        // A failure of the recording must not end the connection, so it is ignored.
        let _ = writeln!(editor, "{entry}");
    }

    /// Returns the folder for the next session.
    fn next_session(&self) -> PathBuf {
        let number = self.0.sessions.fetch_add(1, Ordering::Relaxed) + 1;
        self.0.folder.join(format!("session-{number}"))
    }
}
