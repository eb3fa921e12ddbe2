//! The editor of the typed line, which defines the effect of each key.

use std::path::Path;

use claw_client::types::control::SlashCommand;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::complete::Search;
use super::history::History;
use super::line::{Line, Move};
use super::{Commands, Completion};

/// The action that a key requests. The key may also have changed the line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Edit {
    /// No request. The line may have changed.
    Changed,
    /// Enter. The line is complete.
    Enter(String),
    /// Tab, if nothing can be completed.
    Tab,
    /// Escape, if no names are offered.
    Escape,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D on an empty line.
    End,
    /// Ctrl-Z.
    Suspend,
    /// Ctrl-L.
    Clear,
    /// A paste that is too long.
    TooLong,
}

/// The line, with its history and completion.
#[derive(Debug)]
pub(crate) struct Editor {
    pub(crate) line: Line,
    /// The history and the completion. `None` if the line is the answer to a question.
    helped: Option<Helped>,
}

/// The history and the completion for prompts.
#[derive(Debug)]
struct Helped {
    history: History,
    commands: Commands,
    completion: Completion,
    /// A search for file names, which the caller must run.
    search: Option<Search>,
}

impl Editor {
    /// Creates an editor of prompts. It completes the names of files in this folder.
    pub(crate) fn of_prompts(folder: &Path) -> Self {
        Self {
            line: Line::default(),
            helped: Some(Helped {
                history: History::of_user(),
                commands: Commands::default(),
                completion: Completion::new(folder),
                search: None,
            }),
        }
    }

    /// Creates an editor of an answer. Answers are not added to the history.
    pub(crate) fn of_answer() -> Self {
        Self {
            line: Line::default(),
            helped: None,
        }
    }

