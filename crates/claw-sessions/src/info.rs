//! The list entry of a session, from the two ends of its transcript.

use std::io;
use std::path::Path;

use claw_types::store::SessionInfo;
use claw_types::{Json, SessionId};

use crate::archived::archived;
use crate::file;
use crate::head_tail::HeadTail;
use crate::members::Members;
use crate::records::records;
use crate::scan::{first_text, has, has_member, last_text, lines, of_kind};
use crate::time;

/// The metadata of a file.
pub(crate) struct Stat {
    pub(crate) length: u64,
    /// The time of the last change, in milliseconds since 1970.
    pub(crate) modified: i64,
}

/// Returns the list entry of a transcript, from its two ends. Returns `None` for a transcript that is not a session, or
/// that has nothing to show. `beside` is the session's folder, and `asked` is the requested directory.
pub(crate) fn info(
    id: &SessionId,
    ends: &HeadTail,
    stat: &Stat,
    beside: &Path,
    asked: Option<&Path>,
) -> Option<SessionInfo> {
    let (head, tail) = (ends.head(), ends.tail());
    if lines(head)
        .next()
        .is_some_and(|line| has_member(line, "isSidechain", "true"))
    {
        return None;
    }
    let custom_title = title(tail, head, beside);
    let began = ends.began();
    let first = &began.first;
    let summary = custom_title
        .clone()
        .or_else(|| own_summary(ends))
        .or_else(|| first.text.clone())
        .or_else(|| first.media.map(ToOwned::to_owned))
        .or_else(|| last_text(tail, "lastPrompt"))
        .filter(|summary| !summary.is_empty())?;
    // A process writes notes when it ends, so the time of the file is not the time of the conversation.
    let active = last_active(tail).unwrap_or(stat.modified);
    let mut info = SessionInfo::new(id.clone(), summary, active);
    info.file_size = Some(stat.length.into());
    info.custom_title = custom_title;
    info.first_prompt.clone_from(&first.text);
    info.git_branch = last_text(tail, "gitBranch").or_else(|| first_text(head, "gitBranch"));
    info.cwd = cwd(ends).or_else(|| asked.map(|asked| asked.to_string_lossy().into_owned()));
    info.tag = newest(tail, "tag", "tag").filter(|tag| !tag.is_empty());
    let created = began.timestamp.as_ref();
    let created = created.and_then(|time| time::parse(time.as_bytes()));
    info.created_at = created.map(Into::into);
    info.archived = archived(beside, ends);
    Some(info)
}

/// Whether a program began the session, and not a person.
pub(crate) fn is_programmatic(ends: &HeadTail) -> bool {
    let (head, tail) = (ends.head(), ends.tail());
    let entrypoint = first_text(head, "entrypoint").or_else(|| last_text(tail, "entrypoint"));
    if matches!(entrypoint.as_deref(), Some("sdk-cli" | "sdk-ts" | "sdk-py")) {
        return true;
    }
    let first = lines(head).find(|line| has(line, b"\"parentUuid\":"));
    let kind = first_text(first.unwrap_or(head), "sessionKind");
    matches!(kind.as_deref(), Some("daemon" | "daemon-worker"))
}

/// Returns the working directory of the session, if the transcript contains it.
pub(crate) fn cwd(ends: &HeadTail) -> Option<String> {
    cwd_before(ends.tail(), ends)
}

/// Returns the working directory that the session had at the end of a part of its tail.
pub(crate) fn cwd_before(tail: &[u8], ends: &HeadTail) -> Option<String> {
    newest(tail, "relocated", "relocatedCwd").or_else(|| ends.began().cwd.clone())
}

/// Reads the working directory of the session with this transcript.
pub(crate) fn directory_of(transcript: &Path) -> io::Result<Option<String>> {
    let mut ends = HeadTail::default();
    let mut file = file::open(transcript)?;
    let length = file.metadata()?.len();
    ends.read(&mut file, length)?;
    Ok(cwd(&ends))
}

