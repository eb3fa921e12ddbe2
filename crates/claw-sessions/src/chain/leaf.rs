//! Finds the end of a conversation.

use super::index::{Id, Index, flag};
use super::names::NONE;

/// Returns the last message of the newest branch.
pub(super) fn leaf(index: &Index, parents: &[Id]) -> Option<Id> {
    let takes_part = |id: Id| {
        let node = index.node(id);
        !node.is(flag::SIDECHAIN | flag::TEAM | flag::BRIEFING)
            && node.kind != super::index::Kind::Progress
    };
    let mut has_child = vec![false; parents.len()];
    for id in index.ids().filter(|id| takes_part(*id)) {
        mark(&mut has_child, parents[id as usize]);
    }
    let mut search = MessageSearch::new(index, parents);
    let is_end = |id: &Id| takes_part(*id) && !has_child[*id as usize];
    let mut ends: Vec<Id> = index.ids().filter(is_end).collect();
    // The ends are sorted by their position in the file. If a line was written several times, its last copy counts.
    ends.sort_unstable_by_key(|id| std::cmp::Reverse(index.node(*id).offset));
    let found = ends.into_iter().find_map(|id| search.nearest_message(id));
    found.or_else(|| any_leaf(index, parents, &mut search))
}

/// Returns the newest end of all branches if no branch ends with a message of the conversation. Ends of the main
/// conversation take precedence.
fn any_leaf(index: &Index, parents: &[Id], search: &mut MessageSearch<'_>) -> Option<Id> {
    let mut has_child = vec![false; parents.len()];
    for parent in parents {
        mark(&mut has_child, *parent);
    }
    let mut best = None;
    for end in index.ids().filter(|id| !has_child[*id as usize]) {
        if let Some(message) = search.nearest_message(end) {
            let is_main = !index
                .node(message)
                .is(flag::SIDECHAIN | flag::TEAM | flag::META);
            best = best.max(Some((is_main, index.node(message).offset, message)));
        }
    }
    best.map(|(_, _, message)| message)
}

fn mark(has_child: &mut [bool], parent: Id) {
    if parent != NONE {
        has_child[parent as usize] = true;
    }
}

/// Searches from ends upwards for the last message before them. Remembers the results, so that no link is visited
/// twice.
pub(super) struct MessageSearch<'a> {
    index: &'a Index,
    parents: &'a [Id],
    /// The result for each visited link. [`NONE`] means that no message was found.
    seen: Vec<Option<Id>>,
    way: Vec<Id>,
}

impl<'a> MessageSearch<'a> {
    pub(super) fn new(index: &'a Index, parents: &'a [Id]) -> Self {
        Self {
            index,
            parents,
            seen: vec![None; parents.len()],
            way: Vec::new(),
        }
    }

    pub(super) fn nearest_message(&mut self, end: Id) -> Option<Id> {
        let mut at = end;
        let found = loop {
            if at == NONE {
                break NONE;
            }
            if let Some(known) = self.seen[at as usize] {
                break known;
            }
            // If the links form a loop without a message, the search ends when it comes to this link again.
            self.seen[at as usize] = Some(NONE);
            self.way.push(at);
            if self.index.node(at).kind.is_message() {
                break at;
            }
            at = self.parents[at as usize];
        };
        for passed in self.way.drain(..) {
            self.seen[passed as usize] = Some(found);
        }
        (found != NONE).then_some(found)
    }
}
