//! The configuration file. It is a TOML file whose keys are the names of options.

use std::cell::LazyCell;
use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use clap::{Arg, ArgAction, Command};
use toml_edit::{Document, Item, TableLike, Value};

use super::keys::{COMMANDS, SYNC, is_key, options};
use super::path::is_named;
use crate::args;
use crate::escape::escape;
use crate::outcome::{Outcome, write_stderr};
use crate::url_password::has_password;

/// A configuration file that was read, and whose settings are valid.
#[derive(Debug)]
pub(crate) struct File {
    pub(super) settings: Vec<Setting>,
}

/// The default of an option.
#[derive(Debug)]
pub(super) struct Setting {
    /// The command to which the default applies. `None` means all commands.
    pub(super) command: Option<&'static str>,
    pub(super) key: String,
    /// The values in the form in which they are on the command line.
    pub(super) values: Vec<String>,
    pub(super) line: usize,
}

/// A fault in a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// The reason why a file cannot be used.
#[derive(Debug)]
pub(crate) enum Unusable {
    Unreadable(std::io::Error),
    Faults(Vec<Fault>),
}

impl File {
    /// Reads the file. A missing file is read as an empty one, unless the environment names the file. Prints faults.
    pub(crate) fn read(path: &Path) -> Result<Self, Outcome> {
        Self::load(path).map_err(|unusable| match unusable {
            Unusable::Unreadable(error) => {
                let text = format!("{}: {error}", path.display());
                write_stderr(&format!("claw: {}\n", escape(&text)));
                Outcome::Unreadable
            }
            Unusable::Faults(faults) => {
                for fault in faults {
                    let text = format!("{}:{fault}", path.display());
                    write_stderr(&format!("claw: {}\n", escape(&text)));
                }
                Outcome::Usage
            }
        })
    }

    pub(crate) fn load(path: &Path) -> Result<Self, Unusable> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound && !is_named() => Vec::new(),
            Err(error) => return Err(Unusable::Unreadable(error)),
        };
        let text = str::from_utf8(&bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let line = before.split(|byte| *byte == b'\n').count();
            let text = "the line is not UTF-8".to_owned();
            Unusable::Faults(vec![Fault { line, text }])
        })?;
        Self::parse(text).map_err(Unusable::Faults)
    }

    pub(crate) fn parse(text: &str) -> Result<Self, Vec<Fault>> {
        let line = |span: Option<Range<usize>>| {
            let before = text.get(..span.map_or(0, |span| span.start));
            before.unwrap_or_default().matches('\n').count() + 1
        };
        let document = Document::parse(text).map_err(|error| {
            let line = line(error.span());
            let text = error.message().to_owned();
            vec![Fault { line, text }]
        })?;
        let mut reader = Reader {
            cli: LazyCell::new(args::command),
            settings: Vec::new(),
            faults: Vec::new(),
            line: &line,
        };
        reader.table(None, document.as_table());
        if reader.faults.is_empty() {
            Ok(Self {
                settings: reader.settings,
            })
        } else {
            reader.faults.sort_by_key(|fault| fault.line);
            Err(reader.faults)
        }
    }

    /// Returns the value of a key about the store of `claw sessions sync`.
    pub(crate) fn of_sync(&self, key: &str) -> Option<&str> {
        let setting = self.setting(SYNC, key)?;
        setting.values.first().map(String::as_str)
    }

    /// Returns the default of a command's option.
    pub(super) fn setting(&self, command: &str, key: &str) -> Option<&Setting> {
        let of_key = || self.settings.iter().filter(|setting| setting.key == key);
        of_key()
            .find(|setting| setting.command == Some(command))
            .or_else(|| of_key().find(|setting| setting.command.is_none()))
    }
}

/// Reads the tables of a file.
struct Reader<'a> {
    /// A file without keys does not need the arguments of all commands.
    cli: LazyCell<Command>,
    settings: Vec<Setting>,
    faults: Vec<Fault>,
    line: &'a dyn Fn(Option<Range<usize>>) -> usize,
}

