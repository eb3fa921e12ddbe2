//! Several hosts with one store, behind any load balancer. Decides whether this host or another host handles a request.
//! The row of a route defines how the session of a request is found.
//!
//! A session runs on the host that has claimed it. A claim is a row of the store with an epoch, a time to live and the
//! address of the host. All other hosts forward requests, event streams and web sockets of the session to this host, on
//! the connections of [`claw_cluster`].
//!
//! - A host claims a session before it makes the session live, for a prompt or a viewer. It releases the claim when it
//!   closes the session.
//! - If a host dies, its claims expire. The next host that receives a request for a session claims the session, reads
//!   it from the store, and shows which prompts were cut off (`hub::prompt_log`). No prompt is repeated automatically.
//! - If a host was suspended, it has lost its claims, and ends the processes of these sessions. The store refuses the
//!   lines that such a process still writes.
//! - A host that forwards a request has checked the sender, and signs the sender's ID and role. The receiving host
//!   finds the user in its own file of users, and checks the user's rights again.
//! - A forwarded request is not forwarded again. If the session is not on the receiving host either, that host refuses
//!   the request.
//! - If a host cannot be reached, requests for its sessions wait at most until its claim has expired.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use claw_client::store::{Owner, SessionRef};
use claw_cluster::{ClusterKey, HEADER, Host, HostUrl, PeerError, RequestError};
use tokio::time::{Instant, sleep};

use crate::Hub;
use crate::actor::{Actor, unchecked};
use crate::api::Refusal;
use crate::api::extract::KEY;
use crate::api::table::{Row, SessionIn};
use crate::audit::CarriedOutElsewhere;
use crate::hub::Place;
use crate::late_body::PROMPT;
use crate::role::Role;

/// Interval between two attempts to reach a host.
const AGAIN: Duration = Duration::from_millis(500);
/// Maximum time that a request waits while the session's claim contains no address. The program that has such a claim
/// serves no requests.
const SHORT: Duration = Duration::from_secs(3);
/// If the host of a session is unreachable, requests are retried until the host's claim must have expired, and then for
/// this time.
const LONGER: Duration = Duration::from_secs(2);

/// This host, which is one of several hosts.
#[derive(Debug)]
pub(crate) struct Cluster {
    host: Host,
    ttl: Duration,
    hub: Hub,
}

impl Cluster {
    /// Creates this host with the ID under which the hub claims sessions. Returns `None` if the hub claims no sessions.
    pub(crate) fn new(address: HostUrl, key: ClusterKey, hub: &Hub) -> Option<Self> {
        Some(Self {
            host: Host::new(&*hub.owner()?.id, address, key),
            ttl: hub.ttl()?,
            hub: hub.clone(),
        })
    }

