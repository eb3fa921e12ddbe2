//! Display of recordings and transcripts, with claw-view.

#[cfg(feature = "view")]
pub(crate) mod check;
#[cfg(feature = "view")]
pub(crate) mod html;
mod markdown;
#[cfg(feature = "view")]
pub(crate) mod show;
#[cfg(feature = "view")]
mod source;
pub(crate) mod terminal;
mod width;
pub(crate) mod wrap;

pub(crate) use width::{terminal_width, width_of};

#[cfg(feature = "view")]
#[cfg(test)]
mod tests;
