//! Checks that messages follow one another in a valid order.

mod stream;
mod turn;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use claw_types::api::ContentBlock;
use claw_types::dialect::Today;
use claw_types::message::{Message, ResultErrorSubtype};
use claw_types::transcript::Entry;
use claw_types::{RequestId, SessionId, StdoutMessage, ToolUseId};

use crate::FORKED_COMMAND;
use crate::read::{Read, read};
use crate::shown::shown;

use turn::{Ending, Turn, reads_as_denial};

shown! {
    /// A violation of a rule about the order of messages.
    #[derive(Eq)]
    pub struct Violation {
        /// The number of the line at which the violation was found, counted from 1.
        pub line: u64,
        /// The violated rule.
        pub rule: Rule,
        /// The description of the violation, in a sentence.
        pub text: String,
    }

    /// A rule that the lines of a recording or of a transcript must obey.
    #[derive(Copy, Eq, Hash)]
    pub enum Rule {
        /// Each line can be read as a message or as an entry of a transcript.
        Readable,
        /// The first message of a turn is a `system/init`. Exception: in a resumed session, the result of a deferred
        /// tool use may precede the first `system/init`.
        InitFirst,
        /// A `result` ends a turn, and each turn has exactly one `result`.
        ResultClosesTurn,
        /// In a `result` with an error subtype, `is_error` is true.
        ErrorResult,
        /// A tool result answers a tool use that precedes it.
        ResultAnswersUse,
        /// A tool use has only one result.
        AnsweredOnce,
        /// All tool uses of a turn have a result when the turn ends. Exceptions: a deferred tool use; the tool uses of
        /// the last response, if the turn reached a limit; and those tool uses of the last response that run on the
        /// API's servers, if the turn failed.
        AllAnswered,
        /// The result of a denied tool use is an error. A tool use was denied if its result says so, in a field or in
        /// the CLI's words. All tool uses that the `result` message lists as denied have been denied.
        DenialShape,
        /// A line comes after the parent that it names. The parent is the tool use that started a sub-agent, the slash
        /// command that runs as an agent (`forked-command-NAME`), or the preceding entry of a transcript.
        ParentExists,
        /// No two lines have the same `uuid`.
        UniqueUuid,
        /// Stream events nest correctly: blocks are inside responses, and deltas are inside blocks.
        StreamNests,
        /// All messages about a task come after the message about the task's start.
        TaskStarted,
        /// A message that cancels a request comes after that request.
        CancelsRequest,
        /// The ID of the session changes only after a `conversation_reset`.
        OneSession,
    }
}

/// The pattern of a turn: which kinds of messages it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TurnPattern {
    /// The model answers without tools.
    SimpleQuery,
    /// The model uses one tool.
    ToolUsage,
    /// The model uses several tools.
    ToolChain,
    /// The use of a tool was denied.
    PermissionDenial,
}

impl TurnPattern {
    /// Returns the name of the pattern in words, such as `tool chain`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SimpleQuery => "simple query",
            Self::ToolUsage => "tool usage",
            Self::ToolChain => "tool chain",
            Self::PermissionDenial => "permission denial",
        }
    }
}

/// Checks that messages are in an order in which `claude` can have written them. The messages are either the lines that
/// one process wrote to stdout, or the entries of one transcript.
///
/// ```
/// use claw_view::{Flow, Rule};
///
/// let result = r#"{"type":"result","subtype":"success","result":"Done."}"#;
/// let violations = Flow::check([result]);
/// assert_eq!(violations[0].line, 1);
/// assert_eq!(violations[0].rule, Rule::ResultClosesTurn);
/// ```
#[derive(Debug, Default)]
pub struct Flow {
    line: u64,
    found: Vec<Violation>,
    uuids: HashSet<String>,
    /// The tool uses, and whether each has a result.
    uses: HashMap<ToolUseId, Use>,
    tasks: HashSet<String>,
    requests: HashSet<RequestId>,
    session: Option<SessionId>,
    /// Whether a `conversation_reset` allows the next lines to have another session ID.
    reset: bool,
    /// Whether a `system/init` has been received.
    session_began: bool,
    /// The slash commands that the last `system/init` lists.
    commands: HashSet<String>,
    turn: Option<Turn>,
    /// The number of turns that have ended with each pattern.
    patterns: BTreeMap<TurnPattern, u64>,
    /// Turns that began before the current turn had its result. They began because a background task ended.
    later: VecDeque<Turn>,
    stream: Option<stream::Answer>,
    /// The UUIDs of the entries of a transcript to which other entries can refer as their parent.
    links: HashSet<String>,
    /// Whether entries may have been removed from the transcript.
    has_gaps: bool,
    /// Parents that were not found. If such a parent does not appear later either, it counts as removed.
    missed: HashSet<String>,
}

