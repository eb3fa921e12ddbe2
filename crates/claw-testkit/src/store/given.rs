//! The lines, keys and writers that the checks use.

use std::sync::Arc;

use claw_store::{
    Appended, Batch, Epoch, Line, SessionRef, SessionStore, StoreError, StoreKey, Subpath, WriterId,
};

pub(super) use super::samples::line;

use super::samples;

pub(super) type Store = Arc<dyn SessionStore>;

pub(super) fn session(name: &str) -> SessionRef {
    session_in("-work-project", name)
}

pub(super) fn session_in(project: &str, name: &str) -> SessionRef {
    SessionRef::new(project, name).expect("a key of the suite")
}

pub(super) fn beside(session: &SessionRef, path: &str) -> StoreKey {
    session.at(Subpath::new(path).expect("a subpath of the suite"))
}

/// Creates a line with a UUID.
pub(super) fn user_line(uuid: &str) -> Line {
    line(&format!(
        r#"{{"type":"user","uuid":"{uuid}","message":{{"role":"user","content":"{uuid}"}}}}"#
    ))
}

/// Creates a line without a UUID.
pub(super) fn note(text: &str) -> Line {
    line(&format!(
        r#"{{"type":"last-prompt","lastPrompt":"{text}"}}"#
    ))
}

/// A writer of one transcript. It counts the lines that it has written.
pub(super) struct Writer {
    pub(super) id: WriterId,
    pub(super) number: u64,
    pub(super) epoch: Option<Epoch>,
}

impl Writer {
    pub(super) fn new(id: &str) -> Self {
        Self {
            id: WriterId::new(id),
            number: 0,
            epoch: None,
        }
    }

    pub(super) async fn append(
        &mut self,
        store: &Store,
        key: &StoreKey,
        lines: &[Line],
    ) -> Result<Appended, StoreError> {
        let appended = store.append(key, self.batch(lines)).await?;
        self.number += lines.len() as u64;
        Ok(appended)
    }

    /// Creates the writer's next batch of lines.
    pub(super) fn batch<'a>(&'a self, lines: &'a [Line]) -> Batch<'a> {
        Batch {
            writer: &self.id,
            number: self.number,
            lines,
            epoch: self.epoch,
        }
    }
}

/// Stores lines with a new writer, which stores no other lines.
pub(super) async fn store_lines(store: &Store, key: &StoreKey, lines: &[Line]) {
    let mut writer = Writer::new(&format!("writer of {key}"));
    writer.append(store, key, lines).await.expect("an append");
}

/// Returns the texts of a transcript's lines. Checks that the positions of the lines have no gaps.
pub(super) async fn texts(store: &Store, key: &StoreKey) -> Vec<String> {
    samples::texts(&**store, key).await.expect("a load")
}

/// Checks that a transcript contains exactly these lines.
pub(super) async fn assert_stored(store: &Store, key: &StoreKey, expected: &[Line]) {
    samples::assert_stored(&**store, key, expected).await;
}
