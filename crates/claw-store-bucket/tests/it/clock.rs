//! Tests of claims between hosts whose clocks differ.

use std::time::{Duration, Instant};

use claw_store::{Owner, SessionStore as _, StoreError};
use claw_testkit::store::faults::claim_after;

use crate::server;
use crate::{fresh, session};

/// Claims depend only on the server's clock. The clock of the host has no effect.
#[tokio::test]
async fn a_claim_lasts_as_long_with_clocks_an_hour_apart() {
    for ahead in [3600, -3600] {
        let server = server::start_with_clock_ahead(ahead);
        let store = fresh(&server).await;
        let (session, claims) = (session(), store.claims().expect("claims"));
        let (one, other, ttl) = (
            Owner::new("one"),
            Owner::new("other"),
            Duration::from_secs(2),
        );
        let first = claims.claim(&session, &one, ttl).await.expect("a claim");
        let error = claims
            .claim(&session, &other, ttl)
            .await
            .expect_err("it is held");
        let StoreError::Held { expires_in, .. } = error else {
            panic!("{error:?}");
        };
        assert!(expires_in <= ttl, "{expires_in:?}");
        let second = claim_after(&store, &session, &other).await;
        assert!(Instant::now() >= first.until);
        assert!(second.epoch > first.epoch);
    }
}

/// Registering a transcript writes the session's object, and does not extend the session's claim.
#[tokio::test]
async fn a_transcript_that_begins_does_not_renew_a_claim() {
    let server = server::shared();
    let store = fresh(&server).await;
    let (session, claims) = (session(), store.claims().expect("claims"));
    let (one, other) = (Owner::new("one"), Owner::new("other"));
    let ttl = Duration::from_secs(1);
    let claim = claims.claim(&session, &one, ttl).await.expect("a claim");
    let began = Instant::now();
    let mut beginnings = 0;
    // A writer without a claim registers transcripts in the meantime.
    while let Err(error) = claims.claim(&session, &other, ttl).await {
        assert!(error.is_held(), "{error:?}");
        let key = session.at(claw_store::Subpath::new(&format!("a{beginnings}")).expect("a path"));
        let writer = claw_store::WriterId::new("w");
        store
            .append(&key, crate::batch(&writer, 0, &[crate::note("x")], None))
            .await
            .expect("an append");
        beginnings += 1;
        assert!(began.elapsed() < Duration::from_mins(5), "it never ends");
    }
    assert!(beginnings > 0 && Instant::now() >= claim.until);
}
