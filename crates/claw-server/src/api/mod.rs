//! REST, and the routes of all interfaces.

pub(crate) mod disk;
mod error;
pub(crate) mod events;
pub(crate) mod sessions;
mod viewers;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};

pub use disk::{
    Fork, ListQuery, SearchQuery, SessionItem, SessionPage, SessionPatch, Settings, UsageBy,
    UsageQuery,
};
pub use error::{ErrorBody, ErrorInfo};
pub use sessions::{ForkOf, NewSession, ProjectInfo, Sent, SessionView};

pub(crate) use error::Refusal;
pub(crate) use viewers::Place;

use crate::hub::Hub;
use crate::metrics::{self, Metrics};
use viewers::Viewers;

/// The bound of a body, in bytes.
const BODY: usize = 1 << 20;
/// The bound of the body of a prompt, which may have images.
const PROMPT: usize = 32 << 20;

/// What handlers share.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) hub: Hub,
    pub(crate) viewers: Viewers,
    pub(crate) metrics: Arc<Metrics>,
}

impl Api {
    pub(crate) fn new(hub: Hub) -> Self {
        Self {
            hub,
            viewers: Viewers::default(),
            metrics: Arc::default(),
        }
    }
}

pub(crate) fn router(api: Arc<Api>) -> Router {
    let prompts = post(sessions::prompt).layer(DefaultBodyLimit::max(PROMPT));
    // A call may be a prompt.
    let rpc = post(crate::rpc::rpc).layer(DefaultBodyLimit::max(PROMPT));
    Router::new()
        .route("/health", get(sessions::health))
        .route("/metrics", get(metrics::metrics))
        .route("/rpc", rpc)
        .route("/api/projects", get(sessions::projects))
        .route("/api/sessions", get(disk::list).post(sessions::open))
        .route("/api/sessions/{id}", get(sessions::view).patch(disk::patch))
        .route("/api/sessions/{id}/settings", post(disk::settings))
        .route("/api/sessions/{id}/fork", post(disk::fork))
        .route("/api/sessions/{id}/socket", get(crate::socket::socket))
        .route("/api/search", get(disk::search))
        .route("/api/usage", get(disk::usage))
        .route("/api/sessions/{id}/elements", get(sessions::elements))
        .route("/api/sessions/{id}/events", get(events::events))
        .route("/api/sessions/{id}/prompts", prompts)
        .route("/api/sessions/{id}/interrupt", post(sessions::interrupt))
        .route(
            "/api/sessions/{id}/requests/{request}",
            post(sessions::answer),
        )
        .route("/api/sessions/{id}/close", post(sessions::close))
        .fallback(async || Refusal::not_found())
        .layer(DefaultBodyLimit::max(BODY))
        .with_state(api)
}
