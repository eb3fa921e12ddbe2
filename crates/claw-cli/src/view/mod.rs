//! Display of recordings and transcripts, with claw-view.

pub(crate) mod check;
pub(crate) mod html;
mod light;
pub(crate) mod show;
mod source;
pub(crate) mod terminal;
pub(crate) mod wrap;

#[cfg(test)]
mod tests;
