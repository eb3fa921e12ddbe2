//! Queued prompts after the last message of a conversation.

use super::index::{Id, Index, Kind, flag};
use super::names::NONE;

/// Returns the queued prompts below the end of the conversation that are not part of another branch. They are in the
/// order in which they were written.
pub(super) fn trailing(index: &Index, parents: &[Id], chain: &[Id], leaf: Id) -> Vec<Id> {
    if index.queued.is_empty() {
        return Vec::new();
    }
    let below = Below::new(index, parents);
    let mut is_passed = vec![false; parents.len()];
    for id in chain {
        is_passed[*id as usize] = true;
    }
    let is_other = of_other_branches(index, &is_passed);
    let mut found = Vec::new();
    let mut open = vec![leaf];
    while let Some(id) = open.pop() {
        if id != leaf {
            if std::mem::replace(&mut is_passed[id as usize], true) {
                continue;
            }
            if index.queued(id).is_some() && !is_other[id as usize] {
                found.push(id);
            }
        }
        let mut children = below.of(id);
        children.sort_by_key(|id| index.node(*id).time);
        let new = children.iter().rev().filter(|id| !is_passed[**id as usize]);
        open.extend(new);
    }
    found
}

/// The links that are not messages, by their parents.
struct Below(Vec<(Id, Id)>);

impl Below {
    fn new(index: &Index, parents: &[Id]) -> Self {
        let mut pairs = Vec::new();
        for id in index.ids().filter(|id| !index.kind(*id).is_message()) {
            let named = index.id(index.node(id).parent).unwrap_or(NONE);
            let moved = parents[id as usize];
            let both = [named, moved].into_iter().filter(|parent| *parent != NONE);
            pairs.extend(both.map(|parent| (parent, id)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        Self(pairs)
    }

    fn of(&self, parent: Id) -> Vec<Id> {
        let start = self.0.partition_point(|(other, _)| *other < parent);
        let rest = self.0[start..].iter();
        rest.take_while(|(other, _)| *other == parent)
            .map(|(_, id)| *id)
            .collect()
    }
}

/// Returns the links between the conversation and the messages of other branches.
fn of_other_branches(index: &Index, is_in_chain: &[bool]) -> Vec<bool> {
    let mut is_other = vec![false; is_in_chain.len()];
    for id in index.ids() {
        let node = index.node(id);
        let is_message = matches!(node.kind, Kind::User | Kind::Assistant);
        if !is_message || node.is(flag::SIDECHAIN | flag::TEAM) || is_in_chain[id as usize] {
            continue;
        }
        let mut at = index.id(node.parent);
        while let Some(id) = at.filter(|id| !is_in_chain[*id as usize] && !is_other[*id as usize]) {
            is_other[id as usize] = true;
            at = index.id(index.node(id).parent);
        }
    }
    is_other
}
