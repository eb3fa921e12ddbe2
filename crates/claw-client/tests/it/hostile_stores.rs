//! Stores that harm whoever trusts them: a session that is resumed from one fails with a clear error, in bounded memory, and
//! nothing is written anywhere but into the folder for temporary files, where nothing is left.

use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use claw_client::store::{
    Appended, Batch, Claim, Claims, FsStore, Limits, Line, ListSessions, ListSubkeys,
    ListedSession, Owner, ReadSessions, SessionRef, SessionStore, StoreError, StoreKey,
    StoreOptions, StoredLine, Subpath, WriterId,
};
use claw_client::types::{Map, QueryOptions};
use claw_client::{Error, Session};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt as _, StreamExt as _, future};
use tokio::time::sleep;

use crate::agent::soon;
use crate::apart::{apart, left_in};
use crate::proc::{memory, peak_memory};

const ID: &str = "4f6e1c3a-8f0b-4b43-9c57-1f2d3e4a5b6c";
const LIMIT: Duration = Duration::from_millis(300);

/// What a hostile store does to its caller.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Harm {
    /// No load is ever answered.
    Silence,
    /// No claim is ever answered.
    NoClaim,
    /// It answers after the time-out.
    Late,
    /// A small line from time to time, without end.
    Drip,
    /// Large lines without end.
    Flood,
    /// The lines of another session.
    Foreign,
    /// More transcripts than a session has.
    Many,
    /// Sessions without end.
    Lists,
}

#[derive(Debug)]
struct Hostile {
    harm: Harm,
    brought: AtomicU64,
}

impl Hostile {
    fn new(harm: Harm) -> Arc<Self> {
        Arc::new(Self {
            harm,
            brought: AtomicU64::new(0),
        })
    }

    fn line(&self, text: String) -> Line {
        self.brought.fetch_add(text.len() as u64, Relaxed);
        Line::new(text).unwrap()
    }
}

impl ReadSessions for Hostile {
    fn load<'a>(&'a self, _: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        let numbers = stream::iter(0..);
        match self.harm {
            Harm::Silence | Harm::NoClaim | Harm::Lists => stream::pending().boxed(),
            Harm::Late => stream::once(async {
                sleep(3 * LIMIT).await;
                Ok(StoredLine::new(
                    0,
                    self.line(r#"{"type":"user"}"#.to_owned()),
                ))
            })
            .boxed(),
            Harm::Drip => numbers
                .then(move |at| async move {
                    sleep(LIMIT / 10).await;
                    Ok(StoredLine::new(
                        at,
                        self.line(r#"{"type":"user"}"#.to_owned()),
                    ))
                })
                .boxed(),
            // 10 GB and more.
            Harm::Flood => numbers
                .map(move |at| {
                    let text = format!(r#"{{"type":"user","x":"{}"}}"#, "x".repeat(1 << 20));
                    Ok(StoredLine::new(at, self.line(text)))
                })
                .boxed(),
            Harm::Foreign => {
                let text = r#"{"type":"user","sessionId":"9969212f-13f2-4efc-894f-c2b4e65d5fa0"}"#;
                stream::iter([Ok(StoredLine::new(0, self.line(text.to_owned())))]).boxed()
            }
            Harm::Many => {
                let text = format!(r#"{{"type":"user","sessionId":"{ID}"}}"#);
                stream::iter([Ok(StoredLine::new(0, self.line(text)))]).boxed()
            }
        }
    }

    fn subkeys(&self) -> Option<&dyn ListSubkeys> {
        Some(self)
    }

    fn lists(&self) -> Option<&dyn ListSessions> {
        Some(self)
    }
}

impl SessionStore for Hostile {
    fn append<'a>(
        &'a self,
        _: &'a StoreKey,
        _: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, StoreError>> {
        panic!("nothing is to be stored")
    }

    fn next_number<'a>(
        &'a self,
        _: &'a StoreKey,
        _: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        future::ready(Ok(u64::MAX)).boxed()
    }

    fn claims(&self) -> Option<&dyn Claims> {
        (self.harm == Harm::NoClaim).then_some(self)
    }
}

impl ListSubkeys for Hostile {
    fn subkeys<'a>(&'a self, _: &'a SessionRef) -> BoxFuture<'a, Result<Vec<Subpath>, StoreError>> {
        let many = (0..20).map(|number| Subpath::new(&format!("subagents/agent-{number}")));
        let many = many.filter(|_| self.harm == Harm::Many);
        future::ready(many.collect::<Result<_, _>>().map_err(StoreError::from)).boxed()
    }
}

impl ListSessions for Hostile {
    fn sessions<'a>(
        &'a self,
        _: Option<&'a str>,
    ) -> BoxStream<'a, Result<ListedSession, StoreError>> {
        let session = SessionRef::new("p", ID).unwrap();
        let listed = move |at| Ok(ListedSession::new(session.clone(), at));
        stream::iter(0..).map(listed).boxed()
    }
}

impl Claims for Hostile {
    fn claim<'a>(
        &'a self,
        _: &'a SessionRef,
        _: &'a Owner,
        _: Duration,
    ) -> BoxFuture<'a, Result<Claim, StoreError>> {
        pending().boxed()
    }

    fn renew<'a>(&'a self, _: &'a Claim, _: Duration) -> BoxFuture<'a, Result<(), StoreError>> {
        pending().boxed()
    }

    fn release<'a>(&'a self, _: &'a Claim) -> BoxFuture<'a, Result<(), StoreError>> {
        pending().boxed()
    }

    fn holder<'a>(
        &'a self,
        _: &'a SessionRef,
    ) -> BoxFuture<'a, Result<Option<(Owner, Duration)>, StoreError>> {
        pending().boxed()
    }
}

