//! What a store has to do.

use std::fmt;

use futures::future::BoxFuture;
use futures::stream::BoxStream;

use crate::{Claims, Epoch, Line, SessionRef, StoreError, StoreKey, Subpath, Summary};

/// A place that keeps the transcripts of sessions, so that any host can continue them.
///
/// What not every store can do is a capability to ask for: [`lists`](Self::lists), [`subkeys`](Self::subkeys),
/// [`deletes`](Self::deletes), [`claims`](Self::claims).
///
/// # Cancel safety
///
/// A future that is dropped may have done its work or not, as after [`StoreError::Uncertain`].
pub trait SessionStore: fmt::Debug + Send + Sync + 'static {
    /// Stores lines in their order behind what the transcript has, all or none.
    ///
    /// - A repeat is harmless: lines of the writer that are stored already, by their numbers, are passed over.
    /// - A line whose UUID the transcript has already, from any writer, is passed over.
    /// - An empty batch stores nothing, and makes no transcript.
    ///
    /// # Errors
    ///
    /// [`StoreError::Gap`] if lines of the writer before these are missing, [`StoreError::Superseded`] if the batch has
    /// an epoch and it is not the session's newest. Nothing is stored then.
    fn append<'a>(
        &'a self,
        key: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, StoreError>>;

    /// The lines in their order, byte for byte, in bounded memory. An unknown key is an empty stream.
    ///
    /// The stream ends after its first error. [`StoreError::Incomplete`] says that lines were removed from the store.
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>>;

    /// How many lines of a writer the transcript has: the number that the writer's next batch begins with.
    fn next_number<'a>(
        &'a self,
        key: &'a StoreKey,
        writer: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// Lists, if the store can list.
    fn lists(&self) -> Option<&dyn ListSessions> {
        None
    }

    /// The transcripts beside the main one of a session, if the store can tell them.
    fn subkeys(&self) -> Option<&dyn ListSubkeys> {
        None
    }

    /// Deleting, if the store can delete.
    fn deletes(&self) -> Option<&dyn DeleteSession> {
        None
    }

    /// Claims, if the store has them. Without them two hosts can write one session.
    fn claims(&self) -> Option<&dyn Claims> {
        None
    }
}

/// Lists of sessions.
pub trait ListSessions: Send + Sync {
    /// The sessions that have a main transcript, of a project or of all, in any order.
    fn sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>>;
}

/// The transcripts beside the main one of a session.
pub trait ListSubkeys: Send + Sync {
    /// Their subpaths, in any order, each once. An unknown session has none.
    fn subkeys<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Vec<Subpath>, StoreError>>;
}

/// Deleting.
pub trait DeleteSession: Send + Sync {
    /// Deletes a transcript: with the main one, all beside it. Deleting what is not there is not an error. The epochs
    /// of the session's claims stay, so that the next claim's is higher.
    fn delete<'a>(&'a self, key: &'a StoreKey) -> BoxFuture<'a, Result<(), StoreError>>;
}

/// Lines to store.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "every caller makes one")]
pub struct Batch<'a> {
    /// Who writes the lines.
    pub writer: &'a WriterId,
    /// The number of the first line among all lines of this writer in this transcript, counted from 0. The others
    /// follow.
    pub number: u64,
    /// The lines.
    pub lines: &'a [Line],
    /// The epoch of the writer's claim. `None` for lines that do not need the session, such as a title.
    pub epoch: Option<Epoch>,
}

/// The source of lines: a file on one host, from its beginning on. The same source has the same ID and the same
/// numbers whenever it is read again, so that nothing is stored twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WriterId(Box<str>);

/// What an append did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Appended {
    /// How many lines are new in the store. The others were there.
    pub new: u64,
    /// How many lines the transcript has now.
    pub total: u64,
}

/// A line of a transcript in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredLine {
    /// Its place in the transcript, counted from 0, without gaps.
    pub position: u64,
    /// The line.
    pub line: Line,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ListedSession {
    /// The session.
    pub session: SessionRef,
    /// When its main transcript was last written to, by the store's clock, in milliseconds since 1970.
    pub modified: i64,
    /// What a list shows of it. `None` if the store keeps none.
    pub summary: Option<Summary>,
}

impl WriterId {
    /// Of a text, which is cut after 128 bytes.
    pub fn new(id: &str) -> Self {
        let mut end = id.len().min(128);
        while !id.is_char_boundary(end) {
            end -= 1;
        }
        Self(id[..end].into())
    }

    /// A new one, which no other source has.
    pub fn random() -> Self {
        Self(uuid::Uuid::new_v4().to_string().into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Appended {
    /// What an adapter has done.
    pub fn new(new: u64, total: u64) -> Self {
        Self { new, total }
    }
}

impl StoredLine {
    /// A line at its place.
    pub fn new(position: u64, line: Line) -> Self {
        Self { position, line }
    }
}

impl ListedSession {
    /// A session without a summary.
    pub fn new(session: SessionRef, modified: i64) -> Self {
        Self {
            session,
            modified,
            summary: None,
        }
    }
}
