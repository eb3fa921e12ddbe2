//! Reads the lines of the process, and updates the driver from them.

use claw_client::codec::FrameItem;
use claw_client::{Error, Messages, Session, is_version};
use claw_types::message::internal::{CommandState, InternalMessage};
use claw_types::{Message, SessionId};

use super::Driver;
use super::deferral::Deferral;
use crate::conversation::Conversation;
use crate::hub::clock::now;
use crate::hub::history::UNREADABLE;

/// Maximum length of the version of a CLI, in bytes.
const LONGEST_VERSION: usize = 32;

/// The number of the signal that ends a process at once.
const SIGKILL: i32 = 9;

/// Whether a message contains a part of an answer of the model.
fn is_of_model(message: &Message) -> bool {
    matches!(message, Message::StreamEvent(_) | Message::Assistant(_))
}

/// Returns the next line of the process. Stays pending while the session has no process.
pub(super) async fn next(
    messages: &mut Option<Messages>,
) -> Option<Result<FrameItem<Message>, Error>> {
    match messages {
        Some(messages) => messages.next_frame().await,
        None => std::future::pending().await,
    }
}

impl Driver {
    /// Begins to receive the messages of a new process. Returns `false` if another receiver already takes them.
    pub(super) fn begin_messages(&mut self, process: &Session) -> bool {
        let Ok(messages) = process.messages() else {
            return false;
        };
        self.messages = Some(messages);
        self.processes += 1;
        if self.processes > 1 {
            self.shared.counts().change(|totals| totals.restarts += 1);
        }
        self.shared.set_pid(process.process().pid());
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
            // The process sends no more messages. The results of its turns contain the reason for that, so the reason is
            // not shown here.
            self.messages = None;
            self.shared.set_pid(None);
            if let Some(slot) = &self.slot {
                slot.release();
            }
            let exited = match &item {
                Some(Err(error)) => error.exited(),
                _ => None,
            };
            if exited.is_some_and(|it| it.exit.signal() == Some(SIGKILL) && !it.exit.is_forced()) {
                self.shared.counts().change(|totals| totals.kills += 1);
            }
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
                    // Each turn begins with this message.
                    self.refusal = None;
                    self.follow(&init.session_id);
                    self.count_version(&init.claude_code_version);
                }
                if self.awaits_first.is_some() && is_of_model(&message) {
                    self.count_first();
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
                if let Message::Assistant(answer) = &message
                    && answer.parent_tool_use_id.is_none()
                {
                    self.refusal.clone_from(&answer.error);
                }
                self.shared
                    .on_message(|conversation| conversation.message(&message));
                let is_result =
                    matches!(message, Message::ResultSuccess(_) | Message::ResultError(_));
                if is_result {
                    self.count_spent(&message);
                }
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
        let counts = self.shared.counts();
        counts.change(|totals| totals.unreadable += 1);
        self.shared
            .on_message(|conversation| conversation.unreadable(&unreadable));
    }

    /// Counts the time until the first message of the model.
    fn count_first(&mut self) {
        if let Some(began) = self.awaits_first.take() {
            let took = began.elapsed();
            let counts = self.shared.counts();
            counts.change(|totals| totals.first_messages.add_time(took));
        }
    }

    /// Counts the tokens and the cost that a result reports.
    fn count_spent(&self, result: &Message) {
        let usd = self.shared.peek(|conversation| {
            let (turn, model) = (&conversation.state().turn, &conversation.state().model);
            let counts = self.shared.counts();
            counts.change(|totals| totals.spent(result, turn.as_ref(), model.as_deref()));
            let turn = turn.as_ref().filter(|turn| !turn.is_estimate);
            turn.and_then(|turn| turn.cost_usd).unwrap_or_default()
        });
        if let Some(book) = &self.shared.quotas {
            self.shared.budget().spend(usd);
            // A turn that the CLI began by itself is charged to the sender of the newest prompt.
            let payer = self.charged().unwrap_or_else(|| self.shared.payer());
            book.charge(&payer, usd, now());
        }
    }

    /// Remembers the version of the CLI.
    fn count_version(&self, version: &str) {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-.+".contains(letter);
        if is_version(version) && version.len() <= LONGEST_VERSION && version.chars().all(is_part) {
            let counts = self.shared.counts();
            counts.change(|totals| totals.cli_version = Some(version.to_owned()));
        }
    }

    /// Records the ID that the process reports. If the ID has changed, the session continues under the new ID, for
    /// example after `/clear`.
    fn follow(&mut self, id: &SessionId) {
        let before = self.last_id.replace(id.clone());
        if before.is_some_and(|before| before != *id) {
            self.moved = Some(id.clone());
        }
    }
}
