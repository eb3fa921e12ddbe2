//! The route for the metrics of the server, in the text format of Prometheus.

use std::sync::Arc;

use axum::extract::State;

use super::{Api, response};

pub(crate) async fn metrics(State(api): State<Arc<Api>>) -> response::Metrics {
    let stored = api.hub.stored_lately().await;
    response::Metrics(api.metrics.text(&api.hub, api.viewers.all(), &stored))
}
