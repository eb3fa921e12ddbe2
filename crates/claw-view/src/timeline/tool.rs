//! Tool uses and their results.

use std::borrow::Cow;

use claw_types::api::{Content as Blocks, ContentBlock, ToolResultBlock};
use claw_types::control::DecisionReasonType;
use claw_types::message::{NonExecutionKind, PermissionDecision, ToolProgress};
use claw_types::tool::{AgentOutput, ToolInput, ToolOutput};
use claw_types::{Json, ToolUseId};

use super::change::{Change, Elapsed};
use super::{Origin, Timeline, wrapped};
use crate::diff::FileDiff;
use crate::element::{
    Content, Denial, EditDiff, Element, TaskState, ToolCall, ToolResult, ToolStatus,
};
use crate::text::{short_name, without_colours};
use crate::{Activity, Preview, ToolDisplay};

/// A tool use that has no result yet.
#[derive(Debug)]
pub(super) struct Call {
    /// The name of the tool in the protocol.
    tool: String,
    pub(super) element: Element,
}

impl Call {
    pub(super) fn status(&self) -> ToolStatus {
        match &self.element.content {
            Content::EditDiff(edit) => edit.status,
            Content::ToolCall(call) => call.status,
            _ => ToolStatus::Done,
        }
    }

    fn set_status(&mut self, to: ToolStatus) {
        match &mut self.element.content {
            Content::EditDiff(edit) => edit.status = to,
            Content::ToolCall(call) => call.status = to,
            _ => {}
        }
    }

    fn set_diff(&mut self, to: FileDiff) {
        match &mut self.element.content {
            Content::EditDiff(edit) => {
                edit.summary = to.summary();
                edit.diff = to;
            }
            Content::ToolCall(call) => call.diff = Some(to),
            _ => {}
        }
    }
}

/// A tool result, with the details that are known about it.
pub(super) struct PartialResult<'a> {
    pub(super) block: &'a ToolResultBlock,
    /// The structured output of the tool.
    pub(super) output: Option<&'a Json>,
    pub(super) denial: Option<NonExecutionKind>,
    pub(super) decision: Option<&'a PermissionDecision>,
    pub(super) feedback: Option<&'a str>,
}

impl Timeline {
    /// Handles the start of a tool use whose input is not known yet.
    pub(super) fn tool_begins(&mut self, from: &Origin, id: &ToolUseId, tool: &str, at_api: bool) {
        if self.tools.contains_key(id) {
            return;
        }
        let title = ToolDisplay::unnamed_input(tool).text();
        let status = ToolStatus::Streaming;
        let content = if tool == "Edit" {
            edit(id, title, &FileDiff::unknown(), status, false)
        } else {
            Content::ToolCall(ToolCall {
                tool_use_id: id.clone(),
                tool: tool.to_owned(),
                title,
                activity: Activity::of(tool),
                input: None,
                description: None,
                status,
                elapsed_seconds: None,
                diff: None,
                at_api,
            })
        };
        let element = self.add(from, id.as_str().to_owned(), content);
        let tool = tool.to_owned();
        self.used(from, id);
        self.tools.insert(id.clone(), Call { tool, element });
    }

    /// Remembers a tool use of the main conversation until the turn ends.
    fn used(&mut self, from: &Origin, id: &ToolUseId) {
        if from.parent.is_none() {
            // A transcript does not contain the ends of turns. So tool uses that have a result are removed here from
            // time to time.
            if self.turn_tools.len() > 2 * self.tools.len() + 64 {
                self.turn_tools.retain(|id| self.tools.contains_key(id));
            }
            self.turn_tools.push(id.clone());
        }
    }

    /// Handles the early end of a turn. No results will follow for tools of the turn that are still running.
    pub(super) fn tools_cut_short(&mut self) {
        for id in std::mem::take(&mut self.turn_tools) {
            if let Some(mut call) = self.tools.remove(&id) {
                call.set_status(ToolStatus::Interrupted);
                self.update(&call.element);
            }
        }
    }

    /// Handles a tool use with its input.
    pub(super) fn tool_call(
        &mut self,
        from: &Origin,
        id: &ToolUseId,
        tool: &str,
        input: &Json,
        at_api: bool,
    ) {
        let content = call(id, tool, input, at_api);
        let element = if let Some(Call { mut element, .. }) = self.tools.remove(id) {
            element.message.clone_from(&from.message);
            element.timestamp.clone_from(&from.timestamp);
            element.content = content;
            self.remember(&element);
            self.update(&element);
            element
        } else {
            self.used(from, id);
            self.add(from, id.as_str().to_owned(), content)
        };
        let tool = tool.to_owned();
        self.tools.insert(id.clone(), Call { tool, element });
    }