    /// Checks the signature of a request from another host. Returns the signed text about the user who sends the
    /// request. Returns `None` if the owner of the server sends it.
    pub(crate) fn check(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Option<String>, Refusal> {
        let checked = self.host.check(method, uri, headers);
        checked.map_err(Refusal::from)
    }
}

/// Returns the text about the sender that is signed in a forwarded request. It contains the ID of the user's entry, and
/// the role in which the user acts on this host. Returns `None` for the owner of the server.
fn sender(actor: &Actor) -> Option<String> {
    let user = actor.user()?;
    Some(format!("{}.{}", user.id, actor.role()))
}

/// Returns the ID and the role of the user from a text that [`sender`] has written.
pub(crate) fn user_of(sender: &str) -> Option<(&str, Role)> {
    let (id, role) = sender.split_once('.')?;
    Some((id, role.parse().ok()?))
}

/// Returns whether another host has sent the request.
pub(crate) fn is_of_host(headers: &HeaderMap) -> bool {
    headers.contains_key(HEADER)
}

/// Creates the refusal of a request that another host has sent to a server without other hosts.
pub(crate) fn refuse() -> Refusal {
    let text = "this server is not one of several hosts";
    Refusal::new(StatusCode::UNAUTHORIZED, "cluster", text)
}

impl From<RequestError> for Refusal {
    fn from(error: RequestError) -> Self {
        Self::new(error.status(), "cluster", error.to_string())
    }
}

impl From<PeerError> for Refusal {
    fn from(error: PeerError) -> Self {
        let status = match error {
            PeerError::Gone(_) | PeerError::Lost => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_GATEWAY,
        };
        Self::new(status, "elsewhere", error.to_string())
    }
}

/// Responds to the greeting of another host. For any other request of a host, checks that its body is the signed body.
pub(crate) async fn receive(
    State(cluster): State<Arc<Cluster>>,
    request: Request,
    next: Next,
) -> Response {
    let (uri, headers) = (request.uri(), request.headers());
    if let Some(answer) = cluster.host.answer_greeting(uri, headers) {
        return answer.map(|()| Body::empty());
    }
    if !is_of_host(headers) {
        return next.run(request).await;
    }
    match cluster.as_signed(request).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// The state of the middleware [`place`] for one route.
#[derive(Clone)]
struct Placing {
    cluster: Arc<Cluster>,
    session: SessionIn,
    /// Maximum size of a body, in bytes.
    max_body: usize,
}

/// Adds a layer to the row of a route. The layer forwards each request to the host that has the session. If this host
/// has the session, the request is handled here.
pub(crate) fn placed(cluster: &Arc<Cluster>, mut row: Row<()>) -> Row<()> {
    let placing = Placing {
        cluster: cluster.clone(),
        session: row.route.session,
        max_body: row.route.max_body,
    };
    row.handler = row.handler.layer(from_fn_with_state(placing, place));
    row
}

/// Handles a request here, or forwards it to the host that has its session. Refuses a path whose parameters are not
/// UTF-8, as the handler does.
async fn place(
    State(placing): State<Placing>,
    Path(parameters): Path<Vec<(String, String)>>,
    request: Request,
    next: Next,
) -> Response {
    match placing.carry_out(&parameters, request, next).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    }
}

impl Placing {
    async fn carry_out(
        &self,
        parameters: &[(String, String)],
        request: Request,
        next: Next,
    ) -> Result<Response, Refusal> {
        let id = || {
            let id = parameters.iter().find(|(name, _)| name == "id");
            id.map(|(_, id)| id.clone()).ok_or_else(Refusal::not_found)
        };
        let (id, opens, request) = match self.session {
            SessionIn::Nothing => return Ok(next.run(request).await),
            SessionIn::Path => (id()?, true, request),
            SessionIn::PathOnly => (id()?, false, request),
            SessionIn::Body { find, .. } => {
                let request = whole(request, self.max_body).await?;
                let body = serde_json::from_slice(request.body()).ok();
                let found = body.and_then(|body| find(&body));
                let request = request.map(Body::from);
                let Some(id) = found else {
                    return Ok(next.run(request).await);
                };
                let actor = request.extensions().get::<Actor>().cloned();
                if !self.cluster.is_seen(actor.as_ref(), &id).await {
                    // The sender may not see this session. The handler refuses the request in the form of its protocol.
                    return Ok(next.run(request).await);
                }
                (id, false, request)
            }
        };
        self.cluster.forward(&id, opens, request, next).await
    }
}

impl Cluster {
    /// Returns whether the sender may see the session according to this host. The session of a path has been checked
    /// before, and the session of a body is checked here, in the same way. If the project of the session is not known,
    /// only a sender who sees all projects may see it.
    async fn is_seen(&self, actor: Option<&Actor>, id: &str) -> bool {
        let Some(actor) = actor else {
            return false;
        };
        let sight = actor.sight(self.hub.projects());
        sight.check_session(&self.hub, id).await.is_ok()
    }

