//! A list on the screen from which a person chooses a line. Typed words filter the list: it shows only lines that
//! contain them.

use std::io::{self, stdout};

use anstyle::Style;
use crossterm::event::{Event, KeyCode};

use super::keys::read_key;
use super::layout::{Layout, cut};
use super::screen::{Live, Screen, Size};
use super::{Edit, Editor, RawMode};

/// Lets the person choose a line, and waits for the choice. Returns `None` if the person leaves. The caller has escaped
/// the lines.
pub(crate) fn choose(head: &str, lines: &[String]) -> io::Result<Option<usize>> {
    let raw = RawMode::enter()?;
    let colour = anstream::AutoStream::choice(&stdout()) != anstream::ColorChoice::Never;
    let mut screen = Screen::new(stdout(), Size::now(), colour);
    let mut list = List::new(head, lines);
    let chosen = loop {
        screen.draw("", &list.live(screen.size()))?;
        match list.event(&read_key()?) {
            Choice::Open if Size::now() != screen.size() => screen.resize(Size::now()),
            Choice::Open => {}
            Choice::Made(line) => break Some(line),
            Choice::Left => break None,
        }
    };
    screen.draw("", &Live::default())?;
    drop(raw);
    Ok(chosen)
}

/// The person's decision.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    Open,
    Made(usize),
    Left,
}

/// The list, and the typed text that filters it.
struct List<'a> {
    head: &'a str,
    lines: &'a [String],
    filter: Editor,
    /// The indices of the lines that contain the typed words.
    left: Vec<usize>,
    /// The index of the chosen line in `left`.
    chosen: usize,
}

impl<'a> List<'a> {
    fn new(head: &'a str, lines: &'a [String]) -> Self {
        Self {
            head,
            lines,
            filter: Editor::of_answer(),
            left: (0..lines.len()).collect(),
            chosen: 0,
        }
    }

    fn event(&mut self, event: &Event) -> Choice {
        let edit = match event {
            Event::Key(key) => match key.code {
                KeyCode::Up => return self.go(-1),
                KeyCode::Down | KeyCode::Tab => return self.go(1),
                KeyCode::PageUp => return self.go(-10),
                KeyCode::PageDown => return self.go(10),
                _ => self.filter.key(*key),
            },
            Event::Paste(text) => self.filter.paste(&text.replace(['\r', '\n'], " ")),
            _ => return Choice::Open,
        };
        match edit {
            Edit::Enter(filter) => {
                self.filter.line.set(filter);
                if let Some(&line) = self.left.get(self.chosen) {
                    return Choice::Made(line);
                }
            }
            Edit::Escape if !self.filter.line.is_empty() => {
                self.filter.line.take();
            }
            Edit::Escape | Edit::Interrupt | Edit::End => return Choice::Left,
            _ => {}
        }
        let words = self.filter.line.text().to_lowercase();
        let words: Vec<_> = words.split_whitespace().collect();
        let has_all = |&line: &usize| {
            let text = self.lines[line].to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let left: Vec<_> = (0..self.lines.len()).filter(has_all).collect();
        if left != self.left {
            (self.left, self.chosen) = (left, 0);
        }
        Choice::Open
    }

    fn go(&mut self, by: isize) -> Choice {
        let last = self.left.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
        Choice::Open
    }

    fn live(&self, size: Size) -> Live {
        let columns = size.columns.saturating_sub(1).max(1);
        let dim = Style::new().dimmed();
        let bold = Style::new().bold();
        let weak = |text: &str| format!("{dim}{}{dim:#}", cut(text, columns));
        let mut rows = vec![weak(&format!("  {}", self.head))];
        let room = size.rows.saturating_sub(4).max(1);
        let first = (self.chosen + 1).saturating_sub(room);
        for (place, &line) in self.left.iter().enumerate().skip(first).take(room) {
            let line = &self.lines[line];
            rows.push(if place == self.chosen {
                format!("{bold}{}{bold:#}", cut(&format!("▸ {line}"), columns))
            } else {
                cut(&format!("  {line}"), columns)
            });
        }
        if self.left.is_empty() {
            rows.push(weak("  No session has these words."));
        }
        rows.push(weak(
            "Enter resumes, Escape leaves, arrows choose, typing searches.",
        ));
        let line = &self.filter.line;
        let layout = Layout::new("Search: ", line.text(), line.cursor(), columns, 1);
        let cursor = (rows.len() + layout.cursor.0, layout.cursor.1);
        rows.extend(layout.rows);
        Live { rows, cursor }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyEvent, KeyModifiers};

    use super::*;

    fn press(list: &mut List<'_>, code: KeyCode) -> Choice {
        list.event(&Event::Key(KeyEvent::new(code, KeyModifiers::NONE)))
    }

    #[test]
    fn words_narrow_the_list_down_and_enter_takes_the_chosen_line() {
        let lines = ["1 red apple", "2 Blue plum", "3 red plum"].map(String::from);
        let mut list = List::new("ID TITLE", &lines);
        for letter in "plum red".chars() {
            press(&mut list, KeyCode::Char(letter));
        }
        assert_eq!(list.left, [2]);
        assert_eq!(press(&mut list, KeyCode::Esc), Choice::Open);
        assert_eq!(list.left, [0, 1, 2]);
        press(&mut list, KeyCode::Down);
        assert_eq!(press(&mut list, KeyCode::Enter), Choice::Made(1));
        assert_eq!(press(&mut list, KeyCode::Esc), Choice::Left);
    }

    #[test]
    fn a_list_without_lines_chooses_nothing_and_fits_into_small_terminals() {
        let lines: Vec<_> = (0..100).map(|number| format!("line {number}")).collect();
        let mut list = List::new("LINES", &lines);
        list.go(60);
        for (columns, rows) in [(3, 2), (20, 5), (80, 24)] {
            let live = list.live(Size { columns, rows });
            assert!(live.rows.len() <= rows.max(4), "{rows}");
            assert!(live.cursor.0 < live.rows.len());
        }
        for letter in "nothing".chars() {
            press(&mut list, KeyCode::Char(letter));
        }
        assert_eq!(press(&mut list, KeyCode::Enter), Choice::Open);
    }
}
