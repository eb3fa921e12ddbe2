//! Checks turns and their tool uses.

use std::mem;

use claw_types::api::{Content, ContentBlock, ToolResultBlock};
use claw_types::message::{AssistantMessage, PermissionDenial, UserMessage};
use claw_types::{ApiMessageId, ToolUseId};

use super::{Flow, Rule, TurnPattern, Use};
use crate::at_api;

/// A turn that has not ended.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The line at which the turn began.
    line: u64,
    init: Init,
    /// The message ID of the last response of the model in the turn.
    answer: Option<ApiMessageId>,
    /// The tool uses of the turn.
    uses: Vec<TurnUse>,
    /// Whether a tool use of the turn was denied.
    has_denial: bool,
}

/// Whether the turn's `system/init` was received, is missing, or can still come.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Init {
    #[default]
    Awaited,
    /// The `init` is missing. The violation was already reported.
    Missed,
    Came,
}

/// A tool use in a response of the main conversation.
#[derive(Debug)]
struct TurnUse {
    id: ToolUseId,
    answer: ApiMessageId,
    /// Whether the tool runs on the API's servers and not on the CLI's machine.
    at_api: bool,
}

/// The way in which a turn ended.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ending<'a> {
    Whole,
    /// The turn ended because this tool use was deferred.
    Deferred(&'a ToolUseId),
    /// The turn ended because it reached a limit.
    Limit,
    Failed,
}

impl Ending<'_> {
    /// Whether a tool use of the turn may remain without a result.
    fn allows_unfinished(self, used: &TurnUse, turn: &Turn) -> bool {
        let is_last = turn.answer.as_ref() == Some(&used.answer);
        match self {
            Self::Whole => false,
            Self::Deferred(id) => used.id == *id,
            Self::Limit => is_last,
            Self::Failed => is_last && used.at_api,
        }
    }
}

impl Flow {
    /// Handles a `system/init`.
    pub(super) fn opened(&mut self) {
        let line = self.line;
        match self.current() {
            Some(turn) if turn.init != Init::Came => turn.init = Init::Came,
            Some(_) => self.later.push_back(Turn::start(line, Init::Came)),
            None => self.turn = Some(Turn::start(line, Init::Came)),
        }
    }

    /// Returns the turn to which the next line belongs.
    fn current(&mut self) -> Option<&mut Turn> {
        self.later.back_mut().or(self.turn.as_mut())
    }

    /// Handles a line of the main conversation.
    pub(super) fn in_turn(&mut self, what: &str) {
        match self.current() {
            // If the `init` of a turn is missing, this is reported only once.
            Some(turn) if turn.init != Init::Awaited => return,
            Some(turn) => turn.init = Init::Missed,
            None => self.turn = Some(Turn::start(self.line, Init::Missed)),
        }
        let text = format!("{what} before the turn's system/init");
        self.violate(Rule::InitFirst, text);
    }

    pub(super) fn assistant(&mut self, message: &AssistantMessage) {
        let answer = if let Some(parent) = &message.parent_tool_use_id {
            self.child_of(parent);
            None
        } else {
            self.in_turn("an answer");
            Some(&message.message.id)
        };
        if let Some(turn) = self.current()
            && answer.is_some()
        {
            turn.answer = answer.cloned();
        }
        for block in &message.message.content {
            match block {
                ContentBlock::ToolUse(block) => self.used_in(answer, &block.id, false),
                ContentBlock::ServerToolUse(block) => self.used_in(answer, &block.id, true),
                ContentBlock::McpToolUse(block) => self.used_in(answer, &block.id, true),
                block => self.given_at_api(block),
            }
        }
    }

    /// Handles a tool use in a response. `answer` is `None` for a response of a sub-agent.
    fn used_in(&mut self, answer: Option<&ApiMessageId>, id: &ToolUseId, at_api: bool) {
        self.used(id);
        if let Some(turn) = self.current()
            && let Some(answer) = answer
        {
            turn.uses.push(TurnUse {
                id: id.clone(),
                answer: answer.clone(),
                at_api,
            });
        }
    }

    pub(super) fn used(&mut self, id: &ToolUseId) {
        let used = Use {
            line: self.line,
            answer: None,
        };
        self.uses.insert(id.clone(), used);
    }

    /// Handles a block with the result of a tool that ran at the API.
    fn given_at_api(&mut self, block: &ContentBlock) {
        if let Some((id, _)) = block.api_tool_result() {
            return self.finish_use(id, false);
        }
        match block {
            ContentBlock::McpToolResult(block) => {
                self.finish_use(&block.tool_use_id, block.is_error == Some(true));
            }
            ContentBlock::Unknown(block) => {
                if let Some(id) = at_api::result_of(block) {
                    self.finish_use(&id, false);
                }
            }
            _ => {}
        }
    }

