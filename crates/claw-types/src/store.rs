//! Types for session stores: the sessions in a list, and the keys and entries of a store.

use crate::api::{Content, ContentBlock};
use crate::message::ToolResultMeta;
use crate::texts::INTERRUPTED;
use crate::{Count, Extra, Json, Map, MessageUuid, Number, SessionId, ToolUseId};

/// Information about a session, for a list of sessions.
///
/// The information comes from the session's file. A field is absent if its value is not known.
#[wire(rename_all = "camelCase")]
pub struct SessionInfo {
    /// The ID of the session.
    pub session_id: SessionId,
    /// A short text for display: the title of the session. For a session without a title, it is the session's subject
    /// or the beginning of the conversation.
    pub summary: String,
    /// The time of the last message in the session's file, in milliseconds since 1970. For a file without such a message
    /// at its end, and for a session in a store, it is the time of the last write.
    pub last_modified: Number,
    /// The size of the session's file, in bytes. Absent if the session is not stored in a file.
    pub file_size: Option<Count>,
    /// The title that a person gave the session.
    pub custom_title: Option<String>,
    /// The first prompt of the session.
    pub first_prompt: Option<String>,
    /// The git branch that was checked out when the session was last active.
    pub git_branch: Option<String>,
    /// The working directory in which the session began.
    pub cwd: Option<String>,
    /// The tag of the session. Programs can find sessions by their tags.
    pub tag: Option<String>,
    /// The time at which the session began, in milliseconds since 1970.
    pub created_at: Option<Number>,
    /// Whether the session is archived. Absent if the session was never archived, and `false` if it was archived and
    /// then restored.
    pub archived: Option<bool>,
}

/// The author of a message of a session.
#[wire(open)]
pub enum SessionMessageType {
    /// The user, or a tool on the user's behalf.
    User = "user",
    /// The model of the session.
    Assistant = "assistant",
    /// The CLI itself.
    System = "system",
}

/// A message of a stored session, for display. Lists of such messages are in the order of the conversation.
#[wire]
pub struct SessionMessage {
    /// The author of the message.
    #[wire(rename = "type")]
    pub kind: SessionMessageType,
    /// The UUID of the message.
    pub uuid: MessageUuid,
    /// The ID of the session.
    pub session_id: SessionId,
    /// The content of the message, as the transcript contains it in the field `message`. It can be any JSON.
    pub message: Json,
    /// The ID of the tool use that started the sub-agent which wrote this message. Null for the
    /// main conversation.
    #[wire(nullable)]
    pub parent_tool_use_id: Option<ToolUseId>,
    /// The ID of the parent sub-agent, for a message of a sub-agent that another sub-agent started. Null for all other
    /// messages.
    #[wire(nullable)]
    pub parent_agent_id: Option<String>,
    /// The time of the message, in ISO 8601.
    pub timestamp: Option<String>,
    /// Whether the turn was cut off because the CLI ended. Absent means `false`.
    #[wire(rename = "interruptedByShutdown")]
    pub interrupted_by_shutdown: Option<bool>,
    /// The reason why nobody answered the permission request for the tool use. The value is `stream-closed`. Absent if
    /// the message is not about such a tool use.
    #[wire(rename = "toolDenialUnanswered")]
    pub tool_denial_unanswered: Option<String>,
    /// A list with one entry, which contains the reason why a tool did not run. Present only on a message with the
    /// result of a tool use. Absent if the tool ran.
    pub tool_result_meta: Option<Vec<ToolResultMeta>>,
    /// Whether the message is the summary that replaces a compacted conversation. Absent means `false`.
    #[wire(rename = "isCompactSummary")]
    pub is_compact_summary: Option<bool>,
    /// Whether the CLI wrote the message, and not a person. Absent means `false`.
    pub is_meta: Option<bool>,
    /// Whether the message is a prompt that waited in the queue until a running turn took it. Absent means `false`.
    #[wire(rename = "isQueuedCommand")]
    pub is_queued_command: Option<bool>,
    /// Whether the message records a slash command that ran without the model. Absent means `false`.
    #[wire(rename = "isCompletedLocalCommand")]
    pub is_completed_local_command: Option<bool>,
    /// The origin of the prompt, as the transcript contains it: any JSON object with the field `kind`.
    pub origin: Option<Json>,
}

impl SessionMessage {
    /// Returns the text of all text blocks of the message, concatenated. Empty if it has none.
    pub fn text(&self) -> String {
        self.content()
            .map(|content| content.text())
            .unwrap_or_default()
    }

