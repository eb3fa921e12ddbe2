//! From sessions to conversations and projects.

use std::collections::HashMap;

use claw_types::control::{ControlRequest, ControlRequestBody};
use claw_types::message::{
    Message, TaskNotification, TaskProgress, TaskStarted, TaskState, TaskStatus, TaskUpdated,
};
use claw_types::{SessionId, ToolUseId};

use super::{
    AgentStatus, ClaudeResponse, PermissionRequest, ProgressUpdate, SubAgentProgress,
    WrapperMessage,
};
use crate::{Activity, ToolDisplay};

/// A message, and whom it is for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outgoing {
    /// The session that it comes from.
    pub session: SessionId,
    /// The conversation of that session.
    pub conversation: String,
    /// The project of that conversation, where one is known.
    pub project: Option<String>,
    /// The message.
    pub message: WrapperMessage,
}

/// Makes messages for a wrapper's client, of as many sessions as there are.
///
/// A session is the conversation that it was [assigned](Self::assign) to, else one of its own name; its
/// project is what that assigned, else the folder that `claude` works in. After a `/clear` the next
/// session that is heard of goes on in the same conversation.
#[derive(Debug, Default)]
pub struct Translator {
    sessions: HashMap<SessionId, Place>,
    /// Conversations whose session gets another name.
    reset: Vec<Place>,
    agents: HashMap<String, SubAgentProgress>,
}

/// Where a session belongs.
#[derive(Debug, Clone, Default)]
struct Place {
    conversation: Option<String>,
    project: Option<String>,
}

impl Translator {
    /// Says which conversation, of which project, a session is. Holds from now on.
    pub fn assign(
        &mut self,
        session: impl Into<SessionId>,
        conversation: impl Into<String>,
        project: Option<String>,
    ) {
        let place = Place {
            conversation: Some(conversation.into()),
            project,
        };
        self.sessions.insert(session.into(), place);
    }

    /// The conversation of a session: its own name, unless it was assigned to another.
    pub fn conversation<'a>(&'a self, session: &'a SessionId) -> &'a str {
        let place = self.sessions.get(session);
        let conversation = place.and_then(|place| place.conversation.as_deref());
        conversation.unwrap_or(session.as_str())
    }

    /// The project of a session; `None` until it was assigned, or `claude` has said where it works.
    pub fn project(&self, session: &SessionId) -> Option<&str> {
        self.sessions.get(session)?.project.as_deref()
    }

    /// The sessions of a project, in no order.
    pub fn sessions<'a>(&'a self, project: &'a str) -> impl Iterator<Item = &'a SessionId> {
        let of = move |(_, place): &(&SessionId, &Place)| place.project.as_deref() == Some(project);
        self.sessions.iter().filter(of).map(|(session, _)| session)
    }

    /// Forgets a session that is over.
    pub fn forget(&mut self, session: &SessionId) {
        let conversation = self.conversation(session).to_owned();
        self.agents
            .retain(|_, agent| agent.conversation_id != conversation);
        self.sessions.remove(session);
    }

    /// What the client is sent for a message of `claude`'s: mostly nothing.
    pub fn message(&mut self, message: &Message) -> Vec<Outgoing> {
        let Some(session) = message.session_id() else {
            return Vec::new();
        };
        self.meet(session);
        match message {
            Message::SystemInit(init) => {
                let place = self.sessions.entry(session.clone()).or_default();
                place.project.get_or_insert_with(|| init.cwd.clone());
            }
            Message::ConversationReset(_) => {
                let mut place = self.sessions.get(session).cloned().unwrap_or_default();
                let own = || session.as_str().to_owned();
                place.conversation.get_or_insert_with(own);
                self.reset.push(place);
            }
            Message::Assistant(answer) if answer.parent_tool_use_id.is_none() => {
                let texts = answer
                    .message
                    .content
                    .iter()
                    .filter_map(|block| match block {
                        claw_types::api::ContentBlock::Text(block) => Some(block.text.clone()),
                        _ => None,
                    });
                let texts: Vec<_> = texts.filter(|text| !text.is_empty()).collect();
                let response = |content| {
                    let conversation_id = self.conversation(session).to_owned();
                    WrapperMessage::ClaudeResponse(ClaudeResponse {
                        content,
                        conversation_id,
                    })
                };
                return texts
                    .into_iter()
                    .map(|text| self.to(session, response(text)))
                    .collect();
            }
            Message::TaskStarted(task) => return self.started(session, task),
            Message::TaskProgress(task) => return self.progressed(session, task),
            Message::TaskUpdated(task) => return self.updated(session, task),
            Message::TaskNotification(task) => return self.ended(session, task),
            _ => {}
        }
        Vec::new()
    }

