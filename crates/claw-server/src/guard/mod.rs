//! Access checks of a server.

pub(crate) mod body;
mod ended;
pub(crate) mod login;
mod logins;
mod person;
mod proxy;
mod public;
mod qr;
mod token;

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::uri::Authority;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use login::LINK;
use logins::Access;
pub(crate) use logins::Logins;
#[cfg(feature = "schema")]
pub(crate) use logins::PageKey;
pub use person::Person;
pub use proxy::{InvalidProxy, TrustedProxy};
pub use public::PublicUrl;
pub use token::Token;

use crate::actor::Actor;
use crate::api::Refusal;
use crate::api::extract::{KEY, VIEWER};
use crate::audit::{Audit, AuditSender, Auditor, Sender};
use crate::base::Base;
use crate::late_body::in_time;
use crate::page;
#[cfg(unix)]
use crate::user_socket::SocketPeer;
use crate::users::{User, Users};

/// The cookie of a logged-in viewer. For browsers, the port of the server is appended to the name, so that another
/// server on the same host does not replace the cookie.
pub(crate) const COOKIE: &str = "claw_session";

/// The header with the address of the client. The server sets it in each request of a client, and so replaces a value
/// that the client has set. If the request is forwarded, the other host reads the address from this header.
const FROM: &str = "x-claw-from";

/// The required value of the header `Host` in requests over the server's Unix socket. A program may forward connections
/// from a loopback address to the socket. A browser that uses such an address sends another `Host`, and is refused.
#[cfg(unix)]
const SOCKET_HOST: &str = "claw";

/// The headers that show that a browser has sent the request.
#[cfg(unix)]
const OF_BROWSERS: [&str; 3] = ["origin", "cookie", "sec-fetch-site"];

/// The host names and addresses of loopback that the header `Host` may contain.
pub(crate) const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The paths that programs read to watch the host: probes and Prometheus. Such a program finds the host by its address,
/// or by the name under which the other hosts reach it.
const WATCHED: [&str; 3] = ["/health", "/ready", "/metrics"];

/// Returns whether a `Host` header contains an IP address. A page of another site cannot make a browser send such a header
/// to this server, unless the page itself came from this address.
fn is_address(host: &str) -> bool {
    let name = name(host);
    let bare = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    match bare {
        Some(bare) => bare.parse::<Ipv6Addr>().is_ok(),
        None => name.parse::<Ipv4Addr>().is_ok(),
    }
}

/// Whether the connection of a request has TLS that this process terminates. This value is in the extensions of each
/// request that [`Server::serve`](crate::Server::serve) receives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HasTls(pub(crate) bool);

/// Returns whether the connection of a request has TLS that this process terminates.
pub(crate) fn has_tls(extensions: &Extensions) -> bool {
    matches!(extensions.get(), Some(HasTls(true)))
}

/// The addresses at which other devices reach the server at the time of the call.
pub(crate) type DeviceUrls = dyn Fn() -> Vec<PublicUrl> + Send + Sync;

/// A function that returns the addresses that may change while the server runs.
#[derive(Clone, Default)]
pub(crate) struct ChangingUrls(pub(crate) Option<Arc<DeviceUrls>>);

impl ChangingUrls {
    /// Returns the current addresses. Blocks for a short time, because the function asks the system.
    fn now(&self) -> Vec<PublicUrl> {
        self.0.as_ref().map(|urls| urls()).unwrap_or_default()
    }
}

impl fmt::Debug for ChangingUrls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChangingUrls")
    }
}

