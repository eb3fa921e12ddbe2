//! The route for the files that a session has changed.

use std::collections::VecDeque;
use std::path::Path as FilePath;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use claw_client::store::Checkout;
use claw_sessions::Session;

use super::{Api, ChangesQuery, Refusal};
use crate::changes::{Changes, Edits, Place, Scope, report};
use crate::hub::HubError;

/// Maximum number of sessions whose edits are cached. The edits of one session need up to about 16 MiB.
const KEPT: usize = 4;

/// Caches the edits of the sessions for which changes were requested most recently. The key of an entry is the path of the
/// session's transcript. For a cached transcript, only the new lines are read.
#[derive(Debug, Default)]
pub(crate) struct EditsCache(Mutex<VecDeque<(std::path::PathBuf, Arc<Mutex<Edits>>)>>);

impl EditsCache {
    fn of(&self, transcript: &FilePath) -> Arc<Mutex<Edits>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().position(|(path, _)| path == transcript);
        let entry = known.and_then(|at| kept.remove(at));
        let entry = entry.unwrap_or_else(|| (transcript.to_owned(), Arc::default()));
        let edits = entry.1.clone();
        kept.truncate(KEPT - 1);
        kept.push_front(entry);
        edits
    }
}

/// The transcripts of a session.
enum Transcripts {
    OnDisk(Session),
    /// A copy of the store's transcripts, made for this request.
    Stored(Checkout),
    /// The session has no transcript yet.
    None,
}

pub(crate) async fn changes(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    query: Result<Query<ChangesQuery>, QueryRejection>,
) -> Result<Json<Changes>, Refusal> {
    let Query(query) = query?;
    let scope = match query.path {
        Some(path) => Scope::File(path),
        None if query.summary == Some(true) => Scope::Summary,
        None => Scope::List,
    };
    Ok(Json(of_session(&api, &id, scope).await?))
}

/// Returns the files that a session has changed. The session becomes live, but no process is started.
pub(crate) async fn of_session(api: &Arc<Api>, id: &str, scope: Scope) -> Result<Changes, Refusal> {
    let live = api.hub.open(id).await?;
    // The slot is acquired before the transcript is copied from the store. So the number of concurrent copies is limited.
    let slot = api.changes.acquire().await?;
    let project = api.hub.project(live.project())?.folder.clone();
    let folder = live.worktree().map(|worktree| worktree.folder);
    let place = Place::new(&project, folder.as_deref().unwrap_or(&project));
    let reported = match scope {
        Scope::Summary => None,
        Scope::List | Scope::File(_) => live.workspace_diff().await,
    };
    let stored = api.hub.checkout(&live.id()).await?;
    let stored = stored.map(|(_, checkout)| checkout);
    let api = api.clone();
    let made = slot.run(move |is_cancelled| {
        let transcripts = match stored {
            Some(checkout) => Transcripts::Stored(checkout),
            None => match live.home().find(live.id().as_str()) {
                Ok(session) => Transcripts::OnDisk(session),
                Err(_) => Transcripts::None,
            },
        };
        let mut own = Edits::default();
        let kept;
        let mut locked;
        let edits = match &transcripts {
            Transcripts::OnDisk(session) => {
                kept = api.edits.of(session.transcript());
                locked = kept.lock().unwrap_or_else(PoisonError::into_inner);
                locked.read(session, place.folder(), is_cancelled)?;
                &*locked
            }
            Transcripts::Stored(checkout) => {
                own.read(checkout.session(), place.folder(), is_cancelled)?;
                &own
            }
            Transcripts::None => &own,
        };
        if is_cancelled.load(Ordering::Relaxed) {
            return Ok(Changes::default());
        }
        Ok::<_, HubError>(report(edits, &place, reported, &scope))
    });
    Ok(made.await?)
}
