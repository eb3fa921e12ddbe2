//! The to-do list of the model. `TodoWrite` and the task-list tools change it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use claw_types::message::internal::{TaskListStatus, TaskListStatuses};
use claw_types::tool::{
    ListedTask, TaskUpdateInput, TaskUpdateStatus, Todo, TodoStatus, ToolInput, ToolOutput,
};

use super::text::percentage;
use super::{Certainty, Progress, Source, State, in_short};

/// The to-do list. Changing an entry takes the same time in a short list and in a long list.
#[derive(Debug, Default)]
pub(super) struct List {
    /// The entries of the list. The keys are their positions.
    entries: BTreeMap<u64, Entry>,
    /// The positions of the entries that have an ID.
    places: HashMap<String, u64>,
    next: u64,
    completed: u64,
    under_way: BTreeSet<u64>,
}

#[derive(Debug)]
struct Entry {
    /// The ID of the entry. Empty in a list of `TodoWrite`, which is always replaced as a whole.
    id: String,
    subject: String,
    /// The text that is shown while the entry is in progress.
    active: Option<String>,
    status: TodoStatus,
}

impl List {
    /// Replaces the list with the list that `TodoWrite` contains.
    fn replace(&mut self, todos: &[Todo]) {
        *self = Self::default();
        for todo in todos {
            self.push(Entry {
                id: String::new(),
                subject: in_short(&todo.content),
                active: Some(in_short(&todo.active_form)).filter(|text| !text.is_empty()),
                status: todo.status.clone(),
            });
        }
    }

    /// Applies a successful use of `TodoWrite` or of a task-list tool. Returns whether the list changed.
    pub(super) fn apply(&mut self, input: &ToolInput, output: Option<&ToolOutput>) -> bool {
        match (input, output) {
            (ToolInput::TodoWrite(input), _) => {
                self.replace(&input.todos);
                true
            }
            (ToolInput::TaskCreate(input), Some(ToolOutput::TaskCreate(output))) => {
                self.remove(&output.task.id);
                self.push(Entry {
                    id: output.task.id.clone(),
                    subject: in_short(&output.task.subject),
                    active: input.active_form.as_deref().map(in_short),
                    status: TodoStatus::Pending,
                });
                true
            }
            (ToolInput::TaskUpdate(input), Some(ToolOutput::TaskUpdate(output))) => {
                output.success && self.update(input)
            }
            (ToolInput::TaskUpdate(input), None) => self.update(input),
            (ToolInput::TaskList(_), Some(ToolOutput::TaskList(output))) => {
                self.read(&output.tasks);
                true
            }
            _ => false,
        }
    }

    fn update(&mut self, input: &TaskUpdateInput) -> bool {
        if input.status == Some(TaskUpdateStatus::Deleted) {
            return self.remove(&input.task_id).is_some();
        }
        let place = self.places.get(&input.task_id).copied();
        let Some((place, entry)) = place.and_then(|at| Some((at, self.entries.get_mut(&at)?)))
        else {
            return false;
        };
        if let Some(subject) = &input.subject {
            entry.subject = in_short(subject);
        }
        if let Some(active) = &input.active_form {
            entry.active = Some(in_short(active));
        }
        if let Some(status) = &input.status {
            self.set_status(place, &status.as_str().into());
        }
        true
    }

    fn read(&mut self, tasks: &[ListedTask]) {
        let mut before = std::mem::take(self);
        for task in tasks {
            let known = before.remove(&task.id);
            self.push(Entry {
                active: known.and_then(|entry| entry.active),
                id: task.id.clone(),
                subject: in_short(&task.subject),
                status: task.status.clone(),
            });
        }
    }

    /// Applies the statuses that the CLI reports. Returns whether the list contains any of the reported entries.
    pub(super) fn set(&mut self, statuses: &TaskListStatuses) -> bool {
        let mut any = false;
        for reported in &statuses.statuses {
            if let Some(&place) = self.places.get(&reported.id) {
                any = true;
                let status = match reported.status {
                    TaskListStatus::Pending => TodoStatus::Pending,
                    TaskListStatus::InProgress => TodoStatus::InProgress,
                    TaskListStatus::Completed => TodoStatus::Completed,
                    ref other => other.as_str().into(),
                };
                self.set_status(place, &status);
            }
        }
        any
    }

    fn push(&mut self, entry: Entry) {
        let place = self.next;
        self.next += 1;
        if !entry.id.is_empty() {
            self.places.entry(entry.id.clone()).or_insert(place);
        }
        self.count(place, &entry.status);
        self.entries.insert(place, entry);
    }

    fn remove(&mut self, id: &str) -> Option<Entry> {
        let place = self.places.remove(id)?;
        let entry = self.entries.remove(&place)?;
        self.forget(place, &entry.status);
        Some(entry)
    }

    fn set_status(&mut self, place: u64, status: &TodoStatus) {
        let Some(entry) = self.entries.get_mut(&place) else {
            return;
        };
        let before = std::mem::replace(&mut entry.status, status.clone());
        self.forget(place, &before);
        self.count(place, status);
    }

    fn count(&mut self, place: u64, status: &TodoStatus) {
        self.completed += u64::from(*status == TodoStatus::Completed);
        if *status == TodoStatus::InProgress {
            self.under_way.insert(place);
        }
    }

    fn forget(&mut self, place: u64, status: &TodoStatus) {
        self.completed -= u64::from(*status == TodoStatus::Completed);
        self.under_way.remove(&place);
    }

    /// Returns the progress of the list. Returns `None` if the list is empty.
    pub(super) fn progress(&self) -> Option<Progress> {
        let total = u64::try_from(self.entries.len())
            .ok()
            .filter(|total| *total > 0)?;
        let completed = self.completed;
        let under_way = self.under_way.first();
        let under_way = under_way.and_then(|place| self.entries.get(place));
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