    /// Sets the available commands.
    pub(crate) fn set_commands<'a>(
        &mut self,
        commands: impl IntoIterator<Item = &'a SlashCommand>,
    ) {
        if let Some(helped) = &mut self.helped {
            helped.commands.set(commands, &helped.history.commands());
        }
    }

    pub(crate) fn completion(&mut self) -> Option<&mut Completion> {
        self.helped.as_mut().map(|helped| &mut helped.completion)
    }

    /// Removes and returns the search for files that the caller must run.
    pub(crate) fn search(&mut self) -> Option<Search> {
        self.helped.as_mut()?.search.take()
    }

    /// Adds a prompt to the history.
    pub(crate) fn remember(&mut self, prompt: &str) {
        if let Some(helped) = &mut self.helped {
            helped.history.add(prompt);
        }
    }

    pub(crate) fn paste(&mut self, text: &str) -> Edit {
        if !self.line.insert(text) {
            return Edit::TooLong;
        }
        self.offer();
        Edit::Changed
    }

    pub(crate) fn key(&mut self, key: KeyEvent) -> Edit {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let edit = match key.code {
            KeyCode::Char(c) if control => self.control(c),
            KeyCode::Char(c) if alt => self.alt(c),
            KeyCode::Enter if alt || key.modifiers.contains(KeyModifiers::SHIFT) => {
                self.insert("\n")
            }
            KeyCode::Enter => self.enter(),
            KeyCode::Char(c) => self.insert(c.encode_utf8(&mut [0; 4])),
            KeyCode::Tab => return self.tab(),
            KeyCode::BackTab => return self.choose(false).unwrap_or(Edit::Changed),
            KeyCode::Esc => return self.escape(),
            KeyCode::Up => return self.choose(false).unwrap_or_else(|| self.up()),
            KeyCode::Down => return self.choose(true).unwrap_or_else(|| self.down()),
            KeyCode::Backspace if alt || control => self.remove(Move::WordLeft),
            KeyCode::Backspace => self.remove(Move::Left),
            KeyCode::Delete => self.remove(Move::Right),
            KeyCode::Left if alt || control => self.go(Move::WordLeft),
            KeyCode::Right if alt || control => self.go(Move::WordRight),
            KeyCode::Left => self.go(Move::Left),
            KeyCode::Right => self.go(Move::Right),
            KeyCode::Home => self.go(Move::Home),
            KeyCode::End => self.go(Move::End),
            _ => return Edit::Changed,
        };
        self.offer();
        edit
    }

    fn control(&mut self, c: char) -> Edit {
        match c {
            'j' => self.insert("\n"),
            'a' => self.go(Move::Home),
            'e' => self.go(Move::End),
            'b' => self.go(Move::Left),
            'f' => self.go(Move::Right),
            'h' => self.remove(Move::Left),
            'd' if self.line.is_empty() => Edit::End,
            'd' => self.remove(Move::Right),
            'u' => self.remove(Move::Home),
            'k' => self.remove(Move::End),
            'w' => self.remove(Move::WordLeft),
            'y' => {
                self.line.put_back();
                Edit::Changed
            }
            'p' => self.up(),
            'n' => self.down(),
            'c' => Edit::Interrupt,
            'z' => Edit::Suspend,
            'l' => Edit::Clear,
            _ => Edit::Changed,
        }
    }

    fn alt(&mut self, c: char) -> Edit {
        match c {
            'b' => self.go(Move::WordLeft),
            'f' => self.go(Move::WordRight),
            'd' => self.remove(Move::WordRight),
            _ => Edit::Changed,
        }
    }

    fn insert(&mut self, text: &str) -> Edit {
        if self.line.insert(text) {
            Edit::Changed
        } else {
            Edit::TooLong
        }
    }

    fn go(&mut self, to: Move) -> Edit {
        self.line.go(to);
        Edit::Changed
    }

    fn remove(&mut self, to: Move) -> Edit {
        self.line.remove(to);
        Edit::Changed
    }

    /// Handles Enter. If a name was chosen with the arrow keys, inserts the name. If a backslash is before the cursor,
    /// replaces it by a line break. Otherwise the line is complete.
    fn enter(&mut self) -> Edit {
        if self
            .completion()
            .is_some_and(|names| names.chosen.is_some())
        {
            self.take_name();
            return Edit::Changed;
        }
        let before = &self.line.text()[..self.line.cursor()];
        if before.ends_with('\\') {
            self.line.replace_from(before.len() - 1, "\n");
            return Edit::Changed;
        }
        Edit::Enter(self.line.take())
    }

    fn tab(&mut self) -> Edit {
        if !self.completion().is_some_and(|names| names.is_open()) {
            return Edit::Tab;
        }
        if !self.take_name() {
            self.choose(true);
        }
        Edit::Changed
    }

    /// Replaces the name before the cursor by the offered name. Returns whether a name was offered.
    fn take_name(&mut self) -> bool {
        let before = &self.line.text()[..self.line.cursor()];
        let Some(helped) = &self.helped else {
            return false;
        };
        let Some((start, name)) = helped.completion.complete(before) else {
            return false;
        };
        self.line.replace_from(start, &name);
        self.offer();
        true
    }

    fn choose(&mut self, down: bool) -> Option<Edit> {
        let completion = self.completion().filter(|names| names.is_open())?;
        completion.go(down);
        Some(Edit::Changed)
    }

    fn escape(&mut self) -> Edit {
        let before = self.line.text()[..self.line.cursor()].to_owned();
        match self.completion() {
            Some(names) if names.is_open() => {
                names.close(&before);
                Edit::Changed
            }
            _ => Edit::Escape,
        }
    }

    fn up(&mut self) -> Edit {
        if !self.line.go_vertically(false)
            && let Some(helped) = &mut self.helped
            && let Some(older) = helped.history.older(self.line.text())
        {
            self.line.set(older);
        }
        Edit::Changed
    }

    fn down(&mut self) -> Edit {
        if !self.line.go_vertically(true)
            && let Some(helped) = &mut self.helped
            && let Some(newer) = helped.history.newer()
        {
            self.line.set(newer);
        }
        Edit::Changed
    }

    /// Offers names for the current text.
    fn offer(&mut self) {
        if let Some(helped) = &mut self.helped {
            let before = &self.line.text()[..self.line.cursor()];
            let search = helped.completion.update(before, &helped.commands);
            if search.is_some() {
                helped.search = search;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode) -> KeyEvent {
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    fn control(c: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)
    }

    #[test]
    fn lines_are_ended_by_ctrl_j_and_by_a_backslash_and_a_prompt_by_enter() {
        let mut editor = Editor::of_answer();
        editor.paste("one");
        editor.key(control('j'));
        editor.paste("two\\");
        assert_eq!(editor.key(key(KeyCode::Enter)), Edit::Changed);
        editor.paste("three\r\nfour");
        let text = "one\ntwo\nthree\nfour".to_owned();
        assert_eq!(editor.key(key(KeyCode::Enter)), Edit::Enter(text));
        assert!(editor.line.is_empty());
    }

    #[test]
    fn ctrl_d_is_the_end_on_an_empty_line_alone() {
        let mut editor = Editor::of_answer();
        assert_eq!(editor.key(control('d')), Edit::End);
        editor.paste("ab");
        editor.key(key(KeyCode::Home));
        assert_eq!(editor.key(control('d')), Edit::Changed);
        assert_eq!(editor.line.text(), "b");
    }

    #[test]
    fn every_key_is_harmless_on_an_empty_line() {
        let codes = [
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::Home,
            KeyCode::End,
            KeyCode::Delete,
            KeyCode::Backspace,
            KeyCode::BackTab,
            KeyCode::F(1),
            KeyCode::PageUp,
        ];
        let mut editor = Editor::of_prompts(Path::new("."));
        editor.helped.as_mut().unwrap().history = History::default();
        for code in codes {
            assert_eq!(editor.key(key(code)), Edit::Changed, "{code:?}");
            assert!(editor.line.is_empty());
        }
        assert_eq!(editor.key(key(KeyCode::Tab)), Edit::Tab);
        assert_eq!(editor.key(key(KeyCode::Esc)), Edit::Escape);
    }
}
