//! Writes Markdown to a terminal: the text is unchanged, and parts of it are bold, dim or in italics.

use std::io::{self, Write};

use anstyle::Style;

use super::wrap::Wrap;

/// The maximum length of the held-back start of a line. It is sufficient to recognise the kind of the line.
const HELD: usize = 16;

/// Writes Markdown while it arrives. The signs of Markdown stay, so that the written text equals the original.
#[derive(Debug, Default)]
pub(crate) struct MarkdownStyler {
    /// The held-back text: the start of a line, or a run of stars.
    held: String,
    /// Whether the start of the line is written.
    is_in_line: bool,
    /// The fence that ends the code block.
    fence: Option<String>,
    line: Line,
    /// Whether the line is the one that opens the code block.
    is_opening: bool,
    /// Whether the last character was a carriage return, which may be half of a line ending.
    is_returned: bool,
    /// The previous character.
    before: Option<char>,
}

/// The active styles. All of them end with the line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Line {
    heading: bool,
    code: bool,
    bold: bool,
    italic: bool,
}

impl Line {
    fn style(self) -> Style {
        let style = Style::new();
        let style = if self.heading || self.bold {
            style.bold()
        } else {
            style
        };
        let style = if self.italic { style.italic() } else { style };
        if self.code { style.dimmed() } else { style }
    }
}

impl MarkdownStyler {
    pub(crate) fn write(
        &mut self,
        out: &mut impl Write,
        wrap: &mut Wrap,
        text: &str,
    ) -> io::Result<()> {
        for c in text.chars() {
            if std::mem::take(&mut self.is_returned) && c != '\n' {
                self.write_inside(out, wrap, '\r')?;
            }
            if c == '\n' {
                if self.is_in_line || !self.held.is_empty() {
                    self.end(out, wrap)?;
                }
                wrap.write(out, "\n")?;
                (self.is_in_line, self.before, self.is_opening) = (false, None, false);
            } else if c == '\r' {
                self.is_returned = true;
            } else if !self.is_in_line
                && matches!(c, ' ' | '#' | '`' | '~')
                && self.held.len() < HELD
            {
                self.held.push(c);
            } else {
                self.start(out, wrap, c)?;
                self.write_inside(out, wrap, c)?;
            }
        }
        Ok(())
    }

    /// Writes the held-back text.
    pub(crate) fn end(&mut self, out: &mut impl Write, wrap: &mut Wrap) -> io::Result<()> {
        if !self.is_in_line {
            self.start(out, wrap, '\n')?;
        }
        self.write_stars(out, wrap, '\n')?;
        self.paint(wrap, Line::default());
        Ok(())
    }

    /// Writes the start of a line. `next` is the character after it.
    fn start(&mut self, out: &mut impl Write, wrap: &mut Wrap, next: char) -> io::Result<()> {
        if self.is_in_line {
            return Ok(());
        }
        self.is_in_line = true;
        let held = std::mem::take(&mut self.held);
        let sign = held.trim_matches(' ');
        let is_fence =
            sign.len() >= 3 && (sign.bytes().all(|b| b == b'`') || sign.bytes().all(|b| b == b'~'));
        let mut line = Line::default();
        match &self.fence {
            Some(fence) => {
                line.code = true;
                if is_fence && next == '\n' && sign.starts_with(&**fence) {
                    self.fence = None;
                }
            }
            None if is_fence => {
                line.code = true;
                self.fence = Some(sign.to_owned());
                self.is_opening = true;
            }
            None => {
                let is_heading = (1..=6).contains(&sign.len()) && sign.bytes().all(|b| b == b'#');
                line.heading = is_heading && held.ends_with(' ');
            }
        }
        self.paint(wrap, line);
        if self.fence.is_some() || line.code {
            wrap.write(out, &held)
        } else {
            held.chars()
                .try_for_each(|c| self.write_inside(out, wrap, c))
        }
    }

    fn write_inside(&mut self, out: &mut impl Write, wrap: &mut Wrap, c: char) -> io::Result<()> {
        if c == '`' && self.is_opening {
            // With a further backtick, the marks enclose code within the line, and open no block.
            self.fence = None;
        }
        if self.fence.is_some() {
            return wrap.write(out, c.encode_utf8(&mut [0; 4]));
        }
        if c == '*' && !self.line.code {
            self.held.push(c);
            return Ok(());
        }
        self.write_stars(out, wrap, c)?;
        let mut line = self.line;
        if c == '`' {
            line.code = !line.code;
        }
        if line.code {
            self.paint(wrap, line);
        }
        wrap.write(out, c.encode_utf8(&mut [0; 4]))?;
        self.paint(wrap, line);
        self.before = Some(c);
        Ok(())
    }

    /// Writes a run of stars. `next` is the character after it.
    fn write_stars(&mut self, out: &mut impl Write, wrap: &mut Wrap, next: char) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        let stars = std::mem::take(&mut self.held);
        let mut line = self.line;
        let (bold, italic) = (
            stars.len() == 2 || stars.len() == 3,
            stars.len() % 2 == 1 && stars.len() < 4,
        );
        let can_close = self.before.is_some_and(|c| !c.is_whitespace());
        let can_open = !next.is_whitespace() && self.before.is_none_or(|c| !c.is_alphanumeric());
        if bold && if line.bold { can_close } else { can_open } {
            line.bold = !line.bold;
        }
        if italic && if line.italic { can_close } else { can_open } {
            line.italic = !line.italic;
        }
        if line.bold || line.italic {
            self.paint(wrap, line);
        }
        wrap.write(out, &stars)?;
        self.paint(wrap, line);
        self.before = Some('*');
        Ok(())
    }

    fn paint(&mut self, wrap: &mut Wrap, line: Line) {
        if line != self.line {
            let before = self.line.style();
            self.line = line;
            wrap.paint(&format!("{before:#}{}", line.style()));
        }
    }
}