/// A tool use, and the line at which it was found.
#[derive(Debug)]
struct Use {
    line: u64,
    /// Whether the result of the tool use is an error. `None` if the tool use has no result yet.
    answer: Option<bool>,
}

impl Flow {
    /// Allows gaps in a transcript from which entries may have been removed. The parent that an entry names may then be
    /// missing. If it is present, it must still come before the entry. All other rules apply without a change.
    #[must_use]
    pub fn with_gaps(mut self) -> Self {
        self.has_gaps = true;
        self
    }

    /// Checks all lines of a recording or of a transcript.
    pub fn check<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<Violation> {
        let mut flow = Self::default();
        let mut found = Vec::new();
        for line in lines {
            found.extend(flow.push(line));
        }
        found.extend(flow.end());
        found
    }

    /// Checks the next line, and returns its violations of the rules. A line in an older form of the protocol is
    /// upgraded first. An empty line is counted, but not checked.
    pub fn push(&mut self, line: &str) -> Vec<Violation> {
        self.line += 1;
        let line = line.trim();
        if !line.is_empty() {
            match read(line, self.line) {
                Read::Today(Today::Stdout(message)) => self.stdout(&message),
                Read::Entry(entry) => self.entry(&entry),
                Read::InputRequired => self.closed(),
                Read::Unreadable(why) => self.violate(Rule::Readable, why),
                Read::Today(_) | Read::Compacted | Read::Other(_) => {}
            }
        }
        std::mem::take(&mut self.found)
    }

    /// Checks the next message, and returns its violations of the rules, as [`Self::push`] does for a line.
    pub fn message(&mut self, message: &StdoutMessage) -> Vec<Violation> {
        self.line += 1;
        self.stdout(message);
        std::mem::take(&mut self.found)
    }

    /// Ends the check, and returns the violations that are known only at the end, such as a turn without a result. The
    /// line number of each violation is the number of the last line. If a violation concerns a turn, its text contains
    /// the number of the line at which the turn began.
    pub fn end(&mut self) -> Vec<Violation> {
        self.ended();
        std::mem::take(&mut self.found)
    }

    /// Returns the patterns of the turns that have ended. Each pattern has the number of turns with it. The tool uses
    /// of sub-agents do not affect the pattern. The entries of a transcript have no turns.
    pub fn patterns(&self) -> impl Iterator<Item = (TurnPattern, u64)> {
        self.patterns
            .iter()
            .map(|(pattern, turns)| (*pattern, *turns))
    }

    fn violate(&mut self, rule: Rule, text: String) {
        let line = self.line;
        self.found.push(Violation { line, rule, text });
    }

    fn stdout(&mut self, message: &StdoutMessage) {
        match message {
            StdoutMessage::Message(message) => self.check_message(message),
            StdoutMessage::ControlRequest(request) => {
                self.requests.insert(request.request_id.clone());
            }
            StdoutMessage::ControlCancelRequest(cancel)
                if !self.requests.contains(&cancel.request_id) =>
            {
                let text = format!("there is no request {} to cancel", cancel.request_id);
                self.violate(Rule::CancelsRequest, text);
            }
            _ => {}
        }
    }

