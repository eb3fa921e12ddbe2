//! Sessions as they change.

mod all;
mod index;
mod look;
mod one;
#[cfg(test)]
mod tests;
mod wake;

pub use all::{Change, WatchAll, Watching};
pub use index::{Cursor, Index, IndexBuilder, Indexed, NoCursor, Page, PageQuery};
pub use one::{Growth, WatchOne};
