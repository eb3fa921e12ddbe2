//! Reads keys, and switches the terminal between its line mode and raw mode.

use std::io::{self, Write as _, stdout};
use std::thread;

use crossterm::event::{
    DisableBracketedPaste, EnableBracketedPaste, Event, KeyEventKind, read as read_event,
};
use crossterm::execute;
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use tokio::sync::mpsc::{Receiver, channel};

/// The maximum number of keys that wait until they are handled. Further keys stay in the terminal's buffer.
const WAITING: usize = 256;

/// The raw mode, in which the terminal passes on each key immediately. Dropping the value restores the terminal.
#[derive(Debug)]
pub(crate) struct RawMode(());

impl RawMode {
    pub(crate) fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        let mode = Self(());
        execute!(stdout(), EnableBracketedPaste)?;
        Ok(mode)
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // The write fails if the terminal has been closed.
        let _ = execute!(stdout(), DisableBracketedPaste);
        let _ = stdout().write_all(b"\x1b[?25h");
        let _ = stdout().flush();
        let _ = disable_raw_mode();
    }
}

/// Receives keys, pastes and changes of the size from a thread. The thread ends with the process, because not every
/// system can cancel its read.
#[derive(Debug)]
pub(crate) struct Keys(Receiver<io::Result<Event>>);

impl Keys {
    pub(crate) fn start() -> Self {
        let (sender, keys) = channel(WAITING);
        // If the thread cannot be started, the receiver reports the end of the keys.
        let _ = thread::Builder::new().spawn(move || {
            loop {
                let event = read_key();
                let is_last = event.is_err();
                if sender.blocking_send(event).is_err() || is_last {
                    break;
                }
            }
        });
        Self(keys)
    }

    /// Returns the next event. Returns `None` at the end. Cancel safe.
    pub(crate) async fn next(&mut self) -> Option<io::Result<Event>> {
        self.0.recv().await
    }
}

/// Waits for the next key, paste or change of the size.
pub(crate) fn read_key() -> io::Result<Event> {
    loop {
        match read_event()? {
            Event::Key(key) if key.kind == KeyEventKind::Release => {}
            Event::FocusGained | Event::FocusLost | Event::Mouse(_) => {}
            event => return Ok(event),
        }
    }
}
