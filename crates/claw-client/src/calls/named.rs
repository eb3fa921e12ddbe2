//! Calls by the name of their kind.

use claw_types::control::{ControlRequestBody, Request};
use claw_types::{Json, Map, Unknown};

/// A call by the name of its kind, with fields of any form. It is meant for kinds of a newer CLI, which have no type in
/// [`control`](claw_types::control). [`Session::call`](crate::Session::call) and the other methods for calls of any kind
/// take it. The response is the payload as JSON: `null` if it has none.
///
/// ```no_run
/// use claw_client::types::Json;
/// use claw_client::{NamedCall, Session};
///
/// # async fn example(session: &Session) -> Result<(), claw_client::Error> {
/// let call = NamedCall::new("set_verbosity").field("level", serde_json::json!("high"));
/// let response: Json = session.call(call).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a call is sent by `Session::call`"]
pub struct NamedCall(Map<Json>);

const SUBTYPE: &str = "subtype";

impl NamedCall {
    /// Creates a call of the kind with this `subtype`, without other fields.
    pub fn new(subtype: impl Into<String>) -> Self {
        let subtype = serde_json::Value::from(subtype.into());
        Self(Map::of_values([(SUBTYPE, subtype)]))
    }

    /// Sets a field of the request. The field `subtype` stays as [`new`](Self::new) has set it.
    pub fn field(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        let name = name.into();
        if name != SUBTYPE {
            self.0.insert(name, value.into());
        }
        self
    }
}

/// The body has a type if claw knows the kind.
impl From<NamedCall> for ControlRequestBody {
    fn from(call: NamedCall) -> Self {
        // A map with texts as its keys can always be written.
        let json = Json::new(&call.0).unwrap_or_else(|_| Json::empty_object());
        json.parse()
            .unwrap_or_else(|_| Self::Unknown(Unknown::new(json)))
    }
}

impl Request for NamedCall {
    type Response = Json;
}
