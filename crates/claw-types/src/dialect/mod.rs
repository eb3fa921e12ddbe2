//! Reads older forms of the protocol, writes them back unchanged, and upgrades them to the current form.
//!
//! Older versions of Claude Code, and programs that wrap it, have written lines that differ from the current form.
//! Examples are control messages without their inner object, tools as objects, responses without an ID, and results
//! without token usage. This module reads such lines. Its function [`from_line`] tries the current form first:
//!
//! - A line in the current form becomes [`Dialect::Today`], with the value that [`crate::from_line`] returns.
//! - Any other line is compared with the old forms that have the same `type` and `subtype`. All fields of the line are
//!   kept.
//! - If a line fits no form, the error names the path at which the line differs from the current form. A line of an
//!   unknown kind becomes `Unknown`, as in the current form.
//!
//! A [`Dialect`] serializes to the line from which it was read, and deserializes as [`from_line`] reads. [`Dialect::upgrade`] converts it to a message in the
//! current form. Values that the old form lacks come from a [`Fill`]. The upgrade reads no clock and generates no IDs,
//! so the same line with the same [`Fill`] always results in the same message.
//!
//! ```
//! use claw_types::Message;
//! use claw_types::dialect::{self, Dialect, Fill, Today};
//!
//! let line = br#"{"type":"assistant","duration_ms":142,
//!     "message":{"role":"assistant","content":[{"type":"text","text":"Hello!"}]}}"#;
//! let old = dialect::from_line(line)?;
//! assert!(matches!(&old, Dialect::Assistant(answer) if answer.duration_ms == Some(142.into())));
//!
//! let fill = Fill::new("session-1", "00000000-0000-4000-8000-000000000001")
//!     .model("claude-opus-4")
//!     .message_id("msg_1");
//! let today = old.upgrade(&fill)?;
//! let message = today.message().ok_or("no message of the conversation")?;
//! assert_eq!(message.text(), "Hello!");
//! assert_eq!(message.session_id().ok_or("no session")?, "session-1");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! # Old forms and their upgrades
//!
//! | old form | current form |
//! | --- | --- |
//! | `system/init` with few fields, with tools as objects, or with MCP servers without a status | [`SystemInit`](crate::message::SystemInit): each tool is replaced by its name, and a server without a status gets the status `connected` |
//! | `system/compact_boundary` without details | [`CompactBoundary`](crate::message::CompactBoundary) |
//! | `assistant` and `user` without IDs, or without the inner object `message`, or with additional fields such as `git_branch` | [`AssistantMessage`](crate::message::AssistantMessage), [`UserMessage`](crate::message::UserMessage) |
//! | `result` with few fields, or with the fields `error`, `error_code` and `exit_code` | [`ResultSuccess`](crate::message::ResultSuccess), [`ResultError`](crate::message::ResultError) |
//! | `result/input_required` | no equivalent |
//! | `control_request`, `control_response` without their inner object | [`ControlRequest`](crate::control::ControlRequest), [`ControlResponse`](crate::control::ControlResponse) |
//! | `mcp_message` | a `control_request` with the subtype `mcp_message`; no equivalent if the line lacks the server's name or the message |
//! | `rate_limit_event` without a UUID and a session ID | [`RateLimitEvent`](crate::message::RateLimitEvent); no equivalent if the line has no `rate_limit_info` |
//! | an object with the fields `event_type` and `data` | [`StreamEventMessage`](crate::message::StreamEventMessage) |
//! | `claude_response`, `progress_update` | no equivalent, because a wrapper sends these messages to its own client |

mod assistant;
mod block;
mod compact;
mod content;
mod control;
mod event;
mod fill;
mod flat;
mod identity;
mod init;
mod result;
mod stream_event;
mod today;
mod upgrade;
mod user;
mod wrapper;

pub use assistant::*;
pub use block::*;
pub use compact::*;
pub use content::*;
pub use control::*;
pub use event::*;
pub use fill::*;
pub use flat::*;
pub use init::*;
pub use result::*;
pub use stream_event::*;
pub use today::*;
pub use upgrade::*;
pub use user::*;
pub use wrapper::*;

use std::collections::BTreeMap;

use crate::wire::{self, Tagged, Tags};
use crate::{DecodeError, FromLine, Json, StdinMessage};
use upgrade::Old;

/// Reads one line, without its line ending, in the current form or in an older form.
///
/// # Errors
/// Fails if the line is not JSON or not an object. Also fails if the kind of the line is known, but the line fits
/// neither the current form nor an old form. The error says why the line does not fit the current form.
pub fn from_line(line: &[u8]) -> Result<Dialect, DecodeError> {
    Dialect::from_line(line)
}

