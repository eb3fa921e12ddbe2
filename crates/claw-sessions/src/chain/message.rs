//! Parses the parts of a message that the chain needs.

use std::borrow::Cow;

use super::kind::flag;
use crate::cursor::Cursor;

/// A tool use that a line makes or answers.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) id: Cow<'a, [u8]>,
    pub(super) is_result: bool,
}

/// The text that the CLI writes when a quiet turn ends without an answer.
pub(crate) const NO_ANSWER: &[u8] = b"No response requested.";

/// The texts that the CLI writes when a turn, an agent or a tool use was interrupted.
const STOPS: [&str; 11] = [
    "[Request interrupted by user]",
    "[Request interrupted by user for tool use]",
    "[Request interrupted: the session ended before this agent finished. Nobody asked it to stop.]",
    "[Request interrupted: the system running this conversation stopped before this turn finished. Nobody asked to stop this turn.]",
    "[Agent call interrupted: the process running this conversation stopped before this agent finished, so it returned no result. Nobody asked it to stop.]",
    "[Tool call did not complete: the turn was ended to deliver the message that follows. Nothing refused it; re-run it if still needed.]",
    "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. Check whether it took effect before relying on it or running it again.]",
    "[Tool call result not in this copy: this session was copied from another session before that session recorded this call's result. The call may have finished there, may still be running there, or may never have run. Check whether it took effect before relying on it or running it again.]",
    "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you how to proceed.",
    "[Tool call skipped: the turn was stopped before this call ran, by the check whose denial is on another call in this batch. Nothing refused this call and it had no effects; re-run it if still needed.]",
    "[Tool call skipped: the turn ended to deliver the message that follows before this call ran. Nothing refused it; re-run it if still needed.]",
];

/// The parts of a message that the chain needs.
#[derive(Default)]
pub(super) struct Message<'a> {
    pub(super) id: Option<Cow<'a, [u8]>>,
    pub(super) has_result: bool,
    pub(super) calls: Vec<Call<'a>>,
    /// The number of blocks, and whether one of them is a text without content.
    pub(super) blocks: usize,
    pub(super) has_empty_text: bool,
    /// The flags for the part of a local command and for an interruption.
    pub(super) text_flags: u16,
    /// The number of blocks that report an interruption.
    stops: usize,
}

/// Reads a text member of an object. For any other value, the cursor only moves past it.
#[expect(
    clippy::option_option,
    reason = "the outer is whether the line can be read, the inner whether it has the value"
)]
pub(super) fn member<'a>(cursor: &mut Cursor<'a>, name: &[u8]) -> Option<Option<Cow<'a, [u8]>>> {
    let mut found = None;
    if !cursor.is_object() {
        cursor.skip()?;
        return Some(None);
    }
    cursor.object(|key, cursor| {
        if key == name {
            found = cursor.text()?;
            Some(())
        } else {
            cursor.skip()
        }
    })?;
    Some(found)
}

/// Parses the value of `message`.
pub(super) fn parse_message<'a>(cursor: &mut Cursor<'a>) -> Option<Message<'a>> {
    let mut message = Message::default();
    if !cursor.is_object() {
        cursor.skip()?;
        return Some(message);
    }
    cursor.object(|key, cursor| {
        match key {
            b"id" => message.id = cursor.text()?,
            b"content" if cursor.is_array() => {
                cursor.array(|cursor| parse_block(cursor, &mut message))?;
                if message.blocks > 0 && message.blocks == message.stops {
                    message.text_flags |= flag::STOPPED;
                }
            }
            b"content" if cursor.is_string() => {
                let text = cursor.value()?;
                message.text_flags = part_of_command(text);
                if is_stop(text) {
                    message.text_flags |= flag::STOPPED;
                }
            }
            _ => cursor.skip()?,
        }
        Some(())
    })?;
    Some(message)
}

fn parse_block<'a>(cursor: &mut Cursor<'a>, message: &mut Message<'a>) -> Option<()> {
    message.blocks += 1;
    if !cursor.is_object() {
        return cursor.skip();
    }
    let (mut kind, mut id, mut answers) = (None, None, None);
    let (mut text_value, mut content, mut is_error) = (None, None, false);
    cursor.object(|key, cursor| {
        match key {
            b"type" => kind = cursor.text()?,
            b"id" => id = cursor.text()?,
            b"tool_use_id" => answers = cursor.text()?,
            b"text" => text_value = Some(cursor.value()?),
            b"content" if cursor.is_string() => content = Some(cursor.value()?),
            b"is_error" => is_error = cursor.value()? == b"true",
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
            message.stops += usize::from(is_error && content.is_some_and(is_stop));
            message.has_result = true;
            message.calls.extend(answers.map(|id| Call {
                id,
                is_result: true,
            }));
        }
        Some(b"text") => {
            let text = text_value.unwrap_or(b"null");
            message.has_empty_text |= is_no_answer(text);
            message.stops += usize::from(is_stop(text));
            // The last text of the message determines the flags.
            message.text_flags = part_of_command(text);
        }
        _ => {}
    }
    Some(())
}

/// Whether the text of a block is empty or is [`NO_ANSWER`]. A long text is not decoded for this check.
fn is_no_answer(text: &[u8]) -> bool {
    // Each character may be written as six bytes, such as `\u0041`.
    const LONGEST: usize = "\"\"".len() + 6 * NO_ANSWER.len();
    let decoded = |text| Cursor::new(text).text().flatten();
    text.len() <= LONGEST
        && decoded(text).is_some_and(|text| text.is_empty() || *text == *NO_ANSWER)
}

/// Whether a string begins with one of the texts that report an interruption.
fn is_stop(string: &[u8]) -> bool {
    STOPS.iter().any(|stop| begins(string, stop))
}

/// Returns the flag for the part of a local command that begins with this text.
fn part_of_command(string: &[u8]) -> u16 {
    let parts = [
        ("<command-name>", flag::RECORD),
        ("<local-command-stdout>", flag::OUTPUT),
        ("<local-command-stderr>", flag::OUTPUT),
        ("<local-command-caveat>", flag::CAVEAT),
    ];
    let part = parts.iter().find(|(begin, _)| begins(string, begin));
    part.map_or(0, |(_, part)| *part)
}

/// Whether a quoted string begins with a text.
fn begins(string: &[u8], text: &str) -> bool {
    let Some(inner) = string.strip_prefix(b"\"") else {
        return false;
    };
    // Each character may be written as six bytes, such as `\u0041`. Escapes after these bytes do not matter.
    let near = &inner[..inner.len().min(6 * text.len())];
    if memchr::memchr(b'\\', near).is_none() {
        return near.starts_with(text.as_bytes());
    }
    // If the texts differ before the first escape, the string is not decoded.
    let plain = near.iter().zip(text.as_bytes());
    let mut plain = plain.take_while(|(byte, _)| **byte != b'\\');
    if plain.any(|(one, other)| one != other) {
        return false;
    }
    let decoded = Cursor::new(string).text().flatten();
    decoded.is_some_and(|decoded| decoded.starts_with(text.as_bytes()))
}
