//! Sub-agents and background tasks.

use claw_types::message::{
    TaskNotification, TaskProgress, TaskStarted, TaskState as Patched, TaskStatus, TaskUpdated,
    TaskUsage,
};
use claw_types::{MessageUuid, ToolUseId};

use super::{Origin, Timeline};
use crate::FORKED_COMMAND;
use crate::element::{Content, Element, ElementId, Subagent, Task, TaskState};
use crate::text::{self, short_name};

/// The maximum length of a description, in characters.
const LONGEST: usize = 1_000;

impl Timeline {
    pub(super) fn task_started(&mut self, task: &TaskStarted) {
        let is_agent =
            task.subagent_type.is_some() || task.task_type.as_deref() == Some("local_agent");
        let tool = task.tool_use_id.as_ref();
        let content = if is_agent {
            Content::Subagent(Subagent {
                task_id: Some(short_name(&task.task_id).into_owned()),
                ..subagent(tool, task.subagent_type.as_deref(), &task.description)
            })
        } else {
            let content = Task {
                task_type: task.task_type.as_deref().map(in_short),
                ..plain(&task.task_id, tool, &task.description)
            };
            if task.is_backgrounded == Some(false)
                && let Some(tool) = tool.filter(|tool| self.tools.contains_key(*tool))
            {
                // The turn waits for this command. Its tool use already has an element, so the task gets none for now.
                let started = (task.uuid.clone(), tool.clone(), content);
                self.foreground.insert(task.task_id.clone(), started);
                return;
            }
            Content::Task(content)
        };
        self.begin_task(&task.uuid, &task.task_id, tool, content);
    }

    fn begin_task(
        &mut self,
        uuid: &MessageUuid,
        task: &str,
        tool: Option<&ToolUseId>,
        content: Content,
    ) {
        let from = Origin {
            message: Origin::of(uuid).message,
            ..self.started_by(tool)
        };
        let id = match (&content, tool) {
            (Content::Subagent(_), Some(tool)) => agent_element(tool).to_string(),
            _ => of_task(task),
        };
        if let Some(tool) = tool {
            self.agents.remove(tool);
        }
        let element = self.put(&from, id, content);
        self.tasks.insert(task.to_owned(), element);
    }

    /// Returns the origin for the element of a task or sub-agent. It has the parent and the time of the tool use that
    /// started the task.
    fn started_by(&self, tool: Option<&ToolUseId>) -> Origin {
        let started = tool.and_then(|tool| self.tools.get(tool));
        started.map_or_else(Origin::default, |call| Origin {
            parent: call.element.parent.clone(),
            message: None,
            timestamp: call.element.timestamp.clone(),
        })
    }

    pub(super) fn task_progress(&mut self, task: &TaskProgress) {
        if !self.tasks.contains_key(&task.task_id) {
            let tool = task.tool_use_id.as_ref();
            let agent = subagent(tool, task.subagent_type.as_deref(), &task.description);
            let agent = Subagent {
                task_id: Some(short_name(&task.task_id).into_owned()),
                ..agent
            };
            self.begin_task(&task.uuid, &task.task_id, tool, Content::Subagent(agent));
        }
        self.set_task(&task.task_id, |element| {
            if let Content::Subagent(agent) = &mut element.content {
                agent.doing = Some(in_short(&task.description));
                used(agent, &task.usage);
            }
        });
    }

    pub(super) fn task_updated(&mut self, task: &TaskUpdated) {
        if task.patch.is_backgrounded == Some(true)
            && let Some((uuid, tool, content)) = self.foreground.remove(&task.task_id)
        {
            let content = Content::Task(content);
            self.begin_task(&uuid, &task.task_id, Some(&tool), content);
        }
        let state = task.patch.status.as_ref().map(state_of);
        let description = task.patch.description.as_ref();
        self.set_task(&task.task_id, |element| {
            if let Some(state) = state {
                set_state(element, state);
            }
            let text = match &mut element.content {
                Content::Subagent(agent) => &mut agent.description,
                Content::Task(task) => &mut task.description,
                _ => return,
            };
            if let Some(description) = description {
                *text = in_short(description);
            }
        });
    }

    pub(super) fn task_notification(&mut self, task: &TaskNotification) {
        let state = match task.status {
            TaskStatus::Failed => TaskState::Failed,
            TaskStatus::Stopped => TaskState::Stopped,
            _ => TaskState::Completed,
        };
        if let Some(usage) = &task.usage
            && let Some(Content::Subagent(agent)) = self
                .tasks
                .get_mut(&task.task_id)
                .map(|element| &mut element.content)
        {
            used(agent, usage);
        }
        let from = Origin::of(&task.uuid);
        let tool = task.tool_use_id.as_ref();
        self.task_ends(&from, &task.task_id, tool, state, &task.summary);
    }

