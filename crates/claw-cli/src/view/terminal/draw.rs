//! Draws one complete element.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use claw_types::ToolUseId;
use claw_view::diff::{DiffLine, FileDiff, LineKind};
use claw_view::drawn::{DIFF_LINES, Drawn, Part, Tone, hidden};
use claw_view::element::{Content, Element};

use super::super::markdown::MarkdownStyler;
use super::super::wrap::{Wrap, spaces};
use super::{STEP, Terminal};
use crate::escape::one_line;

/// The maximum length of a head, in characters.
const HEAD: usize = 400;

impl<W: Write> Terminal<W> {
    pub(super) fn draw(&mut self, element: &Element) -> io::Result<()> {
        self.close()?;
        let drawn = Drawn::of(element);
        let mut margin = margin(element);
        let paint = style(drawn.tone);
        spaces(&mut self.out, margin)?;
        if !drawn.mark.is_empty() {
            write!(self.out, "{paint}{}{paint:#} ", drawn.mark)?;
            margin += STEP;
        }
        // The head, or else the first part, is on the same line as the mark.
        let mut begun = true;
        let words = style(match drawn.tone {
            Tone::Tool | Tone::Good => Tone::Plain,
            tone => tone,
        });
        if !drawn.head.is_empty() || !drawn.aside.is_empty() {
            let mut wrap = Wrap::new(self.width, margin, margin);
            write!(self.out, "{words}")?;
            wrap.write(&mut self.out, &one_line(&drawn.head, HEAD))?;
            wrap.end(&mut self.out)?;
            write!(self.out, "{words:#}")?;
            if !drawn.aside.is_empty() {
                let dim = style(Tone::Dim);
                let space = if drawn.head.is_empty() { "" } else { "  " };
                write!(self.out, "{dim}")?;
                let aside = format!("{space}({})", one_line(&drawn.aside, HEAD));
                wrap.write(&mut self.out, &aside)?;
                wrap.end(&mut self.out)?;
                write!(self.out, "{dim:#}")?;
            }
            writeln!(self.out)?;
            begun = false;
        }
        for part in &drawn.body {
            match part {
                Part::Text(text) => self.text(text, words, margin, &mut begun)?,
                Part::Markdown(text) => self.markdown(text, margin, &mut begun)?,
                Part::Long(preview, _) => {
                    let hidden = hidden(preview).map(|hidden| format!("… {hidden}"));
                    let parts = match (&hidden, preview.at_end) {
                        (Some(hidden), true) => vec![hidden, &preview.text],
                        (Some(hidden), false) => vec![&preview.text, hidden],
                        (None, _) => vec![&preview.text],
                    };
                    for part in parts {
                        self.text(part, style(Tone::Dim), margin, &mut begun)?;
                    }
                }
                Part::Diff(diff) => self.diff(diff, margin, &mut begun, DIFF_LINES)?,
                Part::Folded(elements) if self.unfolds => {
                    elements.iter().try_for_each(|element| self.draw(element))?;
                }
                _ => {}
            }
        }
        self.change_above = whole_change(&element.content);
        if begun {
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn text(
        &mut self,
        text: &str,
        paint: Style,
        margin: usize,
        begun: &mut bool,
    ) -> io::Result<()> {
        if !std::mem::take(begun) {
            spaces(&mut self.out, margin)?;
        }
        let mut wrap = Wrap::new(self.width, margin, margin);
        write!(self.out, "{paint}")?;
        wrap.write(&mut self.out, text)?;
        wrap.end(&mut self.out)?;
        write!(self.out, "{paint:#}")?;
        wrap.close(&mut self.out)
    }

    fn markdown(&mut self, text: &str, margin: usize, begun: &mut bool) -> io::Result<()> {
        if !std::mem::take(begun) {
            spaces(&mut self.out, margin)?;
        }
        let mut wrap = Wrap::new(self.width, margin, margin);
        let mut light = MarkdownStyler::new(self.rendering);
        light.write(&mut self.out, &mut wrap, text)?;
        light.end(&mut self.out, &mut wrap)?;
        wrap.close(&mut self.out)
    }

    pub(super) fn diff(
        &mut self,
        diff: &FileDiff,
        margin: usize,
        begun: &mut bool,
        most: usize,
    ) -> io::Result<()> {
        let name = match &diff.old_path {
            Some(old) => format!("{old} → {}", diff.path),
            None => diff.path.clone(),
        };
        self.text(&name, style(Tone::Dim), margin, begun)?;
        let all = || diff.hunks.iter().flat_map(|hunk| &hunk.lines);
        let number = |line: &DiffLine| line.new_line.or(line.old_line);
        // Numbers are shown only if they are the line numbers of the file.
        let numbers = || all().filter_map(number).filter(|_| diff.numbered);
        let digits = numbers().max().map_or(0, |last| last.to_string().len());
        for line in all().take(most) {
            let paint = match line.kind {
                LineKind::Added => AnsiColor::Green.on_default(),
                LineKind::Removed => AnsiColor::Red.on_default(),
                _ => style(Tone::Dim),
            };
            spaces(&mut self.out, margin)?;
            let sign = line.kind.sign();
            write!(self.out, "{paint}")?;
            let mut behind = margin + 2;
            if digits > 0 {
                let number = number(line).unwrap_or_default();
                write!(self.out, "{number:digits$} ")?;
                behind += digits + 1;
            }
            write!(self.out, "{sign} ")?;
            let mut wrap = Wrap::new(self.width, behind, behind);
            wrap.write(&mut self.out, &line.text)?;
            wrap.end(&mut self.out)?;
            writeln!(self.out, "{paint:#}")?;
        }
        match all().count().saturating_sub(most) {
            0 => Ok(()),
            more => self.text(
                &format!("… {more} more lines"),
                style(Tone::Dim),
                margin,
                begun,
            ),
        }
    }
}

/// Returns the tool use whose change the element shows in full.
fn whole_change(content: &Content) -> Option<ToolUseId> {
    let (id, diff) = match content {
        Content::EditDiff(edit) => (&edit.tool_use_id, &edit.diff),
        Content::ToolCall(call) => (&call.tool_use_id, call.diff.as_ref()?),
        _ => return None,
    };
    let lines = diff
        .hunks
        .iter()
        .map(|hunk| hunk.lines.len())
        .sum::<usize>();
    (lines <= DIFF_LINES).then(|| id.clone())
}

pub(super) fn margin(element: &Element) -> usize {
    if element.parent.is_some() { STEP } else { 0 }
}

pub(super) fn style(tone: Tone) -> Style {
    match tone {
        Tone::Person => AnsiColor::Cyan.on_default().bold(),
        Tone::Tool => AnsiColor::Blue.on_default(),
        Tone::Dim => Style::new().dimmed(),
        Tone::Good => AnsiColor::Green.on_default(),
        Tone::Warning => AnsiColor::Yellow.on_default(),
        Tone::Bad => AnsiColor::Red.on_default(),
        // The text of the model has no style.
        _ => Style::new(),
    }
}
