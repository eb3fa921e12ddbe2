//! A conversation on a screen. The line that the user types is below the output.

mod draw;
mod handle;
#[cfg(all(unix, feature = "serve"))]
mod shared;
mod signals;

use std::collections::VecDeque;
use std::future::ready;
use std::io::{self, Stdout, stdout};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use claw_client::codec::FrameItem;
use claw_client::types::control::{GetWorkspaceDiffResponse, SlashCommand};
use claw_client::types::{Message, QueryOptions};
use claw_client::{Error, Received, TurnResult};
use crossterm::event::{Event, KeyCode, KeyModifiers};
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinSet;

use self::signals::Signals;
use super::CHANGES;
use super::limited::Limited;
use super::link::{self, Feed, Link};
use super::outgoing::{Kept, Outgoing};
use super::output::Output;
use super::question::{Question, QuestionChange, changed};
use super::sent::Sent;
use crate::ask::Notice;
use crate::console::{Editor, Found, Keys, Live, RawMode, Screen, Size, is_usable};
use crate::escape::escape;
use crate::input::typed_ahead;
use crate::outcome::{Outcome, report};

/// Maximum time until the screen is drawn if further events arrive all the time.
const FRAME: Duration = Duration::from_millis(33);
/// Maximum number of keys that are stored while claude starts. Further keys stay in the terminal's buffer.
const AHEAD: usize = 4096;
/// A text about the most important keys.
const KEYS: &str = "Ctrl-C interrupts, twice it leaves; Ctrl-D leaves. Ctrl-J begins a new line.";

/// The reason why a conversation ends.
#[derive(Debug)]
enum End {
    /// The user has left.
    Left,
    Interrupted,
    /// The session has ended, for this reason.
    Broken(String, Outcome),
}

impl End {
    fn of(error: &Error) -> Self {
        Self::Broken(error.to_string(), Outcome::of_session(error))
    }

    /// Returns the end for an error of writing to the terminal.
    fn unwritable(error: &io::Error) -> Self {
        Self::Broken(error.to_string(), Outcome::BrokeOff)
    }
}

/// A completed background task.
enum Done {
    /// A turn has ended. The prompt and the result are present if the prompt may have to be sent again.
    Turn(Option<Box<(Kept, TurnResult)>>),
    /// The turn of a stored prompt has ended without a result.
    Lost(Kept),
    /// The changes of the workspace.
    Changes(Box<Result<GetWorkspaceDiffResponse, Error>>),
}

impl Done {
    /// Returns the value for the end of a turn. `kept` is the prompt, if it was stored.
    fn of(result: Option<TurnResult>, kept: Option<Kept>) -> Self {
        match (result, kept) {
            (Some(result), Some(kept)) => Self::Turn(Some(Box::new((kept, result)))),
            (None, Some(kept)) => Self::Lost(kept),
            (_, None) => Self::Turn(None),
        }
    }
}

/// The terminal while the session starts.
pub(super) struct Keyboard {
    raw: Option<RawMode>,
    keys: Keys,
    screen: Screen<Stdout>,
    editor: Editor,
    folder: PathBuf,
    /// The keys that were pressed before the session has started.
    ahead: VecDeque<Event>,
}

impl Keyboard {
    /// Starts reading keys. Returns `None` if the terminal does not support drawing.
    pub(super) fn start(options: &QueryOptions) -> io::Result<Option<Self>> {
        if !is_usable() {
            return Ok(None);
        }
        let folder = options.cwd.clone();
        let folder = folder.map_or_else(std::env::current_dir, Ok)?;
        let colour = anstream::AutoStream::choice(&stdout()) != anstream::ColorChoice::Never;
        // The typed lines are read before raw mode begins, because they have other line endings than keys in raw mode.
        let ahead = typed_ahead();
        Ok(Some(Self {
            raw: Some(RawMode::enter()?),
            keys: Keys::start(),
            screen: Screen::new(stdout(), Size::now(), colour),
            editor: Editor::of_prompts(&folder),
            folder,
            ahead: ahead.chars().map(key).collect(),
        }))
    }

    /// Waits until the session has started. Shows notices about delays, and stores the keys that are pressed. Returns
    /// `None` if the user leaves.
    pub(super) async fn wait<T>(
        &mut self,
        connecting: impl Future<Output = T>,
        notices: &mut Receiver<Notice>,
    ) -> Option<T> {
        let mut connecting = std::pin::pin!(connecting);
        let starting = Live {
            rows: vec![draw::dim("⋯ claude starts")],
            cursor: (0, 0),
        };
        // If this write fails, the next write of the conversation fails too, and reports the error.
        let _ = self.screen.draw("", &starting);
        let connected = loop {
            tokio::select! {
                biased;
                connected = &mut connecting => break Some(connected),
                Some(notice) = notices.recv() => {
                    let _ = self.screen.draw(&notice.text, &starting);
                }
                key = self.keys.next(), if self.ahead.len() < AHEAD => match key {
                    Some(Ok(Event::Key(key)))
                        if key.code == KeyCode::Char('c') && key.modifiers == KeyModifiers::CONTROL =>
                    {
                        break None;
                    }
                    Some(Ok(event)) => self.ahead.push_back(event),
                    _ => break None,
                },
            }
        };
        let _ = self.screen.draw("", &Live::default());
        connected
    }

