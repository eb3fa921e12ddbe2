//! Converts tool uses to tool calls of the protocol.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use agent_client_protocol::v1::schema::{
    Content as BlockContent, ContentBlock, ContentChunk, Diff, Meta, SessionUpdate, Terminal,
    TerminalId, ToolCall, ToolCallContent, ToolCallId, ToolCallLocation, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use claw_types::tool::ToolInput;
use claw_types::{Json, ToolUseId};
use claw_view::diff::{FileDiff, FileStatus, LineKind};
use claw_view::element::{self, EditDiff, TaskState, ToolResult, ToolStatus};
use claw_view::{Activity, Element, ElementId};
use serde_json::json;

use super::text_block;
use crate::offer::Offer;

/// The maximum number of finished tool calls whose content is remembered. The content is needed because an image of a
/// result follows after its text.
const FINISHED: usize = 16;
/// The minimum number of tool calls without a result that are remembered. At most twice as many are remembered. The
/// number is limited because an interrupted call may never get a result.
const OPEN: usize = 1024;
/// The maximum size of a sent text of a tool result, in bytes. A longer text is cut in the middle.
const RESULT: usize = 256 << 10;
/// The maximum size of a title, in bytes. The raw input contains the whole command.
const TITLE: usize = 16 << 10;

/// The state of tool calls that have no result yet, and the kinds of streaming texts.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    open: HashMap<ToolUseId, Open>,
    /// The keys of `open`, the oldest first. Keys that were removed from `open` may still be here.
    opened: VecDeque<ToolUseId>,
    finished: VecDeque<(ToolUseId, Vec<ToolCallContent>)>,
    thoughts: HashMap<ElementId, bool>,
}

/// A tool call without a result.
#[derive(Debug, Default)]
struct Open {
    /// The content that the client still shows when the result arrives: the change of a file, or the plan.
    shown: Vec<ToolCallContent>,
    /// Whether the output is shown as a terminal.
    terminal: bool,
}

impl ToolCalls {
    /// Remembers whether a streaming text is thinking.
    pub(super) fn speak(&mut self, id: &ElementId, thought: bool, streaming: bool) {
        if streaming {
            self.thoughts.insert(id.clone(), thought);
        } else {
            self.thoughts.remove(id);
        }
    }

    /// Remembers a tool call until its result arrives.
    fn remember(&mut self, id: &ToolUseId, call: Open) {
        if self.open.insert(id.clone(), call).is_none() {
            self.opened.push_back(id.clone());
        }
        // The keys are cleaned up rarely, so that the average work for a call stays constant.
        if self.opened.len() > 2 * OPEN {
            self.opened.retain(|id| self.open.contains_key(id));
            let excess = self.opened.len().saturating_sub(OPEN);
            for oldest in self.opened.drain(..excess) {
                self.open.remove(&oldest);
            }
        }
    }

    /// Returns the update for a chunk of a streaming text. The kind of the update depends on whether the text is
    /// thinking.
    pub(super) fn text_of(&self, id: &ElementId, chunk: ContentChunk) -> SessionUpdate {
        if self.thoughts.get(id) == Some(&true) {
            SessionUpdate::AgentThoughtChunk(chunk)
        } else {
            SessionUpdate::AgentMessageChunk(chunk)
        }
    }

    pub(super) fn forget(&mut self, id: &ElementId) {
        self.thoughts.remove(id);
        self.open.remove(&ToolUseId::from(id.as_str()));
    }

