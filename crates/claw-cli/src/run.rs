//! `claw run`: runs one prompt, from the start of `claude` to claw's exit code.

mod live;

use std::future::{pending, ready};
use std::io::{self, IsTerminal as _, Write as _, stdout};
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use claw_client::codec::FrameItem;
use claw_client::transport::{Replay, Shutdown};
use claw_client::types::message::AssistantMessageError;
use claw_client::types::{Message, QueryOptions};
use claw_client::{Error, MessageFrame, Query, Received, Session, SessionBuilder, TurnResult};
use claw_view::{Input, Timeline};
use tokio::sync::mpsc;

use crate::ask::{Asker, Decider, Notice, notices};
use crate::escape::escape_json;
use crate::interrupts::Interrupts;
use crate::outcome::{Outcome, report};
use crate::store::Opened;
use crate::view::terminal::Terminal as Drawing;
use crate::view::terminal_width;

/// How messages are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shown {
    Text,
    /// As raw lines.
    Json,
}

/// How a session is connected to claude.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Connection<'a> {
    /// The folder to record to.
    pub(crate) record: Option<&'a Path>,
    /// The folder to play in place of claude.
    pub(crate) replay: Option<&'a Path>,
    /// How long claude may be silent in the middle of a turn.
    pub(crate) stall: Option<Duration>,
    /// Where the session is kept besides this disk.
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
            #[cfg(feature = "store")]
            {
                session = session.store(store.options());
            }
            #[cfg(not(feature = "store"))]
            match *store {}
        }
        if let Some(folder) = self.replay {
            session = session.transport(Replay::open(folder)?);
        }
        Ok(session)
    }

    async fn query(self, session: SessionBuilder, prompt: &str) -> Result<Query, Error> {
        self.on(session)?.query(prompt).await
    }

    pub(crate) async fn connect(self, session: SessionBuilder) -> Result<Session, Error> {
        self.on(session)?.connect().await
    }
}

/// The hint when the API was not called, or refused the key.
pub(crate) const LOGIN: &str = "  claude is not logged in, or its key was refused. Run `claude` and type /login, or set \
    ANTHROPIC_API_KEY.\n";

