//! Draws a block of code.

#[cfg(feature = "terminal")]
use anstyle::AnsiColor;
use anstyle::Style;
#[cfg(feature = "terminal")]
use claw_view::code::{CodeClass, CodeLines};

/// The indentation of code if the signs of the block are not shown.
pub(super) const INDENT: &str = "  ";

/// An open block of code.
#[derive(Debug, Clone)]
pub(super) struct Code {
    fence: String,
    name: String,
    /// Whether the start of a long line is written.
    is_begun: bool,
    #[cfg(feature = "terminal")]
    lines: Option<CodeLines>,
}

impl Code {
    /// Creates the block that this line opens.
    pub(super) fn new(line: &str) -> Self {
        let line = line.trim();
        let first = line.chars().next().unwrap_or('`');
        let name = line.trim_start_matches(first);
        let fence = line[..line.len() - name.len()].to_owned();
        let name = name.trim();
        #[cfg(feature = "terminal")]
        let language = name.split([' ', '\t', ',', '{']).next().unwrap_or_default();
        Self {
            fence,
            #[cfg(feature = "terminal")]
            lines: CodeLines::new(language),
            name: name.to_owned(),
            is_begun: false,
        }
    }

    /// Returns the name of the language with the text after it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether this line ends the block.
    pub(super) fn is_end(&self, line: &str) -> bool {
        let line = line.trim();
        let sign = &self.fence[..1];
        !self.is_begun && line.starts_with(&*self.fence) && line.trim_start_matches(sign).is_empty()
    }

    /// Returns whether the next text is the start of a line.
    pub(super) fn is_start(&self) -> bool {
        !self.is_begun
    }

    /// Returns the parts of a line, or of a piece of a long line, with their styles. Only a line in one piece has
    /// colours.
    pub(super) fn parts<'a>(
        &mut self,
        line: &'a str,
        is_start: bool,
        is_whole: bool,
    ) -> Vec<(Style, &'a str)> {
        self.is_begun = !is_whole;
        #[cfg(feature = "terminal")]
        {
            if is_start && is_whole {
                return self.coloured(line);
            }
            // The state of the highlighting is not known after a line that arrived in pieces.
            self.lines = None;
        }
        #[cfg(not(feature = "terminal"))]
        let _ = is_start;
        vec![(Style::new(), line)]
    }

    #[cfg(feature = "terminal")]
    fn coloured<'a>(&mut self, line: &'a str) -> Vec<(Style, &'a str)> {
        let Some(lines) = &mut self.lines else {
            return vec![(Style::new(), line)];
        };
        let ended = format!("{line}\n");
        let mut at = 0;
        let parts = lines.line(&ended).into_iter().map(|(class, part)| {
            let start = at;
            at += part.len();
            let part = &line[start.min(line.len())..at.min(line.len())];
            (class.map_or_else(Style::new, style), part)
        });
        parts.collect()
    }
}

#[cfg(feature = "terminal")]
fn style(class: CodeClass) -> Style {
    match class {
        CodeClass::Comment => Style::new().dimmed(),
        CodeClass::Text | CodeClass::Inserted => AnsiColor::Green.on_default(),
        CodeClass::Constant => AnsiColor::Cyan.on_default(),
        CodeClass::Keyword => AnsiColor::Magenta.on_default(),
        CodeClass::Function => AnsiColor::Blue.on_default(),
        CodeClass::Type => AnsiColor::Yellow.on_default(),
        CodeClass::Deleted => AnsiColor::Red.on_default(),
        _ => Style::new(),
    }
}
