//! A live conversation: everything that its viewers see. It performs no I/O, reads no clock and starts no tasks.

mod asked;
mod background;
mod cut;
mod event;
mod form;
mod meter;
mod moment;
mod queue;
mod request;
mod state;
mod tasks;
#[cfg(test)]
mod tests;
mod waiting;
mod waits;

use std::collections::VecDeque;
use std::sync::Arc;

use claw_sessions::Prices;
use claw_types::api::ContentBlock;
use claw_types::message::UserMessage;
use claw_types::transcript::{Attachment, Entry};
use claw_types::{Message, MessageUuid, SessionId};
use claw_view::element::Content;
use claw_view::progress::Tracker;
use claw_view::wrapper::{Translator, TurnEnded, WrapperMessage};
use claw_view::{Change, Elements, Input, SessionFolders, Timeline};
use serde::{Deserialize, Serialize};

pub use asked::{Asked, Reply};
pub use event::{Event, EventKind};
pub(crate) use form::DIALOGS;
pub use form::{Choice, Field, FieldError, FieldKind, Form, FormContent, TextFormat};
pub(crate) use moment::{Moment, Position};
pub(crate) use queue::PromptParts;
pub use request::{Answer, AnswerError, Answered, Decision, Pending, RequestKind, ToolAsked};
pub use state::{Phase, State, TurnUsage, Unanswered};
pub(crate) use waiting::is_same_use;
pub use waits::{WaitKind, WaitsFor};

use crate::worktree::Worktree;
use background::Background;
use event::Log;
use meter::Meter;
use tasks::RunningTasks;
use waiting::Waiting;
use waits::RunningHooks;

/// Maximum number of prompts whose UUIDs are remembered, so that no prompt is sent twice.
const MOST_PROMPTS: usize = 1024;
/// Maximum length of the part of a prompt that is used as a title, in characters.
const LONGEST_TITLE: usize = 200;

/// A live conversation: its elements, the requests that wait for an answer, its state, and the log of its events.
#[derive(Debug)]
pub struct Conversation {
    session: SessionId,
    epoch: String,
    log: Log,
    timeline: Timeline,
    elements: Elements,
    tracker: Tracker,
    wrapper: Translator,
    pending: Vec<Waiting>,
    answered: VecDeque<Answered>,
    /// The ID of the deferred request. A deferred request waits without a process.
    deferred: Option<String>,
    /// The ID of a request that was deferred, and that a new process has repeated. It waits with this process.
    asked_again: Option<String>,
    prompts: VecDeque<MessageUuid>,
    state: State,
    /// Whether a process is being started.
    is_starting: bool,
    /// Whether a process runs a turn.
    is_running: bool,
    /// The work that the process does without a prompt.
    background: Background,
    /// The tokens and the cost.
    meter: Meter,
    /// The running sub-agents and tasks.
    running_tasks: RunningTasks,
    /// The running hooks.
    hooks: RunningHooks,
    /// The current folder of the session, as reported by the CLI.
    directory: Option<String>,
    /// The folders of the session, as reported by the CLI.
    folders: SessionFolders,
    /// The most recently serialized data of the event `reset`.
    reset: Option<Reset>,
    is_closed: bool,
    /// Whether the transcript records the worktree of the session, or records that the session has none.
    is_worktree_recorded: bool,
}

/// The serialized data of an event `reset`, and its position in the log.
#[derive(Debug)]
struct Reset {
    position: Position,
    data: Arc<str>,
}

/// Everything that a viewer needs to begin: the data of the event `reset`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Snapshot<'a> {
    /// The ID of the session. It differs from the requested ID if the conversation has continued under another one.
    pub session: &'a str,
    /// The elements of the conversation, in order.
    pub elements: Vec<&'a claw_view::Element>,
    /// The requests that wait for an answer, oldest first.
    pub requests: Vec<&'a Pending>,
    /// The state of the session.
    pub state: &'a State,
}

