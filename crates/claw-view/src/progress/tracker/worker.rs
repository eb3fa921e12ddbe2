//! Tracks tasks and sub-agents with their progress.

mod index;

use claw_types::message::{
    TaskNotification, TaskProgress, TaskStarted, TaskState, TaskStatus, TaskUpdated, TaskUsage,
};
use claw_types::tool::AgentInput;
use claw_types::{Json, ToolUseId};
use serde::Deserialize;

use self::index::Index;
use crate::progress::text::percentage;
use crate::progress::{Certainty, Progress, Source, State, Worker, in_short};
use crate::text::short_name;

/// The IDs by which a message refers to a worker.
#[derive(Debug, Clone)]
pub(super) struct Key {
    task: Option<String>,
    tool: Option<ToolUseId>,
}

impl Key {
    /// Creates a key. Returns `None` if there is no ID, which means the main conversation.
    pub(super) fn new(task: Option<&str>, tool: Option<&ToolUseId>) -> Option<Self> {
        (task.is_some() || tool.is_some()).then(|| Self::of(task, tool))
    }

    fn of(task: Option<&str>, tool: Option<&ToolUseId>) -> Self {
        Self {
            task: task.map(|task| short_name(task).into_owned()),
            tool: tool.map(|tool| ToolUseId::from(&*short_name(tool.as_str()))),
        }
    }
}

/// All workers, in the order in which they started.
#[derive(Debug, Default)]
pub(super) struct Workers {
    all: Vec<Known>,
    index: Index,
}

#[derive(Debug)]
struct Known {
    worker: Worker,
    /// The state of the worker itself. If a to-do list or command inside the worker makes progress, this state does not
    /// change.
    state: Option<State>,
    last: Option<Progress>,
}

impl Workers {
    pub(super) fn progress(&self) -> impl Iterator<Item = &Progress> {
        self.all.iter().filter_map(|known| known.last.as_ref())
    }

    /// Returns the worker with this key. It contains all details that messages have reported.
    pub(super) fn get(&self, key: &Key) -> Worker {
        let known = self.index.find(key);
        known.map_or_else(|| named(key), |at| self.all[at].worker.clone())
    }

    /// Stores the last progress of a worker.
    pub(super) fn keep(&mut self, progress: &Progress) {
        let Some(worker) = &progress.worker else {
            return;
        };
        let at = match Key::new(worker.task_id.as_deref(), worker.tool_use_id.as_ref()) {
            Some(key) => self.known(&key),
            None => self.mention(worker),
        };
        self.all[at].last = Some(progress.clone());
    }

    fn known(&mut self, key: &Key) -> usize {
        let found = self.index.find(key);
        found.unwrap_or_else(|| self.begin(named(key)))
    }

    fn begin(&mut self, worker: Worker) -> usize {
        let at = self.all.len();
        self.index.add(at, &worker);
        self.all.push(Known {
            worker,
            state: None,
            last: None,
        });
        at
    }

    /// Changes the details of a worker.
    fn change(&mut self, at: usize, change: impl FnOnce(&mut Worker)) {
        let known = &mut self.all[at];
        self.index.remove(at, &known.worker);
        change(&mut known.worker);
        self.index.add(at, &known.worker);
        self.index.set_state(at, &known.worker, known.state);
    }

    /// Sets the state of a worker. Returns progress that contains this state but no counts.
    fn report(&mut self, at: usize, state: State) -> Progress {
        let known = &mut self.all[at];
        known.state = Some(state);
        self.index.set_state(at, &known.worker, known.state);
        Progress {
            worker: Some(known.worker.clone()),
            tool_use_id: known.worker.tool_use_id.clone(),
            step: known.worker.description.clone(),
            state,
            percentage: (state == State::Completed).then_some(100.0),
            ..Progress::new(Source::Task, Certainty::Certain)
        }
    }

    /// Returns the index of the worker that belongs to a task.
    fn task(&mut self, task: &str, tool: Option<&ToolUseId>) -> usize {
        let key = Key::of(Some(task), tool);
        let at = self.known(&key);
        self.change(at, |worker| worker.task_id = key.task);
        at
    }

    /// Handles a tool use that starts a sub-agent.
    pub(super) fn launched(&mut self, tool: &ToolUseId, input: &AgentInput) -> Vec<Progress> {
        let kind = input.subagent_type.as_deref().map(in_short);
        let mut reports: Vec<_> = self.claim_mention(kind.as_deref()).into_iter().collect();
        let at = self.known(&Key::of(None, Some(tool)));
        self.change(at, |worker| {
            worker.agent_type = kind;
            worker.description = Some(in_short(&input.description));
        });
        reports.push(self.report(at, State::Running));
        reports
    }

    pub(super) fn started(&mut self, message: &TaskStarted) -> Vec<Progress> {
        let tool = message.tool_use_id.as_ref();
        let key = Key::of(Some(&message.task_id), tool);
        let is_new = self.index.find(&key).is_none();
        let kind = message.subagent_type.as_deref().map(in_short);
        let is_agent = kind.is_some() || message.task_type.as_deref() == Some("local_agent");
        let meant = (is_new && is_agent).then(|| self.claim_mention(kind.as_deref()));
        let mut reports: Vec<_> = meant.flatten().into_iter().collect();
        let at = self.task(&message.task_id, tool);
        let tool = key.tool;
        self.change(at, |worker| {
            worker.tool_use_id = tool.or(worker.tool_use_id.take());
            let task_type = message.task_type.as_deref().map(in_short);
            worker.task_type = task_type.or(worker.task_type.take());
            worker.agent_type = kind.or(worker.agent_type.take());
            worker.description = Some(in_short(&message.description));
        });
        reports.push(self.report(at, State::Running));
        reports
    }

