//! Lays out an edited text as rows of a terminal, and calculates the position of the cursor.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::escape::escape;

/// The rows of a text, and the row and column of the cursor.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) rows: Vec<String>,
    pub(crate) cursor: (usize, usize),
}

impl Layout {
    /// Lays out a text after a prompt. The rows have at most `columns` columns. At most `most` rows are laid out, which
    /// are the rows around the cursor. If the width suffices, rows after the first are indented by the width of the
    /// prompt.
    pub(crate) fn new(
        prompt: &str,
        text: &str,
        cursor: usize,
        columns: usize,
        most: usize,
    ) -> Self {
        let columns = columns.max(2);
        let margin = match prompt.width() {
            width if width + 8 <= columns => width,
            _ => 0,
        };
        // Lines that are more than `most` lines away from the cursor cannot be visible.
        let (from, to) = lines_around(text, cursor, most);
        let first = if from == 0 { prompt } else { "" };
        let mut layout = Self::default();
        let mut row = String::new();
        let mut column = 0;
        let put = |rows: &mut Vec<String>, row: &mut String, column: &mut usize, shown: &str| {
            let width = shown.width();
            if *column + width > columns && *column > margin {
                rows.push(std::mem::replace(row, " ".repeat(margin)));
                *column = margin;
            }
            row.push_str(shown);
            *column += width;
        };
        for part in first.graphemes(true) {
            put(&mut layout.rows, &mut row, &mut column, part);
        }
        if from > 0 {
            row = " ".repeat(margin);
            column = margin;
        }
        let mut at = from;
        for part in text[from..to].graphemes(true) {
            if at == cursor {
                layout.cursor = (layout.rows.len(), column);
            }
            if part == "\n" {
                layout
                    .rows
                    .push(std::mem::replace(&mut row, " ".repeat(margin)));
                column = margin;
            } else {
                let shown = if part == "\t" {
                    "    ".into()
                } else {
                    escape(part)
                };
                let rows = layout.rows.len();
                for shown in shown.graphemes(true) {
                    put(&mut layout.rows, &mut row, &mut column, shown);
                }
                if at == cursor && layout.rows.len() > rows && shown.width() <= columns {
                    // The character at the cursor did not fit into the row, so it is in the next row.
                    layout.cursor = (layout.rows.len(), margin);
                }
            }
            at += part.len();
        }
        if at == cursor {
            layout.cursor = (layout.rows.len(), column);
        }
        layout.rows.push(row);
        layout.keep_around_cursor(most.max(1));
        layout
    }

    fn keep_around_cursor(&mut self, most: usize) {
        let (row, column) = self.cursor;
        let first = (row + 1).saturating_sub(most);
        self.rows.truncate(first + most);
        self.rows.drain(..first);
        self.cursor = (row - first, column);
    }
}

/// Returns the byte range of the lines that are at most `most` lines away from the cursor.
fn lines_around(text: &str, cursor: usize, most: usize) -> (usize, usize) {
    let before = text[..cursor].rmatch_indices('\n').nth(most);
    let after = text[cursor..].match_indices('\n').nth(most);
    let from = before.map_or(0, |(at, _)| at + 1);
    let to = after.map_or(text.len(), |(at, _)| cursor + at);
    (from, to)
}

/// Shortens an escaped text to this number of columns.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut column = 1;
    for part in text.graphemes(true) {
        column += part.width();
        if column > columns {
            break;
        }
        cut.push_str(part);
    }
    if columns > 0 {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(
        text: &str,
        cursor: usize,
        columns: usize,
        most: usize,
    ) -> (Vec<String>, (usize, usize)) {
        let layout = Layout::new("> ", text, cursor, columns, most);
        (layout.rows, layout.cursor)
    }

    #[test]
    fn rows_are_as_wide_as_the_terminal_and_wide_characters_are_whole() {
        let (rows, cursor) = layout("abcdefghij", 10, 10, 9);
        assert_eq!(
            (rows, cursor),
            (vec!["> abcdefgh".into(), "  ij".into()], (1, 4))
        );
        let (rows, cursor) = layout("a界界界界", 1, 10, 9);
        assert_eq!(
            (rows, cursor),
            (vec!["> a界界界".into(), "  界".into()], (0, 3))
        );
        // The cursor is on the character that did not fit into the first row.
        assert_eq!(layout("a界界界界", 10, 10, 9).1, (1, 2));
        let (rows, cursor) = layout("a\tb\u{202e}", 0, 30, 9);
        assert_eq!((rows, cursor), (vec!["> a    b\\u{202e}".into()], (0, 2)));
    }

    #[test]
    fn of_a_long_text_the_rows_around_the_cursor_are_shown() {
        let text = (0..1_000)
            .map(|n| n.to_string())
            .collect::<Vec<_>>()
            .join("\n");
        let (rows, cursor) = layout(&text, text.len(), 20, 3);
        assert_eq!(
            (rows, cursor),
            (vec!["  997".into(), "  998".into(), "  999".into()], (2, 5))
        );
        let (rows, cursor) = layout(&text, 0, 20, 3);
        assert_eq!(
            (rows, cursor),
            (vec!["> 0".into(), "  1".into(), "  2".into()], (0, 2))
        );
    }

    #[test]
    fn narrow_terminals_have_rows_as_well() {
        for columns in 0..6 {
            let (rows, cursor) = layout("ab界\ncd", 8, columns, 99);
            assert!(
                rows.concat().replace(' ', "").contains("cd") || columns < 3,
                "{rows:?}"
            );
            assert!(cursor.0 < rows.len(), "{rows:?} {cursor:?}");
        }
        assert_eq!(cut("a界界", 4), "a界…");
        assert_eq!(cut("a界", 3), "a界");
        assert_eq!(cut("abc", 0), "");
    }
}
