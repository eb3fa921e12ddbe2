//! Messages about a turn: its end, an interruption, errors, and compactions.

use claw_types::Message;
use claw_types::api::ContentBlock;
use claw_types::message::{CompactResult, SessionStatus, StatusMessage};

use crate::element::TurnEnd;
use crate::shown::shown;
use crate::timeline::interruption;

shown! {
    /// A message from a wrapper to its client about the end of a turn. No further message about the turn follows.
    pub struct TurnEnded {
        /// The ID of the conversation.
        pub conversation_id: String,
        /// The outcome of the turn.
        pub outcome: TurnOutcome,
        /// The `subtype` of the `result` message, such as `success` or `error_max_turns`. Null if the turn ended without
        /// a result, because the process ended.
        pub result: Option<String>,
        /// The error messages. Empty if the turn did not fail.
        pub errors: Vec<String>,
        /// The number of responses of the model in this turn. Null if the turn ended without a result.
        pub responses: Option<u64>,
        /// The duration of the turn, in milliseconds. Null if the turn ended without a result.
        pub duration_ms: Option<f64>,
        /// The cost of the turn, in US dollars. Null if the turn ended without a result.
        pub cost_usd: Option<f64>,
        /// The cost that the CLI has counted for the session so far, in US dollars. Null if the turn ended without a
        /// result.
        pub session_cost_usd: Option<f64>,
        /// The number of input tokens of the turn, including those of the prompt cache. Null if the turn ended without a
        /// result.
        pub input_tokens: Option<u64>,
        /// The number of output tokens of the turn. Null if the turn ended without a result.
        pub output_tokens: Option<u64>,
    }

    /// The outcome of a turn.
    #[derive(Copy, Eq)]
    pub enum TurnOutcome {
        /// The turn succeeded.
        Completed,
        /// The user interrupted the turn.
        Interrupted,
        /// The turn failed.
        Failed,
    }

    /// A message from a wrapper to its client that says that the user interrupted the turn. The end of the turn follows.
    pub struct TurnInterrupted {
        /// The ID of the conversation.
        pub conversation_id: String,
        /// Whether a tool was running, or waited for permission.
        pub during_tool_use: bool,
    }

    /// A message from a wrapper to its client about an error in a turn, such as a failed API request.
    pub struct TurnError {
        /// The ID of the conversation.
        pub conversation_id: String,
        /// The kind of the error in the words of the protocol, such as `rate_limit`.
        pub kind: String,
        /// The error in words, for people.
        pub message: String,
        /// Whether the CLI sends the API request again. If `false`, the end of the turn follows.
        pub is_retried: bool,
    }

    /// A message from a wrapper to its client about a compaction of the conversation. The wrapper sends one such message
    /// when the compaction starts, and one when it ends.
    pub struct CompactionProgress {
        /// The ID of the conversation.
        pub conversation_id: String,
        /// The status of the compaction.
        pub status: CompactionStatus,
        /// The cause of the compaction: `manual` (the user) or `auto` (the CLI, because the context was full). Null
        /// unless the compaction has completed.
        pub trigger: Option<String>,
        /// The number of tokens of the conversation before the compaction. Null if unknown.
        pub tokens_before: Option<u64>,
        /// The number of tokens of the conversation after the compaction. Null if unknown.
        pub tokens_after: Option<u64>,
    }

    /// The status of a compaction.
    #[derive(Copy, Eq)]
    pub enum CompactionStatus {
        /// The compaction is running.
        Running,
        /// The compaction has completed.
        Completed,
        /// The compaction has failed. The conversation is unchanged.
        Failed,
    }
}

impl TurnEnded {
    /// Creates the message for a turn that ended without a result, because its process ended or did not start. `error`
    /// is the reason.
    pub fn without_result(conversation_id: impl Into<String>, error: impl Into<String>) -> Self {
        Self {
            conversation_id: conversation_id.into(),
            outcome: TurnOutcome::Failed,
            result: None,
            errors: vec![error.into()],
            responses: None,
            duration_ms: None,
            cost_usd: None,
            session_cost_usd: None,
            input_tokens: None,
            output_tokens: None,
        }
    }

