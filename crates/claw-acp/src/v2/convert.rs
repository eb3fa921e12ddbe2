//! Converts types that have the same form in both versions.

use agent_client_protocol::Error;
use agent_client_protocol::{v1::schema as v1, v2::schema as v2};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::is_not_found;

/// Converts a value whose JSON is the same in both versions.
pub(super) fn same<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, Error> {
    let value = serde_json::to_value(value)?;
    Ok(serde_json::from_value(value)?)
}

/// Converts a session ID to the type of version 1.
pub(super) fn v1_session(id: &v2::SessionId) -> v1::SessionId {
    v1::SessionId::new(id.0.clone())
}

/// Converts a session ID to the type of version 2.
pub(super) fn v2_session(id: &v1::SessionId) -> v2::SessionId {
    v2::SessionId::new(id.0.clone())
}

/// Converts a block of content. Returns `None` for a kind that version 2 does not have.
pub(super) fn block(block: &v1::ContentBlock) -> Option<v2::ContentBlock> {
    match block {
        // Texts stream in many small pieces, so they are converted without JSON.
        v1::ContentBlock::Text(text) if text.annotations.is_none() && text.meta.is_none() => {
            Some(v2::ContentBlock::Text(v2::TextContent::new(&*text.text)))
        }
        other => same(other).ok(),
    }
}

/// Returns a function that adds the ID of the session to an error. It changes only errors that report that the session
/// does not exist.
pub(super) fn not_found(id: &v2::SessionId) -> impl FnOnce(Error) -> Error {
    let data = serde_json::json!({ "sessionId": id });
    move |error| {
        if is_not_found(&error) {
            return error.data(data);
        }
        error
    }
}
