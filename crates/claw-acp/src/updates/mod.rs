//! Converts the elements of a session to session updates of the protocol.

mod compaction;
mod plan;
mod tool;

use std::collections::HashMap;

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, ImageContent, MessageId, Meta, Notice, NoticeSeverity,
    SessionUpdate, TextContent,
};
use claw_types::{Message, MessageUuid, ToolUseId};
use claw_view::element::{self, Content, Media, NoticeKind, NoticeLevel, TaskState};
use claw_view::{Change, Element, ElementId};
use serde_json::json;

use self::compaction::Compactions;
use self::plan::PlanEntries;
use self::tool::ToolCalls;
pub(crate) use self::tool::{asked_for, call_id, locations, operation, title, value};
use crate::offer::Offer;

/// Converts the changes of a [`Timeline`](claw_view::Timeline) to session updates of the protocol.
///
/// Live sessions and the history of a stored session use the same mapping. The updates use only the capabilities that
/// the client offered in `initialize`.
#[derive(Debug)]
pub struct Updates {
    offer: Offer,
    /// The texts that are still streaming.
    growing: HashMap<ElementId, Growing>,
    tools: ToolCalls,
    plan: PlanEntries,
    compactions: Compactions,
    /// The UUIDs of the prompts that this client has sent. The client shows them itself.
    own: Vec<MessageUuid>,
    /// Whether the updates belong to the history of a stored session.
    history: bool,
}

/// A text that is still streaming.
#[derive(Debug, Default)]
struct Growing {
    /// The length of the part that was sent, in bytes.
    sent: usize,
    /// The tool use of the sub-agent that wrote the text. `None` for the main agent.
    parent: Option<ToolUseId>,
}

/// The maximum number of the client's prompts that are remembered.
const OWN: usize = 256;

impl Updates {
    /// Creates the mapping for a live session. Prompts that the client itself has sent ([`prompt`](Self::prompt)) are
    /// not sent back to it.
    pub fn live(offer: Offer) -> Self {
        Self {
            offer,
            growing: HashMap::new(),
            tools: ToolCalls::default(),
            plan: PlanEntries::default(),
            compactions: Compactions::default(),
            own: Vec::new(),
            history: false,
        }
    }

    /// Creates the mapping for the history of a stored session. Prompts are sent to the client, but notices are not.
    pub fn history(offer: Offer) -> Self {
        Self {
            history: true,
            ..Self::live(offer)
        }
    }

    /// Remembers a prompt that the client has sent. The client shows this prompt itself, so no update repeats it.
    pub fn prompt(&mut self, uuid: MessageUuid) {
        if self.own.len() == OWN {
            self.own.remove(0);
        }
        self.own.push(uuid);
    }

    /// Removes the plan, because a new conversation has none. If the client shows a plan, returns the update that
    /// empties it.
    pub fn clear_plan(&mut self) -> Option<SessionUpdate> {
        self.plan.clear()
    }

    /// Handles a message that does not become an element of the timeline. Returns an update if the message reports that
    /// a compaction has begun, has failed or was cancelled. Call this method with each message before you pass the
    /// changes that the message caused to [`changes`](Self::changes).
    pub fn message(&mut self, message: &Message) -> Option<SessionUpdate> {
        let update = self.compactions.message(message);
        update.filter(|_| self.offer.compaction)
    }

