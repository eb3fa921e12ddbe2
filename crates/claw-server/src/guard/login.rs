//! Browsers log in by a link that works once.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::{COOKIE, Guard, cookies};
use crate::api::Refusal;

pub(crate) fn router(guard: Arc<Guard>) -> Router {
    Router::new()
        .route("/login/{code}", get(login))
        .route("/logout", post(logout))
        .with_state(guard)
}

async fn login(State(guard): State<Arc<Guard>>, Path(code): Path<String>) -> Response {
    let Some(cookie) = guard.logins.login(&code) else {
        let text = "this link does not work any more: it works once, and not for long";
        return Refusal::new(StatusCode::FORBIDDEN, "forbidden", text).into_response();
    };
    let cookie = format!("{COOKIE}={cookie}; HttpOnly; SameSite=Strict; Path=/");
    let headers = [
        (header::SET_COOKIE, cookie),
        (header::LOCATION, "/".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
    ];
    (StatusCode::SEE_OTHER, headers).into_response()
}

async fn logout(State(guard): State<Arc<Guard>>, headers: HeaderMap) -> Response {
    for cookie in cookies(&headers) {
        guard.logins.logout(cookie);
    }
    let gone = format!("{COOKIE}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, gone)]).into_response()
}