/// What resuming says. There is no CLI: it must not come so far.
async fn refused(home: &Path, store: StoreOptions, is_named: bool) -> Error {
    let mut env = Map::default();
    for name in ["HOME", "USERPROFILE"] {
        env.insert(name, Some(home.display().to_string()));
    }
    let options = QueryOptions::default().env(env).cwd(home);
    let options = if is_named {
        options.resume(ID)
    } else {
        options.continue_session(true)
    };
    let options = options.path_to_claude_code_executable(home.join("no-cli"));
    let limits = Limits::default().bytes(64 << 20).transcripts(10);
    let store = store.project("p").limits(limits);
    let connecting = Session::builder(options).store(store).connect();
    let error = soon(connecting).await.unwrap_err();
    assert_eq!(left_in(home), [""; 0], "nothing is written at home");
    assert_eq!(left_in(&std::env::temp_dir()).len(), 1, "but the home");
    error
}

#[tokio::test]
async fn resuming_from_a_hostile_store_is_a_clear_error_in_bounded_memory() {
    if !apart("hostile_stores::resuming_from_a_hostile_store_is_a_clear_error_in_bounded_memory") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let all = [
        (Harm::Silence, "the store did not answer within 300ms"),
        (Harm::NoClaim, "the store did not answer within 300ms"),
        (Harm::Late, "the store did not answer within 300ms"),
        (
            Harm::Drip,
            "the store did not answer within 300ms, or too slowly",
        ),
        (Harm::Flood, "over the limit of 67108864 bytes"),
        (Harm::Foreign, "has the lines of session \"9969212f"),
        (Harm::Many, "over the limit of 10 transcripts"),
    ];
    for (harm, says) in all {
        let store = Hostile::new(harm);
        let before = memory();
        let options = StoreOptions::from(store.clone()).timeout(LIMIT);
        let error = refused(home.path(), options, true).await;
        assert!(error.to_string().contains(says), "{harm:?}: {error}");
        let brought = store.brought.load(Relaxed);
        assert!(
            brought < 80 << 20,
            "{harm:?}: it was asked for {brought} bytes"
        );
        // A line is 1 MiB.
        let grown = peak_memory().saturating_sub(before);
        assert!(grown < 32 << 10, "{harm:?}: {grown} KiB more");
    }
}

#[tokio::test]
async fn a_list_without_end_is_an_error() {
    if !apart("hostile_stores::a_list_without_end_is_an_error") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let store = StoreOptions::from(Hostile::new(Harm::Lists)).timeout(Duration::from_mins(1));
    let error = refused(home.path(), store, false).await;
    let text = error.to_string();
    assert!(
        text.contains("lists over 1000000 sessions") || text.contains("too slowly"),
        "{text}"
    );
}

/// What stands in a shared folder, whoever changed it.
#[tokio::test]
async fn a_folder_in_which_lines_were_changed_is_an_error() {
    if !apart("hostile_stores::a_folder_in_which_lines_were_changed_is_an_error") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    // Beside the folder for temporary files, which is looked at.
    let shared = std::env::temp_dir().with_extension("shared");
    let store = Arc::new(FsStore::new(&shared));
    let session = SessionRef::new("p", ID).unwrap();
    let lines = ["1", "2"].map(|uuid| {
        Line::new(format!(
            r#"{{"type":"user","uuid":"{uuid}","sessionId":"{ID}"}}"#
        ))
        .unwrap()
    });
    let batch = Batch {
        writer: &WriterId::new("w"),
        number: 0,
        lines: &lines,
        epoch: None,
    };
    store.append(&session.main(), batch).await.unwrap();
    drop(store);
    let transcript = shared.join("projects/p").join(format!("{ID}.jsonl"));
    let text = std::fs::read_to_string(&transcript).unwrap();
    let options = || StoreOptions::from(Arc::new(FsStore::new(&shared)));
    let nonsense = text.replacen("{\"type\"", "{{nonsense", 1);
    std::fs::write(&transcript, nonsense).unwrap();
    let error = refused(home.path(), options(), true).await;
    assert!(
        matches!(error.store(), Some(StoreError::Incomplete { .. })),
        "{error:?}"
    );
    // A file of the system in its place.
    #[cfg(unix)]
    {
        std::fs::remove_file(&transcript).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &transcript).unwrap();
        let error = refused(home.path(), options(), true).await;
        assert!(error.store().is_some(), "{error:?}");
    }
    std::fs::remove_dir_all(&shared).unwrap();
}

#[test]
fn a_store_cannot_even_name_a_path_that_leads_elsewhere() {
    let climbing = [
        "..",
        "../x",
        "subagents/../../x",
        "/etc/passwd",
        "C:\\x",
        "c:x",
        "a\\..\\b",
        "a\0b",
        "a//b",
        ". .",
        "x/.. ",
    ];
    for path in climbing {
        assert!(Subpath::new(path).is_err(), "{path:?}");
    }
    for text in ["nonsense", "[]", "\"x\"", "{\"a\":1}\n{}", "{"] {
        assert!(Line::new(text).is_err(), "{text:?}");
    }
}
