//! `Projects`: documents and memory of a project on claude.ai.

use crate::{Count, Json};

/// What to do with a project.
#[wire(open)]
pub enum ProjectsMethod {
    /// Say what it is and holds.
    Info = "project_info",
    /// Read a document.
    Read = "project_read",
    /// Search its documents.
    Search = "project_search",
    /// Write a document.
    Write = "project_write",
    /// Delete a document.
    Delete = "project_delete",
    /// Say which files of memory there are.
    MemoryList = "project_memory_list",
    /// Read a file of memory.
    MemoryRead = "project_memory_read",
}

/// What `Projects` is given.
#[wire]
pub struct ProjectsInput {
    /// What to do.
    pub method: ProjectsMethod,
    /// The document to read, write or delete; the file of memory to read. A name without a
    /// directory, of a document that is new, is put under `claude/`.
    pub path: Option<String>,
    /// What is written. Not with `local_path`.
    pub content: Option<String>,
    /// The file of the working directory that is written. Not with `content`.
    pub local_path: Option<String>,
    /// Whether what is written is what the person asked for or must act on. Absent: no.
    pub present_to_user: Option<bool>,
    /// What is searched for.
    pub query: Option<String>,
    /// How many finds there may be; absent for 5.
    pub n: Option<Count>,
}

/// What `Projects` gives.
#[wire]
pub enum ProjectsOutput {
    /// What the project is and holds.
    Info(Box<ProjectInfo>),
    /// A document.
    Read(Box<ProjectRead>),
    /// What was found.
    Search(Box<ProjectSearch>),
    /// A document was written.
    Write(Box<ProjectWrite>),
    /// A document was deleted.
    Delete(Box<ProjectDelete>),
    /// The files of memory.
    MemoryList(Box<ProjectMemoryList>),
    /// A file of memory.
    MemoryRead(Box<ProjectMemoryRead>),
}

/// What a project is and holds.
#[wire(tag(method = "project_info"))]
pub struct ProjectInfo {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What the model is told in it.
    pub instructions: String,
    /// Its documents.
    pub docs: Vec<ProjectDoc>,
    /// How much it holds.
    pub knowledge: ProjectKnowledge,
    /// Something that the model should know.
    pub notice: Option<String>,
    /// The file that holds all of this, where it is long.
    pub local_file: Option<String>,
    /// Its files that are no text.
    pub files: Option<Vec<ProjectFile>>,
    /// Where documents come from.
    pub sync_sources: Option<Vec<ProjectSyncSource>>,
}

/// A document of a project.
#[wire]
pub struct ProjectDoc {
    /// Its path.
    pub path: String,
    /// When it was made.
    #[wire(nullable)]
    pub created_at: Option<String>,
}

/// A file of a project.
#[wire]
pub struct ProjectFile {
    /// Its path.
    pub path: String,
    /// The kind of file.
    pub file_kind: String,
    /// When it was made.
    #[wire(nullable)]
    pub created_at: Option<String>,
}

/// Where documents of a project come from.
#[wire]
pub struct ProjectSyncSource {
    /// The kind of source.
    #[wire(rename = "type", nullable)]
    pub kind: Option<String>,
    /// Which one, and what of it: an object of the source's own.
    pub config: Json,
}

/// How much a project holds.
#[wire]
pub struct ProjectKnowledge {
    /// How much it holds.
    pub knowledge_size: Count,
    /// How much it can hold.
    pub max_knowledge_size: Count,
}

/// A document.
#[wire(tag(method = "project_read"))]
pub struct ProjectRead {
    /// Its path.
    pub path: String,
    /// When it was made.
    #[wire(nullable)]
    pub created_at: Option<String>,
    /// Something that the model should know.
    pub notice: Option<String>,
    /// The kind of file, where it is no text.
    pub file_kind: Option<String>,
    /// What it says. Absent where it stands in `local_file`.
    pub content: Option<String>,
    /// The file on this machine that holds it, where it is long or no text.
    pub local_file: Option<String>,
}

/// What was found in the documents of a project.
#[wire(tag(method = "project_search"))]
pub struct ProjectSearch {
    /// Whether there is an index to search. Without one the answer is which documents there are.
    pub rag: bool,
    /// Something that the model should know.
    pub notice: Option<String>,
    /// What was found, the best first.
    pub hits: Option<Vec<ProjectHit>>,
    /// The paths of all documents.
    pub docs: Option<Vec<String>>,
}

/// A part of a document that fits what was searched for.
#[wire]
pub struct ProjectHit {
    /// The document's name.
    pub name: Option<String>,
    /// The document.
    pub doc_uuid: Option<String>,
    /// What it says there.
    pub text: Option<String>,
    /// Whether the model is shown it as an image.
    pub image_attached: Option<bool>,
    /// The page.
    pub page: Option<Count>,
}

/// A document was written.
#[wire(tag(method = "project_write"))]
pub struct ProjectWrite {
    /// Its path.
    pub path: String,
    /// The document.
    pub doc_uuid: String,
    /// Whether another one stood there.
    pub replaced: bool,
    /// Something that the model should know.
    pub notice: Option<String>,
    /// Whether it is what the person asked for or must act on.
    pub present_to_user: Option<bool>,
    /// The file that was written.
    pub local_path: Option<String>,
}

/// A document was deleted.
#[wire(tag(method = "project_delete"))]
pub struct ProjectDelete {
    /// Its path.
    pub path: String,
    /// Whether it is gone.
    pub deleted: bool,
    /// Something that the model should know.
    pub notice: Option<String>,
}

/// The files of a project's memory.
#[wire(tag(method = "project_memory_list"))]
pub struct ProjectMemoryList {
    /// The files.
    pub files: Vec<ProjectMemoryFile>,
    /// Whether there are more.
    pub truncated: bool,
    /// Something that the model should know.
    pub notice: Option<String>,
}

/// A file of a project's memory.
#[wire]
pub struct ProjectMemoryFile {
    /// Its path.
    pub path: String,
    /// How long it is, in bytes.
    pub size_bytes: Count,
    /// When it was changed last.
    #[wire(nullable)]
    pub updated_at: Option<String>,
    /// Whether reading it gives but a part.
    pub truncated: bool,
}

/// A file of a project's memory, read.
#[wire(tag(method = "project_memory_read"))]
pub struct ProjectMemoryRead {
    /// Its path.
    pub path: String,
    /// How long it is, in bytes.
    pub size_bytes: Count,
    /// When it was changed last.
    #[wire(nullable)]
    pub updated_at: Option<String>,
    /// Whether this is but a part.
    pub truncated: bool,
    /// Something that the model should know.
    pub notice: Option<String>,
    /// What it says. Absent where it stands in `local_file`.
    pub content: Option<String>,
    /// The file on this machine that holds it, where it is long.
    pub local_file: Option<String>,
}

#[cfg(test)]
mod tests;