/// Checks every request.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) token: Token,
    pub(crate) logins: Logins,
    /// The users. The owner has the server's token and is not one of them.
    pub(crate) users: Option<Users>,
    /// The proxy that writes the names of users into a header.
    pub(crate) proxy: Option<TrustedProxy>,
    /// The log of what people and programs change.
    pub(crate) audit: Option<Audit>,
    /// The paths of the routes that need neither a token nor a login, with parameters in braces.
    pub(crate) open: Vec<&'static str>,
    /// The paths of all routes, with parameters in braces.
    pub(crate) routes: Vec<&'static str>,
    /// The names of the server that are allowed in the header `Host`, in lower case and without ports.
    pub(crate) hosts: Vec<String>,
    /// The names under which the other hosts reach the server. They are allowed in the header `Host` of requests for the
    /// paths [`WATCHED`].
    pub(crate) watched: Vec<String>,
    /// The address at which browsers reach the server through a proxy.
    pub(crate) public: Option<PublicUrl>,
    /// The addresses at which other devices reach the server without a proxy.
    pub(crate) devices: Vec<PublicUrl>,
    /// The addresses of this kind that may change while the server runs.
    pub(crate) changing: ChangingUrls,
    /// The data of this host, if the server is one of several hosts.
    #[cfg(feature = "cluster")]
    pub(crate) cluster: Option<Arc<crate::cluster::Cluster>>,
}

/// Returns the name in a `Host` header, in lower case and without the port.
pub(crate) fn name(host: &str) -> String {
    let end = if host.starts_with('[') {
        host.find(']').map(|at| at + 1)
    } else {
        host.find(':')
    };
    host[..end.unwrap_or(host.len())].to_ascii_lowercase()
}

/// Returns the single value of a header. Fails if there are several values, or if the value is not text.
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

