//! `system` / `peer_message_hold`: a message from another session is held back.

use super::Identity;
use crate::MessageUuid;

/// What becomes of a message from another session.
#[wire(open)]
pub enum PeerHoldState {
    /// It waits.
    Held = "held",
    /// It is let in.
    Released = "released",
    /// It is thrown away.
    Dropped = "dropped",
}

/// How a message from another session came in.
#[wire(open)]
pub enum PeerLane {
    /// By remote control.
    Bridge = "bridge",
    /// On stdin.
    Stdin = "stdin",
    /// By a socket of this machine's.
    Socket = "socket",
}

/// Why a message from another session is held back.
#[wire(open)]
pub enum PeerHoldCause {
    /// A setting of the user's says so.
    ExplicitSetting = "explicit-setting",
    /// A setting of the organisation's says so.
    ManagedSetting = "managed-setting",
    /// A setting of the project's says so.
    RepoSetting = "repo-setting",
    /// The setting is not valid.
    InvalidSetting = "invalid-setting",
    /// The session asks for no permissions.
    BypassDefault = "bypass-default",
    /// The other session's permission mode is not known.
    ModeUnknown = "mode-unknown",
    /// The other session has another permission mode.
    ModeMismatch = "mode-mismatch",
    /// The other session does not say which permission mode it has.
    NoModeAsserted = "no-mode-asserted",
}

/// Why a message from another session is thrown away.
#[wire(open)]
pub enum PeerDropOutcome {
    /// Nobody let it in in time.
    Expired = "expired",
    /// The session does not take it.
    Refused = "refused",
    /// A check on the way in stopped it.
    Dropped = "dropped",
    /// The session ended.
    Discarded = "discarded",
    /// The person declined it.
    Denied = "denied",
}

/// Which check stopped a message from another session.
#[wire(open)]
pub enum PeerDropReason {
    /// There are too many.
    RateLimited = "rate-limited",
    /// It came before.
    Duplicate = "duplicate",
    /// It goes in circles.
    HopLoop = "hop-loop",
    /// It has gone through too many sessions.
    HopRunaway = "hop-runaway",
    /// The queue is full.
    QueueFull = "queue-full",
    /// Its sender could not be verified.
    Unverified = "unverified",
}

/// A message from another session is held back, and the model does not see it yet.
///
/// To hosts, when it is held back and when that is over. In no published type.
#[wire(tag(type = "system", subtype = "peer_message_hold"))]
pub struct PeerMessageHold {
    /// What becomes of it.
    pub state: PeerHoldState,
    /// How it came in.
    pub lane: PeerLane,
    /// The sender's address, as it says itself; may be empty.
    pub from: String,
    fields: Identity!(),
    /// The message, as later lines name it.
    pub message_uuid: Option<MessageUuid>,
    /// The sender's name, as it says itself.
    pub from_name: Option<String>,
    /// Why it is held back. Only with `held`.
    pub cause: Option<PeerHoldCause>,
    /// Why it is thrown away. Only with `dropped`.
    pub outcome: Option<PeerDropOutcome>,
    /// Which check stopped it. Only where the outcome is `dropped`, too.
    pub reason: Option<PeerDropReason>,
}
