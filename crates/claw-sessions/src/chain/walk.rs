//! Walks from a link back to the beginning of its conversation.

use super::by_time::ByTime;
use super::index::{Id, Index, flag};
use super::names::NONE;

/// How far a walk goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The walk follows only the links in the file.
    Linked,
    /// The lines that the CLI resumes. If a parent is not in the file, the walk continues as the CLI does: see
    /// [`ByTime`].
    Resumed,
    /// The lines that a person sees, including those before a compaction. If a parent is not in the file, the walk
    /// continues with the last message before the line.
    Shown,
}

/// Walks from a link back to its beginning, or to a link that was already visited. Returns the beginning first.
pub(super) fn walk(index: &Index, parents: &[Id], leaf: Id, extent: Extent) -> Vec<Id> {
    let mut seen = vec![false; parents.len()];
    let mut chain = Vec::new();
    let mut messages = None;
    let mut by_time = [None, None];
    let mut at = leaf;
    while at != NONE && !std::mem::replace(&mut seen[at as usize], true) {
        chain.push(at);
        let below = at;
        at = parents[at as usize];
        let node = index.node(below);
        // A compaction may have moved the line, so that it has no parent in `parents`. Its parent counts as missing
        // only if the file lacks it.
        let is_missing = at == NONE && node.parent != NONE && index.id(node.parent).is_none();
        if extent == Extent::Resumed && is_missing {
            let side = by_time[usize::from(node.is(flag::SIDECHAIN))]
                .get_or_insert_with(|| side(index, node.is(flag::SIDECHAIN)));
            let found = side.before(node.time, |id| seen[id as usize]);
            at = found.unwrap_or(NONE);
        } else if at == NONE {
            at = match before(index, below, extent) {
                Before::Nothing => NONE,
                Before::Link(id) => id,
                Before::LastMessage => messages
                    .get_or_insert_with(|| Messages::new(index))
                    .before(index, below),
            };
        }
    }
    chain.reverse();
    chain
}

/// Returns the links of sub-agents, or all other links.
fn side(index: &Index, is_sidechain: bool) -> ByTime {
    let links = index
        .ids()
        .filter(|id| index.node(*id).is(flag::SIDECHAIN) == is_sidechain);
    ByTime::new(links.map(|id| (index.node(id).time, id)))
}

/// The predecessor of a link whose parent is not in the file.
enum Before {
    Nothing,
    Link(Id),
    /// The last message before the link in the file.
    LastMessage,
}

fn before(index: &Index, id: Id, extent: Extent) -> Before {
    let node = index.node(id);
    if extent != Extent::Shown {
        return Before::Nothing;
    }
    if node.parent != NONE {
        return if index.id(node.parent).is_none() {
            Before::LastMessage
        } else {
            Before::Nothing
        };
    }
    match index.id(node.logical) {
        Some(id) => Before::Link(id),
        None if node.logical != NONE || node.is(flag::BOUNDARY | flag::SUMMARY) => {
            Before::LastMessage
        }
        None => Before::Nothing,
    }
}

/// The messages of the conversation itself, in the order of the file.
struct Messages(Vec<(u64, Id)>);

impl Messages {
    fn new(index: &Index) -> Self {
        let is_message = |id: &Id| {
            let node = index.node(*id);
            node.kind.is_message() && !node.is(flag::SIDECHAIN | flag::TEAM)
        };
        let messages = index.ids().filter(is_message);
        let mut messages: Vec<_> = messages.map(|id| (index.node(id).offset, id)).collect();
        messages.sort_unstable();
        Self(messages)
    }

    fn before(&self, index: &Index, id: Id) -> Id {
        let offset = index.node(id).offset;
        let at = self.0.partition_point(|(other, _)| *other < offset);
        at.checked_sub(1).map_or(NONE, |at| self.0[at].1)
    }
}