    /// Runs the conversation until the user leaves. Fails with the outcome if it ends for another reason.
    pub(super) async fn converse(
        self,
        link: Link<'_>,
        feed: Feed<'_>,
        notices: Receiver<Notice>,
        limited: Limited,
    ) -> Result<(), Outcome> {
        let width = self.screen.size().columns;
        let mut conversation = Conversation {
            link,
            #[cfg(all(unix, feature = "serve"))]
            shared: shared::SharedState::default(),
            raw: self.raw,
            screen: self.screen,
            editor: self.editor,
            folder: self.folder,
            output: Output::new(width),
            outgoing: Outgoing::default(),
            limited,
            work: JoinSet::new(),
            searches: JoinSet::new(),
            question: None,
            set_aside: None,
            echoes: Vec::new(),
            hint: None,
            interrupts: 0,
            is_stale: true,
            drawn: Instant::now(),
        };
        let end = conversation.run(self.ahead, self.keys, feed, notices).await;
        conversation.output.finish();
        conversation.show_echoes(true);
        #[cfg(all(unix, feature = "serve"))]
        conversation.show_unsent();
        let drawn = conversation.last_draw();
        // Dropping the conversation restores the terminal before anything else is written.
        drop(conversation);
        match (end, drawn) {
            (End::Broken(why, outcome), _) => {
                anstream::eprintln!("claw: {}", escape(&why));
                Err(outcome)
            }
            (End::Interrupted, _) => Err(Outcome::Interrupted),
            (End::Left, Err(error)) => Err(report(&error, Outcome::BrokeOff)),
            (End::Left, Ok(())) => Ok(()),
        }
    }
}

/// A running conversation.
struct Conversation<'a> {
    link: Link<'a>,
    /// The state of the session, if a server runs it.
    #[cfg(all(unix, feature = "serve"))]
    shared: shared::SharedState,
    /// `None` while the process is suspended.
    raw: Option<RawMode>,
    screen: Screen<Stdout>,
    editor: Editor,
    folder: PathBuf,
    output: Output,
    outgoing: Outgoing,
    limited: Limited,
    work: JoinSet<Done>,
    searches: JoinSet<Found>,
    question: Option<Question>,
    /// The line that the user was typing when a question interrupted it.
    set_aside: Option<String>,
    /// The sent prompts that wait until the current line of the output has ended. Then they are shown.
    echoes: Vec<String>,
    /// An escaped hint to the user. It is shown until the next key.
    hint: Option<String>,
    /// How often the user has pressed Ctrl-C without another key in between.
    interrupts: u8,
    /// Whether there is something to draw.
    is_stale: bool,
    drawn: Instant,
}

