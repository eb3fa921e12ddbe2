//! Splits Markdown into blocks that can be rendered one by one while the text arrives.

/// The maximum length of a block, in bytes. A longer block is divided, so that rendering a block takes a limited time.
const LONGEST: usize = 8 << 10;
/// The maximum length of the text that a block repeats. After a long block was divided, the later block repeats the
/// beginning of the earlier one, such as the head of a table.
const LONGEST_REPEATED: usize = 512;

/// A piece of Markdown that is rendered independently of the other pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    /// The text that this block repeats from the earlier part of a divided block. This is the start of a code block or
    /// the head of a table. Empty for other blocks.
    pub(super) repeated: &'a str,
    /// The text of the block itself.
    pub(super) text: &'a str,
}

/// Splits Markdown into blocks. The ends of the blocks depend only on the text, not on the pieces in which it arrives.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The text of the open block.
    open: String,
    /// The offset of the last line in the open block.
    line: usize,
    repeated: String,
    kind: Kind,
    /// Whether the line before the last one is blank.
    after_blank: bool,
}

/// The kind of the open block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    /// The block contains only blank lines so far.
    #[default]
    Blank,
    /// A list. Blank lines do not end it.
    List,
    /// A table. Contains the offset of its head.
    Table(usize),
    /// A code block between fences. Contains the character of its fence and the fence's length.
    Code(u8, usize),
    /// A paragraph, a quote or anything else.
    Other,
}

impl Blocks {
    /// Adds text. Calls `finished` with each block that is complete after that.
    pub(super) fn push(&mut self, mut text: &str, mut finished: impl FnMut(Block<'_>)) {
        while let Some(first) = text.chars().next() {
            let room = LONGEST - self.open.len();
            if first.len_utf8() > room {
                self.divide(&mut finished);
                continue;
            }
            let fitting = &text[..text.floor_char_boundary(room)];
            let end = fitting.find('\n').map_or(fitting.len(), |at| at + 1);
            self.open.push_str(&text[..end]);
            text = &text[end..];
            if self.open.ends_with('\n') {
                self.line(&mut finished);
                self.line = self.open.len();
            }
        }
    }

    /// Returns the last block, which more text may change.
    pub(super) fn open(&self) -> Block<'_> {
        Block {
            repeated: &self.repeated,
            text: &self.open,
        }
    }

    /// Whether the last block is a code block between fences.
    pub(super) fn is_in_code(&self) -> bool {
        matches!(self.kind, Kind::Code(..))
    }

