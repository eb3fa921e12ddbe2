//! Which session a command is about.

use clap::Args;
use claw_sessions::{Session, Sessions};

use super::Failed;
use crate::outcome::Outcome;

/// A session by its id.
#[derive(Args)]
pub(crate) struct Id {
    /// The session's id, or as much of its beginning as no other id has.
    id: String,
}

impl Id {
    pub(super) fn session(&self, sessions: &Sessions) -> Result<Session, Failed> {
        Ok(sessions.find_by_prefix(&self.id)?)
    }
}

/// A session by its id, or the newest one.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Which {
    /// The session's id, or as much of its beginning as no other id has.
    id: Option<String>,
    /// The session of this folder that was changed last.
    #[arg(long)]
    last: bool,
}

impl Which {
    pub(super) fn session(&self, sessions: &Sessions) -> Result<Session, Failed> {
        if let Some(id) = &self.id {
            return Ok(sessions.find_by_prefix(id)?);
        }
        let newest = sessions.list().project(".").limit(1).run()?;
        super::tell(&newest.problems);
        match newest.sessions.first() {
            Some(info) => Ok(sessions.find(info.session_id.as_str())?),
            None => {
                anstream::eprintln!("claw: there is no session of this folder");
                Err(Failed::Told(Outcome::Unreadable))
            }
        }
    }
}
