//! What a line says that the chain needs to know.

use std::borrow::Cow;

use super::index::{Kind, flag};
use crate::cursor::Cursor;

/// A call that a line makes or answers.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) id: Cow<'a, [u8]>,
    pub(super) is_result: bool,
}

/// What the CLI writes where a quiet turn closes without an answer.
const NO_ANSWER: &[u8] = b"No response requested.";

/// What a line is.
#[expect(
    clippy::large_enum_variant,
    reason = "taken apart at once, and never kept"
)]
pub(super) enum Looked<'a> {
    Link(Link<'a>),
    /// A note, or a blank line.
    Other,
}

/// A link, as its line says.
#[derive(Debug)]
pub(super) struct Link<'a> {
    pub(super) kind: Kind,
    pub(super) flags: u8,
    pub(super) uuid: Option<Cow<'a, [u8]>>,
    pub(super) parent: Option<Cow<'a, [u8]>>,
    pub(super) message: Option<Cow<'a, [u8]>>,
    pub(super) source: Option<Cow<'a, [u8]>>,
    pub(super) agent: Option<Cow<'a, [u8]>>,
    pub(super) time: i64,
    pub(super) calls: Vec<Call<'a>>,
    pub(super) is_boundary: bool,
    pub(super) kept: Option<Kept<'a>>,
}

/// What a compaction kept.
#[derive(Debug, Default)]
pub(super) struct Kept<'a> {
    pub(super) anchor: Cow<'a, [u8]>,
    pub(super) messages: Vec<Cow<'a, [u8]>>,
    pub(super) is_segment: bool,
}

/// Origins whose lines are shown though the CLI wrote them for itself.
const SHOWN_ORIGINS: [&[u8]; 6] = [
    b"channel",
    b"observer",
    b"observer-activity",
    b"slack-ping",
    b"voice-call",
    b"peer",
];

/// What a message says, as far as the chain asks.
#[derive(Default)]
struct Message<'a> {
    id: Option<Cow<'a, [u8]>>,
    has_result: bool,
    calls: Vec<Call<'a>>,
    /// How many blocks it has, and whether one is a text that says nothing.
    blocks: usize,
    has_empty_text: bool,
}

/// `None` where the line is no JSON object.
pub(super) fn look(text: &[u8]) -> Option<Looked<'_>> {
    if text.trim_ascii().is_empty() {
        return Some(Looked::Other);
    }
    let mut cursor = Cursor::new(text);
    let mut kind = None;
    let mut link = Link {
        kind: Kind::Progress,
        flags: 0,
        uuid: None,
        parent: None,
        message: None,
        source: None,
        agent: None,
        time: i64::MIN,
        calls: Vec::new(),
        is_boundary: false,
        kept: None,
    };
    let mut message = Message::default();
    let (mut origin, mut is_quiet, mut is_meta) = (None, false, false);
    let mut compacted = None;
    cursor.object(|key, cursor| {
        let flags = &mut link.flags;
        let mut set = |bit: u8, is_set: bool| *flags = *flags & !bit | if is_set { bit } else { 0 };
        match key {
            b"type" => kind = cursor.text()?,
            b"uuid" => link.uuid = cursor.text()?,
            b"parentUuid" => link.parent = cursor.text()?,
            b"isSidechain" => set(flag::SIDECHAIN, cursor.is_truthy()?),
            b"teamName" => set(flag::TEAM, cursor.is_truthy()?),
            b"isMeta" => is_meta = cursor.is_truthy()?,
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
                let kind = member(cursor, b"type")?;
                set(flag::BRIEFING, kind.as_deref() == Some(b"fork_briefing"));
            }
            b"message" => {
                message = look_at_message(cursor)?;
            }
            _ => cursor.skip()?,
        }
        Some(())
    })?;
    if !cursor.is_at_end() {
        return None;
    }
    let Some(kind) = kind.as_deref().and_then(Kind::of) else {
        return Some(Looked::Other);
    };
    link.kind = kind;
    link.is_boundary &= kind == Kind::System;
    link.kept = compacted.filter(|_| link.is_boundary).and_then(kept);
    link.calls = message.calls;
    link.message = message.id.filter(|_| kind == Kind::Assistant);
    if kind == Kind::User && message.has_result {
        link.flags |= flag::RESULT;
    }
    if is_meta {
        link.flags |= flag::META;
    }
    let is_shown_origin = origin.is_some_and(|origin| SHOWN_ORIGINS.contains(&&*origin));
    let says_nothing = message.blocks == 1 && message.has_empty_text;
    if is_meta && !is_shown_origin || is_quiet && kind == Kind::Assistant && says_nothing {
        link.flags |= flag::HIDDEN;
    }
    Some(Looked::Link(link))
}

