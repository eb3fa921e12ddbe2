//! Tests of the lists of a store's sessions, of searches and of changes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use claw_sessions::Changes;
use claw_store::{
    Appended, Batch, Claim, Epoch, Limits, Line, ListSessions, ListedSession, MemoryStore, Owner,
    ReadSessions, SessionRef, SessionStore, StoreError, StoreKey, StoredError, StoredLine,
    StoredSessions, WriterId,
};
use claw_testkit::store::{Call, Intercept, intercepted};
use futures::TryStreamExt as _;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, StreamExt as _};

const ONE: &str = "9969212f-13f2-4efc-894f-c2b4e65d5fa0";
const OTHER: &str = "9969212f-0000-4efc-894f-c2b4e65d5fa0";

const MINUTE: Duration = Duration::from_mins(1);

/// Adds a session with one prompt.
async fn add(store: &dyn SessionStore, project: &str, id: &str, prompt: &str) -> SessionRef {
    let session = SessionRef::new(project, id).unwrap();
    let line = serde_json::json!({
        "type": "user", "uuid": uuid::Uuid::new_v4().to_string(), "parentUuid": null, "sessionId": id, "cwd": "/work/project",
        "timestamp": "2026-11-24T10:00:00.000Z", "message": {"role": "user", "content": prompt},
    });
    append(store, &session, &line.to_string()).await;
    session
}

async fn append(store: &dyn SessionStore, session: &SessionRef, line: &str) {
    let writer = WriterId::random();
    let batch = Batch {
        writer: &writer,
        number: 0,
        lines: &[Line::new(line).unwrap()],
        epoch: None,
    };
    store.append(&session.main(), batch).await.unwrap();
}

fn shown(listing: &claw_store::StoredListing) -> Vec<(&str, &str)> {
    let shown = listing.sessions.iter().map(|session| {
        let info = session.info.as_ref().map(|info| &*info.summary);
        (session.session.session(), info.unwrap_or("-"))
    });
    shown.collect()
}

