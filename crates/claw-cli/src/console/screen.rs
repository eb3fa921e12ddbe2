//! Draws the output, and redraws the rows below it: the state of the work, questions, and the typed line.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstream::adapter::strip_str;
use unicode_width::UnicodeWidthStr as _;

use crate::view::wrap::style_after;

/// The size of the terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

impl Size {
    /// Returns the current size. If the terminal does not report a size, returns 80 columns and 24 rows.
    pub(crate) fn now() -> Self {
        #[cfg(unix)]
        let size = rustix::termios::tcgetwinsize(io::stdout())
            .map(|size| (size.ws_col, size.ws_row))
            .ok();
        #[cfg(not(unix))]
        let size = crossterm::terminal::size().ok();
        let (columns, rows) = size.unwrap_or_default();
        let or = |size: u16, other| if size == 0 { other } else { size.into() };
        Self {
            columns: or(columns, 80),
            rows: or(rows, 24),
        }
    }
}

/// The rows below the output. They are escaped, and each is narrower than the terminal.
#[derive(Debug, Default)]
pub(crate) struct Live {
    pub(crate) rows: Vec<String>,
    /// The row and the column of the cursor.
    pub(crate) cursor: (usize, usize),
}

/// The terminal.
#[derive(Debug)]
pub(crate) struct Screen<W> {
    out: W,
    size: Size,
    /// Whether colours are used.
    colour: bool,
    /// The last line of the output, if it has no line break yet. It is redrawn together with the rows below it.
    tail: String,
    /// The active styles at the beginning of the tail.
    style: String,
    /// The widths of the drawn rows that do not belong to finished output.
    drawn: Vec<usize>,
    /// The row and column of the cursor among these rows.
    cursor: (usize, usize),
}

impl<W: Write> Screen<W> {
    pub(crate) fn new(out: W, size: Size, colour: bool) -> Self {
        Self {
            out,
            size,
            colour,
            tail: String::new(),
            style: String::new(),
            drawn: Vec::new(),
            cursor: (0, 0),
        }
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// Sets the new size of the terminal. Takes into account that the terminal has wrapped rows that are now too wide.
    pub(crate) fn resize(&mut self, size: Size) {
        let columns = size.columns.max(1);
        let (row, column) = self.cursor;
        let above: usize = self.drawn[..row.min(self.drawn.len())]
            .iter()
            .map(|width| width.div_ceil(columns).max(1))
            .sum();
        self.cursor = (above + column / columns, column % columns);
        self.drawn.clear();
        self.drawn.resize(self.cursor.0 + 1, 0);
        self.size = size;
    }

    /// Forgets the drawn rows, because the screen was cleared or another program has drawn on it.
    pub(crate) fn forget(&mut self) {
        self.drawn.clear();
        self.cursor = (0, 0);
    }

    /// Clears the screen.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.forget();
        self.out.write_all(b"\x1b[H\x1b[2J")
    }

    /// Writes output and the rows below it. The output is escaped.
    pub(crate) fn draw(&mut self, output: &str, live: &Live) -> io::Result<()> {
        self.draw_growing(output, "", live)
    }

    /// Writes output and, after it, a text that may still change. The next call replaces that text. Both are escaped.
    /// If the text has more rows than the screen, only its last rows are drawn.
    pub(crate) fn draw_growing(
        &mut self,
        output: &str,
        growing: &str,
        live: &Live,
    ) -> io::Result<()> {
        // With this sequence, terminals that support it do not show a partially drawn screen.
        let mut text = "\x1b[?2026h\x1b[?25l".to_owned();
        self.erase(&mut text);
        let (done, tail) = match output.rfind('\n') {
            Some(end) => output.split_at(end + 1),
            None => ("", output),
        };
        text.push_str(&self.style);
        if !done.is_empty() {
            let done = std::mem::take(&mut self.tail) + done;
            text.push_str(&done.replace('\n', "\r\n"));
            self.style = style_after(&self.style, &done);
        }
        self.tail.push_str(tail);
        self.drawn.clear();
        let tail = format!("{}{growing}", self.tail);
        let tail = tail.strip_suffix('\n').unwrap_or(&tail);
        if !tail.is_empty() {
            let room = self.size.rows.saturating_sub(live.rows.len()).max(1);
            let rows = |line: &str| self.rows(line).len();
            let shown = last_lines(tail, room, rows);
            text.push_str(&style_after("", &tail[..tail.len() - shown.len()]));
            text.push_str(&shown.replace('\n', "\r\n"));
            text.push_str("\x1b[0m\r\n");
            let rows: Vec<_> = shown.lines().flat_map(|line| self.rows(line)).collect();
            self.drawn.extend(rows);
        } else if !self.style.is_empty() {
            text.push_str("\x1b[0m");
        }
        let above = self.drawn.len();
        for (number, row) in live.rows.iter().enumerate() {
            if number > 0 {
                text.push_str("\r\n");
            }
            text.push_str(row);
            self.drawn.push(strip_str(row).to_string().width());
        }
        let last = self.drawn.len().saturating_sub(1);
        self.cursor = (above + live.cursor.0, live.cursor.1);
        up(&mut text, last.saturating_sub(self.cursor.0));
        text.push('\r');
        if self.cursor.1 > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, "\x1b[{}C", self.cursor.1);
        }
        text.push_str("\x1b[?25h\x1b[?2026l");
        if self.colour {
            self.out.write_all(text.as_bytes())?;
        } else {
            self.out.write_all(without_styles(&text).as_bytes())?;
        }
        self.out.flush()
    }

    /// Returns the widths of the rows that a line occupies.
    fn rows(&self, line: &str) -> Vec<usize> {
        let columns = self.size.columns.max(1);
        let width = strip_str(line).to_string().width();
        let full = width.div_ceil(columns).max(1) - 1;
        let mut rows = vec![columns; full];
        rows.push(width - full * columns);
        rows
    }

    /// Removes the rows below the output, and ends the last line of the output.
    pub(crate) fn leave(&mut self) -> io::Result<()> {
        let end = if self.tail.is_empty() { "" } else { "\n" };
        self.draw(end, &Live::default())
    }

    /// Moves the cursor to the first drawn row, and clears the screen from there.
    fn erase(&self, text: &mut String) {
        up(text, self.cursor.0);
        text.push_str("\r\x1b[J");
    }
}

/// Returns the last lines of a text that occupy at most `room` rows. Returns at least one line.
fn last_lines(text: &str, room: usize, rows: impl Fn(&str) -> usize) -> &str {
    let mut start = text.len();
    let mut left = room;
    for line in text.split_inclusive('\n').rev() {
        let needed = rows(line.trim_end_matches('\n'));
        if needed > left && start < text.len() {
            break;
        }
        left = left.saturating_sub(needed);
        start -= line.len();
    }
    &text[start..]
}

fn up(text: &mut String, rows: usize) {
    if rows > 0 {
        // Writing to a String cannot fail.
        let _ = write!(text, "\x1b[{rows}A");
    }
}

/// Removes the styles from a text. Movements of the cursor remain.
fn without_styles(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\x1b[") {
        let (before, sequence) = rest.split_at(at);
        plain.push_str(before);
        let end = sequence.find(|c: char| c.is_ascii_alphabetic());
        let end = end.map_or(sequence.len(), |end| end + 1);
        if !sequence[..end].ends_with('m') {
            plain.push_str(&sequence[..end]);
        }
        rest = &sequence[end..];
    }
    plain + rest
}

#[cfg(test)]
mod tests;
