//! Checks that a session has only one writer at a time.

use std::time::{Duration, Instant};

use claw_store::{Epoch, Owner, StoreError};

use super::checks;
use super::given::{Store, Writer, assert_stored, beside, note, session, store_lines, user_line};

checks![
    a_claim_keeps_others_out,
    a_released_session_can_be_taken,
    an_owner_takes_its_session_again,
    each_claim_has_a_higher_epoch,
    a_claim_ends_by_itself,
    a_renewal_keeps_a_claim,
    a_released_claim_cannot_be_renewed,
    releasing_twice_is_fine,
    an_older_epoch_cannot_write,
    epochs_outlive_the_session,
    sessions_are_claimed_apart,
    of_many_claimants_one_succeeds,
    a_claim_has_the_address_of_its_holder,
];

const LONG: Duration = Duration::from_mins(10);

/// The shortest time to live of a claim that the suite uses. It must be long enough for a busy machine.
const SHORT: Duration = Duration::from_millis(300);

fn owner(name: &str) -> Owner {
    Owner::new(name)
}

async fn a_claim_keeps_others_out(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    let session = session("s1");
    let (one, other) = (owner("one"), owner("other"));
    assert_eq!(claims.holder(&session).await.expect("a holder"), None);
    let claim = claims.claim(&session, &one, LONG).await.expect("a claim");
    assert!(claim.epoch >= Epoch(1));
    assert!(claim.until <= Instant::now() + LONG);
    let error = claims
        .claim(&session, &other, LONG)
        .await
        .expect_err("it is held");
    let StoreError::Held {
        owner, expires_in, ..
    } = error
    else {
        panic!("{error:?}");
    };
    assert_eq!(owner, one);
    assert!(
        expires_in > LONG / 2 && expires_in <= LONG,
        "{expires_in:?}"
    );
    let (holder, _) = claims
        .holder(&session)
        .await
        .expect("a holder")
        .expect("it is held");
    assert_eq!(holder, one);
    true
}

async fn a_released_session_can_be_taken(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    let session = session("s1");
    let first = claims
        .claim(&session, &owner("one"), LONG)
        .await
        .expect("a claim");
    claims.release(&first).await.expect("a release");
    assert_eq!(claims.holder(&session).await.expect("a holder"), None);
    let second = claims
        .claim(&session, &owner("other"), LONG)
        .await
        .expect("a claim");
    assert!(second.epoch > first.epoch);
    // Releasing a claim that was superseded must not release the newer claim.
    claims.release(&first).await.expect("a release");
    assert!(claims.holder(&session).await.expect("a holder").is_some());
    true
}

async fn an_owner_takes_its_session_again(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    let (session, one) = (session("s1"), owner("one"));
    let first = claims.claim(&session, &one, LONG).await.expect("a claim");
    let second = claims.claim(&session, &one, LONG).await.expect("a claim");
    assert!(second.epoch > first.epoch);
    let error = claims.renew(&first, LONG).await.expect_err("an old claim");
    assert!(error.is_superseded(), "{error:?}");
    true
}

async fn each_claim_has_a_higher_epoch(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    let session = session("s1");
    let mut newest = Epoch(0);
    for _ in 0..5 {
        let claim = claims
            .claim(&session, &owner("o"), LONG)
            .await
            .expect("a claim");
        assert!(claim.epoch > newest);
        newest = claim.epoch;
        claims.release(&claim).await.expect("a release");
    }
    true
}

