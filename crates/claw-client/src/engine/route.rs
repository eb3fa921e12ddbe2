//! Determines the kind of a line before the line is decoded.
//!
//! Most lines are messages for the user. They begin with a text of [`PLAIN`], and are passed on
//! undecoded. Of every other line, the members of its JSON object are parsed. A search for
//! `control_request` in the line's bytes is not enough, because a model may write this text.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use claw_codec::{Line, LineItem, TooLong};
use claw_types::{Json, RequestId, members};
use memchr::memmem::Finder;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::fragment;

/// The beginnings of nearly all lines, none of which concerns the engine. Here the first `type` of
/// a line is decisive, even if the line has another `type`: a search for a second one would cost as
/// much as the engine's other work on the line, and no JSON writer writes a key twice.
const PLAIN: [&[u8]; 3] = [
    br#"{"type":"stream_event","#,
    br#"{"type":"assistant","#,
    br#"{"type":"user","#,
];

static TOOL_RESULT_FINDER: LazyLock<Finder<'static>> =
    LazyLock::new(|| Finder::new(r#""type":"tool_result""#));

/// The kind of a line for the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// A message for the user.
    Plain,
    /// A message that is hidden from the user, because claw requested it itself.
    Hidden,
    /// A request of the CLI.
    Request {
        /// The ID of the request, known even if the rest cannot be read.
        id: Option<RequestId>,
    },
    /// A response of the CLI.
    Response {
        /// The ID of the request, known even if the rest cannot be read.
        id: Option<RequestId>,
    },
    /// The withdrawal of a request.
    Cancel(Option<RequestId>),
    /// A keep-alive message.
    KeepAlive,
    /// The start of a turn. Contains the UUIDs of the prompts that the turn answers.
    Init(Vec<String>),
    /// The result of a turn. Contains the UUIDs of the prompts that the turn answered.
    Result(Vec<String>),
    /// A report about usage limits.
    RateLimit,
    /// A change of the session's state.
    State { state: String, hidden: bool },
    /// A report about the state of a prompt (`command_lifecycle`).
    Lifecycle { prompt: String, state: String },
    /// The start of a hook of a settings file, with the hook's name, or the end of a hook.
    Hook { id: String, begun: Option<String> },
}

/// Returns the kind of a line. `hooks` says whether hook messages are recognised: they matter only
/// while the CLI starts.
pub(crate) fn route(item: &LineItem, hooks: bool) -> Route {
    match item {
        LineItem::Line(line) => of_line(line, hooks),
        LineItem::TooLong(long) => of_ends(long),
        _ => Route::Plain,
    }
}

/// Whether a line is the result of a turn.
#[cfg(feature = "store")]
pub(crate) fn is_result(item: &LineItem) -> bool {
    matches!(route(item, false), Route::Result(_))
}

/// Whether a line is certainly a message for the user.
pub(super) fn is_plain(line: &Line) -> bool {
    PLAIN.iter().any(|start| line.raw.starts_with(start))
}

/// The significance of a message before the first turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    Nothing,
    /// The model answers.
    Answer,
    /// The CLI ran a tool that a previous process had deferred.
    DeferredTool,
}

/// Reads a message before the beginning of the first turn.
pub(super) fn first(item: &LineItem) -> First {
    let LineItem::Line(line) = item else {
        return First::Nothing;
    };
    let keys = ["type", "parent_tool_use_id", "message"];
    let Some([Some(kind), parent, message]) = members(&line.raw, keys) else {
        return First::Nothing;
    };
    let is_of_subagent = parent.is_some_and(|parent| parent != Json::null());
    // Quotes inside a text are escaped, so this text cannot occur inside a string.
    let has_result = |message: Json| {
        TOOL_RESULT_FINDER
            .find(message.as_raw().as_bytes())
            .is_some()
    };
    match kind.as_str().as_deref() {
        Some("assistant" | "stream_event") => First::Answer,
        Some("user") if !is_of_subagent && message.is_some_and(has_result) => First::DeferredTool,
        _ => First::Nothing,
    }
}

fn of_line(line: &Line, hooks: bool) -> Route {
    let raw = &line.raw[..];
    if is_plain(line) {
        return Route::Plain;
    }
    match serde_json::from_slice::<Head>(raw) {
        Ok(head) => head.route(hooks),
        // The line is cut off, mixed with another line, or not JSON. Its start may still be
        // readable.
        Err(_) => of_fragments(raw, &[]),
    }
}

