//! Extractors of request headers and bodies for handlers.

use std::convert::Infallible;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use serde::de::DeserializeOwned;

use super::Refusal;
use crate::late_body::in_one_piece;
use crate::object::Object;

/// The request header with the name of the viewer.
pub(crate) const VIEWER: &str = "x-claw-viewer";
/// The request header with the key of the pages of this server.
pub(crate) const KEY: HeaderName = HeaderName::from_static("x-claw-key");
/// The request header with the ID of the last server-sent event that the client received.
pub(crate) const LAST_EVENT: &str = "last-event-id";

/// The text that stands for a viewer without a name in the responses to this viewer's own answers.
pub(crate) const YOU: &str = "you";

/// The name in the header [`VIEWER`], shortened to 64 characters. `None` if there is no such name. The server does not
/// verify the name.
#[derive(Debug)]
pub(crate) struct ViewerName(Option<String>);

impl ViewerName {
    /// Returns the name that other viewers see beside an answer of this viewer.
    pub(crate) fn to_others(&self) -> String {
        let name = self.0.as_deref();
        name.unwrap_or("another viewer").to_owned()
    }

    /// Returns the name in the response to an answer of this viewer. This is the viewer's own name, or [`YOU`].
    pub(crate) fn to_itself(&self) -> String {
        self.0.as_deref().unwrap_or(YOU).to_owned()
    }
}

impl<S: Sync> FromRequestParts<S> for ViewerName {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let name = parts.headers.get(VIEWER).map(HeaderValue::as_bytes);
        let name = std::str::from_utf8(name.unwrap_or_default()).unwrap_or_default();
        let name: String = name.chars().take(64).collect();
        // The server itself uses these words in place of a viewer's name, so a viewer cannot have them as its name.
        let is_name = !["", "withdrawn", "timeout", YOU].contains(&&*name);
        Ok(Self(is_name.then_some(name)))
    }
}

/// The ID of the last event that a client received, from the header [`LAST_EVENT`].
#[derive(Debug)]
pub(crate) struct LastEvent(Option<String>);

impl LastEvent {
    /// Returns the number of the event. Returns `None` if the event belongs to another conversation.
    pub(crate) fn number(&self, epoch: &str) -> Option<u64> {
        let (of, number) = self.0.as_ref()?.split_once('-')?;
        (of == epoch).then(|| number.parse().ok()).flatten()
    }
}

impl<S: Sync> FromRequestParts<S> for LastEvent {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(text(&parts.headers, LAST_EVENT).map(str::to_owned)))
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// A JSON object in the body. Any other JSON is refused before it is parsed.
impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Object<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let request = in_one_piece(Request::from_parts(parts.clone(), body));
        let body = Bytes::from_request(request, state).await?;
        // A JSON object is recognised by the first byte that is not white space.
        let first = body.iter().find(|byte| !b" \t\r\n".contains(byte));
        if first != Some(&b'{') {
            return Err(Refusal::bad("the body has to be a JSON object"));
        }
        let request = Request::from_parts(parts, Body::from(body));
        let Json(value) = Json::from_request(request, state).await?;
        Ok(Self(value))
    }
}

/// The body of a JSON-RPC request. It is not parsed, because JSON-RPC has its own form of errors.
#[derive(Debug)]
pub(crate) struct Calls(pub(crate) Bytes);

impl<S: Send + Sync> FromRequest<S> for Calls {
    type Rejection = BytesRejection;

    async fn from_request(request: Request, state: &S) -> Result<Self, BytesRejection> {
        let request = in_one_piece(request);
        Ok(Self(Bytes::from_request(request, state).await?))
    }
}
