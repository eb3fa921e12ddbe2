//! Displays recordings and transcripts with claw-view.

#[cfg(feature = "terminal")]
pub(crate) mod check;
#[cfg(feature = "terminal")]
pub(crate) mod html;
mod markdown;
#[cfg(feature = "terminal")]
pub(crate) mod show;
#[cfg(feature = "terminal")]
mod source;
pub(crate) mod terminal;
mod width;
pub(crate) mod wrap;

pub(crate) use markdown::Rendering;
pub(crate) use width::{terminal_width, width_of};

#[cfg(feature = "terminal")]
#[cfg(test)]
mod tests;
