//! The edits of a session's tools, read from its transcripts.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use claw_sessions::{Entries, Error, Session};
use claw_types::api::{Content, ContentBlock};
use claw_types::tool::{ToolInput, ToolOutput};
use claw_types::transcript::{AssistantEntry, Entry, UserEntry};
use claw_types::{Json, ToolUseId};
use claw_view::diff::{CombinedEdits, changed_path, path_to_change};

/// Maximum number of files whose edits are kept.
const MOST_FILES: usize = 2_000;
/// Maximum size of the kept texts of edits, in bytes. For further files, only the numbers of changed lines are kept.
const LONGEST_TEXTS: usize = 16 << 20;
/// Maximum number of tool uses of a transcript that wait for their results.
const MOST_USES: usize = 64;
/// Maximum size of a tool's input that is kept until the tool has its result, in bytes.
const LONGEST_INPUT: usize = 1 << 20;
/// Maximum number of sub-agents whose transcripts are read.
const MOST_SUBAGENTS: usize = 1_000;
/// The beginning of the result of `Write` for a new file.
const CREATED: &str = "File created successfully";
/// The tools that change files.
const TOOLS: [&str; 4] = ["Edit", "MultiEdit", "Write", "NotebookEdit"];

/// The edits of a session, by file. Each read continues at the end of the previous one.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    transcripts: HashMap<PathBuf, Reading>,
    files: HashMap<PathBuf, CombinedEdits>,
    bytes: usize,
    /// Whether files or sub-agents were left out because there were too many, or because a transcript could not be
    /// read.
    is_cut: bool,
}

/// The position up to which a transcript was read.
#[derive(Debug, Default)]
struct Reading {
    offset: u64,
    number: u64,
    /// The uses of tools that change files and that have no result yet.
    uses: VecDeque<ToolUse>,
}

/// The use of a tool that changes files.
#[derive(Debug)]
struct ToolUse {
    id: ToolUseId,
    tool: String,
    /// The input of the tool. `None` if the input is too long.
    input: Option<Json>,
}

impl Edits {
    /// Reads the lines that were added since the last read, from the transcripts of the session and of its sub-agents.
    /// `cwd` is the working directory for entries that do not contain one. If `is_cancelled` is set, this read ends
    /// early, and the next read continues at the same line. Blocks.
    pub(crate) fn read(
        &mut self,
        session: &Session,
        cwd: &Path,
        is_cancelled: &AtomicBool,
    ) -> Result<(), Error> {
        if self.is_rewritten() {
            *self = Self::default();
        }
        self.read_transcript(session.transcript(), cwd, is_cancelled)?;
        let subagents = session.subagents().subagents;
        self.is_cut |= subagents.len() > MOST_SUBAGENTS;
        for subagent in subagents.iter().take(MOST_SUBAGENTS) {
            // If a sub-agent's transcript cannot be read, only its edits are left out.
            if let Err(error) = self.read_transcript(subagent.transcript(), cwd, is_cancelled) {
                let id = session.id().as_str();
                tracing::warn!(session.id = id, %error, "the edits of a sub-agent are left out");
                self.is_cut = true;
            }
        }
        Ok(())
    }

