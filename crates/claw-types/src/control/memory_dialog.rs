//! `get_memory_dialog`: what `/memory` shows. In no published type.

use super::Request;
use crate::open_enum::open_enum;
use crate::{Extra, Number};
use claw_types_derive::Wire;

/// To `claude`: what does `/memory` show? In no published type.
#[derive(Wire, Debug, Clone, PartialEq)]
#[wire(tag(subtype = "get_memory_dialog"))]
#[non_exhaustive]
pub struct GetMemoryDialog {
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

impl Request for GetMemoryDialog {
    type Response = GetMemoryDialogResponse;
}

/// The answer to `get_memory_dialog`.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// A file of instructions.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MemoryDialogFile {
    /// Whose.
    pub kind: MemoryFileKind,
    /// The file.
    pub path: String,
    /// What it is called.
    pub label: String,
    /// What it is.
    pub description: String,
    /// Whether it is there.
    pub exists: bool,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// Whose file of instructions.
    MemoryFileKind {
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
}

/// A folder with what was remembered.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MemoryDialogFolder {
    /// Whose.
    pub kind: MemoryFolderKind,
    /// The folder.
    pub path: String,
    /// What it is called.
    pub label: String,
    /// What it is.
    pub description: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// Whose folder of what was remembered.
    MemoryFolderKind {
        /// The session's.
        Auto = "auto",
        /// The team's.
        Team = "team",
        /// A sub-agent's.
        Agent = "agent",
    }
}

/// Something that was remembered.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

open_enum! {
    /// What a memory is about.
    MemoryType {
        /// The user.
        User = "user",
        /// What the user said about the work.
        Feedback = "feedback",
        /// The project.
        Project = "project",
        /// Where something is to be found.
        Reference = "reference",
    }
}

/// Whether the CLI remembers by itself.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AutoMemoryState {
    /// It does.
    pub enabled: bool,
    /// The user can change that.
    pub toggleable: bool,
    /// The same, to be shown.
    pub status: String,
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}

/// Whether the CLI tidies up what it remembers.
#[derive(Wire, Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// Fields that claw does not know.
    #[wire(extra)]
    pub extra: Extra,
}
