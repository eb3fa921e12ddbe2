//! The routes of what sessions use: the limits of the login, tokens and costs.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;

use super::Api;
use crate::LoginLimits;

pub(crate) async fn limits(State(api): State<Arc<Api>>) -> Json<LoginLimits> {
    Json(api.hub.activity().limits())
}
