//! The configuration of an agent.

use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::SessionId;
use claw_client::SessionBuilder;
use claw_client::store::{Owner, StoreOptions};
use claw_sessions::Sessions;
use claw_types::QueryOptions;

use crate::failure::{failed, is_not_found};
use crate::stored::{Stored, on_disk};
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
    /// Returns the agent's options. If the configuration folders were named, the options use the first of these
    /// folders.
    pub(crate) fn first_options(&self) -> QueryOptions {
        let mut options = self.options.clone();
        if let Some(sessions) = &self.sessions {
            set_config_dir(&mut options, sessions);
        }
        options
    }

    /// Sets the configuration folder with which a stored session is resumed. It is the folder that contains the
    /// session. A session that is only in the store is resumed with the first folder.
    pub(crate) async fn set_config_dir_of(
        &self,
        id: &SessionId,
        options: &mut QueryOptions,
    ) -> Result<(), Error> {
        let Some(sessions) = self.sessions.as_ref().filter(|it| it.has_several()) else {
            return Ok(());
        };
        match on_disk(sessions, id).await {
            Ok(session) => set_config_dir(options, session.sessions()),
            // If no folder contains the session, Claude Code reports the error.
            Err(error) if is_not_found(&error) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Returns access to the sessions that are not live.
    pub(crate) fn stored(&self) -> Result<Stored, Error> {
        if let Some(store) = &self.store {
            return Ok(Stored::Store(store.clone()));
        }
        let sessions = self.sessions.clone().map_or_else(Sessions::of_user, Ok);
        let sessions = sessions.map_err(|error| failed("the sessions cannot be found", &error))?;
        Ok(Stored::Disk(sessions))
    }
}

/// Sets the configuration folder with which Claude Code is started. Does nothing if no folder was named.
fn set_config_dir(options: &mut QueryOptions, sessions: &Sessions) {
    if let Some((name, value)) = sessions.environment() {
        let env = options.env.get_or_insert_default();
        env.insert(name, value.map(ToOwned::to_owned));
    }
}