/// Returns the text that the audit log records about a request whose credentials were refused. The text contains the
/// method, and the path of a request for one of these routes. Other paths are not recorded, because they may contain the code
/// of a login link or a token, for example in a misspelled link. Returns `None` if the request only reads, and contains
/// neither a token nor the proxy's header. An example is the request for a page after its login has expired.
fn attempted(
    request: &Request,
    routes: &[&'static str],
    proxy: Option<&TrustedProxy>,
) -> Option<String> {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let has_token = request.headers().contains_key(header::AUTHORIZATION);
    if is_read && !has_token && !proxy.is_some_and(|proxy| proxy.is_in(request)) {
        return None;
    }
    let path = request.uri().path();
    let path = match routes.iter().find(|route| is_of(path, route)) {
        Some(route) if *route == LINK => "/login/…",
        Some(_) => path,
        None => "/…",
    };
    Some(format!("{} {path}", request.method()))
}

/// Returns whether a path matches the path of a route. The parameters of a route are in braces.
fn is_of(path: &str, route: &str) -> bool {
    let mut parts = path.split('/');
    let are_same = route.split('/').all(|of_route| {
        let is_parameter = of_route.starts_with('{');
        let part = parts.next();
        part.is_some_and(|part| part == of_route || (is_parameter && !part.is_empty()))
    });
    are_same && parts.next().is_none()
}

fn forbidden(message: &str) -> Refusal {
    Refusal::new(StatusCode::FORBIDDEN, "forbidden", message)
}

impl Guard {
    /// Returns the path prefix under which the browser reaches the server. It comes from the public address, or from
    /// the path at which the host program has added the router.
    fn base(&self, request: &Request) -> Base {
        let host = request.headers().get(header::HOST);
        let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
        match self.public.as_ref().filter(|public| public.is(host)) {
            Some(public) => public.base().clone(),
            None => Base::of_request(request),
        }
    }

    /// Returns whether the header `Host` may have this value. An address that may change is allowed only while it is an
    /// address of this machine, because another machine may get it afterwards.
    pub(crate) fn is_host(&self, host: &str) -> bool {
        let is_public = |public: &PublicUrl| public.is(host);
        let name = name(host);
        self.public.as_ref().is_some_and(is_public)
            || self.hosts.contains(&name)
            || self.changing.now().iter().any(|url| url.name() == name)
    }

    /// Returns whether a request for one of the paths [`WATCHED`] may have this value in the header `Host`. The value is an
    /// IP address, or the name under which the other hosts reach the server.
    fn is_watched(&self, request: &Request, host: &str) -> bool {
        WATCHED.contains(&request.uri().path())
            && (is_address(host) || self.watched.contains(&name(host)))
    }

    /// Returns the sender of the request. Returns `None` if the route needs neither a token nor a login.
    fn check(&self, request: &Request) -> Result<Option<Actor>, Refusal> {
        let headers = request.headers();
        body::fits(headers)?;
        // The request comes from another host. That host has checked the header `Host` and the sender, and has signed the
        // sender. So this host checks the signature instead.
        #[cfg(feature = "cluster")]
        if crate::cluster::is_of_host(headers) {
            let cluster = self.cluster.as_ref().ok_or_else(crate::cluster::refuse)?;
            let sender = cluster.check(request.method(), request.uri(), headers)?;
            return match sender {
                Some(sender) => self.forwarded(&sender).map(Some),
                None => Ok(Some(Actor::Owner)),
            };
        }
        #[cfg(unix)]
        if request.extensions().get::<SocketPeer>().is_some() {
            return self.check_socket(request);
        }
        let host = single_value(headers, &header::HOST)?.unwrap_or_default();
        let asked = request.uri().authority().map_or(host, Authority::as_str);
        // With an unknown name in `Host`, the request may come from a page of another site whose owner has changed the
        // DNS entry of the site to this address.
        if asked != host || !(self.is_host(host) || self.is_watched(request, host)) {
            return Err(Refusal::wrong_host());
        }
        let public = self.public.as_ref().filter(|public| public.is(host));
        let origin = single_value(headers, &header::ORIGIN)?;
        let is_own = |origin: &str| {
            if let Some(public) = public {
                return public.is_origin(origin);
            }
            // If this process does not terminate TLS, a proxy may do so. So the origin may begin with `http` or
            // `https`.
            let plain = origin.strip_prefix("https://");
            let plain = if has_tls(request.extensions()) {
                plain
            } else {
                plain.or(origin.strip_prefix("http://"))
            };
            plain.is_some_and(|plain| plain.eq_ignore_ascii_case(host))
        };
        if origin.is_some_and(|origin| !is_own(origin)) {
            return Err(forbidden("the request is of another page"));
        }
        let path = request.uri().path();
        if self.open.iter().any(|open| is_of(path, open)) {
            return Ok(None);
        }
        let proxied = match &self.proxy {
            Some(proxy) => proxy.user(request)?,
            None => None,
        };
        if let Some(given) = bearer(headers)? {
            let user = self.users.as_ref().and_then(|users| users.by_token(given));
            if self.token.is(given) {
                return Ok(Some(Actor::Owner));
            }
            return self.actor(user).map(Some);
        }
        // The request has no token. The proxy or the host program has identified the person, or the request has a login
        // cookie.
        let access = match (proxied, request.extensions().get::<Person>()) {
            (Some(name), _) => {
                let user = self.users.as_ref().and_then(|users| users.by_name(name));
                let unknown =
                    || proxy::forbidden("the proxy names a user whom the server does not have");
                Access::Acts(Some(user.ok_or_else(unknown)?.id.clone()))
            }
            (None, Some(_)) => Access::Acts(None),
            (None, None) => self.access(headers)?,
        };
        let actor = match access {
            Access::None => return Err(unauthorized()),
            Access::Keyless => return Err(Refusal::keyless()),
            Access::Acts(None) => Actor::Owner,
            Access::Acts(Some(id)) => {
                self.actor(self.users.as_ref().and_then(|users| users.by_id(&id)))?
            }
        };
        // A page of another site can make the browser send requests with the cookie or the proxy's header. So a request
        // that changes something must also name the page from which it comes.
        let is_upgrade = headers.contains_key(header::UPGRADE);
        let is_read = matches!(*request.method(), Method::GET | Method::HEAD) && !is_upgrade;
        let is_same = headers
            .get("sec-fetch-site")
            .is_some_and(|site| site == "same-origin");
        if !is_read && origin.is_none() && !is_same {
            return Err(forbidden("the request does not say which page it is of"));
        }
        Ok(Some(actor))
    }

    /// Returns the sender of a request over the server's Unix socket. The sender is the owner, because the socket
    /// accepts only connections of processes that run as the server's user. Returns `None` if the route needs neither a
    /// token nor a login.
    #[cfg(unix)]
    fn check_socket(&self, request: &Request) -> Result<Option<Actor>, Refusal> {
        let headers = request.headers();
        let host = single_value(headers, &header::HOST)?.unwrap_or_default();
        let asked = request.uri().authority().map_or(host, Authority::as_str);
        if host != SOCKET_HOST || asked != host {
            return Err(Refusal::wrong_host());
        }
        if OF_BROWSERS.iter().any(|name| headers.contains_key(*name)) {
            return Err(forbidden("the socket is not for browsers"));
        }
        let path = request.uri().path();
        let is_open = self.open.iter().any(|open| is_of(path, open));
        Ok((!is_open).then_some(Actor::Owner))
    }

    /// Creates the auditor of a request. If the server has no audit log, the auditor records nothing.
    fn auditor(&self, actor: Option<&Actor>, request: &Request) -> Auditor {
        let Some(audit) = &self.audit else {
            return Auditor::default();
        };
        let person = request.extensions().get::<Person>();
        let (by, user) = match (actor, person) {
            (Some(Actor::User { user, .. }), _) => (AuditSender::User, Some(user.name.clone())),
            (Some(Actor::Owner), Some(it)) => (AuditSender::Person, Some(it.name.clone())),
            #[cfg(unix)]
            (Some(Actor::Owner), None) if request.extensions().get::<SocketPeer>().is_some() => {
                (AuditSender::Socket, None)
            }
            (Some(Actor::Owner), None) => (AuditSender::Token, None),
            (None, _) => (AuditSender::Unknown, None),
        };
        let text = |name: &str| {
            let value = request.headers().get(name)?;
            Some(value.to_str().ok()?.to_owned())
        };
        Auditor::new(
            audit,
            Sender {
                by,
                user,
                from: text(FROM),
                forwarded: text("x-forwarded-for"),
            },
        )
    }

    /// Sets the header [`FROM`] to the address of the client. If the request came over the Unix socket, sets it to the
    /// client's process. `is_checked` is whether the request has passed the [`check`](Self::check).
    fn name_address(&self, request: &mut Request, is_checked: bool) {
        #[cfg(feature = "cluster")]
        if is_checked && crate::cluster::is_of_host(request.headers()) {
            // Another host forwards the request, and has already set the header. The check has verified the host's
            // signature.
            return;
        }
        #[cfg(not(feature = "cluster"))]
        let _ = is_checked;
        request.headers_mut().remove(FROM);
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map(|ConnectInfo(peer)| peer.to_string());
        #[cfg(unix)]
        let peer = peer.or_else(|| {
            let peer = request.extensions().get::<SocketPeer>()?;
            Some(format!("process {}", peer.pid?))
        });
        if let (Some(_), Some(Ok(peer))) = (&self.audit, peer.map(HeaderValue::try_from)) {
            request.headers_mut().insert(FROM, peer);
        }
    }

    /// Returns the user as the sender of a request. Refuses the request if the user no longer exists.
    fn actor(&self, user: Option<Arc<User>>) -> Result<Actor, Refusal> {
        let known = user.zip(self.users.clone());
        let actor = known.map(|(user, users)| Actor::of_user(user, users));
        actor.ok_or_else(unauthorized)
    }

    /// Returns the user for whom another host has signed a request. The user acts with the lower of the roles that the
    /// user has on the two hosts.
    #[cfg(feature = "cluster")]
    fn forwarded(&self, sender: &str) -> Result<Actor, Refusal> {
        let unknown = || {
            forbidden(
                "the host that has the session does not have this user: all hosts need the same file of users",
            )
        };
        let (id, least) = crate::cluster::user_of(sender).ok_or_else(unknown)?;
        let users = self.users.as_ref().ok_or_else(unknown)?;
        let user = users.by_id(id).ok_or_else(unknown)?;
        let (role, users) = (least.min(user.role), users.clone());
        Ok(Actor::User { user, users, role })
    }

    /// Returns the rights of a request according to its login cookies. A request may have several. The first cookie
    /// that is valid together with the request's key determines the rights.
    fn access(&self, headers: &HeaderMap) -> Result<Access, Refusal> {
        let key = single_value(headers, &KEY)?.unwrap_or_default();
        let mut best = Access::None;
        for cookie in cookies(headers) {
            match self.logins.access(cookie, key) {
                acts @ Access::Acts(_) => return Ok(acts),
                Access::Keyless => best = Access::Keyless,
                Access::None => {}
            }
        }
        Ok(best)
    }
}

fn unauthorized() -> Refusal {
    let text = "the token is missing or wrong";
    Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized", text)
}

pub(crate) fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    let given = single_value(headers, &header::AUTHORIZATION)?;
    // If the scheme is not `Bearer`, the token is treated as wrong, even if the request also has a valid cookie.
    Ok(given.map(|given| match given.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => "",
    }))
}

