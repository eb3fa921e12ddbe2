//! The routes of the page.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use claw_sessions::on_pool;
use futures::stream;
use serde::Deserialize;
use serde_json::json;

use super::activity::{AllSessions, Shows, stream_of_all};
use super::assets::{VERSION, asset};
use super::fragments::{self, Fragments, PageEvent};
use super::worker::worker;
use super::{POLICY, parts, shell};
use crate::Viewer;
use crate::api::events::SIGN_OF_LIFE;
use crate::api::response::Events;
use crate::api::{Api, Refusal, disk};
use crate::conversation::{Conversation, Event};
use crate::hub::{Followed, OpenOptions};

/// The shortest time between two updates of a page. What happens meanwhile comes in one.
const UPDATE: Duration = Duration::from_millis(40);
/// How many days the chart shows.
const DAYS: u32 = 30;

pub(crate) fn router(api: Arc<Api>) -> Router {
    Router::new()
        .route("/", get(home))
        .route("/stream", get(stream_of_all))
        .route("/worker.js", get(worker))
        .route("/usage", get(usage))
        .route("/s/{id}", get(session))
        .route("/s/{id}/stream", get(stream_of))
        .route("/s/{id}/elements", get(parts::elements))
        .route("/s/{id}/find", get(parts::find))
        .route("/assets/{version}/{name}", get(file))
        .with_state(api)
}

/// A page that says why there is no other. `None` if the request is not one of a browser for a page.
pub(crate) fn refused(
    method: &Method,
    path: &str,
    headers: &HeaderMap,
    refusal: &Refusal,
) -> Option<Response> {
    let accept = headers.get(header::ACCEPT)?.to_str().ok()?;
    let is_for_programs = path.starts_with("/api/") || path.starts_with("/assets/");
    (method == Method::GET && !is_for_programs && accept.contains("text/html")).then(|| {
        let (title, text) = match refusal.status() {
            StatusCode::UNAUTHORIZED => ("Log in", LOG_IN),
            // The name is not said: another site's page may have led here.
            StatusCode::FORBIDDEN if refusal.is_wrong_host() => ("Wrong address", WRONG_ADDRESS),
            StatusCode::NOT_FOUND => ("Not here", NOT_FOUND),
            _ => ("Not here", refusal.message()),
        };
        // Browsers send the login with nothing that another site leads to, such as a link in a chat.
        let may_go_on =
            refusal.status() == StatusCode::UNAUTHORIZED && !path.starts_with("/login/");
        html(refusal.status(), shell::refused(title, text, may_go_on))
    })
}

const LOG_IN: &str = "You are not logged in. Open a login link: the server prints one when it starts, and a browser that is \
    logged in makes one for another device.";

const WRONG_ADDRESS: &str = "This server does not accept requests by this address. Open the address that claw serve \
    printed when it started. If this address is right, start claw serve again with --allow-host and the name in the \
    address, or with --phone for all devices in this network.";

const NOT_FOUND: &str = "There is no page at this address. Go to the list of sessions.";

fn html(status: StatusCode, page: String) -> Response {
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
    (status, headers, page).into_response()
}

fn page(result: Result<String, Refusal>) -> Response {
    match result {
        Ok(page) => html(StatusCode::OK, page),
        Err(refusal) => html(
            refusal.status(),
            shell::refused("Not here", refusal.message(), false),
        ),
    }
}

/// What the page of all sessions is asked for.
#[derive(Debug, Deserialize)]
struct HomeQuery {
    /// The text to search for.
    #[serde(default)]
    q: String,
    /// Whether to list those that are archived.
    #[serde(default)]
    archived: bool,
}

async fn home(State(api): State<Arc<Api>>, Query(query): Query<HomeQuery>) -> Response {
    let names: Vec<_> = api
        .hub
        .projects()
        .iter()
        .map(|project| &*project.name)
        .collect();
    html(
        StatusCode::OK,
        shell::sessions(&names, &query.q, query.archived),
    )
}

async fn session(State(api): State<Arc<Api>>, Path(id): Path<String>) -> Response {
    // A link to it means this very conversation, also if it has gone on under another ID.
    let live = api.hub.resume(&id, OpenOptions::default()).await;
    let live = live.map_err(Refusal::from);
    page(live.map(|live| {
        let title = live.read(Conversation::title);
        let title = title.as_deref().unwrap_or("New session");
        shell::session(live.id().as_str(), title, live.project())
    }))
}

async fn file(Path((version, name)): Path<(String, String)>) -> Response {
    match asset(&name) {
        Some(file) if version == *VERSION => {
            let headers = [
                (header::CONTENT_TYPE, file.kind),
                (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
                (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            ];
            (headers, file.body).into_response()
        }
        _ => Refusal::not_found().into_response(),
    }
}

async fn usage(State(api): State<Arc<Api>>) -> Response {
    page(figures(&api).await)
}

async fn figures(api: &Arc<Api>) -> Result<String, Refusal> {
    Ok(shell::usage(&disk::usage_of_all(api, Some(DAYS)).await?))
}

/// What a page of a session listens to.
struct Updates {
    viewer: Viewer,
    fragments: Fragments,
    sessions: AllSessions,
    /// How many look at the session.
    _place: crate::api::ViewerSlot,
}

impl Updates {
    /// The next events, as text. `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        let own = self.viewer.session();
        let mut events = tokio::select! {
            followed = self.viewer.follow() => match followed? {
                Followed::Events(events) => self.take(events).await,
                Followed::Lost => {
                    let first = self.viewer.first_state(fragments::first).await;
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

    /// Takes what the viewer is given. What takes long is done where it keeps no other viewer waiting.
    async fn take(&mut self, events: Vec<Event>) -> Vec<PageEvent> {
        if !self.fragments.are_heavy(&events) {
            return self.fragments.take(&events);
        }
        let mut fragments = std::mem::take(&mut self.fragments);
        let work = move || (fragments.take(&events), fragments);
        let (events, fragments) = on_pool::run(work).await;
        self.fragments = fragments;
        events
    }
}

/// What the stream of a session is asked for.
#[derive(Debug, Deserialize)]
struct StreamQuery {
    /// Whether the page has a list of all sessions beside the conversation.
    #[serde(default)]
    list: bool,
}

async fn stream_of(
    State(api): State<Arc<Api>>,
    Path(id): Path<String>,
    query: Result<Query<StreamQuery>, QueryRejection>,
) -> Result<Events, Refusal> {
    let Query(query) = query?;
    let shows = if query.list {
        Shows::List
    } else {
        Shows::Count
    };
    let live = api.hub.open(&id).await?;
    let updates = Updates {
        _place: api.viewers.acquire(&id)?,
        viewer: live.viewer(None),
        fragments: Fragments::default(),
        sessions: AllSessions::new(&api, shows),
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