    /// Adds the updates for a new or changed tool call.
    pub(super) fn call(
        &mut self,
        offer: &Offer,
        element: &Element,
        call: &element::ToolCall,
        known: bool,
        updates: &mut Vec<SessionUpdate>,
    ) {
        let id = &call.tool_use_id;
        let shown = shown(offer, &call.tool, call.input.as_ref(), call.diff.as_ref());
        let terminal = is_in_terminal(offer, &call.tool);
        let mut content = shown.clone();
        if terminal {
            content.push(screen(id));
        }
        if !has_ended(call.status) {
            self.remember(id, Open { shown, terminal });
        } else if let Some(open) = self.open.get_mut(id) {
            open.shown = shown;
        }
        let title = title(&call.tool, call.input.as_ref(), &call.title);
        let kind = kind(&call.tool, call.activity);
        let input = call.input.as_ref().and_then(value);
        let places = call.input.as_ref().map(locations).unwrap_or_default();
        if known {
            let mut fields = ToolCallUpdateFields::new()
                .title(title)
                .status(status(call.status))
                .raw_input(input);
            if !places.is_empty() {
                fields = fields.locations(places);
            }
            if !content.is_empty() {
                fields = fields.content(content);
            }
            updates.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(
                call_id(id),
                fields,
            )));
        } else {
            let mut meta = meta(element, &call.tool);
            if terminal {
                meta.insert("terminal_info".to_owned(), json!({"terminal_id": id}));
            }
            let sent = ToolCall::new(call_id(id), title)
                .name(call.tool.clone())
                .kind(kind)
                .status(status(call.status))
                .content(content)
                .locations(places)
                .raw_input(input)
                .meta(meta);
            updates.push(SessionUpdate::ToolCall(sent));
        }
    }

    /// Adds the updates for a new or changed replacement in a file.
    pub(super) fn edit(
        &mut self,
        offer: &Offer,
        element: &Element,
        edit: &EditDiff,
        known: bool,
        updates: &mut Vec<SessionUpdate>,
    ) {
        let id = &edit.tool_use_id;
        let diffs = diffs(offer, &edit.diff);
        if !has_ended(edit.status) {
            let open = Open {
                shown: diffs.clone(),
                terminal: false,
            };
            self.remember(id, open);
        } else if let Some(open) = self.open.get_mut(id) {
            open.shown.clone_from(&diffs);
        }
        let first = edit.diff.hunks.first().filter(|_| edit.diff.numbered);
        let line = first.and_then(|hunk| u32::try_from(hunk.new_start).ok());
        let place = ToolCallLocation::new(&edit.file_path).line(line);
        let is_known_path = !edit.file_path.is_empty();
        let places: Vec<_> = is_known_path.then_some(place).into_iter().collect();
        if known {
            let mut fields = ToolCallUpdateFields::new()
                .title(edit.title.clone())
                .status(status(edit.status));
            if !diffs.is_empty() {
                fields = fields.content(diffs).locations(places);
            }
            updates.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(
                call_id(id),
                fields,
            )));
        } else {
            let sent = ToolCall::new(call_id(id), &edit.title)
                .name("Edit".to_owned())
                .kind(ToolKind::Edit)
                .status(status(edit.status))
                .content(diffs)
                .locations(places)
                .meta(meta(element, "Edit"));
            updates.push(SessionUpdate::ToolCall(sent));
        }
    }

    /// Adds the updates for the result of a tool call.
    pub(super) fn result(
        &mut self,
        offer: &Offer,
        result: &ToolResult,
        updates: &mut Vec<SessionUpdate>,
    ) {
        let id = &result.tool_use_id;
        let open = self.open.remove(id).unwrap_or_default();
        let failed = result.is_error || result.denial.is_some();
        let status = if failed {
            ToolCallStatus::Failed
        } else {
            ToolCallStatus::Completed
        };
        let text = result.shown.as_deref().unwrap_or(&result.text);
        let text = cut(text, RESULT);
        let mut fields = ToolCallUpdateFields::new().status(status);
        let mut content = open.shown;
        let mut meta = Meta::new();
        if open.terminal && offer.terminal_output {
            meta.insert(
                "terminal_output".to_owned(),
                json!({"terminal_id": id, "data": text}),
            );
            meta.insert(
                "terminal_exit".to_owned(),
                json!({"terminal_id": id, "exit_code": exit_code(result), "signal": null}),
            );
            content.push(screen(id));
        } else if !text.is_empty() && (failed || content.is_empty()) {
            content.push(block(text_block(&text)));
        }
        if !content.is_empty() {
            fields = fields.content(content.clone());
        }
        let mut update = ToolCallUpdate::new(call_id(id), fields);
        if !meta.is_empty() {
            update = update.meta(meta);
        }
        updates.push(SessionUpdate::ToolCallUpdate(update));
        if self.finished.len() == FINISHED {
            self.finished.pop_front();
        }
        self.finished.push_back((id.clone(), content));
    }

    /// Adds the update for an image in the result of a tool call.
    pub(super) fn image(
        &mut self,
        tool: &str,
        image: ContentBlock,
        updates: &mut Vec<SessionUpdate>,
    ) {
        let mut finished = self.finished.iter_mut();
        let known = finished.find(|(id, _)| id.as_str() == tool);
        let content = known.map(|(_, content)| {
            content.push(block(image.clone()));
            content.clone()
        });
        let content = content.unwrap_or_else(|| vec![block(image)]);
        let fields = ToolCallUpdateFields::new().content(content);
        updates.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(
            ToolCallId::new(tool),
            fields,
        )));
    }

    /// Adds the update for the outcome of background work. Such work continues after its tool call has a result.
    pub(super) fn outcome(
        &mut self,
        id: &ToolUseId,
        state: TaskState,
        summary: &str,
        updates: &mut Vec<SessionUpdate>,
    ) {
        // The result of a sub-agent in the foreground contains its outcome.
        if self.open.contains_key(id) {
            return;
        }
        let status = match state {
            TaskState::Completed => ToolCallStatus::Completed,
            _ => ToolCallStatus::Failed,
        };
        let fields = ToolCallUpdateFields::new()
            .status(status)
            .content(vec![block(text_block(&cut(summary, RESULT)))]);
        updates.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(
            call_id(id),
            fields,
        )));
    }
}

