//! Completes the names of slash commands, and the names of files after `@`.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use claw_client::types::control::SlashCommand;
use claw_client::{files, mention};

use crate::escape::one_line;

/// The maximum number of names that are offered at a time.
const OFFERED: usize = 8;

/// Commands that the CLI reports, although only the CLI itself or its developers use them. Commands whose names begin
/// with an underscore are internal too.
const INTERNAL: [&str; 2] = ["heapdump", "workflow-launch-exec"];
/// The maximum length of a description that is shown, in characters.
const LONGEST_DESCRIPTION: usize = 200;

/// An offered name, and its description. The description is escaped, and may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) name: String,
    pub(crate) description: String,
}

/// The available commands. The user's own commands and the commands that the user calls often are first. Internal
/// commands are last.
#[derive(Debug, Default)]
pub(crate) struct Commands(Vec<Offer>);

impl Commands {
    /// Sets the available commands. `uses` contains the number of earlier calls of each name. Names with control
    /// characters are left out, because they could control the terminal.
    pub(crate) fn set<'a>(
        &mut self,
        commands: impl IntoIterator<Item = &'a SlashCommand>,
        uses: &HashMap<String, usize>,
    ) {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_:.".contains(c);
        let named = |command: &&SlashCommand| command.name.chars().all(plain);
        let mut commands: Vec<_> = commands.into_iter().filter(named).collect();
        // The oldest CLIs do not report which commands are built in. Without that report, no
        // command counts as the user's own.
        let is_reported = commands.iter().any(|command| command.builtin.is_some());
        commands.sort_by_key(|&command| {
            let name = &*command.name;
            let is_internal = name.starts_with('_') || INTERNAL.contains(&name);
            let is_own = is_reported && command.builtin != Some(true);
            let uses = uses.get(name).copied().unwrap_or_default();
            let is_first = !is_internal && (is_own || uses > 0);
            (is_internal, !is_first, Reverse(uses), !is_own, name)
        });
        let offers = commands.into_iter().map(|command| Offer {
            name: format!("/{}", command.name),
            description: one_line(&command.description, LONGEST_DESCRIPTION),
        });
        self.0 = offers.collect();
        let mut seen = HashSet::new();
        self.0.retain(|offer| seen.insert(offer.name.clone()));
    }

    /// Returns the commands whose names start with this text.
    fn like<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'a Offer> {
        self.0
            .iter()
            .filter(move |offer| offer.name.starts_with(start))
    }
}

/// Returns the longest common beginning of all names.
fn common<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    let Some(first) = names.next() else {
        return String::new();
    };
    let common = names.fold(first, |common, name| {
        let alike = common.char_indices().zip(name.chars());
        let end = alike
            .take_while(|((_, one), other)| one == other)
            .last()
            .map_or(0, |((at, c), _)| at + c.len_utf8());
        &common[..end]
    });
    common.to_owned()
}

/// A token before the cursor that can be completed.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'a> {
    Command(&'a str),
    /// The text after `@`.
    File(&'a str),
}

/// Returns the token before the cursor, and the byte at which it starts.
fn token(before: &str) -> Option<(usize, Token<'_>)> {
    if before.starts_with('/') && !before.contains(char::is_whitespace) {
        return Some((0, Token::Command(before)));
    }
    let start = before.rfind('@')?;
    let name = &before[start + 1..];
    let begins = before[..start].chars().next_back();
    let name = match name.strip_prefix('"') {
        Some(quoted) if !quoted.contains(['"', '\n']) => quoted,
        None if !name.contains(char::is_whitespace) => name,
        _ => return None,
    };
    let is_apart = begins.is_none_or(|c| c.is_whitespace() || "([{\"'".contains(c));
    is_apart.then_some((start, Token::File(name)))
}

/// A search for files. The search blocks, so the caller must run it on a thread for blocking calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Search {
    folder: PathBuf,
    name: String,
}

/// The names of the files that a search has found.
#[derive(Debug)]
pub(crate) struct Found {
    search: Search,
    files: Vec<String>,
}

impl Search {
    pub(crate) fn run(self) -> Found {
        let mut bounds = files::Bounds::default();
        bounds.results = OFFERED;
        let files = files::search(&self.folder, &self.name, &bounds).files;
        Found {
            search: self,
            files,
        }
    }
}

/// The names that are offered for the token before the cursor.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    folder: PathBuf,
    /// The byte at which the token starts.
    start: usize,
    pub(crate) names: Vec<Offer>,
    /// The common beginning of all names that match. Only the first of these names are offered.
    common: String,
    pub(crate) chosen: Option<usize>,
    /// The search whose result is pending.
    awaited: Option<Search>,
    /// The text for which the user has closed the list of names.
    closed_for: Option<String>,
}

