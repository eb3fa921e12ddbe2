//! Records what the senders of requests do.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{FromRequestParts, Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use claw_types::SessionId;
use serde::Serialize;
use tokio::sync::Semaphore;
use tracing::Instrument as _;

use super::action::Action;
use super::entry::{AuditEntry, AuditRefusal, AuditSender, short, what};
use super::log::{Audit, MOST_RUNNING};
use crate::api::{Refusal, Refused};
use crate::hub::{Hub, HubError, LiveSession, detached};

/// The sender of a request, and the address from which the request comes.
#[derive(Debug)]
pub(crate) struct Sender {
    pub(crate) by: AuditSender,
    pub(crate) user: Option<String>,
    pub(crate) from: Option<String>,
    pub(crate) forwarded: Option<String>,
}

/// Creates the acts of a request, each of which records one action. If the server has an audit log, the guard adds an
/// auditor to the extensions of each request. The acts of the default auditor record nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Auditor(Option<Arc<(Audit, Sender)>>);

impl Auditor {
    pub(crate) fn new(audit: &Audit, mut sender: Sender) -> Self {
        sender.forwarded = sender.forwarded.as_deref().map(short);
        Self(Some(Arc::new((audit.clone(), sender))))
    }

    /// Creates an act for this action. Nothing is recorded yet.
    pub(crate) fn act(&self, action: Action, hub: &Hub) -> Act {
        let inner = self.0.as_ref().map(|of| {
            let entry = AuditEntry::new(of.1.by, action);
            Arc::new(Inner {
                of: of.clone(),
                hub: hub.clone(),
                is_recorded: AtomicBool::new(false),
                entry: Mutex::new(AuditEntry {
                    user: of.1.user.clone(),
                    from: of.1.from.clone(),
                    forwarded: of.1.forwarded.clone(),
                    ..entry
                }),
            })
        });
        Act(inner)
    }

    /// Records a request that the guard has refused.
    pub(crate) async fn refused_access(&self, request: String, refusal: Refused) {
        let Some(of) = &self.0 else { return };
        let entry = AuditEntry {
            from: of.1.from.clone(),
            forwarded: of.1.forwarded.clone(),
            what: Some(short(&request)),
            refused: Some(audited(&refusal)),
            ..AuditEntry::new(of.1.by, Action::Access)
        };
        write_refusal(&of.0, entry).await;
    }
}

/// One action of the sender of a request. It has one line in the audit log. The default value is for a server without
/// an audit log, and records nothing. Clones share the same act.
#[derive(Debug, Clone, Default)]
pub(crate) struct Act(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    of: Arc<(Audit, Sender)>,
    hub: Hub,
    is_recorded: AtomicBool,
    /// The fields of the entry that are known so far.
    entry: Mutex<AuditEntry>,
}

impl Inner {
    fn entry(&self) -> MutexGuard<'_, AuditEntry> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the entry. If its project is not set, determines the project of its session first. If this is not possible,
    /// for example because the store is unreachable, the entry has no project.
    async fn with_project(&self) -> AuditEntry {
        let mut entry = self.entry().clone();
        if let (None, Some(id)) = (&entry.project, &entry.session) {
            let projects = self.hub.projects_of(&SessionId::from(&**id)).await;
            entry.project = projects.unwrap_or_default().into_iter().next();
            self.entry().project.clone_from(&entry.project);
        }
        entry
    }
}

impl Act {
    fn set(&self, set: impl FnOnce(&mut AuditEntry)) {
        if let Some(inner) = &self.0 {
            set(&mut inner.entry());
        }
    }

    /// Sets the ID of the session.
    pub(crate) fn in_session(&self, id: &str) {
        self.set(|entry| entry.session = Some(short(id)));
    }

    /// Sets the project. Does nothing if the server has no project with this name.
    pub(crate) fn in_project(&self, name: &str) {
        let Some(inner) = &self.0 else { return };
        if inner.hub.project(name).is_ok() {
            inner.entry().project = Some(short(name));
        }
    }

    /// Sets the session and its project.
    pub(crate) fn in_live(&self, live: &LiveSession) {
        self.in_session(live.id().as_str());
        self.in_project(live.project());
    }

    /// Sets the sender of a login. The sender is this user, or the owner of the server if `user` is `None`.
    pub(crate) fn by(&self, user: Option<String>) {
        self.set(|entry| {
            entry.by = match user {
                Some(_) => AuditSender::User,
                None => AuditSender::Token,
            };
            entry.user = user;
        });
    }

