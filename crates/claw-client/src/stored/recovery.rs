//! Stores the lines of sessions that are only on this host's disk and not in the store.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use claw_sessions::Sessions;
use claw_store::{
    Brought, Epoch, Outcome, Retry, SessionRef, StoreError, StoredError, StoredSessions,
};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use super::StoreOptions;
use super::lease::lock;

/// The maximum time for which [`bring`] waits for the end of an earlier process's CLI, and the interval between two checks.
const CLI_ENDS: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

/// The sessions for which the log already reports that lines are not stored yet. Each has the address of its store.
static REPORTED: LazyLock<Mutex<HashSet<(usize, SessionRef)>>> = LazyLock::new(Mutex::default);

/// Stores the lines that earlier processes of this host had not stored. Calls
/// [`StoredSessions::recover`](claw_store::StoredSessions::recover) with the system's folder for temporary files.
/// Returns whether some lines can be stored later, so that the call should be repeated. The log names each session
/// once.
///
/// A session without [`StoreOptions::leases`] calls this when it starts. A program with leases calls it itself.
///
/// # Cancel safety
///
/// If the future is dropped, the lines of the remaining sessions are left for a later call.
pub async fn recover(options: &StoreOptions) -> bool {
    let options = options.clone().timely();
    let mut is_left = false;
    let stored = StoredSessions::new(options.store.clone()).limits(options.limits);
    let within = std::env::temp_dir();
    for recovered in stored.recover(&within, &options.owner, options.ttl).await {
        let session = recovered.session;
        let (id, project) = (session.session(), session.project());
        let reported = (options.address, session.clone());
        match recovered.outcome {
            Outcome::Stored(lines) => {
                lock(&REPORTED).remove(&reported);
                options.waiting.has_brought(&session);
                if lines > 0 {
                    tracing::info!(
                        session.id = id,
                        project,
                        lines,
                        "what an earlier process had not stored is stored"
                    );
                }
            }
            Outcome::Kept(entries) => {
                lock(&REPORTED).remove(&reported);
                options.waiting.has_brought(&session);
                options.kept(&session, entries);
            }
            Outcome::Deleted => {
                lock(&REPORTED).remove(&reported);
                tracing::info!(%session, "what an earlier process had not stored is dropped: the session was deleted");
            }
            // The session belongs to another store, so it is not reported.
            Outcome::Later(error) if error.is_not_found() => {}
            Outcome::Later(error) => {
                is_left |= match &error {
                    StoredError::Store(error) => error.is_held() || error.retry() != Retry::No,
                    StoredError::InUse { .. } => true,
                    _ => false,
                };
                options.waiting.leaves(&session);
                if lock(&REPORTED).insert(reported) {
                    tracing::warn!(session.id = id, project, %error, "what an earlier process had not stored is not stored yet");
                }
            }
            _ => {}
        }
    }
    is_left
}

/// Calls [`recover`] again and again, each time after the claims' time to live, until nothing is left to store. The
/// wait is necessary because the claims of a killed process expire only after their time to live.
pub(super) async fn recover_later(options: StoreOptions) {
    loop {
        sleep(options.ttl).await;
        if !recover(&options).await {
            return;
        }
    }
}

/// Stores the lines of a session that are only on this host's disk: in the folders of earlier processes, and in the
/// CLI's own configuration folder `here`. See [`StoredSessions::bring`](claw_store::StoredSessions::bring). `epoch` is
/// the epoch of the caller's claim. A session does this itself when it is resumed. A program that shows the session
/// before that calls this function first.
///
/// If the CLI of an earlier process still writes the session, the call waits up to 5 seconds for its end.
///
/// # Errors
///
/// Fails with the errors of [`StoredSessions::bring`](claw_store::StoredSessions::bring), and with
/// [`StoredError::InUse`] if such a CLI does not end in time.
///
/// # Cancel safety
///
/// If the future is dropped, the lines that were not stored are left for a later call.
pub async fn bring(
    options: &StoreOptions,
    here: &Sessions,
    session: &SessionRef,
    epoch: Option<Epoch>,
) -> Result<Brought, StoredError> {
    let stored = options.sessions();
    let host = options.host();
    let within = std::env::temp_dir();
    let waiting = Instant::now();
    let mut all = loop {
        match stored.recover_one(&within, session, host, epoch).await {
            Err(StoredError::InUse { .. }) if waiting.elapsed() < CLI_ENDS => sleep(PAUSE).await,
            done => break done?,
        }
    };
    let (sessions, id) = (here.clone(), session.session().to_owned());
    let here = spawn_blocking(move || sessions.find(&id).ok()).await;
    let here = here.map_err(|_| StoreError::refused("a thread panicked"))?;
    if let Some(here) = here
        && stored.compare(&here, session).await?.only_here > 0
    {
        let brought = stored.bring(&here, session, host, epoch).await?;
        all.stored += brought.stored;
        all.kept += brought.kept;
    }
    options.waiting.has_brought(session);
    options.kept(session, all.kept);
    Ok(all)
}
