//! Queries of one session are bounded, as searches in all of them are.

use std::sync::Arc;

use claw_client::store::{
    Batch, Line, MemoryStore, SessionRef, SessionStore as _, StoreError, WriterId,
};
use claw_testkit::agent::Script;
use claw_testkit::store::{Call, Intercept, Intercepted, intercepted};
use futures::stream::{FuturesUnordered, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::client::{Running, soon};
use crate::list::id;

/// How many queries run or wait at once.
const MOST: usize = 32;

/// Lets a store return no line before it may, and takes its lists and claims away.
#[derive(Debug)]
struct Gate(Semaphore);

impl Intercept for Gate {
    async fn before(&self, call: Call) -> Result<(), StoreError> {
        if call == Call::Load {
            drop(self.0.acquire().await.unwrap());
        }
        Ok(())
    }

    fn has(&self, _: Call) -> bool {
        false
    }
}

async fn stored() -> Intercepted<Gate, MemoryStore> {
    let store = intercepted(Arc::default(), Gate(Semaphore::new(0)));
    let line = json!({"type": "user", "uuid": "b0000000-0000-4000-8000-000000000001", "parentUuid": null,
        "sessionId": id(1), "cwd": "/elsewhere", "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"role": "user", "content": "Apples?"}});
    let batch = Batch {
        writer: &WriterId::random(),
        number: 0,
        lines: &[Line::new(line.to_string()).unwrap()],
        epoch: None,
    };
    let session = SessionRef::new("shop", id(1)).unwrap();
    store.append(&session.main(), batch).await.unwrap();
    store
}

#[tokio::test]
async fn more_queries_of_a_session_than_may_wait_are_refused_at_once() {
    let of_session = id(1);
    for path in [
        format!("/s/{of_session}/find?q=apples"),
        format!("/s/{of_session}/elements"),
        format!("/api/sessions/{of_session}/elements"),
    ] {
        let store = Arc::new(stored().await);
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
        store.intercept.0.add_permits(1);
        while let Some(answer) = soon(all.next()).await {
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        }
        drop(all);
        running.end().await;
    }
}
