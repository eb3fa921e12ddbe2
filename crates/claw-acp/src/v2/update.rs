//! Converts session updates of version 1 to session updates of version 2.

use std::collections::HashSet;
use std::sync::Arc;

use agent_client_protocol::{v1::schema as v1, v2::schema as v2};
use uuid::Uuid;

use super::convert::{block, same};
use super::{setup, tool};

/// The ID of the plan. A session has at most one plan.
const PLAN: &str = "plan";

/// The kind of a message and its ID.
pub(super) type MessageKey = (MessageKind, Arc<str>);

/// The kind of a message. Messages of different kinds can have the same ID.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MessageKind {
    User,
    Agent,
    Thought,
}

/// Returns the updates of version 2 for an update of version 1, in order.
pub(super) fn updates(update: v1::SessionUpdate) -> Vec<v2::SessionUpdate> {
    use v1::SessionUpdate as From;
    use v2::SessionUpdate as To;
    let one = match update {
        From::UserMessageChunk(piece) => chunk(&piece).map(To::UserMessageChunk),
        From::AgentMessageChunk(piece) => chunk(&piece).map(To::AgentMessageChunk),
        From::AgentThoughtChunk(piece) => chunk(&piece).map(To::AgentThoughtChunk),
        From::ToolCall(call) => return tool::call(call),
        From::ToolCallUpdate(update) => return tool::update(update),
        From::Plan(plan) => {
            let entries = plan.entries.iter().filter_map(|entry| same(entry).ok());
            let items = v2::PlanItems::new(v2::PlanId::new(PLAN), entries.collect());
            let content = v2::PlanUpdateContent::Items(items);
            Some(To::PlanUpdate(v2::PlanUpdate::new(content)))
        }
        From::AvailableCommandsUpdate(update) => {
            let commands = setup::commands(&update);
            let update = v2::AvailableCommandsUpdate::new(commands);
            Some(To::AvailableCommandsUpdate(update))
        }
        From::ConfigOptionUpdate(update) => {
            let options = setup::config_options(&update.config_options);
            Some(To::ConfigOptionUpdate(v2::ConfigOptionUpdate::new(options)))
        }
        From::SessionInfoUpdate(update) => same(&update).ok().map(To::SessionInfoUpdate),
        From::UsageUpdate(update) => same(&update).ok().map(To::UsageUpdate),
        From::Notice(notice) => same(&notice).ok().map(To::Notice),
        From::CompactionUpdate(update) => same(&update).ok().map(To::CompactionUpdate),
        // The mode is a config option.
        From::CurrentModeUpdate(_) | _ => None,
    };
    one.into_iter().collect()
}

/// Converts a piece of a message. A piece without a message ID becomes a separate message.
fn chunk(chunk: &v1::ContentChunk) -> Option<v2::ContentChunk> {
    let id = chunk.message_id.as_ref().map(|id| id.0.clone());
    let id = id.unwrap_or_else(|| Uuid::new_v4().to_string().into());
    let content = block(&chunk.content)?;
    let converted = v2::ContentChunk::new(content, v2::MessageId::new(id));
    Some(converted.meta(chunk.meta.clone()))
}

/// Replaces the first piece of each message by an update with the whole message. The client may already have the
/// messages of a stored conversation, and this update makes it replace them.
pub(super) fn replace_first(
    replayed: &mut HashSet<MessageKey>,
    update: v2::SessionUpdate,
) -> v2::SessionUpdate {
    use v2::SessionUpdate as Update;
    let (kind, piece) = match &update {
        Update::UserMessageChunk(piece) => (MessageKind::User, piece),
        Update::AgentMessageChunk(piece) => (MessageKind::Agent, piece),
        Update::AgentThoughtChunk(piece) => (MessageKind::Thought, piece),
        _ => return update,
    };
    let id = &piece.message_id;
    if !replayed.insert((kind, id.0.clone())) {
        return update;
    }
    let content = vec![piece.content.clone()];
    match kind {
        MessageKind::User => Update::UserMessage(v2::UserMessage::new(id.clone()).content(content)),
        MessageKind::Agent => {
            Update::AgentMessage(v2::AgentMessage::new(id.clone()).content(content))
        }
        MessageKind::Thought => {
            Update::AgentThought(v2::AgentThought::new(id.clone()).content(content))
        }
    }
}
