//! Error responses.

use axum::Json;
use axum::extract::rejection::{BytesRejection, JsonRejection, QueryRejection};
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use claw_client::store::StoredError;
use claw_sessions::Error;

use super::{ErrorBody, ErrorInfo};
use crate::conversation::AnswerError;
use crate::hub::{HubError, UNKNOWN_CONFIG_DIR, now};
use crate::late_body;

/// The value of `Retry-After`, in seconds, when the server is busy.
const AGAIN: &str = "1";

const WRONG_HOST: &str = "this server is not called by this name";
const KEYLESS: &str = "the login of this browser belongs to other pages: open a new login link";

/// The kind and the message of an error response. They are in the extensions of the response, for the audit log.
#[derive(Debug, Clone)]
pub(crate) struct Refused {
    pub(crate) kind: String,
    pub(crate) message: String,
}

impl Refused {
    /// Describes an error response that does not come from a [`Refusal`].
    pub(crate) fn of_status(status: StatusCode) -> Self {
        Self {
            kind: status.as_str().to_owned(),
            message: status.canonical_reason().unwrap_or_default().to_owned(),
        }
    }
}

/// An error response: its status and its body.
#[derive(Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    info: Box<ErrorInfo>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, kind: &str, message: impl Into<String>) -> Self {
        let info = Box::new(ErrorInfo {
            kind: kind.to_owned(),
            message: message.into(),
            answered: None,
            fields: Vec::new(),
            limit: None,
        });
        Self { status, info }
    }

    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "badRequest", message)
    }

    pub(crate) fn unknown_config_dir() -> Self {
        Self::bad(UNKNOWN_CONFIG_DIR)
    }

    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "notFound", "there is nothing here")
    }

    pub(crate) fn method_not_allowed() -> Self {
        let text = "the method is not one of this route: the header `Allow` names those that are";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "methodNotAllowed", text)
    }

    /// Creates the refusal of a request whose `Host` is not a name of the server.
    pub(crate) fn wrong_host() -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", WRONG_HOST)
    }

    pub(crate) fn is_wrong_host(&self) -> bool {
        self.info.message == WRONG_HOST
    }

    /// Creates the refusal of a request that has a login cookie, but not the key that the server's pages send.
    pub(crate) fn keyless() -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", KEYLESS)
    }

    pub(crate) fn is_keyless(&self) -> bool {
        self.info.message == KEYLESS
    }

    /// Creates the refusal of a request whose body cannot be read.
    fn of_body(status: StatusCode, message: String) -> Self {
        let kind = match status {
            StatusCode::PAYLOAD_TOO_LARGE => "tooLarge",
            _ => "badRequest",
        };
        Self::new(status, kind, message)
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn message(&self) -> &str {
        &self.info.message
    }

    pub(crate) fn refused(&self) -> Refused {
        Refused {
            kind: self.info.kind.clone(),
            message: self.info.message.clone(),
        }
    }

    pub(crate) fn into_info(self) -> ErrorInfo {
        *self.info
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let limit = self.info.limit.as_ref();
        let again = match limit.and_then(|limit| limit.seconds(now())) {
            Some(seconds) => Some(HeaderValue::from(seconds)),
            None if self.status == StatusCode::SERVICE_UNAVAILABLE => {
                Some(HeaderValue::from_static(AGAIN))
            }
            None => None,
        };
        let refused = self.refused();
        let mut response = (self.status, Json(ErrorBody { error: *self.info })).into_response();
        response.extensions_mut().insert(refused);
        if let Some(again) = again {
            response.headers_mut().insert(header::RETRY_AFTER, again);
        }
        response
    }
}

