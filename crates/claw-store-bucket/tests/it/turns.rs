//! Tests of hosts that use the store in turn, so that none knows the changes of the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use claw_store::{
    Appended, Batch, Claims, DeleteSession, ListSessions, ListSubkeys, ReadSessions, SessionStore,
    StoreError, StoreKey, StoredLine, WriterId,
};
use claw_store_bucket::Store;
use claw_testkit::store::conformance;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use object_store::memory::InMemory;

/// The stores of three hosts. Each call is made on the next host.
#[derive(Debug)]
struct Turns {
    hosts: [Store; 3],
    calls: AtomicUsize,
}

impl Turns {
    async fn new() -> Self {
        let objects = Arc::new(InMemory::new());
        let host = async || Store::open(objects.clone()).await.expect("a store");
        Self {
            hosts: [host().await, host().await, host().await],
            calls: AtomicUsize::new(0),
        }
    }

    fn turn(&self) -> &Store {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        &self.hosts[call % self.hosts.len()]
    }
}

impl ReadSessions for Turns {
    fn load<'a>(&'a self, key: &'a StoreKey) -> BoxStream<'a, Result<StoredLine, StoreError>> {
        self.turn().load(key)
    }

    fn lists(&self) -> Option<&dyn ListSessions> {
        self.turn().lists()
    }

    fn subkeys(&self) -> Option<&dyn ListSubkeys> {
        ReadSessions::subkeys(self.turn())
    }
}

impl SessionStore for Turns {
    fn append<'a>(
        &'a self,
        key: &'a StoreKey,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, StoreError>> {
        self.turn().append(key, batch)
    }

    fn next_number<'a>(
        &'a self,
        key: &'a StoreKey,
        writer: &'a WriterId,
    ) -> BoxFuture<'a, Result<u64, StoreError>> {
        self.turn().next_number(key, writer)
    }

    fn deletes(&self) -> Option<&dyn DeleteSession> {
        self.turn().deletes()
    }

    fn claims(&self) -> Option<&dyn Claims> {
        self.turn().claims()
    }
}

#[tokio::test]
async fn hosts_that_take_turns_conform() {
    let report = conformance(async || Arc::new(Turns::new().await)).await;
    assert!(report.skipped.is_empty());
}
