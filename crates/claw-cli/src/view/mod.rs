//! What a person looks at: recordings and transcripts, as claw-view tells them.

pub(crate) mod check;
mod drawn;
pub(crate) mod html;
pub(crate) mod show;
mod source;
pub(crate) mod terminal;
pub(crate) mod wrap;

#[cfg(test)]
mod tests;
