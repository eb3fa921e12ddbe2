//! Decides where a request is handled: here, or on the host that has its session.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use claw_client::store::{Owner, SessionRef};
use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::nonces::Nonces;
use super::peer::{Peer, PeerError};
use super::{ClusterKey, HEADER, HostUrl};
use crate::Hub;
use crate::api::Refusal;
use crate::hub::Place;
use crate::late_body::BODY;
use crate::routes::PROMPT;

/// Interval between two attempts to reach a host.
const AGAIN: Duration = Duration::from_millis(500);
/// Maximum time that a request waits for an owner without an address.
const SHORT: Duration = Duration::from_secs(3);
/// Additional wait of a request, after the duration of a claim.
const LONGER: Duration = Duration::from_secs(2);

/// This host, as one of several.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(super) key: ClusterKey,
    pub(super) owner: Owner,
    /// The address at which the other hosts reach this one.
    pub(super) address: HostUrl,
    /// The nonces of recent requests from other hosts.
    pub(super) nonces: Mutex<Nonces>,
    ttl: Duration,
    hub: Hub,
}

impl Cluster {
    /// `None` if the hub claims no sessions.
    pub(crate) fn new(address: HostUrl, key: ClusterKey, hub: &Hub) -> Option<Self> {
        Some(Self {
            key,
            address,
            owner: hub.owner()?.clone(),
            nonces: Mutex::default(),
            ttl: hub.ttl()?,
            hub: hub.clone(),
        })
    }
}

/// Forwards a request to the host that has its session, unless that is this host.
pub(crate) async fn place(
    State(cluster): State<Arc<Cluster>>,
    request: Request,
    next: Next,
) -> Response {
    if let Some(answer) = cluster
        .answer(request.uri(), request.headers())
        .filter(|_| request.headers().contains_key(HEADER))
    {
        return answer;
    }
    match cluster.carry_out(request, next).await {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    }
}

impl Cluster {
    async fn carry_out(&self, request: Request, next: Next) -> Result<Response, Refusal> {
        let is_forwarded = request.headers().contains_key(HEADER);
        let request = if is_forwarded {
            self.as_signed(request).await?
        } else {
            request
        };
        let (target, mut request) = target(request).await?;
        let Some((id, opens)) = target else {
            return Ok(next.run(request).await);
        };
        let began = Instant::now();
        loop {
            let placed = self.hub.place(&id, opens).await.map_err(Refusal::from)?;
            let (session, owner) = match placed {
                Place::Here => return Ok(next.run(request).await),
                Place::Elsewhere(session, owner) => (session, owner),
            };
            if is_forwarded {
                let text = "another host has the session by now: send the request again";
                return Err(Refusal::new(StatusCode::LOOP_DETECTED, "elsewhere", text));
            }
            if owner.address.is_none() {
                // A host that restarts claims the session for a short time, to store lines of its killed processes.
                if began.elapsed() < SHORT {
                    sleep(AGAIN).await;
                    continue;
                }
                let text = format!("another program has the session: {owner}");
                return Err(Refusal::new(StatusCode::CONFLICT, "elsewhere", text));
            }
            // The body is read because it is signed, and because the attempt may be repeated.
            let whole = whole(request, PROMPT).await?;
            match Peer::connect(&self.key, &owner).await {
                Ok(peer) => {
                    let gone = self.gone(session, owner);
                    return peer.forward(&self.key, whole, gone).await;
                }
                // The host may be dead. Then its claim expires soon.
                Err(PeerError::Gone(_)) if began.elapsed() < self.ttl + LONGER => {
                    request = whole.map(Body::from);
                    sleep(AGAIN).await;
                }
                Err(error) => {
                    let status = match error {
                        PeerError::Gone(_) => StatusCode::SERVICE_UNAVAILABLE,
                        _ => StatusCode::BAD_GATEWAY,
                    };
                    tracing::warn!(session = id, %error, "a request is not passed on");
                    return Err(Refusal::new(status, "elsewhere", error.to_string()));
                }
            }
        }
    }

    /// Checks that a request of another host has the signed body.
    async fn as_signed(&self, request: Request) -> Result<Request, Refusal> {
        let (parts, body) = whole(request, PROMPT).await?.into_parts();
        if !self.has_signed_body(&parts, &body) {
            tracing::warn!(
                "a request of another host is refused: its body is not the one that was signed"
            );
            let text = "the body is not the one that the other host has signed";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "cluster", text));
        }
        Ok(Request::from_parts(parts, Body::from(body)))
    }

    /// Waits until the host no longer has the session, or until this server ends.
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
                    // If the store is unreachable, the host may still have its claim. A host that cannot renew its
                    // claim ends the session itself.
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

