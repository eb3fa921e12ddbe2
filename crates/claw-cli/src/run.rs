//! `claw run`: runs one prompt, from the start of `claude` to claw's exit code.

mod command;
mod ended;
mod held;
mod limited;
mod view;

use std::future::ready;
use std::io::{self, IsTerminal as _, stderr, stdin};
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use claw_client::codec::FrameItem;
use claw_client::transport::{Replay, Shutdown};
use claw_client::types::{Message, QueryOptions};
use claw_client::{Error, Prompt, Query, Received, Session, SessionBuilder};
use claw_view::{Input, SessionFolders, unconnected_server, unconnected_servers};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use self::ended::Ended;
use self::limited::Again;
#[cfg(feature = "terminal")]
pub(crate) use self::view::LOGIN;
pub(crate) use self::view::{Printed, Shown, View};
use crate::ask::{Asker, Decider, Notice, notices, show_start_hooks};
use crate::escape::{escape, one_line};
use crate::interrupts::Interrupts;
use crate::outcome::{Outcome, report, write_stderr};
use crate::store::Opened;

/// The settings of a session's connection to claude.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Connection<'a> {
    /// The folder in which the session is recorded.
    pub(crate) record: Option<&'a Path>,
    /// The folder of the recording that is replayed instead of claude.
    pub(crate) replay: Option<&'a Path>,
    /// How long claude may be silent in the middle of a turn.
    pub(crate) stall: Option<Duration>,
    /// The maximum wait for the reset of a usage limit. `None` means that a turn that ends at a limit fails.
    pub(crate) limit_wait: Option<Duration>,
    /// The store in which the session is also stored.
    pub(crate) store: Option<&'a Opened>,
}

impl Connection<'_> {
    fn on(self, mut session: SessionBuilder) -> Result<SessionBuilder, Error> {
        if let Some(time) = self.stall {
            session = session.stall_timeout(time);
        }
        if let Some(folder) = self.record {
            session = session.record(folder);
        }
        if let Some(store) = self.store {
            #[cfg(feature = "stores")]
            {
                session = session.store(store.options());
            }
            #[cfg(not(feature = "stores"))]
            match *store {}
        }
        if let Some(folder) = self.replay {
            session = session.transport(Replay::open(folder)?);
        }
        Ok(session)
    }

    pub(crate) async fn connect(self, session: SessionBuilder) -> Result<Session, Error> {
        self.on(session)?.connect().await
    }
}

/// Maximum time for the end of a turn after an interrupt, if no user can interrupt again.
const GRACE: Duration = Duration::from_secs(5);

/// Sends the prompt and shows the messages.
pub(crate) async fn run(
    prompt: impl Into<Prompt>,
    options: QueryOptions,
    decider: Decider,
    shown: Shown,
    required: Vec<String>,
    connection: Connection<'_>,
) -> Outcome {
    let (sender, notices) = notices();
    let asker = Asker::new(decider, sender.clone());
    let folders = asker.folders();
    let mut session =
        Session::builder(options).can_use_tool(move |request| asker.clone().decide(request));
    if !shown.is_quiet() {
        session = session.on_start_hook(show_start_hooks(sender));
    }
    if shown.is_verbose() {
        session = session.stderr(|line| write_stderr(&format!("  claude: {}\n", escape(line))));
    }
    let prints_once = shown.prints_once();
    // The listener is created before the process starts. Otherwise a signal could end this command and leave the
    // process running.
    let mut ended = Ended::listen();
    let mut terminal = Terminal::new(View::new(shown), notices);
    terminal.required = required;
    let is_attended = stdin().is_terminal() && stderr().is_terminal();
    terminal.grace = (!is_attended).then_some(GRACE);
    match connection.query(session, prompt.into()).await {
        Ok((query, again)) => {
            terminal.await_limits(connection.limit_wait);
            terminal.again = again;
            let session = query.session().clone();
            let mut query = QueryMessages { query, folders };
            let followed = tokio::select! {
                followed = terminal.answered(&session, &mut query) => followed,
                outcome = ended.next() => Err(outcome),
            };
            // If the reader of stdout, such as `head`, exits after the answer is written, it has received the whole
            // output.
            let followed = match (followed, terminal.outcome) {
                (Err(Outcome::STDOUT_CLOSED), Some(outcome)) if prints_once => Ok(Some(outcome)),
                (followed, _) => followed,
            };
            // The session is closed explicitly. For a dropped session, a thread would do this, but the thread ends with
            // this process.
            let _ = session.close_with(Shutdown::now()).await;
            followed.unwrap_or_else(Some).unwrap_or_else(|| {
                write_stderr("claw: claude ended without a result\n");
                Outcome::BrokeOff
            })
        }
        Err(error) => report(&error, Outcome::NotStarted),
    }
}

/// A source of messages.
pub(crate) trait Frames {
    async fn next(&mut self) -> Option<Result<FrameItem<Message>, Error>>;
}

/// The messages of a single prompt.
struct QueryMessages {
    query: Query,
    folders: SessionFolders,
}

impl Frames for QueryMessages {
    async fn next(&mut self) -> Option<Result<FrameItem<Message>, Error>> {
        let item = self.query.next_frame().await?;
        if let Ok(FrameItem::Frame(frame)) = &item {
            self.folders.message(frame.value());
        }
        Some(item)
    }
}

