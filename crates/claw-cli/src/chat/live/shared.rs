//! Handles the events of a conversation whose session a server runs.

use claw_server::{Phase, State};

use super::{Conversation, End, draw};
use crate::chat::attached::Event;
use crate::chat::question::{Question, QuestionChange};
use crate::outcome::Outcome;

/// The state of a session that a server runs.
#[derive(Debug, Default)]
pub(super) struct SharedState {
    /// Whether the session works, or waits for something other than a prompt.
    pub(super) is_working: bool,
    /// A row about the event for which the session waits. `None` if it waits only for claude.
    waits_for: Option<&'static str>,
    /// Whether the server cannot be reached.
    is_unreachable: bool,
}

impl SharedState {
    fn read(&mut self, state: &State) {
        let is_at_rest = [Phase::Idle, Phase::Deferred, Phase::Cut].contains(&state.phase);
        self.is_working = !is_at_rest;
        self.waits_for = match state.phase {
            _ if state.waits_for_store => Some("⋯ waits for the store"),
            Phase::Waiting if state.waits_for_limit.is_some() => Some("⋯ waits for a limit"),
            Phase::Waiting => Some("⋯ waits for a process"),
            Phase::Starting => Some("⋯ claude starts"),
            Phase::Limited => Some("⋯ waits for the reset of the usage limit"),
            _ => None,
        };
    }

    /// Returns the row above the typed line. Returns `None` if the state has no row.
    pub(super) fn row(&self) -> Option<&'static str> {
        if self.is_unreachable {
            return Some("⋯ the server cannot be reached: claw tries again until you leave");
        }
        self.waits_for
    }
}

impl Conversation<'_> {
    /// Handles an event of the session. `event` is `None` if there are no more events.
    pub(super) fn shared_event(&mut self, event: Option<Event>) -> Option<End> {
        let ended = |why: String| Some(End::Broken(why, Outcome::BrokeOff));
        match event {
            None => return ended("the server's events have ended".to_owned()),
            Some(Event::Ended(why)) => return ended(why),
            Some(Event::Change(change)) => self.output.change(*change),
            Some(Event::Prompt { text, is_new }) => {
                let notes = if is_new {
                    vec!["Sent elsewhere.".to_owned()]
                } else {
                    Vec::new()
                };
                let width = self.screen.size().columns;
                self.echoes.push(draw::echo(&text, &notes, width));
            }
            Some(Event::Progress(progress)) => self.output.progress(*progress),
            Some(Event::State(state)) => {
                self.shared.read(&state);
                if !self.is_working() {
                    self.interrupts = 0;
                    self.output.rest();
                }
            }
            Some(Event::Text(text)) => {
                let text = draw::wrapped(&text, self.screen.size().columns);
                self.output.text(&text);
            }
            Some(Event::Withdrawn) => {
                if self.question.as_ref().is_some_and(Question::is_closed) {
                    self.change(&QuestionChange::TakenBack);
                }
            }
            Some(Event::Reachable(is_reachable)) => {
                self.shared.is_unreachable = !is_reachable;
                if is_reachable {
                    self.output.text("  The server can be reached again.\n");
                }
            }
        }
        None
    }

    /// Shows why the server has not accepted a prompt. The user can get the prompt back from the history of prompts.
    pub(super) fn refused(&mut self, why: &str) {
        let text = format!("  The prompt was not accepted: {why}\n  The key Up brings it back.\n");
        let text = draw::wrapped(&text, self.screen.size().columns);
        self.output.text(&text);
    }

    /// Shows the number of prompts that were not sent because the server could not be reached. Called at the end.
    pub(super) fn show_unsent(&mut self) {
        if self.link.own().is_some() || self.outgoing.is_empty() {
            return;
        }
        let prompts = match self.outgoing.count() {
            1 => "1 prompt was not sent".to_owned(),
            count => format!("{count} prompts were not sent"),
        };
        let text = format!("  {prompts}. The key Up brings back what was typed.\n");
        self.output.text(&text);
    }
}
