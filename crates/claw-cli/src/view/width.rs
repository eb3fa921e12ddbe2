//! The width of the terminal.

use std::io::stdout;

/// The width of the terminal, if there is one.
pub(crate) fn terminal_width() -> Option<usize> {
    #[cfg(unix)]
    {
        let size = rustix::termios::tcgetwinsize(stdout()).ok()?;
        (size.ws_col > 0).then_some(size.ws_col.into())
    }
    #[cfg(not(unix))]
    {
        std::io::IsTerminal::is_terminal(&stdout()).then_some(80)
    }
}
