//! The configuration of an agent.

use std::sync::Arc;
use std::time::Duration;

use claw_client::SessionBuilder;
use claw_client::store::{Owner, StoreOptions};
use claw_sessions::Sessions;
use claw_types::QueryOptions;

use crate::failure::failed;
use crate::stored::Stored;
use crate::transport::Tap;

/// The default time in which Claude Code must be ready for prompts.
pub(crate) const START: Duration = Duration::from_mins(1);

pub(crate) type Configure = Arc<dyn Fn(SessionBuilder) -> SessionBuilder + Send + Sync>;

/// The configuration of an agent.
pub(crate) struct Config {
    pub(crate) options: QueryOptions,
    pub(crate) store: Option<Box<(StoreOptions, Owner)>>,
    pub(crate) sessions: Option<Sessions>,
    pub(crate) login: Option<Vec<String>>,
    pub(crate) configure: Option<Configure>,
    pub(crate) start_timeout: Duration,
    pub(crate) tap: Option<Tap>,
}

impl Config {
    /// Returns access to the sessions that are not live.
    pub(crate) fn stored(&self) -> Result<Stored, agent_client_protocol::Error> {
        if let Some(store) = &self.store {
            return Ok(Stored::Store(store.clone()));
        }
        let sessions = self.sessions.clone().map_or_else(Sessions::of_user, Ok);
        let sessions = sessions.map_err(|error| failed("the sessions cannot be found", &error))?;
        Ok(Stored::Disk(sessions))
    }
}
