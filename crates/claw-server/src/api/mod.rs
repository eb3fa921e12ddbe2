//! REST, and the routes of all interfaces.

pub(crate) mod disk;
mod document;
mod error;
pub(crate) mod events;
pub(crate) mod extract;
pub(crate) mod list;
pub(crate) mod response;
pub(crate) mod routes;
pub(crate) mod sessions;
pub(crate) mod table;
mod viewers;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;

pub use disk::{Fork, SearchQuery, SessionPatch, Settings, UsageBy, UsageQuery};
pub use error::{ErrorBody, ErrorInfo};
pub use list::{ListQuery, SessionItem, SessionPage};
pub use sessions::{ForkOf, NewSession, ProjectInfo, Sent, SessionView};

pub(crate) use error::Refusal;
pub(crate) use viewers::ViewerSlot;

use crate::hub::Hub;
use crate::metrics::Metrics;
use viewers::Viewers;

/// The bound of a body, in bytes.
const BODY: usize = 1 << 20;

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
    table::router(routes::routes())
        .fallback(async || Refusal::not_found())
        .layer(DefaultBodyLimit::max(BODY))
        .with_state(api)
}
