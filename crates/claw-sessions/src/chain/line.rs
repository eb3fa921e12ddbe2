//! Parses the members of a line that the chain needs.

use std::borrow::Cow;

use super::kind::{Kind, flag};
use super::message::{Call, Message, member, parse_message};
use super::queued::{QueuedAttachment, SHOWN_ORIGINS, parse_attachment};
use crate::cursor::Cursor;

/// The kind of a line.
#[expect(
    clippy::large_enum_variant,
    reason = "taken apart at once, and never kept"
)]
pub(super) enum LineClass<'a> {
    Link(Link<'a>),
    /// A note that the CLI took a prompt from the queue during a turn.
    Absorbed {
        delivery: Option<Cow<'a, [u8]>>,
        source: Option<Cow<'a, [u8]>>,
    },
    /// A tool use that the host made, or its result.
    HostRow,
    /// A note, or a blank line.
    Other,
}

/// A link, as its line describes it.
#[derive(Debug)]
pub(super) struct Link<'a> {
    pub(super) kind: Kind,
    pub(super) flags: u16,
    pub(super) uuid: Option<Cow<'a, [u8]>>,
    pub(super) parent: Option<Cow<'a, [u8]>>,
    /// The line after which this line is shown, if this line begins a new chain.
    pub(super) logical: Option<Cow<'a, [u8]>>,
    pub(super) message: Option<Cow<'a, [u8]>>,
    pub(super) source: Option<Cow<'a, [u8]>>,
    pub(super) agent: Option<Cow<'a, [u8]>>,
    pub(super) time: i64,
    pub(super) calls: Vec<Call<'a>>,
    pub(super) is_boundary: bool,
    pub(super) kept: Option<Kept<'a>>,
    pub(super) queued: Option<QueuedAttachment<'a>>,
}

/// The lines that a compaction kept.
#[derive(Debug, Default)]
pub(super) struct Kept<'a> {
    pub(super) anchor: Cow<'a, [u8]>,
    pub(super) messages: Vec<Cow<'a, [u8]>>,
    pub(super) is_segment: bool,
}

/// Parses a line. Returns `None` if the line is not a JSON object.
pub(super) fn parse(text: &[u8]) -> Option<LineClass<'_>> {
    if text.trim_ascii().is_empty() {
        return Some(LineClass::Other);
    }
    let mut cursor = Cursor::new(text);
    let mut kind = None;
    let mut link = Link {
        kind: Kind::Progress,
        flags: 0,
        uuid: None,
        parent: None,
        logical: None,
        message: None,
        source: None,
        agent: None,
        time: i64::MIN,
        calls: Vec::new(),
        is_boundary: false,
        kept: None,
        queued: None,
    };
    let mut message = Message::default();
    let (mut origin, mut is_quiet, mut is_meta) = (None, false, false);
    let mut compacted = None;
    let (mut has_source, mut row) = (false, false);
    let mut note = Note::default();
    cursor.object(|key, cursor| {
        let flags = &mut link.flags;
        let mut set =
            |bit: u16, is_set: bool| *flags = *flags & !bit | if is_set { bit } else { 0 };
        match key {
            b"type" => kind = cursor.text()?,
            b"uuid" => link.uuid = cursor.text()?,
            b"parentUuid" => {
                link.parent = cursor.text()?;
                set(flag::ROOT, link.parent.is_none());
            }
            b"logicalParentUuid" => link.logical = cursor.text()?,
            b"isSidechain" => set(flag::SIDECHAIN, cursor.is_truthy()?),
            b"teamName" => set(flag::TEAM, cursor.is_truthy()?),
            b"isMeta" => is_meta = cursor.is_truthy()?,
            b"isCompactSummary" => set(flag::SUMMARY, cursor.is_truthy()?),
            b"isVirtual" => set(flag::VIRTUAL, cursor.value()? == b"true"),
            b"promptSource" => {
                has_source = true;
                cursor.skip()?;
            }
            b"hostHiddenToolUseIds" => {
                set(flag::HOST, cursor.is_array());
                cursor.skip()?;
            }
            b"ranByToolUseId" => {
                row = cursor.is_string();
                cursor.skip()?;
            }
            b"operation" => note.operation = cursor.text()?,
            b"reason" => note.reason = cursor.text()?,
            b"deliveryId" => note.delivery = cursor.text()?,
            b"commandUuid" => note.source = cursor.text()?,
            b"closesQuietTurn" => is_quiet = cursor.is_truthy()?,
            b"timestamp" => {
                link.time = cursor
                    .text()?
                    .map_or(i64::MIN, |time| crate::time::millis(&time));
            }
            b"sourceToolAssistantUUID" => link.source = cursor.text()?,
            b"agentId" => link.agent = cursor.text()?,
            b"subtype" => {
                link.is_boundary = cursor.text()?.as_deref() == Some(b"compact_boundary");
            }
            b"compactMetadata" => compacted = Some(cursor.value()?),
            b"origin" => origin = member(cursor, b"kind")?,
            b"attachment" => {
                let (kind, queued) = parse_attachment(cursor)?;
                set(flag::BRIEFING, kind.as_deref() == Some(b"fork_briefing"));
                link.queued = queued;
            }
            b"message" => {
                message = parse_message(cursor)?;
            }
            _ => cursor.skip()?,
        }
        Some(())
    })?;
    if !cursor.is_at_end() {
        return None;
    }
    let kind = kind.as_deref().unwrap_or_default();
    let Some(kind) = Kind::of(kind) else {
        return Some(match kind {
            b"queue-operation" => note.into_class(),
            b"host-row" if row => LineClass::HostRow,
            _ => LineClass::Other,
        });
    };
    link.kind = kind;
    link.is_boundary &= kind == Kind::System;
    if link.is_boundary {
        link.flags |= flag::BOUNDARY;
    }
    link.kept = compacted.filter(|_| link.is_boundary).and_then(kept);
    link.calls = message.calls;
    link.message = message.id.filter(|_| kind == Kind::Assistant);
    link.queued = link.queued.filter(|_| kind == Kind::Attachment);
    let is_host = kind == Kind::Assistant && (row || link.flags & flag::HOST != 0);
    link.flags &= !flag::HOST;
    if is_host {
        link.flags |= flag::HOST;
    }
    if kind == Kind::User {
        if message.has_result {
            link.flags |= flag::RESULT;
        }
        link.flags |= message.text_flags & if has_source { flag::STOPPED } else { u16::MAX };
    }
    if is_meta {
        link.flags |= flag::META;
    }
    let is_shown_origin = origin.is_some_and(|origin| SHOWN_ORIGINS.contains(&&*origin));
    let is_empty_text = message.blocks == 1 && message.has_empty_text;
    if is_meta && !is_shown_origin || is_quiet && kind == Kind::Assistant && is_empty_text {
        link.flags |= flag::HIDDEN;
    }
    Some(LineClass::Link(link))
}

