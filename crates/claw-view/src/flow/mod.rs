//! Whether messages follow one another as they should.

mod stream;
mod transcript;
mod turn;

use std::collections::{HashMap, HashSet, VecDeque};

use claw_types::dialect::Today;
use claw_types::message::{Message, ResultErrorSubtype};
use claw_types::{RequestId, SessionId, StdoutMessage, ToolUseId};

use crate::FORKED_COMMAND;
use crate::read::{Read, read};
use crate::shown::shown;

use turn::{Ending, Turn};

shown! {
    /// Something that should not be so.
    #[derive(Eq)]
    pub struct Violation {
        /// The line that it was found at, from 1.
        pub line: u64,
        /// The rule that is broken.
        pub rule: Rule,
        /// What is wrong, in a sentence.
        pub text: String,
    }

    /// A rule that the lines of a recording or of a transcript follow.
    #[derive(Copy, Eq, Hash)]
    pub enum Rule {
        /// Each line can be read.
        Readable,
        /// A turn begins with `system/init`: nothing is said before it. Before the first one of a session
        /// that goes on, a tool result may come: that of a tool call which was deferred.
        InitFirst,
        /// A `result` closes a turn, and each turn is closed by one.
        ResultClosesTurn,
        /// A `result` that is an error says so.
        ErrorResult,
        /// A tool result answers a tool use that came before it.
        ResultAnswersUse,
        /// A tool use is answered once.
        AnsweredOnce,
        /// When the turn is over, all its tools were answered. Not so one that was deferred; where the turn
        /// hit a limit, those of its last answer; where it failed, those of its last answer that run at
        /// the API.
        AllAnswered,
        /// A use that was denied is answered by an error, and what the `result` lists as denied was.
        DenialShape,
        /// What a line names as its parent came before: the tool use of a sub-agent's message, or the
        /// command that runs as one (`forked-command-NAME`); the line before a line of a transcript.
        ParentExists,
        /// No two lines have the same `uuid`.
        UniqueUuid,
        /// Stream events nest: blocks in answers, pieces in blocks.
        StreamNests,
        /// A task is heard of after it was started.
        TaskStarted,
        /// What is cancelled was asked.
        CancelsRequest,
        /// The session has another name only after a `conversation_reset`.
        OneSession,
    }
}

/// Checks that messages follow one another as `claude` writes them: those of one process, as they
/// stand on its stdout, or the lines of one transcript.
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
    /// The uses of tools, and how they were answered.
    uses: HashMap<ToolUseId, Use>,
    tasks: HashSet<String>,
    requests: HashSet<RequestId>,
    session: Option<SessionId>,
    /// The session may have another name from now on.
    reset: bool,
    /// There was a `system/init`.
    session_began: bool,
    /// The commands that the last `system/init` lists.
    commands: HashSet<String>,
    turn: Option<Turn>,
    /// Turns that began while that one had no result yet: work in the background has ended.
    later: VecDeque<Turn>,
    stream: Option<stream::Answer>,
    /// Links of a transcript.
    links: HashSet<String>,
    /// Lines were taken out.
    has_gaps: bool,
    /// Parents that were not there: taken out, if they do not come later.
    missed: HashSet<String>,
}

/// The use of a tool.
#[derive(Debug)]
struct Use {
    line: u64,
    /// Whether it was answered, and with an error.
    answer: Option<bool>,
}

impl Flow {
    /// For a transcript that lines may have been taken out of: what a line names as its parent need not be there,
    /// but may not come later. Everything else is checked as ever.
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

    /// Takes in the next line, and gives what is wrong with it. Lines of older forms are read as
    /// today's; an empty one counts and says nothing.
    pub fn push(&mut self, line: &str) -> Vec<Violation> {
        self.line += 1;
        let line = line.trim();
        if !line.is_empty() {
            match read(line, self.line) {
                Read::Today(Today::Stdout(message)) => self.stdout(&message),
                Read::Entry(entry) => self.entry(&entry),
                Read::InputRequired => self.closed(),
                Read::Unreadable(why) => self.wrong(Rule::Readable, why),
                Read::Today(_) | Read::Compacted | Read::Other(_) => {}
            }
        }
        std::mem::take(&mut self.found)
    }

    /// Takes in the next message, as [`Self::push`] does.
    pub fn message(&mut self, message: &StdoutMessage) -> Vec<Violation> {
        self.line += 1;
        self.stdout(message);
        std::mem::take(&mut self.found)
    }

    /// There are no more lines: what is wrong with that. It is said of the last one.
    pub fn end(&mut self) -> Vec<Violation> {
        let is_open = self.turn.is_some() || !self.later.is_empty();
        self.closed();
        if is_open {
            self.wrong(Rule::ResultClosesTurn, "the turn has no result".to_owned());
        }
        std::mem::take(&mut self.found)
    }

    fn wrong(&mut self, rule: Rule, text: String) {
        let line = self.line;
        self.found.push(Violation { line, rule, text });
    }

    fn stdout(&mut self, message: &StdoutMessage) {
        match message {
            StdoutMessage::Message(message) => self.said(message),
            StdoutMessage::ControlRequest(request) => {
                self.requests.insert(request.request_id.clone());
            }
            StdoutMessage::ControlCancelRequest(cancel)
                if !self.requests.contains(&cancel.request_id) =>
            {
                let text = format!("there is no request {} to cancel", cancel.request_id);
                self.wrong(Rule::CancelsRequest, text);
            }
            _ => {}
        }
    }

    fn said(&mut self, message: &Message) {
        // A prompt has the name that its host gave it, and is written back as often as it is asked for.
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
            Message::Assistant(message) => self.answered(message),
            Message::User(message) => self.user(message),
            Message::ResultSuccess(result) => {
                self.listed(&result.permission_denials);
                let deferred = result.deferred_tool_use.as_ref().map(|tool| &tool.id);
                let ending = deferred.map_or(Ending::Whole, Ending::Deferred);
                self.result(message.is_background_result(), ending);
            }
            Message::ResultError(result) => {
                if !result.is_error {
                    self.wrong(Rule::ErrorResult, format!("{} is no error", result.subtype));
                }
                self.listed(&result.permission_denials);
                // What could not even start has no turn.
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

    fn named(&mut self, uuid: &str) {
        if !self.uuids.insert(uuid.to_owned()) {
            self.wrong(Rule::UniqueUuid, format!("another line is called {uuid}"));
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
                self.wrong(Rule::OneSession, text);
            }
            _ => {
                self.session = Some(session.clone());
                self.reset = false;
            }
        }
        // Lines that follow may still have the old name.
        self.reset |= matches!(message, Message::ConversationReset(_));
    }

    fn task(&mut self, id: &str) {
        if !self.tasks.contains(id) {
            self.wrong(Rule::TaskStarted, format!("no task {id} was started"));
        }
    }

    fn child_of(&mut self, tool: &ToolUseId) {
        let command = tool.as_str().strip_prefix(FORKED_COMMAND);
        let is_forked = command.is_some_and(|command| self.commands.contains(command));
        if !is_forked && !self.uses.contains_key(tool) {
            let text = format!("there is no tool use {tool} that it could belong to");
            self.wrong(Rule::ParentExists, text);
        }
    }
}
