//! Wraps text to a terminal's width.

use std::io::{self, Read as _, Write};

use anstyle::Style;
use unicode_width::UnicodeWidthChar as _;

use crate::escape::escape;

/// The maximum length of a horizontal rule, in columns.
const LONGEST_RULE: usize = 60;

/// The number of columns that replace a tab.
const TAB: usize = 4;

/// Writes text. Its lines start at a margin and fit into the width of the terminal. The text may arrive in pieces. A
/// word is written when its end has arrived.
#[derive(Debug, Clone)]
pub(crate) struct Wrap {
    width: Option<usize>,
    margin: usize,
    /// The indentation of a line's rows after the first, relative to the margin.
    hang: usize,
    /// The column at which the current row starts.
    start: usize,
    column: usize,
    /// The part of the margin that is not written yet, because empty lines have no margin.
    owed: usize,
    /// Whether the line contains only its margin.
    fresh: bool,
    /// Whether the line has no line break yet.
    open: bool,
    spaces: usize,
    word: String,
    word_width: usize,
}

impl Wrap {
    /// Creates a wrapper. If `width` is given, lines have at most this width. The first line starts at the column
    /// `column`.
    pub(crate) fn new(width: Option<usize>, margin: usize, column: usize) -> Self {
        Self {
            // Even on a narrow terminal, some characters must fit into each line.
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

    /// Sets the width of the following lines.
    #[cfg(feature = "terminal")]
    pub(crate) fn set_width(&mut self, width: usize) {
        self.width = Some(width.max(self.margin + 8));
    }

    /// Returns the width between the margin and the end of a line. Returns `None` if the width is not limited.
    pub(crate) fn room(&self) -> Option<usize> {
        self.width.map(|width| width - self.margin)
    }

    /// Sets the indentation of the rows after the first row of a line. On a narrow terminal, the indentation is
    /// smaller.
    pub(crate) fn set_hang(&mut self, hang: usize) {
        let most = self.room().map_or(hang, |room| room / 3);
        self.hang = hang.min(most);
    }

    /// Writes a separate row, at the start of a line. The caller has escaped the row, and it fits into the width.
    pub(crate) fn row(&mut self, out: &mut impl Write, row: &str) -> io::Result<()> {
        self.end(out)?;
        spaces(out, std::mem::take(&mut self.owed))?;
        out.write_all(row.as_bytes())?;
        self.feed(out, 0)
    }

    /// Writes a horizontal rule, at the start of a line.
    pub(crate) fn rule(&mut self, out: &mut impl Write) -> io::Result<()> {
        let room = self.room().unwrap_or(LONGEST_RULE);
        let style = Style::new().dimmed();
        let rule = "─".repeat(room.min(LONGEST_RULE));
        self.row(out, &format!("{style}{rule}{style:#}"))
    }

    /// Writes a text, and escapes it.
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

    /// Changes the style of the following text. The escape sequence occupies no columns.
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
            // The indentation leaves no room for text, so the spaces are left out.
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

/// Writes any number of spaces. A width in a format string is limited, so it is not used.
pub(crate) fn spaces(out: &mut impl Write, count: usize) -> io::Result<()> {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    io::copy(&mut io::repeat(b' ').take(count), out).map(drop)
}

/// Returns the styles that are active after a text. In claw's output, a reset ends every style.
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
