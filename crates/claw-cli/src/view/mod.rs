//! Display of recordings and transcripts, with claw-view.

#[cfg(feature = "view")]
pub(crate) mod check;
#[cfg_attr(
    not(feature = "view"),
    expect(dead_code, reason = "pages show the whole of a long text")
)]
mod drawn;
#[cfg(feature = "view")]
pub(crate) mod html;
#[cfg(feature = "view")]
pub(crate) mod show;
#[cfg(feature = "view")]
mod source;
pub(crate) mod terminal;
mod width;
pub(crate) mod wrap;

pub(crate) use width::terminal_width;

#[cfg(feature = "view")]
#[cfg(test)]
mod tests;