/// Converts the ID of a tool use to the ID of its tool call.
pub(crate) fn call_id(id: &ToolUseId) -> ToolCallId {
    ToolCallId::new(id.as_str())
}

/// Returns the content that the client shows for a tool call until its result arrives: the change of a file, or the
/// plan.
fn shown(
    offer: &Offer,
    tool: &str,
    input: Option<&Json>,
    diff: Option<&FileDiff>,
) -> Vec<ToolCallContent> {
    let text = |name: &str| {
        let found = input?.get(name)?;
        found.as_str().map(std::borrow::Cow::into_owned)
    };
    let mut shown = diff.map(|diff| diffs(offer, diff)).unwrap_or_default();
    match tool {
        // The lines of a diff do not show whether the file ends with a line ending, so the written text is used.
        "Write" => {
            if let ([ToolCallContent::Diff(diff)], Some(text)) = (&mut *shown, text("content"))
                && diff.old_text.as_deref().unwrap_or_default().is_empty()
            {
                diff.new_text = text;
                // The previous contents of the file are unknown.
                diff.old_text = None;
            }
        }
        "ExitPlanMode" => shown.extend(text("plan").map(|plan| block(text_block(&plan)))),
        _ => {}
    }
    shown
}

/// Returns the content that the client shows for a tool call that needs a permission. A plan is not included.
pub(crate) fn asked_for(
    offer: &Offer,
    id: &ToolUseId,
    tool: &str,
    input: &Json,
) -> Vec<ToolCallContent> {
    if is_in_terminal(offer, tool) {
        return vec![screen(id)];
    }
    let typed = ToolInput::of(tool, input).ok();
    let diff = typed.as_ref().and_then(FileDiff::of_input);
    diff.map(|diff| shown(offer, tool, Some(input), Some(&diff)))
        .unwrap_or_default()
}

/// Whether the output of a tool is shown as a terminal.
fn is_in_terminal(offer: &Offer, tool: &str) -> bool {
    offer.terminal_output && tool == "Bash"
}

/// Returns the terminal of a tool call.
fn screen(id: &ToolUseId) -> ToolCallContent {
    ToolCallContent::Terminal(Terminal::new(TerminalId::new(id.as_str())))
}

fn block(block: ContentBlock) -> ToolCallContent {
    ToolCallContent::Content(BlockContent::new(block))
}

/// Returns the exit code of a command, or `None` if the command was not run or the CLI does not report the code.
fn exit_code(result: &ToolResult) -> Option<i64> {
    if result.denial.is_some() {
        return None;
    }
    if !result.is_error {
        return Some(0);
    }
    let rest = result.text.strip_prefix("Exit code ")?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit());
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

/// Returns the title of a tool call. For a command, the title is the whole command, because the person who allows it
/// must see all of it.
pub(crate) fn title(tool: &str, input: Option<&Json>, otherwise: &str) -> String {
    let command = input
        .filter(|_| Activity::of(tool) == Activity::Command)
        .and_then(|input| input.get("command"));
    let command = command.as_ref().and_then(Json::as_str);
    command.map_or_else(|| otherwise.to_owned(), |command| cut(&command, TITLE))
}

/// Removes the middle of a long text.
fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let half = most / 2;
    let head = text.floor_char_boundary(half);
    let tail = text.ceil_char_boundary(text.len() - half);
    let left_out = tail - head;
    format!(
        "{}\n\n… {left_out} bytes are left out …\n\n{}",
        &text[..head],
        &text[tail..]
    )
}