    /// Whether a person, or the program in a person's place, sent this message to the model: no tool's result, nothing
    /// that the CLI wrote, no command that ran without the model, and no prompt of a sub-agent.
    pub fn is_prompt(&self) -> bool {
        let kind = self.origin.as_ref().and_then(|origin| origin.get("kind"));
        let is_human = kind.is_none_or(|kind| kind.as_str().as_deref() == Some("human"));
        let flags = [
            self.is_meta,
            self.is_compact_summary,
            self.is_completed_local_command,
        ];
        let is_of_tool = |block: &ContentBlock| matches!(block, ContentBlock::ToolResult(_));
        let is_prompt_text = self.content().is_some_and(|content| {
            !content.blocks().iter().any(is_of_tool) && !content.text().starts_with(INTERRUPTED)
        });
        self.kind == SessionMessageType::User
            && self.parent_tool_use_id.is_none()
            && !flags.contains(&Some(true))
            && is_human
            && is_prompt_text
    }

    fn content(&self) -> Option<Content> {
        self.message.get("content")?.parse().ok()
    }
}

/// The key under which a session store keeps a transcript. A session has one main transcript. It can have further
/// transcripts, such as those of its sub-agents.
#[wire(rename_all = "camelCase")]
pub struct SessionKey {
    /// The key of the project to which the session belongs: the name of its directory, or another grouping that the
    /// host chooses.
    pub project_key: String,
    /// The ID of the session.
    pub session_id: SessionId,
    /// The path that identifies another transcript of the session, such as `subagents/agent-a1`. Absent for the main
    /// transcript. The path is never empty.
    pub subpath: Option<String>,
}

/// An entry of a transcript, as a session store handles it. The fields that the store needs are typed. All other fields
/// are kept unchanged in `extra`.
///
/// Any entry of any CLI version can be read into this type, and is written unchanged. In Rust, [`entry`](Self::entry)
/// parses the entry (feature `transcript`).
#[wire]
pub struct SessionStoreEntry {
    /// The kind of the entry, such as `user` or `assistant`.
    #[wire(rename = "type")]
    pub kind: String,
    /// The UUID of the entry. Absent on entries that are not part of the conversation.
    pub uuid: Option<MessageUuid>,
    /// The time at which the entry was written, in ISO 8601. Absent on some entries that are not part of the
    /// conversation.
    pub timestamp: Option<String>,
    /// All other fields of the entry.
    #[wire(extra)]
    pub extra: Extra,
}

#[cfg(feature = "transcript")]
impl SessionStoreEntry {
    /// Parses the entry as a typed transcript entry.
    ///
    /// # Errors
    /// Fails if the entry is of a known kind but does not have the form of that kind. An entry of an unknown kind is
    /// not an error.
    pub fn entry(&self) -> Result<crate::transcript::Entry, serde_json::Error> {
        Json::new(self)?.parse()
    }
}

/// A session's summary, which a session store keeps. With the summaries, a program can list sessions without reading
/// their transcripts.
#[wire(rename_all = "camelCase")]
pub struct SessionSummaryEntry {
    /// The ID of the session.
    pub session_id: SessionId,
    /// The time of the last write to the session, in milliseconds since 1970, by the clock of the store.
    pub mtime: Number,
    /// The data that the SDK gathered for the summary. The store keeps the data unchanged.
    pub data: Map<Json>,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn message(kind: &str, content: &Value, more: &Value) -> SessionMessage {
        let mut line = json!({"type": kind, "uuid": "u", "session_id": "s", "parent_tool_use_id": null,
            "parent_agent_id": null, "message": {"role": kind, "content": content}});
        for (key, value) in more.as_object().unwrap() {
            line[key] = value.clone();
        }
        serde_json::from_value(line).unwrap()
    }

    #[test]
    fn a_prompt_is_what_a_person_has_written() {
        let words = json!("Hello?");
        let blocks = json!([{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo?"}]);
        let prompt = message("user", &words, &json!({}));
        assert_eq!((&*prompt.text(), prompt.is_prompt()), ("Hello?", true));
        let prompt = message("user", &blocks, &json!({"origin": {"kind": "human"}}));
        assert_eq!((&*prompt.text(), prompt.is_prompt()), ("Hello?", true));
        let result = json!([{"type": "tool_result", "tool_use_id": "t", "content": "x"}]);
        let others = [
            message("assistant", &words, &json!({})),
            message("user", &result, &json!({})),
            message("user", &json!("[Request interrupted by user]"), &json!({})),
            message("user", &words, &json!({"is_meta": true})),
            message("user", &words, &json!({"isCompactSummary": true})),
            message("user", &words, &json!({"isCompletedLocalCommand": true})),
            message(
                "user",
                &words,
                &json!({"origin": {"kind": "task-notification"}}),
            ),
            message("user", &words, &json!({"parent_tool_use_id": "t"})),
            message("user", &json!(7), &json!({})),
        ];
        for other in others {
            assert!(!other.is_prompt(), "{other:?}");
        }
    }
}
