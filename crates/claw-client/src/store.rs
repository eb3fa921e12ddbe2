//! Sessions in a store: another host can continue a conversation, and each conversation has one writer at a time.
//!
//! With [`SessionBuilder::store`](crate::SessionBuilder::store) everything that the CLI writes to its transcripts is
//! also copied to the store, and a session is resumed from the store. The lines to store are read from the local
//! transcript files, so lines that the store does not have yet need no memory.
//!
//! - A result reaches the application once its lines are stored, or after [`StoreOptions::result_delay`].
//! - If the store has [claims](claw_store::Claims), the session is claimed before the CLI starts. If another process
//!   has claimed the session, or another session of this program runs it, the start fails:
//!   [`Error::store`](crate::Error::store) names the owner of the claim. If the claim is lost, claw ends the CLI with
//!   all of its processes, before another host can claim the session.
//! - If the store is unreachable, a [`MirrorError`](claw_types::message::MirrorError) appears among the messages, and
//!   the lines are stored when it is reachable again. Meanwhile the session continues, as long as its claim, if it has
//!   one, does not expire ([`StoreOptions::ttl`]).

pub use claw_store::*;

pub use crate::session::defer::{can_defer, defer};
pub use crate::stored::{
    Lease, Leases, Mirror, StoreOptions, Unstored, bring, project_name, recover,
};
