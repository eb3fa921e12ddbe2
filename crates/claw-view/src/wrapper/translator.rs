//! Translates messages of `claude`, and assigns sessions to conversations and projects.

use std::collections::HashMap;
use std::mem;

use claw_types::SessionId;
use claw_types::api::ContentBlock;
use claw_types::control::{ControlRequest, ControlRequestBody};
use claw_types::message::{AssistantMessage, Message};

use super::{
    ClaudeResponse, CompactionProgress, PermissionRequest, ProgressUpdate, SubAgentProgress,
    ToolActivity, TurnEnded, TurnError, TurnInterrupted, WrapperMessage,
};
use crate::progress::{Progress, Source, Tracker};
use crate::timeline::turn_end;
use crate::{Activity, ToolDisplay};

/// A message from a wrapper to its client, with the session, conversation and project to which it belongs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outgoing {
    /// The ID of the session from which the message comes.
    pub session: SessionId,
    /// The ID of the conversation to which the session belongs.
    pub conversation: String,
    /// The project to which the session belongs. This is the assigned project, or the folder in which `claude` works if
    /// no project was assigned. `None` if unknown.
    pub project: Option<String>,
    /// The message to send.
    pub message: WrapperMessage,
}

/// Translates messages of `claude` into messages from a wrapper to its client. One translator serves any number of
/// sessions.
///
/// A session belongs to the conversation and the project to which it was [assigned](Self::assign). If a session was not
/// assigned, its ID is also the ID of its conversation, and its project is the folder in which `claude` works. After a
/// `/clear`, the next new session continues the same conversation.
#[derive(Debug, Default)]
pub struct Translator {
    /// The states are boxed because a map allocates space for more values than it has.
    sessions: HashMap<SessionId, Box<SessionState>>,
    /// The states that sessions had when they were reset. The next new session continues the conversation that was
    /// reset last.
    reset: Vec<SessionState>,
}

/// The conversation of a session, and its progress.
#[derive(Debug, Default)]
struct SessionState {
    conversation: Option<String>,
    project: Option<String>,
    tracker: Tracker,
    /// The last progress that was sent for the main conversation, and the last progress that was sent for each
    /// sub-agent.
    update: Option<ProgressUpdate>,
    agents: HashMap<String, SubAgentProgress>,
    /// The cost of the session according to the last result, in US dollars.
    cost_usd: f64,
}

impl Translator {
    /// Assigns a session to a conversation and a project. Later messages of the session belong to this conversation
    /// and project.
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

    /// Returns the ID of the conversation to which a session belongs. If the session was not assigned to a
    /// conversation, returns the session's own ID.
    pub fn conversation<'a>(&'a self, session: &'a SessionId) -> &'a str {
        let place = self.sessions.get(session);
        let conversation = place.and_then(|place| place.conversation.as_deref());
        conversation.unwrap_or(session.as_str())
    }

    /// Returns the project of a session. Returns `None` if no project was assigned and `claude` has not reported its
    /// working directory yet.
    pub fn project(&self, session: &SessionId) -> Option<&str> {
        self.sessions.get(session)?.project.as_deref()
    }

    /// Returns the sessions of a project, in no particular order.
    pub fn sessions<'a>(&'a self, project: &'a str) -> impl Iterator<Item = &'a SessionId> {
        let states = self.sessions.iter();
        states.filter_map(move |(session, place)| {
            (place.project.as_deref() == Some(project)).then_some(session)
        })
    }

    /// Forgets a session that has ended.
    pub fn forget(&mut self, session: &SessionId) {
        self.sessions.remove(session);
    }

    /// Translates a message of `claude`, and returns the messages to send to the client. The list is empty if there is
    /// nothing to send, which is often the case. A [`Tracker`] derives the progress from the messages of the session.
    pub fn message(&mut self, message: &Message) -> Vec<Outgoing> {
        let Some(session) = message.session_id() else {
            return Vec::new();
        };
        let mut sent = Vec::new();
        let place = self.session_state(session);
        let progress = place.tracker.push(message);
        match message {
            Message::SystemInit(init) => {
                place.project.get_or_insert_with(|| init.cwd.clone());
            }
            Message::ConversationReset(_) => {
                let mut next = SessionState {
                    conversation: place.conversation.clone(),
                    project: place.project.clone(),
                    // The CLI counts the cost from zero after a reset.
                    cost_usd: 0.0,
                    ..mem::take(place)
                };
                let own = || session.as_str().to_owned();
                next.conversation.get_or_insert_with(own);
                // Lines of the earlier session may still follow. So the earlier session remains in its conversation and
                // project.
                place.conversation.clone_from(&next.conversation);
                place.project.clone_from(&next.project);
                self.reset.push(next);
            }
            Message::Assistant(answer)
                if answer.parent_tool_use_id.is_none() && answer.error.is_none() =>
            {
                sent.extend(self.responses(session, answer));
            }
            _ => {}
        }
        for progress in &progress {
            sent.extend(self.progress(session, progress));
        }
        let turn = self.turn(session, message);
        sent.extend(turn.map(|message| self.to(session, message)));
        sent
    }

