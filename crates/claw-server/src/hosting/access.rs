//! Access checks for requests of the hosting contract (see [`Hosting`](super::Hosting)).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::BODY;
use super::refusal::Detail;
use crate::Token;
use crate::guard::{bearer, body, name, single_value};
use crate::late_body::in_time;

/// The requests that may use the hosting contract.
#[derive(Debug, Clone)]
pub(super) enum Access {
    /// Only programs on this machine may use it. The header `Host` must be a name of loopback, and web pages may not
    /// send requests.
    Loopback,
    /// Every request may use it, because a gateway has already checked the sender.
    Gateway,
    /// Requests with this token may use it.
    Token(Token),
}

impl Access {
    fn check(&self, request: &Request) -> Result<(), Detail> {
        let headers = request.headers();
        if body::fits_in(headers, BODY as u64).is_err() {
            return Err(Detail::too_large());
        }
        // Health checks have no token, and use the address of the server as `Host`.
        if request.uri().path() == "/health" {
            return Ok(());
        }
        match self {
            Self::Gateway => Ok(()),
            Self::Token(token) => match bearer(headers) {
                Ok(Some(given)) if token.is(given) => Ok(()),
                _ => {
                    let text = "the token is missing or wrong";
                    Err(Detail::new(StatusCode::UNAUTHORIZED, text))
                }
            },
            Self::Loopback => {
                let asked = request.uri().authority().map(Authority::as_str);
                is_local(headers, asked).then_some(()).ok_or_else(|| {
                    let text = "without a token, only programs of this machine are served";
                    Detail::new(StatusCode::FORBIDDEN, text)
                })
            }
        }
    }
}

/// Returns whether the request comes from a program on this machine, and not from a web page. The server listens on
/// loopback. A web page can make its own name resolve to loopback, but the browser still sends that name as `Host`. In
/// a cross-origin request, the browser sends the header `Origin`.
fn is_local(headers: &HeaderMap, asked: Option<&str>) -> bool {
    let Ok(Some(host)) = single_value(headers, &header::HOST) else {
        return false;
    };
    let is_loopback = ["localhost", "127.0.0.1", "[::1]"].contains(&&*name(host));
    let is_same = asked.is_none_or(|asked| asked == host);
    is_loopback && is_same && !headers.contains_key(header::ORIGIN)
}

pub(super) async fn guard(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    match access.check(&request) {
        Ok(()) => next.run(request.map(in_time)).await,
        Err(refusal) => refusal.into_response(),
    }
}
