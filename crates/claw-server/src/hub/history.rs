//! Reads the transcript of a session into its conversation.

use bytes::Bytes;
use claw_client::codec::Malformed;
use claw_sessions::{Branches, EntryLine, LineError, Session};

use super::kept::KeptNotices;
use crate::conversation::Conversation;

/// Maximum length of the excerpt of an unreadable line, in bytes.
pub(super) const UNREADABLE: usize = 4096;

/// Reads the transcript of a session into its conversation. The transcripts of sub-agents are added after the tool uses
/// that started them. `kept` contains notices about entries that are not in the transcript (see `kept.rs`). An
/// unreadable line is shown at its position, as in a live session. Blocks.
pub(super) fn read(
    session: &Session,
    conversation: &mut Conversation,
    kept: &mut KeptNotices,
) -> Result<(), claw_sessions::Error> {
    let mut read = session
        .conversation(Branches::Marked)?
        .with_subagents(session);
    show(conversation, &kept.first());
    // A notice after a line must follow the sub-agents that the line has started. So the line is kept in `last` until these
    // sub-agents are read.
    let mut last: Option<EntryLine> = None;
    for item in read.by_ref() {
        let item = item?;
        if item.is_own()
            && let Some(line) = last.take()
        {
            show(conversation, &kept.after(line.raw()));
        }
        match (item.entry(), item.branch()) {
            (Ok(entry), Some(branch)) => conversation.rewound_history(&entry, branch),
            (Ok(entry), None) => conversation.history(&entry),
            (Err(error), _) => {
                let line = item.line();
                let number = line.map(EntryLine::number);
                let id = session.id().as_str();
                tracing::warn!(
                    session.id = id,
                    number,
                    "a line of a transcript cannot be read"
                );
                let excerpt = line.map(|line| excerpt(line, error));
                conversation.unreadable_history(&excerpt.unwrap_or_default());
            }
        }
        if item.is_own() {
            last = item.into_line();
        }
    }
    if let Some(line) = last {
        show(conversation, &kept.after(line.raw()));
    }
    for error in read.take_problems() {
        tracing::warn!(session.id = session.id().as_str(), %error, "the transcript of a sub-agent cannot be read");
    }
    show(conversation, &kept.rest());
    conversation.history_ended();
    Ok(())
}

/// Adds notices to the conversation.
fn show(conversation: &mut Conversation, notices: &[String]) {
    for notice in notices {
        conversation.history_notice(notice);
    }
}

/// Returns the beginning of an unreadable line, or the error if the bytes of the line are not available.
fn excerpt(line: &EntryLine, error: LineError) -> String {
    match (line.raw(), error) {
        (Some(raw), LineError::Decode(error)) => {
            let raw = Bytes::copy_from_slice(raw);
            Malformed::new(line.number(), error, raw).excerpt(UNREADABLE)
        }
        (_, error) => error.to_string(),
    }
}
