//! Watches sessions for changes.

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
