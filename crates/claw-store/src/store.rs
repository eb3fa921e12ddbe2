//! The traits of a store: one for reading, and one for reading and writing.

use std::fmt;
use std::future::ready;

use futures::StreamExt as _;
use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::BoxStream;

use crate::digest::Digest;
use crate::{
    Claims, Epoch, FindLeftovers, Line, SessionRef, StoreError, StoreKey, Subpath, Summary,
};

/// Read access to the transcripts of sessions. A store that can only be read, such as one in a layout of another
/// program, implements this trait alone.
///
/// Some features are capabilities, which not every store has: [`lists`](Self::lists) and [`subkeys`](Self::subkeys).
/// Each method returns `None` if the store lacks the capability.
pub trait ReadSessions: fmt::Debug + Send + Sync + 'static {
    /// Returns a stream of the transcript's lines in their order, byte for byte, in bounded memory. The stream is
    /// empty for an unknown key.
    ///
    /// The stream ends after its first error. [`StoreError::Incomplete`] says that lines were removed from the store.
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>>;

    /// Returns access to lists of sessions. `None` if the store cannot list sessions.
    fn lists(&self) -> Option<&dyn ListSessions> {
        None
    }

    /// Returns access to lists of a session's other transcripts. `None` if the store cannot list them.
    fn subkeys(&self) -> Option<&dyn ListSubkeys> {
        None
    }
}

/// The system name for a store that does not set another name.
pub(crate) const OTHER: &str = "other";

/// Storage for the transcripts of sessions, so that any host can continue them.
///
/// Some features are capabilities, which not every store has: those of [`ReadSessions`], and [`deletes`](Self::deletes),
/// [`claims`](Self::claims) and [`leftovers`](Self::leftovers). Each method returns `None` if the store lacks the capability.
///
/// # Cancel safety
///
/// If the future of a call is dropped, the call may or may not have taken effect, as after [`StoreError::Uncertain`].
pub trait SessionStore: ReadSessions {
    /// Appends lines to the transcript in their order, either all or none.
    ///
    /// - A repetition is harmless. Lines whose numbers this writer has already stored are skipped.
    /// - A line whose UUID the transcript already has, from any writer, is skipped.
    /// - An empty batch stores nothing, and creates no transcript.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Gap`] if earlier lines of the writer are missing, with [`StoreError::Superseded`]
    /// if the batch has an epoch that is not the session's newest, and with [`StoreError::Deleted`] if the session has a
    /// tombstone. In each case, nothing is stored.
    fn append<'a>(
        &'a self,
        key: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, StoreError>>;

    /// Returns the number of lines that a writer has stored in the transcript. The writer's next batch begins with this
    /// number.
    fn next_number<'a>(
        &'a self,
        key: &'a StoreKey,
        writer: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64, StoreError>>;

    /// Returns access to deletion. `None` if the store cannot delete.
    fn deletes(&self) -> Option<&dyn DeleteSession> {
        None
    }

    /// Returns access to claims. `None` if the store has no claims. Without claims, two hosts can write to one session
    /// at the same time.
    fn claims(&self) -> Option<&dyn Claims> {
        None
    }

    /// Returns access to data that no session uses. `None` if the store cannot look for it. A [`Wrapped`] store returns
    /// `None`.
    ///
    /// [`Wrapped`]: crate::adapter::Wrapped
    fn leftovers(&self) -> Option<&dyn FindLeftovers> {
        None
    }

    /// Returns the name of the system that stores the sessions, in the form of OpenTelemetry's attribute
    /// `db.system.name`.
    fn system(&self) -> &'static str {
        OTHER
    }
}

/// A store's capability to list sessions.
pub trait ListSessions: Send + Sync {
    /// Returns the sessions of one project, or of all projects if `project` is `None`, in any order. Only sessions with
    /// a main transcript are returned.
    fn sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>>;

    /// Returns the entry of one session, as it is in the list of the session's project. `None` if that list does not
    /// contain the session.
    ///
    /// The default reads the list of the project until it contains the session. So a store whose lists are expensive
    /// should read the entry alone.
    fn listed<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Option<ListedSession>, StoreError>> {
        entry_in(self.sessions(Some(session.project())), session).boxed()
    }
}

/// The maximum number of entries that are read of a list to find one of them.
const MOST_READ: usize = 1_000_000;

/// Returns the entry of a session in a list. Fails if the entry is not among the first [`MOST_READ`] entries of a longer
/// list.
pub(crate) async fn entry_in(
    list: BoxStream<'_, Result<ListedSession, StoreError>>,
    session: &SessionRef,
) -> Result<Option<ListedSession>, StoreError> {
    let mut list = list.enumerate();
    while let Some((at, listed)) = list.next().await {
        let listed = listed?;
        if listed.session == *session {
            return Ok(Some(listed));
        }
        if at == MOST_READ {
            return Err(StoreError::corrupt(format!(
                "the store lists over {MOST_READ} sessions"
            )));
        }
    }
    Ok(None)
}

/// A store's capability to list the transcripts of a session, except its main transcript.
pub trait ListSubkeys: Send + Sync {
    /// Returns the subpaths of the session's transcripts other than the main one, in any order, each once. The list is
    /// empty for an unknown session.
    fn subkeys<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Vec<Subpath>, StoreError>>;
}

