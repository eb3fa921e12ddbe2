//! Draws Markdown on a terminal while the text arrives.

mod code;
mod inline;
mod kind;
mod table;

use std::io::{self, IsTerminal as _, Write, stderr, stdout};

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;

use self::code::Code;
use self::kind::{Kind, kind};
use self::table::Table;
use super::wrap::Wrap;

/// The maximum length of the held-back part of a line, in bytes. The kind of a longer line is determined from its
/// start, and longer lines of code have no colours.
const LONGEST_LINE: usize = 4 << 10;

/// The way in which Markdown is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Rendering {
    /// The text is unchanged. This is used in pipes and files.
    #[default]
    Source,
    /// Tables are laid out. The other Markdown signs remain, because without colours nothing else shows their meaning.
    Signs,
    /// Styles and colours replace the Markdown signs.
    Styles,
}

impl Rendering {
    /// Returns the rendering for stdout.
    pub(crate) fn of_stdout() -> Self {
        Self::of(stdout().is_terminal(), AutoStream::choice(&stdout()))
    }

    /// Returns the rendering for stderr.
    pub(crate) fn of_stderr() -> Self {
        Self::of(stderr().is_terminal(), AutoStream::choice(&stderr()))
    }

    fn of(is_terminal: bool, colours: ColorChoice) -> Self {
        match colours {
            _ if !is_terminal => Self::Source,
            ColorChoice::Never => Self::Signs,
            _ => Self::Styles,
        }
    }

    fn hides_signs(self) -> bool {
        self == Self::Styles
    }
}

/// Draws Markdown while it arrives. Written output is final. Only the end of a text is held back: at most an incomplete
/// line, an emphasis that is not closed, and the start of a table. The result does not depend on the pieces in which a
/// text arrives.
#[derive(Debug, Clone, Default)]
pub(crate) struct MarkdownStyler {
    rendering: Rendering,
    /// The held-back part of the line.
    held: String,
    /// Whether the kind of the line is known and the start of the line is written.
    is_begun: bool,
    /// The style of the whole line, such as that of a heading.
    line: Style,
    /// The style that is active at the end of the written output.
    style: Style,
    /// The previous character of the line.
    before: Option<char>,
    /// Whether the last character was a carriage return, which may be the first half of a line ending.
    is_returned: bool,
    /// Whether no line ending must be written: the line is not drawn, or its ending is already written.
    is_ended: bool,
    code: Option<Code>,
    /// A complete line with cells. If the next line is the delimiter row of a table, this line is the table's header
    /// row.
    head: Option<String>,
    table: Option<Table>,
}

impl MarkdownStyler {
    pub(crate) fn new(rendering: Rendering) -> Self {
        Self {
            rendering,
            ..Self::default()
        }
    }

    pub(crate) fn write(
        &mut self,
        out: &mut impl Write,
        wrap: &mut Wrap,
        text: &str,
    ) -> io::Result<()> {
        for piece in text.split_inclusive('\n') {
            let line = piece.strip_suffix('\n');
            let mut text = line.unwrap_or(piece);
            if std::mem::take(&mut self.is_returned) && !text.is_empty() {
                self.held.push('\r');
            }
            if let Some(before) = text.strip_suffix('\r') {
                (text, self.is_returned) = (before, line.is_none());
            }
            self.held.push_str(text);
            self.advance(out, wrap, line.is_some())?;
            if line.is_some() && !std::mem::take(&mut self.is_ended) {
                wrap.write(out, "\n")?;
            }
        }
        Ok(())
    }

    /// Writes the held-back text.
    pub(crate) fn end(&mut self, out: &mut impl Write, wrap: &mut Wrap) -> io::Result<()> {
        self.is_returned = false;
        if self.is_begun || !self.held.is_empty() {
            self.advance(out, wrap, true)?;
        }
        if let Some(head) = self.head.take() {
            self.text(out, wrap, &head)?;
        }
        self.end_table(out, wrap)?;
        self.is_ended = false;
        Ok(())
    }

    /// Writes the part of the held-back text that later text cannot change. `is_whole` is set if the line ends here.
    fn advance(&mut self, out: &mut impl Write, wrap: &mut Wrap, is_whole: bool) -> io::Result<()> {
        if self.is_begun {
            return self.inline(out, wrap, is_whole);
        }
        if self.code.is_some() {
            return self.code_line(out, wrap, is_whole);
        }
        let is_long = self.held.len() > LONGEST_LINE;
        let known = kind(&self.held, is_whole && !is_long, self.rendering);
        let Some(kind) = known.or_else(|| is_long.then_some(Kind::Text { indent: 0 })) else {
            return Ok(());
        };
        if let Some(head) = self.head.take() {
            if kind == Kind::Row
                && let Some(table) = Table::of(&head, &self.held)
            {
                self.held.clear();
                (self.table, self.is_ended) = (Some(table), true);
                return Ok(());
            }
            wrap.set_hang(0);
            self.text(out, wrap, &head)?;
            wrap.write(out, "\n")?;
        }
        if kind == Kind::Row {
            let row = std::mem::take(&mut self.held);
            self.is_ended = true;
            if let Some(table) = &mut self.table {
                return table.push(out, wrap, self.rendering, &row);
            }
            self.head = Some(row);
            return Ok(());
        }
        self.end_table(out, wrap)?;
        self.begin(out, wrap, kind)?;
        if self.is_begun {
            self.inline(out, wrap, is_whole)?;
        }
        Ok(())
    }