#[tokio::test]
async fn sessions_are_listed_found_and_changed() {
    let store = Arc::new(MemoryStore::new());
    let one = add(&*store, "apples", ONE, "The word is plum.").await;
    let other = add(&*store, "pears", OTHER, "The word is quince.").await;
    let stored = StoredSessions::new(store.clone());

    let apples = stored.list(Some("apples")).await.unwrap();
    assert_eq!(shown(&apples), [(ONE, "The word is plum.")]);
    assert_eq!(stored.list(None).await.unwrap().sessions.len(), 2);

    assert_eq!(stored.find(None, ONE).await.unwrap(), one);
    assert_eq!(stored.find(None, "9969212f-0").await.unwrap(), other);
    assert_eq!(stored.find(Some("apples"), "99").await.unwrap(), one);
    let several = stored.find(None, "9969212f").await.unwrap_err();
    assert!(
        matches!(several, StoredError::Ambiguous { count: 2, .. }),
        "{several:?}"
    );
    let none = stored.find(Some("apples"), OTHER).await.unwrap_err();
    assert!(none.is_not_found(), "{none:?}");

    stored
        .change(&one, &Changes::new().title(" Plums ").tag("fruit"))
        .await
        .unwrap();
    let apples = stored.list(Some("apples")).await.unwrap();
    assert_eq!(shown(&apples), [(ONE, "Plums")]);
    assert_eq!(
        apples.sessions[0].info.as_ref().unwrap().tag.as_deref(),
        Some("fruit")
    );
    for (changes, why) in [
        (Changes::new().title("  "), "a title needs"),
        (Changes::new().tag("\u{200b}"), "a tag needs"),
        (Changes::new().archived(true), "cannot archive"),
    ] {
        let error = stored.change(&one, &changes).await.unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    let gone = SessionRef::new("apples", OTHER).unwrap();
    let error = stored
        .change(&gone, &Changes::new().title("X"))
        .await
        .unwrap_err();
    assert!(error.is_not_found(), "{error}");
    // A change of a session that does not exist creates no session.
    assert_eq!(stored.list(Some("apples")).await.unwrap().sessions.len(), 1);
}

#[tokio::test]
async fn a_session_is_forked_in_its_store() {
    let store = Arc::new(MemoryStore::new());
    let one = add(&*store, "apples", ONE, "The word is plum.").await;
    let stored = StoredSessions::new(store.clone());
    let within = tempfile::tempdir().unwrap();
    let fork = stored
        .fork(&one)
        .title("Pears")
        .within(within.path())
        .run()
        .await
        .unwrap();
    assert_ne!(fork, one);
    assert_eq!(fork.project(), "apples");
    let apples = stored.list(Some("apples")).await.unwrap();
    let titles: Vec<_> = shown(&apples)
        .into_iter()
        .map(|(_, title)| title.to_owned())
        .collect();
    assert!(titles.contains(&"Pears".to_owned()), "{titles:?}");
    let lines: Vec<_> = store.load(&fork.main()).try_collect().await.unwrap();
    assert!(
        lines
            .iter()
            .any(|stored| stored.line.as_str().contains("The word is plum."))
    );
    assert_eq!(std::fs::read_dir(within.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn what_a_process_has_is_not_deleted() {
    let store = Arc::new(MemoryStore::new());
    let one = add(&*store, "apples", ONE, "The word is plum.").await;
    let stored = StoredSessions::new(store.clone());
    let (runs, deletes) = (Owner::new("host one"), Owner::new("host two"));
    let claims = store.claims().unwrap();
    let claim = claims
        .claim(&one, &runs, Duration::from_mins(1))
        .await
        .unwrap();
    let error = stored.delete(&one, &deletes).await.unwrap_err();
    assert!(error.to_string().contains("host one"), "{error}");
    assert_eq!(stored.list(None).await.unwrap().sessions.len(), 1);

    claims.release(&claim).await.unwrap();
    stored.delete(&one, &deletes).await.unwrap();
    assert_eq!(stored.list(None).await.unwrap().sessions.len(), 0);
    stored.delete(&one, &deletes).await.unwrap();
    // The deletion has released its claim, so another owner can claim the session.
    claims
        .claim(&one, &runs, Duration::from_mins(1))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_session_that_was_written_to_after_it_was_listed_is_not_deleted() {
    let store = Arc::new(MemoryStore::new());
    let one = add(&*store, "apples", ONE, "The word is plum.").await;
    let stored = StoredSessions::new(store.clone());
    let listed = stored.list(Some("apples")).await.unwrap().sessions[0].modified;
    let owner = Owner::new("host");
    let before = stored.delete_unchanged(&one, &owner, listed - 1).await;
    assert!(!before.unwrap());
    assert_eq!(stored.list(None).await.unwrap().sessions.len(), 1);
    // The first call has released its claim, so another owner can delete the session.
    let other = Owner::new("other host");
    let deleted = stored.delete_unchanged(&one, &other, listed).await;
    assert!(deleted.unwrap());
    assert_eq!(stored.list(None).await.unwrap().sessions.len(), 0);
    assert!(stored.is_deleted(&one).await.unwrap());
}

/// Counts the calls that list sessions, and those that read the entry of one session.
#[derive(Debug, Default)]
struct Lists {
    lists: AtomicUsize,
    entries: AtomicUsize,
}

impl Intercept for Lists {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        match call {
            Call::Sessions => self.lists.fetch_add(1, Ordering::Relaxed),
            Call::Listed => self.entries.fetch_add(1, Ordering::Relaxed),
            _ => 0,
        };
        Ok(())
    }
}

#[tokio::test]
async fn a_deletion_reads_the_entry_of_its_session_alone() {
    let store = Arc::new(intercepted(Arc::new(MemoryStore::new()), Lists::default()));
    add(&*store, "apples", ONE, "The word is plum.").await;
    add(&*store, "apples", OTHER, "The word is quince.").await;
    let stored = StoredSessions::new(store.clone());
    let sessions = stored.list(None).await.unwrap().sessions;
    let owner = Owner::new("host");
    for listed in &sessions {
        let deleted = stored.delete_unchanged(&listed.session, &owner, listed.modified);
        assert!(deleted.await.unwrap());
    }
    let counts = [&store.intercept.lists, &store.intercept.entries];
    assert_eq!(counts.map(|count| count.load(Ordering::Relaxed)), [1, 2]);
    assert_eq!(stored.list(None).await.unwrap().sessions.len(), 0);
}

/// A store in which the first claim ends while the entry of its session is read, as after its time to live. Then another
/// owner claims the session.
#[derive(Debug)]
struct Overtaken {
    store: Arc<MemoryStore>,
    session: SessionRef,
    newer: Mutex<Option<Claim>>,
}

impl Intercept for Overtaken {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call == Call::Listed {
            let claims = self.store.claims().unwrap();
            let (session, now) = (&self.session, Instant::now());
            let (owner, _) = claims.holder(session).await?.unwrap();
            let first = Claim::granted(session.clone(), owner, Epoch(1), now, MINUTE);
            claims.release(&first).await?;
            let other = Owner::new("another host");
            let newer = claims.claim(session, &other, MINUTE).await?;
            *self.newer.lock().unwrap() = Some(newer);
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_session_that_another_owner_claims_during_the_comparison_stays() {
    let inner = Arc::new(MemoryStore::new());
    let one = add(&*inner, "apples", ONE, "The word is plum.").await;
    let store = intercepted(
        inner.clone(),
        Overtaken {
            store: inner.clone(),
            session: one.clone(),
            newer: Mutex::default(),
        },
    );
    let store = Arc::new(store);
    let stored = StoredSessions::new(store.clone());
    let listed = stored.list(None).await.unwrap().sessions[0].modified;
    let owner = Owner::new("host");
    let deleted = stored.delete_unchanged(&one, &owner, listed).await;
    assert!(!deleted.unwrap());
    assert!(!stored.is_deleted(&one).await.unwrap());
    // The other owner still has its claim, and stores lines with it.
    let newer = store.intercept.newer.lock().unwrap().take().unwrap();
    let batch = Batch {
        writer: &WriterId::random(),
        number: 0,
        lines: &[Line::new("{}").unwrap()],
        epoch: Some(newer.epoch),
    };
    let appended = inner.append(&one.main(), batch).await.unwrap();
    assert_eq!(appended.total, 2);
    inner.claims().unwrap().renew(&newer, MINUTE).await.unwrap();
}

/// A store without summaries, which returns an error for the lines of one session.
#[derive(Debug)]
struct Bare(MemoryStore);

impl ReadSessions for Bare {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        if key.session().session() == OTHER {
            return futures::stream::once(async { Err(StoreError::corrupt("no lines")) }).boxed();
        }
        self.0.load(key)
    }

    fn lists(&self) -> Option<&dyn ListSessions> {
        Some(self)
    }
}

impl SessionStore for Bare {
    fn append<'a>(
        &'a self,
        key: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, StoreError>> {
        self.0.append(key, batch)
    }

    fn next_number<'a>(
        &'a self,
        key: &'a StoreKey,
        writer: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.0.next_number(key, writer)
    }
}

impl ListSessions for Bare {
    fn sessions<'a>(
        &'a self,
        project: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>> {
        let listed = self.0.lists().unwrap().sessions(project);
        listed
            .map_ok(|mut listed| {
                listed.summary = None;
                listed
            })
            .boxed()
    }
}

#[tokio::test]
async fn a_store_without_summaries_is_read_and_what_cannot_be_read_is_named() {
    let store = Bare(MemoryStore::new());
    let one = add(&store, "apples", ONE, "The word is plum.").await;
    let other = add(&store, "apples", OTHER, "The word is quince.").await;
    let stored = StoredSessions::new(Arc::new(store));
    let listing = stored.list(Some("apples")).await.unwrap();
    assert_eq!(shown(&listing), [(ONE, "The word is plum.")]);
    assert_eq!(listing.problems[0].0, other);

    let error = stored.delete(&one, &Owner::new("host")).await.unwrap_err();
    assert_eq!(error.to_string(), "the store cannot delete sessions");
    let limited = stored.limits(Limits::default().sessions(1));
    let error = limited.list(None).await.unwrap_err();
    assert!(
        error.to_string().contains("more than 1 sessions"),
        "{error}"
    );
}
