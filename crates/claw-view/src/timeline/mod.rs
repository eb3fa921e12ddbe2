//! Converts messages to elements.

mod answer;
mod change;
#[cfg(feature = "lines")]
mod entry;
mod host;
#[cfg(feature = "lines")]
mod line;
mod media;
mod names;
mod notice;
#[cfg(feature = "lines")]
mod rewound;
#[cfg(feature = "lines")]
mod screen;
mod seen_texts;
mod stream;
mod task;
mod tool;
mod user_text;
mod wrapped;

pub use change::{Change, Elapsed, Elements, Growth};
pub(crate) use notice::turn_end;
pub use task::agent_element;
pub(crate) use user_text::interruption;

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher as _, RandomState};

use claw_types::control::{ControlRequest, WorkspaceDiff};
use claw_types::message::UserMessage;
#[cfg(feature = "lines")]
use claw_types::transcript::{AgentMetadataEntry, Entry};
use claw_types::{ApiMessageId, Message, MessageUuid, RequestId, StdoutMessage, ToolUseId};

use self::names::Names;

use crate::element::{Content, ContextCompaction, Element, ElementId, Task, UnknownElement};
use crate::text::short_name;
use crate::{diff, text};

/// The number of messages for which the IDs of their elements are stored. Only the elements of these newest messages
/// can be retracted.
const TAKEN_BACK: usize = 256;
/// The maximum length of a time in ISO 8601.
const LONGEST_TIME: usize = 64;

