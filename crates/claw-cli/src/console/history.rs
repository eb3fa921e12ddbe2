//! The history of the prompts of this conversation and of earlier ones. It is in a file that only the user can read.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The maximum number of prompts that are read from the file.
const MOST: usize = 1000;
/// The maximum number of bytes that are read, from the end of the file.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// The maximum length of a prompt in the file, in bytes. A longer prompt is not written.
const LONGEST: usize = 64 * 1024;

/// The prompts, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct History {
    file: Option<PathBuf>,
    prompts: Vec<String>,
    /// The index of the shown prompt, and the text that the user was typing before.
    shown: Option<(usize, String)>,
}

impl History {
    /// Opens the history of the user. Without a folder for the file, the history is empty.
    pub(crate) fn of_user() -> Self {
        folder().map_or_else(Self::default, |folder| {
            Self::open(&folder.join("claw").join("chat-history"))
        })
    }

    /// Reads the file. If this fails, the history is empty.
    fn open(file: &Path) -> Self {
        let text = read(file).unwrap_or_default();
        let lines = text.lines().collect::<Vec<_>>();
        let newest = &lines[lines.len().saturating_sub(MOST)..];
        let prompts = newest
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok());
        let history = Self {
            file: Some(file.to_owned()),
            prompts: prompts.collect(),
            shown: None,
        };
        if lines.len() > 2 * MOST {
            // If the write fails, a later start shortens the file.
            let _ = history.write_all(file);
        }
        history
    }

    /// Adds a prompt. As in shells, a prompt that begins with a space is not written to the file.
    pub(crate) fn add(&mut self, prompt: &str) {
        self.shown = None;
        if self.prompts.last().is_some_and(|last| last == prompt) {
            return;
        }
        self.prompts.push(prompt.to_owned());
        if prompt.len() <= LONGEST
            && !prompt.starts_with(' ')
            && let Some(file) = &self.file
        {
            // An error is ignored, because a conversation also works without the history.
            let _ = append(file, prompt);
        }
    }

    /// Returns the prompt before the shown prompt. `text` is the typed text, which the caller replaces by the result.
    pub(crate) fn older(&mut self, text: &str) -> Option<String> {
        let (at, typed) = match self.shown.take() {
            Some((at, typed)) => (at, typed),
            None => (self.prompts.len(), text.to_owned()),
        };
        let older = at.checked_sub(1);
        self.shown = Some((older.unwrap_or(at), typed)).filter(|(at, _)| *at < self.prompts.len());
        older.map(|at| self.prompts[at].clone())
    }

    /// Returns the prompt after the shown prompt. After the last prompt, returns the text that the user was typing.
    pub(crate) fn newer(&mut self) -> Option<String> {
        let (at, typed) = self.shown.take()?;
        match self.prompts.get(at + 1) {
            Some(prompt) => {
                self.shown = Some((at + 1, typed));
                Some(prompt.clone())
            }
            None => Some(typed),
        }
    }

    /// Counts how many prompts begin with each slash command.
    pub(crate) fn commands(&self) -> HashMap<String, usize> {
        let mut uses = HashMap::new();
        for prompt in &self.prompts {
            let name = prompt.split_whitespace().next().unwrap_or_default();
            if let Some(name) = name.strip_prefix('/').filter(|name| !name.is_empty()) {
                *uses.entry(name.to_owned()).or_default() += 1;
            }
        }
        uses
    }

    fn write_all(&self, file: &Path) -> io::Result<()> {
        let lines: Result<Vec<_>, _> = self.prompts.iter().map(serde_json::to_string).collect();
        let new = file.with_extension("new");
        let mut out = open_private(
            OpenOptions::new().create(true).write(true).truncate(true),
            &new,
        )?;
        out.write_all((lines?.join("\n") + "\n").as_bytes())?;
        fs::rename(new, file)
    }
}

/// Reads the end of the file, from the beginning of a line.
fn read(file: &Path) -> io::Result<String> {
    use std::io::{Seek as _, SeekFrom};
    let mut file = File::open(file)?;
    let length = file.metadata()?.len();
    let start = length.saturating_sub(MAX_BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(match text.split_once('\n') {
        Some((_, rest)) if start > 0 => rest.to_owned(),
        _ => text,
    })
}

/// Adds a line with a single write, so that parallel conversations do not mix their lines.
fn append(file: &Path, prompt: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let line = serde_json::to_string(prompt)? + "\n";
    let mut out = open_private(OpenOptions::new().create(true).append(true), file)?;
    out.write_all(line.as_bytes())
}

/// Opens a file that only the user can read.
fn open_private(options: &mut OpenOptions, file: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(file)
}

/// Returns the folder in which programs store their state.
fn folder() -> Option<PathBuf> {
    let variable = |name| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    if cfg!(windows) {
        return variable("LOCALAPPDATA");
    }
    variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_there_again_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("claw/chat-history");
        let mut history = History::open(&file);
        for prompt in ["one", "two\nlines", "two\nlines", " secret"] {
            history.add(prompt);
        }
        assert_eq!(history.older("").as_deref(), Some(" secret"));
        let mut history = History::open(&file);
        for shown in [Some("two\nlines"), Some("one"), None] {
            assert_eq!(history.older("typing").as_deref(), shown);
        }
        for shown in [Some("two\nlines"), Some("typing"), None] {
            assert_eq!(history.newer().as_deref(), shown);
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&file).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn commands_are_counted() {
        let mut history = History::default();
        for prompt in ["/clear", "/review now", "see /review", "/clear", "/"] {
            history.add(prompt);
        }
        let uses = [("clear", 2), ("review", 1)];
        let uses = uses.map(|(name, count)| (name.to_owned(), count));
        assert_eq!(history.commands(), HashMap::from(uses));
    }

    #[test]
    fn the_file_is_shortened_and_what_is_no_prompt_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("chat-history");
        let mut lines: Vec<_> = (0..=2 * MOST).map(|n| format!("\"{n}\"")).collect();
        lines.push("{broken\n".to_owned());
        fs::write(&file, lines.join("\n")).unwrap();
        let mut history = History::open(&file);
        assert_eq!(history.older("").as_deref(), Some("2000"));
        let kept = fs::read_to_string(&file).unwrap();
        assert_eq!(kept.lines().count(), MOST - 1);
    }
}
