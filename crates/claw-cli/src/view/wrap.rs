//! Wraps text to a terminal's width.

use std::io::{self, Read as _, Write};

use unicode_width::UnicodeWidthChar as _;

use crate::escape::escape;

/// The number of columns of a tab.
const TAB: usize = 4;

/// Writes text whose lines start at a margin and fit into the width of the terminal. The text may arrive in pieces. A
/// word is written when its end has arrived.
#[derive(Debug)]
pub(crate) struct Wrap {
    width: Option<usize>,
    margin: usize,
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

    /// Writes a text that is not escaped yet.
    pub(crate) fn write(&mut self, out: &mut impl Write, text: &str) -> io::Result<()> {
        for line in text.split_inclusive('\n') {
            let ended = line.strip_suffix('\n');
            let text = ended.map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
            self.line(out, &escape(text))?;
            if ended.is_some() {
                self.word(out)?;
                self.spaces = 0;
                self.feed(out)?;
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
            self.feed(out)?;
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
                    let room = self.width.map(|width| width - self.margin);
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
        if is_too_wide && (!self.fresh || self.column > self.margin) {
            self.spaces = 0;
            self.feed(out)?;
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

    fn feed(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"\n")?;
        self.owed = self.margin;
        self.column = self.margin;
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
