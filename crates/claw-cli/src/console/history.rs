//! The prompts of this and of earlier conversations, in a file that only the user can read.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The maximum number of prompts that are kept.
const MOST: usize = 1000;
/// The maximum number of bytes that are read, from the end of the file.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Longer prompts are not kept in the file.
const LONGEST: usize = 64 * 1024;

/// The prompts, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct History {
    file: Option<PathBuf>,
    prompts: Vec<String>,
    /// The prompt that is shown, and the text that was being typed before.
    shown: Option<(usize, String)>,
}

impl History {
    /// The history of the user, if there is a folder for it.
    pub(crate) fn of_user() -> Self {
        folder().map_or_else(Self::default, |folder| {
            Self::open(&folder.join("claw").join("chat-history"))
        })
    }

    /// Reads the file. A file that cannot be read counts as empty.
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

    /// Adds a prompt. A prompt that begins with a space is kept for this conversation only, as in shells.
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
            // The history is a convenience: a conversation continues without it.
            let _ = append(file, prompt);
        }
    }

    /// The prompt before the one that is shown. It replaces this text.
    pub(crate) fn older(&mut self, text: &str) -> Option<String> {
        let (at, typed) = match self.shown.take() {
            Some((at, typed)) => (at, typed),
            None => (self.prompts.len(), text.to_owned()),
        };
        let older = at.checked_sub(1);
        self.shown = Some((older.unwrap_or(at), typed)).filter(|(at, _)| *at < self.prompts.len());
        older.map(|at| self.prompts[at].clone())
    }

    /// The prompt after the one that is shown, or the text that was being typed.
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

    /// How often each slash command begins a prompt.
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

/// The end of the file. It starts at the beginning of a line.
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

/// Adds a line in one write, so that conversations that run at the same time do not mix their lines.
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

/// The folder in which programs keep their state.
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
