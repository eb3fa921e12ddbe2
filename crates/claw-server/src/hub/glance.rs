//! The values of a conversation on which lists and notifications depend.

use crate::conversation::{Conversation, Phase};

/// The values of a conversation that are compared before and after each change. Cheap to copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Glance {
    pub(super) phase: Phase,
    pub(super) requests: usize,
    pub(super) has_failed: bool,
    pub(super) is_closed: bool,
}

impl Glance {
    pub(super) fn at(conversation: &Conversation) -> Self {
        let state = conversation.state();
        Self {
            phase: state.phase,
            requests: conversation.requests().count(),
            has_failed: state.error.is_some(),
            is_closed: conversation.is_closed(),
        }
    }

    pub(super) fn is_busy(self) -> bool {
        !self.is_closed && !matches!(self.phase, Phase::Idle | Phase::Cut)
    }
}
