//! Completes the names of slash commands.

use std::sync::{Arc, OnceLock};

use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

/// The available commands, once they are known.
#[derive(Debug, Clone, Default)]
pub(crate) struct Commands(Arc<OnceLock<Vec<String>>>);

impl Commands {
    /// Sets the available commands. A name that could control the terminal is left out.
    pub(crate) fn set<'a>(&self, names: impl IntoIterator<Item = &'a str>) {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_:.".contains(c);
        let names = names.into_iter().filter(|name| name.chars().all(plain));
        // Set only once.
        let _ = self.0.set(names.map(|name| format!("/{name}")).collect());
    }

    /// The commands that start with this text.
    fn like(&self, start: &str) -> Vec<String> {
        let all = self.0.get().into_iter().flatten();
        let like = all.filter(|name| start.starts_with('/') && name.starts_with(start));
        like.cloned().collect()
    }
}

impl Completer for Commands {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok((0, self.like(&line[..position])))
    }
}

impl Hinter for Commands {
    type Hint = String;
}

impl Highlighter for Commands {}

impl Validator for Commands {}

impl Helper for Commands {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_like_a_command_is_completed() {
        let commands = Commands::default();
        assert!(commands.like("/co").is_empty());
        commands.set(["cost", "compact", "clear", "co\u{1b}[31m"]);
        assert_eq!(commands.like("/co"), ["/cost", "/compact"]);
        for other in ["", "co", "/x", " /co", "/cost now"] {
            assert!(commands.like(other).is_empty(), "{other}");
        }
    }
}
