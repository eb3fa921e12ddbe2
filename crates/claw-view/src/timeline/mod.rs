//! From messages to elements.

mod answer;
mod change;
mod entry;
mod heard;
mod host;
mod line;
mod media;
mod names;
mod notice;
mod said;
mod stream;
mod task;
mod tool;
mod wrapped;

pub use change::{Change, Elapsed, Elements, Growth};

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher as _, RandomState};

use claw_types::control::{ControlRequest, WorkspaceDiff};
use claw_types::message::UserMessage;
use claw_types::transcript::{AgentMetadataEntry, Entry};
use claw_types::{ApiMessageId, Message, MessageUuid, RequestId, StdoutMessage, ToolUseId};

use self::names::Names;

use crate::element::{Content, ContextCompaction, Element, ElementId, UnknownElement};
use crate::text::short_name;
use crate::{diff, text};

/// How many lines are remembered that may still be taken back.
const TAKEN_BACK: usize = 256;
/// How long a time as ISO 8601 can be.
const LONGEST_TIME: usize = 64;

/// Something that happens in a session.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Input<'a> {
    /// A line: one that `claude` writes, a prompt as a host writes it, one of a transcript, or one of an
    /// [older form](claw_types::dialect), such as the envelope of a wrapper with `id`, `timestamp` and
    /// `git_branch`. A line that nobody can read becomes an element that says so.
    Line(&'a str),
    /// A line that `claude` writes.
    Stdout(&'a StdoutMessage),
    /// The conversation among those.
    Message(&'a Message),
    /// What a host says to `claude`. Its `uuid` should be set: what is written back is then known to be
    /// the same.
    Prompt(&'a UserMessage),
    /// A line of a transcript.
    Entry(&'a Entry),
    /// What a host asks `claude`: of an interrupt an element is made, as of [`Input::Interruption`], and of
    /// `get_workspace_diff` when the answer comes among what `claude` writes.
    Request(&'a ControlRequest),
    /// What `git diff` prints.
    GitDiff(&'a str),
    /// What `claude` answers to `get_workspace_diff`, for who asks by a session's method.
    WorkspaceDiff(&'a WorkspaceDiff),
    /// The person interrupts. When the CLI says so as well, that is the same element.
    Interruption,
}

/// Puts elements out of what happens, live or from a transcript.
///
/// Of a message of which a part is known already (an answer that grew before its line came, a prompt
/// that is written back) the element changes; a line that was seen before changes nothing.
///
/// What nobody should read is left out: caveats, what the CLI says to the model in the person's name
/// (`isMeta`, `isSynthetic`), such as that it should go on. Interruptions, summaries, ends of tasks and
/// what hooks say to the model are never left out.
///
/// It holds what may still change: what grows, tools that run, tasks. What is done it forgets but for a
/// few bytes each. Who wants to keep all elements has [`Elements`].
///
/// ```
/// use claw_view::{Elements, Input, Timeline};
///
/// let mut timeline = Timeline::default();
/// let mut elements = Elements::default();
/// for line in [
///     r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1",
///         "name":"Bash","input":{"command":"go test ./..."}}]}}"#,
///     r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result",
///         "tool_use_id":"toolu_1","content":"PASS"}]}}"#,
/// ] {
///     for change in timeline.push(Input::Line(line)) {
///         elements.apply(change);
///     }
/// }
/// let kinds: Vec<_> = elements.iter().map(|element| element.kind()).collect();
/// assert_eq!(kinds, ["toolCall", "toolResult"]);
/// ```
#[derive(Debug, Default)]
pub struct Timeline {
    /// What has changed and was not handed out yet.
    changes: Vec<Change>,
    /// How many inputs there were: names what has no name.
    inputs: u64,
    /// The ids that were given.
    ids: Names,
    /// Hashes of the names of the lines that were read; keyed, so that nobody can choose two names that are
    /// taken for one.
    lines: HashSet<u64>,
    hasher: RandomState,
    /// The answer that grows.
    growing: Option<stream::Growing>,
    /// How many blocks the newest answer of each speaker has.
    blocks: HashMap<Option<ToolUseId>, (ApiMessageId, u64)>,
    /// Tools that have given no result yet.
    tools: HashMap<ToolUseId, tool::Call>,
    /// Sub-agents and tasks that run, by task; sub-agents of which no task is known, by tool use.
    tasks: HashMap<String, Element>,
    agents: HashMap<ToolUseId, Element>,
    /// The tools that the turn has used itself.
    turn_tools: Vec<ToolUseId>,
    /// The command that runs as an agent in the turn, by the name that its messages give as their parent.
    forked_command: Option<ToolUseId>,
    /// What transcripts know of agents, and of the one that comes next.
    introduced: Option<AgentMetadataEntry>,
    metadata: HashMap<String, AgentMetadataEntry>,
    /// A summary that is still to come.
    compaction: Option<Element>,
    /// An interruption that the CLI has not confirmed yet.
    interruption: Option<Element>,
    /// The CLI has said in this turn that the person interrupted.
    is_interrupted: bool,
    /// Questions of the host for the changes of the workspace.
    diffs: HashSet<RequestId>,
    /// The notice that the API is asked again.
    retry: Option<Element>,
    /// How many blocks nobody should read.
    left_out: u64,
    /// What the next result may repeat.
    heard: heard::Heard,
    /// What the newest lines were made into.
    made: VecDeque<(MessageUuid, Vec<ElementId>)>,
}

/// What is known of the line that elements are made from.
#[derive(Debug, Clone, Default)]
struct Place {
    parent: Option<ToolUseId>,
    message: Option<MessageUuid>,
    timestamp: Option<String>,
}

impl Place {
    /// A line by its speaker, its name and its time. Names that are too long are shortened, for every
    /// element of the line repeats them, and so long a time is none.
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

    /// What was said by a line of that name, in the main conversation.
    fn of(message: &MessageUuid) -> Self {
        Self::new(None, Some(message), None)
    }

    /// An element of that line.
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

impl Timeline {
    /// Takes in what happens, and gives what changes for it, in order. Cannot fail: what makes no sense
    /// is shown as it came.
    pub fn push(&mut self, input: Input<'_>) -> Vec<Change> {
        self.inputs += 1;
        match input {
            Input::Line(line) => self.line(line),
            Input::Stdout(message) => self.stdout(message),
            Input::Message(message) => self.message(message),
            Input::Prompt(prompt) => self.user(prompt),
            Input::Entry(entry) => self.entry(entry),
            Input::Request(request) => self.asked(request),
            Input::GitDiff(text) => self.changed(diff::git(text)),
            Input::WorkspaceDiff(changed) => self.changed(diff::workspace(changed)),
            Input::Interruption => self.interrupt(),
        }
        self.heard.hear(&self.changes);
        std::mem::take(&mut self.changes)
    }

    /// How many content blocks were left out so far, for nobody should read them.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    fn stdout(&mut self, message: &StdoutMessage) {
        match message {
            StdoutMessage::Message(message) => self.message(message),
            StdoutMessage::ControlRequest(request) => self.asked(request),
            StdoutMessage::ControlResponse(answer) => self.answered(answer),
            _ => {}
        }
    }

    fn message(&mut self, message: &Message) {
        match message {
            // What a person said may come again, and differ; events are not told again.
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
                &Place::of(&boundary.uuid),
                Some(boundary.compact_metadata.trigger.as_str()),
                Some(boundary.compact_metadata.pre_tokens.get()),
                boundary.compact_metadata.post_tokens.map(u64::from),
            ),
            Message::ToolProgress(progress) => self.tool_progress(progress),
            Message::TaskStarted(task) => self.task_started(task),
            Message::TaskProgress(task) => self.task_progress(task),
            Message::TaskUpdated(task) => self.task_updated(task),
            Message::TaskNotification(task) => self.task_notification(task),
            Message::Unknown(unknown) => {
                let from = Place::default();
                self.unknown(&from, &unknown.kind(), unknown.json().as_raw(), None);
            }
            other => self.notice_of(other),
        }
    }

    /// Whether a line of that name was read before; from now on it was.
    fn is_known_line(&mut self, uuid: &MessageUuid) -> bool {
        !self.lines.insert(self.hasher.hash_one(uuid))
    }

    /// An element that is new. Where the id was given before, to something else, it gets another one.
    fn add(&mut self, from: &Place, id: String, content: Content) -> Element {
        let element = from.element(self.ids.give(id), content);
        self.remember(&element);
        self.changes.push(Change::Added(Box::new(element.clone())));
        element
    }

    /// An element that is new, or changes where that id was given before.
    fn put(&mut self, from: &Place, id: String, content: Content) -> Element {
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

    /// Remembers what a line was made into, for a while.
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

    /// Takes back what a line was made into.
    fn take_back(&mut self, message: &MessageUuid) {
        let is_it = |made: &(MessageUuid, _)| made.0 == *message;
        let Some(at) = self.made.iter().position(is_it) else {
            return;
        };
        for id in self.made.remove(at).into_iter().flat_map(|(_, ids)| ids) {
            self.remove(id);
        }
    }

    /// A name for what has none.
    fn nameless(&self, what: &str) -> String {
        format!("{what}.{}", self.inputs)
    }

    fn name(&self, from: &Place, what: &str) -> String {
        match &from.message {
            Some(uuid) => uuid.as_str().to_owned(),
            None => self.nameless(what),
        }
    }

    /// A summary is to come.
    fn boundary(
        &mut self,
        from: &Place,
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
        };
        let id = self.name(from, "compaction");
        let element = self.add(from, id, Content::ContextCompaction(compaction));
        self.compaction = Some(element);
    }

    fn unknown(&mut self, from: &Place, kind: &str, text: &str, error: Option<String>) {
        let kind = if kind.is_empty() { "unknown" } else { kind };
        let content = UnknownElement {
            kind: text::one_line(kind),
            text: text.to_owned(),
            error,
        };
        self.add(from, self.nameless("unknown"), Content::Unknown(content));
    }
}