/// Declares the enum and the table of the old forms. Of forms with the same tags, the first that fits is used.
macro_rules! forms {
    ($($(#[doc = $doc:literal])+ $variant:ident($form:ty),)+) => {
        /// A line in the current form or in an older form. It serializes to the line from which it was read.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Dialect {
            /// A line in the current form.
            Today(Today),
            $($(#[doc = $doc])+ $variant(Box<$form>),)+
        }

        const FORMS: &[Form] = &[$(Form {
            tags: <$form as Tagged>::TAGS,
            read: |text| {
                let form: $form = wire::read_text(text).ok()?;
                form.is_old().then(|| form.into())
            },
        },)+];

        impl Dialect {
            /// Returns the equivalent message in the current form. Values that the old form lacks come from `fill`.
            /// Fields that the current form does not have are kept in the `extra` of the returned message. A line in
            /// the current form is returned unchanged.
            ///
            /// # Errors
            /// Fails if today's protocol has no equivalent message, or if neither the line nor `fill` has a required
            /// value. Also fails if the value of a field does not have the type that the field has in the current form.
            pub fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
                match self {
                    Self::Today(today) => Ok(today.clone()),
                    $(Self::$variant(form) => form.upgrade(fill),)+
                }
            }
        }

        today::by_line!(Dialect);

        impl crate::wire::Write for Dialect {
            fn write(&self, writer: &mut crate::wire::Writer<'_>) -> Result<(), crate::wire::Failed> {
                match self {
                    Self::Today(today) => crate::wire::Write::write(today, writer),
                    $(Self::$variant(form) => crate::wire::Write::write(form, writer),)+
                }
            }
        }

        $(impl From<$form> for Dialect {
            fn from(form: $form) -> Self {
                Self::$variant(Box::new(form))
            }
        })+

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for Dialect {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                "Dialect".into()
            }
            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let forms = [$((
                    <$form as Tagged>::TAGS,
                    generator.subschema_for::<$form>().to_value(),
                )),+];
                crate::schema::dialect(generator, &forms)
            }
        }
    };
}

forms! {
    /// The `init` message at the start of a turn.
    SystemInit(OldSystemInit),
    /// The boundary of a compaction.
    CompactBoundary(OldCompactBoundary),
    /// An assistant message with the response in `message`.
    Assistant(OldAssistant),
    /// An assistant message in which the fields of the response are fields of the message itself.
    FlatAssistant(FlatAssistant),
    /// A user message with its content in `message`.
    User(OldUser),
    /// A user message in which the role and the content are fields of the message itself.
    FlatUser(FlatUser),
    /// The result of a turn that succeeded.
    ResultSuccess(OldResultSuccess),
    /// A result that pauses the session until the user enters something.
    InputRequired(OldInputRequired),
    /// The result of a turn that failed.
    ResultError(OldResultError),
    /// An `initialize` request to `claude`.
    Initialize(FlatInitialize),
    /// A permission request to the host.
    CanUseTool(FlatCanUseTool),
    /// Any other control request.
    ControlRequest(FlatControlRequest),
    /// A control response that reports success.
    ControlSuccess(FlatControlSuccess),
    /// A control response that reports an error.
    ControlError(FlatControlError),
    /// A message to one of the host's own MCP servers.
    McpMessage(OldMcpMessage),
    /// A message about rate limits.
    RateLimitEvent(OldRateLimitEvent),
    /// A response that a wrapper service around `claude` sends to its own client.
    ClaudeResponse(ClaudeResponse),
    /// A progress report that a wrapper service around `claude` sends to its own client.
    ProgressUpdate(ProgressUpdate),
    /// A stream event in a line without the field `type`.
    StreamEvent(OldStreamEvent),
}

/// An old form in the table.
struct Form {
    tags: Tags,
    read: fn(&str) -> Option<Dialect>,
}

impl FromLine for Dialect {
    fn from_line(line: &[u8]) -> Result<Self, DecodeError> {
        let today = Today::from_line(line);
        let is_todays = match &today {
            // A user line on stdin needs fewer fields than on stdout. A complete one is `Stdout`; an incomplete one may
            // be an older line.
            Ok(Today::Stdin(StdinMessage::User(_))) | Err(_) => false,
            Ok(today) => !today.is_unknown(),
        };
        if !is_todays && let Some(old) = old(line) {
            return Ok(old);
        }
        today.map(Self::Today)
    }
}

/// The line in an old form, if it is one.
fn old(line: &[u8]) -> Option<Dialect> {
    let text = wire::repair(std::str::from_utf8(line).ok()?);
    let keys: BTreeMap<String, Json> = serde_json::from_str(&text).ok()?;
    let tag = |key| keys.get(key).and_then(|value| value.parse::<String>().ok());
    let (kind, subtype) = (tag("type"), tag("subtype"));
    let fits = |tags: Tags| match tags {
        // A form without tags does not fit a line that has one.
        [] => !keys.contains_key("type"),
        _ => tags.iter().all(|(key, value)| {
            let found = if *key == "type" { &kind } else { &subtype };
            found.as_deref() == Some(value)
        }),
    };
    let fitting = || FORMS.iter().filter(|form| fits(form.tags));
    // A form for one subtype takes precedence over a form for any subtype.
    let most = fitting().map(|form| form.tags.len()).max()?;
    fitting()
        .filter(|form| form.tags.len() == most)
        .find_map(|form| (form.read)(&text))
}
