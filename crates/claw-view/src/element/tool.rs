//! Elements of tools.

use claw_types::{Json, ToolUseId};

use crate::diff::FileDiff;
use crate::shown::shown;
use crate::{Activity, Preview};

shown! {
    /// An element for a tool use.
    pub struct ToolCall {
        /// The ID of the tool use. The [`ToolResult`] for it has the same `tool_use_id`.
        pub tool_use_id: ToolUseId,
        /// The name of the tool in the protocol, such as `Bash`.
        pub tool: String,
        /// The tool use in one line, such as `Bash(go test ./...)`.
        pub title: String,
        /// The kind of work that the tool does.
        pub activity: Activity,
        /// The input of the tool. Null while the model is still writing it.
        pub input: Option<Json>,
        /// The purpose of the tool use, in the model's words. Null if the model gave no purpose.
        pub description: Option<String>,
        /// The status of the tool use.
        pub status: ToolStatus,
        /// The last reported run time of the tool, in seconds. Null if unknown.
        pub elapsed_seconds: Option<f64>,
        /// The change to a file by `Write`, `MultiEdit` or `NotebookEdit`. Null for other tools.
        pub diff: Option<FileDiff>,
        /// Whether the tool runs on the API's servers. Otherwise it runs on the CLI's machine.
        pub at_api: bool,
    }

    /// An element for a use of the `Edit` tool: a replacement of text in a file.
    pub struct EditDiff {
        /// The ID of the tool use. The [`ToolResult`] for it has the same `tool_use_id`.
        pub tool_use_id: ToolUseId,
        /// The tool use in one line, such as `Update(.../file.go)`.
        pub title: String,
        /// The path of the file.
        pub file_path: String,
        /// The number of added and removed lines in words, such as `Added 16 lines, removed 2 lines`.
        pub summary: String,
        /// The change to the file. Once the tool has made the change, the line numbers in the diff are those of the
        /// file.
        pub diff: FileDiff,
        /// The status of the tool use.
        pub status: ToolStatus,
        /// Whether every occurrence of the old text is replaced.
        pub replace_all: bool,
    }

    /// The status of a tool use.
    #[derive(Copy, Eq)]
    pub enum ToolStatus {
        /// The model is still writing the input.
        Streaming,
        /// The tool is running or waiting to run.
        Running,
        /// The tool waits for permission to run.
        Asking,
        /// The tool has completed.
        Done,
        /// The tool has failed.
        Failed,
        /// The tool use was denied.
        Denied,
        /// The tool use was interrupted or cancelled.
        Interrupted,
    }

    /// An element with the result of a tool use.
    pub struct ToolResult {
        /// The ID of the tool use that the result answers.
        pub tool_use_id: ToolUseId,
        /// The name of the tool in the protocol, such as `Bash`. Null if the tool use of this result is unknown.
        pub tool: Option<String>,
        /// The result as text. Each image or document in the result is an element of its own.
        pub text: String,
        /// The part of `text` that a person should see: without the text that the CLI adds for the model, and without
        /// escape sequences for colours. Null if a person should see all of `text`.
        pub shown: Option<String>,
        /// A preview of the text that a person should see: its beginning, or its end if the tool failed.
        pub preview: Preview,
        /// Whether the tool failed.
        pub is_error: bool,
        /// The reason why the tool did not run. Null if it ran.
        pub denial: Option<Denial>,
    }

    /// The reason why a tool did not run, or was interrupted.
    pub struct Denial {
        /// The kind of reason in the words of the protocol, such as `user-rejected`, `permission-rule` or
        /// `interrupted`.
        pub kind: String,
        /// The reason in words for a person, such as `the answer was no`.
        pub text: String,
        /// The message that a person wrote when denying the tool use. Null if there is none.
        pub feedback: Option<String>,
    }

    /// An element with changes to files, from `git diff` or from the response to `get_workspace_diff`.
    pub struct GitDiff {
        /// The number of added and removed lines in all files, in words.
        pub summary: String,
        /// The files that were changed.
        pub files: Vec<FileDiff>,
    }
}

impl EditDiff {
    /// Returns the element as lines of text, which are not escaped for a terminal. The first line describes the change.
    /// The lines of the diff follow, each with its line number. A removed line has its old number, and an added line
    /// has its new number.
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
