//! Adds the deferred requests in the store to a conversation. A deferred request is a permission request that waits for an
//! answer after its process has ended.

use claw_client::store::Deferred;
use claw_types::control::CanUseTool;

use super::shared::Shared;
use crate::conversation::{Answered, Decision};

impl Shared {
    /// Adds a deferred request to the conversation, where it waits for an answer without a process.
    pub(super) fn wait_again(&self, id: &str, body: CanUseTool) {
        let asked = self.scoped(body);
        self.with(|conversation| {
            if conversation.ask(id.to_owned(), asked).is_ok() {
                conversation.defer(id);
            }
        });
    }

    /// Adds the deferred requests of earlier claims, which wait without a process. Requests without an answer wait for one.
    /// For the other requests, the conversation remembers the answer.
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

/// Returns the name that a decision has in the JSON of an answer.
pub(super) fn name_of(decision: Decision) -> String {
    let name = serde_json::to_value(decision).unwrap_or_default();
    name.as_str().unwrap_or_default().to_owned()
}
