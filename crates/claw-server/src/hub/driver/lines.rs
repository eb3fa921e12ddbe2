//! Reads the lines of the process, and updates the driver from them.

use claw_client::codec::FrameItem;
use claw_client::{Error, Messages, Session};
use claw_types::message::internal::{CommandState, InternalMessage};
use claw_types::{Message, SessionId};

use super::Driver;
use super::deferral::Deferral;
use crate::conversation::Conversation;
use crate::hub::history::UNREADABLE;

/// The next line. Stays pending while the session has no process.
pub(super) async fn next(
    messages: &mut Option<Messages>,
) -> Option<Result<FrameItem<Message>, Error>> {
    match messages {
        Some(messages) => messages.next_frame().await,
        None => std::future::pending().await,
    }
}

impl Driver {
    /// Takes the messages of a process that is new. `false` if the messages were already taken.
    pub(super) fn begin_messages(&mut self, process: &Session) -> bool {
        let Ok(messages) = process.messages() else {
            return false;
        };
        self.messages = Some(messages);
        self.limited.report(None);
        if let Some(info) = process.info() {
            self.shared.learned.on_start(info);
        }
        self.last_id = self.forks.then(|| self.shared.id());
        self.shared.with(Conversation::process_started);
        true
    }

    pub(super) fn message(&mut self, item: Option<Result<FrameItem<Message>, Error>>) {
        if let Some(Ok(line)) = item {
            self.show(line);
        } else {
            // The turns report the reason.
            self.messages = None;
            self.shared.with(Conversation::process_ended);
            if let Deferral::Running(..) = self.deferral {
                self.shared.forget_reply();
                self.end_resumption(Some("claude ended before the turn was over".to_owned()));
            }
        }
    }

    pub(super) fn show(&mut self, line: FrameItem<Message>) {
        if let Some(output) = &self.output {
            output.line(&line);
        }
        let unreadable = match line {
            FrameItem::Frame(frame) => {
                let message = frame.into_value();
                if let Message::SystemInit(init) = &message {
                    self.follow(&init.session_id);
                }
                if let Message::Internal(InternalMessage::CommandLifecycle(command)) = &message
                    && command.state == CommandState::Cancelled
                {
                    self.on_taken_back(&command.command_uuid);
                }
                if let Message::CommandsChanged(changed) = &message {
                    self.shared.learned.on_commands(&changed.commands);
                }
                if let Message::RateLimitEvent(report) = &message {
                    self.shared.report_limits(&report.rate_limit_info);
                    self.limited.report(report.rate_limit_info.rejected_until());
                }
                self.shared
                    .with(|conversation| conversation.message(&message));
                let is_result =
                    matches!(message, Message::ResultSuccess(_) | Message::ResultError(_));
                if is_result && matches!(self.deferral, Deferral::Running(..)) {
                    // The first result ends the turn of the deferred tool use.
                    self.end_resumption(None);
                }
                return;
            }
            FrameItem::Malformed(line) => line.excerpt(UNREADABLE),
            FrameItem::TooLong(line) => line.excerpt(UNREADABLE),
        };
        tracing::warn!("a line of claude cannot be read");
        self.shared
            .with(|conversation| conversation.unreadable(&unreadable));
    }

    /// Notes that the session continues under another ID, because `/clear` begins a new conversation.
    fn follow(&mut self, id: &SessionId) {
        let before = self.last_id.replace(id.clone());
        if before.is_some_and(|before| before != *id) {
            self.moved = Some(id.clone());
        }
    }
}
