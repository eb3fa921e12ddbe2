//! Defers permission requests: a request is stored, so that it can be answered after its process has ended.

use std::time::{Duration, Instant};

use claw_store::{Deferred, StoredError, StoredSessions};
use claw_types::control::CanUseTool;
use tokio::time::sleep;

use crate::handle::Session;
use crate::outcome::error::{Cause, Error};
use crate::stored::Lease;

/// Maximum time for the CLI to write the tool use to its transcript, and for the mirror to store it.
const WRITTEN: Duration = Duration::from_secs(5);
/// Interval between two requests to the store.
const PAUSE: Duration = Duration::from_millis(100);

/// Returns whether a permission request that waits for its answer can be [deferred](defer). The request must belong to
/// the main conversation, and its tool use must be in the store. This function waits up to 5 s for the tool use to be
/// stored.
///
/// # Errors
///
/// Fails with any error of the store, which [`Error::store`] returns. Also fails if the session has no store:
/// [`Error::is_bad_request`] is true for that error.
///
/// # Cancel safety
///
/// Cancel safe: nothing is changed.
pub async fn can_defer(
    session: &Session,
    lease: &Lease,
    request: &CanUseTool,
) -> Result<bool, Error> {
    let Some(mirror) = session.mirror() else {
        let why = "only a session with a store can let a request wait without a process";
        return Err(Error::bad_request("defer", why));
    };
    if request.agent_id.is_some() {
        return Ok(false);
    }
    let stored = StoredSessions::new(lease.store().clone());
    let tool = request.tool_use_id.as_str();
    let until = Instant::now() + WRITTEN;
    loop {
        // The CLI writes a message to its transcript shortly after sending it, so the check is
        // repeated until the tool use is stored.
        let flushed = mirror.flush(WRITTEN).await;
        flushed.map_err(StoredError::from).map_err(Cause::Stored)?;
        let is_there = stored.can_defer(lease.session(), tool).await;
        if is_there.map_err(Cause::Stored)? {
            return Ok(true);
        }
        if session.process().exit().is_some() || Instant::now() > until {
            return Ok(false);
        }
        sleep(PAUSE).await;
    }
}

/// Ends the process of a session that waits for a permission, and stores the request, so that it can be answered later,
/// on any host. Do not answer the request during this call. `id` is a new ID for the request. `lease` is this program's
/// own claim on the session ([`StoreOptions::leases`](crate::store::StoreOptions::leases)).
///
/// To answer the request later, a program claims the session, records the answer with
/// [`StoredSessions::answer_deferred`], and resumes the session without a prompt. First, the CLI then requests
/// permission for the same tool use again, with the same [ID](CanUseTool::tool_use_id). The program answers this
/// request like any other, and the CLI continues the turn. The turn's result names no prompt. A prompt that is sent
/// meanwhile gets its turn afterwards.
///
/// This function kills the CLI with its background work. If the CLI ended in any other way, it would record that the
/// tool use was denied.
///
/// # Errors
///
/// Fails with any error of the store, which [`Error::store`] returns. After an error, the process has ended, the turn
/// was cut off, and the request does not wait for an answer.
///
/// # Cancel safety
///
/// Not cancel safe: if the future is dropped, the process may have ended without the request being stored.
pub async fn defer(
    session: &Session,
    lease: &Lease,
    id: &str,
    request: &CanUseTool,
) -> Result<Deferred, Error> {
    session.process().kill();
    session.finished().await;
    let stored = StoredSessions::new(lease.store().clone());
    let kept = stored.defer(lease.session(), lease.epoch(), id, request);
    Ok(kept.await.map_err(Cause::Stored)?)
}
