//! Branches that the conversation has left.
//!
//! Not every branch beside the conversation was left. Results of parallel tool uses, notes of hooks, sub-agents, lines
//! that a compaction replaced, and an answer that was interrupted while a tool ran are parts of the conversation.

use std::collections::HashMap;

use super::index::{Id, Index, Kind, flag};
use super::leaf::leaf;
use super::names::NONE;
use super::walk::{Extent, walk};
use super::{parallel, relink, trailing};

/// The branches that the conversation has left.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// The number of the branch that contains each name's link. [`NONE`] for links of the conversation itself. Empty if
    /// there are no such branches.
    pub(crate) of_name: Vec<u32>,
    /// The number of prompts in each branch.
    pub(crate) prompts: HashMap<u32, u64>,
}

pub(crate) fn rewound(index: &Index) -> Left {
    let resumed_parents = relink::parents(index);
    let Some(leaf) = leaf(index, &resumed_parents) else {
        return Left::default();
    };
    let resumed = walk(index, &resumed_parents, leaf, Extent::Resumed);
    let resumed = parallel::restore_parallel(index, &resumed_parents, resumed);
    let behind = trailing::trailing(index, &resumed_parents, &resumed, leaf);
    let parents: Vec<Id> = index.ids().map(|id| above(index, id)).collect();
    let shown = walk(index, &parents, leaf, Extent::Shown);
    let begins_here = shown.first().is_some_and(|id| is_beginning(index, *id));
    let shown = parallel::restore_parallel(index, &parents, shown);
    let mut is_kept = vec![false; parents.len()];
    for id in resumed.into_iter().chain(behind).chain(shown) {
        is_kept[id as usize] = true;
    }
    if is_kept.iter().all(|is_kept| *is_kept) {
        return Left::default();
    }
    let tops = tops(&parents, &is_kept);
    let mut prompts = left(index, &tops, begins_here);
    for boundary in index.ids().filter(|id| is_kept[*id as usize]) {
        if let Some(top) = summarised_behind(index, &tops, boundary) {
            prompts.remove(&top);
        }
    }
    if prompts.is_empty() {
        return Left::default();
    }
    let branch = |id: &Id| match tops.get(*id as usize) {
        Some(top) if prompts.contains_key(top) => *top,
        _ => NONE,
    };
    let of_name = index.of_name.iter().map(branch).collect();
    Left { of_name, prompts }
}

fn above(index: &Index, id: Id) -> Id {
    index.id(index.node(id).parent).unwrap_or(NONE)
}

/// Whether a link is the beginning of a conversation: its parent is null, and it replaces nothing.
fn is_beginning(index: &Index, id: Id) -> bool {
    let node = index.node(id);
    node.is(flag::ROOT) && node.logical == NONE && !node.is(flag::BOUNDARY | flag::SUMMARY)
}

/// Returns the first link of the branch that a compaction has replaced by its summary: a person chose a prompt, and
/// everything after it was summarised. The conversation continues after the link before the prompt, which the boundary
/// names. The branch ends with the last link before the boundary.
fn summarised_behind(index: &Index, tops: &[Id], boundary: Id) -> Option<Id> {
    let node = index.node(boundary);
    let last = boundary
        .checked_sub(1)
        .filter(|_| node.is(flag::BOUNDARY))?;
    let top = tops[last as usize];
    let is_behind = top != NONE && node.logical != NONE && index.node(top).parent == node.logical;
    is_behind.then_some(top)
}

/// Returns the first link of the branch for each link that is not in the conversation. Visits each link once.
fn tops(parents: &[Id], is_kept: &[bool]) -> Vec<Id> {
    let mut tops = vec![NONE; parents.len()];
    let mut is_passed = is_kept.to_vec();
    let mut way = Vec::new();
    for start in (0..).take(parents.len()) {
        let mut at: Id = start;
        while at != NONE && !std::mem::replace(&mut is_passed[at as usize], true) {
            way.push(at);
            at = parents[at as usize];
        }
        let known = if at == NONE { NONE } else { tops[at as usize] };
        let top = match way.last() {
            Some(last) if known == NONE => *last,
            _ => known,
        };
        for passed in way.drain(..) {
            tops[passed as usize] = top;
        }
    }
    tops
}

/// Returns the branches that were left, by their first links, with the number of their prompts. Such a branch contains
/// a prompt or a complete answer.
fn left(index: &Index, tops: &[Id], begins_here: bool) -> HashMap<Id, u64> {
    let mut is_answered = vec![false; index.names()];
    for id in index.ids().filter(|id| index.kind(*id) == Kind::User) {
        for call in index.calls(id) {
            is_answered[*call as usize] = true;
        }
    }
    let mut prompts = vec![0_u64; tops.len()];
    let mut has_answer = vec![false; tops.len()];
    let mut has_open_call = vec![false; tops.len()];
    for id in index.ids() {
        let (node, top) = (index.node(id), tops[id as usize]);
        if top == NONE || node.is(flag::SIDECHAIN | flag::TEAM) {
            continue;
        }
        let top = top as usize;
        match node.kind {
            Kind::User => {
                let no_prompt = flag::RESULT
                    | flag::META
                    | flag::SUMMARY
                    | flag::STOPPED
                    | flag::CAVEAT
                    | flag::RECORD
                    | flag::OUTPUT;
                prompts[top] += u64::from(!node.is(no_prompt));
            }
            Kind::Assistant => {
                has_answer[top] |= !node.is(flag::HIDDEN);
                let is_open = |call: &u32| !is_answered[*call as usize];
                has_open_call[top] |= index.calls(id).iter().any(is_open);
            }
            _ => {}
        }
    }
    let is_left = |id: &Id| {
        let node = index.node(*id);
        let at = *id as usize;
        let hangs_beside = node.parent != NONE || node.is(flag::ROOT) && begins_here;
        hangs_beside && (prompts[at] > 0 || has_answer[at] && !has_open_call[at])
    };
    let tops = index.ids().filter(is_left);
    tops.map(|id| (id, prompts[id as usize])).collect()
}