    /// Handles the end of a task. Unless the task starts again, no further message is about it.
    pub(super) fn task_ends(
        &mut self,
        from: &Origin,
        id: &str,
        tool: Option<&ToolUseId>,
        state: TaskState,
        summary: &str,
    ) {
        if self.foreground.remove(id).is_some() {
            return;
        }
        // In a transcript, the start of the task is not reported. So the sub-agent is found by the tool use that
        // started it.
        let known = self.tasks.remove(id);
        let known = known.or_else(|| self.agents.remove(tool?));
        let Some(mut element) = known else {
            let content = Task {
                state,
                summary: Some(summary.to_owned()),
                ..plain(id, tool, "")
            };
            // There is nothing to update: the end was already reported, or the start of the task was not received.
            if self.ids.has(&of_task(id))
                || tool.is_some_and(|tool| self.ids.has(agent_element(tool).as_str()))
            {
                return;
            }
            self.put(from, of_task(id), Content::Task(content));
            return;
        };
        set_state(&mut element, state);
        match &mut element.content {
            Content::Subagent(agent) => agent.summary = Some(summary.to_owned()),
            Content::Task(task) => task.summary = Some(summary.to_owned()),
            _ => {}
        }
        self.update(&element);
    }

    /// Handles the end of the process. Sub-agents and tasks that were running have stopped.
    pub(super) fn process_ended(&mut self) {
        self.foreground.clear();
        let tasks = std::mem::take(&mut self.tasks).into_values();
        let agents = std::mem::take(&mut self.agents).into_values();
        let mut running: Vec<_> = tasks.chain(agents).filter(is_running).collect();
        running.sort_by(|a, b| a.id.cmp(&b.id));
        for mut element in running {
            set_state(&mut element, TaskState::Stopped);
            self.update(&element);
        }
    }

    fn set_task(&mut self, id: &str, set: impl FnOnce(&mut Element)) {
        if let Some(element) = self.tasks.get_mut(id) {
            set(element);
            let element = element.clone();
            self.update(&element);
        }
    }

    /// Handles a message of a sub-agent. If the start of the sub-agent was not reported, adds its element.
    pub(super) fn subagent_message(
        &mut self,
        from: &Origin,
        kind: Option<&str>,
        description: Option<&str>,
    ) {
        let Some(tool) = &from.parent else {
            return;
        };
        let id = agent_element(tool).to_string();
        if self.ids.has(&id) {
            return;
        }
        let agent = subagent(Some(tool), kind, description.unwrap_or_default());
        let element = self.add(&self.started_by(Some(tool)), id, Content::Subagent(agent));
        self.agents.insert(tool.clone(), element);
        if tool.as_str().starts_with(FORKED_COMMAND) {
            self.forked_command = Some(tool.clone());
        }
    }

    /// Handles the end of a sub-agent whose task is unknown. The sub-agent is found by the tool use that started it.
    pub(super) fn agent_ends(&mut self, tool: &ToolUseId, state: TaskState) {
        self.blocks.remove(&Some(tool.clone()));
        if let Some(mut element) = self.agents.remove(tool) {
            set_state(&mut element, state);
            self.update(&element);
        }
    }
}

fn set_state(element: &mut Element, state: TaskState) {
    match &mut element.content {
        Content::Subagent(agent) => {
            agent.state = state;
            agent.doing = None;
        }
        Content::Task(task) => task.state = state,
        _ => {}
    }
}

fn is_running(element: &Element) -> bool {
    match &element.content {
        Content::Subagent(agent) => agent.state == TaskState::Running,
        Content::Task(task) => task.state == TaskState::Running,
        _ => false,
    }
}

fn subagent(tool: Option<&ToolUseId>, kind: Option<&str>, description: &str) -> Subagent {
    Subagent {
        tool_use_id: tool.map(|id| ToolUseId::from(&*short_name(id.as_str()))),
        task_id: None,
        agent_type: kind.map(in_short),
        description: in_short(description),
        state: TaskState::Running,
        doing: None,
        summary: None,
        tokens: None,
        tool_uses: None,
        duration_ms: None,
    }
}

fn plain(id: &str, tool: Option<&ToolUseId>, description: &str) -> Task {
    Task {
        task_id: short_name(id).into_owned(),
        task_type: None,
        tool_use_id: tool.map(|id| ToolUseId::from(&*short_name(id.as_str()))),
        description: in_short(description),
        state: TaskState::Running,
        summary: None,
    }
}

/// Returns the ID of the element of the sub-agent that a tool use has started. In the list of elements, all elements
/// whose `parent` is this tool use come after it.
pub fn agent_element(tool: &ToolUseId) -> ElementId {
    ElementId::new(format!("{}.agent", short_name(tool.as_str())))
}

/// Returns the ID of the element of a task.
fn of_task(task: &str) -> String {
    format!("task.{}", short_name(task))
}

/// Shortens a description. Long descriptions are shortened, because each change of an element contains the description
/// again.
fn in_short(text: &str) -> String {
    text::cut(text, LONGEST).into_owned()
}

fn used(agent: &mut Subagent, usage: &TaskUsage) {
    agent.tokens = Some(usage.total_tokens.get());
    agent.tool_uses = Some(usage.tool_uses.get());
    agent.duration_ms = Some(usage.duration_ms.as_f64());
}

fn state_of(state: &Patched) -> TaskState {
    match *state {
        Patched::Completed => TaskState::Completed,
        Patched::Failed => TaskState::Failed,
        Patched::Killed => TaskState::Stopped,
        _ => TaskState::Running,
    }
}
