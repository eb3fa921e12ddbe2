//! The sub-agents and tasks of a conversation, as its elements show them.

use std::collections::HashSet;

use claw_view::element::{Content, Element, ElementId, TaskState};
use claw_view::{Change, Elements};

use super::{Conversation, State};

/// Maximum number of running sub-agents that are counted, and maximum number of running tasks. The CLI runs far fewer.
const MOST: usize = 1024;

/// The elements of the running sub-agents and tasks.
#[derive(Debug, Default)]
pub(super) struct RunningTasks {
    agents: HashSet<ElementId>,
    tasks: HashSet<ElementId>,
}

impl RunningTasks {
    /// Updates the running sub-agents and tasks after a change of the elements.
    pub(super) fn change(&mut self, change: &Change) {
        match change {
            Change::Added(element) | Change::Updated(element) => match &element.content {
                Content::Subagent(agent) => set(&mut self.agents, &element.id, agent.state),
                Content::Task(task) => set(&mut self.tasks, &element.id, task.state),
                _ => {}
            },
            Change::Removed(id) => {
                self.agents.remove(id);
                self.tasks.remove(id);
            }
            _ => {}
        }
    }

    /// Writes the numbers of running sub-agents and tasks into the state.
    pub(super) fn count(&self, state: &mut State) {
        state.agents = self.agents.len() as u64;
        state.tasks = self.tasks.len() as u64;
    }
}

fn set(running: &mut HashSet<ElementId>, id: &ElementId, state: TaskState) {
    if state != TaskState::Running {
        running.remove(id);
    } else if running.len() < MOST {
        running.insert(id.clone());
    }
}

impl Conversation {
    /// Returns the elements of the sub-agents and tasks, in order.
    pub fn tasks(&self) -> impl Iterator<Item = &Element> {
        let is_task =
            |element: &&Element| matches!(element.content, Content::Subagent(_) | Content::Task(_));
        self.elements.iter().filter(is_task)
    }

    /// Whether a task or sub-agent with this task ID is running.
    pub fn is_running_task(&self, task: &str) -> bool {
        self.tasks().any(|element| match &element.content {
            Content::Subagent(it) => {
                it.task_id.as_deref() == Some(task) && it.state == TaskState::Running
            }
            Content::Task(it) => it.task_id == task && it.state == TaskState::Running,
            _ => false,
        })
    }
}

/// Returns the name that people see for the sub-agent with this task ID. The name is its description, or its type if it
/// has no description, or the task ID if it has neither.
pub(super) fn agent_name(elements: &Elements, task: &str) -> String {
    let named = elements
        .iter()
        .rev()
        .find_map(|element| match &element.content {
            Content::Subagent(agent) if agent.task_id.as_deref() == Some(task) => {
                let kind = agent.agent_type.clone().unwrap_or_default();
                let names = [agent.description.clone(), kind];
                names.into_iter().find(|name| !name.is_empty())
            }
            _ => None,
        });
    named.unwrap_or_else(|| task.to_owned())
}
