//! Converts the to-do list of the model to the protocol's plan.

use std::collections::BTreeMap;

use agent_client_protocol::v1::schema::{
    Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate,
};
use claw_types::tool::{TaskUpdateStatus, Todo, TodoStatus, ToolInput};
use claw_types::{Json, ToolUseId};
use claw_view::element::{ToolCall, ToolResult, ToolStatus};

/// The maximum number of entries in a plan.
const MOST: usize = 1000;

/// The entries of the to-do list, which the tools `TodoWrite`, `TaskCreate` and `TaskUpdate` change.
#[derive(Debug, Default)]
pub(super) struct PlanEntries {
    entries: BTreeMap<u64, PlanEntry>,
    /// The titles of entries that are being created, with the IDs of the tool uses that create them. These tool uses
    /// have no result yet.
    created: Vec<(ToolUseId, String)>,
    /// The plan that was sent to the client.
    sent: Vec<PlanEntry>,
}

impl PlanEntries {
    /// Handles a tool call. Returns the plan if the call changes it.
    pub(super) fn call(&mut self, call: &ToolCall) -> Option<SessionUpdate> {
        if call.status == ToolStatus::Streaming {
            return None;
        }
        match typed(&call.tool, call.input.as_ref()?)? {
            ToolInput::TodoWrite(input) => {
                let todos = input.todos.iter().take(MOST).enumerate();
                let entries = todos.map(|(at, todo)| (at as u64, entry(todo)));
                self.entries = entries.collect();
                self.plan()
            }
            ToolInput::TaskCreate(input) => {
                let is_new = |(id, _): &(ToolUseId, String)| *id != call.tool_use_id;
                if self.created.len() < MOST && self.created.iter().all(is_new) {
                    self.created.push((call.tool_use_id.clone(), input.subject));
                }
                None
            }
            ToolInput::TaskUpdate(input) => {
                let number: u64 = input.task_id.parse().ok()?;
                if input.status == Some(TaskUpdateStatus::Deleted) {
                    self.entries.remove(&number)?;
                    return self.plan();
                }
                let entry = self.entries.get_mut(&number)?;
                if let Some(subject) = input.subject {
                    entry.content = subject;
                }
                entry.status = match input.status {
                    Some(TaskUpdateStatus::Pending) => PlanEntryStatus::Pending,
                    Some(TaskUpdateStatus::InProgress) => PlanEntryStatus::InProgress,
                    Some(TaskUpdateStatus::Completed) => PlanEntryStatus::Completed,
                    _ => entry.status.clone(),
                };
                self.plan()
            }
            _ => None,
        }
    }

    /// Handles the result of a tool use. The result of `TaskCreate` contains the number of the new entry.
    pub(super) fn result(&mut self, result: &ToolResult) -> Option<SessionUpdate> {
        let is_it = |(id, _): &(ToolUseId, String)| *id == result.tool_use_id;
        let at = self.created.iter().position(is_it)?;
        let (_, subject) = self.created.remove(at);
        if result.is_error || self.entries.len() >= MOST {
            return None;
        }
        let next = self
            .entries
            .last_key_value()
            .map_or(1, |(last, _)| last + 1);
        let number = number_in(&result.text).unwrap_or(next);
        let entry = PlanEntry::new(subject, PlanEntryPriority::Medium, PlanEntryStatus::Pending);
        self.entries.insert(number, entry);
        self.plan()
    }

    /// Removes all entries, as `/clear` does. Returns an empty plan if the client still shows entries.
    pub(super) fn clear(&mut self) -> Option<SessionUpdate> {
        self.entries.clear();
        self.created.clear();
        self.plan()
    }

    /// Returns the plan if it differs from the plan that was sent to the client.
    fn plan(&mut self) -> Option<SessionUpdate> {
        let entries: Vec<_> = self.entries.values().cloned().collect();
        if entries == self.sent {
            return None;
        }
        self.sent.clone_from(&entries);
        Some(SessionUpdate::Plan(Plan::new(entries)))
    }
}

/// Returns the number after the first `#` of a text, as in "Task #3 created".
fn number_in(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once('#')?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit());
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

fn typed(tool: &str, input: &Json) -> Option<ToolInput> {
    ToolInput::of(tool, input).ok()
}

fn entry(todo: &Todo) -> PlanEntry {
    let status = match todo.status {
        TodoStatus::InProgress => PlanEntryStatus::InProgress,
        TodoStatus::Completed => PlanEntryStatus::Completed,
        _ => PlanEntryStatus::Pending,
    };
    PlanEntry::new(&todo.content, PlanEntryPriority::Medium, status)
}
