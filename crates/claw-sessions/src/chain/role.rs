//! The role of each link of a conversation.

use super::index::{Id, Index, Kind, flag};
use super::names::{NONE, Name};
use super::queued::Queued;

/// The role in which a link is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The message of the line itself.
    Itself,
    /// A part of a local command that has ended.
    LocalCommand,
    /// A prompt that was queued and then taken from the queue during a turn. The message has the ID that the prompt had
    /// in the queue, or else the ID of the line.
    Queued { has_source: bool },
}

/// The properties of a piece of the conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    pub(super) flags: u16,
    pub(super) has_parent: bool,
    /// The name of the piece itself.
    pub(super) name: Name,
    pub(super) queued: Option<Queued>,
}

impl Piece {
    pub(super) fn of(index: &Index, names: &[Name], parents: &[Id], id: Id) -> Self {
        let node = index.node(id);
        Self {
            kind: node.kind,
            flags: node.flags,
            has_parent: node.parent != NONE || parents[id as usize] != NONE,
            name: names[id as usize],
            queued: index.queued(id).copied(),
        }
    }

    fn is(&self, flags: u16) -> bool {
        self.flags & flags != 0
    }
}

/// Returns the role of each piece. Pieces from the index `trailing` on come after the end of the conversation. A
/// sub-agent's prompts are shown although no person typed them. For the session's own prompts, `index` contains which
/// of them were taken from the queue.
pub(super) fn roles(
    index: &Index,
    pieces: &[Piece],
    trailing: usize,
    is_subagent: bool,
) -> Vec<Role> {
    let is_local = local_commands(pieces);
    let mut roles: Vec<Role> = is_local
        .iter()
        .map(|is| {
            if *is {
                Role::LocalCommand
            } else {
                Role::Itself
            }
        })
        .collect();
    if pieces.iter().all(|piece| piece.queued.is_none()) {
        return roles;
    }
    let is_answered = before_an_answer(pieces, &is_local);
    let mut taken_up = vec![None; pieces.len()];
    if !is_subagent {
        let prompt = |(at, piece): (usize, &Piece)| Some((at, (piece.name, piece.queued?)));
        let prompts = pieces.iter().enumerate().filter_map(prompt);
        let (places, prompts): (Vec<_>, Vec<_>) = prompts.unzip();
        let states = index.deliveries.taken_up(&prompts);
        for (at, is) in places.into_iter().zip(states) {
            taken_up[at] = is;
        }
    }
    let mut is_taken = vec![false; index.names()];
    for piece in pieces.iter().filter(|piece| piece.name != NONE) {
        is_taken[piece.name as usize] = true;
    }
    for (at, piece) in pieces.iter().enumerate() {
        let Some(queued) = piece.queued else { continue };
        let is_taken_up = taken_up[at].unwrap_or(is_answered[at] || at >= trailing);
        let is_hidden = queued.is_hidden && !is_subagent;
        if !is_taken_up || is_hidden || !queued.is_message || is_local[at] {
            continue;
        }
        let source = queued.source;
        let has_source = source != NONE && source != piece.name;
        if has_source && std::mem::replace(&mut is_taken[source as usize], true) {
            continue;
        }
        roles[at] = Role::Queued { has_source };
    }
    roles
}

/// Returns which pieces the model has answered: an answer, a result or an interruption follows before any further
/// prompt.
fn before_an_answer(pieces: &[Piece], is_local: &[bool]) -> Vec<bool> {
    let mut is_answered = vec![false; pieces.len()];
    let mut is_answer = false;
    for (at, piece) in pieces.iter().enumerate().rev() {
        is_answered[at] = is_answer;
        let is_user = piece.kind == Kind::User;
        let is_result = is_user && piece.is(flag::RESULT) && piece.has_parent;
        if piece.kind == Kind::Assistant || is_result || is_user && piece.is(flag::STOPPED) {
            is_answer = true;
        } else if is_user && !piece.is(flag::META | flag::SUMMARY) && !is_local[at] {
            is_answer = false;
        }
    }
    is_answered
}

/// Returns which pieces are the record or the output of a local command that was announced before.
fn local_commands(pieces: &[Piece]) -> Vec<bool> {
    let mut is_local = vec![false; pieces.len()];
    // Whether a command was announced that has no record yet, and whether the last record may be followed by output.
    let (mut is_announced, mut is_recorded) = (false, false);
    for (at, piece) in pieces.iter().enumerate() {
        match piece.kind {
            Kind::Assistant => (is_announced, is_recorded) = (false, false),
            Kind::User if piece.is(flag::META) => is_announced |= piece.is(flag::CAVEAT),
            Kind::User => {
                let is_record = is_announced && piece.is(flag::RECORD);
                let is_output = is_recorded && piece.is(flag::OUTPUT);
                is_local[at] = is_record || is_output;
                (is_announced, is_recorded) = (false, is_record || is_output);
            }
            _ => {}
        }
    }
    is_local
}
