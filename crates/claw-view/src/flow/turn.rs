//! Turns, and the tools in them.

use std::collections::HashSet;

use claw_types::ToolUseId;
use claw_types::api::{ContentBlock, ToolResultBlock};
use claw_types::message::{AssistantMessage, PermissionDenial, UserMessage};

use super::{Flow, Rule, Turn, Use};

impl Flow {
    pub(super) fn opened(&mut self) {
        if self.turn.is_none() {
            let open = HashSet::new();
            self.turn = Some(Turn { open });
        }
    }

    /// The main conversation goes on.
    fn in_turn(&mut self, what: &str) {
        if self.turn.is_none() {
            let text = format!("{what} before the turn's system/init");
            self.wrong(Rule::InitFirst, text);
            // Said once a turn.
            self.opened();
        }
    }

    pub(super) fn answered(&mut self, message: &AssistantMessage) {
        match &message.parent_tool_use_id {
            Some(parent) => self.child_of(parent),
            None => self.in_turn("an answer"),
        }
        let in_agent = message.parent_tool_use_id.is_some();
        for block in &message.message.content {
            match block {
                ContentBlock::ToolUse(block) => self.used(&block.id, in_agent),
                ContentBlock::ServerToolUse(block) => self.used(&block.id, in_agent),
                ContentBlock::McpToolUse(block) => self.used(&block.id, in_agent),
                ContentBlock::WebSearchToolResult(block) => self.gave(&block.tool_use_id, false),
                ContentBlock::WebFetchToolResult(block) => self.gave(&block.tool_use_id, false),
                ContentBlock::McpToolResult(block) => {
                    self.gave(&block.tool_use_id, block.is_error == Some(true));
                }
                _ => {}
            }
        }
    }

    pub(super) fn used(&mut self, id: &ToolUseId, in_agent: bool) {
        let used = Use {
            line: self.line,
            answer: None,
        };
        self.uses.insert(id.clone(), used);
        if let Some(turn) = &mut self.turn
            && !in_agent
        {
            turn.open.insert(id.clone());
        }
    }

    pub(super) fn user(&mut self, message: &UserMessage) {
        if let Some(parent) = &message.parent_tool_use_id {
            self.child_of(parent);
        }
        for block in message.message.content.blocks() {
            if let ContentBlock::ToolResult(block) = block {
                if message.parent_tool_use_id.is_none() {
                    self.in_turn("a tool result");
                }
                self.tool_result(block, message.denial(&block.tool_use_id).is_some());
            }
        }
    }

    pub(super) fn tool_result(&mut self, block: &ToolResultBlock, is_denied: bool) {
        let is_error = block.is_error == Some(true);
        if is_denied && !is_error {
            let text = format!(
                "{} was denied, and its result is no error",
                block.tool_use_id
            );
            self.wrong(Rule::DenialShape, text);
        }
        self.gave(&block.tool_use_id, is_error);
    }

    fn gave(&mut self, id: &ToolUseId, is_error: bool) {
        if let Some(turn) = &mut self.turn {
            turn.open.remove(id);
        }
        match self.uses.get_mut(id) {
            None => {
                let text = format!("there is no tool use {id} that it could answer");
                self.wrong(Rule::ResultAnswersUse, text);
            }
            Some(used) if used.answer.is_some() => {
                let text = format!("{id} was answered before");
                self.wrong(Rule::AnsweredOnce, text);
            }
            Some(used) => used.answer = Some(is_error),
        }
    }

    /// What the result lists as denied was, as far as it is known here.
    pub(super) fn listed(&mut self, denials: &[PermissionDenial]) {
        for denial in denials {
            let id = &denial.tool_use_id;
            let wrong = match self.uses.get(id) {
                None => "was not used",
                Some(used) if used.answer == Some(false) => "did not fail",
                Some(_) => continue,
            };
            let text = format!("{id} is listed as denied, and {wrong}");
            self.wrong(Rule::DenialShape, text);
        }
    }

    pub(super) fn result(&mut self, deferred: Option<&ToolUseId>) {
        self.stream = None;
        let Some(turn) = self.turn.take() else {
            let text = "a result, and no turn that it could close".to_owned();
            return self.wrong(Rule::ResultClosesTurn, text);
        };
        let mut open: Vec<_> = turn
            .open
            .iter()
            .filter(|id| Some(*id) != deferred)
            .collect();
        open.sort();
        for id in open {
            let line = self.uses.get(id).map_or(0, |used| used.line);
            let text = format!("{id}, used on line {line}, was not answered");
            self.wrong(Rule::AllAnswered, text);
        }
    }

    /// A turn is over, without a result that could be read.
    pub(super) fn closed(&mut self) {
        self.turn = None;
    }
}
