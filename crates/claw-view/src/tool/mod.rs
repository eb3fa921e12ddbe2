//! Describes tool uses for display: in one line, and with the kind of work.

mod activity;
mod display;

pub use activity::Activity;
pub use display::ToolDisplay;

#[cfg(test)]
mod tests;
