//! Requests about the session's title and colour, about whether anyone watches the session, and about the CLI's
//! version.

use crate::{Json, SessionId};

/// To `claude`: set the title of the session. The CLI also reports the change in a
/// `session_title_changed` message.
#[wire(tag(subtype = "rename_session"), response = Option<Json>)]
pub struct RenameSession {
    /// The new title of the session.
    pub title: String,
    /// The place in which the user chose the title, such as the host's own window. Absent means `remote`.
    pub source: Option<TitleSource>,
    /// The ID of the session to rename. The CLI refuses the request if its process is now running a session with
    /// another ID.
    pub session_id: Option<SessionId>,
}

/// The place in which the user chose a session's title: the host's own window, or claude.ai.
#[wire(open)]
pub enum TitleSource {
    /// The user chose the title outside of the host, on claude.ai.
    Remote = "remote",
    /// The user chose the title in the host's own window.
    Host = "host",
}

/// To `claude`: set the display colour of the session. A `claude` process that is driven over pipes
/// refuses the request with the error code `unsupported_request`.
#[wire(tag(subtype = "set_color"), response = Option<Json>)]
pub struct SetColor {
    /// The name of the colour: `red`, `blue`, `green`, `yellow`, `purple`, `orange`, `pink` or `cyan`. The name
    /// `default` resets the colour.
    pub color: String,
}

/// To `claude`: report whether anyone watches the session. If no one does, the CLI may hold back partial text for
/// longer. It does so only if it was started with the environment variable
/// `CLAUDE_CODE_STREAM_EVENT_NO_SUBSCRIBER_HOLD_MS`.
#[wire(tag(subtype = "set_has_subscribers"), response = Option<Json>)]
pub struct SetHasSubscribers {
    /// Whether anyone watches the session. Null if the host does not know. The CLI treats null as `true`.
    #[wire(nullable)]
    pub has_subscribers: Option<bool>,
}

/// To `claude`: get the version of the CLI.
#[wire(tag(subtype = "get_binary_version"), response = GetBinaryVersionResponse)]
pub struct GetBinaryVersion {}

/// The response to `get_binary_version`.
#[wire(rename_all = "camelCase")]
pub struct GetBinaryVersionResponse {
    /// The version of the CLI.
    pub version: String,
    /// The build time of the CLI, in ISO 8601.
    pub build_time: Option<String>,
    /// The oldest Agent SDK version with which Claude Desktop can run this CLI.
    #[wire(since = "2.1.329")]
    pub oldest_desktop_sdk: Option<String>,
}

/// To `claude`: pause or resume prompt suggestions. Not part of the official SDK's published types.
#[wire(tag(subtype = "set_prompt_suggestions_paused"), response = Option<Json>)]
pub struct SetPromptSuggestionsPaused {
    /// Whether prompt suggestions are paused.
    pub paused: bool,
}
