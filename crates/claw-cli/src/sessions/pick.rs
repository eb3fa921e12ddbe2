//! Finds the session to which a command applies.

use claw_sessions::{Session, Sessions};

use super::Failed;
use crate::args::sessions::{Id, Which};
use crate::outcome::Outcome;

impl Id {
    pub(super) fn session(&self, sessions: &Sessions) -> Result<Session, Failed> {
        Ok(sessions.find_by_prefix(&self.id)?)
    }
}

impl Which {
    pub(super) fn session(&self, sessions: &Sessions) -> Result<Session, Failed> {
        if let Some(id) = &self.id {
            return Ok(sessions.find_by_prefix(id)?);
        }
        let newest = sessions.list().project(".").limit(1).run()?;
        super::report_problems(&newest.problems);
        if let Some(session) = newest.on_disk.into_iter().next() {
            Ok(session)
        } else {
            anstream::eprintln!("claw: there is no session of this folder");
            Err(Failed::Reported(Outcome::Unreadable))
        }
    }
}
