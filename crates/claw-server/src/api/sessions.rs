//! The routes of sessions.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use claw_types::options::PermissionMode;
use serde::{Deserialize, Serialize};

use super::disk::{Fork, forked};
use super::{Api, Refusal};
use crate::hub::{Live, NewPrompt, Open};
use crate::room::{Answer, Answered, Pending, State as RoomState};

/// A project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProjectInfo {
    /// The name of the project.
    pub name: String,
    /// The folder of the project.
    pub folder: String,
    /// The permission mode in which its sessions begin.
    pub mode: PermissionMode,
    /// The model with which its sessions begin. Null for the CLI's default.
    pub model: Option<String>,
}

/// The body of `POST /api/sessions`: a new conversation, or one that goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct NewSession {
    /// The name of the project. Needed unless a session is resumed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The ID of the session on disk to go on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
    /// The session on disk to go on with in a copy, which leaves the session itself as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<ForkOf>,
    /// The model to begin with. Absent: that of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The permission mode to begin with. Absent: that of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PermissionMode>,
    /// The title of a new session, or of a fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// The session to copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct ForkOf {
    /// The ID of the session.
    pub session: String,
    /// The UUID of the last message to copy. Absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_to: Option<String>,
}

/// A live session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SessionView {
    /// The ID of the session.
    pub id: String,
    /// The name of the project.
    pub project: String,
    /// The state.
    pub state: RoomState,
    /// The requests that wait for an answer, oldest first.
    pub requests: Vec<Pending>,
    /// The ID of the newest event, for `Last-Event-ID`.
    pub last_event: String,
}

/// The response to a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Sent {
    /// The UUID of the prompt: the client's own, or a new one.
    pub uuid: String,
}

/// Who answers: the header by which a viewer names itself.
pub(crate) const VIEWER: &str = "x-claw-viewer";

impl SessionView {
    pub(crate) fn of(live: &Live) -> Self {
        live.read(|room| Self {
            id: live.id().as_str().to_owned(),
            project: live.project().to_owned(),
            state: room.state().clone(),
            requests: room.requests().cloned().collect(),
            last_event: format!("{}-{}", room.epoch(), room.newest()),
        })
    }
}

pub(crate) async fn health() -> Json<serde_json::Value> {
    Json(serde_json::json!({"status": "ok"}))
}

pub(super) async fn projects(State(api): State<Arc<Api>>) -> Json<Vec<ProjectInfo>> {
    let info = |project: &crate::Project| ProjectInfo {
        name: project.name.clone(),
        folder: project.folder.display().to_string(),
        mode: project.mode.clone(),
        model: project.model.clone(),
    };
    Json(api.hub.projects().iter().map(info).collect())
}

pub(super) async fn open(
    State(api): State<Arc<Api>>,
    body: Result<Json<NewSession>, JsonRejection>,
) -> Result<Response, Refusal> {
    let Json(new) = body?;
    let how = Open {
        model: new.model,
        mode: new.mode,
        title: new.title,
        ..Open::default()
    };
    let live = match (new.project, new.resume, new.fork) {
        (None, None, Some(of)) => {
            let fork = Fork {
                up_to: of.up_to,
                title: how.title.clone(),
            };
            let id = forked(&api, of.session, fork).await?;
            api.hub.open_as(&id, how).await?
        }
        (_, Some(id), None) => api.hub.open_as(&id, how).await?,
        (Some(project), None, None) => api.hub.begin(&project, how)?,
        _ => {
            return Err(Refusal::bad(
                "one of `project`, `resume` and `fork` is needed",
            ));
        }
    };
    Ok((StatusCode::CREATED, Json(SessionView::of(&live))).into_response())
}

pub(super) async fn view(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
) -> Result<Json<SessionView>, Refusal> {
    Ok(Json(SessionView::of(&api.hub.open(&id).await?)))
}

pub(super) async fn elements(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let live = api.hub.open(&id).await?;
    let elements: Vec<_> = live.read(|room| room.elements().iter().cloned().collect());
    Ok(Json(elements).into_response())
}

pub(super) async fn prompt(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    body: Result<Json<NewPrompt>, JsonRejection>,
) -> Result<Response, Refusal> {
    let Json(prompt) = body?;
    let (uuid, is_new) = api.hub.open(&id).await?.prompt(prompt)?;
    let status = if is_new {
        StatusCode::ACCEPTED
    } else {
        StatusCode::OK
    };
    let uuid = uuid.as_str().to_owned();
    Ok((status, Json(Sent { uuid })).into_response())
}

pub(super) async fn interrupt(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
) -> Result<StatusCode, Refusal> {
    api.hub.open(&id).await?.interrupt().await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn answer(
    State(api): State<Arc<Api>>,
    Path((id, request)): Path<(String, String)>,
    headers: HeaderMap,
    body: Result<Json<Answer>, JsonRejection>,
) -> Result<Json<Answered>, Refusal> {
    let Json(answer) = body?;
    let live = api.hub.open(&id).await?;
    Ok(Json(live.answer(&request, &answer, &viewer(&headers))?))
}

/// The name that a viewer gives itself, in short. It is a courtesy to other viewers, and proves nothing.
pub(crate) fn viewer(headers: &HeaderMap) -> String {
    let name = headers.get(VIEWER).and_then(|name| name.to_str().ok());
    let name: String = name.unwrap_or("another viewer").chars().take(64).collect();
    match &*name {
        // What the server says itself.
        "" | "withdrawn" | "timeout" => "another viewer".to_owned(),
        _ => name,
    }
}

pub(super) async fn close(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
) -> Result<StatusCode, Refusal> {
    api.hub.close(&id)?;
    Ok(StatusCode::NO_CONTENT)
}