/// A text member of an object; behind any other value it goes as well.
#[expect(
    clippy::option_option,
    reason = "the outer is whether the line can be read, the inner whether it has the value"
)]
fn member<'a>(cursor: &mut Cursor<'a>, wanted: &[u8]) -> Option<Option<Cow<'a, [u8]>>> {
    let mut found = None;
    if !cursor.is_object() {
        cursor.skip()?;
        return Some(None);
    }
    cursor.object(|key, cursor| {
        if key == wanted {
            found = cursor.text()?;
            Some(())
        } else {
            cursor.skip()
        }
    })?;
    Some(found)
}

fn look_at_message<'a>(cursor: &mut Cursor<'a>) -> Option<Message<'a>> {
    let mut message = Message::default();
    if !cursor.is_object() {
        cursor.skip()?;
        return Some(message);
    }
    cursor.object(|key, cursor| {
        match key {
            b"id" => message.id = cursor.text()?,
            b"content" if cursor.is_array() => {
                cursor.array(|cursor| look_at_block(cursor, &mut message))?;
            }
            _ => cursor.skip()?,
        }
        Some(())
    })?;
    Some(message)
}

fn look_at_block<'a>(cursor: &mut Cursor<'a>, message: &mut Message<'a>) -> Option<()> {
    message.blocks += 1;
    if !cursor.is_object() {
        return cursor.skip();
    }
    let (mut kind, mut id, mut answers, mut is_empty) = (None, None, None, false);
    cursor.object(|key, cursor| {
        match key {
            b"type" => kind = cursor.text()?,
            b"id" => id = cursor.text()?,
            b"tool_use_id" => answers = cursor.text()?,
            b"text" => is_empty = is_no_answer(cursor.value()?),
            _ => cursor.skip()?,
        }
        Some(())
    })?;
    match kind.as_deref() {
        Some(b"tool_use") => message.calls.extend(id.map(|id| Call {
            id,
            is_result: false,
        })),
        Some(b"tool_result") => {
            message.has_result = true;
            message.calls.extend(answers.map(|id| Call {
                id,
                is_result: true,
            }));
        }
        Some(b"text") => message.has_empty_text |= is_empty,
        _ => {}
    }
    Some(())
}

/// Whether a block's text says nothing. A long text is not decoded to find that out.
fn is_no_answer(text: &[u8]) -> bool {
    // Each character may be written in six, as `\u0041`.
    const LONGEST: usize = "\"\"".len() + 6 * NO_ANSWER.len();
    let decoded = |text| Cursor::new(text).text().flatten();
    text.len() <= LONGEST
        && decoded(text).is_some_and(|text| text.is_empty() || *text == *NO_ANSWER)
}

/// What a compaction says it kept; `None` where it kept nothing.
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
        // One without an end is one whose end is not there: what stood below the anchor hangs below nothing.
        all = vec![head.unwrap_or_default(), tail.unwrap_or_default()];
    }
    Some(anchor.map(|anchor| Kept {
        anchor,
        messages: all,
        is_segment,
    }))
}
