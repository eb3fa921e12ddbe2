//! The service worker: a script that caches the page's files.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::POLICY;
use super::assets::{STYLE, VERSION, loaded};
use crate::base::Base;

const WORKER: &str = concat!(
    include_str!("assets/worker.js"),
    include_str!("assets/worker_push.js")
);

/// Handles `GET /worker.js`. The path is at the root, so that the worker applies to all pages. The browser fetches the
/// script each time, because the script changes with the page's files. The route needs no login. The script is the same
/// for everyone, and the browser fetches it without the page's key.
pub(super) async fn worker(base: Base) -> Response {
    let path = |name: &str| format!("{}/assets/{}/{name}", base.as_str(), *VERSION);
    let files: Vec<_> = loaded().map(path).collect();
    let (version, policy) = (json!(*VERSION), json!(POLICY));
    let (files, style) = (json!(files), json!(path(STYLE)));
    let prefix = json!(base.as_str());
    let text = format!(
        "const BASE = {prefix};\nconst VERSION = {version};\nconst FILES = {files};\nconst STYLE = {style};\nconst POLICY = {policy};\n{WORKER}"
    );
    let scope = [("service-worker-allowed", base.home().to_owned())];
    let headers = [
        (header::CONTENT_TYPE, "text/javascript; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (scope, headers, text).into_response()
}
