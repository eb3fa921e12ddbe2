//! What the page of a session fetches beside its stream: other elements than the newest, and where a text is.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use claw_sessions::on_pool;

use super::find::{FindQuery, Found};
use super::window::{Window, WindowQuery};
use crate::api::{Api, Refusal};
use crate::conversation::Conversation;

pub(super) async fn elements(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    query: Result<Query<WindowQuery>, QueryRejection>,
) -> Result<Json<Window>, Refusal> {
    let Query(query) = query?;
    let moment = api.hub.open(&id).await?.read(Conversation::moment);
    let window = on_pool::run(move || Window::asked(&moment, query)).await;
    window.map(Json).ok_or_else(Refusal::not_found)
}

pub(super) async fn find(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    query: Result<Query<FindQuery>, QueryRejection>,
) -> Result<Json<Found>, Refusal> {
    let Query(query) = query?;
    query.check().map_err(Refusal::bad)?;
    let moment = api.hub.open(&id).await?.read(Conversation::moment);
    Ok(Json(on_pool::run(move || Found::of(&moment, &query)).await))
}