    /// Sets the text that describes the action. The text is shortened to 1,000 characters, and the server's token is
    /// replaced by `***`.
    pub(crate) fn what(&self, text: impl FnOnce() -> String) {
        if let Some(inner) = &self.0 {
            let (text, cut) = what(&inner.of.0.without_token(text()));
            let mut entry = inner.entry();
            (entry.what, entry.cut) = (Some(text), cut);
        }
    }

    /// Sets the body of a change as the text that describes the action.
    pub(crate) fn body(&self, body: &impl Serialize) {
        // This cannot fail, because bodies contain only texts and numbers.
        self.what(|| serde_json::to_string(body).unwrap_or_default());
    }

    /// Writes the entry. Call this method directly before the action is carried out.
    ///
    /// # Errors
    ///
    /// Fails if the entry cannot be written. The action must not be carried out then.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the entry may already be written although the action is not carried out.
    pub(crate) async fn record(&self) -> Result<(), Refusal> {
        let Some(inner) = &self.0 else { return Ok(()) };
        match inner.of.0.write(inner.with_project().await).await {
            Ok(()) => {
                inner.is_recorded.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => {
                tracing::error!("an action is refused, because the audit log fails: {error}");
                let text = "the audit log cannot be written, so nothing was done";
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                Err(Refusal::new(status, "unrecorded", text))
            }
        }
    }

    /// Records that the action was refused, or that it has failed after it was recorded.
    pub(crate) async fn refused(&self, refused: &Refused) {
        let Some(inner) = &self.0 else { return };
        let entry = if inner.is_recorded.load(Ordering::Relaxed) {
            inner.entry().clone()
        } else {
            inner.with_project().await
        };
        let entry = AuditEntry {
            refused: Some(audited(refused)),
            ..entry
        };
        write_refusal(&inner.of.0, entry).await;
    }

    /// Carries out the action of a message or call, and records if it is refused.
    ///
    /// Without an audit log, dropping the future ends the work. The server drops it when it notices that the connection of
    /// the client has ended. With an audit log, the work runs in a separate task, and completes even if the future is
    /// dropped. So the log also contains what was refused after the client has closed its connection.
    ///
    /// # Errors
    ///
    /// Fails with the error of the work, and with the kind `busy` if too many such tasks run.
    pub(crate) async fn carry_out<T: Send + 'static>(
        self,
        work: impl Future<Output = Result<T, Refusal>> + Send + 'static,
    ) -> Result<T, Refusal> {
        let Some(inner) = &self.0 else {
            return work.await;
        };
        let Ok(place) = inner.of.0.running.clone().try_acquire_owned() else {
            let text = "too many actions are carried out at once: repeat it later";
            let refusal = Refusal::from(HubError::Busy(text));
            self.refused(&refusal.refused()).await;
            return Err(refusal);
        };
        let carried_out = async move {
            let done = work.await;
            if let Err(refusal) = &done {
                self.refused(&refusal.refused()).await;
            }
            drop(place);
            done
        };
        detached::run(carried_out.in_current_span()).await?
    }
}

/// Writes the entry of an action that was refused or has failed. If writing fails, the error is only logged, and the
/// response stays the same.
async fn write_refusal(audit: &Audit, entry: AuditEntry) {
    if let Err(error) = audit.write(entry).await {
        tracing::error!("a refused action is not in the audit log: {error}");
    }
}

fn audited(refused: &Refused) -> AuditRefusal {
    AuditRefusal {
        kind: refused.kind.clone(),
        message: short(&refused.message),
    }
}

/// Marks a response that comes from another host. That host has already recorded the action. This value is in the
/// extensions of the response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CarriedOutElsewhere;

/// The state of the middleware [`record`] for one route.
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    action: Action,
    hub: Hub,
    /// Limits the number of requests that are carried out at a time, including those whose clients have closed their
    /// connections. Further requests wait.
    running: Arc<Semaphore>,
}

impl Recording {
    pub(crate) fn new(action: Action, hub: Hub) -> Self {
        Self {
            action,
            hub,
            running: Arc::new(Semaphore::new(MOST_RUNNING)),
        }
    }
}

