//! The key of a session in the store.

use claw_client::store::{KeyError, SessionRef};
use claw_types::SessionId;

use crate::Project;

/// Returns the key of a session from its project and its ID.
pub(super) fn reference(project: &Project, id: &SessionId) -> Result<SessionRef, KeyError> {
    SessionRef::new(project.stored_name(), id.as_str())
}