    /// Handles the last line of the open block after it is complete.
    fn line(&mut self, finished: &mut impl FnMut(Block<'_>)) {
        let line = self.open[self.line..].trim_end();
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let fence = fence(line);
        match self.kind {
            Kind::Code(mark, length) => {
                let is_end =
                    fence.is_some_and(|it| it.0 == mark && it.1 >= length && it.2.is_empty());
                if is_end {
                    self.end_at(self.open.len(), finished);
                }
                return;
            }
            _ if line.is_empty() => {
                self.after_blank = true;
                return;
            }
            _ => {}
        }
        let fence = fence.map(|(mark, length, _)| Kind::Code(mark, length));
        let fence = fence.filter(|_| indent == 0 || self.kind != Kind::List);
        let (is_item, is_table) = (is_item(line), is_table(line));
        let starts = fence.is_some()
            || (self.after_blank && indent == 0 && !(is_item && self.kind == Kind::List));
        if starts && self.kind != Kind::Blank {
            self.end_at(self.line, finished);
        }
        if let Some(code) = fence {
            self.kind = code;
        } else if is_item {
            self.kind = Kind::List;
        } else if is_table && self.kind == Kind::Other && !self.after_blank {
            self.kind = Kind::Table(start_of_line_before(&self.open, self.line));
        } else if self.kind == Kind::Blank {
            self.kind = Kind::Other;
        }
        self.after_blank = false;
    }

    /// Ends the open block at this offset. The rest begins a new block.
    fn end_at(&mut self, end: usize, finished: &mut impl FnMut(Block<'_>)) {
        self.pass(end, finished);
        self.repeated.clear();
        self.kind = Kind::Blank;
        self.after_blank = false;
    }

    fn pass(&mut self, end: usize, finished: &mut impl FnMut(Block<'_>)) {
        finished(Block {
            repeated: &self.repeated,
            text: &self.open[..end],
        });
        self.open.drain(..end);
        self.line = self.line.saturating_sub(end);
    }

    /// Divides a block that is too long. The rest becomes a block of the same kind.
    fn divide(&mut self, finished: &mut impl FnMut(Block<'_>)) {
        let end = self.place();
        let repeated = match self.kind {
            Kind::Code(..) | Kind::Table(_) if !self.repeated.is_empty() => None,
            Kind::Code(..) => Some(head(&self.open, 1)),
            Kind::Table(start) => Some(head(&self.open[start..], 2)),
            _ => Some(""),
        };
        let repeated = repeated.map(str::to_owned);
        self.pass(end, finished);
        if let Some(repeated) = repeated {
            self.repeated = repeated;
        }
        if let Kind::Table(start) = &mut self.kind {
            *start = 0;
        }
    }

    /// Returns the best offset at which the open block can be divided. It is in the second half of the block: before a
    /// line that is not indented, otherwise before any line, otherwise before a word.
    fn place(&self) -> usize {
        let half = self.open.ceil_char_boundary(LONGEST / 2);
        let lines = || {
            self.open[half..]
                .match_indices('\n')
                .map(|(at, _)| half + at + 1)
        };
        let is_flush = |at: &usize| {
            let next = self.open.as_bytes().get(*at);
            next.is_some_and(|byte| !byte.is_ascii_whitespace())
        };
        let words = || self.open[half..].rfind(' ').map(|at| half + at + 1);
        let flush = lines().rfind(is_flush);
        flush
            .or_else(|| lines().next_back())
            .or_else(words)
            .unwrap_or(self.open.len())
    }
}

/// Returns the first lines of a text. Returns an empty text if they are too long to be repeated.
fn head(text: &str, lines: usize) -> &str {
    let end = text
        .match_indices('\n')
        .nth(lines - 1)
        .map_or(0, |(at, _)| at + 1);
    if end > LONGEST_REPEATED {
        ""
    } else {
        &text[..end]
    }
}

fn start_of_line_before(text: &str, line: usize) -> usize {
    let before = &text[..line.saturating_sub(1)];
    before.rfind('\n').map_or(0, |at| at + 1)
}

/// Returns the character of a fence, its length, and the text after it.
fn fence(line: &str) -> Option<(u8, usize, &str)> {
    let text = line.trim_start_matches(' ');
    let mark = *text.as_bytes().first()?;
    if line.len() - text.len() > 3 || !matches!(mark, b'`' | b'~') {
        return None;
    }
    let length = text.bytes().take_while(|byte| *byte == mark).count();
    let rest = text[length..].trim();
    let is_fence = length >= 3 && !(mark == b'`' && rest.contains('`'));
    is_fence.then_some((mark, length, rest))
}

/// Whether a line begins an item of a list. Items of nested lists do not count.
fn is_item(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = text.as_bytes().get(digits);
    let is_mark = match digits {
        0 => matches!(mark, Some(b'-' | b'*' | b'+')),
        _ => digits <= 9 && matches!(mark, Some(b'.' | b')')),
    };
    line.len() - text.len() <= 3
        && is_mark
        && matches!(text.as_bytes().get(digits + 1), None | Some(b' ' | b'\t'))
}

/// Whether a line is the delimiter row below the head of a table.
fn is_table(line: &str) -> bool {
    line.contains('|')
        && line.contains('-')
        && line
            .bytes()
            .all(|byte| matches!(byte, b'|' | b'-' | b':' | b' ' | b'\t'))
}

#[cfg(test)]
mod tests;
