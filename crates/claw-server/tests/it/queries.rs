//! Queries of one session are bounded, as searches in all of them are.

use std::sync::Arc;

use claw_client::store::{MemoryStore, SessionRef, StoreError};
use claw_testkit::agent::Script;
use claw_testkit::store::{Call, Intercept, Intercepted, intercepted};
use futures::stream::{FuturesUnordered, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};

use crate::client::{Running, soon};
use crate::stores::append_to;

/// How many queries run or wait at once.
const MOST: usize = 32;

/// Lets a store return no line of a session before it may, and takes its claims away, and its lists unless it has them.
#[derive(Debug)]
struct Gate {
    /// The session. No other test and no process has it, so what an earlier process has left is not loaded from it.
    session: SessionRef,
    lines: Semaphore,
    /// The number of loads that wait.
    waiting: watch::Sender<usize>,
    has_lists: bool,
}

/// Counts a load until it is dropped.
struct UncountOnDrop<'a>(&'a Gate);

impl Drop for UncountOnDrop<'_> {
    fn drop(&mut self) {
        self.0.waiting.send_modify(|count| *count -= 1);
    }
}

impl Intercept for Gate {
    async fn before(&self, _: Call) -> Result<(), StoreError> {
        Ok(())
    }

    async fn before_of(&self, call: Call, session: Option<&SessionRef>) -> Result<(), StoreError> {
        if call == Call::Load && session == Some(&self.session) {
            self.waiting.send_modify(|count| *count += 1);
            let _counted = UncountOnDrop(self);
            drop(self.lines.acquire().await.unwrap());
        }
        Ok(())
    }

    fn has(&self, call: Call) -> bool {
        self.has_lists && call == Call::Sessions
    }
}

async fn stored(has_lists: bool) -> Intercepted<Gate, MemoryStore> {
    let id = uuid::Uuid::new_v4().to_string();
    let gate = Gate {
        session: SessionRef::new("shop", &*id).unwrap(),
        lines: Semaphore::new(0),
        waiting: watch::Sender::new(0),
        has_lists,
    };
    let store = intercepted(Arc::default(), gate);
    let line = json!({"type": "user", "uuid": "b0000000-0000-4000-8000-000000000001", "parentUuid": null,
        "sessionId": id, "cwd": "/elsewhere", "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"role": "user", "content": "Apples?"}});
    append_to(&store, &store.intercept.session.main(), &[line]).await;
    store
}

#[tokio::test]
async fn more_queries_of_a_session_than_may_wait_are_refused_at_once() {
    for (begin, end) in [
        ("/s", "find?q=apples"),
        ("/s", "elements"),
        ("/api/sessions", "elements"),
    ] {
        let store = Arc::new(stored(false).await);
        let path = format!("{begin}/{}/{end}", store.intercept.session.session());
        let held = store.clone();
        let running = Running::start_as(Script::reply("Hi."), |builder| builder.store(held)).await;
        let mut all: FuturesUnordered<_> = (0..MOST + 8)
            .map(|_| running.ask("GET", &path, &Value::Null))
            .collect();
        // The store gives nothing yet, so these are all that can be answered.
        for _ in 0..8 {
            let refused = soon(all.next()).await.unwrap();
            assert_eq!(refused.status, 503, "{path}: {}", refused.body);
        }
        store.intercept.lines.add_permits(1);
        while let Some(answer) = soon(all.next()).await {
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        }
        drop(all);
        running.end().await;
    }
}

#[tokio::test]
async fn a_search_in_a_store_is_bounded_and_ends_with_its_client() {
    let store = Arc::new(stored(true).await);
    let held = store.clone();
    let running = Running::start_as(Script::reply("Hi."), |builder| builder.store(held)).await;
    // Without a body, the server notices at once that a client goes away.
    let start = running.head("GET", "/api/search?q=apples");
    let request = format!("{start}Connection: close\r\n\r\n");
    let search = || running.raw(&request);
    let mut all: FuturesUnordered<_> = (0..MOST + 8).map(|_| search()).collect();
    for _ in 0..8 {
        let refused = soon(all.next()).await.unwrap();
        assert_eq!(refused.status, 503, "{}", refused.body);
    }
    let mut waiting = store.intercept.waiting.subscribe();
    // Two searches run.
    soon(waiting.wait_for(|count| *count == 2)).await.unwrap();
    // The clients go away while the store returns nothing, and their searches end.
    drop(all);
    soon(waiting.wait_for(|count| *count == 0)).await.unwrap();
    store.intercept.lines.add_permits(1);
    let answer = soon(async {
        loop {
            let answer = search().await;
            if answer.status != 503 {
                break answer;
            }
        }
    });
    let hits = answer.await.json();
    assert_eq!(
        hits[0]["sessionId"],
        store.intercept.session.session(),
        "{hits}"
    );
    running.end().await;
}
