//! The routes of the page.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use claw_sessions::on_pool;
use claw_types::SessionId;
use futures::stream;
use serde::Deserialize;
use serde_json::{Value, json};

use super::activity::{AllSessions, Shows, stream_of_all};
use super::assets::{VERSION, asset};
use super::fragments::{self, Fragments, PageEvent};
use super::may::May;
use super::shell::Head;
use super::usage::{self, UsagePageQuery};
use super::worker::worker;
use super::{POLICY, changes, parts, shell};
use crate::Viewer;
use crate::actor::Actor;
use crate::api::changes::of_session;
use crate::api::disk;
use crate::api::events::SIGN_OF_LIFE;
use crate::api::extract::KEY;
use crate::api::quotas::uses;
use crate::api::response::Events;
use crate::api::table::SessionIn::{Nothing, Path as InPath};
use crate::api::table::{self, GET, Row};
use crate::api::{Api, Refusal, Refused};
use crate::base::Base;
use crate::changes::{Place, Scope};
use crate::conversation::{Conversation, Event};
use crate::forks;
use crate::hub::{Everything, Followed, LiveSession, OpenOptions};
use crate::role::Role::View;

/// The minimum time between two updates of a page. The changes in between are sent together.
const UPDATE: Duration = Duration::from_millis(40);

/// Returns the rows of the page's routes.
#[rustfmt::skip]
pub(crate) fn rows() -> Vec<Row<Arc<Api>>> {
    vec![
        table::page(GET, "/", View, Nothing, home),
        table::page(GET, "/stream", View, Nothing, stream_of_all),
        table::page(GET, "/worker.js", View, Nothing, worker).open(),
        table::page(GET, "/usage", View, Nothing, usage_page),
        table::page(GET, "/s/{id}", View, InPath, session),
        table::page(GET, "/s/{id}/stream", View, InPath, stream_of),
        table::page(GET, "/s/{id}/elements", View, InPath, parts::elements),
        table::page(GET, "/s/{id}/requests", View, InPath, parts::requests),
        table::page(GET, "/s/{id}/find", View, InPath, parts::find),
        table::page(GET, "/s/{id}/changes", View, InPath, changes_page),
        table::page(GET, "/s/{id}/change", View, InPath, change),
        table::page(GET, "/assets/{version}/{name}", View, Nothing, file).open(),
    ]
}

/// Returns a page that shows the reason of a refusal. Returns `None` if the request is not a browser's request for a
/// page.
pub(crate) fn refused(
    base: &Base,
    method: &Method,
    path: &str,
    headers: &HeaderMap,
    refusal: &Refusal,
) -> Option<Response> {
    is_for_page(method, path, headers).then(|| {
        // When a person opens a page, the browser sends the cookie without the key. This response is a page whose
        // script fetches the requested page with the key.
        if refusal.is_keyless() && !headers.contains_key(KEY) {
            return html(base, StatusCode::OK, shell::opening("Opening"));
        }
        let (title, text) = match refusal.status() {
            StatusCode::UNAUTHORIZED => ("Log in", LOG_IN),
            // The page does not repeat the name in `Host`, because the link may come from another site.
            StatusCode::FORBIDDEN if refusal.is_wrong_host() => ("Wrong address", WRONG_ADDRESS),
            StatusCode::NOT_FOUND => ("Not here", NOT_FOUND),
            _ => ("Not here", refusal.message()),
        };
        // When a person follows a link from another site, such as a chat, browsers do not send the cookie. So the page
        // offers a link to itself.
        let may_go_on = refusal.status() == StatusCode::UNAUTHORIZED;
        let page = shell::refused(title, text, may_go_on);
        html(base, refusal.status(), page)
    })
}

/// A browser's request for a page. If the request is refused, the browser receives a page that shows the reason.
pub(crate) struct Browsed {
    method: Method,
    path: String,
    headers: HeaderMap,
}