/// The display of a session, and the handling of the user's interrupts.
pub(crate) struct Terminal {
    view: View,
    notices: mpsc::Receiver<Notice>,
    pub(crate) interrupts: Interrupts,
    /// Maximum time for the end of a turn after an interrupt. `None` means that the turn may continue until the next
    /// interrupt.
    grace: Option<Duration>,
    /// The outcome of the newest result that was shown.
    outcome: Option<Outcome>,
    /// The MCP servers that must be connected when a turn begins.
    required: Vec<String>,
    /// The prompt, which may have to be sent again. It is dropped when the result has arrived. The session then ends by
    /// itself.
    again: Option<Again>,
    /// Whether a prompt waits for the reset of a usage limit, and no turn runs.
    is_waiting: bool,
}

impl Terminal {
    pub(crate) fn new(view: View, notices: mpsc::Receiver<Notice>) -> Self {
        Self {
            view,
            notices,
            interrupts: Interrupts::new(),
            grace: None,
            outcome: None,
            required: Vec::new(),
            again: None,
            is_waiting: false,
        }
    }

    /// Shows messages until they end, or until `until` is ready. Returns the outcome of the last result. Ctrl-C
    /// interrupts the turn. A second Ctrl-C ends the session, which is an error. A failure of the session is an error
    /// too. Returns early if the prompt must wait for the reset of a usage limit. See [`limited`](Self::limited).
    pub(crate) async fn follow(
        &mut self,
        session: &Session,
        frames: &mut impl Frames,
        until: impl Future<Output = ()>,
    ) -> Result<Option<Outcome>, Outcome> {
        let broken = |error| Outcome::unwritten(&error);
        self.outcome = None;
        let mut interrupts = 0_u8;
        let mut deadline = None;
        let mut until = pin!(until);
        let mut notice: Option<Notice> = None;
        loop {
            tokio::select! {
                biased;
                () = self.interrupts.next() => {
                    interrupts += 1;
                    if interrupts > 1 || self.is_waiting {
                        self.view.clear_progress();
                        return Err(Outcome::Interrupted);
                    }
                    deadline = self.grace.map(|grace| Instant::now() + grace);
                    let text = "  Interrupting. Once more to leave.\n";
                    self.view.write_text(text, false).map_err(broken)?;
                    self.view.interrupted().map_err(broken)?;
                    // The response to the interrupt comes after messages that this task must read first. So the
                    // interrupt runs in a separate task.
                    tokio::spawn(session.interrupt());
                }
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                    self.view.clear_progress();
                    return Err(Outcome::Interrupted);
                }
                frame = frames.next() => match frame {
                    None => {
                        self.view.end();
                        return Ok(self.outcome);
                    }
                    Some(Ok(FrameItem::Frame(frame))) => {
                        let outcome = self.view.frame(&frame, session.limit_reset()).map_err(broken)?;
                        check_servers(frame.value(), &self.required)?;
                        self.outcome = outcome.or(self.outcome);
                        if self.view.is_limited() {
                            self.view.clear_progress();
                            return Ok(self.outcome);
                        }
                        if outcome.is_some() {
                            self.again = None;
                        }
                    }
                    Some(Ok(bad)) => {
                        self.view.clear_progress();
                        if let Received::Unreadable(line) = Received::from(bad) {
                            // The following lines can still be read, so the run continues.
                            let _ = report(&line, Outcome::BrokeOff);
                        }
                    }
                    Some(Err(error)) => {
                        self.view.end();
                        return Err(ended(&error, self.outcome));
                    }
                },
                // Messages have precedence, so that a question is shown after the messages that arrived before it.
                () = ready(()), if notice.is_some() => {
                    if let Some(notice) = notice.take() {
                        self.view.notice(&notice).map_err(broken)?;
                    }
                }
                Some(next) = self.notices.recv() => notice = Some(next),
                // This branch is the last one, so all messages that have arrived are already shown.
                () = &mut until => {
                    self.view.clear_progress();
                    return Ok(self.outcome);
                }
            }
        }
    }

    /// Requests the changes in the repository, and shows them.
    pub(crate) async fn changes(&mut self, session: &Session) -> Result<(), Outcome> {
        let broken = |error: io::Error| report(&error, Outcome::BrokeOff);
        let answer = match session.workspace_diff().await {
            Ok(answer) => answer,
            // The error is only printed, because the conversation continues.
            Err(error) if !error.is_exited() => {
                let _ = report(&error, Outcome::BrokeOff);
                return Ok(());
            }
            Err(error) => return Err(report(&error, Outcome::BrokeOff)),
        };
        if let Some(diff) = &answer.diff {
            return self.view.push(Input::WorkspaceDiff(diff)).map_err(broken);
        }
        let why = answer.no_diff_reason.map(|reason| reason.to_string());
        let why = one_line(&why.unwrap_or_default(), 60);
        let text = format!("  No changes are known: {why}\n");
        self.view.write_text(&text, false).map_err(broken)
    }
}

/// Checks that the required servers are connected, if the message contains their states. `all` requires every server
/// that is configured and not disabled.
///
/// # Errors
///
/// Fails if a required server is not connected. Before that, prints a line on stderr for each such server.
fn check_servers(message: &Message, required: &[String]) -> Result<(), Outcome> {
    let Message::SystemInit(init) = message else {
        return Ok(());
    };
    let mut missing = Vec::new();
    for name in required {
        if name == "all" {
            missing.extend(unconnected_servers(init));
        } else {
            missing.extend(unconnected_server(init, name));
        }
    }
    for line in &missing {
        write_stderr(&format!("claw: required: {}\n", escape(line)));
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Outcome::McpMissing)
    }
}

/// Returns the outcome of a session that has ended with an error. After a result, an exit of claude does not change the
/// outcome.
fn ended(error: &Error, outcome: Option<Outcome>) -> Outcome {
    match outcome {
        Some(outcome) if error.is_exited() => outcome,
        _ => report(error, Outcome::of_session(error)),
    }
}