/// The data of the event `moved`: the conversation continues under another ID, as after `/clear`. The messages until
/// then stay under the earlier ID.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "SessionMoved"))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Moved {
    /// The session's earlier ID.
    pub from: String,
    /// The session's new ID.
    pub session: String,
}

/// The events, or the new state, that a viewer of a conversation gets next.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Next {
    /// The next events, oldest first. The list is empty if the viewer already has all events.
    Events(Vec<Event>),
    /// The current state of the conversation. Contains the number of the newest event that the state includes, and the
    /// data of the event `reset`. A viewer gets the state if it has no events yet, or if the log no longer contains all
    /// events that the viewer lacks. Further events may follow at once.
    Reset(u64, Arc<str>),
}

impl Conversation {
    /// Creates the conversation of this session. `epoch` distinguishes it from earlier conversations of the same
    /// session. `log` is the maximum size of the log of events, in bytes.
    pub fn new(session: SessionId, epoch: String, log: usize) -> Self {
        Self {
            session,
            epoch,
            log: Log::new(log),
            timeline: Timeline::default(),
            elements: Elements::default(),
            tracker: Tracker::new(),
            wrapper: Translator::default(),
            pending: Vec::new(),
            answered: VecDeque::new(),
            deferred: None,
            asked_again: None,
            prompts: VecDeque::new(),
            state: State::default(),
            is_starting: false,
            is_running: false,
            background: Background::default(),
            meter: Meter::default(),
            running_tasks: RunningTasks::default(),
            hooks: RunningHooks::default(),
            directory: None,
            folders: SessionFolders::default(),
            reset: None,
            is_closed: false,
            is_worktree_recorded: false,
        }
    }

    /// Sets the prices at which the cost of a running turn is estimated. Default: [`Prices::shipped`].
    pub fn set_prices(&mut self, prices: Arc<Prices>) {
        self.meter.set_prices(prices);
    }

    /// Returns the text that distinguishes this conversation from earlier ones of the same session.
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Returns the ID of the session.
    pub(crate) fn session(&self) -> &str {
        self.session.as_str()
    }

    /// Returns the number of the newest event.
    pub fn newest(&self) -> u64 {
        self.log.newest()
    }

    /// Returns the title, or the beginning of the first prompt if there is no title.
    pub(crate) fn title(&self) -> Option<String> {
        let prompt = || {
            self.elements
                .iter()
                .find_map(|element| match &element.content {
                    Content::UserInput(input) => {
                        Some(input.text.trim().chars().take(LONGEST_TITLE).collect())
                    }
                    _ => None,
                })
        };
        self.state.title.clone().or_else(prompt)
    }

    /// Returns the beginning of the newest prompt of a person. Returns `None` if there is no prompt with text.
    pub(crate) fn last_prompt(&self) -> Option<String> {
        let mut newest = self.elements.iter().rev();
        newest.find_map(|element| match &element.content {
            Content::UserInput(input) if element.parent.is_none() => {
                Some(input.text.trim().chars().take(LONGEST_TITLE).collect())
            }
            _ => None,
        })
    }

    /// Returns the elements of the conversation.
    pub fn elements(&self) -> &Elements {
        &self.elements
    }

    /// Returns the folders of the session. Clones share the same folders.
    pub(crate) fn folders(&self) -> &SessionFolders {
        &self.folders
    }

    /// Returns the state of the conversation.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Whether the conversation was closed.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Returns what a viewer gets next: at most `most` events, or the current state. `after` is the number of the last
    /// event that the viewer has. `None` means that the viewer has no events.
    pub fn next(&mut self, after: Option<u64>, most: usize) -> Next {
        if let Some(events) = self.events_after(after, most) {
            return Next::Events(events);
        }
        // The data that was serialized for an earlier viewer is reused if the log contains the events after it. So the
        // conversation is not serialized again for each new viewer, even if it changes often.
        if let Some(reset) = &self.reset
            && self.is_near(&reset.position, reset.data.len())
        {
            return Next::Reset(reset.position.number, reset.data.clone());
        }
        let position = self.position();
        let newest = position.number;
        let snapshot = Snapshot {
            session: self.session.as_str(),
            elements: self.elements.iter().collect(),
            requests: self.requests().collect(),
            state: &self.state,
        };
        let data: Arc<str> = json(&snapshot).into();
        self.reset = Some(Reset {
            position,
            data: data.clone(),
        });
        Next::Reset(newest, data)
    }

