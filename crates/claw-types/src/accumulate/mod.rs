//! Answers that are assembled from their stream events or from their messages.
//!
//! If partial messages are requested, `claude` sends an answer twice: as stream events while it is
//! being written, and as one `assistant` message per block when the block is complete.
//! [`Accumulator`] assembles the answer from the events, and [`Answers`] assembles it from the
//! messages. Use one of the two.

mod answers;
mod events;
mod partial;

pub use answers::*;
pub use events::*;
pub use partial::*;
