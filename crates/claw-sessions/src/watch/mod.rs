//! Sessions as they change.

mod all;
mod index;
mod one;
mod scanner;
mod signal;
#[cfg(test)]
mod tests;

pub use all::{Change, WatchAll, Watching};
pub use index::{Cursor, Index, IndexBuilder, Indexed, NoCursor, Page, PageQuery};
pub use one::{Growth, WatchOne};
