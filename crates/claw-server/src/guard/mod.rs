//! Who may use a server.

pub(crate) mod body;
pub(crate) mod login;
mod logins;
mod public;
mod qr;
mod token;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

pub(crate) use logins::Logins;
pub use public::PublicUrl;
pub use token::Token;
#[cfg(feature = "cluster")]
pub(crate) use token::is_same;

use crate::api::Refusal;
use crate::late_body::in_time;
use crate::page;

/// The cookie of a viewer that has logged in.
pub(crate) const COOKIE: &str = "claw_session";

/// The names of loopback, as in the header `Host`.
pub(crate) const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// What is checked of every request.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) token: Token,
    pub(crate) logins: Logins,
    /// The names by which the server may be asked, in lower case and without ports.
    pub(crate) hosts: Vec<String>,
    /// The address by which browsers come through a proxy.
    pub(crate) public: Option<PublicUrl>,
    /// The addresses by which other devices come without one.
    pub(crate) devices: Vec<PublicUrl>,
    /// This host, if it is one of several.
    #[cfg(feature = "cluster")]
    pub(crate) cluster: Option<Arc<crate::cluster::Cluster>>,
}

/// The name in a `Host` header, in lower case and without the port.
pub(crate) fn name(host: &str) -> String {
    let end = if host.starts_with('[') {
        host.find(']').map(|at| at + 1)
    } else {
        host.find(':')
    };
    host[..end.unwrap_or(host.len())].to_ascii_lowercase()
}

/// The only value of a header. `Err` if there are several, or one that is not text.
pub(crate) fn single_value<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    if values.next().is_some() {
        return Err(Refusal::bad(format!("{name} is there twice")));
    }
    let text = first.map(HeaderValue::to_str).transpose();
    text.map_err(|_| Refusal::bad(format!("{name} is not text")))
}

fn forbidden(message: &str) -> Refusal {
    Refusal::new(StatusCode::FORBIDDEN, "forbidden", message)
}

impl Guard {
    fn check(&self, request: &Request) -> Result<(), Refusal> {
        let headers = request.headers();
        body::fits(headers)?;
        // The host that passes a request on has checked who asks, and by which name.
        #[cfg(feature = "cluster")]
        if headers.contains_key(crate::cluster::HEADER) {
            let cluster = self.cluster.as_ref().ok_or_else(crate::cluster::refuse)?;
            return cluster.check(request.method(), request.uri(), headers);
        }
        let host = single_value(headers, &header::HOST)?.unwrap_or_default();
        let asked = request.uri().authority().map_or(host, Authority::as_str);
        // A name that is not the server's own leads here if somebody has changed what it stands for.
        let public = self.public.as_ref().filter(|public| public.is(host));
        if asked != host || (public.is_none() && !self.hosts.contains(&name(host))) {
            return Err(Refusal::wrong_host());
        }
        let origin = single_value(headers, &header::ORIGIN)?;
        let is_own = |origin: &str| {
            if let Some(public) = public {
                return public.is_origin(origin);
            }
            let plain = origin
                .strip_prefix("http://")
                .or(origin.strip_prefix("https://"));
            plain.is_some_and(|plain| plain.eq_ignore_ascii_case(host))
        };
        if origin.is_some_and(|origin| !is_own(origin)) {
            return Err(forbidden("the request is of another page"));
        }
        let path = request.uri().path();
        if matches!(path, "/health" | "/ready")
            || path.starts_with("/login/")
            || path.starts_with("/assets/")
        {
            return Ok(());
        }
        if let Some(given) = bearer(headers)? {
            return self.token.is(given).then_some(()).ok_or_else(unauthorized);
        }
        if !cookies(headers).any(|cookie| self.logins.is_logged_in(cookie)) {
            return Err(unauthorized());
        }
        // A browser sends the cookie by itself, so it has to say who asks.
        let is_upgrade = headers.contains_key(header::UPGRADE);
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD) && !is_upgrade;
        let is_same = headers
            .get("sec-fetch-site")
            .is_some_and(|site| site == "same-origin");
        if is_read || origin.is_some() || is_same {
            return Ok(());
        }
        Err(forbidden("the request does not say which page it is of"))
    }
}

fn unauthorized() -> Refusal {
    let text = "the token is missing or wrong";
    Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized", text)
}

pub(crate) fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let given = single_value(headers, &header::AUTHORIZATION)?;
    // Another scheme counts as a wrong token: a cookie does not help then.
    Ok(given.map(|given| match given.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => "",
    }))
}

/// The values of the login's cookie.
pub(crate) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let all = headers.get_all(header::COOKIE).iter();
    let all = all.filter_map(|value| value.to_str().ok());
    let each = all.flat_map(|value| value.split(';'));
    each.filter_map(|cookie| cookie.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

pub(crate) async fn guard(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    match guard.check(&request) {
        Ok(()) => next.run(request.map(in_time)).await,
        Err(refusal) => {
            let (path, headers) = (request.uri().path(), request.headers());
            page::refused(request.method(), path, headers, &refusal)
                .unwrap_or_else(|| refusal.into_response())
        }
    }
}
