//! Converts a line of a transcript to a message of its history.

use std::borrow::Cow;
use std::fmt;

use claw_types::message::{NonExecutionKind, ToolResultMeta};
use claw_types::store::{SessionMessage, SessionMessageType};
use claw_types::{Json, MessageUuid, SessionId, ToolUseId};
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use crate::Subagent;
use crate::chain::Role;
use crate::cursor::Cursor;
use crate::members::{Members, quoted};

/// The tool use and the agent that started the sub-agent of a conversation.
#[derive(Debug, Default)]
pub(super) struct Parents {
    tool_use: Option<ToolUseId>,
    agent: Option<String>,
}

impl Parents {
    /// Reads the file beside a sub-agent's transcript.
    pub(super) fn of(agent: &Subagent) -> Self {
        let metadata = agent.metadata();
        let text = |key: &str, is_part: fn(char) -> bool| {
            let value = metadata.as_ref()?.get(key)?;
            let text = value.as_str()?.into_owned();
            is_short(&text, is_part).then_some(text)
        };
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        Self {
            tool_use: text("toolUseId", is_part_of_id).map(ToolUseId::from),
            agent: text("parentAgentId", is_word),
        }
    }
}

fn is_short(text: &str, is_part: fn(char) -> bool) -> bool {
    (1..=128).contains(&text.len()) && text.chars().all(is_part)
}

fn is_part_of_id(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.:-".contains(c)
}

fn is_id(text: &str) -> bool {
    is_short(text, is_part_of_id)
}

/// The members of a line that become part of a message. If a key occurs twice, the last value is used, as in
/// JavaScript.
#[derive(Default)]
struct Line<'a> {
    kind: Option<&'a RawValue>,
    uuid: Option<&'a RawValue>,
    session_id: Option<&'a RawValue>,
    message: Option<Json>,
    timestamp: Option<&'a RawValue>,
    origin: Option<Json>,
    interrupted_by_shutdown: Option<&'a RawValue>,
    tool_denial_kind: Option<&'a RawValue>,
    tool_denial_unanswered: Option<&'a RawValue>,
    is_compact_summary: Option<&'a RawValue>,
    is_meta: Option<&'a RawValue>,
    is_visible_in_transcript_only: Option<&'a RawValue>,
    attachment: Option<&'a RawValue>,
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = Line<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a line of a transcript")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line<'de>, A::Error> {
        let mut line = Line::default();
        // Keys are read as raw JSON, because a key may contain half of a surrogate pair, which a `String` cannot hold.
        while let Some(key) = map.next_key::<&RawValue>()? {
            match &*string(Some(key)).unwrap_or_default() {
                "type" => line.kind = Some(map.next_value()?),
                "uuid" => line.uuid = Some(map.next_value()?),
                "sessionId" => line.session_id = Some(map.next_value()?),
                "message" => line.message = Some(map.next_value()?),
                "timestamp" => line.timestamp = Some(map.next_value()?),
                "origin" => line.origin = Some(map.next_value()?),
                "interruptedByShutdown" => line.interrupted_by_shutdown = Some(map.next_value()?),
                "toolDenialKind" => line.tool_denial_kind = Some(map.next_value()?),
                "toolDenialUnanswered" => line.tool_denial_unanswered = Some(map.next_value()?),
                "isCompactSummary" => line.is_compact_summary = Some(map.next_value()?),
                "isMeta" => line.is_meta = Some(map.next_value()?),
                "attachment" => line.attachment = Some(map.next_value()?),
                "isVisibleInTranscriptOnly" => {
                    line.is_visible_in_transcript_only = Some(map.next_value()?);
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(line)
    }
}

fn members<'a>(mut reader: Deserializer<impl serde_json::de::Read<'a>>) -> Option<Line<'a>> {
    let line = reader.deserialize_map(LineVisitor).ok()?;
    reader.end().ok()?;
    Some(line)
}

/// Converts the line to a message. The message belongs to `session`, unless the line names another session. Returns
/// `None` if the line is not a JSON object with a kind and a UUID.
pub(super) fn message(
    line: &[u8],
    role: Role,
    session: &SessionId,
    parents: &Parents,
) -> Option<SessionMessage> {
    let text;
    let mut line = if let Some(line) = members(Deserializer::from_slice(line)) {
        line
    } else {
        // Members that are read may contain bytes that are not UTF-8. U+FFFD replaces these bytes.
        text = String::from_utf8_lossy(line);
        members(Deserializer::from_str(&text))?
    };
    if let Role::Queued { has_source } = role {
        return queued(&line, has_source, session, parents);
    }
    let kind = match &*string(line.kind)? {
        "user" => SessionMessageType::User,
        "assistant" => SessionMessageType::Assistant,
        "system" => SessionMessageType::System,
        _ => return None,
    };
    let is = |flag: Option<&RawValue>| flag.is_some_and(|flag| flag.get() == "true");
    let is_true = |flag| is(flag).then_some(true);
    let is_compact_summary = is_true(line.is_compact_summary);
    let is_meta = is_true(line.is_meta).or(is_compact_summary);
    let meta = denial(line.tool_denial_kind, line.message.as_ref());
    let api_message = line.message.take().unwrap_or_else(Json::null);
    let mut message = line.begun(kind, string(line.uuid)?, api_message, session, parents);
    message.interrupted_by_shutdown = is_true(line.interrupted_by_shutdown);
    let unanswered = string(line.tool_denial_unanswered);
    message.tool_denial_unanswered = unanswered
        .filter(|why| why == "stream-closed")
        .map(Cow::into_owned);
    message.tool_result_meta = meta.map(|meta| vec![meta]);
    message.is_compact_summary = is_compact_summary;
    message.is_meta = is_meta.or(is_true(line.is_visible_in_transcript_only));
    message.origin = line.origin.filter(|origin| !origin.is_null());
    message.is_completed_local_command = (role == Role::LocalCommand).then_some(true);
    Some(message)
}

