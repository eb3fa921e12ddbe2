//! The key of a session in the store.

use claw_client::store::{KeyError, SessionRef};
use claw_types::SessionId;

use crate::Project;

/// The key of the session with this ID in this project.
pub(super) fn reference(project: &Project, id: &SessionId) -> Result<SessionRef, KeyError> {
    SessionRef::new(project.stored_name(), id.as_str())
}
