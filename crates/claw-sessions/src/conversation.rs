//! The reader of conversations.

use std::collections::{BTreeMap, VecDeque};
use std::mem;

use claw_types::ToolUseId;
use claw_types::api::ContentBlock;
use claw_types::transcript::{AgentMetadataEntry, Entry};

use crate::members::Members;
use crate::{Entries, EntryLine, Error, LineError, Rewound, Session, Subagent};

/// The maximum depth at which sub-agents of sub-agents are read inside each other. Deeper sub-agents follow at the end.
const DEEPEST: usize = 16;

/// The treatment of abandoned branches in a [`Conversation`]. An abandoned branch was [rewound](Rewound), so the model
/// does not have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Branches {
    /// Abandoned branches are left out, as are the sub-agents that they started. Editors and programs that show a
    /// conversation as the model has it use this variant.
    Current,
    /// Every line is read, and the lines of abandoned branches have [numbers](ConversationItem::branch). Views that
    /// fold branches use this variant.
    Marked,
    /// Every line is read, and no line is marked. The transcript is read once, and not twice.
    All,
}

/// An iterator over the lines of a conversation in the order of the transcript, with or without abandoned branches and
/// sub-agents. Made by [`Session::conversation`].
///
/// The iterator returns each [record](crate::records) of a spliced line separately, notes beside the conversation, both
/// lines of a compaction (its boundary and its summary) and what preceded it, and lines that cannot be decoded. Blank
/// lines are left out. It ends at the length that the file had when it was opened. It is an error if the session's own
/// transcript cannot be read; after an error, the iterator ends.
///
/// One line is held in memory, and at most 17 files are open. With [`Branches::Current`] and [`Branches::Marked`], the
/// transcript is read twice. If there are abandoned branches, a few bytes for each line are also held in memory.
///
/// These readers do not use this iterator:
///
/// - [`Session::messages`] returns the conversation in the order in which the CLI resumes it, which is the order of the
///   chain, and not that of the file.
/// - [`Sessions::search`](crate::Sessions::search) and the usage of sessions read every line of many sessions, as with
///   [`Branches::All`]: an answer in an abandoned branch was paid for, and a person may search for it. They examine
///   lines as borrowed bytes and decode few of them, because they have to read thousands of sessions.
/// - `claw show` reads files of any form, also while they grow. It marks abandoned branches by [`Rewound`].
#[derive(Debug)]
pub struct Conversation {
    branches: Branches,
    rewound: Rewound,
    /// The transcripts that are being read, the innermost one last.
    open: Vec<Transcript>,
    agents: Agents,
    /// The branch of the session's last link.
    branch: Option<u32>,
    problems: Vec<Error>,
}

/// A transcript that is being read.
#[derive(Debug)]
struct Transcript {
    entries: Entries,
    depth: usize,
    /// The sub-agents that the last line has started.
    started: VecDeque<Agent>,
}

type Agent = (Subagent, Box<AgentMetadataEntry>);

/// The sub-agents whose transcripts were not read yet.
#[derive(Debug, Default)]
struct Agents {
    by_tool_use: BTreeMap<ToolUseId, Agent>,
    /// The sub-agents whose tool use is unknown, or has also started another sub-agent.
    others: Vec<Agent>,
}

/// A line of a [`Conversation`], or the beginning of a sub-agent.
#[derive(Debug, Clone)]
pub struct ConversationItem {
    content: Content,
    branch: Option<u32>,
    depth: usize,
}

#[derive(Debug, Clone)]
enum Content {
    Line(EntryLine),
    Subagent(Box<AgentMetadataEntry>),
}

impl Session {
    /// Reads the session's conversation.
    ///
    /// # Errors
    ///
    /// Fails with [`Error::Io`] if the transcript cannot be read.
    pub fn conversation(&self, branches: Branches) -> Result<Conversation, Error> {
        let rewound = match branches {
            Branches::All => Rewound::default(),
            Branches::Current | Branches::Marked => self.rewound()?,
        };
        let transcript = Transcript {
            entries: self.entries()?,
            depth: 0,
            started: VecDeque::new(),
        };
        Ok(Conversation {
            branches,
            rewound,
            open: vec![transcript],
            agents: Agents::default(),
            branch: None,
            problems: Vec::new(),
        })
    }
}

impl Conversation {
    /// Also reads the transcripts of the session's sub-agents, each after the tool use that started it. Sub-agents
    /// whose tool use is not found, or has also started another sub-agent, follow at the end. A sub-agent belongs to
    /// the branch of its tool use.
    #[must_use]
    pub fn with_subagents(mut self, session: &Session) -> Self {
        for agent in session.subagents().subagents {
            let metadata = Box::new(metadata(&agent));
            let other = match metadata.tool_use_id.clone() {
                Some(tool_use) => self.agents.by_tool_use.insert(tool_use, (agent, metadata)),
                None => Some((agent, metadata)),
            };
            self.agents.others.extend(other);
        }
        self
    }

    /// Returns the number of prompts in an abandoned branch. Returns 0 for a branch that has only answers.
    pub fn prompts(&self, branch: u32) -> u64 {
        self.rewound.prompts(branch)
    }