impl Completion {
    /// Creates a completion that finds files in this folder.
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.canonicalize().unwrap_or_else(|_| folder.into()),
            ..Self::default()
        }
    }

    /// Offers names for the text before the cursor. For the names of files, returns a search. Its result is passed to
    /// [`Self::found`].
    pub(crate) fn update(&mut self, before: &str, commands: &Commands) -> Option<Search> {
        self.chosen = None;
        if self.closed_for.as_deref() == Some(before) {
            return None;
        }
        self.closed_for = None;
        let Some((start, token)) = token(before) else {
            self.names.clear();
            self.awaited = None;
            return None;
        };
        self.start = start;
        match token {
            Token::Command(name) => {
                self.names = commands.like(name).take(OFFERED).cloned().collect();
                self.common = common(commands.like(name).map(|offer| &*offer.name));
                // If the text is already the only matching name, no name is offered.
                if self.names.len() == 1 && self.names[0].name == name {
                    self.names.clear();
                }
                self.awaited = None;
                None
            }
            Token::File(name) => {
                let search = Search {
                    folder: self.folder.clone(),
                    name: name.to_owned(),
                };
                if self.awaited.as_ref() == Some(&search) {
                    return None;
                }
                self.names.clear();
                self.awaited = Some(search.clone());
                Some(search)
            }
        }
    }

    /// Offers the names that a search has found, unless the text has changed since then.
    pub(crate) fn found(&mut self, found: &Found) {
        if self.awaited.as_ref() == Some(&found.search) {
            let names = found.files.iter().filter_map(|name| mentioned(name));
            let offers = names.map(|name| Offer {
                name,
                description: String::new(),
            });
            self.names = offers.collect();
            self.common = common(self.names.iter().map(|offer| &*offer.name));
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.names.is_empty()
    }

    /// Closes the list of names, and offers no names for this text until it changes.
    pub(crate) fn close(&mut self, before: &str) {
        self.names.clear();
        self.chosen = None;
        self.awaited = None;
        self.closed_for = Some(before.to_owned());
    }

    /// Chooses the next name or the previous one.
    pub(crate) fn go(&mut self, down: bool) {
        let count = self.names.len();
        let next = match (self.chosen, down) {
            (None, true) => 0,
            (None, false) => count.saturating_sub(1),
            (Some(at), true) => (at + 1) % count.max(1),
            (Some(at), false) => (at + count.max(1) - 1) % count.max(1),
        };
        self.chosen = (next < count).then_some(next);
    }

    /// Returns the text that replaces the token, and the byte at which the token starts. The text is the chosen name.
    /// If none is chosen, it is the common beginning of all names, if that is longer than the typed text. Returns
    /// `None` if there is nothing to add.
    pub(crate) fn complete(&self, before: &str) -> Option<(usize, String)> {
        if let Some(offer) = self.chosen.and_then(|at| self.names.get(at)) {
            return Some((self.start, ended(&offer.name)));
        }
        let typed = before.get(self.start..)?;
        match &*self.names {
            [] => None,
            [offer] => Some((self.start, ended(&offer.name))),
            _ => {
                let common = &self.common;
                (common.len() > typed.len() && common.starts_with(typed))
                    .then(|| (self.start, common.clone()))
            }
        }
    }
}

/// Adds a space to a completed name. Does not add one after a folder's slash, because the name of a file may follow.
fn ended(name: &str) -> String {
    if name.ends_with('/') {
        name.to_owned()
    } else {
        format!("{name} ")
    }
}

