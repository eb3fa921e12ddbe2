//! Reads single lines from a terminal, as the system delivers them. No further input is read in advance, so none is
//! lost.

#[cfg(unix)]
pub(crate) use self::unix::typed_ahead;
#[cfg(unix)]
pub(super) use self::unix::{has_input, line};

#[cfg(unix)]
mod unix {
    use std::io::{PipeReader, stdin};
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::{Errno, read, retry_on_intr};
    use rustix::termios::{
        LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
    };

    use crate::input::InputEvent;

    /// The character that Ctrl-C sends.
    const CTRL_C: u8 = 3;
    /// The value of a disabled special character.
    const DISABLED: u8 = if cfg!(any(target_os = "linux", target_os = "android")) {
        0
    } else {
        0xff
    };

    /// Waits at most for this time until stdin is readable. Returns whether input or the end of the input has arrived.
    pub(in crate::input) fn has_input(limit: Duration) -> bool {
        let limit = Timespec::try_from(limit).ok();
        let input = stdin();
        let mut stdin = [PollFd::new(&input, PollFlags::IN)];
        // If polling stdin fails, the caller reads stdin, and the read reports the error.
        retry_on_intr(|| poll(&mut stdin, limit.as_ref())).map_or(true, |ready| ready > 0)
    }

    /// Reads the next typed line. Returns `None` and reads nothing if the other end of `cancelled` is closed first.
    pub(in crate::input) fn line(cancelled: &PipeReader) -> Option<InputEvent> {
        // Ctrl-C ends a line, so that its position in the typed text is known.
        let _modes = Modes::set(|modes| {
            modes.special_codes[SpecialCodeIndex::VINTR] = DISABLED;
            modes.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
        });
        let input = stdin();
        let mut typed = Vec::new();
        loop {
            let mut ready = [
                PollFd::new(&input, PollFlags::IN),
                PollFd::new(cancelled, PollFlags::IN),
            ];
            match poll(&mut ready, None) {
                Err(Errno::INTR) => continue,
                Err(error) => return Some(InputEvent::Unreadable(error.to_string())),
                Ok(_) if !ready[1].revents().is_empty() && typed.is_empty() => return None,
                Ok(_) => {}
            }
            let mut chunk = [0; 4096];
            match retry_on_intr(|| read(&input, &mut chunk)) {
                Err(error) => return Some(InputEvent::Unreadable(error.to_string())),
                Ok(0) if typed.is_empty() => return Some(InputEvent::End),
                Ok(0) => return Some(InputEvent::Line(text(&typed))),
                Ok(length) => typed.extend_from_slice(&chunk[..length]),
            }
            match typed.last() {
                Some(&CTRL_C) => {
                    anstream::eprintln!();
                    return Some(InputEvent::Interrupt);
                }
                Some(b'\n') => {
                    typed.pop();
                    return Some(InputEvent::Line(text(&typed)));
                }
                _ => {}
            }
        }
    }

    /// Returns the text that was typed but not read yet, including an incomplete line.
    pub(crate) fn typed_ahead() -> String {
        let Some(_modes) = Modes::set(|modes| {
            modes.local_modes.remove(LocalModes::ICANON);
            modes.special_codes[SpecialCodeIndex::VMIN] = 0;
            modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        }) else {
            return String::new();
        };
        let mut typed = Vec::new();
        let mut chunk = [0; 4096];
        while let Ok(length @ 1..) = retry_on_intr(|| read(stdin(), &mut chunk)) {
            typed.extend_from_slice(&chunk[..length]);
        }
        text(&typed)
    }

    /// Removes control characters from typed text.
    fn text(typed: &[u8]) -> String {
        let text = String::from_utf8_lossy(typed).replace('\r', "\n");
        text.replace(|c: char| c.is_control() && !"\n\t".contains(c), "")
    }

    /// Changed modes of the terminal. Dropping this value restores the previous modes.
    struct Modes(Termios);

    impl Modes {
        fn set(change: impl FnOnce(&mut Termios)) -> Option<Self> {
            let before = tcgetattr(stdin()).ok()?;
            let mut modes = before.clone();
            change(&mut modes);
            tcsetattr(stdin(), OptionalActions::Now, &modes).ok()?;
            Some(Self(before))
        }
    }

    impl Drop for Modes {
        fn drop(&mut self) {
            // If the terminal was closed, this call fails, and there is nothing to restore.
            let _ = tcsetattr(stdin(), OptionalActions::Now, &self.0);
        }
    }
}

#[cfg(not(unix))]
pub(crate) use self::other::typed_ahead;
#[cfg(not(unix))]
pub(super) use self::other::{has_input, line};

#[cfg(not(unix))]
mod other {
    use std::io::{BufRead as _, PipeReader, stdin};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use crate::input::InputEvent;

    /// Waits at most for this time until stdin is readable. Returns whether input or the end of the input has arrived.
    pub(in crate::input) fn has_input(limit: Duration) -> bool {
        let (sender, readable) = channel();
        // The thread leaves the input in the buffer of stdin. If no input arrives, the thread ends with the process.
        thread::spawn(move || {
            let _ = stdin().lock().fill_buf();
            let _ = sender.send(());
        });
        readable.recv_timeout(limit).is_ok()
    }

    /// Reads the next typed line. The read continues even if the line is no longer needed.
    pub(in crate::input) fn line(_cancelled: &PipeReader) -> Option<InputEvent> {
        let mut line = String::new();
        Some(match stdin().read_line(&mut line) {
            Ok(0) => InputEvent::End,
            Ok(_) => InputEvent::Line(line.trim_end_matches(['\r', '\n']).to_owned()),
            Err(error) => InputEvent::Unreadable(error.to_string()),
        })
    }

    /// Returns an empty text, because this system does not provide text that was typed but not read yet.
    pub(crate) fn typed_ahead() -> String {
        String::new()
    }
}
