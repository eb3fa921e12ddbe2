//! Draws tables. All rows of a table have the same column widths.

use std::io::{self, Write};

use anstream::adapter::strip_str;
use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use super::Rendering;
use super::inline::{Context, spans};
use crate::view::wrap::{Wrap, style_after};

/// The maximum number of columns. Lines with more columns are not a table.
const MOST_COLUMNS: usize = 32;
/// The maximum size of the rows that determine the widths, in bytes. Further rows are drawn when they arrive.
const MOST_BYTES: usize = 8 << 10;
/// The maximum number of rows that determine the widths.
const MOST_ROWS: usize = 64;
/// The minimum width of a column whose text is wrapped. Narrower tables are drawn as lists.
const NARROWEST: usize = 8;
/// The separator between columns.
const BETWEEN: &str = " │ ";

/// The alignment of the text in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Middle,
    Right,
}

/// The form in which rows are drawn.
#[derive(Debug, Clone)]
enum Form {
    /// The cells of a row are side by side, with these widths.
    Columns(Vec<usize>),
    /// Each cell is on a line of its own, after the name of its column.
    List,
}

/// A table whose end has not arrived yet.
#[derive(Debug, Clone)]
pub(super) struct Table {
    head: Vec<String>,
    sides: Vec<Side>,
    /// The rows that are not drawn yet.
    rows: Vec<Vec<String>>,
    /// The size of the header row and of the rows that have arrived, in bytes.
    bytes: usize,
    /// The form. `None` before the first row is drawn.
    form: Option<Form>,
}

/// Returns the cells of a line.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '|' {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            let escaped = chars.next_if(|next| c == '\\' && *next == '|');
            cell.push(escaped.unwrap_or(c));
        }
    }
    if cells.len() > 1 && cells.last().is_some_and(|last| last.trim().is_empty()) {
        cells.pop();
    }
    cells
        .iter()
        .map(|cell| cell.trim().replace('\t', " "))
        .collect()
}

/// Returns the alignment that a cell of the delimiter row defines. Returns `None` if it is an ordinary cell.
fn side(cell: &str) -> Option<Side> {
    let dashes = cell.trim_start_matches(':').trim_end_matches(':');
    let is_side = !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-');
    is_side.then(|| match (cell.starts_with(':'), cell.ends_with(':')) {
        (true, true) => Side::Middle,
        (false, true) => Side::Right,
        _ => Side::Left,
    })
}

impl Table {
    /// Creates a table with this header row. Returns `None` if the next line is not a delimiter row for it.
    pub(super) fn of(head: &str, next: &str) -> Option<Self> {
        let sides: Option<Vec<_>> = cells(next).iter().map(|cell| side(cell)).collect();
        let (head, sides) = (cells(head), sides?);
        let is_table = head.len() == sides.len() && sides.len() <= MOST_COLUMNS;
        is_table.then(|| Self {
            bytes: head.iter().map(String::len).sum(),
            head,
            sides,
            rows: Vec::new(),
            form: None,
        })
    }

    /// Adds a row. Draws it if the widths are already determined.
    pub(super) fn push(
        &mut self,
        out: &mut impl Write,
        wrap: &mut Wrap,
        rendering: Rendering,
        line: &str,
    ) -> io::Result<()> {
        let mut row = cells(line);
        let more = row.split_off(row.len().min(self.head.len()));
        for cell in more {
            // If the row has too many cells, their text is added to the last cell, so that no text is lost.
            if let Some(last) = row.last_mut() {
                *last = format!("{last} | {cell}");
            }
        }
        row.resize(self.head.len(), String::new());
        self.bytes += line.len();
        self.rows.push(row);
        if self.form.is_some() || self.bytes > MOST_BYTES || self.rows.len() >= MOST_ROWS {
            self.draw(out, wrap, rendering, false)?;
        }
        Ok(())
    }

    /// Draws the remaining rows.
    pub(super) fn end(
        mut self,
        out: &mut impl Write,
        wrap: &mut Wrap,
        rendering: Rendering,
    ) -> io::Result<()> {
        self.draw(out, wrap, rendering, true)
    }