async fn a_claim_ends_by_itself(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    let session = session("s1");
    let first = claims
        .claim(&session, &owner("one"), SHORT)
        .await
        .expect("a claim");
    let second = loop {
        // The claim ends by the store's clock, so the test tries to claim the session until the store accepts that.
        match claims.claim(&session, &owner("other"), LONG).await {
            Ok(claim) => break claim,
            Err(StoreError::Held { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
    };
    assert!(
        Instant::now() >= first.until,
        "nobody else has it before its time is over"
    );
    assert!(second.epoch > first.epoch);
    let error = claims.renew(&first, LONG).await.expect_err("it was taken");
    assert!(error.is_superseded(), "{error:?}");
    true
}

async fn a_renewal_keeps_a_claim(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    let session = session("s1");
    let claim = claims
        .claim(&session, &owner("one"), SHORT)
        .await
        .expect("a claim");
    claims.renew(&claim, LONG).await.expect("a renewal");
    let (_, expires_in) = claims
        .holder(&session)
        .await
        .expect("a holder")
        .expect("it is held");
    assert!(expires_in > LONG / 2, "{expires_in:?}");
    true
}

async fn a_released_claim_cannot_be_renewed(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    let claim = claims
        .claim(&session("s1"), &owner("one"), LONG)
        .await
        .expect("a claim");
    claims.release(&claim).await.expect("a release");
    let error = claims
        .renew(&claim, LONG)
        .await
        .expect_err("it was released");
    assert!(error.is_superseded(), "{error:?}");
    true
}

async fn releasing_twice_is_fine(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    let claim = claims
        .claim(&session("s1"), &owner("one"), LONG)
        .await
        .expect("a claim");
    claims.release(&claim).await.expect("a release");
    claims.release(&claim).await.expect("a release");
    true
}

async fn an_older_epoch_cannot_write(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    let session = session("s1");
    let first = claims
        .claim(&session, &owner("one"), LONG)
        .await
        .expect("a claim");
    let mut old = Writer::new("old");
    old.epoch = Some(first.epoch);
    old.append(&store, &session.main(), &[user_line("a")])
        .await
        .expect("an append");
    claims.release(&first).await.expect("a release");
    let newer = owner("newer");
    let second = claims.claim(&session, &newer, LONG).await.expect("a claim");
    for key in [session.main(), beside(&session, "subagents/agent-1")] {
        let lines = [user_line("late"), note("late")];
        let batch = claw_store::Batch {
            // In the main transcript, this writer has already stored one line.
            number: u64::from(key.subpath().is_none()),
            ..old.batch(&lines)
        };
        let error = store.append(&key, batch).await.expect_err("an old epoch");
        let StoreError::Superseded {
            epoch,
            newer: newest,
            owner,
            ..
        } = error
        else {
            panic!("{error:?}");
        };
        assert_eq!((epoch, newest), (first.epoch, second.epoch));
        assert!(owner.is_none_or(|owner| owner == newer));
    }
    let mut new = Writer::new("new");
    new.epoch = Some(second.epoch);
    new.append(&store, &session.main(), &[user_line("b")])
        .await
        .expect("an append");
    // Lines such as a title can be stored without a claim.
    store_lines(&store, &session.main(), &[note("title")]).await;
    assert_stored(
        &store,
        &session.main(),
        &[user_line("a"), user_line("b"), note("title")],
    )
    .await;
    assert_stored(&store, &beside(&session, "subagents/agent-1"), &[]).await;
    true
}

async fn epochs_outlive_the_session(store: Store) -> bool {
    let (Some(claims), Some(deletes)) = (store.claims(), store.deletes()) else {
        return false;
    };
    let session = session("s1");
    let first = claims
        .claim(&session, &owner("one"), LONG)
        .await
        .expect("a claim");
    store_lines(&store, &session.main(), &[user_line("a")]).await;
    claims.release(&first).await.expect("a release");
    deletes.delete(&session.main()).await.expect("a delete");
    let second = claims
        .claim(&session, &owner("other"), LONG)
        .await
        .expect("a claim");
    assert!(second.epoch > first.epoch);
    true
}

async fn sessions_are_claimed_apart(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    claims
        .claim(&session("s1"), &owner("one"), LONG)
        .await
        .expect("a claim");
    claims
        .claim(&session("s2"), &owner("other"), LONG)
        .await
        .expect("a claim");
    true
}

async fn of_many_claimants_one_succeeds(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    let session = session("s1");
    let owners: Vec<_> = (0..20).map(|n| owner(&n.to_string())).collect();
    let tried = owners
        .iter()
        .map(|owner| claims.claim(&session, owner, LONG));
    let tried = futures::future::join_all(tried).await;
    let taken: Vec<_> = tried
        .iter()
        .filter_map(|tried| tried.as_ref().ok())
        .collect();
    assert_eq!(taken.len(), 1, "{tried:?}");
    for error in tried.iter().filter_map(|tried| tried.as_ref().err()) {
        assert!(error.is_held(), "{error:?}");
    }
    true
}

async fn a_claim_has_the_address_of_its_holder(store: Store) -> bool {
    let Some(claims) = store.claims() else {
        return false;
    };
    let session = session("s1");
    let one = owner("one").at("http://one.example:8000");
    let first = claims.claim(&session, &one, LONG).await.expect("a claim");
    let held = claims.holder(&session).await.expect("a holder");
    assert_eq!(held.expect("it is held").0, one);
    let error = claims.claim(&session, &owner("other"), LONG).await;
    let StoreError::Held { owner: found, .. } = error.expect_err("it is held") else {
        panic!("it is held by another");
    };
    assert_eq!(found, one);
    claims.renew(&first, LONG).await.expect("a renewal");
    let held = claims.holder(&session).await.expect("a holder");
    assert_eq!(held.expect("it is held").0, one);
    claims.release(&first).await.expect("a release");
    // The next owner has no address. The address of the earlier owner must not remain in the store.
    let other = owner("other");
    claims.claim(&session, &other, LONG).await.expect("a claim");
    let held = claims.holder(&session).await.expect("a holder");
    assert_eq!(held.expect("it is held").0, other);
    true
}
