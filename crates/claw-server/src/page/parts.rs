//! The requests of pages for single parts: older elements, the hits of a search, and the forms of a session's requests.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use claw_sessions::on_pool;
use serde_json::Value;

use super::find::{FindQuery, Found};
use super::fragments;
use super::may::May;
use super::window::{Window, WindowQuery};
use crate::api::response::Written;
use crate::api::{Api, Refusal};
use crate::changes::Place;
use crate::conversation::Conversation;

pub(super) async fn elements(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    query: Result<Query<WindowQuery>, QueryRejection>,
) -> Result<Written<Window>, Refusal> {
    let Query(query) = query?;
    // The slot is acquired before the session is read, so that few sessions are read at once.
    let slot = api.elements.acquire().await?;
    let moment = api.hub.open(&id).await?.read(Conversation::moment);
    // A window contains few elements and is quickly drawn, so the query ignores the cancellation flag.
    let window = slot.run(move |_| Window::asked(&moment, query).map(Written::of));
    window.await.ok_or_else(Refusal::not_found)
}

/// Returns the forms of a session's requests, for a list of sessions in which a person answers them.
pub(super) async fn requests(
    State(api): State<Arc<Api>>,
    may: May,
    Path(id): Path<String>,
) -> Result<Json<Vec<Value>>, Refusal> {
    let live = api.hub.open(&id).await?;
    let files = Place::of_project(api.hub.project(live.project())?);
    let pending: Vec<_> = live.read(|conversation| conversation.requests().cloned().collect());
    // Writing the forms reads the files that would be changed. So it runs on a thread for blocking calls.
    let forms = on_pool::run(move || {
        let forms = pending
            .iter()
            .map(|it| fragments::request(it, &may, &files));
        forms.collect()
    });
    Ok(Json(forms.await))
}

pub(super) async fn find(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    query: Result<Query<FindQuery>, QueryRejection>,
) -> Result<Json<Found>, Refusal> {
    let Query(query) = query?;
    query.check().map_err(Refusal::bad)?;
    let slot = api.finds.acquire().await?;
    let moment = api.hub.open(&id).await?.read(Conversation::moment);
    let found = slot.run(move |is_cancelled| Found::of(&moment, &query, is_cancelled));
    Ok(Json(found.await))
}