    /// What the client is sent where `claude` asks something. The request itself does not say which
    /// session asks: its host knows. Anything but `can_use_tool` gives nothing.
    pub fn asked(&mut self, session: &SessionId, request: &ControlRequest) -> Option<Outgoing> {
        let ControlRequestBody::CanUseTool(ask) = &request.request else {
            return None;
        };
        let why = ask
            .description
            .clone()
            .or_else(|| ask.decision_reason.clone());
        let said = || {
            ask.input
                .field("description")
                .and_then(|said| said.get().ok())
        };
        let message = PermissionRequest {
            conversation_id: self.conversation(session).to_owned(),
            request_id: request.request_id.clone(),
            tool_use_id: ask.tool_use_id.clone(),
            tool_name: ask.tool_name.clone(),
            title: ToolDisplay::of(&ask.tool_name, &ask.input).text(),
            activity: Activity::of(&ask.tool_name),
            input: ask.input.clone(),
            description: why.or_else(said),
        };
        Some(self.to(session, WrapperMessage::PermissionRequest(message)))
    }

    /// What the client is sent where the work of a session's main conversation has come so far.
    pub fn progress(&self, session: &SessionId, progress: ProgressUpdate) -> Outgoing {
        self.to(session, WrapperMessage::ProgressUpdate(progress))
    }

    fn to(&self, session: &SessionId, message: WrapperMessage) -> Outgoing {
        Outgoing {
            session: session.clone(),
            conversation: self.conversation(session).to_owned(),
            project: self.project(session).map(str::to_owned),
            message,
        }
    }

    /// A session that was not heard of goes on with the conversation that was reset last.
    fn meet(&mut self, session: &SessionId) {
        if !self.sessions.contains_key(session) {
            let place = self.reset.pop().unwrap_or_default();
            self.sessions.insert(session.clone(), place);
        }
    }

    fn started(&mut self, session: &SessionId, task: &TaskStarted) -> Vec<Outgoing> {
        if task.subagent_type.is_none() && task.task_type.as_deref() != Some("local_agent") {
            return Vec::new();
        }
        let agent = SubAgentProgress {
            agent_type: task.subagent_type.clone(),
            ..self.agent(
                session,
                &task.task_id,
                task.tool_use_id.as_ref(),
                &task.description,
            )
        };
        self.tell(session, &task.task_id, agent)
    }

    fn progressed(&mut self, session: &SessionId, task: &TaskProgress) -> Vec<Outgoing> {
        let known = self.agents.get(&task.task_id).cloned();
        let tool = task.tool_use_id.as_ref();
        let new = || self.agent(session, &task.task_id, tool, &task.description);
        let mut agent = known.unwrap_or_else(new);
        agent.current_step = Some(task.description.clone());
        agent.tool_uses = Some(task.usage.tool_uses.get());
        self.tell(session, &task.task_id, agent)
    }

    fn updated(&mut self, session: &SessionId, task: &TaskUpdated) -> Vec<Outgoing> {
        let status = match &task.patch.status {
            Some(TaskState::Completed) => AgentStatus::Completed,
            Some(TaskState::Failed) => AgentStatus::Failed,
            Some(TaskState::Killed) => AgentStatus::Stopped,
            _ => return Vec::new(),
        };
        self.over(session, &task.task_id, status)
    }

    fn ended(&mut self, session: &SessionId, task: &TaskNotification) -> Vec<Outgoing> {
        let status = match task.status {
            TaskStatus::Failed => AgentStatus::Failed,
            TaskStatus::Stopped => AgentStatus::Stopped,
            _ => AgentStatus::Completed,
        };
        self.over(session, &task.task_id, status)
    }

    /// Told once, whichever message says it first.
    fn over(&mut self, session: &SessionId, task: &str, status: AgentStatus) -> Vec<Outgoing> {
        let Some(mut agent) = self.agents.remove(task) else {
            return Vec::new();
        };
        agent.status = status;
        agent.current_step = None;
        vec![self.to(session, WrapperMessage::SubAgentProgress(agent))]
    }

    fn tell(&mut self, session: &SessionId, task: &str, agent: SubAgentProgress) -> Vec<Outgoing> {
        self.agents.insert(task.to_owned(), agent.clone());
        vec![self.to(session, WrapperMessage::SubAgentProgress(agent))]
    }

    fn agent(
        &self,
        session: &SessionId,
        task: &str,
        tool: Option<&ToolUseId>,
        description: &str,
    ) -> SubAgentProgress {
        SubAgentProgress {
            conversation_id: self.conversation(session).to_owned(),
            agent_id: tool.map_or(task, |tool| tool.as_str()).to_owned(),
            agent_type: None,
            description: description.to_owned(),
            status: AgentStatus::Running,
            current_step: None,
            percentage: None,
            tool_uses: None,
        }
    }
}
