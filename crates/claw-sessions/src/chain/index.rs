//! The data about each line of a transcript that the chain needs, a few bytes for each line.

use std::io::{self, Read};

pub(crate) use super::kind::Kind;
pub(super) use super::kind::flag;
use super::line::{LineClass, Link, parse};
use super::names::{NONE, Name, Names};
use super::queued::{Deliveries, Queued};
use crate::lines::{LONGEST, Line, Lines};
use crate::members::is_json;

/// A link, by its index in [`Index::nodes`].
pub(super) type Id = u32;

/// What the chain needs to know about a link, which is a line that names its parent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) offset: u64,
    /// The time of the line, in milliseconds since 1970.
    pub(super) time: i64,
    pub(super) length: u32,
    pub(super) parent: Name,
    /// The line after which this line is shown, if this line begins a new chain.
    pub(super) logical: Name,
    /// The ID of the answer to which the line belongs.
    pub(super) message: Name,
    /// The line with the tool use that this line answers.
    pub(super) source: Name,
    pub(super) agent: Name,
    /// The tool uses that the line makes or answers, as a range of [`Index::calls`].
    pub(super) calls: (u32, u32),
    /// For a compaction that kept lines, the index in [`Index::kept`]. Otherwise [`NONE`].
    pub(super) kept: u32,
    /// For a queued prompt, the index in [`Index::queued`]. Otherwise [`NONE`].
    pub(super) queued: u32,
    pub(super) kind: Kind,
    pub(super) flags: u16,
}

impl Node {
    pub(super) fn is(&self, flags: u16) -> bool {
        self.flags & flags != 0
    }
}

/// The lines that a compaction kept, and the line after which they now follow.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) anchor: Name,
    /// The names of the kept lines, in order.
    pub(super) messages: Vec<Name>,
    /// Whether only the first and the last line are named. The lines between them keep their parents.
    pub(super) is_segment: bool,
}

/// The links of a transcript.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(super) nodes: Vec<Node>,
    /// The IDs of the tool uses that links make or answer, in one list.
    pub(super) calls: Vec<Name>,
    pub(super) kept: Vec<Kept>,
    pub(super) queued: Vec<Queued>,
    pub(super) deliveries: Deliveries,
    /// The offset and the length of each line with a tool use that the host made and the model does not see.
    pub(super) host_rows: Vec<(u64, u32)>,
    /// Whether a link comes from the host.
    pub(crate) has_host: bool,
    /// Whether a link announces a local command.
    has_caveat: bool,
    /// For each name, the link with this name.
    pub(super) of_name: Vec<Id>,
    pub(super) names: Names,
    /// The lines that are not JSON objects: the number of the first one, and their count.
    pub(crate) broken: Option<(u64, u64)>,
}

/// The way in which a transcript is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mode {
    /// Whether each line is fully parsed as JSON.
    pub(crate) is_strict: bool,
    /// Whether the lines before a compaction that kept nothing are skipped.
    pub(crate) skips_compacted: bool,
    /// Whether only the lines of sub-agents' conversations are read.
    pub(crate) is_subagent: bool,
}

impl Index {
    /// Reads all lines once.
    pub(crate) fn read(reader: impl Read, mode: Mode) -> io::Result<Self> {
        let mut index = Self::default();
        let mut lines = Lines::new(reader, LONGEST);
        while let Some(line) = lines.next()? {
            let (number, is_begun) = (line.number, line.text.is_some() && !line.is_ended);
            // A last line without a line end is still being written, so it does not count as
            // broken.
            if !index.take(&line, mode) && !lines.split() && !is_begun {
                let broken = index.broken.get_or_insert((number, 0));
                broken.1 += 1;
            }
        }
        index.of_name.resize(index.names.count(), NONE);
        Ok(index)
    }

    /// Adds a line. Returns `false` if the line is not a record.
    fn take(&mut self, line: &Line<'_>, mode: Mode) -> bool {
        let text = line.text.unwrap_or_default();
        let is_fine = !mode.is_strict || text.trim_ascii().is_empty() || is_json(text);
        match parse(text).filter(|_| is_fine && line.text.is_some()) {
            Some(LineClass::Link(parsed)) => {
                if mode.skips_compacted && parsed.is_boundary && parsed.kept.is_none() {
                    self.forget();
                }
                self.add(&parsed, line.offset, line.length, mode);
            }
            Some(LineClass::Absorbed { delivery, source }) => {
                self.deliveries.absorbed(&mut self.names, delivery, source);
            }
            Some(LineClass::HostRow) => {
                let length = u32::try_from(line.length).unwrap_or(NONE);
                self.host_rows.push((line.offset, length));
            }
            Some(LineClass::Other) => {}
            None => return false,
        }
        true
    }

    /// Removes all links. The count of broken lines stays.
    fn forget(&mut self) {
        *self = Self {
            broken: self.broken,
            ..Self::default()
        };
    }