    /// Sets the status of a tool use. If the status is already set, makes no change, because an element may be large.
    pub(super) fn set_tool_status(&mut self, id: &ToolUseId, to: ToolStatus) {
        if let Some(call) = self.tools.get_mut(id)
            && call.status() != to
        {
            call.set_status(to);
            let element = call.element.clone();
            self.update(&element);
        }
    }

    pub(super) fn tool_progress(&mut self, progress: &ToolProgress) {
        // A heartbeat has a separate ID. Its parent is the tool use that it is about.
        let known = self.tools.contains_key(&progress.tool_use_id);
        let parent = progress.parent_tool_use_id.as_ref().filter(|_| !known);
        let call = self.tools.get_mut(parent.unwrap_or(&progress.tool_use_id));
        let element = call.map(|call| &mut call.element);
        if let Some(element) = element
            && let Content::ToolCall(call) = &mut element.content
        {
            let seconds = progress.elapsed_time_seconds.as_f64();
            call.elapsed_seconds = Some(seconds);
            let id = element.id.clone();
            self.changes.push(Change::Elapsed(Elapsed { id, seconds }));
        }
    }

    /// Handles a tool result. Updates the element of the tool use, and adds an element for the result.
    pub(super) fn tool_result(&mut self, from: &Origin, given: &PartialResult<'_>) {
        let id = &given.block.tool_use_id;
        let is_error = given.block.is_error == Some(true);
        let call = self.tools.remove(id);
        let tool = call.as_ref().map(|call| call.tool.clone());
        let mut output = None;
        if let Some(mut call) = call {
            call.set_status(match &given.denial {
                Some(kind) if is_interrupt(kind) => ToolStatus::Interrupted,
                Some(_) => ToolStatus::Denied,
                None if is_error => ToolStatus::Failed,
                None => ToolStatus::Done,
            });
            let gave = given.output.filter(|_| !is_error);
            output = gave.and_then(|gave| ToolOutput::of(&call.tool, gave).ok());
            if let Some(diff) = output.as_ref().and_then(FileDiff::of_output) {
                call.set_diff(diff);
            }
            self.update(&call.element);
        }
        // If the sub-agent was started in the background, it has not ended. A notification will report its end.
        if !output.as_ref().is_some_and(is_launch) {
            self.agent_ends(
                id,
                if is_error {
                    TaskState::Failed
                } else {
                    TaskState::Completed
                },
            );
        }
        let text = given
            .block
            .content
            .as_ref()
            .map(text_of)
            .unwrap_or_default();
        let denial = given.denial.as_ref().map(|kind| Denial {
            kind: kind.to_string(),
            text: denial_words(kind, given.decision).to_owned(),
            feedback: given.feedback.map(str::to_owned),
        });
        let denied = given.denial.as_ref().and_then(|_| wrapped::denial(&text));
        let shown = denied.or_else(|| wrapped::result(tool.as_deref(), &text, output.as_ref()));
        let content = ToolResult {
            denial,
            ..result(id, tool, text, shown, is_error)
        };
        self.add(from, format!("{id}.result"), Content::ToolResult(content));
        self.add_media(from, id, given.block.content.as_ref());
    }

    /// Handles the result of an MCP tool that ran at the API.
    pub(super) fn result_at_api(
        &mut self,
        from: &Origin,
        id: &ToolUseId,
        content: Option<&Blocks>,
        is_error: bool,
    ) {
        let text = content.map(text_of).unwrap_or_default();
        self.ends_at_api(from, id, text, is_error);
        self.add_media(from, id, content);
    }

    /// Handles the result of another tool that ran at the API. The result is a list, or an object that contains an
    /// error.
    pub(super) fn api_result(&mut self, from: &Origin, id: &ToolUseId, content: &Json) {
        let value = content.to_value().unwrap_or_default();
        let pages = value.as_array();
        let is_error = value.get("error_code").is_some();
        let line = |page: &serde_json::Value| {
            let text = |key| page.get(key).and_then(serde_json::Value::as_str);
            Some(format!("{}\n{}", text("title")?, text("url")?))
        };
        let lines = pages.map(|pages| pages.iter().filter_map(line).collect::<Vec<_>>());
        let text = match lines {
            Some(lines) => lines.join("\n"),
            None => content.as_raw().to_owned(),
        };
        self.ends_at_api(from, id, text, is_error);
    }

    fn ends_at_api(&mut self, from: &Origin, id: &ToolUseId, text: String, is_error: bool) {
        let call = self.tools.remove(id);
        let tool = call.as_ref().map(|call| call.tool.clone());
        if let Some(mut call) = call {
            call.set_status(if is_error {
                ToolStatus::Failed
            } else {
                ToolStatus::Done
            });
            self.update(&call.element);
        }
        let content = result(id, tool, text, None, is_error);
        self.add(from, format!("{id}.result"), Content::ToolResult(content));
    }

