//! A conversation at the terminal.

use std::io::{self, Write as _};
use std::sync::Arc;

use claw_client::codec::FrameItem;
use claw_client::transport::Shutdown;
use claw_client::types::{Message, QueryOptions, SessionId};
use claw_client::{Error, Messages, Session};
use tokio::sync::Mutex;

use crate::ask::{Asker, Decider, notices};
use crate::escape::one_line;
#[cfg(feature = "edit")]
use crate::input::Commands;
use crate::input::{Input, InputEvent};
use crate::outcome::{Outcome, report};
use crate::run::{Connection, Frames, Shown, Terminal, View};

/// The input prompt.
const PROMPT: &str = "> ";
/// The command that shows the changes of the workspace. `claude` has no such command when it is driven by a program.
const CHANGES: &str = "diff";

/// Runs the conversation until the user leaves or claude ends.
pub(crate) async fn chat(options: QueryOptions, connection: Connection<'_>) -> Outcome {
    let (sender, notices) = notices();
    #[cfg(feature = "edit")]
    let commands = Commands::default();
    #[cfg(feature = "edit")]
    let input = Input::edited(commands.clone());
    #[cfg(not(feature = "edit"))]
    let input = Input::plain();
    let input = Arc::new(Mutex::new(Some(input)));
    let asker = Asker::with(Decider::Terminal, sender, input.clone());
    let builder =
        Session::builder(options).can_use_tool(move |request| asker.clone().decide(request));
    let session = match connection.connect(builder).await {
        Ok(session) => session,
        Err(error) => return report(&error, Outcome::NotStarted),
    };
    #[cfg(feature = "edit")]
    if let Some(info) = session.info() {
        let theirs = info.commands.iter().map(|command| command.name.as_str());
        commands.set(theirs.chain([CHANGES]));
    }
    let mut id = None;
    let left = match session.messages() {
        Ok(messages) => {
            let messages = SessionMessages {
                messages,
                id: &mut id,
            };
            let chat = Chat {
                input,
                messages,
                terminal: Terminal::new(View::new(Shown::Text), notices),
            };
            chat.run(&session).await
        }
        Err(error) => Err(report(&error, Outcome::BrokeOff)),
    };
    // In any case, because the thread that would end a dropped session ends with this process.
    let ladder = match left {
        Ok(()) => Shutdown::default(),
        Err(_) => Shutdown::now(),
    };
    let _ = session.close_with(ladder).await;
    if let Some(id) = id {
        let id = one_line(id.as_str(), 60);
        // The user may have closed the terminal.
        let _ = print(&format!("To go on with it: claw chat --resume {id}\n"));
    }
    left.err().unwrap_or(Outcome::Success)
}

struct Chat<'a> {
    input: Arc<Mutex<Option<Input>>>,
    messages: SessionMessages<'a>,
    terminal: Terminal,
}

/// All messages. Those of background work are shown with the turn that follows.
struct SessionMessages<'a> {
    messages: Messages,
    /// The last ID of the conversation.
    id: &'a mut Option<SessionId>,
}

impl Frames for SessionMessages<'_> {
    async fn next(&mut self) -> Option<Result<FrameItem<Message>, Error>> {
        let item = self.messages.next_frame().await?;
        if let Ok(FrameItem::Frame(frame)) = &item
            && let Message::SystemInit(init) = frame.value()
        {
            *self.id = Some(init.session_id.clone());
        }
        Some(item)
    }
}

impl Chat<'_> {
    /// Runs until the user leaves. An error is the reason for any other end.
    async fn run(mut self, session: &Session) -> Result<(), Outcome> {
        print(&greeting(session))?;
        while let Some(prompt) = self.prompt().await? {
            if prompt.trim().strip_prefix('/') == Some(CHANGES) {
                self.terminal.changes(session).await?;
                continue;
            }
            let turn = session.send(prompt).await;
            let turn = turn.map_err(|error| report(&error, Outcome::BrokeOff))?;
            // Its messages, the result included, are among all messages.
            let over = async { drop(turn.result().await) };
            let (terminal, messages) = (&mut self.terminal, &mut self.messages);
            terminal.follow(session, messages, over).await?;
        }
        Ok(())
    }

    /// The next prompt of the user. `None` if the user leaves.
    async fn prompt(&mut self) -> Result<Option<String>, Outcome> {
        // No questions are shown meanwhile; those of background work wait.
        let mut input = self.input.lock().await;
        let input = input.get_or_insert_with(Input::plain);
        let mut interrupts = 0_u8;
        loop {
            let signals = input.is_piped();
            let typed = tokio::select! {
                typed = input.line(PROMPT) => typed,
                () = self.terminal.interrupts.next(), if signals => InputEvent::Interrupt,
            };
            match typed {
                InputEvent::Line(line) if line.trim().is_empty() => interrupts = 0,
                InputEvent::Line(line) => {
                    self.terminal.interrupts.forget();
                    return Ok(Some(line));
                }
                InputEvent::End => return Ok(None),
                InputEvent::Unreadable(why) => {
                    anstream::eprintln!("claw: stdin: {}", one_line(&why, 200));
                    return Err(Outcome::Unreadable);
                }
                InputEvent::Interrupt if interrupts > 0 => return Err(Outcome::Interrupted),
                InputEvent::Interrupt => {
                    interrupts += 1;
                    print("Once more to leave, or Ctrl-D.\n")?;
                }
            }
        }
    }
}

/// Writes a text that is already escaped.
fn print(text: &str) -> Result<(), Outcome> {
    let mut out = anstream::stdout();
    let written = write!(out, "{text}").and_then(|()| out.flush());
    written.map_err(|error: io::Error| report(&error, Outcome::BrokeOff))
}

/// The first line.
fn greeting(session: &Session) -> String {
    let info = session.info();
    let version = info.and_then(|info| info.claude_code_version.as_deref());
    let version = one_line(version.unwrap_or_default(), 20);
    format!("claude {version}. Ctrl-C interrupts, twice it leaves; Ctrl-D leaves.\n")
}
