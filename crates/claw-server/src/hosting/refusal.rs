//! The refusals of the hosting contract, in the form of its reference server.

use axum::Json;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::late_body;

/// A refusal. Its body is `{"detail": …}`, like that of the reference server of the hosting contract.
///
/// Each status is used only where the reference server uses it. If a gateway receives another status, it assumes
/// that the server has died, and ends it. So all other failures are not sent as a status, but as events named `error`.
#[derive(Debug)]
pub(super) struct Detail {
    status: StatusCode,
    detail: Value,
}

impl Detail {
    pub(super) fn new(status: StatusCode, text: &str) -> Self {
        Self {
            status,
            detail: text.into(),
        }
    }

    pub(super) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is nothing here")
    }

    pub(super) fn not_allowed() -> Self {
        let text = "the method is not one of this route";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, text)
    }

    pub(super) fn too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long")
    }

    /// Creates the refusal of an invalid body. `kind` is the kind of the error, `at` is its position in the body, and
    /// `text` describes it.
    pub(super) fn body(kind: &str, at: &[&str], text: &str) -> Self {
        Self {
            status: StatusCode::UNPROCESSABLE_ENTITY,
            detail: json!([{"type": kind, "loc": at, "msg": text}]),
        }
    }
}

impl From<BytesRejection> for Detail {
    fn from(rejection: BytesRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::too_large(),
            status if late_body::is_late(&rejection) => Self::new(status, late_body::LATE),
            status => Self::new(status, &rejection.body_text()),
        }
    }
}

impl IntoResponse for Detail {
    fn into_response(self) -> Response {
        (self.status, Json(json!({"detail": self.detail}))).into_response()
    }
}
