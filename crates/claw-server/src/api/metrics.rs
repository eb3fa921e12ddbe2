//! The route for the metrics of the server, in the text format of Prometheus.

use std::sync::Arc;

use axum::extract::State;
use claw_sessions::on_pool;

use super::{Api, response};

pub(crate) async fn metrics(State(api): State<Arc<Api>>) -> response::Metrics {
    let stored = api.hub.stored_lately().await;
    let hub = api.hub.clone();
    let unreadable = on_pool::run(move || hub.unreadable_homes()).await;
    let metrics = &api.metrics;
    response::Metrics(metrics.text(&api.hub, api.viewers.all(), &stored, unreadable))
}
