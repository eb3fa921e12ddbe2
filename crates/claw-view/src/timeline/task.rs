//! Sub-agents and tasks in the background.

use claw_types::message::{
    TaskNotification, TaskProgress, TaskStarted, TaskState as Patched, TaskStatus, TaskUpdated,
    TaskUsage,
};
use claw_types::{MessageUuid, ToolUseId};

use super::{Place, Timeline};
use crate::FORKED_COMMAND;
use crate::element::{Content, Element, Subagent, Task, TaskState};

impl Timeline {
    pub(super) fn task_started(&mut self, task: &TaskStarted) {
        let is_agent =
            task.subagent_type.is_some() || task.task_type.as_deref() == Some("local_agent");
        let tool = task.tool_use_id.as_ref();
        let content = if is_agent {
            Content::Subagent(Subagent {
                task_id: Some(task.task_id.clone()),
                ..subagent(tool, task.subagent_type.as_deref(), &task.description)
            })
        } else {
            Content::Task(Task {
                task_type: task.task_type.clone(),
                ..plain(&task.task_id, tool, &task.description)
            })
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
        let from = Place {
            parent: tool.and_then(|tool| self.tools.get(tool)?.element.parent.clone()),
            message: Some(uuid.clone()),
            timestamp: None,
        };
        let id = match (&content, tool) {
            (Content::Subagent(_), Some(tool)) => format!("{tool}.agent"),
            _ => format!("task.{task}"),
        };
        if let Some(tool) = tool {
            self.agents.remove(tool);
        }
        let element = self.put(&from, id, content);
        self.tasks.insert(task.to_owned(), element);
    }

    pub(super) fn task_progress(&mut self, task: &TaskProgress) {
        if !self.tasks.contains_key(&task.task_id) {
            let tool = task.tool_use_id.as_ref();
            let agent = subagent(tool, task.subagent_type.as_deref(), &task.description);
            let agent = Subagent {
                task_id: Some(task.task_id.clone()),
                ..agent
            };
            self.begin_task(&task.uuid, &task.task_id, tool, Content::Subagent(agent));
        }
        self.set_task(&task.task_id, |element| {
            if let Content::Subagent(agent) = &mut element.content {
                agent.doing = Some(task.description.clone());
                used(agent, &task.usage);
            }
        });
    }

    pub(super) fn task_updated(&mut self, task: &TaskUpdated) {
        let state = task.patch.status.as_ref().map(state_of);
        let description = task.patch.description.as_ref();
        self.set_task(&task.task_id, |element| {
            let (at, text) = match &mut element.content {
                Content::Subagent(agent) => (&mut agent.state, &mut agent.description),
                Content::Task(task) => (&mut task.state, &mut task.description),
                _ => return,
            };
            *at = state.unwrap_or(*at);
            if let Some(description) = description {
                text.clone_from(description);
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
        let from = Place::of(&task.uuid);
        let tool = task.tool_use_id.as_ref();
        self.task_ends(&from, &task.task_id, tool, state, &task.summary);
    }

    /// A task is over, and is not heard of again unless it begins anew.
    pub(super) fn task_ends(
        &mut self,
        from: &Place,
        id: &str,
        tool: Option<&ToolUseId>,
        state: TaskState,
        summary: &str,
    ) {
        let Some(mut element) = self.tasks.remove(id) else {
            let content = Task {
                state,
                summary: Some(summary.to_owned()),
                ..plain(id, tool, "")
            };
            // It was told before by another line, or its beginning was not seen.
            if self.ids.contains(&super::hash(&format!("task.{id}")))
                || tool
                    .is_some_and(|tool| self.ids.contains(&super::hash(&format!("{tool}.agent"))))
            {
                return;
            }
            self.put(from, format!("task.{id}"), Content::Task(content));
            return;
        };
        match &mut element.content {
            Content::Subagent(agent) => {
                agent.state = state;
                agent.doing = None;
                agent.summary = Some(summary.to_owned());
            }
            Content::Task(task) => {
                task.state = state;
                task.summary = Some(summary.to_owned());
            }
            _ => {}
        }
        self.update(&element);
    }

    fn set_task(&mut self, id: &str, set: impl FnOnce(&mut Element)) {
        if let Some(element) = self.tasks.get_mut(id) {
            set(element);
            let element = element.clone();
            self.update(&element);
        }
    }

    /// A sub-agent says something, of which nobody said that it began.
    pub(super) fn speaks(&mut self, from: &Place, kind: Option<&str>, description: Option<&str>) {
        let Some(tool) = &from.parent else {
            return;
        };
        let id = format!("{tool}.agent");
        if self.ids.contains(&super::hash(&id)) {
            return;
        }
        let agent = subagent(Some(tool), kind, description.unwrap_or_default());
        let of = Place {
            parent: self
                .tools
                .get(tool)
                .and_then(|call| call.element.parent.clone()),
            ..Place::default()
        };
        let element = self.add(&of, id, Content::Subagent(agent));
        self.agents.insert(tool.clone(), element);
        if tool.as_str().starts_with(FORKED_COMMAND) {
            self.forked_command = Some(tool.clone());
        }
    }

    /// A sub-agent of which no task is known has ended with its tool use.
    pub(super) fn agent_ends(&mut self, tool: &ToolUseId, state: TaskState) {
        self.blocks.remove(&Some(tool.clone()));
        if let Some(mut element) = self.agents.remove(tool) {
            if let Content::Subagent(agent) = &mut element.content {
                agent.state = state;
            }
            self.update(&element);
        }
    }
}

fn subagent(tool: Option<&ToolUseId>, kind: Option<&str>, description: &str) -> Subagent {
    Subagent {
        tool_use_id: tool.cloned(),
        task_id: None,
        agent_type: kind.map(str::to_owned),
        description: description.to_owned(),
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
        task_id: id.to_owned(),
        task_type: None,
        tool_use_id: tool.cloned(),
        description: description.to_owned(),
        state: TaskState::Running,
        summary: None,
    }
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