    /// Adds an entry of the session's transcript. Call this method before any other method that changes the
    /// conversation. Viewers get no event about this change.
    pub fn history(&mut self, entry: &Entry) {
        match entry {
            Entry::User(entry) if !is_result(&entry.message.content) => {
                let uuid = entry.sent_as_uuid.as_ref().unwrap_or(&entry.uuid);
                push_bounded(&mut self.prompts, uuid.clone(), MOST_PROMPTS);
            }
            Entry::Attachment(entry) => {
                if let Attachment::QueuedCommand(queued) = &entry.attachment
                    && let Some(uuid) = &queued.source_uuid
                {
                    push_bounded(&mut self.prompts, uuid.clone(), MOST_PROMPTS);
                }
            }
            Entry::WorktreeState(entry) => {
                let record = entry.worktree_session.as_ref();
                self.state.worktree = record.and_then(Worktree::recorded);
                self.is_worktree_recorded = true;
            }
            _ => {}
        }
        self.elements
            .extend(self.timeline.push(Input::Entry(entry)));
    }

    /// Adds an entry of the session's transcript that was rewound. `branch` is the number of the entry's branch. The
    /// rules of [`history`](Self::history) apply.
    pub fn rewound_history(&mut self, entry: &Entry, branch: u32) {
        self.elements
            .extend(self.timeline.push(Input::Rewound(entry, branch)));
    }

    /// Whether the transcript records the worktree of the session, or records that the session has none. The transcript
    /// of a copy records neither.
    pub(crate) fn is_worktree_recorded(&self) -> bool {
        self.is_worktree_recorded
    }

    /// Adds a line of the session's transcript that cannot be read. `line` is the beginning of its text. The rules of
    /// [`history`](Self::history) apply.
    pub fn unreadable_history(&mut self, line: &str) {
        self.elements.extend(self.timeline.push(Input::Line(line)));
    }

    /// Adds a notice of this server after the transcript entries that were added so far. The rules of
    /// [`history`](Self::history) apply.
    pub fn history_notice(&mut self, text: &str) {
        self.elements
            .extend(self.timeline.push(Input::Notice(text)));
    }

    /// Records that the transcript has no further entries. Sub-agents and tasks without an end in the transcript are
    /// then shown as stopped. Viewers get no event about this change.
    pub fn history_ended(&mut self) {
        self.elements
            .extend(self.timeline.push(Input::ProcessEnded));
    }

    /// Whether a prompt with this UUID was already accepted, in this conversation or in the session's earlier
    /// transcript. Such a prompt is not sent again.
    pub fn is_known(&self, uuid: &MessageUuid) -> bool {
        self.prompts.contains(uuid)
    }

    /// Forgets the UUID of a prompt that was not sent, so that the prompt can be sent again.
    pub fn forget(&mut self, uuid: &MessageUuid) {
        self.prompts.retain(|known| known != uuid);
    }

    /// Adds a prompt that is about to be sent. Returns `false` if its UUID is already known. The caller must not send
    /// the prompt then.
    pub fn prompt(&mut self, prompt: &UserMessage) -> bool {
        if let Some(uuid) = &prompt.uuid {
            if self.is_known(uuid) {
                return false;
            }
            push_bounded(&mut self.prompts, uuid.clone(), MOST_PROMPTS);
            let unanswered = &mut self.state.unanswered;
            unanswered.retain(|cut| cut.uuid != uuid.as_str());
        }
        self.show(Input::Prompt(prompt));
        self.enqueue(prompt);
        self.state.queued += 1;
        self.state.error = None;
        self.update_phase();
        true
    }

