//! The conversation of a transcript: which of its lines, in which order.
//!
//! A transcript is a tree that grew: each link names the one before. A first reading of the file notes a few bytes a
//! link ([`Index`]); from these the chain is found, in linear time and without recursion. Only the lines that are
//! shown are read again.

mod branches;
mod index;
mod leaf;
mod line;
mod names;
mod parallel;
mod relink;

pub(crate) use branches::rivals;
pub(crate) use index::{Index, Kind, Mode};
use names::NONE;

/// The links of the conversation as the CLI would resume it, the first one first.
pub(crate) fn conversation(index: &Index) -> Vec<u32> {
    let parents = relink::parents(index);
    let Some(leaf) = leaf::leaf(index, &parents) else {
        return Vec::new();
    };
    parallel::put_back(index, &parents, walk(&parents, leaf))
}

/// The links of a sub-agent's conversation: all that leads to what was said last in the file.
pub(crate) fn of_subagent(index: &Index) -> Vec<u32> {
    let mut said = index.ids().rev().filter(|id| index.kind(*id).is_said());
    let Some(leaf) = said.next() else {
        return Vec::new();
    };
    let parent = |node: &index::Node| index.id(node.parent).unwrap_or(NONE);
    let parents: Vec<_> = index.nodes.iter().map(parent).collect();
    walk(&parents, leaf)
}

/// From a link back to its beginning, or to where a circle closes.
fn walk(parents: &[u32], leaf: u32) -> Vec<u32> {
    let mut seen = vec![false; parents.len()];
    let mut chain = Vec::new();
    let mut at = leaf;
    while at != NONE && !seen[at as usize] {
        seen[at as usize] = true;
        chain.push(at);
        at = parents[at as usize];
    }
    chain.reverse();
    chain
}
