//! The routes of sessions on disk: title, tag, archive.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::NoContent;
use claw_sessions::{Changes, Session, on_pool};
use claw_types::SessionId;

use super::{Api, Refusal, SessionPatch, SessionView, Settings};
use crate::Project;
use crate::audit::Act;
use crate::hub::{Edit, Hub, HubError};
use crate::object::Object;

/// Returns a session on disk. Fails if the session is in no project of this server.
pub(crate) fn find(hub: &Hub, id: &str) -> Result<Session, HubError> {
    let session = hub.find_if_any(id)?.ok_or(HubError::NoSession)?;
    project_of(hub, &session)?;
    Ok(session)
}

/// Returns the project of this server to which a session belongs.
pub(crate) fn project_of<'a>(hub: &'a Hub, session: &Session) -> Result<&'a Project, HubError> {
    let info = session.info()?.ok_or(HubError::NoSession)?;
    let folder = info.cwd.as_deref().map(FilePath::new);
    let project = folder.and_then(|folder| hub.project_at(session.config_dir(), folder));
    project.ok_or(HubError::NoSession)
}

/// Runs `work`, which reads or writes files, on a thread for blocking calls.
pub(crate) async fn run<T: Send + 'static>(
    api: &Api,
    work: impl FnOnce(&Hub) -> Result<T, HubError> + Send + 'static,
) -> Result<T, Refusal> {
    let hub = api.hub.clone();
    Ok(on_pool::run(move || work(&hub)).await?)
}

pub(crate) async fn patch(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    act: Act,
    Object(patch): Object<SessionPatch>,
) -> Result<NoContent, Refusal> {
    act.body(&patch);
    act.record().await?;
    let of = SessionId::from(&*id);
    let mut changes = Changes::new();
    if let Some(title) = &patch.title {
        changes = changes.title(title);
    }
    if let Some(tag) = &patch.tag {
        changes = changes.tag(tag);
    }
    let is_of_transcript = patch.title.is_some() || patch.tag.is_some();
    // The store does not contain the archived state of a session. So a request that only changes this state does not change the
    // store.
    let is_done = (is_of_transcript || patch.archived.is_none())
        && api.hub.change_stored(&of, &changes).await?;
    if is_done {
        changes = Changes::new();
    }
    if let Some(archived) = patch.archived {
        changes = changes.archived(archived);
    }
    if !is_done || patch.archived.is_some() {
        // A transcript that the project of a stored session cannot have, such as one in the home of another project's wall, is
        // that of another session.
        let stored = api.hub.stored().await;
        let project = stored.get(&of).map(|(project, _)| project.clone());
        match change(&api, id.clone(), project, changes).await {
            Err(HubError::NoSession) => elsewhere(&api, &of, &patch).await?,
            done => done?,
        }
    }
    let title = patch.title.map(|title| title.trim().to_owned());
    if let (Some(live), Some(title)) = (api.hub.live_of(&of), &title) {
        live.set_title(title);
    }
    let (tag, archived) = (patch.tag, patch.archived);
    api.hub.activity().edits.send(Edit {
        id,
        title,
        tag,
        archived,
        ..Edit::default()
    });
    Ok(NoContent)
}

/// Archives a session that is not on this host's disk.
async fn elsewhere(api: &Api, id: &SessionId, patch: &SessionPatch) -> Result<(), Refusal> {
    if let Some(archived) = patch.archived
        && api.hub.shelve(id, archived).await?
    {
        return Ok(());
    }
    if api.hub.live_of(id).is_some() {
        let text =
            "nothing is written of the session yet: send the first prompt, and change it then";
        return Err(Refusal::new(StatusCode::CONFLICT, "unwritten", text));
    }
    Err(HubError::NoSession.into())
}

/// Changes a session on disk. `project` is the project of the session in the store, if the store has it.
async fn change(
    api: &Api,
    id: String,
    project: Option<String>,
    changes: Changes,
) -> Result<(), HubError> {
    let hub = api.hub.clone();
    on_pool::run(move || {
        let session = find(&hub, &id)?;
        if project.is_some_and(|project| !hub.may_have(&project, session.config_dir())) {
            return Err(HubError::NoSession);
        }
        let outcome = session.change(&changes);
        // The index is refreshed after an error too, because some of the changes may have been made.
        hub.refresh(&session);
        outcome.map_err(|error| match error {
            claw_sessions::Error::EmptyTitle | claw_sessions::Error::EmptyTag => {
                HubError::BadRequest(error.to_string())
            }
            error => error.into(),
        })
    })
    .await
}

pub(crate) async fn settings(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    act: Act,
    Object(settings): Object<Settings>,
) -> Result<Json<SessionView>, Refusal> {
    act.body(&settings);
    let live = api.hub.open(&id).await?;
    act.in_live(&live);
    if let Some(mode) = &settings.mode {
        api.hub.allows(live.project(), mode)?;
    }
    act.record().await?;
    if let Some(mode) = settings.mode {
        live.set_mode(mode).await?;
    }
    if let Some(model) = settings.model {
        live.set_model(model).await?;
    }
    if let Some(effort) = settings.effort {
        live.set_effort(effort).await?;
    }
    Ok(Json(SessionView::of(&live)))
}