    fn add(&mut self, link: &Link<'_>, offset: u64, length: u64, mode: Mode) {
        let is_indexed = match link.kind {
            Kind::User | Kind::Assistant | Kind::Attachment => true,
            Kind::System | Kind::Progress => !mode.is_subagent,
        };
        let (Some(uuid), Ok(length), true) = (&link.uuid, u32::try_from(length), is_indexed) else {
            return;
        };
        let names = &mut self.names;
        let mut number = |name: &Option<std::borrow::Cow<'_, [u8]>>| {
            let name = name.as_ref().filter(|name| !name.is_empty());
            name.map_or(NONE, |name| names.number(name))
        };
        let mut node = Node {
            offset,
            length,
            time: link.time,
            parent: number(&link.parent),
            logical: number(&link.logical),
            message: number(&link.message),
            source: number(&link.source),
            agent: number(&link.agent),
            calls: (position(self.calls.len()), 0),
            kept: NONE,
            queued: NONE,
            kind: link.kind,
            flags: link.flags,
        };
        let uuid = self.names.number(uuid);
        for call in &link.calls {
            if call.is_result == (link.kind == Kind::User) {
                self.calls.push(self.names.number(&call.id));
            }
        }
        node.calls.1 = position(self.calls.len());
        if let Some(kept) = &link.kept {
            node.kept = position(self.kept.len());
            let messages = kept.messages.iter().map(|name| self.names.number(name));
            self.kept.push(Kept {
                messages: messages.collect(),
                anchor: self.names.number(&kept.anchor),
                is_segment: kept.is_segment,
            });
        }
        if let Some(prompt) = &link.queued {
            let queued = Queued::new(prompt, &mut self.names);
            self.deliveries.copied(uuid, &queued);
            node.queued = position(self.queued.len());
            self.queued.push(queued);
        }
        self.has_caveat |= node.is(flag::CAVEAT);
        self.has_host |= node.is(flag::HOST);
        if self.of_name.len() <= uuid as usize {
            self.of_name.resize(self.names.count(), NONE);
        }
        let known = self.of_name[uuid as usize];
        if known == NONE {
            self.of_name[uuid as usize] = position(self.nodes.len());
            self.nodes.push(node);
        } else {
            // The line was written again. It keeps its index and gets the new contents.
            self.nodes[known as usize] = node;
        }
    }

    /// Returns the link with this name.
    pub(super) fn id(&self, name: Name) -> Option<Id> {
        let id = *self.of_name.get(name as usize)?;
        (id != NONE).then_some(id)
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn calls(&self, id: Id) -> &[Name] {
        let (from, to) = self.node(id).calls;
        &self.calls[from as usize..to as usize]
    }

    /// Returns the queued prompt of a link.
    pub(super) fn queued(&self, id: Id) -> Option<&Queued> {
        self.queued.get(self.node(id).queued as usize)
    }

    pub(super) fn names(&self) -> usize {
        self.names.count()
    }

    /// Whether there are no queued prompts, no local commands and no tool uses of a host, so that each link is shown
    /// unchanged.
    pub(super) fn is_plain(&self) -> bool {
        self.queued.is_empty() && !self.has_host && !self.has_caveat
    }

    /// Returns the name of each link.
    pub(super) fn names_of_links(&self) -> Vec<Name> {
        let mut names = vec![NONE; self.nodes.len()];
        for (name, id) in self.of_name.iter().enumerate() {
            if let Some(of) = names.get_mut(*id as usize) {
                *of = position(name);
            }
        }
        names
    }

    /// Returns the number of a name, or [`NONE`].
    pub(super) fn name(&self, name: &[u8]) -> Name {
        self.names.get(name).unwrap_or(NONE)
    }

    /// Returns the value for a name in a list that is indexed by names. Returns `None` for the value [`NONE`].
    pub(crate) fn value_of(&self, values: &[u32], name: &[u8]) -> Option<u32> {
        let value = *values.get(self.names.get(name)? as usize)?;
        (value != NONE).then_some(value)
    }

    pub(super) fn ids(&self) -> std::ops::Range<Id> {
        0..position(self.nodes.len())
    }

    /// Returns the offset and the length of a link's line.
    pub(crate) fn place(&self, id: u32) -> (u64, u32) {
        let node = self.node(id);
        (node.offset, node.length)
    }

    /// Whether a link is shown, provided that the conversation shows links of its kind.
    pub(crate) fn is_shown(&self, id: u32) -> bool {
        !self
            .node(id)
            .is(flag::HIDDEN | flag::SIDECHAIN | flag::TEAM)
    }

    /// Whether a queued prompt belongs to this conversation, and not to that of a sub-agent or a team.
    pub(crate) fn is_in_conversation(&self, id: u32) -> bool {
        !self.node(id).is(flag::SIDECHAIN | flag::TEAM)
    }

    pub(crate) fn kind(&self, id: u32) -> Kind {
        self.node(id).kind
    }
}

/// Converts an array index. In a transcript with more than about four thousand million links, the links after this
/// number are not read.
fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}
