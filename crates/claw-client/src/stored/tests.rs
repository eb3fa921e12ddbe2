//! Tests a mirror with stores that fail, without a CLI.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use claw_store::{
    Appended, Batch, MemoryStore, ReadSessions, SessionRef, SessionStore, StoreError, StoreKey,
    StoredLine, Subpath, WriterId,
};
use claw_testkit::processes;
use claw_transport::{Process, ProcessHost};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt as _, TryStreamExt as _};
use tokio::time::{Instant, sleep};

use super::lease::lock;
use super::origin::Origin;
use super::task::Task;
use super::*;

const ID: &str = "4f6e1c3a-8f0b-4b43-9c57-1f2d3e4a5b6c";

/// The fault with which the store answers a call.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Away,
    Hangs,
    /// The store carries out the call, but the response is lost.
    Lands,
}

/// A store that fails.
#[derive(Debug, Default)]
struct Faulty<S = MemoryStore> {
    inner: S,
    /// The faults of the next calls. A call whose entry is `None` succeeds.
    faults: Mutex<Vec<Option<Fault>>>,
    /// The time at which the store can be reached again.
    back: Mutex<Option<Instant>>,
    calls: AtomicU64,
}

impl<S: ReadSessions> ReadSessions for Faulty<S> {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        self.inner.load(key)
    }
}

impl<S: SessionStore> SessionStore for Faulty<S> {
    fn append<'a>(
        &'a self,
        key: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, StoreError>> {
        async move {
            self.calls.fetch_add(1, Relaxed);
            if lock(&self.back).is_some_and(|back| Instant::now() < back) {
                return Err(StoreError::unavailable("no store"));
            }
            let fault = lock(&self.faults).pop().flatten();
            match fault {
                None => self.inner.append(key, batch).await,
                Some(Fault::Away) => Err(StoreError::unavailable("busy")),
                Some(Fault::Hangs) => futures::future::pending().await,
                Some(Fault::Lands) => {
                    self.inner.append(key, batch).await?;
                    Err(StoreError::uncertain("the answer is lost"))
                }
            }
        }
        .boxed()
    }

    fn next_number<'a>(
        &'a self,
        key: &'a StoreKey,
        writer: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.inner.next_number(key, writer)
    }
}

/// A transcript that is written and mirrored.
struct Run<S> {
    store: Arc<S>,
    session: SessionRef,
    mirror: Mirror,
    folder: tempfile::TempDir,
    options: StoreOptions,
    // The process ends when this value is dropped.
    _process: Process,
    host: Option<ProcessHost>,
}

impl<S: SessionStore> Run<S> {
    fn start(store: S, options: impl FnOnce(StoreOptions) -> StoreOptions) -> Self {
        let store = Arc::new(store);
        let session = SessionRef::new("p", ID).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("projects/p")).unwrap();
        let (process, host) = Process::hosted();
        let options = options(StoreOptions::from(store.clone())).timely();
        let origin = Origin::new(session.clone());
        let lost = tokio::sync::watch::Sender::new(None);
        let life = Arc::default();
        let mirror = Task::start(options.clone(), origin, None, lost, life, &process);
        Self {
            store,
            session,
            mirror,
            folder,
            options,
            _process: process,
            host: Some(host),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder
            .path()
            .join("projects/p")
            .join(format!("{ID}.jsonl"))
    }

    /// Appends lines to a transcript as the CLI does, and reports the change to the mirror.
    fn write(&self, path: &Path, lines: &[String]) {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .unwrap();
        file.write_all(lines.concat().as_bytes()).unwrap();
        self.mirror.0.touch(path.to_owned());
    }

    async fn stored(&self) -> Vec<String> {
        let key = self.session.main();
        let lines = self
            .store
            .load(&key)
            .map_ok(|stored| format!("{}\n", stored.line.as_str()));
        lines.try_collect().await.unwrap()
    }

    /// Ends the process. Returns the stored lines and the mirror's messages.
    async fn end(mut self) -> (Vec<String>, Vec<String>) {
        drop(self.host.take());
        self.mirror.0.end().await;
        let news = self.mirror.0.take_notices();
        let told = news.iter().map(|item| match item {
            claw_codec::LineItem::Line(line) => String::from_utf8(line.raw.to_vec()).unwrap(),
            other => panic!("{other:?}"),
        });
        (self.stored().await, told.collect())
    }
}

