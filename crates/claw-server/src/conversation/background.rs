//! Work that runs without a prompt: background tasks, and the turns that follow them.

use std::collections::HashSet;

use claw_types::Message;
use claw_types::message::{SessionState, TaskState};

/// Maximum number of tasks that are counted. The CLI runs far fewer tasks.
const MOST: usize = 1024;
/// Maximum length of a task's ID, in bytes.
const LONGEST: usize = 256;

/// The work that one process does without a prompt.
#[derive(Debug, Default)]
pub(super) struct Background {
    /// The IDs of the running tasks.
    tasks: HashSet<String>,
    /// Whether a turn runs that no prompt has started. In such a turn, the model reads the outcome of a task.
    has_turn: bool,
}

impl Background {
    /// Returns the number of running tasks.
    pub(super) fn tasks(&self) -> u64 {
        self.tasks.len() as u64
    }

    /// Returns whether a turn is running that was not started by a prompt.
    pub(super) fn has_turn(&self) -> bool {
        self.has_turn
    }

    /// Updates the counts from a message of the CLI. `is_prompted` is `true` if a prompt waits for its result.
    pub(super) fn message(&mut self, message: &Message, is_prompted: bool) {
        match message {
            // This message lists all running tasks, so it replaces the known tasks. The oldest CLIs do not send it.
            Message::BackgroundTasksChanged(changed) => {
                self.tasks.clear();
                for task in &changed.tasks {
                    if task.ambient != Some(true) {
                        self.begins(&task.task_id);
                    }
                }
            }
            // The oldest CLIs do not send `is_backgrounded`. For these CLIs, a task in the foreground of a turn is
            // counted too, until it ends.
            Message::TaskStarted(task)
                if task.is_backgrounded != Some(false) && task.ambient != Some(true) =>
            {
                self.begins(&task.task_id);
            }
            Message::TaskUpdated(task) => match (&task.patch.status, task.patch.is_backgrounded) {
                (Some(TaskState::Completed | TaskState::Failed | TaskState::Killed), _)
                | (_, Some(false)) => self.ends(&task.task_id),
                (_, Some(true)) => self.begins(&task.task_id),
                _ => {}
            },
            Message::TaskNotification(task) => self.ends(&task.task_id),
            // Every turn begins with this message. If no prompt waits for a result, no prompt has started this turn.
            Message::SystemInit(_) => self.has_turn = !is_prompted,
            Message::ResultSuccess(_) | Message::ResultError(_) => self.has_turn = false,
            Message::SessionStateChanged(changed) => {
                self.has_turn &= changed.state != SessionState::Idle;
            }
            _ => {}
        }
    }

    fn begins(&mut self, task: &str) {
        if task.len() <= LONGEST && self.tasks.len() < MOST {
            self.tasks.insert(task.to_owned());
        }
    }

    fn ends(&mut self, task: &str) {
        self.tasks.remove(task);
    }
}