    /// Adds images and documents in a tool result.
    fn add_media(&mut self, from: &Origin, id: &ToolUseId, content: Option<&Blocks>) {
        let blocks = content.map(Blocks::blocks).unwrap_or_default();
        let id = short_name(id.as_str());
        for (number, block) in blocks.iter().enumerate() {
            match block {
                ContentBlock::Text(_) | ContentBlock::ToolReference(_) => {}
                block => self.other_block(from, &format!("{id}.{number}"), &id, block),
            }
        }
    }
}

/// Returns the text of a tool result. If the tool has found other tools, the text includes their names.
fn text_of(content: &Blocks) -> String {
    let blocks = match content {
        Blocks::Text(text) => return text.clone(),
        Blocks::Blocks(blocks) => blocks,
    };
    let texts = blocks.iter().filter_map(|block| match block {
        ContentBlock::Text(block) => Some(block.text.as_str()),
        ContentBlock::ToolReference(block) => Some(block.tool_name.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

fn result(
    id: &ToolUseId,
    tool: Option<String>,
    text: String,
    shown: Option<String>,
    is_error: bool,
) -> ToolResult {
    let plain = match without_colours(shown.as_ref().unwrap_or(&text)) {
        Cow::Owned(plain) => Some(plain),
        Cow::Borrowed(_) => None,
    };
    let shown = plain.or(shown);
    let whole = shown.as_ref().unwrap_or(&text);
    ToolResult {
        tool_use_id: id.clone(),
        tool,
        preview: if is_error {
            Preview::of_end(whole)
        } else {
            Preview::of(whole)
        },
        text,
        shown,
        is_error,
        denial: None,
    }
}

/// Whether the output reports a sub-agent that continues after the result of its tool use.
fn is_launch(output: &ToolOutput) -> bool {
    match output {
        ToolOutput::Agent(output) => !matches!(**output, AgentOutput::Completed(_)),
        _ => false,
    }
}

/// Returns words that explain why a tool did not run. If the host has denied the tool use, the CLI reports the kind
/// `permission-rule` with the source `user_reject`.
fn denial_words<'a>(kind: &'a NonExecutionKind, decision: Option<&PermissionDecision>) -> &'a str {
    let source = decision.and_then(|decision| decision.source.as_deref());
    let reason = decision.and_then(|decision| decision.reason_type.as_ref());
    match *kind {
        NonExecutionKind::PermissionRule => match source {
            Some("user_reject") => "the answer was no",
            Some("hook") => "a hook denied it",
            _ if reason == Some(&DecisionReasonType::Rule) => "a permission rule denied it",
            _ if reason == Some(&DecisionReasonType::Mode) => "the permission mode denied it",
            _ => "denied",
        },
        // The CLI uses this kind in two cases: a permission was refused, or a running tool was interrupted.
        NonExecutionKind::UserRejected => "refused or interrupted",
        NonExecutionKind::AutomodeBlocked => "the mode auto blocked it",
        NonExecutionKind::AutomodeUnavailable => "the mode auto could not judge it",
        NonExecutionKind::AutomodeParsingError => "the mode auto did not judge it",
        NonExecutionKind::Interrupted => "interrupted",
        NonExecutionKind::Cancelled => "cancelled",
        _ => kind.as_str(),
    }
}

fn is_interrupt(kind: &NonExecutionKind) -> bool {
    [NonExecutionKind::Interrupted, NonExecutionKind::Cancelled].contains(kind)
}

/// Returns the content of the element for a tool use whose input is known.
fn call(id: &ToolUseId, tool: &str, input: &Json, at_api: bool) -> Content {
    let typed = ToolInput::of(tool, input).ok();
    let title = match &typed {
        Some(typed) => ToolDisplay::of_input(typed),
        None => ToolDisplay::of(tool, input),
    };
    let title = title.text();
    let diff = typed.as_ref().and_then(FileDiff::of_input);
    if let (Some(ToolInput::Edit(input)), Some(diff)) = (&typed, &diff) {
        let all = input.replace_all == Some(true);
        return edit(id, title, diff, ToolStatus::Running, all);
    }
    let description = match &typed {
        Some(ToolInput::Bash(bash)) => bash.description.clone(),
        Some(ToolInput::Monitor(monitor)) => Some(monitor.description.clone()),
        _ => None,
    };
    Content::ToolCall(ToolCall {
        tool_use_id: id.clone(),
        tool: tool.to_owned(),
        title,
        activity: Activity::of(tool),
        input: Some(input.clone()),
        description,
        status: ToolStatus::Running,
        elapsed_seconds: None,
        diff,
        at_api,
    })
}

fn edit(
    id: &ToolUseId,
    title: String,
    diff: &FileDiff,
    status: ToolStatus,
    replace_all: bool,
) -> Content {
    Content::EditDiff(EditDiff {
        tool_use_id: id.clone(),
        title,
        file_path: diff.path.clone(),
        summary: diff.summary(),
        diff: diff.clone(),
        status,
        replace_all,
    })
}
