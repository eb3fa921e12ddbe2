//! Contains keys, lines and batches for tests of adapters, and checks the content of a store.

use std::sync::atomic::{AtomicUsize, Ordering};

use claw_store::{
    Batch, Epoch, Line, ListedSession, ReadSessions, SessionRef, SessionStore, StoreError,
    StoreKey, WriterId,
};
use futures::TryStreamExt as _;

/// Returns a name for a schema, a prefix or a folder. No other test of the program gets the same name.
pub fn fresh_name() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Returns the key of a sample session.
#[expect(clippy::missing_panics_doc, reason = "the names are valid")]
pub fn session() -> SessionRef {
    SessionRef::new("-work-project", "s1").expect("a key")
}

/// Creates a line.
///
/// # Panics
///
/// Panics if the text is not a JSON object on one line.
pub fn line(text: &str) -> Line {
    Line::new(text).expect("a line")
}

/// Creates a line without a UUID.
pub fn note(text: &str) -> Line {
    line(&format!(r#"{{"type":"note","text":"{text}"}}"#))
}

/// Creates a line with a UUID.
pub fn user_line(uuid: &str) -> Line {
    line(&format!(r#"{{"type":"user","uuid":"{uuid}"}}"#))
}

/// Creates a batch of a writer.
pub fn batch<'a>(
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

/// Loads the texts of a transcript's lines.
///
/// # Errors
///
/// Fails with the errors of the load.
///
/// # Panics
///
/// Panics if the positions of the lines have gaps.
pub async fn texts(
    store: &(impl ReadSessions + ?Sized),
    key: &StoreKey,
) -> Result<Vec<String>, StoreError> {
    let lines: Vec<_> = store.load(key).try_collect().await?;
    for (at, stored) in lines.iter().enumerate() {
        assert_eq!(
            stored.position, at as u64,
            "the places of lines have no gaps"
        );
    }
    let texts = lines.iter().map(|stored| stored.line.as_str().to_owned());
    Ok(texts.collect())
}

/// Checks the content of a transcript.
///
/// # Panics
///
/// Panics if the transcript contains other lines or cannot be loaded.
pub async fn assert_stored(store: &(impl ReadSessions + ?Sized), key: &StoreKey, lines: &[Line]) {
    let expected: Vec<_> = lines.iter().map(Line::as_str).collect();
    assert_eq!(texts(store, key).await.expect("a load"), expected, "{key}");
}

/// Returns the lines that [`fill`] stores.
pub fn three_lines() -> [Line; 3] {
    [user_line("a"), note("b"), user_line("c")]
}

/// Stores three lines of the writer `w` in the main transcript of [`session`].
///
/// # Panics
///
/// Panics if the append fails.
pub async fn fill(store: &impl SessionStore) {
    let (key, writer) = (session().main(), WriterId::new("w"));
    let lines = three_lines();
    let append = store.append(&key, batch(&writer, 0, &lines, None));
    append.await.expect("an append");
}

/// Checks that a store reads the list entry of a session without those of the project's other sessions. Call this after
/// [`fill`], in a store in which the entry of [`session`] cannot be read.
///
/// # Panics
///
/// Panics if the list of the project can be read, or if the entry of another session cannot.
pub async fn entries_are_read_alone(store: &impl SessionStore) {
    let damaged = session();
    let other = SessionRef::new(damaged.project(), "s2").expect("a key");
    let writer = WriterId::new("w");
    let lines = three_lines();
    let key = other.main();
    let append = store.append(&key, batch(&writer, 0, &lines, None));
    append.await.expect("an append");
    let lists = store.lists().expect("lists");
    let list = lists.sessions(Some(damaged.project()));
    let list: Result<Vec<ListedSession>, _> = list.try_collect().await;
    assert!(matches!(list, Err(StoreError::Corrupt(_))), "{list:?}");
    let entry = lists.listed(&damaged).await;
    assert!(matches!(entry, Err(StoreError::Corrupt(_))), "{entry:?}");
    let entry = lists.listed(&other).await.expect("an entry");
    assert_eq!(entry.map(|listed| listed.session), Some(other));
}
