//! Requests by which a host says how it is with the session: its name, its users.

use crate::{Json, SessionId};

/// To `claude`: call the session this. `session_title_changed` says it too.
#[wire(tag(subtype = "rename_session"), response = Option<Json>)]
pub struct RenameSession {
    /// The title.
    pub title: String,
    /// Who chose it; absent for `remote`.
    pub source: Option<TitleSource>,
    /// The session that is meant: refused where it is another one by now.
    pub session_id: Option<SessionId>,
}

/// Who chose a session's title.
#[wire(open)]
pub enum TitleSource {
    /// Somebody elsewhere, on claude.ai.
    Remote = "remote",
    /// The user, in the host's own window.
    Host = "host",
}

/// To `claude`: show the session in this colour. A `claude` on pipes refuses it with the code
/// `unsupported_request`.
#[wire(tag(subtype = "set_color"), response = Option<Json>)]
pub struct SetColor {
    /// The colour, by name.
    pub color: String,
}

/// To `claude`: is there anybody who watches? Where nobody does, partial text may wait longer, if
/// the CLI was started with `CLAUDE_CODE_STREAM_EVENT_NO_SUBSCRIBER_HOLD_MS`.
#[wire(tag(subtype = "set_has_subscribers"), response = Option<Json>)]
pub struct SetHasSubscribers {
    /// Whether; null where the host does not know, which is as true.
    #[wire(nullable)]
    pub has_subscribers: Option<bool>,
}

/// To `claude`: which version are you?
#[wire(tag(subtype = "get_binary_version"), response = GetBinaryVersionResponse)]
pub struct GetBinaryVersion {}

/// The answer to `get_binary_version`.
#[wire(rename_all = "camelCase")]
pub struct GetBinaryVersionResponse {
    /// The CLI's version.
    pub version: String,
    /// When it was built, as ISO 8601.
    pub build_time: Option<String>,
    /// The oldest SDK of the desktop application that it works with.
    #[wire(since = "2.1.329")]
    pub oldest_desktop_sdk: Option<String>,
}

/// To `claude`: stop suggesting prompts, or go on. In no published type.
#[wire(tag(subtype = "set_prompt_suggestions_paused"), response = Option<Json>)]
pub struct SetPromptSuggestionsPaused {
    /// Stop, or go on.
    pub paused: bool,
}
