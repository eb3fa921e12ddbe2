//! An edited text, which may have several lines.

use unicode_segmentation::UnicodeSegmentation as _;

/// The maximum size of a text, in bytes. `claude -p` has the same limit for a prompt.
const MAX_BYTES: usize = 10 * 1024 * 1024;

/// The text and the cursor in it.
#[derive(Debug, Default, Clone)]
pub(crate) struct Line {
    text: String,
    /// The byte before which the cursor is. The cursor is never inside a grapheme cluster.
    cursor: usize,
    /// The text that was last cut.
    cut: String,
}

/// A movement of the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Move {
    Left,
    Right,
    WordLeft,
    WordRight,
    /// The start of the line.
    Home,
    /// The end of the line.
    End,
}

impl Line {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn cursor(&self) -> usize {
        self.cursor
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Replaces the text, and moves the cursor to its end.
    pub(crate) fn set(&mut self, text: String) {
        self.cursor = text.len();
        self.text = text;
    }

    /// Removes and returns the text.
    pub(crate) fn take(&mut self) -> String {
        self.cursor = 0;
        std::mem::take(&mut self.text)
    }

    /// Inserts a text. Leaves out control characters other than line breaks and tabs. Returns `false` if the text does
    /// not fit into the limit.
    pub(crate) fn insert(&mut self, text: &str) -> bool {
        if self.text.len() + text.len() > MAX_BYTES {
            return false;
        }
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text = text.replace(|c: char| c.is_control() && !"\n\t".contains(c), "");
        self.text.insert_str(self.cursor, &text);
        self.cursor += text.len();
        true
    }

    /// Replaces the text between this byte and the cursor.
    pub(crate) fn replace_from(&mut self, start: usize, text: &str) {
        self.text.replace_range(start..self.cursor, text);
        self.cursor = start + text.len();
    }

    pub(crate) fn go(&mut self, to: Move) {
        self.cursor = self.place(to);
    }

    /// Removes the text between the cursor and the target of this movement. [`Line::put_back`] can insert the removed
    /// text again, unless the movement is one of a single character.
    pub(crate) fn remove(&mut self, to: Move) {
        let place = self.place(to);
        let (start, end) = (place.min(self.cursor), place.max(self.cursor));
        let removed: String = self.text.drain(start..end).collect();
        self.cursor = start;
        if !matches!(to, Move::Left | Move::Right) && !removed.is_empty() {
            self.cut = removed;
        }
    }

    /// Inserts the text that was last cut.
    pub(crate) fn put_back(&mut self) {
        let cut = self.cut.clone();
        self.insert(&cut);
    }

    /// Moves the cursor to the line above or below. Returns whether there is such a line.
    pub(crate) fn go_vertically(&mut self, down: bool) -> bool {
        let start = self.place(Move::Home);
        let column = self.text[start..self.cursor].graphemes(true).count();
        let target = if down {
            let end = self.place(Move::End);
            (end < self.text.len()).then_some(end + 1)
        } else {
            start
                .checked_sub(1)
                .map(|end| self.text[..end].rfind('\n').map_or(0, |at| at + 1))
        };
        let Some(target) = target else { return false };
        let line = self.text[target..].split('\n').next().unwrap_or_default();
        let before = line.graphemes(true).take(column).map(str::len);
        self.cursor = target + before.sum::<usize>();
        true
    }

    fn place(&self, to: Move) -> usize {
        let (before, after) = self.text.split_at(self.cursor);
        let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
        match to {
            Move::Left => before
                .grapheme_indices(true)
                .next_back()
                .map_or(0, |(at, _)| at),
            Move::Right => self.cursor + after.graphemes(true).next().map_or(0, str::len),
            Move::WordLeft => {
                let word = before.trim_end_matches(|c| !is_in_word(c));
                word.trim_end_matches(is_in_word).len()
            }
            Move::WordRight => {
                let word = after.trim_start_matches(|c| !is_in_word(c));
                self.text.len() - word.trim_start_matches(is_in_word).len()
            }
            Move::Home => before.rfind('\n').map_or(0, |at| at + 1),
            Move::End => after
                .find('\n')
                .map_or(self.text.len(), |at| self.cursor + at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        let mut line = Line::default();
        assert!(line.insert(text));
        line
    }

    #[test]
    fn what_a_person_sees_as_one_character_is_one() {
        let mut line = line("a👩‍👩‍👧e\u{301}界");
        for rest in ["a👩‍👩‍👧e\u{301}", "a👩‍👩‍👧", "a", "", ""] {
            line.remove(Move::Left);
            assert_eq!(line.text(), rest);
        }
    }

    #[test]
    fn words_and_lines_are_cut_and_put_back() {
        let mut line = line("one two\nthree four");
        line.remove(Move::WordLeft);
        assert_eq!(line.text(), "one two\nthree ");
        line.remove(Move::Home);
        assert_eq!(line.text(), "one two\n");
        line.put_back();
        assert_eq!(line.text(), "one two\nthree ");
        line.go(Move::Home);
        line.go(Move::WordRight);
        line.remove(Move::End);
        assert_eq!(line.text(), "one two\nthree");
    }

    #[test]
    fn the_cursor_goes_from_line_to_line_in_its_column() {
        let mut line = line("abcd\nx\nabcd");
        for (down, cursor) in [(false, 6), (false, 1), (true, 6), (true, 8)] {
            assert!(line.go_vertically(down));
            assert_eq!(line.cursor(), cursor);
        }
        assert!(!line.go_vertically(true));
    }

    #[test]
    fn pasted_text_has_lines_and_no_control_characters() {
        assert_eq!(line("a\r\nb\rc\u{1b}[31md\te").text(), "a\nb\nc[31md\te");
        let mut full = line(&"x".repeat(MAX_BYTES));
        assert!(!full.insert("y"));
        assert_eq!(full.text().len(), MAX_BYTES);
    }
}