fn line(number: usize) -> String {
    // Each second line is a note without a UUID. All notes are equal.
    if number.is_multiple_of(2) {
        format!("{{\"type\":\"user\",\"uuid\":\"{number}\"}}\n")
    } else {
        "{\"type\":\"last-prompt\",\"lastPrompt\":\"same\"}\n".to_owned()
    }
}

/// Returns faults of every kind, each followed by a call that succeeds.
fn faults() -> Vec<Option<Fault>> {
    let faults = [
        Fault::Away,
        Fault::Lands,
        Fault::Hangs,
        Fault::Lands,
        Fault::Away,
    ];
    let faults = faults.repeat(10);
    faults
        .into_iter()
        .flat_map(|fault| [Some(fault), None])
        .collect()
}

/// The CLI writes to the new transcript, and after that to the old one.
#[tokio::test(start_paused = true)]
async fn the_session_after_clear_stays_the_newest() {
    let run = Run::start(MemoryStore::new(), |options| options);
    let next = "11111111-1111-4111-8111-111111111111";
    run.write(
        &run.path().with_file_name(format!("{next}.jsonl")),
        &[line(0)],
    );
    run.write(&run.path(), &[line(2)]);
    run.mirror.flush(Duration::from_secs(9)).await.unwrap();
    assert_eq!(run.mirror.session().session(), next);
    let (stored, _) = run.end().await;
    assert_eq!(stored, [line(2)]);
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_lines_and_a_store_that_fails_in_every_way() {
    let store = Faulty::<MemoryStore>::default();
    *lock(&store.faults) = faults();
    let run = Run::start(store, |options| options);
    let mut written = Vec::new();
    for part in 0..100 {
        let lines: Vec<_> = (part * 100..(part + 1) * 100).map(line).collect();
        run.write(&run.path(), &lines);
        written.extend(lines);
        if part == 50 {
            *lock(&run.store.back) = Some(Instant::now() + Duration::from_mins(1));
        }
        sleep(Duration::from_millis(300)).await;
    }
    run.mirror.flush(Duration::from_hours(1)).await.unwrap();
    let (stored, told) = run.end().await;
    assert_eq!(stored.len(), 10_000);
    assert!(stored == written, "entry by entry what was written");
    // The mirror has reported that the store was away, and no line is missing.
    assert!(
        told.iter().any(|told| told.contains("no store")),
        "{told:?}"
    );
    assert!(told.len() < 30, "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_dead_store_lacks_is_told_and_the_end_has_a_bound() {
    let store = Faulty::<MemoryStore>::default();
    *lock(&store.back) = Some(Instant::now() + Duration::from_secs(1 << 30));
    let run = Run::start(store, |options| options.close_delay(Duration::from_secs(3)));
    run.write(&run.path(), &[line(0), line(1)]);
    let flushed = run.mirror.flush(Duration::from_secs(5)).await;
    assert!(
        matches!(flushed, Err(StoreError::Unavailable(_))),
        "{flushed:?}"
    );
    let began = Instant::now();
    let (stored, told) = run.end().await;
    assert!(
        began.elapsed() <= Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
    assert!(stored.is_empty());
    let told = told.last().unwrap();
    assert!(
        told.contains(r#""subtype":"mirror_error""#) && told.contains(ID),
        "{told}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_a_store_lacks_is_counted_until_it_is_stored() {
    let store = Faulty::<MemoryStore>::default();
    let run = Run::start(store, |options| options);
    let options = run.options.clone();
    run.write(&run.path(), &[line(0)]);
    run.mirror.flush(Duration::from_secs(5)).await.unwrap();
    assert_eq!(options.unstored(), Unstored::default());
    *lock(&run.store.back) = Some(Instant::now() + Duration::from_secs(20));
    let lines = [line(1), line(2)];
    run.write(&run.path(), &lines);
    run.mirror.flush(Duration::from_secs(5)).await.unwrap_err();
    let unstored = options.unstored();
    assert_eq!(unstored.bytes, lines.concat().len() as u64);
    assert!(!unstored.oldest.is_zero());
    run.mirror.flush(Duration::from_mins(1)).await.unwrap();
    assert_eq!(options.unstored(), Unstored::default());
    let mirror = run.mirror.clone();
    run.end().await;
    mirror.flush(Duration::from_secs(1)).await.unwrap_err();
    assert_eq!(options.unstored(), Unstored::default());
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_back_at_the_end_has_everything() {
    let store = Faulty::<MemoryStore>::default();
    *lock(&store.back) = Some(Instant::now() + Duration::from_secs(20));
    let run = Run::start(store, |options| options.close_delay(Duration::from_mins(1)));
    let agent = run
        .path()
        .with_extension("")
        .join("subagents/agent-1.jsonl");
    std::fs::create_dir_all(agent.parent().unwrap()).unwrap();
    run.write(&run.path(), &[line(0)]);
    sleep(Duration::from_secs(1)).await;
    // The CLI was killed before it could report this transcript to the mirror.
    std::fs::write(&agent, line(2)).unwrap();
    let store = run.store.clone();
    let subagent = run.session.at(Subpath::new("subagents/agent-1").unwrap());
    let (stored, _) = run.end().await;
    assert_eq!(stored, [line(0)]);
    let lines: Vec<_> = store.load(&subagent).try_collect().await.unwrap();
    assert_eq!(lines.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_transcript_that_cannot_be_one_is_told_once() {
    let run = Run::start(MemoryStore::default(), |options| options);
    for _ in 0..3 {
        run.mirror.0.touch(PathBuf::from("/etc/passwd"));
        let _ = run.mirror.flush(Duration::from_secs(1)).await;
    }
    let (stored, told) = run.end().await;
    assert!(stored.is_empty());
    assert_eq!(told.len(), 1, "{told:?}");
}

/// A store that discards all lines. It checks that each line arrives once, and that the order is right.
#[derive(Debug, Default)]
struct Checked {
    lines: AtomicU64,
}

impl ReadSessions for Checked {
    fn load<'a>(&'a self, _: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        Box::pin(futures::stream::empty())
    }
}

impl SessionStore for Checked {
    fn append<'a>(
        &'a self,
        _: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, StoreError>> {
        let has = self.lines.load(Relaxed);
        assert!(batch.number <= has, "no line is left out");
        for (number, line) in (batch.number..).zip(batch.lines) {
            assert_eq!(format!("{}\n", line.as_str()), large(number));
        }
        let end = batch.number + batch.lines.len() as u64;
        self.lines.fetch_max(end, Relaxed);
        let new = end.saturating_sub(has);
        futures::future::ready(Ok(Appended::new(new, has + new))).boxed()
    }

    fn next_number<'a>(
        &'a self,
        _: &'a StoreKey,
        _: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        futures::future::ready(Ok(self.lines.load(Relaxed))).boxed()
    }
}

fn large(number: u64) -> String {
    let text = "x".repeat(8000);
    format!("{{\"type\":\"user\",\"uuid\":\"{number}\",\"text\":\"{text}\"}}\n")
}

/// Stores lines of 80 MB in total.
#[test]
fn ten_thousand_lines_and_a_store_that_fails_take_little_memory() {
    let name = "stored::tests::ten_thousand_lines_and_a_store_that_fails_take_little_memory";
    if !claw_testkit::alone(name) {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let store = Faulty::<Checked>::default();
        *lock(&store.faults) = faults();
        let run = Run::start(store, |options| options);
        run.write(&run.path(), &[large(0)]);
        run.mirror.flush(Duration::from_hours(1)).await.unwrap();
        let before = processes::memory();
        // Some systems record the peak of the memory only after the first such call, so the call is
        // made here.
        processes::peak_memory();
        for part in 0..100 {
            let lines: Vec<_> = (part * 100..(part + 1) * 100).map(large).collect();
            run.write(&run.path(), &lines[usize::from(part == 0)..]);
            if part == 50 {
                *lock(&run.store.back) = Some(Instant::now() + Duration::from_mins(1));
            }
            sleep(Duration::from_millis(300)).await;
        }
        run.mirror.flush(Duration::from_hours(1)).await.unwrap();
        let grown = processes::peak_memory().saturating_sub(before);
        println!("10,000 lines, 80 MB, and a store that fails: {grown} KiB more");
        assert!(grown <= 16 << 10, "{grown} KiB");
        assert_eq!(run.store.inner.lines.load(Relaxed), 10_000);
        run.end().await;
    });
}
