//! Tool uses that ran in parallel.
//!
//! An answer with several tool uses consists of several consecutive lines, and each result is a child of its own tool
//! use. The tree branches there, and a walk from the end sees only one branch. This module adds the other branches.

use super::index::{Id, Index, Kind, Node, flag};
use super::names::{NONE, Name};

/// Adds the other lines of the chain's answers, and their results.
pub(super) fn restore_parallel(index: &Index, parents: &[Id], chain: Vec<Id>) -> Vec<Id> {
    let mut anchor = vec![NONE; index.names()];
    for id in &chain {
        let message = index.node(*id).message;
        if message != NONE {
            anchor[message as usize] = *id;
        }
    }
    let mut answers = Answers::new(index, parents, &chain);
    // The answers are in the order in which they begin on the chain. The added lines of an answer follow the last line
    // that the answer has on the chain.
    let mut back: Vec<(Id, Vec<Id>)> = Vec::new();
    for id in &chain {
        let message = index.node(*id).message;
        if message != NONE && !std::mem::replace(&mut answers.is_done[message as usize], true) {
            let others = answers.others(message);
            if !others.is_empty() {
                back.push((anchor[message as usize], others));
            }
        }
    }
    if back.is_empty() {
        return chain;
    }
    let mut behind = vec![NONE; index.nodes.len()];
    for (at, (anchor, _)) in back.iter().enumerate() {
        behind[*anchor as usize] = u32::try_from(at).unwrap_or(NONE);
    }
    let mut whole = Vec::with_capacity(index.nodes.len());
    for id in chain {
        whole.push(id);
        if let Some((_, others)) = back.get(behind[id as usize] as usize) {
            whole.extend(others);
        }
    }
    whole
}

/// Groups links by a key without an allocation for each key. Within a key, the links are in the order of the file.
struct ByKey(Vec<(u32, Id)>);

impl ByKey {
    fn new(mut pairs: Vec<(u32, Id)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        Self(pairs)
    }

    fn of(&self, key: u32) -> impl Iterator<Item = Id> {
        let start = self.0.partition_point(|(other, _)| *other < key);
        let rest = &self.0[start..];
        rest.iter()
            .take_while(move |(other, _)| *other == key)
            .map(|(_, id)| *id)
    }
}

/// The lines and results of all answers.
struct Answers<'a> {
    index: &'a Index,
    parents: &'a [Id],
    is_done: Vec<bool>,
    /// Whether a link is on the chain or was added.
    is_taken: Vec<bool>,
    /// The lines of each answer.
    lines: ByKey,
    /// The results that are related to each line of an answer.
    results: ByKey,
    owners: Vec<Id>,
    /// For each tool use, whether its result is on the chain.
    is_answered: Vec<bool>,
    /// For each tool use, the answer for which its result was found.
    found_by: Vec<Name>,
    /// For each link, the answer for which it was examined.
    seen_by: Vec<Name>,
}

impl<'a> Answers<'a> {
    fn new(index: &'a Index, parents: &'a [Id], chain: &[Id]) -> Self {
        let (names, count) = (index.names(), index.nodes.len());
        let mut is_taken = vec![false; count];
        let mut is_answered = vec![false; names];
        for id in chain {
            is_taken[*id as usize] = true;
            if index.node(*id).kind == Kind::User {
                for call in index.calls(*id) {
                    is_answered[*call as usize] = true;
                }
            }
        }
        let lines = index.ids().map(|id| (index.node(id).message, id));
        let lines = lines.filter(|(message, _)| *message != NONE).collect();
        let owners = owners(index);
        let results = ByKey::new(results(index, parents, &owners));
        Self {
            index,
            parents,
            is_done: vec![false; names],
            is_taken,
            lines: ByKey::new(lines),
            results,
            owners,
            is_answered,
            found_by: vec![NONE; names],
            seen_by: vec![NONE; count],
        }
    }

    /// Returns the parts of an answer that are not on the chain: its lines, then their results.
    fn others(&mut self, message: Name) -> Vec<Id> {
        let index = self.index;
        let mut back: Vec<Id> = self
            .lines
            .of(message)
            .filter(|id| !self.is_taken[*id as usize])
            .collect();
        back.sort_by_key(|id| index.node(*id).time);
        let lines = back.len();
        let mut strays = Vec::new();
        for line in self.lines.of(message) {
            for result in self.results.of(line) {
                let is_new =
                    std::mem::replace(&mut self.seen_by[result as usize], message) != message;
                if self.is_taken[result as usize] || !is_new {
                    continue;
                }
                let parent = self.parents[result as usize];
                if parent != NONE && index.node(parent).message == message {
                    back.push(result);
                } else {
                    strays.push(result);
                }
            }
        }
        for result in &back[lines..] {
            for call in index.calls(*result) {
                self.found_by[*call as usize] = message;
            }
        }
        strays.sort_unstable();
        for stray in strays {
            let is_open = index.calls(stray).iter().any(|call| {
                let owner = self.owners[*call as usize];
                let is_found =
                    self.is_answered[*call as usize] || self.found_by[*call as usize] == message;
                !is_found && owner < MANY && index.node(owner).message == message
            });
            if is_open {
                for call in index.calls(stray) {
                    self.found_by[*call as usize] = message;
                }
                back.push(stray);
            }
        }
        back[lines..].sort_by_key(|id| index.node(*id).time);
        for id in &back {
            self.is_taken[*id as usize] = true;
        }
        back
    }
}

/// Returns the results with their related lines: the parent, the line that the result names as its source, and the
/// lines that make the tool uses.
fn results(index: &Index, parents: &[Id], owners: &[Id]) -> Vec<(Id, Id)> {
    let mut results = Vec::new();
    for id in index.ids() {
        let node = index.node(id);
        if !node.is(flag::RESULT) || node.parent == NONE {
            continue;
        }
        let parent = parents[id as usize];
        if parent != NONE {
            results.push((parent, id));
        }
        let by_call = index.calls(id).iter().map(|call| owners[*call as usize]);
        let source = index.id(node.source).filter(|source| *source != parent);
        let fits = |owner: &Id| *owner < MANY && is_same_group(index.node(*owner), node);
        results.extend(by_call.chain(source).filter(fits).map(|owner| (owner, id)));
    }
    results
}

/// Stands for the owner of a tool use that several answers contain, so that no single line is its owner.
const MANY: Id = NONE - 1;

/// Returns for each tool use the line that contains it, [`NONE`] or [`MANY`].
fn owners(index: &Index) -> Vec<Id> {
    let mut owners = vec![NONE; index.names()];
    for id in index.ids() {
        let node = index.node(id);
        if node.kind != Kind::Assistant || node.message == NONE {
            continue;
        }
        for call in index.calls(id) {
            let owner = &mut owners[*call as usize];
            *owner = match *owner {
                NONE => id,
                MANY => MANY,
                known if index.node(known).message == node.message => known,
                _ => MANY,
            };
        }
    }
    owners
}

fn is_same_group(a: &Node, b: &Node) -> bool {
    a.agent == b.agent && a.is(flag::SIDECHAIN) == b.is(flag::SIDECHAIN)
}