    /// Returns the message about an error, an interruption, a compaction or the end of the turn. Returns `None` for any
    /// other message of `claude`.
    fn turn(&mut self, session: &SessionId, message: &Message) -> Option<WrapperMessage> {
        let conversation = self.conversation(session);
        if let Some(error) = TurnError::of(message, conversation) {
            return Some(WrapperMessage::TurnError(error));
        }
        if let Some(interrupted) = TurnInterrupted::of(message, conversation) {
            return Some(WrapperMessage::TurnInterrupted(interrupted));
        }
        if let Some(compaction) = CompactionProgress::of(message, conversation) {
            return Some(WrapperMessage::CompactionProgress(compaction));
        }
        let end = turn_end(message)?;
        let conversation = conversation.to_owned();
        let place = self.session_state(session);
        let before = mem::replace(&mut place.cost_usd, end.cost_usd);
        let cost_usd = cost_since_last_result(message).unwrap_or_else(|| {
            // If the cost is lower than before, a new process has started to count from zero.
            let is_same = end.cost_usd >= before;
            end.cost_usd - if is_same { before } else { 0.0 }
        });
        let ended = TurnEnded::of(end, cost_usd, conversation);
        Some(WrapperMessage::TurnEnded(ended))
    }

    /// Returns a message for each text block that the model wrote in the main conversation.
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

    /// Translates a request of `claude` into a message to the client. Returns `None` for all requests except
    /// `can_use_tool`. The caller passes the session, because the request does not contain it.
    pub fn asked(&mut self, session: &SessionId, request: &ControlRequest) -> Option<Outgoing> {
        let ControlRequestBody::CanUseTool(ask) = &request.request else {
            return None;
        };
        let why = ask
            .description
            .clone()
            .or_else(|| ask.decision_reason.clone());
        let input_description = || {
            ask.input
                .get("description")
                .and_then(|input_description| input_description.parse().ok())
        };
        let message = PermissionRequest {
            conversation_id: self.conversation(session).to_owned(),
            request_id: request.request_id.clone(),
            tool_use_id: ask.tool_use_id.clone(),
            tool_name: ask.tool_name.clone(),
            title: ToolDisplay::of(&ask.tool_name, &ask.input).text(),
            activity: Activity::of(&ask.tool_name),
            input: ask.input.clone(),
            description: why.or_else(input_description),
        };
        Some(self.to(session, WrapperMessage::PermissionRequest(message)))
    }

    /// Translates the progress of a session into a message to the client. Messages about tool uses are always returned.
    /// Returns `None` for progress of the main conversation without numbers, for progress of a task that is not a
    /// sub-agent, and for progress that was already sent.
    pub fn progress(&mut self, session: &SessionId, progress: &Progress) -> Option<Outgoing> {
        let conversation = self.conversation(session).to_owned();
        let place = self.session_state(session);
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

    /// Returns the state of a session. If the session is new, it continues the conversation that was reset last.
    fn session_state(&mut self, session: &SessionId) -> &mut SessionState {
        let reset = &mut self.reset;
        let new = || Box::new(reset.pop().unwrap_or_default());
        self.sessions.entry(session.clone()).or_insert_with(new)
    }
}

/// Returns the cost since the last result, in US dollars. Returns `None` if the CLI does not report this cost.
fn cost_since_last_result(message: &Message) -> Option<f64> {
    let models = match message {
        Message::ResultSuccess(result) => result.model_usage_since_last_result.as_ref(),
        Message::ResultError(result) => result.model_usage_since_last_result.as_ref(),
        _ => None,
    };
    let costs = models?.iter().map(|(_, model)| model.cost_usd.as_f64());
    Some(costs.sum())
}
