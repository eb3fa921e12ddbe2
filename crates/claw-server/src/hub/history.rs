//! Reads the transcript of a session into its conversation.

use std::collections::HashMap;

use bytes::Bytes;
use claw_client::codec::Malformed;
use claw_sessions::{Entries, EntryLine, LineError, Rewound, Session, Subagent};
use claw_types::ToolUseId;
use claw_types::api::ContentBlock;
use claw_types::transcript::{AgentMetadataEntry, Entry};

use super::kept::KeptNotices;
use crate::conversation::Conversation;

/// Maximum length of the excerpt of an unreadable line, in bytes.
pub(super) const UNREADABLE: usize = 4096;

/// Reads the transcript of a session into its conversation, and the transcripts of its sub-agents behind the tool uses
/// that started them. `kept` has notices that are not in the transcript. An unreadable line is shown at its place, as
/// in a live session. Blocks.
pub(super) fn read(
    session: &Session,
    conversation: &mut Conversation,
    kept: &mut KeptNotices,
) -> Result<(), claw_sessions::Error> {
    let mut agents = Agents::of(session);
    let rewound = session.rewound()?;
    show(conversation, &kept.first());
    read_entries(
        session.entries()?,
        conversation,
        &mut agents,
        &rewound,
        kept,
    )?;
    agents.read_rest(conversation);
    show(conversation, &kept.rest());
    conversation.history_ended();
    Ok(())
}

/// Maximum depth at which sub-agents of sub-agents are read inside each other. Deeper ones are read at the end.
const DEEPEST: usize = 16;

/// The sub-agents whose transcripts were not read yet.
struct Agents {
    /// The depth of the sub-agent that is being read. 0 is the session itself.
    depth: usize,
    /// The branch of the entries that are being read, if they were rewound.
    branch: Option<u32>,
    by_tool_use: HashMap<ToolUseId, (Subagent, AgentMetadataEntry)>,
    /// The sub-agents whose tool use is unknown.
    others: Vec<(Subagent, AgentMetadataEntry)>,
}

impl Agents {
    fn of(session: &Session) -> Self {
        let mut agents = Self {
            depth: 0,
            branch: None,
            by_tool_use: HashMap::new(),
            others: Vec::new(),
        };
        for agent in session.subagents().subagents {
            let metadata = metadata(&agent);
            match metadata.tool_use_id.clone() {
                Some(tool_use) => {
                    agents.by_tool_use.insert(tool_use, (agent, metadata));
                }
                None => agents.others.push((agent, metadata)),
            }
        }
        agents
    }

    /// Reads the sub-agents that the tool uses of an entry have started, including their own sub-agents.
    fn read_started(&mut self, entry: &Entry, conversation: &mut Conversation) {
        let Entry::Assistant(message) = entry else {
            return;
        };
        for block in &message.message.content {
            if self.depth < DEEPEST
                && let ContentBlock::ToolUse(tool) = block
                && let Some(agent) = self.by_tool_use.remove(&tool.id)
            {
                self.read(&agent, conversation);
            }
        }
    }

    /// Reads the sub-agents whose tool use was not found.
    fn read_rest(&mut self, conversation: &mut Conversation) {
        self.branch = None;
        while let Some(agent) = self.others.pop() {
            self.read(&agent, conversation);
        }
        while let Some(tool_use) = self.by_tool_use.keys().min().cloned()
            && let Some(agent) = self.by_tool_use.remove(&tool_use)
        {
            self.read(&agent, conversation);
        }
    }

    /// Adds the transcript of a sub-agent to the conversation. If it cannot be read, the conversation is shown without
    /// it.
    fn read(
        &mut self,
        (agent, metadata): &(Subagent, AgentMetadataEntry),
        conversation: &mut Conversation,
    ) {
        let metadata = Entry::AgentMetadata(Box::new(metadata.clone()));
        add(conversation, &metadata, self.branch);
        self.depth += 1;
        let entries = agent.entries();
        let (rewound, mut kept) = (Rewound::default(), KeptNotices::default());
        let read = entries
            .and_then(|entries| read_entries(entries, conversation, self, &rewound, &mut kept));
        self.depth -= 1;
        if let Err(error) = read {
            tracing::warn!(agent = agent.id(), %error, "the transcript of a sub-agent cannot be read");
        }
    }
}

/// The data that the CLI has written about a sub-agent in a separate file.
fn metadata(agent: &Subagent) -> AgentMetadataEntry {
    let value = agent.metadata().and_then(|json| json.to_value().ok());
    let text = |name: &str| Some(value.as_ref()?.get(name)?.as_str()?.to_owned());
    let mut metadata = AgentMetadataEntry::new(text("agentType").unwrap_or_default());
    metadata.description = text("description");
    metadata.tool_use_id = text("toolUseId").map(|id| ToolUseId::from(&*id));
    metadata
}

fn read_entries(
    entries: Entries,
    conversation: &mut Conversation,
    agents: &mut Agents,
    rewound: &Rewound,
    kept: &mut KeptNotices,
) -> Result<(), claw_sessions::Error> {
    for line in entries {
        let line = line?;
        if line.is_blank() {
            continue;
        }
        match line.entry() {
            Ok(entry) => {
                // Sub-agents belong to the branch of the tool use that started them.
                if agents.depth == 0 {
                    agents.branch = entry.uuid().and_then(|uuid| rewound.branch(uuid.as_str()));
                }
                add(conversation, &entry, agents.branch);
                agents.read_started(&entry, conversation);
            }
            Err(error) => {
                tracing::warn!(
                    line = line.number(),
                    "a line of a transcript cannot be read"
                );
                conversation.unreadable_history(&excerpt(&line, error));
            }
        }
        show(conversation, &kept.after(line.raw()));
    }
    Ok(())
}

fn add(conversation: &mut Conversation, entry: &Entry, branch: Option<u32>) {
    match branch {
        Some(branch) => conversation.rewound_history(entry, branch),
        None => conversation.history(entry),
    }
}

/// Adds notices to the conversation.
fn show(conversation: &mut Conversation, notices: &[String]) {
    for notice in notices {
        conversation.history_notice(notice);
    }
}

/// The beginning of an unreadable line.
fn excerpt(line: &EntryLine, error: LineError) -> String {
    match (line.raw(), error) {
        (Some(raw), LineError::Decode(error)) => {
            let raw = Bytes::copy_from_slice(raw);
            Malformed::new(line.number(), error, raw).excerpt(UNREADABLE)
        }
        // The bytes of this line are not available.
        (_, error) => error.to_string(),
    }
}