    /// Creates the message for a turn with a result. `cost_usd` is the cost of the turn.
    pub(super) fn of(end: TurnEnd, cost_usd: f64, conversation_id: String) -> Self {
        Self {
            conversation_id,
            outcome: match (end.ok, end.interrupted) {
                (true, _) => TurnOutcome::Completed,
                (false, true) => TurnOutcome::Interrupted,
                (false, false) => TurnOutcome::Failed,
            },
            result: Some(end.subtype),
            errors: end.errors,
            responses: Some(end.turns),
            duration_ms: Some(end.duration_ms),
            cost_usd: Some(cost_usd),
            session_cost_usd: Some(end.cost_usd),
            input_tokens: Some(end.input_tokens),
            output_tokens: Some(end.output_tokens),
        }
    }
}

impl TurnInterrupted {
    /// Creates the message for an interruption of the main conversation. Returns `None` for any other message of
    /// `claude`.
    pub(super) fn of(message: &Message, conversation_id: &str) -> Option<Self> {
        let Message::User(message) = message else {
            return None;
        };
        if message.parent_tool_use_id.is_some() {
            return None;
        }
        let blocks = message.message.content.blocks();
        let text = blocks.iter().find_map(|block| match block {
            ContentBlock::Text(block) => interruption(&block.text),
            _ => None,
        });
        text.map(|during_tool_use| Self {
            conversation_id: conversation_id.to_owned(),
            during_tool_use,
        })
    }
}

impl TurnError {
    /// Creates the message for an error that the CLI reports in the main conversation. Returns `None` for any other
    /// message of `claude`.
    pub(super) fn of(message: &Message, conversation_id: &str) -> Option<Self> {
        let (kind, message, is_retried) = match message {
            Message::Assistant(answer) if answer.parent_tool_use_id.is_none() => {
                let kind = answer.error.as_ref()?;
                let texts = answer
                    .message
                    .content
                    .iter()
                    .filter_map(|block| match block {
                        ContentBlock::Text(block) => Some(block.text.as_str()),
                        _ => None,
                    });
                let text = texts.collect::<Vec<_>>().join("\n");
                (kind, text, false)
            }
            Message::ApiRetry(retry) => {
                let (attempt, most) = (retry.attempt.get(), retry.max_retries.get());
                let why = match &retry.error_status {
                    Some(status) => format!("The API answered with status {}.", status.as_f64()),
                    None => "The API did not answer.".to_owned(),
                };
                let text =
                    format!("{why} The CLI sends the request again: retry {attempt} of {most}.");
                (&retry.error, text, true)
            }
            _ => return None,
        };
        Some(Self {
            conversation_id: conversation_id.to_owned(),
            kind: kind.as_str().to_owned(),
            message,
            is_retried,
        })
    }
}

impl CompactionProgress {
    /// Creates the message for the start or end of a compaction. Returns `None` for any other message of `claude`.
    pub(super) fn of(message: &Message, conversation_id: &str) -> Option<Self> {
        let status = match message {
            Message::Status(status) => of_status(status)?,
            Message::CompactBoundary(_) => CompactionStatus::Completed,
            _ => return None,
        };
        let boundary = match message {
            Message::CompactBoundary(boundary) => Some(&boundary.compact_metadata),
            _ => None,
        };
        Some(Self {
            conversation_id: conversation_id.to_owned(),
            status,
            trigger: boundary.map(|boundary| boundary.trigger.as_str().to_owned()),
            tokens_before: boundary.map(|boundary| boundary.pre_tokens.get()),
            tokens_after: boundary.and_then(|boundary| boundary.post_tokens.map(u64::from)),
        })
    }
}

/// Returns the status of the compaction that a status message reports. A completed compaction is left out, because the
/// message that marks the compaction reports it with its token counts.
fn of_status(status: &StatusMessage) -> Option<CompactionStatus> {
    match (&status.compact_result, &status.status) {
        (Some(result), _) if *result == CompactResult::Failed => Some(CompactionStatus::Failed),
        (None, Some(SessionStatus::Compacting)) => Some(CompactionStatus::Running),
        _ => None,
    }
}