/// Sends the prompt and shows the messages.
pub(crate) async fn run(
    prompt: &str,
    options: QueryOptions,
    decider: Decider,
    shown: Shown,
    connection: Connection<'_>,
) -> Outcome {
    let (sender, notices) = notices();
    let asker = Asker::new(decider, sender);
    let session =
        Session::builder(options).can_use_tool(move |request| asker.clone().decide(request));
    match connection.query(session, prompt).await {
        Ok(mut query) => {
            let session = query.session().clone();
            let mut terminal = Terminal::new(View::new(shown), notices);
            let followed = terminal.follow(&session, &mut query, pending()).await;
            // In any case, because the thread that would end a dropped session ends with this process.
            let _ = session.close_with(Shutdown::now()).await;
            followed.unwrap_or_else(Some).unwrap_or_else(|| {
                anstream::eprintln!("claw: claude ended without a result");
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

impl Frames for Query {
    async fn next(&mut self) -> Option<Result<FrameItem<Message>, Error>> {
        self.next_frame().await
    }
}

/// The user's side of a session.
pub(crate) struct Terminal {
    view: View,
    notices: mpsc::Receiver<Notice>,
    pub(crate) interrupts: Interrupts,
}

impl Terminal {
    pub(crate) fn new(view: View, notices: mpsc::Receiver<Notice>) -> Self {
        Self {
            view,
            notices,
            interrupts: Interrupts::new(),
        }
    }

    /// Shows messages until they end, or until `until` is ready, and returns the outcome of the last result. Ctrl-C
    /// interrupts the turn. A second one ends everything, which is an error, as is a session that breaks off.
    pub(crate) async fn follow(
        &mut self,
        session: &Session,
        frames: &mut impl Frames,
        until: impl Future<Output = ()>,
    ) -> Result<Option<Outcome>, Outcome> {
        let broken = |error: io::Error| report(&error, Outcome::BrokeOff);
        let mut interrupts = 0_u8;
        let mut outcome = None;
        let mut until = pin!(until);
        let mut notice: Option<Notice> = None;
        loop {
            tokio::select! {
                biased;
                () = self.interrupts.next() => {
                    interrupts += 1;
                    if interrupts > 1 {
                        self.view.clear_progress();
                        return Err(Outcome::Interrupted);
                    }
                    let text = "  Interrupting. Once more to leave.\n";
                    self.view.write_text(text, false).map_err(broken)?;
                    self.view.interrupted().map_err(broken)?;
                    // In a task of its own, because its response follows messages that are read here.
                    tokio::spawn(session.interrupt());
                }
                frame = frames.next() => match frame {
                    None => {
                        self.view.end();
                        return Ok(outcome);
                    }
                    Some(Ok(FrameItem::Frame(frame))) => {
                        outcome = self.view.frame(frame).map_err(broken)?.or(outcome);
                    }
                    Some(Ok(bad)) => {
                        self.view.clear_progress();
                        if let Received::Unreadable(line) = Received::from(bad) {
                            // The lines after it still arrive.
                            let _ = report(&line, Outcome::BrokeOff);
                        }
                    }
                    Some(Err(error)) => {
                        self.view.end();
                        return Err(ended(&error, outcome));
                    }
                },
                // Checks the messages first: a question is shown after those that arrived before it.
                () = ready(()), if notice.is_some() => {
                    if let Some(notice) = notice.take() {
                        self.view.notice(&notice).map_err(broken)?;
                    }
                }
                Some(next) = self.notices.recv() => notice = Some(next),
                // Everything before it was shown.
                () = &mut until => {
                    self.view.clear_progress();
                    return Ok(outcome);
                }
            }
        }
    }
}

/// The outcome of an end with an error. After a result, its exit code adds nothing.
fn ended(error: &Error, outcome: Option<Outcome>) -> Outcome {
    match outcome {
        Some(outcome) if error.is_exited() => outcome,
        _ if error.is_launch_failure() => report(error, Outcome::NotStarted),
        _ => report(error, Outcome::BrokeOff),
    }
}

/// Where messages are shown.
pub(crate) enum View {
    Text(Box<(Timeline, Drawing<anstream::AutoStream<io::Stdout>>)>),
    Json,
}

impl View {
    pub(crate) fn new(shown: Shown) -> Self {
        match shown {
            Shown::Text => {
                let drawing = Drawing::live(anstream::stdout(), terminal_width());
                Self::Text(Box::new((Timeline::default(), drawing)))
            }
            Shown::Json => Self::Json,
        }
    }

    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        let stands_above = |id| matches!(&*self, Self::Text(drawn) if drawn.1.has_change_above(id));
        let text = match &notice.change {
            Some((id, _)) if stands_above(id) => [&*notice.text, &notice.rest].concat(),
            Some((_, change)) => [&*notice.text, change, &notice.rest].concat(),
            None => [&*notice.text, &notice.rest].concat(),
        };
        self.write_text(&text, notice.is_question)
    }

    /// Shows a text that is already escaped. A question is never written to a file, where nobody would see it.
    fn write_text(&mut self, text: &str, is_question: bool) -> io::Result<()> {
        match self {
            Self::Text(drawn) if !is_question || stdout().is_terminal() => drawn.1.notice(text),
            _ => {
                anstream::eprint!("{text}");
                Ok(())
            }
        }
    }

    /// Shows a message. A result determines the outcome.
    fn frame(&mut self, frame: MessageFrame) -> io::Result<Option<Outcome>> {
        if let Self::Json = self {
            print_raw(&frame)?;
        }
        let message: Message = frame.into_value();
        if let Self::Text(drawn) = self {
            let (timeline, drawing) = &mut **drawn;
            for change in timeline.push(Input::Message(&message)) {
                drawing.change(change)?;
            }
            drawing.flush()?;
        }
        self.progress(&message)?;
        if let Message::Assistant(answer) = &message
            && answer.error == Some(AssistantMessageError::AuthenticationFailed)
        {
            self.write_text(LOGIN, true)?;
        }
        if message.is_background_result() {
            // The result of the prompt's own turn counts, even if others follow.
            return Ok(None);
        }
        let Ok(result) = TurnResult::try_from(message) else {
            return Ok(None);
        };
        Ok(Some(if result.is_error() {
            Outcome::ErrorResult
        } else {
            Outcome::Success
        }))
    }
}

/// Prints the raw line. On a terminal, control characters are escaped.
fn print_raw(frame: &MessageFrame) -> io::Result<()> {
    let mut out = stdout().lock();
    let raw = frame.raw().unwrap_or_default();
    if out.is_terminal() {
        out.write_all(escape_json(&String::from_utf8_lossy(raw)).as_bytes())?;
    } else {
        out.write_all(raw)?;
    }
    out.write_all(b"\n")?;
    out.flush()
}