    /// Records that the conversation has continued under another ID.
    pub fn moved(&mut self, to: &SessionId) {
        let from = std::mem::replace(&mut self.session, to.clone());
        let moved = Moved {
            from: from.as_str().to_owned(),
            session: to.as_str().to_owned(),
        };
        self.log.push(EventKind::Moved, json(&moved));
        self.set(|state| state.title = None);
    }

    /// Sets the cost that the session already had when this server opened it, in US dollars. If `is_estimate` is `true`, a
    /// part of this cost is an estimate. Viewers get no event about this change.
    pub fn cost_before(&mut self, cost_usd: f64, is_estimate: bool) {
        self.meter.begin(cost_usd, is_estimate);
        self.meter.write(&mut self.state);
    }

    /// Records that the next messages come from a new process.
    pub fn process_started(&mut self) {
        self.process_ended();
    }

    /// Records that the process has ended. Its background tasks have ended with it.
    pub fn process_ended(&mut self) {
        self.background = Background::default();
        self.hooks = RunningHooks::default();
        self.show(Input::ProcessEnded);
        self.meter.process_ended();
        self.update(|this| {
            this.meter.write(&mut this.state);
            this.write_background();
        });
    }

    /// Records that a process is being started for the waiting prompts. Does nothing if no prompt waits, or if a
    /// process already runs a turn.
    pub fn starting(&mut self) {
        if self.state.queued > 0 && !self.is_running {
            self.is_starting = true;
            self.update_phase();
        }
    }

    /// Records that a process has begun to work on a prompt.
    pub fn started(&mut self) {
        self.is_starting = false;
        self.is_running = true;
        self.hooks = RunningHooks::default();
        self.update_phase();
    }

    /// Records the time until which prompts wait for the reset of a usage limit, in milliseconds since 1970. `None`
    /// means that no prompt waits for a reset. `is_running` is `true` if a turn of another prompt runs.
    pub(crate) fn limited(&mut self, until: Option<f64>, is_running: bool) {
        self.is_running = is_running;
        self.state.limited_until = until;
        self.update_phase();
    }

    /// Records that a turn has ended. If the turn failed, `error` is the reason.
    pub fn ended(&mut self, error: Option<String>) {
        self.state.queued = self.state.queued.saturating_sub(1);
        self.is_running &= self.state.queued > 0;
        self.is_starting &= self.state.queued > 0;
        if error.is_some() && !self.is_running {
            self.show(Input::TurnCut);
        }
        self.state.error = error.or(self.state.error.take());
        self.update_phase();
    }

    /// Notifies the viewers over a WebSocket that a turn has ended without a result, because of this error.
    pub(crate) fn failed(&mut self, error: &str) {
        let ended = TurnEnded::without_result(self.session.as_str(), error);
        let message = WrapperMessage::TurnEnded(ended);
        self.log.push(EventKind::Wrapper, json(&message));
    }

    /// Changes the state by calling `change`. If the state differs afterwards, viewers get an event with the new
    /// state.
    pub fn set(&mut self, change: impl FnOnce(&mut State)) {
        self.update(|this| change(&mut this.state));
    }

    /// Changes the conversation. If its state differs afterwards, viewers get an event with the new state.
    fn update(&mut self, change: impl FnOnce(&mut Self)) {
        let before = self.state.clone();
        change(self);
        if self.state != before {
            self.log_state();
        }
    }

    /// Adds a message that the CLI has sent.
    pub fn message(&mut self, message: &Message) {
        self.show(Input::Message(message));
        self.queue_message(message);
        for progress in self.tracker.push(message) {
            self.log.push(EventKind::Progress, json(&progress));
        }
        if let Some(session) = message.session_id() {
            let session = session.clone();
            let own = self.session.as_str().to_owned();
            self.wrapper.assign(session, own, None);
        }
        for outgoing in self.wrapper.message(message) {
            self.log.push(EventKind::Wrapper, json(&outgoing.message));
        }
        if let Message::ConversationReset(_) = message {
            self.state.context = None;
        }
        if let Message::SystemInit(init) = message {
            self.directory = Some(init.cwd.clone());
        }
        self.folders.message(message);
        self.hooks.message(message);
        self.update(|this| {
            this.state.read(message);
            if this.meter.message(message) {
                this.meter.write(&mut this.state);
            }
        });
        let is_prompted = self.state.queued > 0;
        self.background.message(message, is_prompted);
        self.update_background();
    }

