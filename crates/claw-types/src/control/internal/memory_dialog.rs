//! `get_memory_dialog`: the contents of the CLI's dialog `/memory`.

use crate::Number;

/// To `claude`: get the contents of the CLI's dialog `/memory`. Not part of the official SDK's
/// published types.
#[wire(tag(subtype = "get_memory_dialog"), response = GetMemoryDialogResponse)]
pub struct GetMemoryDialog {}

/// The response to `get_memory_dialog`.
#[wire]
pub struct GetMemoryDialogResponse {
    /// The instruction files.
    pub files: Vec<MemoryDialogFile>,
    /// The memory folders.
    pub folders: Vec<MemoryDialogFolder>,
    /// The saved memories.
    pub memories: Option<Vec<MemoryDialogEntry>>,
    /// The state of automatic memory, in which the CLI saves memories by itself.
    pub auto_memory: AutoMemoryState,
    /// The state of automatic tidying, in which the CLI tidies its memories by itself.
    pub auto_dream: AutoDreamState,
}

/// An instruction file in the memory dialog.
#[wire]
pub struct MemoryDialogFile {
    /// The scope of the file.
    pub kind: MemoryFileKind,
    /// The path of the file.
    pub path: String,
    /// The display name of the file.
    pub label: String,
    /// The text with which the dialog explains the file.
    pub description: String,
    /// Whether the file exists.
    pub exists: bool,
}

/// The scope of an instruction file.
#[wire(open)]
pub enum MemoryFileKind {
    /// The user's own instruction file.
    User = "user",
    /// The project's instruction file.
    Project = "project",
    /// The project's instruction file in its folder `.claude`.
    ProjectAlt = "project-alt",
    /// The project's instruction file for this machine only.
    Local = "local",
    /// Another instruction file that was loaded.
    Other = "other",
}

/// A memory folder in the memory dialog.
#[wire]
pub struct MemoryDialogFolder {
    /// The owner of the folder.
    pub kind: MemoryFolderKind,
    /// The path of the folder.
    pub path: String,
    /// The display name of the folder.
    pub label: String,
    /// The text with which the dialog explains the folder.
    pub description: String,
}

/// The owner of a memory folder.
#[wire(open)]
pub enum MemoryFolderKind {
    /// The folder of the memories that the CLI keeps by itself.
    Auto = "auto",
    /// The folder of memories that a team shares.
    Team = "team",
    /// The folder of a sub-agent's memories.
    Agent = "agent",
}

/// A memory that was saved, as the memory dialog lists it.
#[wire]
pub struct MemoryDialogEntry {
    /// The name of the memory.
    pub name: String,
    /// The path of the memory's file.
    pub path: String,
    /// A description of the memory. Null if the memory has no description.
    #[wire(nullable)]
    pub description: Option<String>,
    /// The subject of the memory. Null if the memory states no subject.
    #[wire(rename = "type", nullable)]
    pub kind: Option<MemoryType>,
    /// The time at which the memory last changed, in milliseconds since 1970.
    pub modified_ms: Number,
}

/// The subject of a memory.
#[wire(open)]
pub enum MemoryType {
    /// Facts about the user.
    User = "user",
    /// Feedback from the user about the model's work.
    Feedback = "feedback",
    /// Facts about the project.
    Project = "project",
    /// References to the places where information can be found.
    Reference = "reference",
}

/// The state of automatic memory, in which the CLI saves memories by itself.
#[wire]
pub struct AutoMemoryState {
    /// Whether automatic memory is enabled.
    pub enabled: bool,
    /// Whether the user can enable or disable automatic memory.
    pub toggleable: bool,
    /// The state as text for display.
    pub status: String,
}

/// The state of automatic tidying, in which the CLI tidies its memories by itself.
#[wire]
pub struct AutoDreamState {
    /// Whether the memory dialog shows this state.
    pub shown: bool,
    /// Whether automatic tidying is enabled.
    pub enabled: bool,
    /// Whether the user can enable or disable automatic tidying.
    pub toggleable: bool,
    /// The state as text for display.
    pub status: String,
    /// Details of the state as text for display.
    pub detail: String,
}
