//! `decide_held_peer_message` and `set_peer_delivery`: a person's decisions about messages from other sessions.

use crate::message::internal::{PeerScope, PeerSessionClass};
use crate::{SessionId, Tri};

/// To `claude`: a person's decision about a message from another session that is held back. Send this request only if a
/// person made the decision. The CLI accepts it only on its stdin. Not part of the official SDK's published types.
#[wire(tag(subtype = "decide_held_peer_message"), response = DecideHeldPeerMessageResponse)]
pub struct DecideHeldPeerMessage {
    /// The ID of the held message: `hold_id` of [`PeerMessageHold`](crate::message::internal::PeerMessageHold).
    pub hold_id: String,
    /// Whether the message is delivered or dropped.
    pub decision: HeldPeerDecision,
    /// Which messages are also delivered during the rest of the conversation. Allowed only with the decision `deliver`.
    /// If absent, only this message is delivered.
    pub always: Option<PeerDelivery>,
}

/// A decision about a message from another session.
#[wire(open)]
pub enum HeldPeerDecision {
    /// The model receives the message.
    Deliver = "deliver",
    /// The message is dropped.
    Drop = "drop",
}

/// The messages from other sessions that are always delivered.
#[wire]
pub struct PeerDelivery {
    /// The senders of the messages.
    pub scope: PeerScope,
    /// The kind of session whose risk the person saw: `session_class` of
    /// [`PeerMessageHold`](crate::message::internal::PeerMessageHold).
    pub made_in: PeerSessionClass,
}

/// The response to `decide_held_peer_message`.
#[wire]
pub struct DecideHeldPeerMessageResponse {
    /// The state of the message after the decision.
    pub outcome: HeldPeerOutcome,
    /// The choices that are now in effect.
    pub always_deliver: PeerDeliveryChoices,
}

/// The state of a message from another session after a person's decision.
#[wire(open)]
pub enum HeldPeerOutcome {
    /// The message was delivered.
    Delivered = "delivered",
    /// The message will be delivered when the queue has a free place.
    Waiting = "waiting",
    /// The person declined the message.
    Denied = "denied",
    /// The session does not accept the message.
    Refused = "refused",
    /// A check dropped the message.
    Dropped = "dropped",
    /// A setting holds the message back, so a person cannot have it delivered.
    NotDecidable = "not-decidable",
    /// The message was already released or dropped.
    Gone = "gone",
}

/// The choices of a person about which messages from other sessions are always delivered.
#[wire]
pub struct PeerDeliveryChoices {
    /// The choice for this conversation. Null if there is none.
    #[wire(nullable)]
    pub session: Option<SessionPeerDelivery>,
    /// Whether messages from the person's own sessions are delivered in every conversation.
    pub account: bool,
}

/// The choice of a person for one conversation.
#[wire]
pub struct SessionPeerDelivery {
    /// The senders of the messages.
    pub scope: PeerScope,
    /// The kind of session whose risk the person saw.
    pub made_in: PeerSessionClass,
    /// The ID of the session for which the choice was made. The choice ends when the session's ID changes.
    pub session_id: SessionId,
    /// Whether the choice has no effect at present, because it was made in a session that asks for permission and the
    /// session now bypasses permissions. Sent only by the CLI.
    pub paused: Option<bool>,
}

/// To `claude`: set how messages from other sessions are delivered. A field that is absent stays as it is. The CLI
/// accepts the request only on its stdin. Not part of the official SDK's published types.
#[wire(tag(subtype = "set_peer_delivery"), response = SetPeerDeliveryResponse)]
pub struct SetPeerDelivery {
    /// Whether the host lets a person decide about held messages. If `true`, the CLI sends previews, and a message that
    /// is held because of permission modes waits for the decision.
    pub shows_held_messages: Option<bool>,
    /// The person's choice for the conversation that it names. Null ends the choice.
    pub session: Tri<SessionPeerDelivery>,
    /// Whether messages from the person's own sessions are delivered in every conversation. Send `false` when another
    /// account logs in.
    pub account: Option<bool>,
}

/// The response to `set_peer_delivery`.
#[wire]
pub struct SetPeerDeliveryResponse {
    /// The choices that are now in effect.
    pub always_deliver: PeerDeliveryChoices,
}
