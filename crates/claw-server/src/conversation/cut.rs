//! Turns that were cut off because a server or a process ended.

use claw_types::MessageUuid;
use claw_types::message::UserMessage;
use claw_view::Input;

use super::{Conversation, MOST_PROMPTS, Phase, Unanswered, push_bounded};

/// The notice that is shown where a turn was cut off.
const CUT_OFF: &str = "This turn was cut off before its end.";

impl Conversation {
    /// Adds a prompt that an earlier server accepted and did not answer. If `is_sent` is `true`, `claude` may have
    /// received the prompt, and it is not sent again. Viewers get no event about this change.
    pub fn unanswered(&mut self, prompt: &UserMessage, is_sent: bool) {
        let Some(uuid) = &prompt.uuid else { return };
        let is_known = self.is_known(uuid);
        self.state.phase = Phase::Cut;
        let is_cut = is_sent || is_known;
        let is_marked = self.state.unanswered.iter().any(|cut| cut.sent);
        self.state.unanswered.push(Unanswered {
            uuid: uuid.as_str().to_owned(),
            sent: is_cut,
        });
        if !is_known {
            if is_sent {
                push_bounded(&mut self.prompts, uuid.clone(), MOST_PROMPTS);
            }
            self.elements
                .extend(self.timeline.push(Input::Prompt(prompt)));
        }
        if is_cut && !is_marked {
            self.elements.extend(self.timeline.push(Input::TurnCut));
            self.elements
                .extend(self.timeline.push(Input::Notice(CUT_OFF)));
        }
    }

    /// Records that the process of a turn ended before the turn. `claude` may have received the turn's prompt, and it is
    /// unknown how far the turn came. Of such prompts, the state lists only the newest. Viewers get an event when the turn
    /// is recorded as [ended](Self::ended).
    pub fn broken_off(&mut self, prompt: &MessageUuid) {
        let unanswered = &mut self.state.unanswered;
        unanswered.retain(|cut| !cut.sent);
        unanswered.push(Unanswered {
            uuid: prompt.as_str().to_owned(),
            sent: true,
        });
    }

    /// Removes from the state the unanswered prompts that may have been sent to `claude`. Call this method if the session
    /// has continued since the servers or processes of these prompts ended. Prompts that were not sent stay until they
    /// are sent or [dismissed](Self::dismiss).
    pub fn settled(&mut self) {
        self.set(|state| state.unanswered.retain(|cut| !cut.sent));
    }

    /// Returns the UUIDs of the prompts that an earlier server accepted and did not send.
    pub fn unsent(&self) -> Vec<MessageUuid> {
        let unanswered = self.state.unanswered.iter();
        let unsent = unanswered.filter(|cut| !cut.sent);
        unsent.map(|cut| MessageUuid::from(&*cut.uuid)).collect()
    }

    /// Removes an unanswered prompt from the state. The prompt is one that an earlier server accepted and did not send. Returns
    /// `false` if there is no such prompt. If no other prompt is unanswered, the phase becomes idle. Viewers get two events:
    /// the prompt is no longer part of the conversation, and the state has changed.
    pub fn dismiss(&mut self, uuid: &MessageUuid) -> bool {
        let unanswered = &mut self.state.unanswered;
        let count = unanswered.len();
        unanswered.retain(|cut| cut.sent || cut.uuid != uuid.as_str());
        if unanswered.len() == count {
            return false;
        }
        self.take_back(uuid);
        if self.state.phase != Phase::Cut || self.state.unanswered.is_empty() {
            self.update_phase();
        } else {
            self.log_state();
        }
        true
    }

    /// Records that the session is closed before these prompts of the user were answered. `why` is the reason. Viewers
    /// get an event with the new state.
    pub fn cut_off(&mut self, unanswered: Vec<Unanswered>, why: &str) {
        if self.is_closed || unanswered.is_empty() {
            return;
        }
        self.state.phase = Phase::Cut;
        self.state.error = Some(why.to_owned());
        let known = &mut self.state.unanswered;
        known.retain(|known| unanswered.iter().all(|cut| cut.uuid != known.uuid));
        known.extend(unanswered);
        self.log_state();
    }
}
