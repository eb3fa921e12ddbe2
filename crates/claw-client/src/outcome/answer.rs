//! The answer of a turn: the whole text of its last message.

use std::sync::LazyLock;

use claw_codec::LineItem;
use claw_types::api::ContentBlock;
use claw_types::message::AssistantMessage;
use claw_types::{ApiMessageId, Json, Message, from_line, members};
use memchr::memmem::Finder;

use super::error::{Cause, Error};
use super::result::TurnResult;

static SYNTHETIC: LazyLock<Finder<'static>> =
    LazyLock::new(|| Finder::new(r#""isSynthetic":true"#));

/// The highest number of bytes of text that are kept. For a longer answer, the text of the result message is used.
const MOST_BYTES: usize = 64 << 20;

/// Converts messages into results of turns, each with the whole answer.
///
/// The CLI's result message contains only the last content block of the model's last message. A model may write an
/// answer in several text blocks, for example around citations, and continues in another message if the connection to
/// the API or the limit of output tokens cut the answer off. This type keeps the text of the last message of the main
/// conversation and of the messages that it continues, and [`result`](Self::result) returns the result with all of it.
/// [`Query`](crate::Query), [`Turn`](crate::Turn) and the streams made from them do this by themselves. Use this type
/// if you read [`Messages`](crate::Messages), frames or stored lines.
///
/// ```
/// use claw_client::{FinalAnswer, Message};
///
/// fn answers(messages: impl IntoIterator<Item = Message>) -> Vec<String> {
///     let mut answer = FinalAnswer::default();
///     let results = messages.into_iter().filter_map(|message| answer.result(message).ok());
///     results.map(|result| result.text().into_owned()).collect()
/// }
/// # assert!(answers([]).is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct FinalAnswer {
    /// The ID of the last message of the main conversation since the last result.
    message: Option<ApiMessageId>,
    /// The text blocks of that message, and of the messages that it continues, joined.
    text: String,
    /// Whether the next message continues that message.
    is_continued: bool,
}

impl FinalAnswer {
    /// Adds a message. Needed only for messages that are not passed to [`result`](Self::result).
    pub fn push(&mut self, message: &Message) {
        match message {
            Message::User(user) if user.resumes_answer() => self.is_continued = true,
            Message::Assistant(part) if part.parent_tool_use_id.is_none() => self.part(part),
            _ => {}
        }
    }

    fn part(&mut self, part: &AssistantMessage) {
        let id = &part.message.id;
        if self.message.as_ref() != Some(id) {
            self.message = Some(id.clone());
            if !std::mem::take(&mut self.is_continued) {
                self.text.clear();
            }
        }
        for block in &part.message.content {
            if let ContentBlock::Text(block) = block {
                self.text.push_str(&block.text);
            }
        }
        if self.text.len() > MOST_BYTES {
            *self = Self::default();
        }
    }

    /// Converts a message that is the result of a turn. Its text is the whole answer. Any other message is added as by
    /// [`push`](Self::push), and returned as the error.
    ///
    /// # Errors
    ///
    /// Returns the message if it is not the result of a turn.
    pub fn result(&mut self, message: Message) -> Result<TurnResult, Message> {
        self.push(&message);
        let mut result = TurnResult::try_from(message)?;
        let Self { text, .. } = std::mem::take(self);
        if let TurnResult::Success(success) = &mut result
            && !success.is_error
            && text.len() > success.result.len()
            // A result whose text is not the end of the collected text does not belong to that message. For example, it
            // is the output of a local command.
            && text.trim_end().ends_with(success.result.trim_end())
        {
            success.result = text;
        }
        Ok(result)
    }
}

impl TurnResult {
    /// Returns the text of the answer, as [`text`](Self::text) does.
    ///
    /// # Errors
    ///
    /// Fails if the turn [failed](Self::is_error): [`Error::is_turn_failed`] is true for that error, which contains
    /// the result.
    pub fn answer(self) -> Result<String, Error> {
        match self {
            Self::Success(result) if !result.is_error => Ok(result.result),
            failed => Err(Cause::Failed(Box::new(failed)).into()),
        }
    }
}

/// The significance of a line for the answer of its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerLine {
    /// A part of the model's message with this ID.
    Part(String),
    /// After this line, the model's next message continues the last one.
    Resumption,
    /// A report about a compaction of the conversation. It is not part of the answer, but it is part of the turn's
    /// result.
    Compaction,
}

/// Returns the significance of a line for the answer of its turn. `None` if the line is not part of an answer.
pub(crate) fn answer_line(item: &LineItem) -> Option<AnswerLine> {
    let LineItem::Line(line) = item else {
        return None;
    };
    // Skips the most frequent and the longest lines without parsing them.
    let is_other = line.raw.starts_with(br#"{"type":"stream_event","#)
        || (line.raw.starts_with(br#"{"type":"user","#) && SYNTHETIC.find(&line.raw).is_none());
    if is_other {
        return None;
    }
    let keys = [
        "type",
        "parent_tool_use_id",
        "message",
        "isSynthetic",
        "subtype",
        "compact_result",
    ];
    let [kind, parent, message, synthetic, subtype, compacted] = members(&line.raw, keys)?;
    if parent.is_some_and(|parent| parent != Json::null()) {
        return None;
    }
    match &*kind?.as_str()? {
        "assistant" => {
            let id = message?.get("id")?.as_str()?.into_owned();
            Some(AnswerLine::Part(id))
        }
        "user" if synthetic.is_some() => {
            let user = from_line::<Message>(&line.raw).ok()?;
            let resumes = matches!(user, Message::User(user) if user.resumes_answer());
            resumes.then_some(AnswerLine::Resumption)
        }
        "system" => {
            let is_boundary = subtype?.as_str().as_deref() == Some("compact_boundary");
            (is_boundary || compacted.is_some()).then_some(AnswerLine::Compaction)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
