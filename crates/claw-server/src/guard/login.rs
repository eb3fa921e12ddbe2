//! Browsers log in by a link that works once.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};

use super::{COOKIE, Guard, cookies};
use crate::api::Refusal;
use crate::page;

pub(crate) fn router(guard: Arc<Guard>) -> Router {
    Router::new()
        .route("/api/logins", post(link))
        .route("/login/{code}", get(login))
        .route("/logout", post(logout))
        .with_state(guard)
}

/// The body of the response of `POST /api/logins`: a link that logs one browser in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LoginLink {
    /// The path of the link. It works once, within a quarter of an hour.
    pub path: String,
}

async fn link(State(guard): State<Arc<Guard>>) -> Response {
    let path = format!("/login/{}", guard.logins.code());
    let store = [(header::CACHE_CONTROL, "no-store")];
    (StatusCode::CREATED, store, Json(LoginLink { path })).into_response()
}

async fn login(
    State(guard): State<Arc<Guard>>,
    Path(code): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Some(cookie) = guard.logins.login(&code) else {
        let text = "this link does not work any more: it works once, and not for long";
        let refusal = Refusal::new(StatusCode::FORBIDDEN, "forbidden", text);
        return page::refused(&Method::GET, "/login/", &headers, &refusal)
            .unwrap_or_else(|| refusal.into_response());
    };
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let is_https = guard
        .public
        .as_ref()
        .is_some_and(|public| public.is_https() && host.is_some_and(|host| public.is(host)));
    let secure = if is_https { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={cookie}; HttpOnly; SameSite=Strict; Path=/{secure}");
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