/// The members of a note about the queue of prompts.
#[derive(Default)]
struct Note<'a> {
    operation: Option<Cow<'a, [u8]>>,
    reason: Option<Cow<'a, [u8]>>,
    delivery: Option<Cow<'a, [u8]>>,
    source: Option<Cow<'a, [u8]>>,
}

impl<'a> Note<'a> {
    fn into_class(self) -> LineClass<'a> {
        let is_taken = self.operation.as_deref() == Some(b"remove")
            && self.reason.as_deref() == Some(b"absorbed_mid_turn");
        if !is_taken {
            return LineClass::Other;
        }
        LineClass::Absorbed {
            delivery: self.delivery.filter(|id| !id.is_empty()),
            source: self.source,
        }
    }
}

/// Returns the lines that a compaction kept, or `None` if it kept nothing.
fn kept(text: &[u8]) -> Option<Kept<'_>> {
    let (mut messages, mut segment) = (None, None);
    Cursor::new(text).object(|key, cursor| {
        match key {
            b"preservedMessages" => messages = preserved(cursor, false)?,
            b"preservedSegment" => segment = preserved(cursor, true)?,
            _ => cursor.skip()?,
        }
        Some(())
    })?;
    messages.or(segment)
}

#[expect(
    clippy::option_option,
    reason = "the outer is whether the line can be read, the inner whether it has the value"
)]
fn preserved<'a>(cursor: &mut Cursor<'a>, is_segment: bool) -> Option<Option<Kept<'a>>> {
    if !cursor.is_object() {
        cursor.skip()?;
        return Some(None);
    }
    let (mut anchor, mut all, mut head, mut tail) = (None, Vec::new(), None, None);
    cursor.object(|key, cursor| {
        match key {
            b"anchorUuid" => anchor = cursor.text()?,
            b"headUuid" => head = cursor.text()?,
            b"tailUuid" => tail = cursor.text()?,
            b"uuids" if cursor.is_array() => cursor.array(|cursor| {
                all.extend(cursor.text()?);
                Some(())
            })?,
            _ => cursor.skip()?,
        }
        Some(())
    })?;
    if is_segment {
        // If the segment does not name its last line, an empty name stands for it. No link has this name. So the
        // children of the anchor get a parent that does not exist.
        all = vec![head.unwrap_or_default(), tail.unwrap_or_default()];
    }
    Some(anchor.map(|anchor| Kept {
        anchor,
        messages: all,
        is_segment,
    }))
}