/// Returns the name of the login cookie. The name contains the port to which the request was sent.
pub(crate) fn cookie_name(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok()).unwrap_or_default();
    match host[name(host).len()..].strip_prefix(':') {
        Some(port) if port.parse::<u16>().is_ok() => format!("{COOKIE}_{port}"),
        _ => COOKIE.to_owned(),
    }
}

/// Returns the values of all login cookies of a request. Browsers send the cookie with the port in its name, and
/// programs send it without the port.
pub(crate) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let own = cookie_name(headers);
    let all = headers.get_all(header::COOKIE).iter();
    let all = all.filter_map(|value| value.to_str().ok());
    let each = all.flat_map(|value| value.split(';'));
    each.filter_map(move |cookie| {
        let (name, value) = cookie.trim().split_once('=')?;
        (name == COOKIE || name == own).then_some(value)
    })
}

pub(crate) async fn guard(
    State(guard): State<Arc<Guard>>,
    mut request: Request,
    next: Next,
) -> Response {
    let base = guard.base(&request);
    let browsed = page::Browsed::of(&request);
    let checked = guard.check(&request);
    guard.name_address(&mut request, checked.is_ok());
    match checked {
        Ok(actor) => {
            let auditor = guard.auditor(actor.as_ref(), &request);
            request.extensions_mut().insert(auditor);
            request.extensions_mut().insert(base.clone());
            let user = actor.as_ref().and_then(Actor::user);
            let user = user.map(|user| user.name.clone());
            name_person(&mut request, user);
            let gone = actor.as_ref().filter(|actor| actor.user().is_some());
            let gone = gone.map(Actor::gone);
            if let Some(actor) = actor {
                request.extensions_mut().insert(actor);
            }
            let response = next.run(request.map(in_time)).await;
            let response = match browsed {
                Some(browsed) => browsed.shown(&base, response),
                None => response,
            };
            match gone {
                Some(gone) => response.map(|body| ended::until(body, gone)),
                None => response,
            }
        }
        Err(refusal) => {
            if let Some(attempted) = attempted(&request, &guard.routes, guard.proxy.as_ref()) {
                let auditor = guard.auditor(None, &request);
                auditor.refused_access(attempted, refusal.refused()).await;
            }
            let (path, headers) = (request.uri().path(), request.headers());
            page::refused(&base, request.method(), path, headers, &refusal)
                .unwrap_or_else(|| refusal.into_response())
        }
    }
}

/// Replaces the viewer name in the request by the name of the user, or of the person whom the host program has
/// identified. If the request is forwarded, the other host receives this name too.
fn name_person(request: &mut Request, user: Option<String>) {
    let person = || Some(request.extensions().get::<Person>()?.name.clone());
    let Some(name) = user.or_else(person) else {
        return;
    };
    let name: String = name.chars().filter(|it| !it.is_control()).collect();
    if let Ok(name) = HeaderValue::from_bytes(name.as_bytes()) {
        request.headers_mut().insert(VIEWER, name);
    }
}