/// Returns metadata with the name of the tool and, for a tool use of a sub-agent, the tool use that started the
/// sub-agent.
fn meta(element: &Element, tool: &str) -> Meta {
    let mut claw = serde_json::Map::new();
    claw.insert("toolName".to_owned(), json!(tool));
    if let Some(parent) = &element.parent {
        claw.insert("parentToolUseId".to_owned(), json!(parent));
    }
    let mut meta = Meta::new();
    meta.insert("claudeCode".to_owned(), claw.into());
    meta
}

fn has_ended(status: ToolStatus) -> bool {
    !matches!(
        status,
        ToolStatus::Streaming | ToolStatus::Running | ToolStatus::Asking
    )
}

fn status(status: ToolStatus) -> ToolCallStatus {
    match status {
        ToolStatus::Running => ToolCallStatus::InProgress,
        ToolStatus::Done => ToolCallStatus::Completed,
        ToolStatus::Failed | ToolStatus::Denied | ToolStatus::Interrupted => ToolCallStatus::Failed,
        _ => ToolCallStatus::Pending,
    }
}

/// Returns the kind of the tool in the protocol's terms.
pub(crate) fn operation(tool: &str) -> ToolKind {
    kind(tool, Activity::of(tool))
}

fn kind(tool: &str, activity: Activity) -> ToolKind {
    match (tool, activity) {
        ("ExitPlanMode" | "EnterPlanMode", _) => ToolKind::SwitchMode,
        ("TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "TaskGet", _)
        | (_, Activity::Agent) => ToolKind::Think,
        (_, Activity::FileRead) => ToolKind::Read,
        (_, Activity::FileSearch) => ToolKind::Search,
        (_, Activity::CodeChange) => ToolKind::Edit,
        (_, Activity::Command) => ToolKind::Execute,
        (_, Activity::Web) => ToolKind::Fetch,
        _ => ToolKind::Other,
    }
}

/// Returns the files that a tool's input names, so that an editor can open them while the agent works.
pub(crate) fn locations(input: &Json) -> Vec<ToolCallLocation> {
    let text = |name: &str| {
        let found = input.get(name)?;
        found.as_str().map(std::borrow::Cow::into_owned)
    };
    let path = text("file_path").or_else(|| text("notebook_path"));
    let path = path.or_else(|| text("path"));
    let line = input.get("offset").and_then(|line| line.as_u64());
    let line = line.and_then(|line| u32::try_from(line).ok());
    let place = path.map(|path| ToolCallLocation::new(PathBuf::from(path)).line(line));
    place.into_iter().collect()
}

/// Converts JSON of the CLI to a value of the protocol's crate. Returns `None` if this is impossible, for example for
/// numbers that are too large.
pub(crate) fn value(json: &Json) -> Option<serde_json::Value> {
    json.to_value().ok()
}

/// Returns the changed passages of a file, each as a diff.
fn diffs(offer: &Offer, diff: &FileDiff) -> Vec<ToolCallContent> {
    if diff.path.is_empty() || diff.binary {
        return Vec::new();
    }
    #[cfg(feature = "v2-draft")]
    if offer.patches {
        return vec![ToolCallContent::Diff(crate::v2::carry(diff))];
    }
    #[cfg(not(feature = "v2-draft"))]
    let _ = offer;
    let is_new = diff.status == FileStatus::Added;
    let passages = diff.hunks.iter().map(|hunk| {
        let side = |other: LineKind| {
            let lines = hunk.lines.iter().filter(|line| line.kind != other);
            let lines: Vec<_> = lines.map(|line| line.text.as_str()).collect();
            lines.join("\n")
        };
        let old = (!is_new).then(|| side(LineKind::Added));
        let diff = Diff::new(&diff.path, side(LineKind::Removed)).old_text(old);
        ToolCallContent::Diff(diff)
    });
    passages.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_call_is_remembered_and_those_without_a_result_are_bounded() {
        let mut calls = ToolCalls::default();
        let long = ToolUseId::from("long");
        calls.remember(&long, Open::default());
        for number in 0..8_000 {
            let id = ToolUseId::from(format!("ended-{number}"));
            calls.remember(&id, Open::default());
            calls.open.remove(&id);
        }
        assert!(calls.open.contains_key(&long));
        for number in 0..8_000 {
            let id = ToolUseId::from(format!("open-{number}"));
            calls.remember(&id, Open::default());
        }
        assert!(!calls.open.contains_key(&long));
        assert!((OPEN..=2 * OPEN).contains(&calls.open.len()));
        assert!(calls.opened.len() <= 2 * OPEN);
    }
}
