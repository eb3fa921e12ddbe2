//! Requests of a session's page besides its stream: elements other than the newest, and the places of a text.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};

use super::find::{FindQuery, Found};
use super::window::{Window, WindowQuery};
use crate::api::response::Written;
use crate::api::{Api, Refusal};
use crate::conversation::Conversation;

pub(super) async fn elements(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    query: Result<Query<WindowQuery>, QueryRejection>,
) -> Result<Written<Window>, Refusal> {
    let Query(query) = query?;
    // The slot is acquired before the session is read.
    let slot = api.elements.acquire().await?;
    let moment = api.hub.open(&id).await?.read(Conversation::moment);
    // A window has few elements, so the query is not cancelled.
    let window = slot.run(move |_| Window::asked(&moment, query).map(Written::of));
    window.await.ok_or_else(Refusal::not_found)
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
