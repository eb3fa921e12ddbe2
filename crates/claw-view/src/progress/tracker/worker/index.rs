//! An index of workers. Because of it, finding a worker takes the same time however many workers there are.

use std::collections::{BTreeSet, HashMap};

use claw_types::ToolUseId;

use super::Key;
use crate::progress::{State, Worker};

/// Finds the position of a worker by its task ID, its tool use, its type or a mentioned name.
#[derive(Debug, Default)]
pub(super) struct Index {
    tasks: HashMap<String, usize>,
    /// For each tool use, the position of the newest worker that it started. The second map contains only workers whose
    /// task is unknown.
    tools: HashMap<ToolUseId, usize>,
    taskless: HashMap<ToolUseId, usize>,
    /// For each type, the position of the newest worker. The types are in lower case.
    kinds: HashMap<String, usize>,
    /// The workers that are known only from mentions. The keys are the mentioned names. The second field contains those
    /// workers that are still running.
    mentions: HashMap<Option<String>, usize>,
    mentions_running: BTreeSet<usize>,
    /// The workers that are running or waiting, without shells. The second field contains the sub-agents among them.
    running: BTreeSet<usize>,
    agents_running: BTreeSet<usize>,
    /// The position of the sub-agent that started last.
    last_agent: Option<usize>,
}

impl Index {
    /// Finds a worker. The task ID is used first, because a tool use may start several tasks.
    pub(super) fn find(&self, key: &Key) -> Option<usize> {
        let tool = key.tool.as_ref();
        match &key.task {
            Some(task) => {
                let started = tool.and_then(|tool| self.taskless.get(tool));
                self.tasks.get(task).max(started).copied()
            }
            None => self.tools.get(tool?).copied(),
        }
    }

    pub(super) fn add(&mut self, at: usize, worker: &Worker) {
        let kind = worker.agent_type.as_deref().map(str::to_lowercase);
        if worker.task_id.is_none() && worker.tool_use_id.is_none() {
            self.mentions.insert(kind, at);
            return;
        }
        if let Some(task) = &worker.task_id {
            self.tasks.insert(task.clone(), at);
        }
        if let Some(tool) = &worker.tool_use_id {
            newest(self.tools.entry(tool.clone()).or_insert(at), at);
            if worker.task_id.is_none() {
                newest(self.taskless.entry(tool.clone()).or_insert(at), at);
            }
        }
        if let Some(kind) = kind {
            newest(self.kinds.entry(kind).or_insert(at), at);
        }
        if is_agent(worker) {
            newest(self.last_agent.get_or_insert(at), at);
        }
    }

    pub(super) fn remove(&mut self, at: usize, worker: &Worker) {
        if let Some(tool) = &worker.tool_use_id {
            for map in [&mut self.tools, &mut self.taskless] {
                if map.get(tool) == Some(&at) {
                    map.remove(tool);
                }
            }
        }
    }

    /// Updates the index after a worker's state or details have changed.
    pub(super) fn set_state(&mut self, at: usize, worker: &Worker, state: Option<State>) {
        let is_known = worker.task_id.is_some() || worker.tool_use_id.is_some();
        let runs = is_known && matches!(state, Some(State::Running | State::Waiting));
        let is_shell = worker.task_type.as_deref() == Some("local_bash");
        set(&mut self.running, at, runs && !is_shell);
        set(&mut self.agents_running, at, runs && is_agent(worker));
    }

    pub(super) fn running(&self) -> Vec<usize> {
        self.running.iter().copied().collect()
    }

    /// Returns the newest sub-agent of this type.
    pub(super) fn of_kind(&self, kind: &str) -> Option<usize> {
        self.kinds.get(&kind.to_lowercase()).copied()
    }

    /// Returns the only running sub-agent. If none is running and `is_done` is true, returns the sub-agent that started
    /// last.
    pub(super) fn only_agent(&self, is_done: bool) -> Option<usize> {
        let mut running = self.agents_running.iter();
        match (running.next(), running.next()) {
            (Some(&at), None) => Some(at),
            (None, _) if is_done => self.last_agent,
            _ => None,
        }
    }

    /// Returns the worker that is known only from mentions under this name.
    pub(super) fn mention(&self, name: Option<&str>) -> Option<usize> {
        self.mentions.get(&name.map(str::to_lowercase)).copied()
    }

    /// Sets whether a worker that is known only from mentions is still running.
    pub(super) fn set_mention(&mut self, at: usize, works: bool) {
        set(&mut self.mentions_running, at, works);
    }

    /// Called when an agent of this type starts. Returns the worker that is this agent and that the
    /// model's text has mentioned before.
    pub(super) fn meant(&self, kind: Option<&str>) -> Option<usize> {
        let works = |at: &usize| self.mentions_running.contains(at);
        let named = kind.and_then(|kind| self.mention(Some(kind)));
        named.filter(works).or(self.mention(None).filter(works))
    }

    pub(super) fn mentions(&self) -> Vec<usize> {
        self.mentions_running.iter().copied().collect()
    }
}

/// Whether the worker is a sub-agent, not a shell or workflow.
fn is_agent(worker: &Worker) -> bool {
    match worker.task_type.as_deref() {
        Some(kind) => worker.agent_type.is_some() || kind == "local_agent",
        // The type of the task is unknown: an older CLI does not report it, or only an ID of the worker is known so
        // far. In the second case, the worker has no description either, and does not count as a sub-agent.
        None => worker.agent_type.is_some() || worker.description.is_some(),
    }
}

fn newest(place: &mut usize, at: usize) {
    *place = at.max(*place);
}

fn set(places: &mut BTreeSet<usize>, at: usize, is_there: bool) {
    if is_there {
        places.insert(at);
    } else {
        places.remove(&at);
    }
}