impl Browsed {
    /// Returns the method, path and headers of a request. Returns `None` if it is not a browser's request for a page.
    pub(crate) fn of(request: &Request) -> Option<Self> {
        let (method, path) = (request.method(), request.uri().path());
        is_for_page(method, path, request.headers()).then(|| Self {
            method: method.clone(),
            path: path.to_owned(),
            headers: request.headers().clone(),
        })
    }

    /// Returns the response. If the response is a refusal in JSON, returns a page that shows its reason instead.
    pub(crate) fn shown(&self, base: &Base, mut response: Response) -> Response {
        let Some(reason) = response.extensions_mut().remove::<Refused>() else {
            return response;
        };
        let refusal = Refusal::new(response.status(), &reason.kind, reason.message);
        let page = refused(base, &self.method, &self.path, &self.headers, &refusal);
        page.unwrap_or(response)
    }
}

/// Returns whether a browser requests a page.
fn is_for_page(method: &Method, path: &str, headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok());
    let is_for_programs = path.starts_with("/api/") || path.starts_with("/assets/");
    let takes_html = accept.is_some_and(|accept| accept.contains("text/html"));
    method == Method::GET && !is_for_programs && takes_html
}

/// Returns the page of a login link.
pub(crate) fn login(base: &Base) -> Response {
    html(base, StatusCode::OK, shell::opening("Log in"))
}

const LOG_IN: &str = "You are not logged in. Open a login link: the server prints one when it starts, and a browser that is \
    logged in makes one for another device.";

const WRONG_ADDRESS: &str = "This server does not accept requests by this address. Open the address that claw serve \
    printed when it started. If this address is right, start claw serve again with --allow-host and the name in the \
    address, or with --phone for all devices in this network.";

const NOT_FOUND: &str = "There is no page at this address, or the session is not on this machine any more. Go to the list \
    of sessions, or search there.";

fn html(base: &Base, status: StatusCode, page: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
    ];
    (status, headers, base.rebase(page)).into_response()
}

fn page(base: &Base, result: Result<String, Refusal>) -> Response {
    match result {
        Ok(page) => html(base, StatusCode::OK, page),
        Err(refusal) => {
            let text = match refusal.status() {
                StatusCode::NOT_FOUND => NOT_FOUND,
                _ => refusal.message(),
            };
            let page = shell::refused("Not here", text, false);
            html(base, refusal.status(), page)
        }
    }
}

/// The query of the page of all sessions.
#[derive(Debug, Deserialize)]
struct HomeQuery {
    /// The text to search for.
    #[serde(default)]
    q: String,
    /// Whether to list archived sessions.
    #[serde(default)]
    archived: bool,
}

async fn home(
    State(api): State<Arc<Api>>,
    actor: Actor,
    may: May,
    base: Base,
    Query(query): Query<HomeQuery>,
) -> Response {
    let sight = actor.sight(api.hub.projects());
    let names: Vec<_> = api
        .hub
        .projects()
        .iter()
        .map(|project| &*project.name)
        .filter(|name| sight.has(name))
        .collect();
    let limits = uses(&api.hub, &actor);
    let page = shell::sessions(&names, &query.q, query.archived, &limits, &may);
    html(&base, StatusCode::OK, page)
}

async fn session(
    State(api): State<Arc<Api>>,
    may: May,
    base: Base,
    Path(id): Path<String>,
) -> Response {
    let head = head(&api, &id).await;
    page(&base, head.map(|head| shell::session(&head, &may)))
}

/// Returns what the page of a session shows before its conversation has been read.
async fn head(api: &Arc<Api>, id: &str) -> Result<Head, Refusal> {
    // The page of a session on disk does not wait until the whole transcript is read. Its event stream does.
    let asked = SessionId::from(id);
    let known = disk::run(api, {
        let id = asked.clone();
        move |hub| hub.glance(&id)
    });
    if let Some((project, info)) = known.await? {
        let (title, fork) = forked(api, asked.clone(), info.summary).await;
        return Ok(Head {
            id: asked,
            title,
            fork,
            project,
        });
    }
    // `resume` opens exactly the session in the link, even if the conversation has continued under another ID.
    let live = api.hub.resume(id, OpenOptions::default()).await?;
    let (title, fork) = titled(api, &live).await;
    Ok(Head {
        id: live.id(),
        title,
        fork,
        project: live.project().to_owned(),
    })
}

