//! What tools do.

use claw_types::{Json, ToolUseId};

use crate::diff::FileDiff;
use crate::shown::shown;
use crate::{Activity, Preview};

shown! {
    /// A tool that is used.
    pub struct ToolCall {
        /// Names the use; its result has the same.
        pub tool_use_id: ToolUseId,
        /// The tool, by its name on the wire.
        pub tool: String,
        /// The use in a line: `Bash(go test ./...)`.
        pub title: String,
        /// What kind of work it is.
        pub activity: Activity,
        /// What the tool is given; null while that is being written.
        pub input: Option<Json>,
        /// What the use is for, in the model's words; null where it says nothing.
        pub description: Option<String>,
        /// How far it is.
        pub status: ToolStatus,
        /// Seconds for which it has run, as last told; null where nobody said.
        pub elapsed_seconds: Option<f64>,
        /// What it changes in a file: of `Write`, `MultiEdit` and `NotebookEdit`. Null for other tools.
        pub diff: Option<FileDiff>,
        /// Whether it runs at the API, and not here.
        pub at_api: bool,
    }

    /// A passage of a file that is replaced: a use of `Edit`.
    pub struct EditDiff {
        /// Names the use; its result has the same.
        pub tool_use_id: ToolUseId,
        /// The use in a line: `Update(.../file.go)`.
        pub title: String,
        /// The file.
        pub file_path: String,
        /// How many lines come and go: `Added 16 lines, removed 2 lines`.
        pub summary: String,
        /// What changes. When the tool has done it, with the line numbers of the file.
        pub diff: FileDiff,
        /// How far it is.
        pub status: ToolStatus,
        /// Whether every place of the file is changed that holds the old text.
        pub replace_all: bool,
    }

    /// How far the use of a tool is.
    #[derive(Copy, Eq)]
    pub enum ToolStatus {
        /// The model still writes what the tool is given.
        Streaming,
        /// It runs, or waits to.
        Running,
        /// It waits for a permission.
        Asking,
        /// It is done.
        Done,
        /// It has failed.
        Failed,
        /// It was not allowed.
        Denied,
        /// It was interrupted or cancelled.
        Interrupted,
    }

    /// What a tool gave.
    pub struct ToolResult {
        /// The use that it answers.
        pub tool_use_id: ToolUseId,
        /// The tool, by its name on the wire; null where its use is not known.
        pub tool: Option<String>,
        /// What it gave, as text. Pictures and documents in it are elements of their own.
        pub text: String,
        /// What a person is shown of it, without what the CLI adds for the model; null where that is all of
        /// the text.
        pub shown: Option<String>,
        /// The beginning of what is shown.
        pub preview: Preview,
        /// Whether it failed.
        pub is_error: bool,
        /// Why it did not run; null where it ran.
        pub denial: Option<Denial>,
    }

    /// Why a tool did not run.
    pub struct Denial {
        /// What kind of reason, as on the wire: `user-rejected`, `permission-rule`, `interrupted` ….
        pub kind: String,
        /// What the person who said no wrote; null where nothing.
        pub feedback: Option<String>,
    }

    /// Changes of files, as git tells them.
    pub struct GitDiff {
        /// How many lines come and go, in all files.
        pub summary: String,
        /// The files.
        pub files: Vec<FileDiff>,
    }
}

impl EditDiff {
    /// The element as lines of text, for a terminal that they are escaped for: a line that says what is changed, then the lines that
    /// stay, go and come, each with its number: the old one of what goes, the new one of what comes.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let head = format!("{}     {}", self.title, self.summary);
        let lines = self.diff.hunks.iter().flat_map(|hunk| &hunk.lines);
        let lines = lines.map(|line| {
            let number = line.new_line.filter(|_| line.old_line.is_none());
            let number = number.or(line.old_line).unwrap_or_default();
            format!("  {number} {} {}", line.kind.sign(), line.text)
        });
        std::iter::once(head).chain(lines)
    }
}
