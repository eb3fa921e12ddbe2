//! Tests of sessions that are stored while they are written, also while the store is unreachable.

use std::cell::RefCell;
use std::fs;
use std::future::{Future, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use claw_sessions::{Sessions, slug};
use claw_store::{
    MemoryStore, SessionStore, SessionSync, StoreError, StoredSessions, SyncOutcome, Synced,
};
use claw_testkit::store::{Call, Intercept, intercepted};
use futures::channel::oneshot;
use futures::executor::block_on;
use serde_json::json;

const ONE: &str = "11111111-1111-4111-8111-111111111111";

/// Fails the next claims, and records when each attempt was made.
#[derive(Debug, Default)]
struct Away {
    failures: AtomicUsize,
    attempts: std::sync::Mutex<Vec<Instant>>,
}

/// The shared [`Away`], which intercepts the calls of a store.
#[derive(Debug)]
struct Shared(Arc<Away>);

impl Intercept for Shared {
    fn before(&self, call: Call) -> impl Future<Output = Result<(), StoreError>> + Send {
        if call != Call::Claim {
            return ready(Ok(()));
        }
        self.0.attempts.lock().unwrap().push(Instant::now());
        let minus = |left: usize| left.checked_sub(1);
        let is_away = self
            .0
            .failures
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, minus);
        ready(match is_away {
            Ok(_) => Err(StoreError::unavailable("no route to it")),
            Err(_) => Ok(()),
        })
    }
}

#[test]
fn a_store_that_is_away_is_tried_later_and_later_until_it_returns() {
    let folder = tempfile::tempdir().unwrap();
    let work = claw_sessions::real_path(folder.path()).unwrap();
    let sessions = Sessions::new(folder.path().join("config"));
    let transcript = sessions
        .projects()
        .join(slug(&work))
        .join(format!("{ONE}.jsonl"));
    fs::create_dir_all(transcript.parent().unwrap()).unwrap();
    let lines = RefCell::new(String::new());
    let grow = |uuid: &str| {
        let line = json!({
            "type": "user", "uuid": uuid, "parentUuid": null, "sessionId": ONE, "cwd": &work,
            "message": {"role": "user", "content": uuid},
        });
        let mut lines = lines.borrow_mut();
        lines.extend([line.to_string(), "\n".to_owned()]);
        fs::write(&transcript, &*lines).unwrap();
    };
    grow("a");
    let away = Arc::new(Away::default());
    away.failures.store(2, Ordering::SeqCst);
    let store = intercepted(Arc::new(MemoryStore::new()), Shared(Arc::clone(&away)));
    let store: Arc<dyn SessionStore> = Arc::new(store);
    let sync = SessionSync::new(
        StoredSessions::new(Arc::clone(&store)),
        sessions,
        folder.path().join("state"),
    );
    let (stop, stopped) = oneshot::channel::<()>();
    let mut stop = Some(stop);
    let mut reports = Vec::new();
    let synced = |synced: Synced| match synced.outcome {
        SyncOutcome::Failed(error) => reports.push(error.to_string()),
        SyncOutcome::Stored { new, .. } if reports.len() == 1 => {
            reports.push(new.to_string());
            // After a success, the next outage begins with the first pause again.
            away.failures.store(1, Ordering::SeqCst);
            grow("b");
        }
        SyncOutcome::Stored { new, .. } => {
            reports.push(new.to_string());
            stop.take().unwrap().send(()).unwrap();
        }
        other => panic!("{other:?}"),
    };
    let until = async { stopped.await.unwrap() };
    block_on(sync.watch(until, synced)).unwrap();
    // Each outage is reported once.
    let failed = "the store is away: no route to it";
    assert_eq!(reports, [failed, "1", failed, "1"]);
    let attempts = away.attempts.lock().unwrap();
    let pauses: Vec<_> = attempts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let [first, second, _, again] = &pauses[..] else {
        panic!("{pauses:?}")
    };
    let seconds = Duration::from_secs;
    assert!(*first >= seconds(1), "{pauses:?}");
    assert!(*second >= seconds(2), "{pauses:?}");
    assert!(*again >= seconds(1), "{pauses:?}");
}
