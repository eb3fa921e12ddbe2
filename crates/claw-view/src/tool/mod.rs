//! How the use of a tool is told in a line, and what kind of work it is.

mod activity;
mod display;

pub use activity::Activity;
pub use display::ToolDisplay;

#[cfg(test)]
mod tests;
