//! The sub-agents of a session.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use claw_types::{Json, SessionId};

use crate::{Entries, Error, Messages, Session, file};

/// A sub-agent of a session, with the file of its conversation. Made by [`Session::subagents`].
#[derive(Debug, Clone)]
pub struct Subagent {
    session: SessionId,
    id: String,
    transcript: PathBuf,
}

/// The sub-agents of a session, and the folders that could not be read.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Subagents {
    /// The sub-agents, in the order of their files' paths.
    pub subagents: Vec<Subagent>,
    /// The folders that could not be read. Their sub-agents are missing from the list.
    pub problems: Vec<Error>,
}

impl Session {
    /// Lists the session's sub-agents, including those that workflows started.
    pub fn subagents(&self) -> Subagents {
        let mut found = Subagents::default();
        // The folders that were not read yet. A loop instead of recursion, because the folders may be deeply nested.
        let mut folders = vec![self.folder().join("subagents")];
        while let Some(folder) = folders.pop() {
            if let Err(error) = self.list_folder(&folder, &mut found.subagents, &mut folders)
                && error.kind() != ErrorKind::NotFound
            {
                let error = Error::io("cannot read", folder, error);
                found.problems.push(error);
            }
        }
        found
            .subagents
            .sort_by(|a, b| a.transcript.cmp(&b.transcript));
        found
    }

    fn list_folder(
        &self,
        folder: &Path,
        found: &mut Vec<Subagent>,
        folders: &mut Vec<PathBuf>,
    ) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let name = entry.file_name();
            let id = name.to_str().and_then(agent_id);
            if kind.is_dir() {
                folders.push(entry.path());
            } else if let Some(id) = id.filter(|_| kind.is_file()) {
                found.push(Subagent {
                    session: self.id().clone(),
                    id: id.to_owned(),
                    transcript: entry.path(),
                });
            }
        }
        Ok(())
    }
}

/// Returns the ID in the file name of a sub-agent's transcript.
fn agent_id(name: &str) -> Option<&str> {
    name.strip_prefix("agent-")?.strip_suffix(".jsonl")
}

impl Subagent {
    /// Returns the sub-agent's ID, which was assigned by the CLI.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the ID of the session that the sub-agent worked for.
    pub fn session_id(&self) -> &SessionId {
        &self.session
    }

    /// Returns the path of the sub-agent's transcript.
    pub fn transcript(&self) -> &Path {
        &self.transcript
    }

    /// Reads the CLI's data about the sub-agent, from a file beside its transcript: its kind (`agentType`), the ID of
    /// the tool use that started it (`toolUseId`), the ID of the sub-agent that started it (`parentAgentId`), and
    /// more. Returns `None` if the file does not exist, or is not a JSON object.
    pub fn metadata(&self) -> Option<Json> {
        let text = file::small(&self.transcript.with_extension("meta.json"))?;
        Json::from_text(text).ok().filter(Json::is_object)
    }

    /// Reads every line of the sub-agent's transcript.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the transcript cannot be opened.
    pub fn entries(&self) -> Result<Entries, Error> {
        Entries::open(&self.transcript)
    }

    /// Reads the sub-agent's conversation.
    pub fn messages(&self) -> Messages<'_> {
        Messages::of_subagent(self)
    }
}
