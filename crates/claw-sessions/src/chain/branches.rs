//! Finds the branches that would compete to continue a conversation if a copy of it ended earlier.

use std::collections::BinaryHeap;

use super::index::{Id, Index, Kind, flag};
use super::leaf::MessageSearch;
use super::names::NONE;
use super::walk::{Extent, walk};
use super::{parallel, relink};

/// Returns the lines that a copy of a conversation must leave out, so that the CLI continues the copy after its last
/// line. These lines are the branches whose end the CLI would treat as the end of the conversation, and the compactions
/// that are not part of the conversation. The lines are given as offsets in the file.
///
/// `boundaries` are the offsets of all compactions.
pub(crate) fn competing_lines(mut index: Index, boundaries: &[u64]) -> Vec<u64> {
    index.belongs_to_one();
    let parents = relink::parents(&index);
    Branches::new(&index, &parents).map_or_else(Vec::new, |mut branches| {
        branches.leave_out_boundaries(boundaries);
        branches.leave_out_ends();
        let left_out = index.ids().filter(|id| branches.left_out[*id as usize]);
        left_out.map(|id| index.node(id).offset).collect()
    })
}

impl Index {
    /// Changes the index so that it describes a copy. A copy has no lines of sub-agents, and
    /// belongs to no team.
    fn belongs_to_one(&mut self) {
        for id in &mut self.of_name {
            if *id != NONE && self.nodes[*id as usize].is(flag::SIDECHAIN) {
                *id = NONE;
            }
        }
        for node in &mut self.nodes {
            node.flags &= !flag::TEAM;
        }
    }
}

struct Branches<'a> {
    index: &'a Index,
    /// The parent of each link. After a compaction, this can be another link than the one that the
    /// line names.
    parents: &'a [Id],
    /// The children of each link according to their lines: the first child, and the next sibling of each child.
    first: Vec<Id>,
    next: Vec<Id>,
    /// Whether a link is part of the conversation that ends with the last line.
    is_live: Vec<bool>,
    /// The last message of this conversation.
    leaf: Id,
    /// The offset at which this conversation begins in the file.
    start: u64,
    left_out: Vec<bool>,
}

impl<'a> Branches<'a> {
    fn new(index: &'a Index, parents: &'a [Id]) -> Option<Self> {
        let count = index.nodes.len();
        let main = index
            .ids()
            .filter(|id| !index.node(*id).is(flag::SIDECHAIN));
        let last = main.max_by_key(|id| index.node(*id).offset)?;
        let leaf = MessageSearch::new(index, parents).nearest_message(last)?;
        let chain =
            parallel::restore_parallel(index, parents, walk(index, parents, leaf, Extent::Resumed));
        let mut this = Self {
            index,
            parents,
            first: vec![NONE; count],
            next: vec![NONE; count],
            is_live: vec![false; count],
            leaf,
            start: index.node(*chain.first()?).offset,
            left_out: vec![false; count],
        };
        for id in index.ids() {
            if let Some(parent) = this.above(id) {
                this.next[id as usize] = this.first[parent as usize];
                this.first[parent as usize] = id;
            }
        }
        for mut id in chain.into_iter().chain([last]) {
            while !this.is_live[id as usize] {
                this.is_live[id as usize] = true;
                id = this.above(id).unwrap_or(id);
            }
        }
        Some(this)
    }

    /// Returns the parent that the line of a link names.
    fn above(&self, id: Id) -> Option<Id> {
        self.index.id(self.index.node(id).parent)
    }

    /// Whether a link may be left out: it belongs to another branch and is not older than the conversation.
    fn is_competing(&self, id: Id) -> bool {
        !self.is_live[id as usize] && self.index.node(id).offset >= self.start
    }

    fn is_part(&self, id: Id) -> bool {
        let node = self.index.node(id);
        !node.is(flag::SIDECHAIN | flag::BRIEFING)
            && node.kind != Kind::Progress
            && !self.left_out[id as usize]
    }

    /// Leaves out compactions that are not part of the conversation, because they would hide the lines before them.
    fn leave_out_boundaries(&mut self, boundaries: &[u64]) {
        for id in self.index.ids() {
            let node = self.index.node(id);
            if node.kind != Kind::System
                || boundaries.binary_search(&node.offset).is_err()
                || !self.is_competing(id)
            {
                continue;
            }
            let kept = self.index.kept.get(node.kept as usize);
            let mut kept = kept.iter().flat_map(|kept| &kept.messages);
            let is_live = |id: Id| self.is_live[id as usize];
            if !kept.any(|name| self.index.id(*name).is_some_and(is_live)) {
                self.leave_out(id, |_| {});
            }
        }
    }

    /// Leaves out the branch with the newest end repeatedly, until the newest end is that of the conversation.
    fn leave_out_ends(&mut self) {
        let mut children = vec![0_u32; self.parents.len()];
        for id in self.index.ids().filter(|id| self.is_part(*id)) {
            if let Some(count) = children.get_mut(self.parents[id as usize] as usize) {
                *count += 1;
            }
        }
        let end = |id: Id| (self.index.node(id).offset, id);
        let is_end = |id: &Id| children[*id as usize] == 0 && self.is_part(*id);
        let mut ends: BinaryHeap<_> = self.index.ids().filter(is_end).map(end).collect();
        let mut search = MessageSearch::new(self.index, self.parents);
        while let Some((_, id)) = ends.pop() {
            if !self.is_part(id) {
                continue;
            }
            match search.nearest_message(id) {
                None => continue,
                Some(message) if message == self.leaf || !self.is_competing(id) => break,
                Some(_) => {}
            }
            let (index, parents) = (self.index, self.parents);
            self.leave_out(id, |gone| {
                let parent = parents[gone as usize];
                if let Some(count) = children
                    .get_mut(parent as usize)
                    .filter(|count| **count > 0)
                {
                    *count -= 1;
                    if *count == 0 {
                        ends.push((index.node(parent).offset, parent));
                    }
                }
            });
        }
    }

    /// Leaves out the branch that contains a link, up to the point where it left the conversation.
    fn leave_out(&mut self, id: Id, mut gone: impl FnMut(Id)) {
        let mut branch = Vec::new();
        let mut at = Some(id);
        while let Some(id) = at.filter(|id| self.is_competing(*id) && !self.left_out[*id as usize])
        {
            self.remove(id, &mut branch, &mut gone);
            at = self.above(id);
        }
        while let Some(id) = branch.pop() {
            let mut below = self.first[id as usize];
            while below != NONE {
                if !self.left_out[below as usize] {
                    self.remove(below, &mut branch, &mut gone);
                }
                below = self.next[below as usize];
            }
        }
    }

    fn remove(&mut self, id: Id, branch: &mut Vec<Id>, gone: &mut impl FnMut(Id)) {
        if self.is_part(id) {
            gone(id);
        }
        self.left_out[id as usize] = true;
        branch.push(id);
    }
}