/// Returns the form in which a prompt mentions a file. Returns `None` if the CLI would read another file. If a folder
/// needs quotes, its quotes stay open, because the name of a file in it follows.
fn mentioned(name: &str) -> Option<String> {
    let mention = mention(name)?;
    let open = mention
        .strip_suffix("/\"")
        .map(|folder| format!("{folder}/"));
    Some(open.unwrap_or(mention))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(name: &str, builtin: Option<bool>) -> SlashCommand {
        let mut command = SlashCommand::new(name, format!("About\u{1b} {name}"), "");
        command.builtin = builtin;
        command
    }

    /// Returns these commands, all of them as built-in commands of a CLI.
    fn built_in(names: &[&str]) -> Commands {
        let commands: Vec<_> = names.iter().map(|name| command(name, Some(true))).collect();
        let mut set = Commands::default();
        set.set(&commands, &HashMap::new());
        set
    }

    fn names(completion: &Completion) -> Vec<String> {
        let names = completion.names.iter().map(|offer| offer.name.clone());
        names.collect()
    }

    #[test]
    fn what_begins_like_a_command_is_completed() {
        let commands = built_in(&["cost", "compact", "clear", "co\u{1b}[31m"]);
        let mut completion = Completion::default();
        let mut offered = |before: &str| {
            assert!(completion.update(before, &commands).is_none());
            (names(&completion), completion.complete(before))
        };
        let co = ["/compact", "/cost"].map(String::from).to_vec();
        assert_eq!(offered("/co"), (co, None));
        assert_eq!(offered("/cos").1, Some((0, "/cost ".to_owned())));
        assert_eq!(offered("/").1, Some((0, "/c".to_owned())));
        for other in ["", "co", "/x", " /co", "/cost now", "/cost"] {
            assert_eq!(offered(other), (Vec::new(), None), "{other}");
        }
    }

    #[test]
    fn commands_of_the_user_and_frequent_ones_come_first_and_internal_ones_last() {
        let commands = [
            command("__remote", Some(true)),
            command("agents", Some(true)),
            command("heapdump", Some(true)),
            command("usage", Some(true)),
            command("release", None),
            command("deploy", None),
            command("clear", Some(true)),
        ];
        let uses = [("clear", 2), ("release", 7), ("heapdump", 9)];
        let uses = HashMap::from(uses.map(|(name, count)| (name.to_owned(), count)));
        let order = |commands: &[SlashCommand]| {
            let mut set = Commands::default();
            set.set(commands, &uses);
            let mut completion = Completion::default();
            completion.update("/", &set);
            names(&completion).join(" ")
        };
        assert_eq!(
            order(&commands),
            "/release /clear /deploy /agents /usage /heapdump /__remote"
        );
        // This CLI does not report which commands are built in.
        let unknown = commands.map(|command| self::command(&command.name, None));
        assert_eq!(
            order(&unknown),
            "/release /clear /agents /deploy /usage /heapdump /__remote"
        );
        let mut set = Commands::default();
        set.set(&unknown, &uses);
        assert_eq!(set.0[0].description, "About\\u{1b} release");
    }

    /// In this test, more names match than are offered.
    #[test]
    fn a_beginning_is_completed_only_if_all_names_have_it() {
        let many = (0..OFFERED).map(|number| format!("aa{number}"));
        let many: Vec<_> = many.chain(["ab".to_owned()]).collect();
        let commands = built_in(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let mut completion = Completion::default();
        completion.update("/", &commands);
        assert_eq!(completion.names.len(), OFFERED);
        assert_eq!(completion.complete("/"), Some((0, "/a".to_owned())));
    }

    #[test]
    fn a_name_is_chosen_and_unneeded_names_are_closed() {
        let commands = built_in(&["cost", "compact"]);
        let mut completion = Completion::default();
        completion.update("/co", &commands);
        for (down, chosen) in [
            (true, "/compact "),
            (true, "/cost "),
            (true, "/compact "),
            (false, "/cost "),
        ] {
            completion.go(down);
            assert_eq!(completion.complete("/co"), Some((0, chosen.to_owned())));
        }
        completion.close("/co");
        completion.update("/co", &commands);
        assert!(!completion.is_open());
        completion.update("/com", &commands);
        assert!(completion.is_open());
    }

    #[test]
    fn files_are_searched_for_and_late_results_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["main.rs", "mail.rs", "a b.txt", "secret.key", ".gitignore"] {
            std::fs::write(folder.path().join(name), "*.key\n").unwrap();
        }
        let commands = Commands::default();
        let mut completion = Completion::new(folder.path());
        let early = completion.update("see @", &commands).unwrap().run();
        let late = completion.update("see @a b", &commands);
        assert!(late.is_none(), "a space ends the name");
        completion.found(&early);
        assert!(!completion.is_open(), "it is not wanted any more");
        let found = completion.update("see @\"a b", &commands).unwrap().run();
        completion.found(&found);
        assert_eq!(
            completion.complete("see @\"a b"),
            Some((4, "@\"a b.txt\" ".to_owned()))
        );
        let found = completion.update("see @ma", &commands).unwrap().run();
        completion.found(&found);
        assert_eq!(names(&completion), ["@mail.rs", "@main.rs"]);
        assert_eq!(completion.complete("see @ma"), Some((4, "@mai".to_owned())));
        let found = completion.update("see @key", &commands).unwrap().run();
        completion.found(&found);
        assert!(!completion.is_open(), "git ignores it");
        assert!(completion.update("ada@ma", &commands).is_none());
    }
}