impl From<HubError> for Refusal {
    fn from(error: HubError) -> Self {
        let (status, kind) = match &error {
            HubError::NoProject | HubError::NoSession => (StatusCode::NOT_FOUND, "notFound"),
            HubError::Deleted => (StatusCode::GONE, "deleted"),
            HubError::Stored(StoredError::Store(error)) if error.is_deleted() => {
                (StatusCode::GONE, "deleted")
            }
            HubError::Live => (StatusCode::CONFLICT, "live"),
            HubError::BadRequest(_) => (StatusCode::BAD_REQUEST, "badRequest"),
            HubError::Busy(_) => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            HubError::Limit(limit) if limit.free_at.is_some() => {
                (StatusCode::TOO_MANY_REQUESTS, "limit")
            }
            HubError::Limit(_) => (StatusCode::CONFLICT, "limit"),
            HubError::NothingRuns => (StatusCode::CONFLICT, "nothingRuns"),
            HubError::Elsewhere(_) => (StatusCode::CONFLICT, "elsewhere"),
            HubError::Disk(Error::InSeveral { .. }) => (StatusCode::CONFLICT, "inSeveral"),
            HubError::Claude(error) if error.is_busy() => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            error if error.is_store_away() => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            HubError::Stored(StoredError::InUse { .. }) => {
                (StatusCode::SERVICE_UNAVAILABLE, "busy")
            }
            HubError::Stored(error) if error.is_not_found() => (StatusCode::NOT_FOUND, "notFound"),
            HubError::Claude(_) | HubError::Stored(_) => (StatusCode::BAD_GATEWAY, "failed"),
            HubError::Disk(_)
            | HubError::Index(_)
            | HubError::Unkept(_)
            | HubError::Unwritten(_)
            | HubError::Unarchived(_) => (StatusCode::INTERNAL_SERVER_ERROR, "failed"),
        };
        let mut refusal = Self::new(status, kind, error.to_string());
        if let HubError::Limit(limit) = error {
            refusal.info.limit = Some(*limit);
        }
        refusal
    }
}

impl From<AnswerError> for Refusal {
    fn from(error: AnswerError) -> Self {
        let (status, kind) = match &error {
            AnswerError::Unknown => (StatusCode::NOT_FOUND, "notFound"),
            AnswerError::Late(_) => (StatusCode::CONFLICT, "answered"),
            AnswerError::Unfit(_) | AnswerError::Fields(_) => {
                (StatusCode::BAD_REQUEST, "badRequest")
            }
        };
        let mut refusal = Self::new(status, kind, error.to_string());
        match error {
            AnswerError::Late(answered) => refusal.info.answered = Some(answered),
            AnswerError::Fields(fields) => refusal.info.fields = fields,
            AnswerError::Unknown | AnswerError::Unfit(_) => {}
        }
        refusal
    }
}

impl From<QueryRejection> for Refusal {
    fn from(rejection: QueryRejection) -> Self {
        Self::bad(rejection.body_text())
    }
}

impl From<JsonRejection> for Refusal {
    fn from(rejection: JsonRejection) -> Self {
        Self::of_body(rejection.status(), rejection.body_text())
    }
}

impl From<WebSocketUpgradeRejection> for Refusal {
    fn from(rejection: WebSocketUpgradeRejection) -> Self {
        Self::new(rejection.status(), "badRequest", rejection.body_text())
    }
}

impl From<BytesRejection> for Refusal {
    fn from(rejection: BytesRejection) -> Self {
        if late_body::is_late(&rejection) {
            return Self::new(StatusCode::REQUEST_TIMEOUT, "timeout", late_body::LATE);
        }
        Self::of_body(rejection.status(), rejection.body_text())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use claw_client::store::StoreError;

    use super::*;

    #[test]
    fn a_store_that_is_away_may_be_asked_again_and_a_disk_that_fails_may_not() {
        let away = || StoreError::unavailable("nobody is there");
        for (error, status, again) in [
            (HubError::Unkept(Error::other(away())), 503, Some("1")),
            (StoredError::from(away()).into(), 503, Some("1")),
            (HubError::Unkept(Error::other("no room")), 500, None),
            (
                StoredError::from(StoreError::refused("no")).into(),
                502,
                None,
            ),
        ] {
            let response = Refusal::from(error).into_response();
            assert_eq!(response.status().as_u16(), status);
            let after = response.headers().get(header::RETRY_AFTER);
            assert_eq!(after.map(HeaderValue::as_bytes), again.map(str::as_bytes));
        }
    }
}
