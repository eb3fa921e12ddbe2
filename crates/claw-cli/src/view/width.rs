//! The width of the terminal.

use std::io::stdout;

/// Returns the width of the terminal of stdout. Returns `None` if stdout is not a terminal.
pub(crate) fn terminal_width() -> Option<usize> {
    width_of(stdout())
}

/// Returns the width of the terminal to which this stream leads. Returns `None` if it is not a terminal.
#[cfg(unix)]
pub(crate) fn width_of(stream: impl std::os::fd::AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// Returns the width of the terminal to which this stream leads. Returns `None` if it is not a terminal.
#[cfg(not(unix))]
pub(crate) fn width_of(stream: impl std::io::IsTerminal) -> Option<usize> {
    stream.is_terminal().then_some(80)
}
