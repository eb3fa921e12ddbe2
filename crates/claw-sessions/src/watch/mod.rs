//! Sessions as they change.

mod all;
mod one;
#[cfg(test)]
mod tests;
mod wake;

pub use all::{Change, WatchAll, Watching};
pub use one::{Growth, WatchOne};
