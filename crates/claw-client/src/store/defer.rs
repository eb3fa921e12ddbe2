//! Lets a permission request wait without a process.

use std::time::{Duration, Instant};

use claw_store::{Deferred, StoredError, StoredSessions};
use claw_types::control::CanUseTool;
use tokio::time::sleep;

use super::Lease;
use crate::error::Cause;
use crate::{Error, Session};

/// How long the CLI may take to write down the tool use for which it asks, and the store to get it.
const WRITTEN: Duration = Duration::from_secs(5);
/// How often the store is asked for it.
const PAUSE: Duration = Duration::from_millis(100);

/// Returns whether a permission request that waits for its answer can be [deferred](defer). It has to be of the main
/// conversation, and the tool use has to be in the store, for which this waits up to 5 s.
///
/// # Errors
///
/// Fails with [`Error::store`] if the store fails, and with [`Error::is_bad_request`] if the session has no store.
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
        // The CLI writes what it has said a moment later.
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

/// Ends the process of a session that waits for a permission, and keeps the request in the store, so that it can be
/// answered later, on any host. Nothing may answer the request meanwhile. `id` is a new ID for it, and `lease` the
/// claim of the session, which this program holds itself ([`StoreOptions::leases`](super::StoreOptions::leases)).
///
/// Whoever answers it claims the session, notes the answer with [`StoredSessions::answer_deferred`], and resumes the
/// session without a prompt. The CLI then asks for the same tool use again, under the same
/// [ID](CanUseTool::tool_use_id), before it does anything else. It gets the answer as any other, and goes on with the
/// turn, whose result names no prompt. A prompt that is sent meanwhile has its turn after that.
///
/// The CLI is killed, with what runs in its background: anything else would have it write down that the tool was denied.
///
/// # Errors
///
/// Fails with [`Error::store`] if the store fails. The process has ended then, and nothing waits: the turn was cut.
///
/// # Cancel safety
///
/// Not cancel safe: if the future is dropped, the process may have ended without the request being kept.
pub async fn defer(
    session: &Session,
    lease: &Lease,
    id: &str,
    request: &CanUseTool,
) -> Result<Deferred, Error> {
    session.process().kill();
    session.over().await;
    let stored = StoredSessions::new(lease.store().clone());
    let kept = stored.defer(lease.session(), lease.epoch(), id, request);
    Ok(kept.await.map_err(Cause::Stored)?)
}
