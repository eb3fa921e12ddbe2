//! `claw config`: shows and changes the configuration file.

use std::env;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::process::Command as Process;

use clap::ArgAction;
use toml_edit::{Array, DocumentMut, Item, Table, Value};

use super::file::{File, check, commands_with, keys, named};
use super::keys::{COMMANDS, SYNC, variable};
use super::path::path;
use crate::args;
use crate::args::config::Config;
use crate::escape::escape;
use crate::outcome::{Outcome, report, write_stderr};

/// The beginning of a new file.
const HEADER: &str = "\
# Defaults of claw's options. Keys have the names of the options, such as: model = \"opus\"
# A key in [run], [chat], [serve], [sessions] or [acp] is for that command alone, and one in [sync] for `claw sessions sync` and `pull`.
";

impl Config {
    pub(crate) fn run(self) -> Outcome {
        self.done().unwrap_or_else(|outcome| outcome)
    }

    fn done(self) -> Result<Outcome, Outcome> {
        let path = path().ok_or_else(|| {
            misused("there is no folder for the configuration file: set HOME or CLAW_CONFIG")
        })?;
        match self {
            Self::Path => print(&format!("{}\n", path.display())),
            Self::List => list(&path),
            Self::Get { key } => get(&path, &key),
            Self::Set { key, value } => {
                let (command, key) = split(&key)?;
                set(&path, command, key, &value)
            }
            Self::Unset { key } => {
                let (command, key) = split(&key)?;
                unset(&path, command, key)
            }
            Self::Edit => edit(&path),
        }
    }
}

fn print(text: &str) -> Result<Outcome, Outcome> {
    let mut out = anstream::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Outcome::unwritten(&error))?;
    Ok(Outcome::Success)
}

fn misused(fault: &str) -> Outcome {
    write_stderr(&format!("claw: {}\n", escape(fault)));
    Outcome::Usage
}

/// Splits a key such as `run.output` into the command and the option.
fn split(key: &str) -> Result<(Option<&'static str>, &str), Outcome> {
    let Some((before, key)) = key.split_once('.') else {
        return Ok((None, key));
    };
    match COMMANDS.into_iter().find(|name| *name == before) {
        Some(command) => Ok((Some(command), key)),
        None => Err(misused(&format!(
            "{before:?} is no command with options to set; these are {}",
            COMMANDS.join(", ")
        ))),
    }
}

/// Returns the default that the environment sets.
fn of_environment(key: &str) -> Option<String> {
    let value = env::var_os(variable(key))?;
    let value = value.to_string_lossy().into_owned();
    (!value.is_empty()).then_some(value)
}

fn get(path: &Path, key: &str) -> Result<Outcome, Outcome> {
    let (command, key) = split(key)?;
    let found = commands_with(command, key, &args::command());
    if found.is_empty() {
        let fault = check(&args::command(), command, key, &[]).err();
        return Err(misused(&fault.unwrap_or_default()));
    }
    let file = File::read(path)?;
    let of_file = match command {
        Some(command) => file.setting(command, key),
        None => file.setting("", key),
    };
    // The environment is not used for the keys of `sync`, because the URL in CLAW_STORE may contain a password.
    let of_environment = (command != Some(SYNC))
        .then(|| of_environment(key))
        .flatten();
    let value = of_environment.or_else(|| Some(of_file?.values.join(",")));
    match value {
        Some(value) => print(&format!("{}\n", escape(&value))),
        None => Ok(Outcome::ErrorResult),
    }
}

fn list(path: &Path) -> Result<Outcome, Outcome> {
    let file = File::read(path)?;
    let cli = args::command();
    let mut rows = Vec::new();
    let mut keys: Vec<&str> = named(None).flat_map(|name| keys(&cli, name)).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        if let Some(value) = of_environment(key) {
            rows.push([key.to_owned(), value, variable(key)]);
        }
    }
    for setting in &file.settings {
        let key = match setting.command {
            Some(command) => format!("{command}.{}", setting.key),
            None => setting.key.clone(),
        };
        let place = format!("{}:{}", path.display(), setting.line);
        rows.push([key, setting.values.join(","), place]);
    }
    let width = |column: usize| {
        let lengths = rows.iter().map(|row| row[column].chars().count());
        lengths.max().unwrap_or(0)
    };
    let (keys, values) = (width(0), width(1));
    let lines = rows.iter().map(|[key, value, place]| {
        format!(
            "{key:keys$}  {:values$}  {}\n",
            escape(value),
            escape(place)
        )
    });
    print(&lines.collect::<String>())
}