    /// Returns the edited files with their edits, in no particular order.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&Path, &CombinedEdits)> {
        self.files.iter().map(|(path, edits)| (&**path, edits))
    }

    /// Whether files or sub-agents were left out, because there were too many or because a transcript could not be
    /// read.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Returns whether a transcript was rewritten. It is then shorter than the part that was already read.
    fn is_rewritten(&self) -> bool {
        let mut transcripts = self.transcripts.iter();
        transcripts.any(|(path, reading)| {
            let length = fs::metadata(path).map_or(0, |file| file.len());
            length < reading.offset
        })
    }

    fn read_transcript(
        &mut self,
        path: &Path,
        cwd: &Path,
        is_cancelled: &AtomicBool,
    ) -> Result<(), Error> {
        let mut reading = self.transcripts.remove(path).unwrap_or_default();
        let read = self.continue_reading(&mut reading, path, cwd, is_cancelled);
        self.transcripts.insert(path.to_owned(), reading);
        read
    }

    fn continue_reading(
        &mut self,
        reading: &mut Reading,
        path: &Path,
        cwd: &Path,
        is_cancelled: &AtomicBool,
    ) -> Result<(), Error> {
        for line in Entries::open_at(path, reading.offset, reading.number)? {
            let line = line?;
            if !line.is_ended() || is_cancelled.load(Ordering::Relaxed) {
                // The line is still being written, or the read was cancelled. The next read begins with this line.
                break;
            }
            reading.offset = line.next_offset();
            reading.number = line.number();
            match line.entry() {
                Ok(Entry::Assistant(entry)) => reading.add_uses(&entry),
                Ok(Entry::User(entry)) => {
                    if let Some(edit) = reading.take_edit(&entry) {
                        let cwd = entry.cwd.as_deref().map_or(cwd, Path::new);
                        self.add(cwd, &entry.timestamp, &edit);
                    }
                }
                // Unreadable lines are skipped. The conversation shows them.
                _ => {}
            }
        }
        Ok(())
    }

    fn add(&mut self, cwd: &Path, at: &str, edit: &Edit) {
        let Some(path) = edit.path() else {
            return;
        };
        let path = normal(&cwd.join(path));
        if self.files.len() >= MOST_FILES && !self.files.contains_key(&path) {
            self.is_cut = true;
            return;
        }
        let file = self.files.entry(path).or_default();
        let before = file.bytes();
        match edit {
            Edit::Output(output) => file.push(at, output),
            Edit::Input(input, is_new) => file.push_input(at, input, *is_new),
        }
        if self.bytes - before + file.bytes() > LONGEST_TEXTS {
            file.forget_texts();
        }
        self.bytes = self.bytes - before + file.bytes();
    }
}

impl Reading {
    fn add_uses(&mut self, entry: &AssistantEntry) {
        for block in &entry.message.content {
            if let ContentBlock::ToolUse(tool) = block
                && TOOLS.contains(&&*tool.name)
            {
                // If there are too many tool uses, the oldest is discarded, because it may have been interrupted and may never
                // get a result.
                if self.uses.len() >= MOST_USES {
                    self.uses.pop_front();
                }
                let input = tool.input.as_raw();
                let input = (input.len() <= LONGEST_INPUT).then(|| tool.input.clone());
                self.uses.push_back(ToolUse {
                    id: tool.id.clone(),
                    tool: tool.name.clone(),
                    input,
                });
            }
        }
    }

    /// Finds the tool use whose result an entry contains, and removes it from the tool uses without a result. Returns the
    /// edit that the tool use has made.
    fn take_edit(&mut self, entry: &UserEntry) -> Option<Edit> {
        let content = &entry.message.content;
        let (tool, result) = content.blocks().iter().find_map(|block| {
            let ContentBlock::ToolResult(result) = block else {
                return None;
            };
            let mut uses = self.uses.iter();
            let at = uses.position(|tool| tool.id == result.tool_use_id)?;
            Some((self.uses.remove(at)?, result))
        })?;
        if let Some(output) = &entry.tool_use_result {
            return ToolOutput::of(&tool.tool, output).ok().map(Edit::Output);
        }
        // Transcripts of sub-agents contain no structured output, so the edit is read from the input.
        if result.is_error == Some(true) {
            return None;
        }
        let input = ToolInput::of(&tool.tool, &tool.input?).ok()?;
        let text = result.content.as_ref().map(Content::text);
        let is_new = text.is_some_and(|text| text.starts_with(CREATED));
        Some(Edit::Input(input, is_new))
    }
}

/// An edit, as the transcript records it.
enum Edit {
    Output(ToolOutput),
    /// The input, and whether the file is new. Used if the transcript contains no output.
    Input(ToolInput, bool),
}

impl Edit {
    fn path(&self) -> Option<&str> {
        match self {
            Self::Output(output) => changed_path(output),
            Self::Input(input, _) => path_to_change(input),
        }
    }
}

/// Removes `.` and `..` from a path, without access to the disk.
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
