//! A conversation at the terminal.

#[cfg(all(unix, feature = "terminal", feature = "serve"))]
pub(crate) mod attached;
#[cfg(feature = "terminal")]
mod images;
#[cfg(feature = "terminal")]
mod limited;
mod lines;
#[cfg(feature = "terminal")]
mod link;
#[cfg(feature = "terminal")]
mod live;
#[cfg(feature = "terminal")]
mod outgoing;
#[cfg(feature = "terminal")]
mod output;
#[cfg(feature = "terminal")]
mod question;
#[cfg(feature = "terminal")]
mod sent;
mod when;

use std::sync::Arc;

use claw_client::codec::FrameItem;
use claw_client::transport::Shutdown;
use claw_client::types::{Message, QueryOptions, SessionId};
use claw_client::{Error, Messages, Session};
use claw_view::SessionFolders;
use tokio::sync::Mutex;

#[cfg(feature = "terminal")]
use self::limited::Limited;
use crate::ask::{Asker, Decider, notices, show_start_hooks};
use crate::escape::one_line;
use crate::input::Input;
use crate::outcome::{Outcome, report};
use crate::run::{Connection, Frames};

/// The command that shows the changes of the workspace. If a program controls `claude`, `claude` has no such command
/// itself.
const CHANGES: &str = "diff";

/// Runs the conversation until the user leaves or claude ends.
pub(crate) async fn chat(options: QueryOptions, connection: Connection<'_>) -> Outcome {
    let (sender, mut notices) = notices();
    #[cfg(feature = "terminal")]
    let mut keyboard = match live::Keyboard::start(&options) {
        Ok(keyboard) => keyboard,
        Err(error) => return report(&error, Outcome::BrokeOff),
    };
    #[cfg(feature = "terminal")]
    let input = if keyboard.is_some() {
        Input::Screen
    } else {
        Input::plain()
    };
    #[cfg(not(feature = "terminal"))]
    let input = Input::plain();
    let input = Arc::new(Mutex::new(Some(input)));
    let asker = Asker::with(Decider::Terminal, sender.clone(), input.clone());
    let folders = asker.folders();
    let builder = Session::builder(options)
        .can_use_tool(move |request| asker.clone().decide(request))
        .on_start_hook(show_start_hooks(sender));
    // The future is boxed, because otherwise the futures of all commands would be large.
    let connecting = Box::pin(connection.connect(builder));
    #[cfg(feature = "terminal")]
    let connected = match &mut keyboard {
        Some(keyboard) => keyboard.wait(connecting, &mut notices).await,
        None => Some(lines::wait(connecting, &mut notices).await),
    };
    #[cfg(not(feature = "terminal"))]
    let connected = Some(lines::wait(connecting, &mut notices).await);
    let session = match connected {
        Some(Ok(session)) => session,
        Some(Err(error)) => {
            #[cfg(feature = "terminal")]
            drop(keyboard);
            return report(&error, Outcome::NotStarted);
        }
        // The user left while the session was starting.
        None => return Outcome::Interrupted,
    };
    let mut id = None;
    let left = match session.messages() {
        Ok(messages) => {
            let messages = SessionMessages {
                messages,
                id: &mut id,
                folders,
            };
            #[cfg(feature = "terminal")]
            let left = match keyboard {
                Some(keyboard) => {
                    let limited = Limited::new(connection.limit_wait);
                    let (link, feed) = (link::Link::Own(&session), link::Feed::Own(messages));
                    keyboard.converse(link, feed, notices, limited).await
                }
                None => {
                    lines::Chat::new(input, messages, notices, connection.limit_wait)
                        .run(&session)
                        .await
                }
            };
            #[cfg(not(feature = "terminal"))]
            let left = lines::Chat::new(input, messages, notices, connection.limit_wait)
                .run(&session)
                .await;
            left
        }
        Err(error) => Err(report(&error, Outcome::BrokeOff)),
    };
    // The session is closed explicitly. For a dropped session, a thread would do this, but the thread ends with this
    // process.
    let steps = match left {
        Ok(()) => Shutdown::default(),
        Err(_) => Shutdown::now(),
    };
    let _ = session.close_with(steps).await;
    if let Some(id) = id {
        print_how_to_resume(id.as_str(), "");
    }
    left.err().unwrap_or(Outcome::Success)
}

/// Shows a session that a server runs, until the user leaves the terminal. Leaving does not end the session.
#[cfg(all(unix, feature = "terminal", feature = "serve"))]
pub(crate) async fn attach(attached: attached::Attached) -> Outcome {
    let (sender, notices) = notices();
    let options = QueryOptions::default().cwd(&attached.folder);
    let keyboard = match live::Keyboard::start(&options) {
        Ok(Some(keyboard)) => keyboard,
        Ok(None) => {
            let why = "this terminal cannot show a conversation of a server";
            return report(&std::io::Error::other(why), Outcome::NotStarted);
        }
        Err(error) => return report(&error, Outcome::BrokeOff),
    };
    let input = Arc::new(Mutex::new(Some(Input::Screen)));
    let asker = Asker::with(Decider::Terminal, sender, input);
    let (handle, events) = attached.start(asker).await;
    let link = link::Link::Attached(handle.clone());
    let feed = link::Feed::Attached(events);
    // The server itself waits for the reset of limits, so this command does not.
    let limited = Limited::new(None);
    let left = keyboard.converse(link, feed, notices, limited).await;
    let ends_here = left.is_err() && left != Err(Outcome::Interrupted);
    let goes_on = if ends_here {
        ""
    } else {
        "The conversation goes on at the server. "
    };
    print_how_to_resume(&handle.session(), goes_on);
    left.err().unwrap_or(Outcome::Success)
}

/// Prints a sentence and the command that continues a conversation.
fn print_how_to_resume(id: &str, before: &str) {
    let id = one_line(id, 60);
    // An error means that the user has closed the terminal.
    let _ = lines::print(&format!(
        "{before}To go on with it: claw chat --resume {id}\n"
    ));
}

/// The messages of a session. Messages of background work are shown with the next turn.
struct SessionMessages<'a> {
    messages: Messages,
    /// The newest ID of the conversation.
    id: &'a mut Option<SessionId>,
    folders: SessionFolders,
}

impl Frames for SessionMessages<'_> {
    async fn next(&mut self) -> Option<Result<FrameItem<Message>, Error>> {
        let item = self.messages.next_frame().await?;
        if let Ok(FrameItem::Frame(frame)) = &item {
            self.folders.message(frame.value());
            if let Message::SystemInit(init) = frame.value() {
                *self.id = Some(init.session_id.clone());
            }
        }
        Some(item)
    }
}

/// Returns the first line of the conversation, with the version of claude and the keys.
fn greeting(session: &Session, keys: &str) -> String {
    let info = session.info();
    let version = info.and_then(|info| info.claude_code_version.as_deref());
    let version = one_line(version.unwrap_or_default(), 20);
    format!("claude {version}. {keys}\n")
}
