//! Tool uses for display: as one line, and by the kind of work.

mod activity;
mod display;

pub use activity::Activity;
pub use display::ToolDisplay;

#[cfg(test)]
mod tests;
