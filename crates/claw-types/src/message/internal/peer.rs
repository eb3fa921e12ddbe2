//! `system` / `peer_message_hold`: a message from another session that is held back.

use super::Identity;
use crate::{Count, MessageUuid};

/// The state of a message from another session.
#[wire(open)]
pub enum PeerHoldState {
    /// The message is held back.
    Held = "held",
    /// The message was released to the model.
    Released = "released",
    /// The message was dropped, so the model will not see it.
    Dropped = "dropped",
}

/// The way in which a message from another session arrived.
#[wire(open)]
pub enum PeerLane {
    /// The message arrived by remote control.
    Bridge = "bridge",
    /// The message arrived on stdin.
    Stdin = "stdin",
    /// The message arrived on a local socket.
    Socket = "socket",
}

/// The reason why a message from another session is held back.
#[wire(open)]
pub enum PeerHoldCause {
    /// A user setting requires that the message is held back.
    ExplicitSetting = "explicit-setting",
    /// An organisation setting requires that the message is held back.
    ManagedSetting = "managed-setting",
    /// A project setting requires that the message is held back.
    RepoSetting = "repo-setting",
    /// The setting for messages from other sessions is invalid.
    InvalidSetting = "invalid-setting",
    /// The receiving session runs tools without asking for permission.
    BypassDefault = "bypass-default",
    /// The permission mode of the other session is not known.
    ModeUnknown = "mode-unknown",
    /// The other session has a different permission mode.
    ModeMismatch = "mode-mismatch",
    /// The other session did not state its permission mode.
    NoModeAsserted = "no-mode-asserted",
}

/// The reason why a message from another session was dropped.
#[wire(open)]
pub enum PeerDropOutcome {
    /// The message was not released in time.
    Expired = "expired",
    /// The session does not accept the message.
    Refused = "refused",
    /// The session checked the message when it arrived, and dropped it.
    Dropped = "dropped",
    /// The session ended while the message was held back.
    Discarded = "discarded",
    /// The person declined the message.
    Denied = "denied",
}

/// The check that stopped a message from another session.
#[wire(open)]
pub enum PeerDropReason {
    /// Too many messages arrived in a short time.
    RateLimited = "rate-limited",
    /// The sender sent the same message shortly before.
    Duplicate = "duplicate",
    /// The message circulates between sessions in a loop.
    HopLoop = "hop-loop",
    /// The message was passed on through too many sessions.
    HopRunaway = "hop-runaway",
    /// The queue of incoming messages is full.
    QueueFull = "queue-full",
    /// The sender could not be verified.
    Unverified = "unverified",
}

/// The senders whose messages are always delivered.
#[wire(open)]
pub enum PeerScope {
    /// Sessions of the same person.
    Mine = "mine",
    /// All sessions, also those of other persons.
    Anyone = "anyone",
}

/// The kind of session by its permission mode, which decides how much harm a message from another session can do.
#[wire(open)]
pub enum PeerSessionClass {
    /// The session asks for permission before it acts.
    Prompting = "prompting",
    /// The session bypasses permissions.
    Bypass = "bypass",
}

/// The text of a message that is held back. The other session wrote the text, so do not trust it, and show it to no
/// model.
#[wire]
pub struct PeerPreview {
    /// The beginning of the text.
    pub text: String,
    /// The length of the whole text, in UTF-16 code units.
    pub total_chars: Count,
    /// The number of content blocks that are not text, such as images.
    pub other_blocks: Count,
    /// Whether `text` is the whole message. `false` if text was cut off, hidden characters were removed or other blocks
    /// were left out.
    pub is_whole: bool,
}

/// A message from another session that is held back: the model does not see it yet.
///
/// The CLI sends this message when it holds the other session's message back, and when it releases
/// or drops it. The host answers with [`DecideHeldPeerMessage`](crate::control::internal::DecideHeldPeerMessage). The
/// types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "peer_message_hold"))]
pub struct PeerMessageHold {
    /// Whether the message is held back, released or dropped.
    pub state: PeerHoldState,
    /// The way in which the message arrived.
    pub lane: PeerLane,
    /// The sender's address, as stated by the sender. May be empty.
    pub from: String,
    fields: Identity!(),
    /// The UUID by which later messages refer to the held message.
    pub message_uuid: Option<MessageUuid>,
    /// The sender's name, as stated by the sender.
    pub from_name: Option<String>,
    /// The reason why the message is held back. Sent only if the state is `held`.
    pub cause: Option<PeerHoldCause>,
    /// The reason why the message was dropped. Sent only if the state is `dropped`.
    pub outcome: Option<PeerDropOutcome>,
    /// The check that stopped the message. Sent only if the outcome is `dropped`.
    pub reason: Option<PeerDropReason>,
    /// The ID of the held message for the request `decide_held_peer_message`. All messages about one held message have
    /// the same ID.
    #[wire(since = "2.1.332")]
    pub hold_id: Option<String>,
    /// Whether a person may have the message delivered now. `false` if a setting holds the message back, or if the
    /// message only waits for a place in the queue. A person may always drop the message. Sent only if the state is
    /// `held`.
    #[wire(since = "2.1.332")]
    pub can_deliver: Option<bool>,
    /// The narrowest scope in which the sender's messages can always be delivered. Absent if there is none.
    #[wire(since = "2.1.332")]
    pub always_scope: Option<PeerScope>,
    /// The kind of the receiving session. Sent only if the state is `held`.
    #[wire(since = "2.1.332")]
    pub session_class: Option<PeerSessionClass>,
    /// The process ID of the sender, as the operating system reports it. Sent only for a message on a local socket.
    #[wire(since = "2.1.332")]
    pub verified_pid: Option<Count>,
    /// The text of the message. Sent only if the host has set `shows_held_messages` with the request
    /// `set_peer_delivery`.
    #[wire(since = "2.1.332")]
    pub preview: Option<PeerPreview>,
}
