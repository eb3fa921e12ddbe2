//! `get_memory_dialog`: what `/memory` shows.

use crate::Number;

/// To `claude`: what does `/memory` show? In no published type.
#[wire(tag(subtype = "get_memory_dialog"), response = GetMemoryDialogResponse)]
pub struct GetMemoryDialog {}

/// The answer to `get_memory_dialog`.
#[wire]
pub struct GetMemoryDialogResponse {
    /// Files of instructions.
    pub files: Vec<MemoryDialogFile>,
    /// Folders with what was remembered.
    pub folders: Vec<MemoryDialogFolder>,
    /// What was remembered.
    pub memories: Option<Vec<MemoryDialogEntry>>,
    /// Whether it remembers by itself.
    pub auto_memory: AutoMemoryState,
    /// Whether it tidies up what it remembers.
    pub auto_dream: AutoDreamState,
}

/// A file of instructions.
#[wire]
pub struct MemoryDialogFile {
    /// Whose.
    pub kind: MemoryFileKind,
    /// The file.
    pub path: String,
    /// The file's name in the dialog.
    pub label: String,
    /// The dialog's explanation of the file.
    pub description: String,
    /// Whether the file is there.
    pub exists: bool,
}

/// Whose file of instructions.
#[wire(open)]
pub enum MemoryFileKind {
    /// The user's.
    User = "user",
    /// The project's.
    Project = "project",
    /// The project's, in `.claude`.
    ProjectAlt = "project-alt",
    /// The project's, of this machine alone.
    Local = "local",
    /// Another that was read.
    Other = "other",
}

/// A folder with what was remembered.
#[wire]
pub struct MemoryDialogFolder {
    /// Whose.
    pub kind: MemoryFolderKind,
    /// The folder.
    pub path: String,
    /// The folder's name in the dialog.
    pub label: String,
    /// The dialog's explanation of the folder.
    pub description: String,
}

/// Whose folder of what was remembered.
#[wire(open)]
pub enum MemoryFolderKind {
    /// The session's.
    Auto = "auto",
    /// The team's.
    Team = "team",
    /// A sub-agent's.
    Agent = "agent",
}

/// Something that was remembered.
#[wire]
pub struct MemoryDialogEntry {
    /// What it is called.
    pub name: String,
    /// Its file.
    pub path: String,
    /// What it is.
    #[wire(nullable)]
    pub description: Option<String>,
    /// What it is about.
    #[wire(rename = "type", nullable)]
    pub kind: Option<MemoryType>,
    /// When it was changed, in milliseconds since 1970.
    pub modified_ms: Number,
}

/// What a memory is about.
#[wire(open)]
pub enum MemoryType {
    /// The user.
    User = "user",
    /// What the user said about the work.
    Feedback = "feedback",
    /// The project.
    Project = "project",
    /// Where something is to be found.
    Reference = "reference",
}

/// Whether the CLI remembers by itself.
#[wire]
pub struct AutoMemoryState {
    /// It does.
    pub enabled: bool,
    /// The user can change that.
    pub toggleable: bool,
    /// The same, to be shown.
    pub status: String,
}

/// Whether the CLI tidies up what it remembers.
#[wire]
pub struct AutoDreamState {
    /// Whether to show it.
    pub shown: bool,
    /// It does.
    pub enabled: bool,
    /// The user can change that.
    pub toggleable: bool,
    /// The same, to be shown.
    pub status: String,
    /// More about it, to be shown.
    pub detail: String,
}
