//! Draws the rows below the output.

use std::fmt::Write as _;
use std::io;
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr as _;

use super::Conversation;
use crate::console::{Layout, Live, Size, cut};
use crate::escape::one_line;
use crate::limit;
use crate::view::wrap::Wrap;

/// The input prompt.
const PROMPT: &str = "> ";
/// Maximum number of lines of a prompt that are shown in the conversation.
const ECHOED: usize = 20;
/// Indentation of an answer's lines after the first.
const INDENT: usize = 6;
/// Maximum number of columns for the names of commands. Descriptions start after these columns.
const WIDEST_NAME: usize = 24;
/// Maximum number of sent prompts that are shown below the output before they move into it.
const WAITING: usize = 3;

/// Returns a text in a dimmed style.
pub(super) fn dim(text: &str) -> String {
    let style = Style::new().dimmed();
    format!("{style}{text}{style:#}")
}

/// Wraps a text to this width, and ends its last line.
pub(super) fn wrapped(text: &str, width: usize) -> String {
    let mut out = Vec::new();
    let mut wrap = Wrap::new(Some(width), 0, 0);
    // Writing to memory cannot fail.
    let _ = wrap.write(&mut out, text.trim_end());
    let _ = wrap.close(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns a prompt in the form in which the conversation shows it, with notes about it.
pub(super) fn echo(text: &str, notes: &[String], width: usize) -> String {
    let style = AnsiColor::Cyan.on_default().bold();
    let mut out = format!("{style}{}{style:#} ", PROMPT.trim_end()).into_bytes();
    let mut wrap = Wrap::new(Some(width), PROMPT.len(), PROMPT.len());
    let text = text.trim_end();
    let shown: Vec<_> = text.lines().take(ECHOED).collect();
    // Writing to memory cannot fail.
    let _ = wrap.write(&mut out, &shown.join("\n"));
    let _ = wrap.close(&mut out);
    let mut echo = String::from_utf8_lossy(&out).into_owned();
    let more = text.lines().count() - shown.len();
    let more = (more > 0).then(|| format!("… {more} more lines"));
    for note in more.iter().chain(notes) {
        // Writing to a String cannot fail.
        let _ = writeln!(echo, "  {}", dim(note));
    }
    echo
}

/// Returns an answer in the form in which the conversation shows it, after the prompt of its question. Both texts are
/// escaped.
pub(super) fn answered(prompt: &str, answer: &str, width: usize) -> String {
    let mut out = prompt.as_bytes().to_vec();
    let mut wrap = Wrap::new(Some(width), INDENT, prompt.width());
    // Writing to memory cannot fail.
    let _ = wrap.write(&mut out, answer);
    let _ = wrap.close(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

impl Conversation<'_> {
    /// Moves sent prompts into the output if the current line of the output has ended, or if `at_end` is set.
    pub(super) fn show_echoes(&mut self, at_end: bool) {
        if at_end || !self.output.is_open() {
            for echo in std::mem::take(&mut self.echoes) {
                self.output.text(&echo);
            }
        }
    }

    /// Draws new output, with the current size of the terminal.
    pub(super) fn draw(&mut self) -> io::Result<()> {
        let size = Size::now();
        if size != self.screen.size() {
            self.screen.resize(size);
            self.output.set_width(size.columns);
            if let Some(question) = &mut self.question {
                // The terminal may have wrapped its lines differently, so the position of the question is not known.
                question.lines = usize::MAX;
            }
        }
        let output = self.output.take();
        if let Some(question) = &mut self.question {
            let lines = output.matches('\n').count();
            question.lines = question.lines.saturating_add(lines);
        }
        let live = self.live();
        self.is_stale = false;
        self.drawn = Instant::now();
        self.screen
            .draw_growing(&output, &self.output.growing(), &live)
    }

    /// Draws the remaining output, and releases the screen.
    pub(super) fn last_draw(&mut self) -> io::Result<()> {
        let output = self.output.take();
        self.screen.draw(&output, &Live::default())?;
        self.screen.leave()
    }

    fn live(&mut self) -> Live {
        let size = self.screen.size();
        let columns = size.columns.saturating_sub(1).max(1);
        let mut rows = self.state(columns);
        let most = (size.rows / 2).saturating_sub(1).max(1);
        let (prompt, line) = match &self.question {
            Some(question) if question.is_open => {
                // If the question has scrolled off the screen, its first line is shown above the answer.
                let is_seen = question.lines.saturating_add(rows.len() + 1) < size.rows;
                if !is_seen && !question.title.is_empty() && !question.prompt.contains('?') {
                    rows.push(cut(&format!("  {}", question.title), columns));
                }
                (question.prompt.as_str(), &question.editor.line)
            }
            _ => (PROMPT, &self.editor.line),
        };
        let layout = Layout::new(prompt, line.text(), line.cursor(), columns, most);
        let (row, column) = layout.cursor;
        let names = self.names(columns);
        // If the rows do not all fit, the typed line is shown first, then the names, then the rows above.
        let room = size.rows.saturating_sub(1).max(1);
        let names = &names[..names.len().min(room.saturating_sub(layout.rows.len()))];
        let above = room.saturating_sub(layout.rows.len() + names.len());
        rows.drain(..rows.len().saturating_sub(above));
        let cursor = (rows.len() + row, column);
        rows.extend(layout.rows);
        rows.extend_from_slice(names);
        Live { rows, cursor }
    }

    /// Returns the rows above the typed line.
    fn state(&self, columns: usize) -> Vec<String> {
        let mut rows = Vec::new();
        let mut add_row = |text: &str| rows.push(dim(&cut(text, columns)));
        let skipped = self.echoes.len().saturating_sub(WAITING);
        if skipped > 0 {
            add_row(&format!("… {skipped} more prompts"));
        }
        for echo in &self.echoes[skipped..] {
            let plain = anstream::adapter::strip_str(echo).to_string();
            add_row(&one_line(&plain, 1000));
        }
        match self.output.activity(columns + 1) {
            _ if self.question.is_some() => {}
            #[cfg(all(unix, feature = "serve"))]
            _ if self.shared.row().is_some() => add_row(self.shared.row().unwrap_or_default()),
            Some(activity) => add_row(&activity),
            None => match self.limited.wait() {
                Some(wait) => add_row(&limit::short(&wait)),
                None if self.is_working() => add_row("⋯ claude works"),
                None => {}
            },
        }
        if let Some(hint) = &self.hint {
            add_row(hint);
        }
        if let Some(question) = &self.question
            && !question.is_open
            && !self.editor.line.is_empty()
        {
            add_row(
                "A question waits. Enter sends your line first, Escape sets it aside; then answer.",
            );
        }
        rows
    }

    /// Returns the names that complete the typed word.
    fn names(&mut self, columns: usize) -> Vec<String> {
        if self
            .question
            .as_ref()
            .is_some_and(|question| question.is_open)
        {
            return Vec::new();
        }
        let Some(completion) = self.editor.completion() else {
            return Vec::new();
        };
        let chosen = completion.chosen;
        let widths = completion.names.iter().map(|offer| offer.name.width());
        let width = widths.max().unwrap_or_default().min(WIDEST_NAME);
        let names = completion.names.iter().enumerate().map(|(number, offer)| {
            let mut row = one_line(&offer.name, 1000);
            if !offer.description.is_empty() {
                let space = width.saturating_sub(row.width());
                row = format!("{row}{:space$}  {}", "", offer.description);
            }
            if chosen == Some(number) {
                let style = Style::new().bold();
                format!("{style}{}{style:#}", cut(&format!("▸ {row}"), columns))
            } else {
                dim(&cut(&format!("  {row}"), columns))
            }
        });
        names.collect()
    }
}
