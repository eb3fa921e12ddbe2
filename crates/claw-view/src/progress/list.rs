//! The list of what is to do, as `TodoWrite` and the tools of the task list keep it.

use claw_types::message::{TaskListStatus, TaskListStatuses};
use claw_types::tool::{
    ListedTask, TaskUpdateInput, TaskUpdateStatus, Todo, TodoStatus, ToolInput, ToolOutput,
};

use super::text::percentage;
use super::{Certainty, Progress, Source, State};

/// The list.
#[derive(Debug, Default)]
pub(super) struct List(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    /// Empty in a list that is always written as a whole.
    id: String,
    subject: String,
    /// What is said while it is done.
    active: Option<String>,
    status: TodoStatus,
}

impl List {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes the list from `TodoWrite`.
    pub(super) fn replace(&mut self, todos: &[Todo]) {
        let entry = |todo: &Todo| Entry {
            id: String::new(),
            subject: todo.content.clone(),
            active: Some(todo.active_form.clone()).filter(|text| !text.is_empty()),
            status: todo.status.clone(),
        };
        self.0 = todos.iter().map(entry).collect();
    }

    /// Does what a tool of the task list did: what it was given, and what it gave. Says whether that
    /// was anything.
    pub(super) fn apply(&mut self, input: &ToolInput, output: Option<&ToolOutput>) -> bool {
        match (input, output) {
            (ToolInput::TaskCreate(input), Some(ToolOutput::TaskCreate(output))) => {
                self.0.retain(|entry| entry.id != output.task.id);
                self.0.push(Entry {
                    id: output.task.id.clone(),
                    subject: output.task.subject.clone(),
                    active: input.active_form.clone(),
                    status: TodoStatus::Pending,
                });
                true
            }
            (ToolInput::TaskUpdate(input), Some(ToolOutput::TaskUpdate(output))) => {
                output.success && self.update(input)
            }
            (ToolInput::TaskUpdate(input), None) => self.update(input),
            (ToolInput::TaskList(_), Some(ToolOutput::TaskList(output))) => {
                self.read(&output.tasks)
            }
            _ => false,
        }
    }

    fn update(&mut self, input: &TaskUpdateInput) -> bool {
        if input.status == Some(TaskUpdateStatus::Deleted) {
            let before = self.0.len();
            self.0.retain(|entry| entry.id != input.task_id);
            return self.0.len() < before;
        }
        let Some(entry) = self.0.iter_mut().find(|entry| entry.id == input.task_id) else {
            return false;
        };
        if let Some(subject) = &input.subject {
            entry.subject.clone_from(subject);
        }
        if input.active_form.is_some() {
            entry.active.clone_from(&input.active_form);
        }
        if let Some(status) = &input.status {
            entry.status = status.as_str().into();
        }
        true
    }

    fn read(&mut self, tasks: &[ListedTask]) -> bool {
        let mut before = std::mem::take(&mut self.0);
        let entry = |task: &ListedTask| Entry {
            active: before
                .iter_mut()
                .find_map(|entry| entry.active.take_if(|_| entry.id == task.id)),
            id: task.id.clone(),
            subject: task.subject.clone(),
            status: task.status.clone(),
        };
        self.0 = tasks.iter().map(entry).collect();
        true
    }

    /// Takes what the CLI says of entries. Says whether any is on the list.
    pub(super) fn set(&mut self, statuses: &TaskListStatuses) -> bool {
        let mut any = false;
        for said in &statuses.statuses {
            if let Some(entry) = self.0.iter_mut().find(|entry| entry.id == said.id) {
                any = true;
                entry.status = match said.status {
                    TaskListStatus::Pending => TodoStatus::Pending,
                    TaskListStatus::InProgress => TodoStatus::InProgress,
                    TaskListStatus::Completed => TodoStatus::Completed,
                    ref other => other.as_str().into(),
                };
            }
        }
        any
    }

    /// How far the list has come. None for an empty one.
    pub(super) fn progress(&self) -> Option<Progress> {
        let total = u64::try_from(self.0.len())
            .ok()
            .filter(|total| *total > 0)?;
        let is = |status: TodoStatus| move |entry: &&Entry| entry.status == status;
        let completed = self.0.iter().filter(is(TodoStatus::Completed)).count();
        let completed = u64::try_from(completed).unwrap_or(total);
        let under_way = self.0.iter().find(is(TodoStatus::InProgress));
        Some(Progress {
            step: under_way.map(|entry| entry.active.as_ref().unwrap_or(&entry.subject).clone()),
            state: if completed == total {
                State::Completed
            } else {
                State::Running
            },
            completed: Some(completed),
            total: Some(total),
            percentage: Some(percentage(completed, total)),
            ..Progress::new(Source::TodoList, Certainty::Certain)
        })
    }
}