    /// Writes the start of a line of this kind.
    fn begin(&mut self, out: &mut impl Write, wrap: &mut Wrap, kind: Kind) -> io::Result<()> {
        wrap.set_hang(0);
        (self.is_begun, self.line) = (true, Style::new());
        let (length, sign, style) = match kind {
            Kind::Blank | Kind::Row => {
                self.held.clear();
                self.is_begun = false;
                return Ok(());
            }
            Kind::Fence => {
                let line = std::mem::take(&mut self.held);
                self.is_begun = false;
                return self.open_code(out, wrap, &line);
            }
            Kind::Rule => {
                self.held.clear();
                (self.is_begun, self.is_ended) = (false, true);
                return wrap.rule(out);
            }
            Kind::Text { indent } => {
                wrap.set_hang(indent);
                return Ok(());
            }
            Kind::Heading { level, sign } => {
                self.line = Style::new().bold();
                if self.rendering.hides_signs() {
                    if level < 3 {
                        self.line = self.line.underline();
                    }
                    self.held.drain(..sign);
                    return Ok(());
                }
                (sign, self.held[..sign].to_owned(), self.line)
            }
            Kind::Item { sign, shown } => (sign, shown, Style::new()),
            Kind::Quote { sign, shown } => (sign, shown, Style::new().dimmed()),
        };
        self.paint(wrap, style);
        wrap.write(out, &sign)?;
        self.paint(wrap, self.line);
        wrap.set_hang(sign.chars().count());
        self.held.drain(..length);
        Ok(())
    }

    /// Writes a complete line without its ending.
    fn text(&mut self, out: &mut impl Write, wrap: &mut Wrap, line: &str) -> io::Result<()> {
        let current = std::mem::replace(&mut self.held, line.to_owned());
        self.line = Style::new();
        self.inline(out, wrap, true)?;
        self.held = current;
        Ok(())
    }

    /// Writes the part of a line's text that later text cannot change.
    fn inline(&mut self, out: &mut impl Write, wrap: &mut Wrap, is_whole: bool) -> io::Result<()> {
        let mut held = std::mem::take(&mut self.held);
        let mut spans = Vec::new();
        let context = inline::Context {
            before: self.before,
            style: self.line,
            is_whole,
            hides_signs: self.rendering.hides_signs(),
        };
        let length = inline::spans(&held, &context, &mut spans);
        for (style, text) in spans {
            self.paint(wrap, style);
            wrap.write(out, text)?;
        }
        self.before = held[..length].chars().next_back().or(self.before);
        held.drain(..length);
        self.held = held;
        if is_whole {
            self.paint(wrap, Style::new());
            (self.is_begun, self.before) = (false, None);
        }
        Ok(())
    }

    fn open_code(&mut self, out: &mut impl Write, wrap: &mut Wrap, line: &str) -> io::Result<()> {
        let code = Code::new(line);
        let shown = if self.rendering.hides_signs() {
            self.is_ended = code.name().is_empty();
            code.name().to_owned()
        } else {
            line.to_owned()
        };
        self.code = Some(code);
        self.dim(out, wrap, &shown)
    }

    /// Writes a line of a code block when it is complete, or a piece of a long line.
    fn code_line(
        &mut self,
        out: &mut impl Write,
        wrap: &mut Wrap,
        is_whole: bool,
    ) -> io::Result<()> {
        let Some(code) = &mut self.code else {
            return Ok(());
        };
        if !is_whole && self.held.len() <= LONGEST_LINE {
            return Ok(());
        }
        let line = std::mem::take(&mut self.held);
        let is_end = is_whole && code.is_end(&line);
        if is_end {
            self.code = None;
            if self.rendering.hides_signs() {
                self.is_ended = true;
                return Ok(());
            }
        }
        let Some(code) = &mut self.code else {
            return self.dim(out, wrap, &line);
        };
        if !self.rendering.hides_signs() {
            code.parts(&line, false, is_whole);
            return self.dim(out, wrap, &line);
        }
        let is_start = code.is_start();
        if is_start {
            wrap.set_hang(code::INDENT.len());
            wrap.write(out, code::INDENT)?;
        }
        for (style, part) in code.parts(&line, is_start, is_whole) {
            self.paint(wrap, style);
            wrap.write(out, part)?;
        }
        self.paint(wrap, Style::new());
        Ok(())
    }

    fn dim(&mut self, out: &mut impl Write, wrap: &mut Wrap, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        wrap.set_hang(0);
        self.paint(wrap, Style::new().dimmed());
        wrap.write(out, text)?;
        self.paint(wrap, Style::new());
        Ok(())
    }

    fn end_table(&mut self, out: &mut impl Write, wrap: &mut Wrap) -> io::Result<()> {
        match self.table.take() {
            Some(table) => table.end(out, wrap, self.rendering),
            None => Ok(()),
        }
    }

    fn paint(&mut self, wrap: &mut Wrap, style: Style) {
        if style != self.style {
            wrap.paint(&format!("{:#}{style}", self.style));
            self.style = style;
        }
    }
}