    fn draw(
        &mut self,
        out: &mut impl Write,
        wrap: &mut Wrap,
        rendering: Rendering,
        is_end: bool,
    ) -> io::Result<()> {
        let is_begun = self.form.is_some();
        let form = match self.form.take() {
            Some(form) => form,
            None => self.form(wrap.room(), rendering, is_end),
        };
        let head = Style::new().bold();
        if !is_begun && let Form::Columns(widths) = &form {
            self.row(out, wrap, &self.head, widths, (head, rendering))?;
            let dim = Style::new().dimmed();
            let line: Vec<_> = widths.iter().map(|width| "─".repeat(*width)).collect();
            wrap.row(out, &format!("{dim}{}{dim:#}", line.join("─┼─")))?;
        }
        let rows = std::mem::take(&mut self.rows);
        for (number, row) in rows.iter().enumerate() {
            match &form {
                Form::Columns(widths) => {
                    self.row(out, wrap, row, widths, (Style::new(), rendering))?;
                }
                Form::List => {
                    if is_begun || number > 0 {
                        wrap.rule(out)?;
                    }
                    for (name, cell) in self.head.iter().zip(row) {
                        let cell = [
                            (name.as_str(), head),
                            (": ", head),
                            (cell.as_str(), Style::new()),
                        ];
                        for line in text(&cell, wrap.room(), rendering) {
                            wrap.row(out, &line)?;
                        }
                    }
                }
            }
        }
        if rows.is_empty() && !is_begun && matches!(form, Form::List) {
            for name in &self.head {
                for line in text(&[(name.as_str(), head)], wrap.room(), rendering) {
                    wrap.row(out, &line)?;
                }
            }
        }
        self.form = Some(form);
        Ok(())
    }

    /// Returns the form in which the rows that have arrived fit into the width.
    fn form(&self, room: Option<usize>, rendering: Rendering, is_end: bool) -> Form {
        let least = if is_end { 1 } else { NARROWEST };
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&self.head]);
            let widths = cells.map(|row| {
                let text = text(&[(row[column].as_str(), Style::new())], None, rendering).concat();
                width(&text)
            });
            widths.max().unwrap_or_default().max(least)
        };
        let mut widths: Vec<_> = (0..self.head.len()).map(width).collect();
        let between = BETWEEN.width() * widths.len().saturating_sub(1);
        let Some(room) = room else {
            return Form::Columns(widths);
        };
        if widths.iter().sum::<usize>() + between <= room {
            return Form::Columns(widths);
        }
        if room < between + NARROWEST * widths.len() {
            return Form::List;
        }
        // Narrow columns get their full width, and the others share the remaining width.
        let mut order: Vec<_> = (0..widths.len()).collect();
        order.sort_by_key(|&column| widths[column]);
        let mut left = room - between;
        for (number, &column) in order.iter().enumerate() {
            widths[column] = widths[column].min(left / (order.len() - number));
            left -= widths[column];
        }
        Form::Columns(widths)
    }

    fn row(
        &self,
        out: &mut impl Write,
        wrap: &mut Wrap,
        row: &[String],
        widths: &[usize],
        (style, rendering): (Style, Rendering),
    ) -> io::Result<()> {
        let cells = row.iter().zip(widths);
        let cells =
            cells.map(|(cell, width)| text(&[(cell.as_str(), style)], Some(*width), rendering));
        let cells: Vec<_> = cells.collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or_default();
        let dim = Style::new().dimmed();
        let between = format!("{dim}{BETWEEN}{dim:#}");
        for number in 0..height {
            let mut line = String::new();
            for (column, cell) in cells.iter().enumerate() {
                if column > 0 {
                    line += &between;
                }
                let text = cell.get(number).map_or("", String::as_str);
                let space = widths[column].saturating_sub(width(text));
                let before = match self.sides[column] {
                    Side::Left => 0,
                    Side::Middle => space / 2,
                    Side::Right => space,
                };
                line += &" ".repeat(before);
                line += text;
                if column + 1 < cells.len() {
                    line += &" ".repeat(space - before);
                }
            }
            wrap.row(out, &line)?;
        }
        Ok(())
    }
}

/// Returns the number of terminal columns of a text, without its styles.
fn width(text: &str) -> usize {
    strip_str(text).to_string().width()
}

/// Joins texts with their styles, escapes them, and returns them as lines of this width.
fn text(texts: &[(&str, Style)], width: Option<usize>, rendering: Rendering) -> Vec<String> {
    let mut out = Vec::new();
    let mut wrap = Wrap::new(width, 0, 0);
    wrap.set_hang(2 * usize::from(texts.len() > 1));
    for (text, style) in texts {
        let mut parts = Vec::new();
        let context = Context {
            before: None,
            style: *style,
            is_whole: true,
            hides_signs: rendering.hides_signs(),
        };
        spans(text, &context, &mut parts);
        for (style, text) in parts {
            wrap.paint(&style.to_string());
            // Writing to memory cannot fail.
            let _ = wrap.write(&mut out, text);
            wrap.paint(&format!("{style:#}"));
        }
    }
    let _ = wrap.end(&mut out);
    lines(&String::from_utf8_lossy(&out))
}

/// Splits a text into lines. Each line starts the styles that continue from the previous line, and ends its styles at
/// its end.
fn lines(text: &str) -> Vec<String> {
    let mut active = String::new();
    let lines = text.split('\n').map(|line| {
        let next = style_after(&active, line);
        let reset = if next.is_empty() { "" } else { "\x1b[0m" };
        let line = format!("{active}{line}{reset}");
        active = next;
        line
    });
    lines.collect()
}