    fn check_message(&mut self, message: &Message) {
        // The host chooses the UUID of a prompt, and may send the prompt several times. So replayed prompts are not
        // checked for duplicates.
        if !matches!(message, Message::UserReplay(_))
            && let Some(uuid) = message.uuid()
        {
            self.named(uuid.as_str());
        }
        if let Some(session) = message.session_id() {
            self.of_session(message, session);
        }
        match message {
            Message::SystemInit(init) => {
                self.session_began = true;
                self.commands = init.slash_commands.iter().cloned().collect();
                self.opened();
            }
            Message::StreamEvent(event) => self.streamed(event),
            Message::Assistant(message) => self.assistant(message),
            Message::User(message) => self.user(message),
            Message::ResultSuccess(result) => {
                self.check_denials(&result.permission_denials);
                let deferred = result.deferred_tool_use.as_ref().map(|tool| &tool.id);
                let ending = deferred.map_or(Ending::Whole, Ending::Deferred);
                self.result(message.is_background_result(), ending);
            }
            Message::ResultError(result) => {
                if !result.is_error {
                    self.violate(Rule::ErrorResult, format!("{} is no error", result.subtype));
                }
                self.check_denials(&result.permission_denials);
                // A result without a preceding turn is allowed if the session could not start.
                if self.session_began || result.num_turns != 0 {
                    let ending = match result.subtype {
                        ResultErrorSubtype::ErrorMaxTurns
                        | ResultErrorSubtype::ErrorMaxBudgetUsd => Ending::Limit,
                        _ => Ending::Failed,
                    };
                    self.result(message.is_background_result(), ending);
                }
            }
            Message::TaskStarted(task) => {
                self.tasks.insert(task.task_id.clone());
                if let Some(tool) = &task.tool_use_id {
                    self.child_of(tool);
                }
            }
            Message::TaskProgress(task) => self.task(&task.task_id),
            Message::TaskUpdated(task) => self.task(&task.task_id),
            Message::TaskNotification(task) => self.task(&task.task_id),
            Message::ToolProgress(progress) => {
                let parent = progress.parent_tool_use_id.as_ref();
                self.child_of(parent.unwrap_or(&progress.tool_use_id));
            }
            _ => {}
        }
    }

    /// Checks an entry of a transcript.
    fn entry(&mut self, entry: &Entry) {
        if !entry.is_link() {
            return;
        }
        if let Some(parent) = entry.parent_uuid()
            && !self.links.contains(parent.as_str())
        {
            if self.has_gaps {
                self.missed.insert(parent.as_str().to_owned());
            } else {
                let text = format!("there is no line {parent} before it");
                self.violate(Rule::ParentExists, text);
            }
        }
        if let Some(uuid) = entry.uuid() {
            if self.missed.contains(uuid.as_str()) {
                let text = format!("a line before it names {uuid} as its parent");
                self.violate(Rule::ParentExists, text);
            }
            self.named(uuid.as_str());
            self.links.insert(uuid.as_str().to_owned());
        }
        match entry {
            Entry::Assistant(assistant) => {
                for block in &assistant.message.content {
                    if let ContentBlock::ToolUse(block) = block {
                        self.used(&block.id);
                    }
                }
            }
            Entry::User(user) => {
                for block in user.message.content.blocks() {
                    if let ContentBlock::ToolResult(block) = block {
                        let is_denied = user.tool_denial_kind.is_some()
                            || block.denial().is_some()
                            || user.tool_use_result.is_none() && reads_as_denial(block);
                        self.tool_result(block, is_denied);
                    }
                }
            }
            _ => {}
        }
    }

    fn named(&mut self, uuid: &str) {
        if !self.uuids.insert(uuid.to_owned()) {
            self.violate(Rule::UniqueUuid, format!("another line is called {uuid}"));
        }
    }

    fn of_session(&mut self, message: &Message, session: &SessionId) {
        if session.as_str().is_empty() {
            return;
        }
        match &self.session {
            Some(now) if now == session => {}
            Some(now) if !self.reset => {
                let text = format!("the session is {now} and not {session}");
                self.violate(Rule::OneSession, text);
            }
            _ => {
                self.session = Some(session.clone());
                self.reset = false;
            }
        }
        // The reset applies to later messages. Some of them may still have the old ID.
        self.reset |= matches!(message, Message::ConversationReset(_));
    }

    fn task(&mut self, id: &str) {
        if !self.tasks.contains(id) {
            self.violate(Rule::TaskStarted, format!("no task {id} was started"));
        }
    }

    fn child_of(&mut self, tool: &ToolUseId) {
        let command = tool.as_str().strip_prefix(FORKED_COMMAND);
        let is_forked = command.is_some_and(|command| self.commands.contains(command));
        if !is_forked && !self.uses.contains_key(tool) {
            let text = format!("there is no tool use {tool} that it could belong to");
            self.violate(Rule::ParentExists, text);
        }
    }
}
