//! What the tests of adapters store and look for.

use std::sync::atomic::{AtomicUsize, Ordering};

use claw_store::{
    Batch, Epoch, Line, ReadSessions, SessionRef, SessionStore, StoreError, StoreKey, WriterId,
};
use futures::TryStreamExt as _;

/// A name that no other test has: of a schema, a prefix or a folder.
pub(crate) fn fresh_name() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

pub(crate) fn session() -> SessionRef {
    SessionRef::new("-work-project", "s1").expect("a key")
}

pub(crate) fn line(text: &str) -> Line {
    Line::new(text).expect("a line")
}

/// A line without a UUID.
pub(crate) fn note(text: &str) -> Line {
    line(&format!(r#"{{"type":"note","text":"{text}"}}"#))
}

/// A line with a UUID.
pub(crate) fn said(uuid: &str) -> Line {
    line(&format!(r#"{{"type":"user","uuid":"{uuid}"}}"#))
}

pub(crate) fn batch<'a>(
    writer: &'a WriterId,
    number: u64,
    lines: &'a [Line],
    epoch: Option<Epoch>,
) -> Batch<'a> {
    Batch {
        writer,
        number,
        lines,
        epoch,
    }
}

pub(crate) async fn texts(
    store: &impl ReadSessions,
    key: &StoreKey,
) -> Result<Vec<String>, StoreError> {
    store
        .load(key)
        .map_ok(|stored| stored.line.as_str().to_owned())
        .try_collect()
        .await
}

pub(crate) async fn assert_stored(store: &impl ReadSessions, key: &StoreKey, lines: &[Line]) {
    let expected: Vec<_> = lines.iter().map(Line::as_str).collect();
    assert_eq!(texts(store, key).await.expect("a load"), expected);
}

/// The lines of [`fill`].
pub(crate) fn three_lines() -> [Line; 3] {
    [said("a"), note("b"), said("c")]
}

/// Stores three lines of the writer `w`.
pub(crate) async fn fill(store: &impl SessionStore) {
    let (key, writer) = (session().main(), WriterId::new("w"));
    let lines = three_lines();
    let append = store.append(&key, batch(&writer, 0, &lines, None));
    append.await.expect("an append");
}