    pub(super) fn user(&mut self, message: &UserMessage) {
        if let Some(parent) = &message.parent_tool_use_id {
            self.child_of(parent);
        }
        for block in message.message.content.blocks() {
            if let ContentBlock::ToolResult(block) = block {
                if message.parent_tool_use_id.is_none() && !self.was_deferred(&block.tool_use_id) {
                    self.in_turn("a tool result");
                }
                let output = message.tool_use_result.as_ref();
                let is_denied = message.denial(&block.tool_use_id).is_some()
                    || output.is_none() && reads_as_denial(block);
                if let Some(turn) = self.current().filter(|_| is_denied)
                    && message.parent_tool_use_id.is_none()
                {
                    turn.has_denial = true;
                }
                self.tool_result(block, is_denied);
            } else {
                self.given_at_api(block);
            }
        }
    }

    /// Returns whether an earlier process deferred this tool use. If so, also begins a turn for it, because the result
    /// of a deferred tool use is the first message of a resumed session, before the turn's `system/init`.
    fn was_deferred(&mut self, id: &ToolUseId) -> bool {
        let was_deferred = !self.session_began && self.turn.is_none();
        if was_deferred {
            self.used(id);
            self.turn = Some(Turn::start(self.line, Init::Awaited));
        }
        was_deferred
    }

    pub(super) fn tool_result(&mut self, block: &ToolResultBlock, is_denied: bool) {
        let is_error = block.is_error == Some(true);
        if is_denied && !is_error {
            let text = format!(
                "{} was denied, and its result is no error",
                block.tool_use_id
            );
            self.violate(Rule::DenialShape, text);
        }
        self.finish_use(&block.tool_use_id, is_error);
    }

    fn finish_use(&mut self, id: &ToolUseId, is_error: bool) {
        match self.uses.get_mut(id) {
            None => {
                let text = format!("there is no tool use {id} that it could answer");
                self.violate(Rule::ResultAnswersUse, text);
            }
            Some(used) if used.answer.is_some() => {
                let text = format!("{id} was answered before");
                self.violate(Rule::AnsweredOnce, text);
            }
            Some(used) => used.answer = Some(is_error),
        }
    }

    /// Checks the list of denied tool uses in a `result` message. Each of them must have been used, and must not have a
    /// successful result.
    pub(super) fn check_denials(&mut self, denials: &[PermissionDenial]) {
        for denial in denials {
            let id = &denial.tool_use_id;
            let wrong = match self.uses.get(id) {
                None => "was not used",
                Some(used) if used.answer == Some(false) => "did not fail",
                Some(_) => continue,
            };
            let text = format!("{id} is listed as denied, and {wrong}");
            self.violate(Rule::DenialShape, text);
        }
    }

    /// Handles the end of a turn. A usual result ends the oldest turn. Other turns were started because a background
    /// task ended; a background result ends the oldest of these.
    pub(super) fn result(&mut self, is_background: bool, ending: Ending<'_>) {
        self.stream = None;
        let turn = if is_background {
            self.later.pop_front().or_else(|| self.turn.take())
        } else {
            self.turn.take().or_else(|| self.later.pop_front())
        };
        let Some(turn) = turn else {
            let text = "a result, and no turn that it could close".to_owned();
            return self.violate(Rule::ResultClosesTurn, text);
        };
        *self.patterns.entry(turn.pattern()).or_default() += 1;
        let mut open: Vec<_> = turn
            .uses
            .iter()
            .filter(|used| !ending.allows_unfinished(used, &turn))
            .filter_map(|used| Some((&used.id, self.uses.get(&used.id)?)))
            .filter(|(_, used)| used.answer.is_none())
            .map(|(id, used)| (id.clone(), used.line))
            .collect();
        open.sort();
        open.dedup();
        for (id, line) in open {
            let text = format!("{id}, used on line {line}, was not answered");
            self.violate(Rule::AllAnswered, text);
        }
    }

    /// Handles the end of the lines. Every turn must have ended.
    pub(super) fn ended(&mut self) {
        for turn in self
            .turn
            .take()
            .into_iter()
            .chain(mem::take(&mut self.later))
        {
            let text = format!("the turn that began on line {} has no result", turn.line);
            self.violate(Rule::ResultClosesTurn, text);
        }
    }

    /// Handles the end of a turn whose result cannot be read.
    pub(super) fn closed(&mut self) {
        self.turn = None;
        self.later.clear();
    }
}

impl Turn {
    fn start(line: u64, init: Init) -> Self {
        Self {
            line,
            init,
            ..Self::default()
        }
    }

    fn pattern(&self) -> TurnPattern {
        match self.uses.len() {
            _ if self.has_denial => TurnPattern::PermissionDenial,
            0 => TurnPattern::SimpleQuery,
            1 => TurnPattern::ToolUsage,
            _ => TurnPattern::ToolChain,
        }
    }
}

/// Whether a tool result without the error flag contains the text with which the CLI reports a denial.
pub(super) fn reads_as_denial(block: &ToolResultBlock) -> bool {
    /// The maximum length of a text that can be the CLI's report of a denial, in bytes. The CLI's own texts are short.
    const LONGEST: usize = 4096;
    let is_short = |content: &Content| content.text().len() <= LONGEST;
    if block.is_error == Some(true) || !block.content.as_ref().is_some_and(is_short) {
        return false;
    }
    let mut as_error = block.clone();
    as_error.is_error = Some(true);
    as_error.denial().is_some()
}
