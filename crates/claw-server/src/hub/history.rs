//! What was said before: the transcript of a session.

use bytes::Bytes;
use claw_client::codec::Malformed;
use claw_sessions::{Entries, EntryLine, LineError};

use super::driver::UNREADABLE;
use crate::conversation::Conversation;

/// Reads a transcript into its conversation. A line that cannot be read is shown in its place, as one of a live session is. Blocks.
pub(super) fn read(
    entries: Entries,
    conversation: &mut Conversation,
) -> Result<(), claw_sessions::Error> {
    for line in entries {
        let line = line?;
        if line.is_blank() {
            continue;
        }
        match line.entry() {
            Ok(entry) => conversation.history(&entry),
            Err(error) => {
                tracing::warn!(
                    line = line.number(),
                    "a line of a transcript cannot be read"
                );
                conversation.unreadable_history(&excerpt(&line, error));
            }
        }
    }
    Ok(())
}

/// The beginning of a line that cannot be read.
fn excerpt(line: &EntryLine, error: LineError) -> String {
    match (line.raw(), error) {
        (Some(raw), LineError::Decode(error)) => {
            let raw = Bytes::copy_from_slice(raw);
            Malformed::new(line.number(), error, raw).excerpt(UNREADABLE)
        }
        // Nobody keeps its bytes.
        (_, error) => error.to_string(),
    }
}