/// Creates an act, which records one action in the audit log, and passes it to the handler of a request. If the handler
/// refuses the request, records the refusal. The handler runs in a separate task, and completes even if the client closes
/// its connection. So the log also contains what was refused after that.
pub(crate) async fn record(
    State(recording): State<Recording>,
    request: Request,
    next: Next,
) -> Response {
    let auditor = request.extensions().get::<Auditor>().cloned();
    let act = auditor
        .unwrap_or_default()
        .act(recording.action, &recording.hub);
    let (mut parts, body) = request.into_parts();
    let path = Path::<Vec<(String, String)>>::from_request_parts(&mut parts, &()).await;
    // If the path is not UTF-8, the act has no session or project, and the handler refuses the request.
    for (name, value) in path.map_or_else(|_| Vec::new(), |Path(parameters)| parameters) {
        match &*name {
            "id" => act.in_session(&value),
            "project" => act.in_project(&value),
            _ => {}
        }
    }
    parts.extensions.insert(act.clone());
    // The semaphore is never closed.
    let place = recording.running.acquire_owned().await.ok();
    let carried_out = detached::run(
        async move {
            let response = next.run(Request::from_parts(parts, body)).await;
            if let Some(refused) = refusal_of(&response) {
                act.refused(&refused).await;
            }
            drop(place);
            response
        }
        .in_current_span(),
    );
    let response = carried_out.await;
    response.unwrap_or_else(|error| Refusal::from(error).into_response())
}

/// Returns why a response refuses the request. Returns `None` if it does not refuse it, or if another host has refused it.
fn refusal_of(response: &Response) -> Option<Refused> {
    let (status, extensions) = (response.status(), response.extensions());
    let is_refused = status.is_client_error() || status.is_server_error();
    if !is_refused || extensions.get::<CarriedOutElsewhere>().is_some() {
        return None;
    }
    let refused = extensions.get::<Refused>().cloned();
    Some(refused.unwrap_or_else(|| Refused::of_status(status)))
}

/// The act as an argument of a handler.
impl<S: Sync> FromRequestParts<S> for Act {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}

/// The auditor as an argument of a handler whose requests contain several messages or calls.
impl<S: Sync> FromRequestParts<S> for Auditor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use claw_sessions::Sessions;
    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;
    use crate::{Project, Server};

    #[tokio::test]
    async fn without_a_log_an_action_ends_with_its_caller() {
        let (sender, mut ended) = tokio::sync::oneshot::channel::<()>();
        let (begun, begins) = tokio::sync::oneshot::channel();
        let caller = tokio::spawn(Act::default().carry_out(async move {
            let _sender = sender;
            begun.send(()).unwrap();
            std::future::pending::<Result<(), Refusal>>().await
        }));
        begins.await.unwrap();
        caller.abort();
        assert!(caller.await.unwrap_err().is_cancelled());
        assert!(
            ended
                .try_recv()
                .is_err_and(|error| error == TryRecvError::Closed)
        );
    }

    #[tokio::test]
    async fn too_many_actions_are_refused_and_their_refusals_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let (config, file) = (folder.path().join("config"), folder.path().join("audit"));
        let server = Server::builder()
            .project(Project::new(folder.path()).unwrap())
            .sessions(Sessions::new(config));
        let server = server.build().unwrap();
        let mut audit = Audit::open(&file).unwrap();
        audit.running = Arc::new(Semaphore::new(1));
        let sender = Sender {
            by: AuditSender::Token,
            user: None,
            from: None,
            forwarded: None,
        };
        let auditor = Auditor::new(&audit, sender);
        let act = || auditor.act(Action::SendPrompt, server.hub());
        let (goes, waits) = tokio::sync::oneshot::channel::<()>();
        let (begun, begins) = tokio::sync::oneshot::channel();
        let first = tokio::spawn(act().carry_out(async move {
            begun.send(()).unwrap();
            drop(waits.await);
            Ok(1)
        }));
        begins.await.unwrap();
        // The work goes on when its caller has left.
        first.abort();
        assert!(first.await.unwrap_err().is_cancelled());
        let refused = act().carry_out(async { Ok(2) }).await.unwrap_err();
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        let lines = std::fs::read_to_string(&file).unwrap();
        assert_eq!(lines.lines().count(), 1, "{lines}");
        assert!(lines.contains("too many actions"), "{lines}");
        drop(goes);
        drop(audit.running.acquire().await.unwrap());
        assert_eq!(act().carry_out(async { Ok(3) }).await.unwrap(), 3);
    }
}