impl Reader<'_> {
    fn table(&mut self, command: Option<&'static str>, table: &dyn TableLike) {
        for (key, item) in table.iter() {
            let span = table.key(key).and_then(toml_edit::Key::span);
            let line = (self.line)(span.or_else(|| item.span()));
            let below = COMMANDS.into_iter().find(|name| *name == key);
            let read = match (command, below, item.as_table_like()) {
                (None, Some(_), Some(table)) => {
                    self.table(below, table);
                    continue;
                }
                (_, _, Some(_)) => Err(format!("{key:?} is no command with options to set")),
                _ => values(item).and_then(|values| {
                    check(&self.cli, command, key, &values)?;
                    Ok(values)
                }),
            };
            match read {
                Ok(values) => self.settings.push(Setting {
                    command,
                    key: key.to_owned(),
                    values,
                    line,
                }),
                Err(text) => self.faults.push(Fault { line, text }),
            }
        }
    }
}

/// Converts an item to values in the form in which they are on the command line.
fn values(item: &Item) -> Result<Vec<String>, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.value().clone()),
        Value::Integer(number) => Ok(number.value().to_string()),
        Value::Boolean(is) => Ok(is.value().to_string()),
        _ => Err(
            "a value is a string, a whole number, true or false, or an array of these".to_owned(),
        ),
    };
    match item.as_value() {
        Some(Value::Array(values)) => values.iter().map(text).collect(),
        Some(value) => Ok(vec![text(value)?]),
        None => Err("a value is missing".to_owned()),
    }
}

/// Returns the named command. If none is named, returns the commands to which a key before all tables applies.
pub(super) fn named(command: Option<&str>) -> impl Iterator<Item = &'static str> {
    let is_named = move |name: &&str| command.map_or(*name != SYNC, |command| command == *name);
    COMMANDS.into_iter().filter(is_named)
}

/// Returns the commands that have the option. Considers only the named command, or else all commands.
pub(super) fn commands_with(
    command: Option<&str>,
    key: &str,
    cli: &Command,
) -> Vec<(&'static str, Arg)> {
    let found = named(command).filter_map(|name| {
        let mut args = options(cli, name)?.get_arguments();
        let arg = args.find(|arg| arg.get_long() == Some(key) && is_key(name, arg))?;
        Some((name, arg.clone()))
    });
    found.collect()
}