    pub(super) fn on_progress(&mut self, message: &TaskProgress) -> Progress {
        let at = self.task(&message.task_id, message.tool_use_id.as_ref());
        let step = message.summary.as_ref().unwrap_or(&message.description);
        let agents = message.workflow_progress.as_deref().and_then(agents);
        Progress {
            step: Some(in_short(step)),
            completed: agents.map(|(done, _)| done),
            total: agents.map(|(_, total)| total),
            percentage: agents.map(|(done, total)| percentage(done, total)),
            ..used(self.report(at, State::Running), Some(&message.usage))
        }
    }

    pub(super) fn updated(&mut self, message: &TaskUpdated) -> Progress {
        let at = self.task(&message.task_id, None);
        if let Some(description) = &message.patch.description {
            self.change(at, |worker| {
                worker.description = Some(in_short(description));
            });
        }
        let state = match &message.patch.status {
            Some(TaskState::Pending | TaskState::Paused) => State::Waiting,
            Some(TaskState::Completed) => State::Completed,
            Some(TaskState::Failed) => State::Failed,
            Some(TaskState::Killed) => State::Stopped,
            Some(_) => State::Running,
            None => self.all[at].state.unwrap_or(State::Running),
        };
        self.report(at, state)
    }

    pub(super) fn ended(&mut self, message: &TaskNotification) -> Progress {
        let at = self.task(&message.task_id, message.tool_use_id.as_ref());
        let state = match message.status {
            TaskStatus::Failed => State::Failed,
            TaskStatus::Stopped => State::Stopped,
            _ => State::Completed,
        };
        used(self.report(at, state), message.usage.as_ref())
    }

    /// Handles the result of the tool use that started a sub-agent. Returns `None` if the sub-agent continues in the
    /// background. In this case, a message about its task reports the end.
    pub(super) fn answered(&mut self, tool: &ToolUseId, failed: bool) -> Option<Progress> {
        let at = self.known(&Key::of(None, Some(tool)));
        let state = if failed {
            State::Failed
        } else {
            State::Completed
        };
        let has_task = self.all[at].worker.task_id.is_some();
        (!has_task).then(|| self.report(at, state))
    }

    /// Handles the end of all running workers.
    pub(super) fn kill_running(&mut self) -> Vec<Progress> {
        let running = self.index.running();
        running
            .into_iter()
            .map(|at| self.report(at, State::Stopped))
            .collect()
    }

    /// Determines which sub-agent a mention in the model's text is about. If the mention contains a name, it is about
    /// the sub-agent with that name. Otherwise, it is about the only running sub-agent. If none is running and the text
    /// reports an end, it is about the sub-agent that started last. In all other cases, it is about a sub-agent that is
    /// known only from mentions. A mention does not change a state that messages have reported.
    pub(super) fn attribute_mention(&mut self, mention: Progress) -> Progress {
        let Some(worker) = &mention.worker else {
            return mention;
        };
        let is_done = mention.state == State::Completed;
        let at = match &worker.agent_type {
            Some(name) => self.index.of_kind(name),
            None => self.index.only_agent(is_done),
        };
        let Some(at) = at else {
            let at = self.mention(worker);
            self.all[at].state = Some(mention.state);
            self.all[at].last = Some(mention.clone());
            self.index.set_mention(at, mention.state == State::Running);
            return mention;
        };
        let known = &self.all[at];
        Progress {
            worker: Some(known.worker.clone()),
            tool_use_id: known.worker.tool_use_id.clone(),
            state: known.state.unwrap_or(State::Running),
            ..mention
        }
    }

    /// Handles the start of a sub-agent. If the model's text has mentioned the sub-agent before, an entry was made for
    /// the mention. This entry now ends, because messages report the sub-agent from here on. Returns the last progress
    /// of the entry. Returns `None` if there was no mention.
    fn claim_mention(&mut self, kind: Option<&str>) -> Option<Progress> {
        let at = self.index.meant(kind)?;
        self.mention_ends(at)
    }

    /// Handles the end of the turn. Sub-agents that are known only from mentions get the state [`State::Unknown`].
    pub(super) fn turn_ends(&mut self) -> Vec<Progress> {
        let running = self.index.mentions();
        let running = running.into_iter();
        running.filter_map(|at| self.mention_ends(at)).collect()
    }

    /// Ends the entry of a sub-agent that is known only from a mention. Returns its last progress with the state
    /// [`State::Unknown`].
    fn mention_ends(&mut self, at: usize) -> Option<Progress> {
        self.index.set_mention(at, false);
        let known = &mut self.all[at];
        known.state = Some(State::Unknown);
        let last = known.last.clone()?;
        Some(Progress {
            state: State::Unknown,
            ..last
        })
    }

    /// Returns the index of a sub-agent that is known only from mentions.
    fn mention(&mut self, worker: &Worker) -> usize {
        let name = worker.agent_type.as_deref();
        let found = self.index.mention(name);
        found.unwrap_or_else(|| self.begin(worker.clone()))
    }
}

fn named(key: &Key) -> Worker {
    Worker {
        task_id: key.task.clone(),
        tool_use_id: key.tool.clone(),
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

/// Returns the number of finished agents of a workflow, and the number of all agents that it has had so far.
fn agents(workflow: &[Json]) -> Option<(u64, u64)> {
    #[derive(Deserialize)]
    struct Part {
        #[serde(rename = "type")]
        kind: String,
        state: Option<String>,
    }
    let (mut done, mut total) = (0, 0);
    for part in workflow.iter().filter_map(|part| part.parse::<Part>().ok()) {
        if part.kind == "workflow_agent" {
            total += 1;
            done += u64::from(part.state.as_deref() == Some("done"));
        }
    }
    (total > 0).then_some((done, total))
}