/// A store's capability to delete sessions and transcripts.
pub trait DeleteSession: Send + Sync {
    /// Deletes a transcript. If it is a session's main transcript, the session's other transcripts are deleted too.
    /// Deleting a transcript that does not exist is not an error. The epochs of the session's claims are not deleted,
    /// so the next claim has a higher epoch.
    fn delete<'a>(&'a self, key: &'a StoreKey) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Deletes a session with all its transcripts, and leaves a tombstone, even if the store has no line of the
    /// session. From then on, an append to any transcript of the session fails with [`StoreError::Deleted`]. So no host
    /// can create the session again. Nothing removes the tombstone. If the session was already deleted, this is not an
    /// error, and an interrupted deletion is completed.
    ///
    /// The default leaves no tombstone: it calls [`delete`](Self::delete) for the main transcript.
    fn delete_session<'a>(
        &'a self,
        session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        async move { self.delete(&session.main()).await }.boxed()
    }

    /// Whether the session has a tombstone. The default returns `false`, for stores without tombstones.
    fn is_deleted<'a>(
        &'a self,
        _session: &'a SessionRef,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        ready(Ok(false)).boxed()
    }
}

/// Lines that a writer appends to a transcript.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::exhaustive_structs, reason = "every caller makes one")]
pub struct Batch<'a> {
    /// The ID of the source of the lines.
    pub writer: &'a WriterId,
    /// The number of the first line among all lines of this writer in this transcript, counted from 0. The batch's
    /// other lines have the numbers that follow.
    pub number: u64,
    /// The lines.
    pub lines: &'a [Line],
    /// The epoch of the writer's claim. `None` for lines that may be stored without a claim, such as a title.
    pub epoch: Option<Epoch>,
}

impl Batch<'_> {
    /// Fails if a line is longer than a store's limit.
    ///
    /// # Errors
    ///
    /// Fails with [`StoreError::Refused`] if a line is longer.
    pub fn check_lengths(&self, limit: usize) -> Result<(), StoreError> {
        let mut lengths = self.lines.iter().map(|line| line.as_str().len());
        match lengths.find(|length| *length > limit) {
            Some(length) => Err(StoreError::refused(format!(
                "a line has {length} bytes, and the limit is {limit}"
            ))),
            None => Ok(()),
        }
    }
}

/// Identifies a source of lines, such as a file on one host. A source has the same ID and the same line numbers
/// whenever it is read again, so no line is stored twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WriterId(Box<str>);

/// The result of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Appended {
    /// The number of lines that are new in the store. The other lines of the batch were already stored.
    pub new: u64,
    /// The number of lines that the transcript now has.
    pub total: u64,
}

/// A line of a transcript in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredLine {
    /// The line's position in the transcript, counted from 0, without gaps.
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
    /// When the session's main transcript was last written to, by the store's clock, in milliseconds since 1970.
    pub modified: i64,
    /// The list entry of the session: its title and more. `None` if the store keeps no summaries.
    pub summary: Option<Summary>,
    /// A text that identifies the lines in all transcripts of the session. The text changes whenever a line is appended
    /// to one of the transcripts, or one of them is deleted. If the lines differ, the texts differ too. `None` if the
    /// store does not report a revision.
    pub revision: Option<String>,
    /// The size of the session's main transcript, in bytes. This is the total length of its lines, each with a line
    /// feed. `None` if the store would have to read the lines to find out.
    pub size: Option<u64>,
}

impl WriterId {
    /// Creates an ID from a text. The text is cut after 128 bytes.
    pub fn new(id: &str) -> Self {
        let mut end = id.len().min(128);
        while !id.is_char_boundary(end) {
            end -= 1;
        }
        Self(id[..end].into())
    }

    /// Creates the ID of the writer that copies a whole store: see [`copy_sessions`](crate::copy_sessions). `place`
    /// names the copied store, such as `postgres://db.internal/claw`. The same `place` always has the same ID, so a
    /// repeated copy stores no line twice. The ID does not reveal the text of `place`.
    pub fn of_store(place: &str) -> Self {
        let mut digest = Digest::default();
        digest.add(place.as_bytes());
        Self(format!("store-{digest}").into())
    }

    /// Creates a random ID, which is unique.
    pub fn random() -> Self {
        Self(uuid::Uuid::new_v4().to_string().into())
    }

    /// The ID as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Appended {
    /// Creates the result of an append.
    pub fn new(new: u64, total: u64) -> Self {
        Self { new, total }
    }
}

impl StoredLine {
    /// Creates a line at this position.
    pub fn new(position: u64, line: Line) -> Self {
        Self { position, line }
    }
}

impl ListedSession {
    /// Creates a list entry without a summary, a revision and a size.
    pub fn new(session: SessionRef, modified: i64) -> Self {
        Self {
            session,
            modified,
            summary: None,
            revision: None,
            size: None,
        }
    }

    /// Sets the summary.
    #[must_use]
    pub fn summary(mut self, summary: Option<Summary>) -> Self {
        self.summary = summary;
        self
    }

    /// Sets the revision.
    #[must_use]
    pub fn revision(mut self, revision: Option<String>) -> Self {
        self.revision = revision;
        self
    }

    /// Sets the size of the main transcript, in bytes.
    #[must_use]
    pub fn size(mut self, size: Option<u64>) -> Self {
        self.size = size;
        self
    }
}
