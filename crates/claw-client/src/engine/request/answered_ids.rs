//! The IDs of answered requests.

use std::collections::{HashSet, VecDeque};

use claw_types::RequestId;

/// The number of IDs that are remembered, to recognise repeated requests.
const REMEMBERED: usize = 1024;

/// The longest ID in bytes. The CLI's IDs have 36 bytes.
const LONGEST: usize = 256;

/// Whether an ID is too long to be remembered. A request with such an ID is refused. If the request
/// is repeated, it is refused again without harm.
pub(super) fn is_too_long(id: &RequestId) -> bool {
    id.as_str().len() > LONGEST
}

/// The most recent IDs.
#[derive(Debug, Default)]
pub(super) struct AnsweredIds {
    ids: HashSet<RequestId>,
    by_age: VecDeque<RequestId>,
}

impl AnsweredIds {
    pub(super) fn insert(&mut self, id: &RequestId) {
        if is_too_long(id) {
            return;
        }
        if self.ids.insert(id.clone()) {
            self.by_age.push_back(id.clone());
        }
        if self.by_age.len() > REMEMBERED
            && let Some(oldest) = self.by_age.pop_front()
        {
            self.ids.remove(&oldest);
        }
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn len(&self) -> usize {
        self.ids.len().max(self.by_age.len())
    }

    pub(super) fn contains(&self, id: &RequestId) -> bool {
        self.ids.contains(id)
    }
}