fn of_ends(long: &TooLong) -> Route {
    of_fragments(&long.head, &long.tail)
}

/// Returns the kind of a line that cannot be read, from its start and end.
fn of_fragments(head: &[u8], tail: &[u8]) -> Route {
    let text =
        |key: &str| fragment::text_at_start(head, key).or_else(|| fragment::text_at_end(tail, key));
    let id = |key: &str| text(key).map(RequestId::from);
    match text("type").as_deref() {
        Some("control_request") => Route::Request {
            id: id("request_id"),
        },
        Some("control_response") => Route::Response {
            id: fragment::text_inside(head, "response", "request_id").map(RequestId::from),
        },
        Some("control_cancel_request") => Route::Cancel(id("request_id")),
        Some("keep_alive") => Route::KeepAlive,
        Some("result") => Route::Result(text("user_message_uuid").into_iter().collect()),
        _ => Route::Plain,
    }
}

/// The members of an object that determine its kind. Members of another type are ignored.
#[derive(Default)]
struct Head {
    kind: Option<String>,
    subtype: Option<String>,
    request_id: Option<String>,
    response_id: Option<String>,
    state: Option<String>,
    command: Option<String>,
    prompt: Option<String>,
    prompts: Option<Vec<String>>,
    hook: Option<String>,
    hook_name: Option<String>,
    hidden: bool,
}

impl Head {
    fn route(self, hooks: bool) -> Route {
        let id = self.request_id.map(RequestId::from);
        let kind = (self.kind.as_deref(), self.subtype.as_deref());
        let prompts = self
            .prompts
            .unwrap_or_else(|| self.prompt.into_iter().collect());
        match kind {
            (Some("control_request"), _) => Route::Request { id },
            (Some("control_response"), _) => Route::Response {
                id: self.response_id.map(RequestId::from),
            },
            (Some("control_cancel_request"), _) => Route::Cancel(id),
            (Some("keep_alive"), _) => Route::KeepAlive,
            (Some("result"), _) => Route::Result(prompts),
            (Some("system"), Some("init")) => Route::Init(prompts),
            (Some("system"), Some("session_state_changed")) => Route::State {
                state: self.state.unwrap_or_default(),
                hidden: self.hidden,
            },
            (Some("system"), Some("hook_started")) if hooks => Route::Hook {
                id: self.hook.unwrap_or_default(),
                begun: Some(self.hook_name.unwrap_or_default()),
            },
            (Some("system"), Some("hook_response")) if hooks => Route::Hook {
                id: self.hook.unwrap_or_default(),
                begun: None,
            },
            (Some("rate_limit_event"), _) => Route::RateLimit,
            (Some("command_lifecycle"), _) => match (self.command, self.state) {
                (Some(prompt), Some(state)) => Route::Lifecycle { prompt, state },
                _ => Route::Plain,
            },
            _ if self.hidden => Route::Hidden,
            _ => Route::Plain,
        }
    }
}

impl<'de> Deserialize<'de> for Head {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct HeadVisitor;
        impl<'de> Visitor<'de> for HeadVisitor {
            type Value = Head;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Head, A::Error> {
                let mut head = Head::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    let text = |value: &RawValue| value.get().parse_text();
                    match &*key {
                        "type" => head.kind = text(map.next_value()?),
                        "subtype" => head.subtype = text(map.next_value()?),
                        "request_id" => head.request_id = text(map.next_value()?),
                        "state" => head.state = text(map.next_value()?),
                        "command_uuid" => head.command = text(map.next_value()?),
                        "user_message_uuid" => head.prompt = text(map.next_value()?),
                        "hook_id" => head.hook = text(map.next_value()?),
                        "hook_name" => head.hook_name = text(map.next_value()?),
                        "user_message_uuids" => {
                            head.prompts = read(map.next_value()?);
                        }
                        "sdk_host_only" => {
                            head.hidden = read(map.next_value()?).unwrap_or(false);
                        }
                        "response" => {
                            let inner: Option<Head> = read(map.next_value()?);
                            head.response_id = inner.and_then(|inner| inner.request_id);
                        }
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(head)
            }
        }
        deserializer.deserialize_map(HeadVisitor)
    }
}

/// Reads a value. Returns `None` if it has another type.
fn read<'de, T: Deserialize<'de>>(value: &'de RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

trait ParseText {
    fn parse_text(&self) -> Option<String>;
}

impl ParseText for str {
    fn parse_text(&self) -> Option<String> {
        serde_json::from_str(self).ok()
    }
}

#[cfg(test)]
mod tests;
