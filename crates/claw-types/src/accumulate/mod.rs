//! Pieces put together: an answer out of its stream events, or out of its lines.
//!
//! With partial messages asked for, `claude` sends an answer twice: as stream events while it
//! grows, and as one `assistant` line a block when the block is complete. [`Accumulator`] takes the
//! events and shows the growing answer, [`Answers`] the lines. Take one of the two.

mod answers;
mod events;
mod partial;

pub use answers::*;
pub use events::*;
pub use partial::*;