    /// Updates the background work in the state. If the state differs afterwards, viewers get an event with the new
    /// state.
    fn update_background(&mut self) {
        self.update(Self::write_background);
    }

    /// Writes the background work into the state.
    fn write_background(&mut self) {
        let phase = self.current_phase();
        self.running_tasks.count(&mut self.state);
        self.state.background_tasks = self.background.tasks();
        if self.state.phase != Phase::Cut {
            self.state.phase = phase;
        }
    }

    /// Adds a line that the CLI has written and that cannot be read. `line` is the beginning of its text.
    pub fn unreadable(&mut self, line: &str) {
        self.show(Input::Line(line));
    }

    /// Adds a notice of this server.
    pub fn notice(&mut self, text: &str) {
        self.show(Input::Notice(text));
    }

    /// Adds an element that shows that the user interrupted the turn.
    pub fn interrupted(&mut self) {
        self.show(Input::Interruption);
    }

    /// Closes the conversation. Requests that wait for an answer are denied, and no further events follow.
    pub fn close(&mut self) {
        if self.is_closed {
            return;
        }
        // A deferred request is not denied, because it waits without a process and can be answered later.
        let deferred = self.deferred.take();
        self.pending
            .retain(|waiting| Some(&waiting.pending.id) != deferred.as_ref());
        while let Some(waiting) = self.pending.first() {
            let id = waiting.pending.id.clone();
            self.withdraw(&id, "withdrawn");
        }
        self.log.push(EventKind::Closed, "{}".to_owned());
        self.is_closed = true;
    }

    fn show(&mut self, input: Input<'_>) {
        for change in self.timeline.push(input) {
            let change = moment::named(change, &self.elements);
            self.log.push(EventKind::Change, json(&change));
            self.changed(change);
        }
    }

    fn changed(&mut self, change: Change) {
        self.running_tasks.change(&change);
        self.elements.apply(change);
    }

    fn update_phase(&mut self) {
        if self.is_closed {
            return;
        }
        self.state.phase = self.current_phase();
        self.log_state();
    }

    fn current_phase(&self) -> Phase {
        match self.state.queued {
            // This is checked first, because a sub-agent in the background may send a request while no prompt is
            // queued.
            _ if self.is_asking() => Phase::Asking,
            // If a process has repeated the deferred request, `is_asking` is true, and this line is not reached.
            0 if self.deferred.is_some() => Phase::Deferred,
            0 if !self.background.has_turn() => Phase::Idle,
            0 => Phase::Running,
            _ if self.state.limited_until.is_some() => Phase::Limited,
            _ if self.is_running => Phase::Running,
            _ if self.is_starting => Phase::Starting,
            _ => Phase::Waiting,
        }
    }

    fn log_state(&mut self) {
        self.log.push(EventKind::State, json(&self.state));
    }
}

/// Whether the content is the result of a tool use, and not a prompt.
fn is_result(content: &claw_types::api::Content) -> bool {
    let mut blocks = content.blocks().iter();
    blocks.any(|block| matches!(block, ContentBlock::ToolResult(_)))
}

/// Adds an item, and removes the oldest one if there are more than `most`.
fn push_bounded<T>(kept: &mut VecDeque<T>, item: T, most: usize) {
    kept.push_back(item);
    if kept.len() > most {
        kept.pop_front();
    }
}

/// Returns the value as JSON on one line.
fn json<T: Serialize + ?Sized>(value: &T) -> String {
    // This cannot fail, because all serialized types have strings as keys.
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}
