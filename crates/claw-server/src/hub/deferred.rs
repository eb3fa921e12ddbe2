//! Deferred requests from the store, in a conversation.

use claw_client::store::Deferred;
use claw_types::control::CanUseTool;

use super::shared::Shared;
use crate::conversation::{Answered, Decision};

impl Shared {
    /// Makes a request wait again whose answer could not be stored.
    pub(super) fn wait_again(&self, id: &str, body: CanUseTool) {
        let asked = self.scoped(body);
        self.with(|conversation| {
            if conversation.ask(id.to_owned(), asked).is_ok() {
                conversation.defer(id);
            }
        });
    }

    /// Adds the deferred requests of earlier claims: those that still wait, and the answers of the others.
    pub(super) fn add_deferred(&self, all: Vec<Deferred>) {
        let Some(lease) = self.prompts.log().and_then(|log| log.lease()) else {
            return;
        };
        for deferred in all {
            if deferred.is_waiting(lease.epoch()) {
                self.wait_again(&deferred.id, deferred.request);
            } else if let Some(answer) = deferred.answer {
                let decision = serde_json::from_value(answer.decision.into());
                let answered = Answered {
                    id: deferred.id,
                    decision: decision.unwrap_or(Decision::Deny),
                    by: answer.by,
                };
                self.with(|conversation| conversation.remember(answered));
            }
        }
    }
}

/// The name of a decision, as in answers.
pub(super) fn name_of(decision: Decision) -> String {
    let name = serde_json::to_value(decision).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}
