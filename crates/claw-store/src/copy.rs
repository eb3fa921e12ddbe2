//! Copies sessions between stores.

use futures::TryStreamExt as _;

use crate::{
    Appended, Batch, Line, ReadSessions, SessionRef, SessionStore, StoreError, StoreKey, WriterId,
};

/// The number of bytes after which a batch ends. The line that reaches this number is still part of the batch.
const BATCH_BYTES: usize = 1 << 20;

/// The maximum number of lines in a batch.
const BATCH_LINES: usize = 500;

/// Copies the sessions of one project, or of all projects if `project` is `None`. Each session is copied as
/// [`copy_session`] does. `copied` is called after each session, with the number of new lines, or with the error that
/// ended the copy. If the copy of a session has failed, the other sessions are still copied.
///
/// # Errors
///
/// Fails with [`StoreError::Refused`] if `from` has no [`lists`](ReadSessions::lists), and with an error of its list.
pub async fn copy_sessions(
    from: &dyn ReadSessions,
    to: &dyn SessionStore,
    project: Option<&str>,
    source: &WriterId,
    mut copied: impl FnMut(&SessionRef, Result<u64, StoreError>) + Send,
) -> Result<(), StoreError> {
    let lists = from.lists();
    let lists = lists.ok_or_else(|| StoreError::refused("it cannot list its sessions"))?;
    let mut listed = lists.sessions(project);
    while let Some(listed) = listed.try_next().await? {
        let session = listed.session;
        let new = copy_session(from, to, &session, source).await;
        copied(&session, new);
    }
    Ok(())
}

/// Copies a session with all its transcripts, as [`copy_transcript`] does, and returns the number of lines that are new
/// in the store `to`. If `from` has no [`subkeys`](ReadSessions::subkeys), only the main transcript is copied.
///
/// # Errors
///
/// Fails with an error of either store. Lines that were copied before the error stay in `to`.
pub async fn copy_session(
    from: &dyn ReadSessions,
    to: &dyn SessionStore,
    session: &SessionRef,
    source: &WriterId,
) -> Result<u64, StoreError> {
    let mut new = copy_transcript(from, to, &session.main(), source)
        .await?
        .new;
    if let Some(subkeys) = from.subkeys() {
        for subpath in subkeys.subkeys(session).await? {
            new += copy_transcript(from, to, &session.at(subpath), source)
                .await?
                .new;
        }
    }
    Ok(new)
}

/// Copies a transcript. Returns the number of lines that are new in the store `to`, and the number of lines it now has.
/// The call needs little memory.
///
/// `source` identifies the store from which the lines come. Pass the same ID for each copy from that store. A second
/// copy then adds only the lines that the first copy did not add.
///
/// # Errors
///
/// Fails with an error of either store. Lines that were copied before the error stay in `to`.
pub async fn copy_transcript(
    from: &dyn ReadSessions,
    to: &dyn SessionStore,
    key: &StoreKey,
    source: &WriterId,
) -> Result<Appended, StoreError> {
    let mut loaded = from.load(key);
    let mut batch: Vec<Line> = Vec::new();
    let (mut bytes, mut number) = (0, 0);
    let mut done = Appended::new(0, 0);
    loop {
        let next = loaded.try_next().await?;
        let is_end = next.is_none();
        if let Some(stored) = next {
            bytes += stored.line.as_str().len();
            batch.push(stored.line);
        }
        if is_end || bytes >= BATCH_BYTES || batch.len() >= BATCH_LINES {
            let lines = Batch {
                writer: source,
                number,
                lines: &batch,
                epoch: None,
            };
            let appended = to.append(key, lines).await?;
            done = Appended::new(done.new + appended.new, appended.total);
            number += batch.len() as u64;
            batch.clear();
            bytes = 0;
        }
        if is_end {
            return Ok(done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryStore;

    #[test]
    fn a_second_copy_adds_what_is_new() {
        futures::executor::block_on(async {
            let (from, to) = (MemoryStore::new(), MemoryStore::new());
            let session = SessionRef::new("p", "s").unwrap();
            let beside = session.at(crate::Subpath::new("subagents/a").unwrap());
            let (writer, source) = (WriterId::new("w"), WriterId::new("from"));
            // All lines are equal and have no UUID, so only their numbers distinguish them.
            let lines = vec![Line::new("{}").unwrap(); 1200];
            let mut number = 0;
            for count in [1100, 100] {
                for key in [&session.main(), &beside] {
                    let batch = Batch {
                        writer: &writer,
                        number,
                        lines: &lines[..count],
                        epoch: None,
                    };
                    from.append(key, batch).await.unwrap();
                }
                number += count as u64;
                for new in [2 * count as u64, 0] {
                    let copied = copy_session(&from, &to, &session, &source).await.unwrap();
                    assert_eq!(copied, new);
                }
            }
            let copied: Vec<_> = to.load(&beside).try_collect().await.unwrap();
            assert_eq!(copied.len(), 1200);
            // First copies the sessions of one project, then those of all projects.
            let third = MemoryStore::new();
            for (project, expected) in [(Some("other"), vec![]), (None, vec![2400])] {
                let mut all = Vec::new();
                let each = |_: &SessionRef, new: Result<u64, _>| all.push(new.unwrap());
                let done = copy_sessions(&to, &third, project, &source, each).await;
                done.unwrap();
                assert_eq!(all, expected);
            }
        });
    }
}