    /// Returns the errors of transcripts of sub-agents that could not be read completely, and forgets the errors.
    pub fn take_problems(&mut self) -> Vec<Error> {
        mem::take(&mut self.problems)
    }

    /// Opens the transcript of a sub-agent.
    fn open(&mut self, (agent, metadata): Agent, depth: usize) -> ConversationItem {
        match agent.entries() {
            Ok(entries) => self.open.push(Transcript {
                entries,
                depth,
                started: VecDeque::new(),
            }),
            Err(error) => self.problems.push(error),
        }
        ConversationItem {
            content: Content::Subagent(metadata),
            branch: self.branch,
            depth,
        }
    }
}

impl Iterator for Conversation {
    type Item = Result<ConversationItem, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(transcript) = self.open.last_mut() else {
                self.branch = None;
                let agent = self.agents.next()?;
                return Some(Ok(self.open(agent, 1)));
            };
            let depth = transcript.depth;
            if let Some(agent) = transcript.started.pop_front() {
                return Some(Ok(self.open(agent, depth + 1)));
            }
            let line = match transcript.entries.next() {
                Some(Ok(line)) if line.is_blank() => continue,
                Some(Ok(line)) => line,
                Some(Err(error)) if depth == 0 => {
                    self.open.clear();
                    self.agents = Agents::default();
                    return Some(Err(error));
                }
                end => {
                    self.problems.extend(end.and_then(Result::err));
                    self.open.pop();
                    continue;
                }
            };
            let started = if depth < DEEPEST {
                self.agents.started(&line)
            } else {
                VecDeque::new()
            };
            if depth == 0 {
                self.branch = self.rewound.branch_of(&line);
                if self.branches == Branches::Current && self.branch.is_some() {
                    continue;
                }
            }
            transcript.started = started;
            return Some(Ok(ConversationItem {
                content: Content::Line(line),
                branch: self.branch,
                depth,
            }));
        }
    }
}

impl std::iter::FusedIterator for Conversation {}

impl Rewound {
    /// Returns the number of the rewound branch to which a line belongs. Returns `None` if the line belongs to no such
    /// branch, or is a note.
    fn branch_of(&self, line: &EntryLine) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let uuid = Members::parse(line.raw()?)?.text("uuid")?.into_owned();
        self.branch(&uuid)
    }
}

impl Agents {
    /// Removes and returns the sub-agents that the tool uses of a line have started.
    fn started(&mut self, line: &EntryLine) -> VecDeque<Agent> {
        let raw = line.raw().unwrap_or_default();
        if self.by_tool_use.is_empty() || memchr::memmem::find(raw, b"\"tool_use\"").is_none() {
            return VecDeque::new();
        }
        let Ok(Entry::Assistant(answer)) = line.entry() else {
            return VecDeque::new();
        };
        let blocks = answer.message.content.iter();
        let started = blocks.filter_map(|block| match block {
            ContentBlock::ToolUse(tool) => self.by_tool_use.remove(&tool.id),
            _ => None,
        });
        started.collect()
    }

    /// Removes and returns a sub-agent whose tool use was not found.
    fn next(&mut self) -> Option<Agent> {
        let other = self.others.pop();
        other.or_else(|| self.by_tool_use.pop_first().map(|(_, agent)| agent))
    }
}

impl ConversationItem {
    /// Decodes the item. An item at which a sub-agent begins is its [`AgentMetadata`](Entry::AgentMetadata).
    ///
    /// # Errors
    ///
    /// Fails with [`LineError`] if the line is too long, is not a JSON object, or does not have the form of its kind.
    pub fn entry(&self) -> Result<Entry, LineError> {
        match &self.content {
            Content::Line(line) => line.entry(),
            Content::Subagent(metadata) => Ok(Entry::AgentMetadata(metadata.clone())),
        }
    }

    /// Returns the line. Returns `None` at the beginning of a sub-agent, whose data are in a separate file.
    pub fn line(&self) -> Option<&EntryLine> {
        match &self.content {
            Content::Line(line) => Some(line),
            Content::Subagent(_) => None,
        }
    }

    /// Returns the line, as [`line`](Self::line) does.
    pub fn into_line(self) -> Option<EntryLine> {
        match self.content {
            Content::Line(line) => Some(line),
            Content::Subagent(_) => None,
        }
    }

    /// Returns the number of the abandoned branch to which the item belongs. Items of one branch have one number. The
    /// numbers have no order. Returns `None` if the item was not abandoned, for notes, and with [`Branches::All`].
    pub fn branch(&self) -> Option<u32> {
        self.branch
    }

    /// Whether the item is a line of the session's own transcript, and not of a sub-agent's.
    pub fn is_own(&self) -> bool {
        self.depth == 0
    }
}

/// Reads the data that the CLI has written about a sub-agent in a separate file.
fn metadata(agent: &Subagent) -> AgentMetadataEntry {
    let value = agent.metadata().and_then(|json| json.to_value().ok());
    let text = |name: &str| Some(value.as_ref()?.get(name)?.as_str()?.to_owned());
    let mut metadata = AgentMetadataEntry::new(text("agentType").unwrap_or_default());
    metadata.description = text("description");
    metadata.tool_use_id = text("toolUseId").map(|id| ToolUseId::from(&*id));
    metadata
}

#[cfg(test)]
mod tests;