/// An event of a session, which is an input of a [`Timeline`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Input<'a> {
    /// A line of text. It can be a line that `claude` writes, a prompt as the host (the program that runs `claude`)
    /// writes it, or an entry of a transcript. It can also be a line in an [older form](claw_types::dialect) of the
    /// protocol, such as a wrapper's envelope with `id`, `timestamp` and `git_branch`. A line that cannot be read
    /// becomes an element that shows the line and the reason.
    #[cfg(feature = "lines")]
    Line(&'a str),
    /// A line that `claude` writes to its stdout.
    Stdout(&'a StdoutMessage),
    /// A message that `claude` writes. Unlike `Stdout`, it is never a control request or response.
    Message(&'a Message),
    /// A prompt that the host (the program that runs `claude`) sends to `claude`. Set its `uuid`, so that the timeline
    /// recognises the prompt when `claude` replays it.
    Prompt(&'a UserMessage),
    /// An entry of a transcript.
    #[cfg(feature = "lines")]
    Entry(&'a Entry),
    /// An entry of a transcript that was rewound, and the number of its branch. Consecutive entries of the same branch
    /// become one [element](crate::element::RewoundBranch), which is added before the next input that does not belong
    /// to the branch.
    #[cfg(feature = "lines")]
    Rewound(&'a Entry, u32),
    /// A control request of the host (the program that runs `claude`) to `claude`. An `interrupt` request becomes the
    /// same element as [`Input::Interruption`]. A `get_workspace_diff` request becomes an element when the timeline
    /// gets the response of `claude`.
    Request(&'a ControlRequest),
    /// The output of `git diff`.
    GitDiff(&'a str),
    /// The response to `get_workspace_diff`. Use this variant if your program gets the response as the return value of
    /// a method.
    WorkspaceDiff(&'a WorkspaceDiff),
    /// An interruption of the turn by the user. If the CLI reports the same interruption, the timeline makes only one
    /// element for both.
    Interruption,
    /// The end of the process of `claude`, or of a transcript that no process continues. Sub-agents and tasks that
    /// were running are then shown as stopped.
    ProcessEnded,
    /// The end of a turn that has no result, because its process has ended. Tools that have no result are then shown as
    /// interrupted.
    TurnCut,
    /// A notice that the host (the program that runs `claude`) itself writes. For example, the host could not show a
    /// request of `claude`. The notice becomes an element with a warning.
    Notice(&'a str),
}

/// Turns the events of a session into elements to draw. The events come from a running session or from a transcript.
#[derive(Debug, Default)]
pub struct Timeline {
    /// The changes that have not been returned yet.
    changes: Vec<Change>,
    /// The number of inputs so far. If an event has no ID, this number is part of its element's ID.
    inputs: u64,
    /// The IDs of elements that are in use.
    ids: Names,
    /// Hashes of the UUIDs of messages that were read. The hashes use a random key, so that no one can construct UUIDs
    /// with the same hash.
    lines: HashSet<u64>,
    hasher: RandomState,
    /// The response that is streaming.
    growing: Option<stream::Growing>,
    /// The newest response in the main conversation and in each sub-agent, and the number of its blocks.
    blocks: HashMap<Option<ToolUseId>, (ApiMessageId, u64)>,
    /// The tool uses without a result.
    tools: HashMap<ToolUseId, tool::Call>,
    /// The elements of the running sub-agents and tasks. The keys of `tasks` are the IDs of tasks. Sub-agents whose
    /// task is unknown are in `agents`, whose keys are the tool uses that started them.
    tasks: HashMap<String, Element>,
    agents: HashMap<ToolUseId, Element>,
    /// The commands for which the turn waits. The keys are the IDs of their tasks. When a command moves to the
    /// background, an element is made from its value.
    foreground: HashMap<String, (MessageUuid, ToolUseId, Task)>,
    /// The tool uses in the current turn of the main conversation.
    turn_tools: Vec<ToolUseId>,
    /// The slash command that runs as an agent in the current turn. This is the ID that its messages have as their
    /// parent.
    forked_command: Option<ToolUseId>,
    /// The metadata of sub-agents from transcripts. The keys are the IDs of the sub-agents. `introduced` is metadata
    /// that was read last. It is not known yet to which sub-agent it belongs, because the entries of the sub-agent
    /// follow.
    #[cfg(feature = "lines")]
    introduced: Option<AgentMetadataEntry>,
    #[cfg(feature = "lines")]
    metadata: HashMap<String, AgentMetadataEntry>,
    /// The rewound branch that is being read.
    #[cfg(feature = "lines")]
    branch: Option<Box<rewound::Branch>>,
    /// A compaction for which the summary has not been received yet.
    compaction: Option<Element>,
    /// An interruption that the CLI has not confirmed yet.
    interruption: Option<Element>,
    /// Whether the CLI has already reported an interruption by the user in this turn.
    is_interrupted: bool,
    /// The IDs of the host's requests for the workspace diff that have no response yet.
    diffs: HashSet<RequestId>,
    /// The notice about a retry of an API request.
    retry: Option<Element>,
    /// The last notice about MCP servers that are not connected. Empty if all servers were connected when the last turn
    /// began.
    servers: String,
    /// The number of content blocks that are not shown, because they are only for the model.
    left_out: u64,
    /// The texts that were shown. If the next result repeats one of them, it is not shown again.
    seen_texts: seen_texts::SeenTexts,
    /// The IDs of the elements that were made from the newest messages.
    made: VecDeque<(MessageUuid, Vec<ElementId>)>,
}

/// The message from which elements are made.
#[derive(Debug, Clone, Default)]
struct Origin {
    parent: Option<ToolUseId>,
    message: Option<MessageUuid>,
    timestamp: Option<String>,
}

impl Origin {
    /// Creates an origin from the parent (the tool use that started the sub-agent), the UUID and the time of a message.
    /// If an ID is too long, it is shortened, because every element of the message contains it. If the time is too
    /// long, it is dropped.
    fn new(
        parent: Option<&ToolUseId>,
        message: Option<&MessageUuid>,
        timestamp: Option<&str>,
    ) -> Self {
        let is_time = |time: &&str| time.len() <= LONGEST_TIME;
        Self {
            parent: parent.map(|id| ToolUseId::from(&*short_name(id.as_str()))),
            message: message.map(|id| MessageUuid::from(&*short_name(id.as_str()))),
            timestamp: timestamp.filter(is_time).map(str::to_owned),
        }
    }

    /// Creates the origin for a message in the main conversation.
    fn of(message: &MessageUuid) -> Self {
        Self::new(None, Some(message), None)
    }

    /// Creates an element for this message.
    fn element(&self, id: String, content: Content) -> Element {
        Element {
            id: ElementId::new(id),
            parent: self.parent.clone(),
            message: self.message.clone(),
            timestamp: self.timestamp.clone(),
            content,
        }
    }
}

/// Whether a rewound branch ends at this input. An entry that is not part of the transcript's chain does not end a
/// branch.
#[cfg(feature = "lines")]
fn ends_branch(input: &Input<'_>) -> bool {
    match input {
        Input::Rewound(..) => false,
        Input::Entry(entry) => entry.is_link(),
        _ => true,
    }
}

impl Timeline {
    /// Handles an event. Returns the resulting changes of the elements, in order. The method cannot fail. If the
    /// timeline cannot interpret an input, it shows the input as it was received.
    pub fn push(&mut self, input: Input<'_>) -> Vec<Change> {
        self.inputs += 1;
        #[cfg(feature = "lines")]
        if ends_branch(&input) {
            self.end_branch();
        }
        match input {
            #[cfg(feature = "lines")]
            Input::Line(line) => self.line(line),
            Input::Stdout(message) => self.stdout(message),
            Input::Message(message) => self.message(message),
            Input::Prompt(prompt) => self.user(prompt),
            #[cfg(feature = "lines")]
            Input::Entry(entry) => self.entry(entry),
            #[cfg(feature = "lines")]
            Input::Rewound(entry, branch) => self.rewound_entry(entry, branch),
            Input::Request(request) => self.control_request(request),
            Input::GitDiff(text) => self.file_changes(diff::git(text)),
            Input::WorkspaceDiff(changed) => self.file_changes(diff::workspace(changed)),
            Input::Interruption => self.interrupt(),
            Input::ProcessEnded => self.process_ended(),
            Input::TurnCut => self.tools_cut_short(),
            Input::Notice(text) => self.host_notice(text),
        }
        self.seen_texts.remember(&self.changes);
        std::mem::take(&mut self.changes)
    }

    /// Returns the remaining changes at the end of the input. If the last inputs were entries of a rewound branch, this
    /// adds the element of the branch. Call this method at the end of a transcript, unless [`Input::ProcessEnded`]
    /// follows.
    #[cfg(feature = "lines")]
    pub fn end_of_input(&mut self) -> Vec<Change> {
        self.end_branch();
        std::mem::take(&mut self.changes)
    }

    /// Returns the number of content blocks that are not shown, because they are only for the model.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    fn stdout(&mut self, message: &StdoutMessage) {
        match message {
            StdoutMessage::Message(message) => self.message(message),
            StdoutMessage::ControlRequest(request) => self.control_request(request),
            StdoutMessage::ControlResponse(answer) => self.control_response(answer),
            _ => {}
        }
    }

    fn message(&mut self, message: &Message) {
        match message {
            // A prompt may be replayed with changes. So user messages are handled before the check for repeated
            // messages.
            Message::User(message) => return self.user(message),
            Message::UserReplay(message) => return self.replay(message),
            Message::StreamEvent(event) => return self.stream_event(event),
            _ => {}
        }
        if message.uuid().is_some_and(|uuid| self.is_known_line(uuid)) {
            return;
        }
        match message {
            Message::Assistant(message) => self.assistant(message),
            Message::CompactBoundary(boundary) => self.boundary(
                &Origin::of(&boundary.uuid),
                Some(boundary.compact_metadata.trigger.as_str()),
                Some(boundary.compact_metadata.pre_tokens.get()),
                boundary.compact_metadata.post_tokens.map(u64::from),
            ),
            Message::ToolProgress(progress) => self.tool_progress(progress),
            Message::TaskStarted(task) => self.task_started(task),
            Message::TaskProgress(task) => self.task_progress(task),
            Message::TaskUpdated(task) => self.task_updated(task),
            Message::TaskNotification(task) => self.task_notification(task),
            Message::Unknown(unknown) => self.unknown_message(unknown),
            other => self.notice_of(other),
        }
    }

    /// Returns whether a message with this UUID was already read, and remembers the UUID.
    fn is_known_line(&mut self, uuid: &MessageUuid) -> bool {
        !self.lines.insert(self.hasher.hash_one(uuid))
    }

    /// Adds a new element. If the ID is already in use, the element gets another ID.
    fn add(&mut self, from: &Origin, id: String, content: Content) -> Element {
        let element = from.element(self.ids.assign(id), content);
        self.remember(&element);
        self.changes.push(Change::Added(Box::new(element.clone())));
        element
    }

    /// Updates the element with this ID. If there is no such element, adds a new one.
    fn put(&mut self, from: &Origin, id: String, content: Content) -> Element {
        if !self.ids.has(&id) {
            return self.add(from, id, content);
        }
        let element = from.element(id, content);
        self.update(&element);
        element
    }

    fn update(&mut self, element: &Element) {
        self.changes
            .push(Change::Updated(Box::new(element.clone())));
    }

    fn remove(&mut self, id: ElementId) {
        self.ids.free(id.as_str());
        self.changes.push(Change::Removed(id));
    }

    /// Remembers from which message an element was made. Only a limited number of messages is remembered.
    fn remember(&mut self, element: &Element) {
        let Some(message) = &element.message else {
            return;
        };
        match self.made.back_mut() {
            Some((last, ids)) if last == message => ids.push(element.id.clone()),
            _ => {
                self.made
                    .push_back((message.clone(), vec![element.id.clone()]));
                if self.made.len() > TAKEN_BACK {
                    self.made.pop_front();
                }
            }
        }
    }

    /// Removes the elements that were made from a message.
    fn take_back(&mut self, message: &MessageUuid) {
        let is_it = |made: &(MessageUuid, _)| made.0 == *message;
        let Some(at) = self.made.iter().position(is_it) else {
            return;
        };
        for id in self.made.remove(at).into_iter().flat_map(|(_, ids)| ids) {
            self.remove(id);
        }
    }

    /// Returns an ID for an element whose event has no ID.
    fn nameless(&self, what: &str) -> String {
        format!("{what}.{}", self.inputs)
    }

    fn name(&self, from: &Origin, what: &str) -> String {
        match &from.message {
            Some(uuid) => uuid.as_str().to_owned(),
            None => self.nameless(what),
        }
    }

    /// Handles the message that marks the position of a compaction. The summary follows in another message.
    fn boundary(
        &mut self,
        from: &Origin,
        trigger: Option<&str>,
        tokens_before: Option<u64>,
        tokens_after: Option<u64>,
    ) {
        let compaction = ContextCompaction {
            summary: None,
            shown: None,
            trigger: trigger.map(str::to_owned),
            tokens_before,
            tokens_after,
            part: None,
        };
        let id = self.name(from, "compaction");
        let element = self.add(from, id, Content::ContextCompaction(compaction));
        self.compaction = Some(element);
    }

    fn unknown(&mut self, from: &Origin, kind: &str, text: &str, error: Option<String>) {
        let kind = if kind.is_empty() { "unknown" } else { kind };
        let content = UnknownElement {
            kind: text::one_line(kind),
            text: text.to_owned(),
            error,
        };
        self.add(from, self.nameless("unknown"), Content::Unknown(content));
    }
}
