//! Tasks and sub-agents, and how far each has come.

use claw_types::message::{
    TaskNotification, TaskProgress, TaskStarted, TaskState, TaskStatus, TaskUpdated, TaskUsage,
};
use claw_types::tool::AgentInput;
use claw_types::{Json, ToolUseId};
use serde::Deserialize;

use crate::progress::text::percentage;
use crate::progress::{Certainty, Progress, Source, State, Worker};

/// How a message names the one that it is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key<'a> {
    task: Option<&'a str>,
    tool: Option<&'a ToolUseId>,
}

impl<'a> Key<'a> {
    /// None where it is the main conversation.
    pub(super) fn new(task: Option<&'a str>, tool: Option<&'a ToolUseId>) -> Option<Self> {
        (task.is_some() || tool.is_some()).then_some(Self { task, tool })
    }

    fn is_of(self, worker: &Worker) -> bool {
        // A tool use may start several tasks: their names go first.
        match (self.task, &worker.task_id) {
            (Some(task), Some(known)) => task == known,
            _ => self.tool.is_some() && self.tool == worker.tool_use_id.as_ref(),
        }
    }
}

/// All that began, in order.
#[derive(Debug, Default)]
pub(super) struct Workers(Vec<Known>);

#[derive(Debug)]
struct Known {
    worker: Worker,
    last: Option<Progress>,
}

impl Workers {
    pub(super) fn progress(&self) -> impl Iterator<Item = &Progress> {
        self.0.iter().filter_map(|known| known.last.as_ref())
    }

    /// The one that is meant, with all that is known of it.
    pub(super) fn get(&self, key: Key<'_>) -> Worker {
        let known = self.0.iter().rev().find(|known| key.is_of(&known.worker));
        known.map_or_else(|| named(key), |known| known.worker.clone())
    }

    /// Keeps what was told of a worker.
    pub(super) fn keep(&mut self, progress: &Progress) {
        let Some(worker) = &progress.worker else {
            return;
        };
        let key = Key {
            task: worker.task_id.as_deref(),
            tool: worker.tool_use_id.as_ref(),
        };
        self.known(key).last = Some(progress.clone());
    }

    fn known(&mut self, key: Key<'_>) -> &mut Known {
        let at = self.0.iter().rposition(|known| key.is_of(&known.worker));
        let at = at.unwrap_or_else(|| {
            self.0.push(Known {
                worker: named(key),
                last: None,
            });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// The worker of a task, and what it was last seen to do.
    fn task(&mut self, task: &str, tool: Option<&ToolUseId>) -> &mut Known {
        let known = self.known(Key {
            task: Some(task),
            tool,
        });
        known.worker.task_id = Some(task.to_owned());
        known
    }

    /// The model wants a sub-agent.
    pub(super) fn launched(&mut self, tool: &ToolUseId, input: &AgentInput) -> Progress {
        let known = self.known(Key {
            task: None,
            tool: Some(tool),
        });
        known.worker.agent_type.clone_from(&input.subagent_type);
        known.worker.description = Some(input.description.clone());
        known.told(State::Running)
    }

    pub(super) fn started(&mut self, message: &TaskStarted) -> Progress {
        let known = self.task(&message.task_id, message.tool_use_id.as_ref());
        let worker = &mut known.worker;
        worker.tool_use_id = message.tool_use_id.clone().or(worker.tool_use_id.take());
        worker.task_type = message.task_type.clone().or(worker.task_type.take());
        worker.agent_type = message.subagent_type.clone().or(worker.agent_type.take());
        worker.description = Some(message.description.clone());
        known.told(State::Running)
    }

    pub(super) fn goes_on(&mut self, message: &TaskProgress) -> Progress {
        let known = self.task(&message.task_id, message.tool_use_id.as_ref());
        let step = message.summary.as_ref().unwrap_or(&message.description);
        let agents = message.workflow_progress.as_deref().and_then(agents);
        Progress {
            step: Some(step.clone()),
            completed: agents.map(|(done, _)| done),
            total: agents.map(|(_, total)| total),
            percentage: agents.map(|(done, total)| percentage(done, total)),
            ..used(known.told(State::Running), Some(&message.usage))
        }
    }

    pub(super) fn updated(&mut self, message: &TaskUpdated) -> Progress {
        let known = self.task(&message.task_id, None);
        if message.patch.description.is_some() {
            known
                .worker
                .description
                .clone_from(&message.patch.description);
        }
        let state = match &message.patch.status {
            Some(TaskState::Pending | TaskState::Paused) => State::Waiting,
            Some(TaskState::Completed) => State::Completed,
            Some(TaskState::Failed) => State::Failed,
            Some(TaskState::Killed) => State::Stopped,
            Some(_) => State::Running,
            None => known
                .last
                .as_ref()
                .map_or(State::Running, |last| last.state),
        };
        known.told(state)
    }

    pub(super) fn ended(&mut self, message: &TaskNotification) -> Progress {
        let known = self.task(&message.task_id, message.tool_use_id.as_ref());
        let state = match message.status {
            TaskStatus::Failed => State::Failed,
            TaskStatus::Stopped => State::Stopped,
            _ => State::Completed,
        };
        used(known.told(state), message.usage.as_ref())
    }

    /// The result of a sub-agent is there. Nothing, where its task says the same: a task that goes on in
    /// the background is not over.
    pub(super) fn answered(&mut self, tool: &ToolUseId, failed: bool) -> Option<Progress> {
        let known = self.known(Key {
            task: None,
            tool: Some(tool),
        });
        let state = if failed {
            State::Failed
        } else {
            State::Completed
        };
        known.worker.task_id.is_none().then(|| known.told(state))
    }

    /// All that still ran was ended.
    pub(super) fn killed(&self) -> Vec<Progress> {
        let running = self.0.iter().filter(|known| {
            let state = known.last.as_ref().map(|last| last.state);
            let is_agent = known.worker.task_type.as_deref() != Some("local_bash");
            is_agent && matches!(state, Some(State::Running | State::Waiting))
        });
        running.map(|known| known.told(State::Stopped)).collect()
    }
}

impl Known {
    /// Progress of this one, without more than its state.
    fn told(&self, state: State) -> Progress {
        Progress {
            worker: Some(self.worker.clone()),
            tool_use_id: self.worker.tool_use_id.clone(),
            step: self.worker.description.clone(),
            state,
            percentage: (state == State::Completed).then_some(100.0),
            ..Progress::new(Source::Task, Certainty::Certain)
        }
    }
}

fn named(key: Key<'_>) -> Worker {
    Worker {
        task_id: key.task.map(str::to_owned),
        tool_use_id: key.tool.cloned(),
        task_type: None,
        agent_type: None,
        description: None,
    }
}

fn used(progress: Progress, usage: Option<&TaskUsage>) -> Progress {
    Progress {
        tokens: usage.map(|usage| usage.total_tokens.get()),
        tool_uses: usage.map(|usage| usage.tool_uses.get()),
        elapsed_ms: usage.map(|usage| usage.duration_ms.as_f64()),
        ..progress
    }
}

/// How many agents of a workflow are done, and how many there are so far.
fn agents(workflow: &[Json]) -> Option<(u64, u64)> {
    #[derive(Deserialize)]
    struct Part {
        #[serde(rename = "type")]
        kind: String,
        state: Option<String>,
    }
    let (mut done, mut total) = (0, 0);
    for part in workflow.iter().filter_map(|part| part.get::<Part>().ok()) {
        if part.kind == "workflow_agent" {
            total += 1;
            done += u64::from(part.state.as_deref() == Some("done"));
        }
    }
    (total > 0).then_some((done, total))
}
