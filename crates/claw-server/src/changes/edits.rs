//! The edits of a session's tools, read from its transcripts.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use claw_sessions::{Entries, Error, Session};
use claw_types::ToolUseId;
use claw_types::api::ContentBlock;
use claw_types::tool::ToolOutput;
use claw_types::transcript::{AssistantEntry, Entry, UserEntry};
use claw_view::diff::{CombinedEdits, changed_path};

/// The most files whose edits are kept.
const MOST_FILES: usize = 2_000;
/// The most text that is kept of them, in bytes. Of the files over it, only the numbers of lines are kept.
const LONGEST_TEXTS: usize = 16 << 20;
/// The most tool uses of a transcript whose results are waited for.
const MOST_USES: usize = 1_024;
/// The most sub-agents whose transcripts are read.
const MOST_SUBAGENTS: usize = 1_000;
/// The tools that change files.
const TOOLS: [&str; 4] = ["Edit", "MultiEdit", "Write", "NotebookEdit"];

/// The edits of a session, by file. Each reading continues where the one before it ended.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    transcripts: HashMap<PathBuf, Reading>,
    files: HashMap<PathBuf, CombinedEdits>,
    bytes: usize,
    /// Whether files or sub-agents were left out.
    is_cut: bool,
}

/// How far a transcript was read.
#[derive(Debug, Default)]
struct Reading {
    offset: u64,
    number: u64,
    /// The uses of tools that change files, without a result so far.
    uses: HashMap<ToolUseId, String>,
}

impl Edits {
    /// Reads what was written since the last reading: the session's transcript, and those of its sub-agents. The working
    /// directory `cwd` is for entries that name none. Blocks.
    pub(crate) fn read(&mut self, session: &Session, cwd: &Path) -> Result<(), Error> {
        if self.is_rewritten() {
            *self = Self::default();
        }
        self.read_transcript(session.transcript(), cwd)?;
        let subagents = session.subagents().subagents;
        self.is_cut |= subagents.len() > MOST_SUBAGENTS;
        for subagent in subagents.iter().take(MOST_SUBAGENTS) {
            // One that cannot be read leaves out its own edits alone.
            if let Err(error) = self.read_transcript(subagent.transcript(), cwd) {
                tracing::warn!(%error, "the edits of a sub-agent are left out");
                self.is_cut = true;
            }
        }
        Ok(())
    }

    /// The edited files with their edits, in no particular order.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Path, &CombinedEdits)> {
        self.files.iter().map(|(path, edits)| (&**path, edits))
    }

    /// Whether files or sub-agents were left out because there were too many.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether a transcript is shorter than what was read of it.
    fn is_rewritten(&self) -> bool {
        let mut transcripts = self.transcripts.iter();
        transcripts.any(|(path, reading)| {
            let length = fs::metadata(path).map_or(0, |file| file.len());
            length < reading.offset
        })
    }

    fn read_transcript(&mut self, path: &Path, cwd: &Path) -> Result<(), Error> {
        let mut reading = self.transcripts.remove(path).unwrap_or_default();
        let read = self.continue_reading(&mut reading, path, cwd);
        self.transcripts.insert(path.to_owned(), reading);
        read
    }

    fn continue_reading(
        &mut self,
        reading: &mut Reading,
        path: &Path,
        cwd: &Path,
    ) -> Result<(), Error> {
        for line in Entries::open_at(path, reading.offset, reading.number)? {
            let line = line?;
            if !line.is_ended() {
                // It is still being written, and is read the next time.
                break;
            }
            reading.offset = line.offset() + line.length() + 1;
            reading.number = line.number();
            match line.entry() {
                Ok(Entry::Assistant(entry)) => reading.add_uses(&entry),
                Ok(Entry::User(entry)) => {
                    if let Some(output) = reading.take_output(&entry) {
                        let cwd = entry.cwd.as_deref().map_or(cwd, Path::new);
                        self.add(cwd, &entry.timestamp, &output);
                    }
                }
                // What cannot be read is shown in the conversation.
                _ => {}
            }
        }
        Ok(())
    }

    fn add(&mut self, cwd: &Path, at: &str, output: &ToolOutput) {
        let Some(path) = changed_path(output) else {
            return;
        };
        let path = normal(&cwd.join(path));
        if self.files.len() >= MOST_FILES && !self.files.contains_key(&path) {
            self.is_cut = true;
            return;
        }
        let file = self.files.entry(path).or_default();
        let before = file.bytes();
        file.push(at, output);
        if self.bytes - before + file.bytes() > LONGEST_TEXTS {
            file.forget_texts();
        }
        self.bytes = self.bytes - before + file.bytes();
    }
}

impl Reading {
    fn add_uses(&mut self, entry: &AssistantEntry) {
        for block in entry.message.content.iter() {
            if let ContentBlock::ToolUse(tool) = block
                && TOOLS.contains(&&*tool.name)
                && self.uses.len() < MOST_USES
            {
                self.uses.insert(tool.id.clone(), tool.name.clone());
            }
        }
    }

    /// The output of a tool that changes files, if an entry has one.
    fn take_output(&mut self, entry: &UserEntry) -> Option<ToolOutput> {
        let output = entry.tool_use_result.as_ref()?;
        let tool = entry
            .message
            .content
            .blocks()
            .iter()
            .find_map(|block| match block {
                ContentBlock::ToolResult(result) => self.uses.remove(&result.tool_use_id),
                _ => None,
            });
        ToolOutput::of(&tool?, output).ok()
    }
}

/// A path without `.` and `..`, as far as it can be known without looking at the disk.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}