/// The ID of the session that a request is about, whether the request makes it live, and the request.
async fn target(request: Request) -> Result<(Option<(String, bool)>, Request), Refusal> {
    let path = request.uri().path();
    if let Some(found) = of_path(request.method(), path) {
        return Ok((Some(found), request));
    }
    let longest = match (request.method(), path) {
        (&Method::POST, "/api/sessions") => BODY,
        (&Method::POST, "/rpc") => PROMPT,
        _ => return Ok((None, request)),
    };
    let request = whole(request, longest).await?;
    let found = serde_json::from_slice(request.body())
        .ok()
        .and_then(|body| of_body(&body));
    Ok((found.map(|id| (id, false)), request.map(Body::from)))
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

/// The session in a path: `/s/ID…` of pages and `/api/sessions/ID…`. The bool is `false` for handlers that do not make
/// a session live.
fn of_path(method: &Method, path: &str) -> Option<(String, bool)> {
    if let Some(rest) = path.strip_prefix("/s/") {
        return Some((decoded(rest.split('/').next()?)?, true));
    }
    let rest = path.strip_prefix("/api/sessions/")?;
    let (id, tail) = rest.split_once('/').unwrap_or((rest, ""));
    let tail = decoded(tail);
    let tail = tail.as_deref().unwrap_or_default();
    let opens = *method != Method::PATCH && !["close", "entry", "fork"].contains(&tail);
    Some((decoded(id)?, opens))
}

/// A part of a path, percent-decoded as for the handlers. `None` if it is empty or not UTF-8.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let code = || {
            let digits = std::str::from_utf8(behind.get(..2)?).ok()?;
            // Needed because `from_str_radix` accepts a sign.
            let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            is_hex
                .then(|| u8::from_str_radix(digits, 16).ok())
                .flatten()
        };
        if let Some(byte) = (first == b'%').then(code).flatten() {
            bytes.push(byte);
            rest = &behind[2..];
        } else {
            bytes.push(first);
            rest = behind;
        }
    }
    String::from_utf8(bytes)
        .ok()
        .filter(|text| !text.is_empty())
}

/// The session in a body: the one that is resumed or forked, or the one that all JSON-RPC calls of the body are about.
fn of_body(body: &Value) -> Option<String> {
    let of_call = |call: &Value| {
        let id = call.get("params")?.get("session_id")?.as_str()?;
        Some(id.to_owned())
    };
    if let Some(calls) = body.as_array() {
        let mut ids = calls.iter().map(of_call);
        let first = ids.next()??;
        return ids.all(|id| id.as_ref() == Some(&first)).then_some(first);
    }
    let resumed = body.get("resume").and_then(Value::as_str);
    let copied = || body.get("fork")?.get("session")?.as_str();
    resumed
        .or_else(copied)
        .map(str::to_owned)
        .or_else(|| of_call(body))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_names_its_session() {
        let of = |method, path| of_path(&method, path);
        let found = |opens| Some(("x".to_owned(), opens));
        assert_eq!(of(Method::GET, "/s/x"), found(true));
        assert_eq!(of(Method::GET, "/s/x/stream"), found(true));
        assert_eq!(of(Method::GET, "/api/sessions/x"), found(true));
        assert_eq!(of(Method::POST, "/api/sessions/x/prompts"), found(true));
        assert_eq!(of(Method::PATCH, "/api/sessions/x"), found(false));
        assert_eq!(of(Method::POST, "/api/sessions/x/close"), found(false));
        for path in [
            "/",
            "/s/",
            "/api/sessions",
            "/api/sessions/",
            "/s/%ff",
            "/api/usage",
        ] {
            assert_eq!(of(Method::GET, path), None, "{path}");
        }
        assert_eq!(of(Method::GET, "/s/%78"), found(true));
        assert_eq!(of(Method::POST, "/api/sessions/%78/prompts"), found(true));
        assert_eq!(of(Method::POST, "/api/sessions/x/%63lose"), found(false));
        assert_eq!(decoded("%2B%+1%2").as_deref(), Some("+%+1%2"));
        let x = Some("x".to_owned());
        assert_eq!(of_body(&json!({"resume": "x"})), x);
        assert_eq!(of_body(&json!({"fork": {"session": "x"}})), x);
        let call = |id: &str| json!({"method": "session/prompt", "params": {"session_id": id}});
        assert_eq!(of_body(&call("x")), x);
        assert_eq!(of_body(&json!([call("x"), call("x")])), x);
        assert_eq!(of_body(&json!([call("x"), call("y")])), None);
        assert_eq!(of_body(&json!({"project": "shop"})), None);
    }
}
