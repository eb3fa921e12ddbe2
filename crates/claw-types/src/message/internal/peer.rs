//! `system` / `peer_message_hold`: a message from another session that is held back.

use super::Identity;
use crate::MessageUuid;

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

/// A message from another session that is held back: the model does not see it yet.
///
/// The CLI sends this message when it holds the other session's message back, and when it releases
/// or drops it. The types of the official SDK do not include this message.
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
}