/// Returns the session of which this one is a fork. Each line that a fork has copied names it.
pub(crate) fn forked_from(ends: &HeadTail) -> Option<SessionId> {
    let copied = lines(ends.head()).filter(|line| has(line, b"\"forkedFrom\":"));
    copied.filter_map(Members::parse).find_map(|line| {
        let from = line.get("forkedFrom").and_then(Members::parse)?;
        Some(SessionId::from(&*from.text("sessionId")?))
    })
}

/// Returns the title of the session. A title from a person takes precedence over a title from a model. An empty title
/// is ignored.
pub(crate) fn title(tail: &[u8], head: &[u8], beside: &Path) -> Option<String> {
    let newest = |buffer, kind, key| newest(buffer, kind, key).filter(|title| !title.is_empty());
    newest(tail, "custom-title", "customTitle")
        .or_else(|| kept_beside(beside))
        .or_else(|| newest(head, "custom-title", "customTitle"))
        .or_else(|| newest(tail, "ai-title", "aiTitle"))
        .or_else(|| newest(head, "ai-title", "aiTitle"))
}

/// Returns the time of the last message in the tail.
fn last_active(tail: &[u8]) -> Option<i64> {
    let may_be_message = |line: &[u8]| {
        let is = |kind| has_member(line, "type", kind);
        is("\"user\"") || is("\"assistant\"")
    };
    let candidates = lines(tail).rev().filter(|line| may_be_message(line));
    candidates.into_iter().find_map(|line| {
        records(line).into_iter().rev().find_map(|part| {
            let record = Members::parse(&line[part])?;
            let is_message = matches!(&*record.text("type")?, "user" | "assistant");
            let time = record.text("timestamp").filter(|_| is_message)?;
            time::parse(time.as_bytes())
        })
    })
}

/// Returns the newest summary of this conversation. Older CLIs also wrote the summaries of other sessions. Such a
/// summary names a message that is not in the transcript.
fn own_summary(ends: &HeadTail) -> Option<String> {
    let buffers = [ends.tail(), ends.head()];
    let is_here = |uuid: &str| {
        let name = format!("\"{uuid}\"");
        buffers
            .iter()
            .any(|buffer| has_member(buffer, "uuid", &name))
    };
    let lines = buffers.iter().flat_map(|buffer| of_kind(buffer, "summary"));
    lines.flat_map(entries).find_map(|entry| {
        let is_summary = entry.get("type")?.as_str()? == "summary";
        let text = entry.get("summary")?.as_str()?.into_owned();
        let is_own = is_here(&entry.get("leafUuid")?.as_str()?);
        (is_summary && is_own && !text.is_empty()).then_some(text)
    })
}

/// Returns the records of a line, the last one first.
fn entries(line: &[u8]) -> impl Iterator<Item = Json> {
    let parts = records(line).into_iter().rev();
    parts.filter_map(|part| Json::from_text(crate::scan::text(&line[part]).into_owned()).ok())
}

/// Returns the title from a separate file.
fn kept_beside(folder: &Path) -> Option<String> {
    let text = file::small(&folder.join("custom-title.json"))?;
    let title = Json::from_text(text).ok()?.get("customTitle")?;
    let title = title.as_str()?;
    // Each run of control characters becomes a space.
    let words = title.trim().split(char::is_control);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let plain: String = words.join(" ").chars().take(200).collect();
    let plain = plain.trim();
    (!plain.is_empty()).then(|| plain.to_owned())
}

/// Returns a member of the last complete line of a kind.
fn newest(buffer: &[u8], kind: &str, key: &str) -> Option<String> {
    of_kind(buffer, kind).flat_map(entries).find_map(|entry| {
        let is_of_kind = entry.get("type")?.as_str()? == kind;
        is_of_kind.then_some(())?;
        Some(entry.get(key)?.as_str()?.into_owned())
    })
}
