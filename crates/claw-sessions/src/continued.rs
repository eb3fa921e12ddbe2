//! Conversations that continue in another session.

use std::io::Read;
use std::path::Path;

use claw_types::Json;

use crate::head_tail::HeadTail;
use crate::home::is_session_id;
use crate::prompt::FirstPrompt;
use crate::scan::{has, lines};
use crate::{file, prompt};

/// The member that every link of a conversation has.
const LINK: &[u8] = b"\"parentUuid\":";

/// The maximum number of bytes of the other session's transcript that are searched for a conversation.
const MOST: u64 = 16 << 20;

/// Whether the session that continues this transcript exists beside it and contains a conversation.
pub(crate) fn is_continued(transcript: &Path, ends: &HeadTail) -> bool {
    let next = next(ends.tail());
    next.is_some_and(|id| has_conversation(&transcript.with_file_name(format!("{id}.jsonl"))))
}

/// Returns the ID of the session that continues this transcript, from the last line that names one. Returns `None` if
/// this conversation itself continued after that line.
pub(crate) fn next(tail: &[u8]) -> Option<String> {
    let marker = b"\"type\":\"continued-in\"";
    if !has(tail, marker) {
        return None;
    }
    for line in lines(tail).rev() {
        let is_marked = has(line, marker);
        let is_message = has(line, b"\"type\":\"user\"") || has(line, b"\"type\":\"assistant\"");
        if !is_marked && !is_message {
            continue;
        }
        let Ok(entry) = Json::from_text(String::from_utf8_lossy(line).into_owned()) else {
            continue;
        };
        let kind = entry.get("type");
        let kind = kind.as_ref().and_then(Json::as_str);
        if kind.as_deref() == Some("continued-in")
            && let Some(id) = entry.get("continuedInSessionId")
            && let Some(id) = id.as_str()
        {
            return is_session_id(&id).then(|| id.into_owned());
        }
        let went_on = match kind.as_deref() {
            Some("user") => FirstPrompt::of(line).is_prompt(),
            Some("assistant") => prompt::is_finished(&entry),
            _ => false,
        };
        if went_on {
            return None;
        }
    }
    None
}

fn has_conversation(path: &Path) -> bool {
    let Ok(file) = file::open(path) else {
        return false;
    };
    let mut file = file.take(MOST);
    let mut buffer = vec![0; 64 << 10];
    let mut kept = 0;
    loop {
        let Ok(read) = file.read(&mut buffer[kept..]) else {
            return false;
        };
        if has(&buffer[..kept + read], LINK) {
            return true;
        }
        if read == 0 {
            // A file that is longer than the search limit is assumed to contain a conversation.
            return file.limit() == 0;
        }
        let end = kept + read;
        kept = end.min(LINK.len() - 1);
        buffer.copy_within(end - kept..end, 0);
    }
}
