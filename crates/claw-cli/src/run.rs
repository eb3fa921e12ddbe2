//! One prompt, from start to exit code.

use std::future::ready;
use std::io::{self, IsTerminal as _, Write as _, stdout};
use std::path::Path;
use std::pin::pin;

use claw_client::transport::{Replay, Shutdown};
use claw_client::types::{Message, QueryOptions};
use claw_client::{Error, MessageFrame, Query, Session, TurnResult};
use tokio::signal::ctrl_c;
use tokio::sync::mpsc::{self, UnboundedReceiver};

use crate::ask::{Asker, Decider, Notice};
use crate::escape::escape_json;
use crate::outcome::{Outcome, report};
use crate::show::Show;

/// How messages are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shown {
    Text,
    /// The raw lines.
    Json,
}

/// The folders of recordings.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tape<'a> {
    /// The one that is made.
    pub(crate) record: Option<&'a Path>,
    /// The one that is played in place of claude.
    pub(crate) replay: Option<&'a Path>,
}

/// Sends the prompt and shows what comes of it.
pub(crate) async fn run(
    prompt: &str,
    options: QueryOptions,
    decider: Decider,
    shown: Shown,
    tape: Tape<'_>,
) -> Outcome {
    let (sender, mut notices) = mpsc::unbounded_channel();
    let asker = Asker::new(decider, sender);
    let mut session = Session::builder(options).can_use_tool(move |ask| asker.clone().decide(ask));
    if let Some(folder) = tape.record {
        session = session.record(folder);
    }
    let query = match tape.replay.map(Replay::open) {
        None => session.query(prompt).await,
        Some(Ok(replay)) => session.query_with(replay, prompt).await,
        Some(Err(error)) => Err(error.into()),
    };
    match query {
        Ok(query) => {
            let mut view = View::new(shown);
            let session = query.session().clone();
            let followed = follow(query, &mut notices, &mut view).await;
            // However it ended. The thread that would end a dropped session ends with this process.
            let _ = session.close_with(Shutdown::now()).await;
            followed.unwrap_or_else(|error| report(&error, Outcome::BrokeOff))
        }
        Err(error) => report(&error, Outcome::NotStarted),
    }
}

/// Follows the query to its end. Ctrl-C interrupts the turn, and a second one ends everything.
async fn follow(
    mut query: Query,
    notices: &mut UnboundedReceiver<Notice>,
    view: &mut View,
) -> io::Result<Outcome> {
    let session = query.session().clone();
    let mut interrupts = 0_u8;
    let mut outcome = None;
    // Listens all the time: a key that is pressed while a message is shown counts.
    let mut pressed = pin!(ctrl_c());
    let mut notice: Option<Notice> = None;
    loop {
        tokio::select! {
            biased;
            caught = &mut pressed => {
                caught?;
                pressed.set(ctrl_c());
                interrupts += 1;
                if interrupts > 1 {
                    return Ok(Outcome::Interrupted);
                }
                let session = session.clone();
                // In a task of its own: its answer comes behind messages that are read here.
                tokio::spawn(async move { session.interrupt().await });
            }
            frame = query.next_frame() => match frame {
                None => break,
                Some(Ok(frame)) => outcome = view.frame(frame)?.or(outcome),
                // The lines after it still come.
                Some(Err(error)) if error.is_line() => drop(report(&error, Outcome::BrokeOff)),
                Some(Err(error)) => return Ok(ended(&error, outcome)),
            },
            // One more look at the messages first: a question is shown behind those that came
            // before it.
            () = ready(()), if notice.is_some() => {
                if let Some(notice) = notice.take() {
                    view.notice(&notice)?;
                }
            }
            Some(next) = notices.recv() => notice = Some(next),
        }
    }
    Ok(outcome.unwrap_or_else(|| {
        anstream::eprintln!("claw: claude ended without a result");
        Outcome::BrokeOff
    }))
}

/// An end with an error: after a result, its exit code says nothing new.
fn ended(error: &Error, outcome: Option<Outcome>) -> Outcome {
    match outcome {
        Some(outcome) if error.is_exited() => outcome,
        _ if error.is_launch_failure() => report(error, Outcome::NotStarted),
        _ => report(error, Outcome::BrokeOff),
    }
}

/// Where messages go.
enum View {
    Text(Show<anstream::AutoStream<io::Stdout>>),
    Json,
}

impl View {
    fn new(shown: Shown) -> Self {
        match shown {
            Shown::Text => Self::Text(Show::new(anstream::stdout())),
            Shown::Json => Self::Json,
        }
    }

    /// Shows a notice. A question never goes to a file, where nobody would see it.
    fn notice(&mut self, notice: &Notice) -> io::Result<()> {
        match self {
            Self::Text(show) if !notice.is_question || stdout().is_terminal() => {
                show.notice(&notice.text)
            }
            _ => {
                anstream::eprint!("{}", notice.text);
                Ok(())
            }
        }
    }

    /// Shows a message; a result tells how the run went.
    fn frame(&mut self, frame: MessageFrame) -> io::Result<Option<Outcome>> {
        if let Self::Json = self {
            print_raw(&frame)?;
        }
        let message: Message = frame.into_value();
        if let Self::Text(show) = self {
            show.message(&message)?;
        }
        let Ok(result) = TurnResult::try_from(message) else {
            return Ok(None);
        };
        if let Self::Text(show) = self {
            show.result(&result)?;
        }
        Ok(Some(if result.is_error() {
            Outcome::ErrorResult
        } else {
            Outcome::Success
        }))
    }
}

/// The line as it came; on a terminal, what could steer it escaped.
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