impl Conversation<'_> {
    async fn run(
        &mut self,
        mut ahead: VecDeque<Event>,
        mut keys: Keys,
        mut feed: Feed<'_>,
        mut notices: Receiver<Notice>,
    ) -> End {
        let greeting = self.link.greeting(KEYS);
        self.output
            .text(&draw::wrapped(&greeting, self.screen.size().columns));
        self.set_commands();
        let (mut ends, mut sizes) = (Signals::ends(), Signals::sizes());
        let mut notice: Option<Notice> = None;
        loop {
            if self.is_stale
                && self.drawn.elapsed() >= FRAME
                && let Err(error) = self.draw()
            {
                return End::unwritable(&error);
            }
            self.outgoing.begin(&self.link);
            self.search();
            let may_open = self.editor.line.is_empty();
            let early = ahead.pop_front();
            let end = tokio::select! {
                biased;
                () = ends.next() => Some(End::Interrupted),
                () = sizes.next() => None,
                () = ready(()), if early.is_some() => match early {
                    Some(event) => self.event(event).await,
                    None => None,
                },
                key = keys.next() => match key {
                    Some(Ok(event)) => self.event(event).await,
                    Some(Err(error)) => Some(End::Broken(format!("stdin: {error}"), Outcome::Unreadable)),
                    None => Some(End::Left),
                },
                sent = self.outgoing.sent() => match sent {
                    Ok((sent, kept)) => {
                        self.sent(sent, kept);
                        None
                    }
                    Err(error) => Some(End::of(&error)),
                },
                received = feed.next() => match received {
                    link::Received::Frame(frame) => self.frame(frame),
                    #[cfg(all(unix, feature = "serve"))]
                    link::Received::Event(event) => self.shared_event(event),
                },
                Some(done) = self.work.join_next(), if !self.work.is_empty() => {
                    self.done(done.unwrap_or(Done::Turn(None)));
                    None
                }
                () = self.limited.due() => {
                    self.send_again();
                    None
                }
                Some(found) = self.searches.join_next(), if !self.searches.is_empty() => {
                    if let (Ok(found), Some(completion)) = (found, self.editor.completion()) {
                        completion.found(&found);
                    }
                    None
                }
                // Messages have precedence, so that a question is shown after the messages that arrived before it.
                () = ready(()), if notice.is_some() => {
                    if let Some(notice) = notice.take() {
                        self.notice(notice);
                    }
                    None
                }
                Some(next) = notices.recv(), if self.question.is_none() => {
                    notice = Some(next);
                    None
                }
                change = changed(&mut self.question, may_open) => {
                    self.change(&change);
                    None
                }
                () = ready(()), if self.is_stale => {
                    match self.draw() {
                        Ok(()) => continue,
                        Err(error) => Some(End::unwritable(&error)),
                    }
                }
            };
            if let Some(end) = end {
                return end;
            }
            self.show_echoes(false);
            self.is_stale = true;
        }
    }

    fn set_commands(&mut self) {
        if let Some(theirs) = self.link.commands() {
            // The terminal cannot answer claw's own command for a session of a server, so the command is not offered
            // there.
            let own = self.link.own().map(|_| changes_command(&theirs));
            self.editor.set_commands(theirs.iter().chain(&own));
        }
    }

    /// Handles a prompt that was sent.
    fn sent(&mut self, sent: Sent, kept: Option<Kept>) {
        match sent {
            Sent::Turn(turn) => {
                // The stream of all messages also contains the messages of the turn and its result,
                // so only the end of the turn is awaited here.
                self.work
                    .spawn(async move { Done::of(turn.result().await.ok(), kept) });
            }
            #[cfg(all(unix, feature = "serve"))]
            Sent::Accepted => {}
            #[cfg(all(unix, feature = "serve"))]
            Sent::Refused(why) => self.refused(&why),
        }
    }

    /// Starts the search for files that the editor requests, unless one is running.
    fn search(&mut self) {
        if self.searches.is_empty()
            && let Some(search) = self.editor.search()
        {
            self.searches.spawn_blocking(move || search.run());
        }
    }

    fn frame(&mut self, frame: Option<Result<FrameItem<Message>, Error>>) -> Option<End> {
        match frame {
            None => return Some(End::Broken("claude ended".to_owned(), Outcome::BrokeOff)),
            Some(Err(error)) => return Some(End::of(&error)),
            Some(Ok(FrameItem::Frame(frame))) => {
                let message: Message = frame.into_value();
                if let Message::CommandsChanged(changed) = &message {
                    let theirs = &changed.commands;
                    self.editor
                        .set_commands(theirs.iter().chain([&changes_command(theirs)]));
                }
                self.output.message(&message);
            }
            Some(Ok(bad)) => {
                if let Received::Unreadable(line) = Received::from(bad) {
                    // The following lines can still be read, so the conversation continues.
                    let text = format!("claw: {}\n", escape(&line.to_string()));
                    self.output.text(&text);
                }
            }
        }
        None
    }

    /// Shows a notice, which may be a question.
    fn notice(&mut self, mut notice: Notice) {
        if let Some(answer) = notice.answer.take() {
            let (question, above) = Question::new(&notice.rest, answer, &notice.text);
            self.output.question(&notice, &above);
            self.question = Some(question);
        } else {
            self.output.question(&notice, &notice.rest);
        }
    }

    fn change(&mut self, change: &QuestionChange) {
        match change {
            QuestionChange::Opens => {
                if let Some(question) = &mut self.question {
                    question.is_open = true;
                }
            }
            QuestionChange::TakenBack => {
                self.question = None;
                self.output.text("  (The question is taken back.)\n");
                self.restore();
            }
        }
    }

    /// Returns whether claude works on a prompt, or whether a prompt waits for the reset of a limit.
    fn is_working(&self) -> bool {
        #[cfg(all(unix, feature = "serve"))]
        if self.shared.is_working {
            return true;
        }
        !self.work.is_empty() || !self.outgoing.is_empty() || self.limited.wait().is_some()
    }

    /// Returns the folder in which the session works.
    fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Returns claw's own command, which is listed with the CLI's commands. If the CLI reports which of its commands are
/// built in, this one is marked as built in too.
fn changes_command(theirs: &[SlashCommand]) -> SlashCommand {
    let description = "Show the changes in the repository";
    let mut command = SlashCommand::new(CHANGES, description, "");
    let is_reported = theirs.iter().any(|command| command.builtin.is_some());
    command.builtin = is_reported.then_some(true);
    command
}

/// Returns the key event of a character in typed text.
fn key(letter: char) -> Event {
    let code = match letter {
        '\n' => KeyCode::Enter,
        letter => KeyCode::Char(letter),
    };
    Event::Key(code.into())
}
