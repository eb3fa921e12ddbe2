//! The conversation of a session.

use std::collections::HashMap;
use std::path::Path;

use claw_types::SessionId;
use claw_types::store::SessionMessage;
use serde_json::{Value, from_slice};

use crate::{Entries, Error, Session, Subagent};

/// Which messages of a conversation to read: [`Session::messages`], [`Subagent::messages`].
#[derive(Debug, Clone)]
#[must_use = "nothing is read before `read`"]
pub struct Messages<'a> {
    of: Of<'a>,
    limit: Option<usize>,
    offset: usize,
    include_system: bool,
}

#[derive(Debug, Clone, Copy)]
enum Of<'a> {
    Session(&'a Session),
    Subagent(&'a Subagent),
}

/// The messages that were asked for, oldest first, and what could not be read.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct History {
    /// The messages.
    pub messages: Vec<SessionMessage>,
    /// What is broken in the transcript. It is no reason for the rest not to be read.
    pub problems: Vec<Error>,
}

impl Session {
    /// Reads every line of the transcript.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where the transcript cannot be opened.
    pub fn entries(&self) -> Result<Entries, Error> {
        Entries::open(self.transcript())
    }

    /// Reads the conversation as the CLI would resume it: the newest branch, after the last compaction.
    pub fn messages(&self) -> Messages<'_> {
        Messages::of(Of::Session(self))
    }
}

impl<'a> Messages<'a> {
    fn of(of: Of<'a>) -> Self {
        Self {
            of,
            limit: None,
            offset: 0,
            include_system: false,
        }
    }

    pub(crate) fn of_subagent(subagent: &'a Subagent) -> Self {
        Self::of(Of::Subagent(subagent))
    }

    /// Sets how many messages are read at most.
    pub fn limit(mut self, messages: usize) -> Self {
        self.limit = Some(messages);
        self
    }

    /// Sets how many of the oldest messages are passed over.
    pub fn offset(mut self, messages: usize) -> Self {
        self.offset = messages;
        self
    }

    /// Takes notices of the CLI as well, such as the boundary of a compaction.
    pub fn include_system(mut self) -> Self {
        self.include_system = true;
        self
    }

    /// Reads the conversation.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where the transcript cannot be read. Broken lines in it are [problems](History::problems).
    pub fn read(self) -> Result<History, Error> {
        let (path, session): (&Path, &SessionId) = match self.of {
            Of::Session(session) => (session.transcript(), session.id()),
            Of::Subagent(agent) => (agent.transcript(), agent.session_id()),
        };
        let mut entries = HashMap::new();
        let mut next = None;
        let mut history = History::default();
        for line in Entries::open(path)? {
            let line = line?;
            let Some(entry) = line.raw().and_then(|raw| from_slice::<Value>(raw).ok()) else {
                continue;
            };
            let Some(uuid) = entry["uuid"].as_str().map(ToOwned::to_owned) else {
                continue;
            };
            if matches!(entry["type"].as_str(), Some("user" | "assistant")) {
                next = Some(uuid.clone());
            }
            entries.insert(uuid, entry);
        }
        while let Some(entry) = next.and_then(|uuid| entries.remove(&uuid)) {
            next = entry["parentUuid"].as_str().map(ToOwned::to_owned);
            let message = serde_json::json!({
                "type": entry["type"], "uuid": entry["uuid"], "session_id": session,
                "message": entry["message"], "parent_tool_use_id": null, "parent_agent_id": null,
                "timestamp": entry["timestamp"],
            });
            let is_system = entry["type"] == "system";
            if entry["isMeta"] != true && (self.include_system || !is_system) {
                history
                    .messages
                    .extend(serde_json::from_value(message).ok());
            }
        }
        history.messages.reverse();
        history
            .messages
            .drain(..self.offset.min(history.messages.len()));
        history.messages.truncate(self.limit.unwrap_or(usize::MAX));
        Ok(history)
    }
}