/// Checks that the option exists and accepts the values.
pub(super) fn check(
    cli: &Command,
    command: Option<&str>,
    key: &str,
    values: &[String],
) -> Result<(), String> {
    let found = commands_with(command, key, cli);
    if found.is_empty() {
        return Err(unknown(cli, command, key));
    }
    for (name, arg) in found {
        if matches!(arg.get_action(), ArgAction::SetTrue) {
            match values {
                [value] if value == "true" || value == "false" => continue,
                _ => return Err(format!("{key} is true or false")),
            }
        }
        if values.len() > 1
            && !matches!(arg.get_action(), ArgAction::Append)
            && arg.get_value_delimiter().is_none()
        {
            return Err(format!("{key} has one value"));
        }
        if name == SYNC {
            check_store(key, values)?;
        }
        let command: &[&str] = if name == SYNC {
            &["claw", "sessions", "sync"]
        } else {
            &["claw", name]
        };
        let mut line: Vec<_> = command.iter().map(|&word| word.to_owned()).collect();
        line.extend(values.iter().map(|value| format!("--{key}={value}")));
        // A group of commands requires a subcommand. So its first subcommand completes the command line that is
        // checked.
        let group = cli
            .find_subcommand(name)
            .filter(|it| it.is_subcommand_required_set());
        let first = group.and_then(|group| group.get_subcommands().next());
        line.extend(first.map(|first| first.get_name().to_owned()));
        if let Err(error) = cli.clone().try_get_matches_from(line) {
            let text = error.to_string();
            let text = text.split("\n\n").next().unwrap_or_default();
            let text = text.trim_start_matches("error: ");
            return Err(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    Ok(())
}

/// Returns the keys that a command can have.
pub(super) fn keys<'a>(cli: &'a Command, name: &'static str) -> impl Iterator<Item = &'a str> {
    let args = options(cli, name)
        .into_iter()
        .flat_map(Command::get_arguments);
    args.filter(move |arg| is_key(name, arg))
        .filter_map(Arg::get_long)
}

/// Checks the value of a key about a store. A password is not allowed, because other users may read the file. A
/// relative path is not allowed, because the file is used in every directory.
fn check_store(key: &str, values: &[String]) -> Result<(), String> {
    for value in values {
        if key == "store" && has_password(value) {
            return Err(
                "the store has a password: write its URL into a file that only you can read, and name it with the key \
                 store-file"
                    .to_owned(),
            );
        }
        let is_path = key == "store-file" || key == "store" && !value.contains("://");
        if is_path && !Path::new(value).is_absolute() {
            return Err(format!("{key} is an absolute path"));
        }
    }
    Ok(())
}

/// Returns the error message for an unknown key.
fn unknown(cli: &Command, command: Option<&str>, key: &str) -> String {
    let mut known: Vec<&str> = named(command).flat_map(|name| keys(cli, name)).collect();
    known.sort_unstable();
    known.dedup();
    let of = command.map_or_else(String::new, |command| format!(" for claw {command}"));
    format!(
        "there is no key {key:?}{of}; the keys are {}",
        known.join(", ")
    )
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> String {
        let faults = File::parse(text).unwrap_err();
        let lines: Vec<_> = faults.iter().map(ToString::to_string).collect();
        lines.join("\n")
    }

    #[test]
    fn a_commands_own_setting_takes_precedence() {
        let text = "model = \"opus\"\nstall = 30\nallowed-tools = [\"Read\", \"Grep\"]\n\n[run]\nmodel = \"haiku\"\noutput = \"json\"\n";
        let file = File::parse(text).unwrap();
        let values = |command, key| file.setting(command, key).map(|it| it.values.clone());
        assert_eq!(values("run", "model").unwrap(), ["haiku"]);
        assert_eq!(values("chat", "model").unwrap(), ["opus"]);
        assert_eq!(values("chat", "stall").unwrap(), ["30"]);
        assert_eq!(values("run", "allowed-tools").unwrap(), ["Read", "Grep"]);
        assert_eq!(values("chat", "output"), None);
        assert_eq!(file.setting("run", "output").unwrap().line, 7);
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
        for (text, expected) in [
            (
                "# one\nmodell = \"opus\"\n",
                "2: there is no key \"modell\"; the keys are ",
            ),
            (
                "[run]\nlisten = \"x\"\n",
                "2: there is no key \"listen\" for claw run",
            ),
            (
                "[run]\n\noutput = \"yaml\"\n",
                "3: invalid value 'yaml' for '--output <FORM>' [possible values: text, json, ndjson]",
            ),
            ("stall = \"soon\"\n", "1: invalid value 'soon'"),
            ("stall = 1.5\n", "1: a value is a string"),
            ("model = [\"a\", \"b\"]\n", "1: model has one value"),
            (
                "[serve]\nlog-requests = 1\n",
                "2: log-requests is true or false",
            ),
            ("model = \n", "1: "),
            ("\n[walk]\nmodel = \"x\"\n", "2: \"walk\" is no command"),
            (
                "store = \"postgres://a:secret@b/c\"\n",
                "1: there is no key \"store\"",
            ),
            (
                "[sync]\nstore = \"postgres://a:secret@b/c\"\n",
                "2: the store has a password",
            ),
            (
                "[sync]\nstore = \"store\"\n",
                "2: store is an absolute path",
            ),
            (
                "[sync]\nmodel = \"opus\"\n",
                "2: there is no key \"model\" for claw sync; the keys are store, store-file, store-project",
            ),
        ] {
            let faults = faults(text);
            assert!(faults.starts_with(expected), "{text}: {faults}");
            assert!(!faults.contains("secret"), "{faults}");
        }
        let both = faults("stall = \"x\"\n[run]\nb = 1\n");
        assert_eq!(both.lines().count(), 2, "{both}");
    }
}
