//! Older forms of the protocol: read, kept, sent on as they came, and turned into today's.
//!
//! Programs that were written for other versions of Claude Code, or for wrappers around it, left
//! lines that differ from today's: control frames without their inner object, tools as objects,
//! answers without an id, results without usage. Nothing else in claw reads them; [`from_line`]
//! here does, today's form first:
//!
//! - what fits today is [`Dialect::Today`], as [`crate::from_line`] would read it;
//! - what does not is looked for among the old forms, by their tags, and keeps every field;
//! - what fits neither is today's error, which says where; what nobody knows is today's `Unknown`.
//!
//! A [`Dialect`] serialises to what it was read from. [`Dialect::upgrade`] turns it into today's
//! message. What an old form lacks comes from a [`Fill`]: no clock is read and no id is made up, so
//! the same line with the same fill always gives the same message.
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
//! # What becomes of what
//!
//! | old | today |
//! | --- | --- |
//! | `system/init` with tools as objects, servers without status, or few fields | [`SystemInit`](crate::message::SystemInit); a tool is its name, a server without status is `connected` |
//! | bare `system/compact_boundary` | [`CompactBoundary`](crate::message::CompactBoundary) |
//! | `assistant` and `user` without ids, session or parent, with `id`, `git_branch`, `is_context_compaction` beside the message, or flat | [`AssistantMessage`](crate::message::AssistantMessage), [`UserMessage`](crate::message::UserMessage) |
//! | `result` with few fields; `error` with `error`, `error_code`, `exit_code` | [`ResultSuccess`](crate::message::ResultSuccess), [`ResultError`](crate::message::ResultError) |
//! | `result/input_required` | none |
//! | `control_request`, `control_response` without their inner object | [`ControlRequest`](crate::control::ControlRequest), [`ControlResponse`](crate::control::ControlResponse) |
//! | `mcp_message` | a `control_request` of that name, where it says which server; else none |
//! | `rate_limit_event` | the same, with uuid and session, where it holds `rate_limit_info`; else none |
//! | `{event_type, data}` | [`StreamEventMessage`](crate::message::StreamEventMessage), where `data` is that event's |
//! | `claude_response`, `progress_update` | none: a wrapper says them to its own client |

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

/// Reads one line (without its line ending) in today's form or an older one.
///
/// # Errors
/// Those of today's form: broken JSON, no object, or a known kind that fits neither today's form nor
/// an old one.
pub fn from_line(line: &[u8]) -> Result<Dialect, DecodeError> {
    Dialect::from_line(line)
}

/// The old forms: makes the enum and its table. Of forms with the same tags, the first that fits
/// counts.
macro_rules! forms {
    ($($(#[doc = $doc:literal])+ $variant:ident($form:ty),)+) => {
        /// A line in today's form or an older one. Serialises to what it was read from.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Dialect {
            /// Today's form.
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
            /// Today's message of the same meaning. What the old form lacks comes from `fill`; what
            /// today's does not know stays in its `extra`. A line in today's form is its own.
            ///
            /// # Errors
            /// Where there is no such message, where neither the line nor `fill` says what it needs,
            /// and where the old form has a field of one of today's names with other contents.
            pub fn upgrade(&self, fill: &Fill) -> Result<Today, UpgradeError> {
                match self {
                    Self::Today(today) => Ok(today.clone()),
                    $(Self::$variant(form) => form.upgrade(fill),)+
                }
            }
        }

        crate::wire::serialize_by_text!(Dialect);

        impl crate::wire::Write for Dialect {
            fn write(&self, writer: &mut crate::wire::Writer<'_>) -> Result<(), crate::wire::GaveUp> {
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
    /// A turn begins.
    SystemInit(OldSystemInit),
    /// What came before was replaced by a summary.
    CompactBoundary(OldCompactBoundary),
    /// An answer, inside `message`.
    Assistant(OldAssistant),
    /// An answer, its fields beside the tag.
    FlatAssistant(FlatAssistant),
    /// What the user said, or a tool on the user's behalf, inside `message`.
    User(OldUser),
    /// The same, its fields beside the tag.
    FlatUser(FlatUser),
    /// The turn is over.
    ResultSuccess(OldResultSuccess),
    /// The session waits for the user.
    InputRequired(OldInputRequired),
    /// The turn is over, and went wrong.
    ResultError(OldResultError),
    /// To `claude`: begin.
    Initialize(FlatInitialize),
    /// To the host: may this tool be used?
    CanUseTool(FlatCanUseTool),
    /// Any other question.
    ControlRequest(FlatControlRequest),
    /// An answer: it worked.
    ControlSuccess(FlatControlSuccess),
    /// An answer: it did not.
    ControlError(FlatControlError),
    /// Something for a host's MCP server.
    McpMessage(OldMcpMessage),
    /// What is left of a rate limit.
    RateLimitEvent(OldRateLimitEvent),
    /// A wrapper's answer.
    ClaudeResponse(ClaudeResponse),
    /// A wrapper's account of progress.
    ProgressUpdate(ProgressUpdate),
    /// An event of an answer that is being written. Has no tag.
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
            // On stdin, a user's line needs less than it has on stdout. One that is whole is `Stdout`;
            // one that is not may as well be an older line.
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
        // No tag is a tag too: a line that has one is of another kind.
        [] => !keys.contains_key("type"),
        _ => tags.iter().all(|(key, value)| {
            let found = if *key == "type" { &kind } else { &subtype };
            found.as_deref() == Some(value)
        }),
    };
    let fitting = || FORMS.iter().filter(|form| fits(form.tags));
    // A form with a subtype of its own is not to be taken for one that has any.
    let most = fitting().map(|form| form.tags.len()).max()?;
    fitting()
        .filter(|form| form.tags.len() == most)
        .find_map(|form| (form.read)(&text))
}
