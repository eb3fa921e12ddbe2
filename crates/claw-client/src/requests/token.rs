//! New tokens for a CLI whose token was rejected.

use std::fmt;
use std::future::Future;

use claw_types::Json;
use futures::future::BoxFuture;
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::answer::{IntoAnswer, answers};
use super::context::CallbackContext;

/// A new OAuth token: the answer to the CLI's request `oauth_token_refresh`.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OauthToken {
    access_token: String,
    reason: Option<String>,
}

impl OauthToken {
    /// Creates an answer with this token.
    pub fn new(access_token: impl Into<String>) -> Self {
        Self {
            access_token: access_token.into(),
            reason: None,
        }
    }

    /// Sets the reason why the program gives this answer, in words.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

impl Serialize for OauthToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut answer = serializer.serialize_map(None)?;
        answer.serialize_entry("accessToken", &self.access_token)?;
        if let Some(reason) = &self.reason {
            answer.serialize_entry("reason", reason)?;
        }
        answer.end()
    }
}

/// Shows all fields except the token.
impl fmt::Debug for OauthToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OauthToken")
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}

/// A new token that your program provides: the answer to the CLI's request
/// `host_auth_token_refresh`.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostAuthToken {
    auth_token: String,
}

impl HostAuthToken {
    /// Creates an answer with this token.
    pub fn new(auth_token: impl Into<String>) -> Self {
        Self {
            auth_token: auth_token.into(),
        }
    }
}

impl Serialize for HostAuthToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut answer = serializer.serialize_map(None)?;
        answer.serialize_entry("authToken", &self.auth_token)?;
        answer.end()
    }
}

/// Shows all fields except the token.
impl fmt::Debug for HostAuthToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostAuthToken").finish_non_exhaustive()
    }
}

answers! {
    OauthToken: OauthToken;
    HostAuthToken: HostAuthToken;
}

/// Wraps a callback whose answer is written as JSON.
pub(crate) fn written<A, F, Fut>(
    call: F,
) -> impl Fn(Json, CallbackContext) -> BoxFuture<'static, Result<Json, String>> + Send + Sync + 'static
where
    A: Serialize + 'static,
    F: Fn(Json, CallbackContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoAnswer<A>> + Send + 'static,
{
    move |body, context| {
        let answer = call(body, context);
        Box::pin(async move {
            let answer = answer.await.into_answer()?;
            Json::new(&answer).map_err(|error| error.to_string())
        })
    }
}
