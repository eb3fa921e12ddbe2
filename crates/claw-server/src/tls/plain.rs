//! What a server with TLS answers to requests without TLS. It accepts no login, no token and no cookie of them.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use crate::api::Refusal;
use crate::guard::{Guard, single_value};

/// The routes of connections without TLS.
pub(crate) fn router(guard: Arc<Guard>) -> Router {
    Router::new().fallback(answer).with_state(guard)
}

async fn answer(State(guard): State<Arc<Guard>>, request: Request) -> Response {
    match respond(&guard, &request) {
        Ok(response) => response,
        Err(refusal) => refusal.into_response(),
    }
}

fn respond(guard: &Guard, request: &Request) -> Result<Response, Refusal> {
    let headers = request.headers();
    let host = single_value(headers, &header::HOST)?.unwrap_or_default();
    if !guard.is_host(host) {
        return Err(Refusal::wrong_host());
    }
    if !is_page(request.method(), headers) {
        let text = format!("this server accepts requests by HTTPS only: https://{host}");
        return Err(Refusal::new(StatusCode::FORBIDDEN, "https", text));
    }
    // The path may be that of a login link, which was sent without TLS. It is not sent again.
    let mut response = Redirect::temporary(&format!("https://{host}/")).into_response();
    let store = HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, store);
    Ok(response)
}

/// Whether a browser asks for a page.
fn is_page(method: &Method, headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok());
    matches!(*method, Method::GET | Method::HEAD)
        && accept.is_some_and(|accept| accept.contains("text/html"))
}