    /// Handles a request about this session here, or forwards it to the host that has the session.
    async fn forward(
        &self,
        id: &str,
        opens: bool,
        mut request: Request,
        next: Next,
    ) -> Result<Response, Refusal> {
        let is_forwarded = is_of_host(request.headers());
        let actor = request.extensions().get::<Actor>().cloned();
        let actor = actor.ok_or_else(unchecked)?;
        let began = Instant::now();
        loop {
            let placed = self.hub.place(id, opens).await.map_err(Refusal::from)?;
            let (session, owner) = match placed {
                Place::Here => return Ok(next.run(request).await),
                Place::Elsewhere(session, owner) => (session, owner),
            };
            if is_forwarded {
                let text = "another host has the session by now: send the request again";
                return Err(Refusal::new(StatusCode::LOOP_DETECTED, "elsewhere", text));
            }
            let Some(address) = &owner.address else {
                // When a host restarts, it claims its sessions for a short time, without an address. In this time, it
                // stores the last lines of its killed processes. So the request waits.
                if began.elapsed() < SHORT {
                    sleep(AGAIN).await;
                    continue;
                }
                let text = format!("another program has the session: {owner}");
                return Err(Refusal::new(StatusCode::CONFLICT, "elsewhere", text));
            };
            // The whole body is read, because it is signed, and because the request may have to be sent again.
            let mut whole = whole(request, PROMPT).await?;
            match self.host.connect(&owner.id, address).await {
                Ok(peer) => {
                    // This header contains the key of the browser's page, a credential that must not leave this host.
                    whole.headers_mut().remove(KEY);
                    let (lost, removed) = (self.gone(session, owner), actor.gone());
                    let gone = async move {
                        tokio::select! {
                            () = lost => {}
                            () = removed => {}
                        }
                    };
                    let sender = sender(&actor);
                    let response = peer.forward(whole, sender.as_deref(), gone).await?;
                    let mut response = response.map(Body::new);
                    response.extensions_mut().insert(CarriedOutElsewhere);
                    return Ok(response);
                }
                // The host may have ended. Its claim then expires soon, so the request is tried again until this host or
                // another one can claim the session.
                Err(PeerError::Gone(_)) if began.elapsed() < self.ttl + LONGER => {
                    request = whole.map(Body::from);
                    sleep(AGAIN).await;
                }
                Err(error) => {
                    tracing::warn!(session.id = id, %error, "a request is not passed on");
                    return Err(error.into());
                }
            }
        }
    }

    /// Reads the body of a request from another host, and checks that it is the body that was signed.
    async fn as_signed(&self, request: Request) -> Result<Request, Refusal> {
        let (parts, body) = whole(request, PROMPT).await?.into_parts();
        if !self.host.has_signed_body(&parts, &body) {
            tracing::warn!(
                "a request of another host is refused: its body is not the one that was signed"
            );
            let text = "the body is not the one that the other host has signed";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "cluster", text));
        }
        Ok(Request::from_parts(parts, Body::from(body)))
    }

    /// Waits until the host `owner` no longer has the claim of the session, or until this server ends.
    fn gone(
        &self,
        session: SessionRef,
        owner: Owner,
    ) -> impl Future<Output = ()> + Send + 'static + use<> {
        let (hub, pause, ending) = (self.hub.clone(), self.ttl / 3, self.hub.ending());
        async move {
            let lost = async {
                loop {
                    sleep(pause).await;
                    // If the store cannot be reached, the host may still have the claim, so the wait continues. A host
                    // that cannot renew its claim ends the session itself.
                    if let Ok(false) = hub.has_other(&session, &owner).await {
                        return;
                    }
                }
            };
            tokio::select! {
                () = lost => {}
                () = ending => {}
            }
        }
    }
}

/// Reads the whole body of a request.
async fn whole(request: Request, longest: usize) -> Result<Request<Bytes>, Refusal> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, longest).await.map_err(|_| {
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        Refusal::new(status, "tooLarge", "the body is too long, or did not come")
    })?;
    Ok(Request::from_parts(parts, body))
}