/// Reads the file for a change. Returns the keys and, for a file without keys, its comments. The file must be valid, so
/// that it is also valid after the change.
fn document(path: &Path) -> Result<(String, DocumentMut), Outcome> {
    // A missing file is created, even if the environment names it.
    if path.exists() {
        File::read(path)?;
    }
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => HEADER.to_owned(),
        Err(error) => return Err(report(&error, Outcome::Unreadable)),
    };
    let document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| report(&error, Outcome::Usage))?;
    // If the document has no keys, `toml_edit` would write its comments after the first new key.
    Ok(if document.is_empty() {
        (text, DocumentMut::new())
    } else {
        (String::new(), document)
    })
}

fn set(
    path: &Path,
    command: Option<&'static str>,
    key: &str,
    value: &str,
) -> Result<Outcome, Outcome> {
    let cli = args::command();
    check(&cli, command, key, &[value.to_owned()]).map_err(|fault| misused(&fault))?;
    let (before, mut document) = document(path)?;
    let is_list = |action: &ArgAction| matches!(action, ArgAction::Append);
    let found = commands_with(command, key, &cli);
    let item: Value = match found.first() {
        Some((_, arg)) if matches!(arg.get_action(), ArgAction::SetTrue) => {
            (value == "true").into()
        }
        Some((_, arg)) if is_list(arg.get_action()) || arg.get_value_delimiter().is_some() => {
            value.split(',').collect::<Array>().into()
        }
        _ => value
            .parse::<i64>()
            .map_or_else(|_| value.into(), Value::from),
    };
    let table = match command {
        None => document.as_table_mut(),
        Some(command) => {
            let table = document.entry(command).or_insert(Item::Table(Table::new()));
            let Some(table) = table.as_table_mut() else {
                return Err(misused(&format!(
                    "{command} is written in one line: use `claw config edit`"
                )));
            };
            table
        }
    };
    table.insert(key, Item::Value(item));
    write(path, &(before + &document.to_string()))
}

fn unset(path: &Path, command: Option<&'static str>, key: &str) -> Result<Outcome, Outcome> {
    let (before, mut document) = document(path)?;
    let table = match command {
        None => Some(document.as_table_mut() as &mut dyn toml_edit::TableLike),
        Some(command) => document.get_mut(command).and_then(Item::as_table_like_mut),
    };
    let removed = table.and_then(|table| table.remove(key));
    if removed.is_none() {
        return Err(misused(&format!("{}: {key:?} is not set", path.display())));
    }
    write(path, &(before + &document.to_string()))
}

/// Replaces the whole file at once, so that no reader sees a partial file.
fn write(path: &Path, text: &str) -> Result<Outcome, Outcome> {
    let write = || {
        // If the path is a symbolic link, the target of the link is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = path.with_extension(format!("toml.{}", std::process::id()));
        fs::write(&new, text)?;
        fs::rename(&new, &path).inspect_err(|_| drop(fs::remove_file(&new)))
    };
    write().map_err(|error| {
        let fault = format!("{}: {error}", path.display());
        write_stderr(&format!("claw: {}\n", escape(&fault)));
        Outcome::Unreadable
    })?;
    Ok(Outcome::Success)
}

fn edit(path: &Path) -> Result<Outcome, Outcome> {
    let named = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| env::var(name).ok());
    let editor = named.unwrap_or_default();
    let mut words = editor.split_whitespace();
    let Some(program) = words.next() else {
        let file = path.display();
        return Err(misused(&format!(
            "no editor is named: set VISUAL or EDITOR, or edit {file}"
        )));
    };
    if !path.exists() {
        write(path, HEADER)?;
    }
    let status = Process::new(program).args(words).arg(path).status();
    match status {
        Err(error) => Err(misused(&format!("{program}: {error}"))),
        Ok(status) if !status.success() => Err(misused(&format!("{program} ended with {status}"))),
        Ok(_) => File::read(path).map(|_| Outcome::Success),
    }
}
