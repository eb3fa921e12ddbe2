//! The usage of a session in a store.

use claw_sessions::{SessionAnswers, UsageCache};
use claw_types::SessionId;

use super::lines::{Allowance, Loading};
use super::{StoredError, StoredSessions};
use crate::{SessionRef, StoreKey};

impl StoredSessions {
    /// Counts the answers of a session and its sub-agents, for reports that use this cache. Answers in the session's
    /// [kept](Self::kept) entries are counted too. The call reads all transcripts of the session, one line at a time,
    /// and writes nothing to this disk.
    ///
    /// # Errors
    ///
    /// - [`StoredError::NotFound`]: the store has no such session.
    /// - [`StoredError::LimitExceeded`]: the session is larger than the [limits](Self::limits) allow.
    /// - [`StoredError::Store`]: the store returned an error, or lines of another session.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the call changes nothing.
    pub async fn answers(
        &self,
        session: &SessionRef,
        cache: &UsageCache,
    ) -> Result<SessionAnswers, StoredError> {
        let mut answers = cache.answers(&SessionId::from(session.session()));
        let mut left = Allowance::new(session, self.limits);
        for (key, subagent) in self.transcripts(session, &left).await? {
            let mut loading = Loading::new(&*self.store, &key);
            while let Some(line) = loading.next(&mut left).await? {
                answers.line(line.as_str().as_bytes(), subagent.as_deref());
            }
            if subagent.is_none() && loading.lines == 0 {
                return Err(StoredError::not_found(session));
            }
        }
        for kept in self.kept(session).await? {
            let subagent = match &kept.transcript {
                None => None,
                Some(transcript) => match agent_id(transcript) {
                    Some(id) => Some(id),
                    None => continue,
                },
            };
            answers.line(kept.line.as_bytes(), subagent);
        }
        Ok(answers)
    }

    /// Returns the main transcript of a session, followed by the transcripts of its sub-agents. Each of those has the
    /// ID of its sub-agent.
    pub(super) async fn transcripts(
        &self,
        session: &SessionRef,
        left: &Allowance,
    ) -> Result<Vec<(StoreKey, Option<String>)>, StoredError> {
        let beside = self.beside(session, left).await?;
        let agents = beside.into_iter().filter_map(|subpath| {
            let id = agent_id(subpath.as_str())?.to_owned();
            Some((session.at(subpath), Some(id)))
        });
        Ok(std::iter::once((session.main(), None))
            .chain(agents)
            .collect())
    }
}

/// Returns the ID of the sub-agent to which this transcript belongs.
pub(super) fn agent_id(subpath: &str) -> Option<&str> {
    let below = subpath.strip_prefix("subagents/")?;
    let name = below.rsplit('/').next()?;
    name.strip_prefix("agent-")
}
