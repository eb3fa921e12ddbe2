//! Wraps text to a terminal's width.

use std::io::{self, Read as _, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthChar as _;

use crate::escape::escape;

/// The maximum length of a line across the screen, in columns.
const LONGEST_RULE: usize = 60;

/// The number of columns of a tab.
const TAB: usize = 4;

/// Writes text whose lines start at a margin and fit into the width of the terminal. The text may arrive in pieces. A
/// word is written when its end has arrived.
#[derive(Debug, Clone)]
pub(crate) struct Wrap {
    width: Option<usize>,
    margin: usize,
    /// The indentation of the further rows of a line, from the margin.
    hang: usize,
    /// The column at which the row starts.
    start: usize,
    column: usize,
    /// The part of the margin that was not written, because empty lines have none.
    owed: usize,
    /// Whether nothing but the margin was written to the line.
    fresh: bool,
    /// Whether the line is not ended.
    open: bool,
    spaces: usize,
    word: String,
    word_width: usize,
}

impl Wrap {
    /// Creates a wrapper for lines of at most this width, if one is given. The first line starts at this column.
    pub(crate) fn new(width: Option<usize>, margin: usize, column: usize) -> Self {
        Self {
            // Even on a narrow terminal, each line has room for some characters.
            width: width.map(|width| width.max(margin + 8)),
            margin,
            hang: 0,
            start: margin,
            column,
            owed: 0,
            fresh: true,
            open: true,
            spaces: 0,
            word: String::new(),
            word_width: 0,
        }
    }

    /// Sets the width of the lines that follow.
    #[cfg(feature = "terminal")]
    pub(crate) fn set_width(&mut self, width: usize) {
        self.width = Some(width.max(self.margin + 8));
    }

    /// The width between the margin and the end of a line, if it is limited.
    pub(crate) fn room(&self) -> Option<usize> {
        self.width.map(|width| width - self.margin)
    }

    /// Sets the indentation of the rows that the line continues in. It is smaller on a narrow terminal.
    pub(crate) fn set_hang(&mut self, hang: usize) {
        let most = self.room().map_or(hang, |room| room / 3);
        self.hang = hang.min(most);
    }

    /// Writes a row of its own, at the start of a line. It is escaped, and fits into the width.
    pub(crate) fn row(&mut self, out: &mut impl Write, row: &str) -> io::Result<()> {
        self.end(out)?;
        spaces(out, std::mem::take(&mut self.owed))?;
        out.write_all(row.as_bytes())?;
        self.feed(out, 0)
    }

    /// Writes a line across the screen, at the start of a line.
    pub(crate) fn rule(&mut self, out: &mut impl Write) -> io::Result<()> {
        let room = self.room().unwrap_or(LONGEST_RULE);
        let style = Style::new().dimmed();
        let rule = "─".repeat(room.min(LONGEST_RULE));
        self.row(out, &format!("{style}{rule}{style:#}"))
    }

    /// Writes a text that is not escaped yet.
    pub(crate) fn write(&mut self, out: &mut impl Write, text: &str) -> io::Result<()> {
        for line in text.split_inclusive('\n') {
            let ended = line.strip_suffix('\n');
            let text = ended.map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
            self.line(out, &escape(text))?;
            if ended.is_some() {
                self.word(out)?;
                self.spaces = 0;
                self.feed(out, 0)?;
            }
        }
        Ok(())
    }

    /// Changes the style of the following text. The escape sequence takes no columns.
    pub(crate) fn paint(&mut self, sequence: &str) {
        self.word.push_str(sequence);
    }

    /// Writes the held-back text.
    pub(crate) fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.word(out)?;
        self.spaces = 0;
        Ok(())
    }

    /// Ends the last line if it has text.
    pub(crate) fn close(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.end(out)?;
        if self.open {
            self.feed(out, 0)?;
        }
        Ok(())
    }

    fn line(&mut self, out: &mut impl Write, text: &str) -> io::Result<()> {
        for c in text.chars() {
            match c {
                ' ' | '\t' => {
                    self.word(out)?;
                    self.spaces += if c == '\t' { TAB } else { 1 };
                }
                c => {
                    let width = c.width().unwrap_or(0);
                    let room = self.room().map(|room| room - self.hang);
                    if room.is_some_and(|room| self.word_width + width > room) {
                        self.word(out)?;
                    }
                    self.word.push(c);
                    self.word_width += width;
                }
            }
        }
        Ok(())
    }

    fn word(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.word.is_empty() {
            return Ok(());
        }
        let end = self.column + self.spaces + self.word_width;
        let is_too_wide = self.width.is_some_and(|width| end > width);
        if is_too_wide && (!self.fresh || self.column > self.start) {
            self.spaces = 0;
            self.feed(out, self.hang)?;
        } else if is_too_wide {
            // The indentation is so deep that no text fits after it.
            self.spaces = 0;
        }
        spaces(out, std::mem::take(&mut self.owed) + self.spaces)?;
        out.write_all(self.word.as_bytes())?;
        self.column += self.spaces + self.word_width;
        self.fresh = false;
        self.open = true;
        self.spaces = 0;
        self.word.clear();
        self.word_width = 0;
        Ok(())
    }

    fn feed(&mut self, out: &mut impl Write, indent: usize) -> io::Result<()> {
        out.write_all(b"\n")?;
        self.start = self.margin + indent;
        self.owed = self.start;
        self.column = self.start;
        self.fresh = true;
        self.open = false;
        Ok(())
    }
}

/// Writes any number of spaces, because a width in a format has a limit.
pub(crate) fn spaces(out: &mut impl Write, count: usize) -> io::Result<()> {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    io::copy(&mut io::repeat(b' ').take(count), out).map(drop)
}

/// The active styles after a text. Every style of claw is ended by a reset.
pub(crate) fn style_after(before: &str, text: &str) -> String {
    let mut style = before.to_owned();
    for (at, _) in text.match_indices("\x1b[") {
        let sequence = &text[at..];
        let end = sequence.find(|c: char| c.is_ascii_alphabetic());
        let Some(end) = end.filter(|&end| sequence.as_bytes()[end] == b'm') else {
            continue;
        };
        match &sequence[..=end] {
            "\x1b[0m" | "\x1b[m" => style.clear(),
            other => style.push_str(other),
        }
    }
    style
}
