//! The conversation of a transcript: which of its lines it contains, and in which order.
//!
//! A transcript is a tree: each link names its parent. The first reading of the file stores a few bytes for each link
//! ([`Index`]). The chain of the conversation is computed from them in linear time and without recursion. Only the
//! lines that are shown are read again.

use std::io;

mod branches;
mod by_time;
mod host;
mod index;
mod kind;
mod leaf;
mod line;
mod message;
mod names;
mod parallel;
mod queued;
mod relink;
mod rewound;
mod role;
mod trailing;
mod walk;

pub(crate) use branches::competing_lines;
pub(crate) use by_time::ByTime;
pub(crate) use host::strings;
pub(crate) use index::{Index, Kind, Mode};
pub(crate) use message::NO_ANSWER;
pub(crate) use rewound::{Left, rewound};
pub(crate) use role::Role;

use line::{LineClass, parse};
use names::NONE;
use role::Piece;
use walk::{Extent, walk};

/// Where a piece of the conversation comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    /// A link of the transcript.
    Link(u32),
    /// A line that is not in the file, because claw made it. The number is its index in [`Conversation::rows`].
    Row(usize),
}

/// A conversation as the CLI would resume it. The first piece comes first.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) pieces: Vec<(Source, Role)>,
    /// The tool uses that the host made, as lines of a transcript.
    pub(crate) rows: Vec<Vec<u8>>,
}

/// A function that reads the line with this offset and this length. It returns `None` if the file was truncated.
pub(crate) type Read<'a> = dyn FnMut(u64, u32) -> io::Result<Option<Vec<u8>>> + 'a;

/// Returns the conversation of a session or of a sub-agent: the chain that leads to the last message in its file.
pub(crate) fn conversation(
    index: &Index,
    is_subagent: bool,
    read: &mut Read<'_>,
) -> io::Result<Conversation> {
    let (parents, leaf) = if is_subagent {
        let parent = |node: &index::Node| index.id(node.parent).unwrap_or(NONE);
        let message = |id: &u32| index.kind(*id).is_message();
        // The last message in the file ends the conversation. Of a line that was written several times, the last copy
        // counts.
        let leaf = index
            .ids()
            .filter(message)
            .max_by_key(|id| index.place(*id).0);
        (index.nodes.iter().map(parent).collect(), leaf)
    } else {
        let parents = relink::parents(index);
        let leaf = leaf::leaf(index, &parents);
        (parents, leaf)
    };
    let Some(leaf) = leaf else {
        return Ok(Conversation::default());
    };
    let extent = if is_subagent {
        Extent::Linked
    } else {
        Extent::Resumed
    };
    let mut chain = walk(index, &parents, leaf, extent);
    let mut behind = Vec::new();
    if !is_subagent {
        chain = parallel::restore_parallel(index, &parents, chain);
        behind = trailing::trailing(index, &parents, &chain, leaf);
    }
    if index.is_plain() {
        let pieces = chain.into_iter();
        let pieces = pieces.map(|id| (Source::Link(id), Role::Itself)).collect();
        let rows = Vec::new();
        return Ok(Conversation { pieces, rows });
    }
    let chain = host::with_virtual(index, &parents, chain);
    let (mut sources, rows) = host::with_rows(index, chain, read)?;
    let trailing = sources.len();
    sources.extend(behind.into_iter().map(Source::Link));
    let names = index.names_of_links();
    let piece = |source: &Source| match *source {
        Source::Link(id) => Piece::of(index, &names, &parents, id),
        Source::Row(row) => match parse(&rows[row]) {
            Some(LineClass::Link(link)) => Piece {
                kind: link.kind,
                flags: link.flags,
                has_parent: false,
                name: link.uuid.map_or(NONE, |uuid| index.name(&uuid)),
                queued: None,
            },
            _ => unreachable!("rows are made as links"),
        },
    };
    let pieces: Vec<_> = sources.iter().map(piece).collect();
    let roles = role::roles(index, &pieces, trailing, is_subagent);
    let pieces = sources.into_iter().zip(roles).collect();
    Ok(Conversation { pieces, rows })
}
