//! The routes of the interfaces for programs.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::{IntoResponse as _, Response};

use crate::api::table::{self, Route, get, patch, post};
use crate::api::{
    Api, Refusal, changes, choices, disk, document, events, fork, list, metrics, past, sessions,
    usage,
};
use crate::guard::Base;
use crate::late_body::BODY;
use crate::{page, rpc, socket};

/// Maximum size of a prompt's body, in bytes. A prompt may contain images.
pub(crate) const PROMPT: usize = 32 << 20;

pub(crate) fn router(api: Arc<Api>) -> Router {
    table::router(routes())
        .fallback(nowhere)
        .layer(DefaultBodyLimit::max(BODY))
        .with_state(api)
}

/// Responds with 404; browsers get a page.
async fn nowhere(base: Base, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    refuse(Refusal::not_found(), &base, &method, &uri, &headers)
}

/// Responds to a known path with an unsupported method; browsers get a page.
pub(crate) async fn method_not_allowed(
    base: Base,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    refuse(
        Refusal::method_not_allowed(),
        &base,
        &method,
        &uri,
        &headers,
    )
}

fn refuse(
    refusal: Refusal,
    base: &Base,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Response {
    let page = page::refused(base, method, uri.path(), headers, &refusal);
    page.unwrap_or_else(|| refusal.into_response())
}

#[rustfmt::skip]
pub(crate) fn routes() -> Vec<Route<Arc<Api>>> {
    vec![
        get("/health", "health", sessions::health,
            "Says that the server is there.").open(),
        get("/ready", "ready", sessions::ready,
            "Says that the server takes requests: it does not end, its store answers, and its disk has room.").open(),
        get("/metrics", "readMetrics", metrics::metrics,
            "Gives what the server counts, in the text form of Prometheus."),
        get("/openapi.json", "readOpenApi", document::document,
            "Gives the OpenAPI document of this server."),
        get("/api/cli", "readCli", sessions::cli,
            "Gives the version of the CLI, who is logged in to it, and why no session can work."),
        get("/api/projects", "listProjects", sessions::projects,
            "Lists the projects: the folders in which sessions may run."),
        get("/api/projects/{project}/choices", "readChoices", choices::choices,
            "Gives the models, permission modes and commands of a project, as its processes have reported last."),
        get("/api/projects/{project}/files", "searchFiles", choices::files,
            "Searches the names of a project's files, and gives up to 30."),
        get("/api/sessions", "listSessions", list::list,
            "Lists sessions, live or on disk, newest first."),
        post("/api/sessions", "openSession", sessions::open,
            "Begins a session, goes on with one on disk, or goes on in a copy of one."),
        get("/api/sessions/{id}", "readSession", sessions::view,
            "Gives the state of a session and the requests that wait for an answer."),
        patch("/api/sessions/{id}", "changeSession", disk::patch,
            "Changes the title and the tag of a session, or archives it."),
        get("/api/sessions/{id}/entry", "readEntry", list::entry,
            "Gives a session as lists have it: its title, its tag, and whether it is archived."),
        get("/api/sessions/{id}/elements", "readElements", sessions::elements,
            "Gives the elements of a session: the whole conversation, to be drawn."),
        get("/api/sessions/{id}/changes", "readChanges", changes::changes,
            "Gives the files that a session has changed, with their diffs."),
        get("/api/sessions/{id}/events", "watchSession", events::events,
            "Gives what happens in a session, as server-sent events."),
        get("/api/sessions/{id}/socket", "connectSession", socket::socket,
            "Opens a WebSocket to a session."),
        post("/api/sessions/{id}/prompts", "sendPrompt", sessions::prompt,
            "Sends a prompt to a session.").up_to(PROMPT),
        get("/api/sessions/{id}/prompts/{prompt}", "readPrompt", past::prompt,
            "Gives a prompt, as it can be sent again."),
        post("/api/sessions/{id}/prompts/{prompt}/cancel", "cancelPrompt", past::cancel,
            "Takes back a prompt that waits, or drops one that was accepted and never sent."),
        post("/api/sessions/{id}/rewind", "rewindFiles", past::rewind,
            "Lists the changes that bring files back to their contents before a prompt, or makes them."),
        post("/api/sessions/{id}/requests/{request}", "answerRequest", sessions::answer,
            "Answers a request that waits for a person. The first answer counts."),
        post("/api/sessions/{id}/interrupt", "interruptTurn", sessions::interrupt,
            "Stops the running turn of a session."),
        post("/api/sessions/{id}/tasks/{task}/stop", "stopTask", sessions::stop_task,
            "Stops a sub-agent or another task. Stopping a task that has ended is not an error."),
        post("/api/sessions/{id}/settings", "changeSettings", disk::settings,
            "Changes the model or the permission mode of a live session."),
        post("/api/sessions/{id}/fork", "forkSession", fork::fork,
            "Copies a session, and opens the copy."),
        post("/api/sessions/{id}/close", "closeSession", sessions::close,
            "Closes a live session. The session stays on disk."),
        get("/api/search", "searchSessions", disk::search,
            "Searches what people and models have said, and gives up to 100 hits."),
        get("/api/limits", "readLimits", usage::limits,
            "Gives the usage limits of the login, as one of the sessions reported them last."),
        get("/api/usage", "readUsage", usage::usage,
            "Gives the tokens and the cost of all sessions by day, week, month, project, model or session."),
        // A call may be a prompt.
        post("/rpc", "call", rpc::rpc,
            "Carries out calls of JSON-RPC 2.0, one or a batch.").up_to(PROMPT),
    ]
}