/// Returns the title of a session for its pages, and its [depth](forks::depth) if it is a fork.
async fn titled(api: &Arc<Api>, live: &LiveSession) -> (String, Option<u32>) {
    let Some(title) = live.read(Conversation::title) else {
        return ("New session".to_owned(), None);
    };
    forked(api, live.id(), title).await
}

/// Returns a session's title as [`titled`] does. `title` is the title without its depth.
async fn forked(api: &Arc<Api>, id: SessionId, title: String) -> (String, Option<u32>) {
    let depth = disk::run(api, move |hub| {
        let of = |id: &SessionId| hub.find(id.as_str()).ok()?.forked_from().ok()?;
        Ok(forks::depth(of(&id), of))
    });
    // Without a transcript on the disk, or one that can be read, the title says it.
    let depth = depth.await.ok().flatten();
    let depth = depth.or_else(|| forks::depth_in(&title));
    (forks::shown_title(&title, depth), depth)
}

/// Returns the page with the changes of a session.
async fn changes_page(
    State(api): State<Arc<Api>>,
    may: May,
    base: Base,
    Path(id): Path<String>,
) -> Response {
    page(&base, changes_of(&api, &id, &may).await)
}

async fn changes_of(api: &Arc<Api>, id: &str, may: &May) -> Result<String, Refusal> {
    let live = api.hub.open(id).await?;
    let worktree = live.read(|conversation| conversation.state().worktree.clone());
    let (title, _) = titled(api, &live).await;
    let all = of_session(api, id, Scope::List).await?;
    Ok(changes::page(
        live.id().as_str(),
        &title,
        worktree.as_ref(),
        &all,
        may,
    ))
}

/// The query for one changed file.
#[derive(Debug, Deserialize)]
struct ChangeQuery {
    /// The path of the file, as the page shows it.
    path: String,
}

/// Returns the diff of one file. Used by a page that shows the file without the lines of its diff.
async fn change(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    query: Result<Query<ChangeQuery>, QueryRejection>,
) -> Result<Json<Value>, Refusal> {
    let Query(query) = query?;
    let found = of_session(&api, &id, Scope::File(query.path)).await?;
    let file = found.files.first().ok_or_else(Refusal::not_found)?;
    Ok(Json(json!({"html": changes::lines(file)})))
}

/// The name of the web app manifest. Browsers install the page with it.
const MANIFEST: &str = "manifest.webmanifest";

async fn file(
    base: Base,
    Path((version, name)): Path<(String, String)>,
    request: HeaderMap,
) -> Response {
    let served = asset(&name).filter(|_| version == *VERSION);
    let Some(served) = served else {
        return Refusal::not_found().into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, served.asset.kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::VARY, "Accept-Encoding"),
    ];
    // The URLs in the manifest begin at the root of the host, so the path prefix of the server is added.
    if name == MANIFEST && base.home() != "/" {
        let manifest = String::from_utf8_lossy(served.asset.body);
        let here = format!(": \"{}\"", base.home());
        return (headers, manifest.replace(": \"/\"", &here)).into_response();
    }
    if accepts_gzip(&request)
        && let Some(gzip) = served.gzip()
    {
        return (headers, [(header::CONTENT_ENCODING, "gzip")], gzip).into_response();
    }
    (headers, served.asset.body).into_response()
}

/// Returns whether a client accepts a response in the gzip format. A client that does not name the format may not know it.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter();
    let codings = values.filter_map(|value| value.to_str().ok());
    let mut codings = codings.flat_map(|value| value.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = weight.trim().strip_prefix("q=");
        let weight = weight.and_then(|weight| weight.trim().parse::<f32>().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_some_and(|weight| weight > 0.0)
    })
}

