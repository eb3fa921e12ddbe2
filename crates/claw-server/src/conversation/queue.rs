//! The prompts that wait until Claude begins to process them, and the contents of sent prompts.

use claw_types::Message;
use claw_types::message::internal::{CommandState, InternalMessage};
use claw_types::{MessageUuid, message::UserMessage};
use claw_view::Change;
use claw_view::element::{Content, Document, Image};

use super::{Conversation, EventKind, json};

/// Maximum number of waiting prompts in the list. Further prompts wait too, but are not listed and cannot be taken
/// back.
const MOST: usize = 64;

/// The contents of a prompt.
#[derive(Debug)]
pub(crate) struct PromptParts<'a> {
    pub(crate) text: String,
    pub(crate) images: Vec<&'a Image>,
    pub(crate) documents: Vec<&'a Document>,
}

impl Conversation {
    /// Adds a prompt to the list of waiting prompts, if another prompt is still unanswered.
    pub(super) fn enqueue(&mut self, prompt: &UserMessage) {
        let waiting = &mut self.state.waiting_prompts;
        if let Some(uuid) = &prompt.uuid
            && self.state.queued > 0
            && waiting.len() < MOST
        {
            waiting.push(uuid.as_str().to_owned());
        }
    }

    /// Removes a prompt from the list of waiting prompts.
    pub(crate) fn dequeue(&mut self, prompt: &MessageUuid) {
        self.set(|state| state.waiting_prompts.retain(|uuid| uuid != prompt.as_str()));
    }

    /// Whether a prompt is in the list of waiting prompts.
    pub(crate) fn is_waiting(&self, prompt: &MessageUuid) -> bool {
        let mut waiting = self.state.waiting_prompts.iter();
        waiting.any(|uuid| uuid == prompt.as_str())
    }

    /// Updates the list of waiting prompts from a message.
    pub(super) fn queue_message(&mut self, message: &Message) {
        match message {
            Message::Internal(InternalMessage::CommandLifecycle(command))
                if command.state != CommandState::Queued =>
            {
                self.dequeue(&command.command_uuid);
            }
            // CLIs that do not send `command_lifecycle` repeat a prompt when they take it from their queue.
            Message::UserReplay(replay) => self.dequeue(&replay.uuid),
            _ => {}
        }
    }

    /// Removes the elements of a prompt that was taken back, because the prompt is not part of the conversation.
    pub(crate) fn take_back(&mut self, prompt: &MessageUuid) {
        let of = self
            .elements
            .iter()
            .filter(|element| element.message.as_ref() == Some(prompt) && element.parent.is_none());
        let gone: Vec<_> = of.map(|element| element.id.clone()).collect();
        for id in gone {
            let change = Change::Removed(id);
            self.log.push(EventKind::Change, json(&change));
            self.changed(change);
        }
        self.dequeue(prompt);
    }

    /// Whether a turn runs, or a prompt is not answered yet.
    pub(crate) fn has_turn(&self) -> bool {
        self.state.queued > 0 || self.background.has_turn()
    }

    /// Returns the contents of a prompt. Returns `None` if the prompt is unknown.
    pub(crate) fn prompt_parts(&self, prompt: &str) -> Option<PromptParts<'_>> {
        let mut text = None;
        let (mut images, mut documents) = (Vec::new(), Vec::new());
        for element in self.elements.iter() {
            let is_of = element
                .message
                .as_ref()
                .is_some_and(|it| it.as_str() == prompt);
            match &element.content {
                Content::UserInput(input) if is_of && element.parent.is_none() => {
                    text.get_or_insert_with(String::new).push_str(&input.text);
                }
                Content::Image(image) if is_of => images.push(image),
                Content::Document(document) if is_of => documents.push(document),
                _ => {}
            }
        }
        // A prompt without text may consist of images or documents. If it has none of these either, the prompt is unknown.
        if text.is_none() && images.is_empty() && documents.is_empty() {
            return None;
        }
        Some(PromptParts {
            text: text.unwrap_or_default(),
            images,
            documents,
        })
    }
}
