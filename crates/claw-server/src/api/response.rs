//! Types of responses. Each type has one status, or decides between two.

use std::borrow::Cow;
use std::marker::PhantomData;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::Stream;
use serde::Serialize;

/// A response with status 201.
#[derive(Debug)]
pub(crate) struct Created<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        (StatusCode::CREATED, Json(self.0)).into_response()
    }
}

/// A response with status 202 for a new prompt, and 200 for a prompt that was accepted before.
#[derive(Debug)]
pub(crate) struct Accepted<T> {
    pub(crate) is_new: bool,
    pub(crate) what: T,
}

impl<T: Serialize> IntoResponse for Accepted<T> {
    fn into_response(self) -> Response {
        let status = if self.is_new {
            StatusCode::ACCEPTED
        } else {
            StatusCode::OK
        };
        (status, Json(self.what)).into_response()
    }
}

/// A response with a value that is long as JSON. The value is serialized on the blocking thread that computes it.
#[derive(Debug)]
pub(crate) struct Written<T> {
    response: Response,
    of: PhantomData<fn() -> T>,
}

impl<T: Serialize> Written<T> {
    pub(crate) fn of(value: T) -> Self {
        Self {
            response: Json(value).into_response(),
            of: PhantomData,
        }
    }
}

impl<T> IntoResponse for Written<T> {
    fn into_response(self) -> Response {
        self.response
    }
}

/// The responses to JSON-RPC calls. If all calls were notifications, there is no response, and the status is 204.
#[derive(Debug)]
pub(crate) struct Responses(pub(crate) Option<serde_json::Value>);

impl IntoResponse for Responses {
    fn into_response(self) -> Response {
        match self.0 {
            Some(responses) => Json(responses).into_response(),
            None => StatusCode::NO_CONTENT.into_response(),
        }
    }
}

/// A JSON document.
#[derive(Debug)]
pub(crate) struct Document(pub(crate) Cow<'static, str>);

impl IntoResponse for Document {
    fn into_response(self) -> Response {
        let kind = HeaderValue::from_static("application/json");
        ([(header::CONTENT_TYPE, kind)], self.0).into_response()
    }
}

/// Server-sent events.
#[derive(Debug)]
pub(crate) struct Events(Response);

impl Events {
    /// Creates a response that sends each text as soon as the stream yields it.
    pub(crate) fn of<E: Into<axum::BoxError>>(
        texts: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
    ) -> Self {
        let mut response = Response::new(Body::from_stream(texts));
        for (name, value) in [
            (header::CONTENT_TYPE, "text/event-stream"),
            (header::CACHE_CONTROL, "no-store"),
            // Without this header, nginx would buffer the events.
            (HeaderName::from_static("x-accel-buffering"), "no"),
        ] {
            let value = HeaderValue::from_static(value);
            response.headers_mut().insert(name, value);
        }
        Self(response)
    }
}

impl IntoResponse for Events {
    fn into_response(self) -> Response {
        self.0
    }
}

/// The response with status 101, which makes the connection a WebSocket.
#[derive(Debug)]
pub(crate) struct Upgraded(pub(crate) Response);

impl IntoResponse for Upgraded {
    fn into_response(self) -> Response {
        self.0
    }
}

/// The response header that describes which sessions or figures the response does not contain.
pub(crate) const MISSING: &str = "claw-missing";

/// A response that contains a table, and may be incomplete.
#[derive(Debug)]
pub(crate) struct Table<T> {
    pub(crate) form: TableForm<T>,
    /// A description of what the table does not contain. `None` if the table is complete.
    pub(crate) missing: Option<String>,
}

/// The format of a table, with the table's contents.
#[derive(Debug)]
pub(crate) enum TableForm<T> {
    Json(T),
    Csv(String),
}

impl<T: Serialize> IntoResponse for Table<T> {
    fn into_response(self) -> Response {
        let response = match self.form {
            TableForm::Json(rows) => Json(rows).into_response(),
            TableForm::Csv(text) => {
                let headers = [
                    (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
                    // With this header, browsers save the response as a file.
                    (
                        header::CONTENT_DISPOSITION,
                        "attachment; filename=\"usage.csv\"",
                    ),
                ];
                (headers, text).into_response()
            }
        };
        with_missing(response, self.missing)
    }
}

/// A response with a result that may be incomplete.
#[derive(Debug)]
pub(crate) struct Partial<T> {
    pub(crate) value: T,
    /// A description of what the result does not contain. `None` if the result is complete.
    pub(crate) missing: Option<String>,
}

impl<T: Serialize> IntoResponse for Partial<T> {
    fn into_response(self) -> Response {
        with_missing(Json(self.value).into_response(), self.missing)
    }
}

/// Adds the header [`MISSING`] if the response is incomplete.
fn with_missing(mut response: Response, missing: Option<String>) -> Response {
    let missing = missing.and_then(|text| HeaderValue::try_from(text).ok());
    if let Some(missing) = missing {
        response.headers_mut().insert(MISSING, missing);
    }
    response
}

/// Metrics in the text format of Prometheus.
#[derive(Debug)]
pub(crate) struct Metrics(pub(crate) String);

impl IntoResponse for Metrics {
    fn into_response(self) -> Response {
        let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
        ([(header::CONTENT_TYPE, kind)], self.0).into_response()
    }
}