async fn usage_page(
    State(api): State<Arc<Api>>,
    actor: Actor,
    may: May,
    base: Base,
    Query(query): Query<UsagePageQuery>,
) -> Response {
    let sight = actor.sight(api.hub.projects());
    let report = api.usage.report(&api.hub, query.days(), sight).await;
    let report = report.map_err(Refusal::from);
    let date = api.hub.prices().date();
    let shown = report.map(|report| usage::page(&report, &query, date, &may));
    page(&base, shown)
}

/// The sources of a session page's event stream.
struct Updates {
    viewer: Viewer,
    may: May,
    /// The project of the session.
    files: Place,
    fragments: Fragments,
    sessions: AllSessions,
    /// The slot of this page, which counts as a viewer of the session as long as the stream exists.
    _place: crate::api::ViewerSlot,
}

impl Updates {
    /// Returns the next events as text. Returns `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        let own = self.viewer.session();
        let mut events = tokio::select! {
            followed = self.viewer.follow() => match followed? {
                Followed::Events(events) => self.take(events).await,
                Followed::Lost => {
                    let (role, may) = (self.may.role(), self.may.clone());
                    let files = self.files.clone();
                    let draw = move |all: &Everything| fragments::first(all, &may, &files);
                    let first = self.viewer.first_state(role, draw).await;
                    self.fragments.begin(&first);
                    return Some(first.text.clone());
                }
            },
            event = self.sessions.next(Some(own.as_str())) => vec![event],
            () = tokio::time::sleep(SIGN_OF_LIFE) => vec![PageEvent::of("ping", &json!({}))],
        };
        events.extend(self.fragments.flush());
        let text: String = events.iter().map(PageEvent::text).collect();
        Some(text.into())
    }

    /// Processes the events of the viewer. If this may take long, it runs on another thread, so that other viewers do
    /// not wait for it.
    async fn take(&mut self, events: Vec<Event>) -> Vec<PageEvent> {
        if !self.fragments.are_heavy(&events) {
            return self.fragments.take(&events);
        }
        let none = Fragments::new(self.may.clone(), self.files.clone());
        let mut fragments = std::mem::replace(&mut self.fragments, none);
        let work = move || (fragments.take(&events), fragments);
        let (events, fragments) = on_pool::run(work).await;
        self.fragments = fragments;
        events
    }
}

/// The query of a session's event stream.
#[derive(Debug, Deserialize)]
struct StreamQuery {
    /// Whether the page shows a list of all sessions beside the conversation.
    #[serde(default)]
    list: bool,
    /// Whether to open exactly this session, as its page does, even if the conversation has continued under another ID.
    #[serde(default)]
    exact: bool,
}

async fn stream_of(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    actor: Actor,
    may: May,
    query: Result<Query<StreamQuery>, QueryRejection>,
) -> Result<Events, Refusal> {
    let Query(query) = query?;
    let shows = if query.list {
        Shows::List
    } else {
        Shows::Count
    };
    if query.exact {
        api.hub.resume(&id, OpenOptions::default()).await?;
    }
    let live = api.hub.open(&id).await?;
    let files = Place::of_project(api.hub.project(live.project())?);
    let updates = Updates {
        _place: api.viewers.acquire(&id)?,
        viewer: live.viewer(None),
        fragments: Fragments::new(may.clone(), files.clone()),
        may,
        files,
        sessions: AllSessions::new(&api, shows, actor.sight(api.hub.projects())),
    };
    let rest = stream::unfold((updates, false), async |(mut updates, is_begun)| {
        if is_begun {
            tokio::time::sleep(UPDATE).await;
        }
        let text = updates.next().await?;
        Some((Ok::<_, Infallible>(text), (updates, true)))
    });
    Ok(Events::of(rest))
}
