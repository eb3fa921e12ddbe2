//! The login of browsers, with links that work once.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};

use super::logins::{Access, LOGIN, PageKey};
use super::{Guard, LOOPBACK, PublicUrl, cookie_name, cookies, has_tls, qr};
use crate::actor::Actor;
use crate::api::Refusal;
use crate::api::extract::KEY;
use crate::api::table::SessionIn::Nothing;
use crate::api::table::{GET, POST, Row, api};
use crate::audit::{Act, Action};
use crate::base::Base;
use crate::page;
use crate::role::Role::View;

/// The path of the route of login links.
pub(super) const LINK: &str = "/login/{code}";

#[rustfmt::skip]
pub(crate) fn rows() -> Vec<Row<Arc<Guard>>> {
    vec![
        api(POST.records(Action::MakeLogin), "/api/logins", View, "makeLogin", Nothing, link,
            "Makes a link that logs one browser in."),
        api(GET, LINK, View, "openLogin", Nothing, open,
            "Gives the page of a login link. The link is not used up.").open(),
        api(POST.records(Action::LogIn), LINK, View, "logIn", Nothing, login,
            "Logs a browser in. A link works once.").open(),
        api(POST.records(Action::LogOut), "/logout", View, "logOut", Nothing, logout,
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

/// Creates a link that logs in another device of the same user.
async fn link(
    State(guard): State<Arc<Guard>>,
    actor: Actor,
    act: Act,
    base: Base,
    Arrival { headers, has_tls }: Arrival,
) -> Result<NewLink, Refusal> {
    act.record().await?;
    let user = actor.user().map(|user| &*user.id);
    let path = format!("/login/{}", guard.logins.code(user));
    let urls = guard
        .addresses(&base, &headers, has_tls)
        .into_iter()
        .map(|address| {
            let url = format!("{address}{path}");
            LoginUrl {
                qr: qr::svg(&url),
                url,
            }
        });
    Ok(NewLink(LoginLink {
        urls: urls.collect(),
        path: format!("{}{path}", base.as_str()),
    }))
}

impl Guard {
    /// Returns the addresses at which other devices reach the server. These are the configured addresses and the current
    /// ones of those that may change. If there are none, returns the address of this request, unless it is a loopback
    /// address.
    fn addresses(&self, base: &Base, headers: &HeaderMap, has_tls: bool) -> Vec<String> {
        let changing = self.changing.now();
        let given = self.public.iter().chain(&self.devices).chain(&changing);
        let given: Vec<_> = given.map(ToString::to_string).collect();
        if !given.is_empty() {
            return given;
        }
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let host = host.filter(|host| !LOOPBACK.contains(&&*super::name(host)));
        let scheme = if has_tls { "https" } else { "http" };
        host.map(|host| format!("{scheme}://{host}{}", base.as_str()))
            .into_iter()
            .collect()
    }
}

/// The page of a login link. Its script sends a `POST` request to the same address, and this request logs the browser
/// in. So the link stays valid if a program only fetches it, for example for a preview.
#[derive(Debug)]
pub(crate) struct LoginPage(Response);

impl IntoResponse for LoginPage {
    fn into_response(self) -> Response {
        self.0
    }
}

/// The response with status 204 and a login cookie.
#[derive(Debug)]
pub(crate) struct LoggedIn(String);

impl IntoResponse for LoggedIn {
    fn into_response(self) -> Response {
        let headers = [
            (header::SET_COOKIE, self.0),
            (header::CACHE_CONTROL, "no-store".to_owned()),
        ];
        (StatusCode::NO_CONTENT, headers).into_response()
    }
}

/// The headers of a request, and whether it arrived over TLS.
pub(crate) struct Arrival {
    headers: HeaderMap,
    has_tls: bool,
}

impl<S: Sync> FromRequestParts<S> for Arrival {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self {
            headers: parts.headers.clone(),
            has_tls: has_tls(&parts.extensions),
        })
    }
}

impl<S: Sync> FromRequestParts<S> for PageKey {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let key = super::single_value(&parts.headers, &KEY)?;
        key.and_then(Self::new).ok_or_else(|| {
            Refusal::bad("a login needs the key of its page, 64 hexadecimal digits, in x-claw-key")
        })
    }
}

/// The response with status 204 that removes the login cookie.
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

async fn open(base: Base) -> LoginPage {
    LoginPage(page::login(&base))
}

async fn login(
    State(guard): State<Arc<Guard>>,
    Path(code): Path<String>,
    key: PageKey,
    act: Act,
    base: Base,
    Arrival { headers, has_tls }: Arrival,
) -> Result<LoggedIn, Refusal> {
    // The code can also be a user's token. Unlike a link, a token works more than once.
    let user = guard.users.as_ref().and_then(|users| users.by_token(&code));
    let access = match (guard.logins.access_of_link(&code), &user) {
        (Access::None, Some(user)) => Access::Acts(Some(user.id.clone())),
        (access, _) => access,
    };
    if let Access::Acts(id) = access {
        // If the user was removed after the link was created, the user has no name, and the audit log contains an empty
        // name.
        let name = |id: String| guard.users.as_ref()?.by_id(&id).map(|it| it.name.clone());
        act.by(id.map(|id| name(id).unwrap_or_default()));
        act.record().await?;
    }
    let of_link = guard.logins.login(&code, &key);
    let of_user = user.map(|user| guard.logins.login_user(&user.id, &key));
    let cookie = of_link.or(of_user).ok_or_else(|| {
        super::forbidden("this link does not work any more: it works once, and not for long")
    })?;
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let is_public =
        |public: &PublicUrl| public.is_https() && host.is_some_and(|host| public.is(host));
    let is_https = has_tls || guard.public.as_ref().is_some_and(is_public);
    let secure = if is_https { "; Secure" } else { "" };
    let age = LOGIN.as_secs();
    let (name, path) = (cookie_name(&headers), base.home());
    Ok(LoggedIn(format!(
        "{name}={cookie}; HttpOnly; SameSite=Strict; Path={path}; Max-Age={age}{secure}"
    )))
}

async fn logout(
    State(guard): State<Arc<Guard>>,
    act: Act,
    base: Base,
    headers: HeaderMap,
) -> Result<LoggedOut, Refusal> {
    act.record().await?;
    for cookie in cookies(&headers) {
        guard.logins.logout(cookie);
    }
    let cookie = cookie_name(&headers);
    Ok(LoggedOut { cookie, base })
}
