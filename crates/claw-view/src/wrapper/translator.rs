//! From sessions to conversations and projects.

use std::collections::HashMap;
use std::mem;

use claw_types::SessionId;
use claw_types::api::ContentBlock;
use claw_types::control::{ControlRequest, ControlRequestBody};
use claw_types::message::{AssistantMessage, Message};

use super::{
    ClaudeResponse, PermissionRequest, ProgressUpdate, SubAgentProgress, ToolActivity,
    WrapperMessage,
};
use crate::progress::{Progress, Source, Tracker};
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
}

/// Where a session belongs, and how far it is.
#[derive(Debug, Default)]
struct Place {
    conversation: Option<String>,
    project: Option<String>,
    tracker: Tracker,
    /// What was told last, of the main conversation and of each sub-agent.
    update: Option<ProgressUpdate>,
    agents: HashMap<String, SubAgentProgress>,
}

impl Translator {
    /// Says which conversation, of which project, a session is. Holds from now on.
    pub fn assign(
        &mut self,
        session: impl Into<SessionId>,
        conversation: impl Into<String>,
        project: Option<String>,
    ) {
        let place = self.sessions.entry(session.into()).or_default();
        place.conversation = Some(conversation.into());
        place.project = project;
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
        self.sessions.remove(session);
    }

    /// What the client is sent for a message of `claude`'s: mostly nothing. Progress is what the messages
    /// of the session come to, as [`Tracker`] finds it.
    pub fn message(&mut self, message: &Message) -> Vec<Outgoing> {
        let Some(session) = message.session_id() else {
            return Vec::new();
        };
        let mut sent = Vec::new();
        let place = self.meet(session);
        let progress = place.tracker.push(message);
        match message {
            Message::SystemInit(init) => {
                place.project.get_or_insert_with(|| init.cwd.clone());
            }
            Message::ConversationReset(_) => {
                let mut next = Place {
                    conversation: place.conversation.clone(),
                    project: place.project.clone(),
                    ..mem::take(place)
                };
                let own = || session.as_str().to_owned();
                next.conversation.get_or_insert_with(own);
                // Its last lines may still be to come.
                place.conversation.clone_from(&next.conversation);
                place.project.clone_from(&next.project);
                self.reset.push(next);
            }
            Message::Assistant(answer) if answer.parent_tool_use_id.is_none() => {
                sent.extend(self.responses(session, answer));
            }
            _ => {}
        }
        for progress in &progress {
            sent.extend(self.progress(session, progress));
        }
        sent
    }

    /// What `claude` says in the main conversation, block by block.
    fn responses(&self, session: &SessionId, answer: &AssistantMessage) -> Vec<Outgoing> {
        let blocks = answer.message.content.iter();
        let texts = blocks.filter_map(|block| match block {
            ContentBlock::Text(block) if !block.text.is_empty() => Some(block.text.clone()),
            _ => None,
        });
        let response = |content| {
            let conversation_id = self.conversation(session).to_owned();
            let response = ClaudeResponse {
                content,
                conversation_id,
            };
            self.to(session, WrapperMessage::ClaudeResponse(response))
        };
        texts.map(response).collect()
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
                .get("description")
                .and_then(|said| said.parse().ok())
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

    /// What the client is sent for progress of a session. Nothing where it is told without numbers, is that
    /// of a task which is no sub-agent, or was told before. Uses of tools are told as they are.
    pub fn progress(&mut self, session: &SessionId, progress: &Progress) -> Option<Outgoing> {
        let conversation = self.conversation(session).to_owned();
        let place = self.meet(session);
        let message = if progress.source == Source::ToolUse {
            WrapperMessage::ToolActivity(ToolActivity::of(progress, conversation)?)
        } else if progress.worker.is_some() {
            let agent = SubAgentProgress::of(progress, conversation)?;
            let last = place.agents.insert(agent.agent_id.clone(), agent.clone());
            if last.as_ref() == Some(&agent) {
                return None;
            }
            WrapperMessage::SubAgentProgress(agent)
        } else {
            let update = ProgressUpdate::of(progress)?;
            if place.update.replace(update.clone()).as_ref() == Some(&update) {
                return None;
            }
            WrapperMessage::ProgressUpdate(update)
        };
        Some(self.to(session, message))
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
    fn meet(&mut self, session: &SessionId) -> &mut Place {
        let reset = &mut self.reset;
        let new = || reset.pop().unwrap_or_default();
        self.sessions.entry(session.clone()).or_insert_with(new)
    }
}
