//! Browsers log in with a link that works once.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use super::logins::LOGIN;
use super::{Base, Guard, LOOPBACK, cookie_name, cookies, qr};
use crate::api::Refusal;
use crate::api::table::SessionIn::Nothing;
use crate::api::table::{GET, POST, Row, api};
use crate::page;

#[rustfmt::skip]
pub(crate) fn rows() -> Vec<Row<Arc<Guard>>> {
    vec![
        api(POST, "/api/logins", "makeLogin", Nothing, link,
            "Makes a link that logs one browser in."),
        api(GET, "/login/{code}", "logIn", Nothing, login,
            "Logs a browser in. A link works once.").open(),
        api(POST, "/logout", "logOut", Nothing, logout,
            "Logs a browser out."),
    ]
}

/// The body of the response of `POST /api/logins`: a link that logs one browser in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LoginLink {
    /// The path of the link. The link works only once, and only for a quarter of an hour.
    pub path: String,
    /// The complete links for other devices, one for each address at which they can reach the server. Empty if the
    /// server knows no such address.
    pub urls: Vec<LoginUrl>,
}

/// A login link with an address of the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LoginUrl {
    /// The complete link, as a URL.
    pub url: String,
    /// The link as a QR code, in SVG. Null if the link is too long for one.
    pub qr: Option<String>,
}

/// The response with a new link.
#[derive(Debug)]
pub(crate) struct NewLink(LoginLink);

impl IntoResponse for NewLink {
    fn into_response(self) -> Response {
        let store = [(header::CACHE_CONTROL, "no-store")];
        (StatusCode::CREATED, store, Json(self.0)).into_response()
    }
}

async fn link(State(guard): State<Arc<Guard>>, base: Base, headers: HeaderMap) -> NewLink {
    let path = format!("/login/{}", guard.logins.code());
    let urls = guard.addresses(&base, &headers).into_iter().map(|address| {
        let url = format!("{address}{path}");
        LoginUrl {
            qr: qr::svg(&url),
            url,
        }
    });
    NewLink(LoginLink {
        urls: urls.collect(),
        path: format!("{}{path}", base.as_str()),
    })
}

impl Guard {
    /// The addresses at which other devices reach the server: the configured ones. If there are none, the address of
    /// this request, unless it is a loopback address.
    fn addresses(&self, base: &Base, headers: &HeaderMap) -> Vec<String> {
        let given = self.public.iter().chain(&self.devices);
        let given: Vec<_> = given.map(ToString::to_string).collect();
        if !given.is_empty() {
            return given;
        }
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let host = host.filter(|host| !LOOPBACK.contains(&&*super::name(host)));
        host.map(|host| format!("http://{host}{}", base.as_str()))
            .into_iter()
            .collect()
    }
}

/// Status 303 with a login cookie, or a refusal.
#[derive(Debug)]
pub(crate) struct LoggedIn(Response);

impl IntoResponse for LoggedIn {
    fn into_response(self) -> Response {
        self.0
    }
}

/// Status 204, with the removal of the cookie.
#[derive(Debug)]
pub(crate) struct LoggedOut {
    cookie: String,
    base: Base,
}

impl IntoResponse for LoggedOut {
    fn into_response(self) -> Response {
        let (cookie, path) = (self.cookie, self.base.home());
        let gone = format!("{cookie}=; HttpOnly; SameSite=Strict; Path={path}; Max-Age=0");
        (StatusCode::NO_CONTENT, [(header::SET_COOKIE, gone)]).into_response()
    }
}

/// Whether a request is only a preview, so that it does not use up the link: a program that shows a preview of the
/// link, or a browser that prefetches the page.
fn only_looks(method: &Method, headers: &HeaderMap) -> bool {
    let purposes = ["sec-purpose", "purpose", "x-moz"];
    let mut purposes = purposes
        .iter()
        .filter_map(|name| headers.get(*name)?.to_str().ok());
    *method == Method::HEAD || purposes.any(|purpose| purpose.contains("prefetch"))
}

async fn login(
    State(guard): State<Arc<Guard>>,
    Path(code): Path<String>,
    base: Base,
    method: Method,
    headers: HeaderMap,
) -> LoggedIn {
    if only_looks(&method, &headers) {
        let store = [(header::CACHE_CONTROL, "no-store")];
        return LoggedIn((StatusCode::NO_CONTENT, store).into_response());
    }
    let Some(cookie) = guard.logins.login(&code) else {
        let text = "this link does not work any more: it works once, and not for long";
        let refusal = Refusal::new(StatusCode::FORBIDDEN, "forbidden", text);
        let page = page::refused(&base, &Method::GET, "/login/", &headers, &refusal);
        return LoggedIn(page.unwrap_or_else(|| refusal.into_response()));
    };
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let is_https = guard
        .public
        .as_ref()
        .is_some_and(|public| public.is_https() && host.is_some_and(|host| public.is(host)));
    let secure = if is_https { "; Secure" } else { "" };
    let age = LOGIN.as_secs();
    let (name, path) = (cookie_name(&headers), base.home());
    let cookie =
        format!("{name}={cookie}; HttpOnly; SameSite=Strict; Path={path}; Max-Age={age}{secure}");
    let headers = [
        (header::SET_COOKIE, cookie),
        (header::LOCATION, path.to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
    ];
    LoggedIn((StatusCode::SEE_OTHER, headers).into_response())
}

async fn logout(State(guard): State<Arc<Guard>>, base: Base, headers: HeaderMap) -> LoggedOut {
    for cookie in cookies(&headers) {
        guard.logins.logout(cookie);
    }
    let cookie = cookie_name(&headers);
    LoggedOut { cookie, base }
}
