//! The screen of a conversation. The typed line stays below the output.

#[cfg(feature = "terminal")]
mod choose;
mod complete;
mod editor;
mod history;
mod keys;
mod layout;
mod line;
mod screen;

#[cfg(feature = "terminal")]
pub(crate) use self::choose::choose;
pub(crate) use self::complete::{Commands, Completion, Found};
pub(crate) use self::editor::{Edit, Editor};
pub(crate) use self::keys::{Keys, RawMode};
pub(crate) use self::layout::{Layout, cut};
pub(crate) use self::screen::{Live, Screen, Size};

use std::io::{IsTerminal as _, stdin, stdout};

/// Returns whether the terminal supports drawing. This is the case if stdin and stdout are a terminal that supports
/// escape sequences.
pub(crate) fn is_usable() -> bool {
    let terminal = std::env::var_os("TERM");
    let is_dumb = terminal.map_or(cfg!(unix), |name| name.is_empty() || name == "dumb");
    stdin().is_terminal() && stdout().is_terminal() && !is_dumb
}