    /// Returns the updates for the next changes of the timeline, in order.
    pub fn changes(&mut self, changes: impl IntoIterator<Item = Change>) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        for change in changes {
            self.change(change, &mut updates);
        }
        updates
    }

    fn change(&mut self, change: Change, updates: &mut Vec<SessionUpdate>) {
        match change {
            Change::Added(element) => self.element(&element, false, updates),
            Change::Updated(element) => self.element(&element, true, updates),
            Change::Grew(growth) => {
                if let Some(growing) = self.growing.get_mut(&growth.id) {
                    growing.sent += growth.text.len();
                    let chunk = chunk(&growth.id, text_block(&growth.text));
                    let chunk = of_subagent(chunk, growing.parent.as_ref());
                    updates.push(self.tools.text_of(&growth.id, chunk));
                }
            }
            Change::Removed(id) => {
                self.growing.remove(&id);
                self.tools.forget(&id);
            }
            // The client itself measures the time of a tool.
            Change::Elapsed(_) | _ => {}
        }
    }

    fn element(&mut self, element: &Element, known: bool, updates: &mut Vec<SessionUpdate>) {
        match &element.content {
            Content::UserInput(input) if !known => self.user_input(element, input, updates),
            Content::AssistantText(text) if self.is_shown(element) => {
                self.text(element, &text.text, text.streaming, false, updates);
            }
            Content::Thinking(thinking) if self.is_shown(element) => {
                self.text(element, &thinking.text, thinking.streaming, true, updates);
            }
            Content::ToolCall(call) => {
                if let Some(plan) = self.plan.call(call) {
                    updates.push(plan);
                }
                self.tools.call(&self.offer, element, call, known, updates);
            }
            Content::EditDiff(edit) => self.tools.edit(&self.offer, element, edit, known, updates),
            Content::ToolResult(result) => {
                if let Some(plan) = self.plan.result(result) {
                    updates.push(plan);
                }
                self.tools.result(&self.offer, result, updates);
            }
            Content::Image(image) if !known => self.image(element, image, updates),
            Content::ContextCompaction(compaction) => {
                if self.offer.compaction {
                    updates.push(self.compactions.element(&element.id, compaction));
                } else if !known {
                    updates.push(agent_text("The conversation was compacted."));
                }
            }
            Content::Subagent(agent) if known && agent.state != TaskState::Running => {
                if let (Some(id), Some(summary)) = (&agent.tool_use_id, &agent.summary) {
                    self.tools.outcome(id, agent.state, summary, updates);
                }
            }
            Content::Task(task) if known && task.state != TaskState::Running => {
                if let (Some(id), Some(summary)) = (&task.tool_use_id, &task.summary) {
                    self.tools.outcome(id, task.state, summary, updates);
                }
            }
            Content::Notice(notice) if !known => self.notice(notice, updates),
            Content::Error(error) if !known => updates.push(agent_text(&error.text)),
            Content::CommandOutput(output) if !known => updates.push(agent_text(&output.text)),
            _ => {}
        }
    }

    fn user_input(
        &self,
        element: &Element,
        input: &element::UserInput,
        updates: &mut Vec<SessionUpdate>,
    ) {
        let is_own = |uuid: &MessageUuid| self.own.contains(uuid);
        let is_hidden = element.parent.is_some() || element.message.as_ref().is_some_and(is_own);
        if !is_hidden {
            let chunk = chunk(&element.id, text_block(&input.text));
            updates.push(SessionUpdate::UserMessageChunk(chunk));
        }
    }

    /// Whether the client shows the text of this element. A client shows texts of sub-agents only if it offered this
    /// capability.
    fn is_shown(&self, element: &Element) -> bool {
        element.parent.is_none() || self.offer.subagent_texts
    }

    /// Adds an update with the new part of a text that may be streaming.
    fn text(
        &mut self,
        element: &Element,
        text: &str,
        streaming: bool,
        thought: bool,
        updates: &mut Vec<SessionUpdate>,
    ) {
        let sent = self.growing.remove(&element.id).unwrap_or_default().sent;
        self.tools.speak(&element.id, thought, streaming);
        if streaming {
            let growing = Growing {
                sent: text.len(),
                parent: element.parent.clone(),
            };
            self.growing.insert(element.id.clone(), growing);
        }
        // If the CLI has replaced the text, the part that was already sent cannot be retracted.
        if let Some(rest) = text.get(sent..)
            && !rest.is_empty()
        {
            let chunk = chunk(&element.id, text_block(rest));
            let chunk = of_subagent(chunk, element.parent.as_ref());
            updates.push(if thought {
                SessionUpdate::AgentThoughtChunk(chunk)
            } else {
                SessionUpdate::AgentMessageChunk(chunk)
            });
        }
    }

    fn image(
        &mut self,
        element: &Element,
        image: &element::Image,
        updates: &mut Vec<SessionUpdate>,
    ) {
        let Some(block) = image_block(&image.media) else {
            return;
        };
        match image.from.as_str() {
            "user" => {
                let is_own = |uuid: &MessageUuid| self.own.contains(uuid);
                if !element.message.as_ref().is_some_and(is_own) {
                    let chunk = chunk(&element.id, block);
                    updates.push(SessionUpdate::UserMessageChunk(chunk));
                }
            }
            "assistant" => {
                updates.push(SessionUpdate::AgentMessageChunk(chunk(&element.id, block)));
            }
            tool => self.tools.image(tool, block, updates),
        }
    }

    fn notice(&self, notice: &element::Notice, updates: &mut Vec<SessionUpdate>) {
        if !self.history && !matches!(notice.kind, NoticeKind::Suggestion | NoticeKind::Hook) {
            updates.extend(notice_update(
                &self.offer,
                notice.kind,
                notice.level,
                &notice.text,
            ));
        }
    }
}

/// Returns an update with a notice. If the client does not show notices, a warning about the session becomes text of
/// the agent, and the result for any other notice is `None`.
pub(crate) fn notice_update(
    offer: &Offer,
    kind: NoticeKind,
    level: NoticeLevel,
    text: &str,
) -> Option<SessionUpdate> {
    let severity = match level {
        NoticeLevel::Error => NoticeSeverity::Error,
        NoticeLevel::Warning => NoticeSeverity::Warning,
        _ => NoticeSeverity::Info,
    };
    if offer.notices {
        return Some(SessionUpdate::Notice(Notice::new(severity, text)));
    }
    let is_warning = kind == NoticeKind::Session && level != NoticeLevel::Info;
    is_warning.then(|| agent_text(&format!("{text}\n\n")))
}

/// Returns an update with a complete text of the agent.
pub(crate) fn agent_text(text: &str) -> SessionUpdate {
    SessionUpdate::AgentMessageChunk(ContentChunk::new(text_block(text)))
}

/// Returns a chunk of a message. Its message ID is the ID of the element without the index of the block at the end.
fn chunk(id: &ElementId, block: ContentBlock) -> ContentChunk {
    let message = id.as_str().rsplit_once('.');
    let message = message.map_or(id.as_str(), |(message, _)| message);
    ContentChunk::new(block).message_id(MessageId::new(message))
}

/// Adds to a chunk the tool use of the sub-agent that wrote the text. A chunk of the main agent stays unchanged.
fn of_subagent(chunk: ContentChunk, parent: Option<&ToolUseId>) -> ContentChunk {
    let Some(parent) = parent else {
        return chunk;
    };
    let claw = json!({ "parentToolUseId": parent });
    chunk.meta(Meta::from_iter([("claudeCode".to_owned(), claw)]))
}

pub(crate) fn text_block(text: &str) -> ContentBlock {
    ContentBlock::Text(TextContent::new(text))
}

/// Returns an image as a block, if its bytes are known.
fn image_block(media: &Media) -> Option<ContentBlock> {
    let data = media.data.as_ref()?;
    let kind = media.media_type.as_deref().unwrap_or("image/png");
    Some(ContentBlock::Image(ImageContent::new(data, kind)))
}
