//! Prompts to the CLI.

use bytes::Bytes;
use claw_codec::to_line;
use claw_types::MessageUuid;
use claw_types::api::{Content, ContentBlock, Role};
use claw_types::message::{Priority, UserMessage};

use crate::outcome::error::Error;

/// A prompt: text, content blocks, or a whole `user` message.
///
/// ```
/// use claw_client::Prompt;
/// use claw_client::types::message::{Priority, UserMessage};
///
/// let plain = Prompt::from("What is 2 + 2?");
/// let urgent = Prompt::from(UserMessage::prompt("Stop that.").priority(Priority::Now));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt(UserMessage);

impl Prompt {
    /// Sets when the CLI begins to work on the prompt, if other prompts are queued or a turn is running.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.0.priority = Some(priority);
        self
    }

    /// Makes the CLI add the prompt to the conversation without an answer. The prompt's turn still has a result, with
    /// zero answers of the model.
    #[must_use]
    pub fn without_answer(mut self) -> Self {
        self.0.should_query = Some(false);
        self
    }

    /// Returns this prompt without its UUID, so that it can be sent again. The CLI does not run a prompt that has the
    /// UUID of an earlier prompt.
    #[must_use]
    pub fn without_uuid(mut self) -> Self {
        self.0.uuid = None;
        self
    }

    /// Returns the prompt as a line, and the UUID by which results refer to it. The UUID is created if the prompt has
    /// none. If `verbatim` is true, slash commands and mentions in the text have no effect, unless the prompt itself
    /// sets this.
    pub(crate) fn into_line(self, verbatim: bool) -> Result<(String, Bytes), Error> {
        let mut message = self.0;
        if message.message.role != Role::User {
            // For such a prompt, the CLI would end at once.
            return Err(bad("its role is not `user`".to_owned()));
        }
        if verbatim {
            message.client_composed.get_or_insert(true);
        }
        let uuid = message
            .uuid
            .get_or_insert_with(MessageUuid::random)
            .to_string();
        let line = to_line(&message).map_err(|error| bad(error.to_string()))?;
        Ok((uuid, line))
    }
}

fn bad(reason: String) -> Error {
    Error::bad_request("the prompt", reason)
}

impl From<UserMessage> for Prompt {
    fn from(message: UserMessage) -> Self {
        Self(message)
    }
}

impl From<Content> for Prompt {
    fn from(content: Content) -> Self {
        Self(UserMessage::prompt(content))
    }
}

impl From<Vec<ContentBlock>> for Prompt {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Content::from(blocks).into()
    }
}

impl From<String> for Prompt {
    fn from(text: String) -> Self {
        Content::from(text).into()
    }
}

impl From<&String> for Prompt {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<&str> for Prompt {
    fn from(text: &str) -> Self {
        Content::from(text).into()
    }
}
