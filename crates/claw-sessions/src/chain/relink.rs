//! Moves the lines that a compaction kept to the place after its summary.

use super::index::{Id, Index, Kept, Node};
use super::names::{NONE, Name};

/// The children of each name, as sets: each link is in a set, and a set has one parent. All children of a name can
/// therefore be moved in one step, however many they are.
struct Sets {
    /// For each link, the set to which it was added last.
    of: Vec<u32>,
    /// For each set, the set into which it was merged, or the set itself.
    into: Vec<u32>,
    /// For each set, the parent of its links. The parent need not be the name of a link.
    below: Vec<Name>,
    /// For each name, the set of its children.
    under: Vec<u32>,
}

impl Sets {
    fn new(index: &Index) -> Self {
        let mut sets = Self {
            of: Vec::with_capacity(index.nodes.len()),
            into: Vec::new(),
            below: Vec::new(),
            under: vec![NONE; index.names()],
        };
        for node in &index.nodes {
            let set = match node.parent {
                NONE => NONE,
                parent => sets.under(parent),
            };
            sets.of.push(set);
        }
        sets
    }

    /// Returns the set of a name's children. Creates the set if necessary.
    fn under(&mut self, parent: Name) -> u32 {
        let known = self.under[parent as usize];
        if known != NONE {
            return self.root(known);
        }
        let new = u32::try_from(self.into.len()).unwrap_or(NONE);
        self.into.push(new);
        self.below.push(parent);
        self.under[parent as usize] = new;
        new
    }

    fn root(&mut self, mut set: u32) -> u32 {
        while self.into[set as usize] != set {
            // Shortens the path, so that the next search takes fewer steps.
            let above = self.into[self.into[set as usize] as usize];
            self.into[set as usize] = above;
            set = above;
        }
        set
    }

    /// Makes a link the child of a name.
    fn put(&mut self, link: Id, parent: Name) {
        self.of[link as usize] = self.under(parent);
    }

    /// Makes all children of the name `from` children of the name `to`.
    fn move_all(&mut self, from: Name, to: Name) {
        if self.under[from as usize] == NONE || from == to {
            return;
        }
        let (moved, there) = (self.under(from), self.under(to));
        self.into[moved as usize] = there;
        self.under[from as usize] = NONE;
    }

    fn is_below(&mut self, link: Id, parent: Name) -> bool {
        let set = self.of[link as usize];
        set != NONE && {
            let root = self.root(set);
            self.below[root as usize] == parent
        }
    }

    fn parents(mut self, index: &Index) -> Vec<Id> {
        let mut parents = std::mem::take(&mut self.of);
        for set in &mut parents {
            if *set != NONE {
                let root = self.root(*set);
                *set = index.id(self.below[root as usize]).unwrap_or(NONE);
            }
        }
        parents
    }
}

/// Returns the parent of each link. [`NONE`] marks a beginning.
pub(super) fn parents(index: &Index) -> Vec<Id> {
    if index.kept.is_empty() {
        let parent = |node: &Node| index.id(node.parent).unwrap_or(NONE);
        return index.nodes.iter().map(parent).collect();
    }
    let mut sets = Sets::new(index);
    for node in index.nodes.iter().filter(|node| node.kept != NONE) {
        relink(index, &mut sets, &index.kept[node.kept as usize]);
    }
    sets.parents(index)
}

fn relink(index: &Index, sets: &mut Sets, kept: &Kept) -> Option<()> {
    let (first, last) = (*kept.messages.first()?, *kept.messages.last()?);
    let head = index.id(first);
    if !kept.is_segment {
        let ids: Option<Vec<Id>> = kept.messages.iter().map(|name| index.id(*name)).collect();
        let mut above = kept.anchor;
        for (id, name) in ids?.into_iter().zip(&kept.messages) {
            sets.put(id, above);
            above = *name;
        }
    }
    // The first kept line becomes the child of the anchor. All other children of the anchor become children of the last
    // kept line.
    if let Some(head) = head.filter(|head| kept.is_segment || sets.is_below(*head, kept.anchor)) {
        sets.of[head as usize] = NONE;
        sets.move_all(kept.anchor, last);
        sets.put(head, kept.anchor);
    } else {
        sets.move_all(kept.anchor, last);
    }
    Some(())
}
