//! The routes of the REST interface and of the other interfaces for programs.

use std::sync::Arc;

use axum::http::{HeaderMap, Method, Uri};
use axum::response::{IntoResponse as _, Response};

use crate::api::table::SessionIn::{Nothing, Path, PathOnly};
use crate::api::table::{DELETE, GET, PATCH, POST, Row, api};
use crate::api::{
    Api, Refusal, changes, choices, disk, document, events, fork, list, live, metrics, past,
    quotas, search, sessions, usage, worktree,
};
use crate::audit::Action;
use crate::base::Base;
use crate::late_body::PROMPT;
use crate::role::Role::{Answer, Own, Prompt, View};
use crate::{page, rpc, socket};

/// Responds with status 404 to an unknown path. Browsers receive a page.
pub(crate) async fn nowhere(base: Base, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    refuse(Refusal::not_found(), &base, &method, &uri, &headers)
}

/// Responds to a request with an unsupported method for a known path. Browsers receive a page.
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

/// Returns the rows of the table of routes. Each row contains the method, path, role, name, session, handler and
/// description of a route.
#[rustfmt::skip]
pub(crate) fn rows() -> Vec<Row<Arc<Api>>> {
    vec![
        api(GET, "/health", View, "health", Nothing, sessions::health,
            "Says that the server is there.").open(),
        api(GET, "/ready", View, "ready", Nothing, sessions::ready,
            "Says that the server takes requests: it does not end, its store answers, its disk has room, and its CLI can run.").open(),
        api(GET, "/metrics", Own, "readMetrics", Nothing, metrics::metrics,
            "Gives what the server counts, in the text form of Prometheus.").of_server(),
        api(GET, "/openapi.json", View, "readOpenApi", Nothing, document::document,
            "Gives the OpenAPI document of this server."),
        api(GET, "/api/cli", View, "readCli", Nothing, sessions::cli,
            "Gives the version of the CLI, who is logged in to it, and why no session can work."),
        api(GET, "/api/live", View, "listLiveSessions", Nothing, live::live,
            "Lists the live sessions of this host, and sessions of the store whose deferred requests wait: their phases, what they wait for, and their processes."),
        api(GET, "/api/projects", View, "listProjects", Nothing, sessions::projects,
            "Lists the projects: the folders in which sessions may run."),
        api(GET, "/api/projects/{project}/choices", View, "readChoices", Nothing, choices::read,
            "Gives the models, permission modes and commands of a project, as its processes have reported last."),
        api(GET, "/api/projects/{project}/files", Prompt, "searchFiles", Nothing, choices::files,
            "Searches the names of a project's files, and gives up to 30."),
        api(GET, "/api/sessions", View, "listSessions", Nothing, list::list,
            "Lists sessions, live or on disk, newest first."),
        api(POST.records(Action::OpenSession), "/api/sessions", Prompt, "openSession", sessions::OPENED, sessions::open,
            "Begins a session, goes on with one on disk, or goes on in a copy of one."),
        api(GET, "/api/sessions/{id}", View, "readSession", Path, sessions::view,
            "Gives the state of a session and the requests that wait for an answer."),
        api(PATCH.records(Action::ChangeSession), "/api/sessions/{id}", Own, "changeSession", PathOnly, disk::patch,
            "Changes the title and the tag of a session, or archives it."),
        api(DELETE.records(Action::DeleteSession), "/api/sessions/{id}", Own, "deleteSession", PathOnly, sessions::delete,
            "Deletes a session that is not live, with its sub-agents, from the disk and from the store."),
        api(GET, "/api/sessions/{id}/entry", View, "readEntry", PathOnly, list::entry,
            "Gives a session as lists have it: its title, its tag, and whether it is archived."),
        api(GET, "/api/sessions/{id}/elements", View, "readElements", Path, sessions::elements,
            "Gives the elements of a session: the whole conversation, to be drawn."),
        api(GET, "/api/sessions/{id}/changes", View, "readChanges", Path, changes::changes,
            "Gives the files that a session has changed, with their diffs."),
        api(GET, "/api/sessions/{id}/worktree", View, "readWorktree", Path, worktree::read,
            "Gives the git worktree of a session, and its state against the base branch."),
        api(POST.records(Action::FinishWorktree), "/api/sessions/{id}/worktree", Own, "finishWorktree", Path, worktree::finish,
            "Commits, rebases, merges, pushes or removes the git worktree of a session, or opens a pull request."),
        api(GET, "/api/sessions/{id}/events", View, "watchSession", Path, events::events,
            "Gives what happens in a session, as server-sent events."),
        api(GET.records_each(&socket::ACTIONS), "/api/sessions/{id}/socket", View, "connectSession", Path, socket::socket,
            "Opens a WebSocket to a session."),
        api(POST.records(Action::SendPrompt), "/api/sessions/{id}/prompts", Prompt, "sendPrompt", Path, sessions::prompt,
            "Sends a prompt to a session.").up_to(PROMPT),
        api(GET, "/api/sessions/{id}/prompts/{prompt}", View, "readPrompt", Path, past::prompt,
            "Gives a prompt, as it can be sent again."),
        api(POST.records(Action::CancelPrompt), "/api/sessions/{id}/prompts/{prompt}/cancel", Prompt, "cancelPrompt", Path, past::cancel,
            "Takes back a prompt that waits, or drops one that was accepted and never sent."),
        api(POST.records(Action::RewindFiles), "/api/sessions/{id}/rewind", Own, "rewindFiles", Path, past::rewind,
            "Lists the changes that bring files back to their contents before a prompt, or makes them."),
        api(POST.records(Action::AnswerRequest), "/api/sessions/{id}/requests/{request}", Answer, "answerRequest", Path, sessions::answer,
            "Answers a request that waits for a person. The first answer counts."),
        api(POST.records(Action::InterruptTurn), "/api/sessions/{id}/interrupt", Answer, "interruptTurn", Path, sessions::interrupt,
            "Stops the running turn of a session."),
        api(POST.records(Action::StopTask), "/api/sessions/{id}/tasks/{task}/stop", Answer, "stopTask", Path, sessions::stop_task,
            "Stops a sub-agent or another task. Stopping a task that has ended is not an error."),
        api(POST.records(Action::ChangeSettings), "/api/sessions/{id}/settings", Own, "changeSettings", Path, disk::settings,
            "Changes the model or the permission mode of a live session."),
        api(POST.records(Action::ForkSession), "/api/sessions/{id}/fork", Prompt, "forkSession", PathOnly, fork::fork,
            "Copies a session, and opens the copy."),
        api(POST.records(Action::CloseSession), "/api/sessions/{id}/close", Own, "closeSession", PathOnly, sessions::close,
            "Closes a live session. The session stays on disk."),
        api(GET, "/api/search", View, "searchSessions", Nothing, search::search,
            "Searches what people and models have said, and gives up to 100 hits."),
        api(GET, "/api/limits", View, "readLimits", Nothing, usage::limits,
            "Gives the usage limits of the login of a configuration folder, as one of its sessions reported them last."),
        api(GET, "/api/quotas", View, "readQuotas", Nothing, quotas::quotas,
            "Gives the limits of the sender and of the projects, and what is used of them."),
        api(GET, "/api/usage", View, "readUsage", Nothing, usage::usage,
            "Gives the tokens and the cost of all sessions by day, week, month, project, model, session or configuration folder."),
        // A call of this route may send a prompt. So the audit log records such calls, and a body may be as long as a prompt.
        api(POST.records_each(&[Action::SendPrompt]), "/rpc", View, "call", rpc::CALLED, rpc::rpc,
            "Carries out calls of JSON-RPC 2.0, one or a batch.").up_to(PROMPT),
    ]
}