impl Line<'_> {
    /// Returns a message with the fields that every message has.
    fn begun(
        &self,
        kind: SessionMessageType,
        uuid: Cow<'_, str>,
        api_message: Json,
        session: &SessionId,
        parents: &Parents,
    ) -> SessionMessage {
        let session = string(self.session_id).map_or_else(
            || session.clone(),
            |named| SessionId::from(named.into_owned()),
        );
        let uuid = MessageUuid::from(uuid.into_owned());
        let mut message = SessionMessage::new(kind, uuid, session, api_message);
        message.parent_tool_use_id.clone_from(&parents.tool_use);
        message.parent_agent_id.clone_from(&parents.agent);
        message.timestamp = string(self.timestamp).map(Cow::into_owned);
        message
    }
}

/// Converts a queued prompt to a message of the user.
fn queued(
    line: &Line<'_>,
    has_source: bool,
    session: &SessionId,
    parents: &Parents,
) -> Option<SessionMessage> {
    let text = line.attachment?.get();
    let attachment = Members::parse(text.as_bytes())?;
    let mut api_message = Members::default();
    api_message.set("role", *b"\"user\"");
    api_message.set("content", attachment.get("prompt")?);
    let api_message = Json::from_text(String::from_utf8(api_message.to_text()).ok()?).ok()?;
    let source = attachment.text("source_uuid").filter(|_| has_source);
    let uuid = source.or_else(|| string(line.uuid))?;
    let mut message = line.begun(
        SessionMessageType::User,
        uuid,
        api_message,
        session,
        parents,
    );
    message.is_meta = attachment.is_truthy("isMeta").then_some(true);
    message.is_queued_command = Some(true);
    message.origin = origin(&attachment);
    Some(message)
}

/// Returns the origin of a queued prompt. The origin of a task's notification contains the run of the task.
fn origin(attachment: &Members<'_>) -> Option<Json> {
    const NOTICE: &str = "task-notification";
    let given = attachment.get("origin").and_then(Members::parse);
    let given = given.filter(|given| given.text("kind").is_some());
    let is_notice = attachment.text("commandMode").as_deref() == Some(NOTICE);
    let mut origin = given.or_else(|| {
        let mut origin = Members::default();
        origin.set("kind", quoted(NOTICE));
        is_notice.then_some(origin)
    })?;
    let run = attachment.text("runId").filter(|run| is_id(run));
    if let Some(run) = run
        && origin.text("kind").as_deref() == Some(NOTICE)
        && !origin.text("runId").is_some_and(|run| is_id(&run))
    {
        origin.set("runId", quoted(&run));
    }
    let text = String::from_utf8_lossy(&origin.to_text()).into_owned();
    Json::from_text(text).ok()
}

/// Returns the reason why the tool did not run, if the line has exactly one result.
fn denial(kind: Option<&RawValue>, message: Option<&Json>) -> Option<ToolResultMeta> {
    let kind = string(kind)?;
    let known = [
        "user-rejected",
        "permission-rule",
        "automode-blocked",
        "automode-unavailable",
        "automode-parsing-error",
        "interrupted",
        "cancelled",
    ];
    if !known.contains(&&*kind) {
        return None;
    }
    let mut results = Vec::new();
    let content = message?.get("content")?;
    Cursor::new(content.as_raw().as_bytes()).array(|cursor| {
        if !cursor.is_object() {
            return cursor.skip();
        }
        let (mut is_result, mut id) = (false, None);
        cursor.object(|key, cursor| {
            match key {
                b"type" => is_result = cursor.text()?.as_deref() == Some(b"tool_result"),
                b"tool_use_id" => id = cursor.text()?,
                _ => cursor.skip()?,
            }
            Some(())
        })?;
        if is_result {
            results.push(id.map(|id| String::from_utf8_lossy(&id).into_owned()));
        }
        Some(())
    })?;
    let [Some(id)] = &results[..] else {
        return None;
    };
    let mut meta = ToolResultMeta::new(ToolUseId::from(&**id));
    meta.non_execution_kind = Some(NonExecutionKind::from(&*kind));
    Some(meta)
}

/// Returns the text of a string, or `None` for any other value.
fn string(value: Option<&RawValue>) -> Option<Cow<'_, str>> {
    let text = value?.get();
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        let json = Json::from_text(text.to_owned()).ok()?;
        Some(Cow::Owned(json.as_str()?.into_owned()))
    } else {
        Some(Cow::Borrowed(inner))
    }
}
