//! `Projects`: documents and memory of a project on claude.ai.

use crate::{Count, Json};

/// An operation on a project.
#[wire(open)]
pub enum ProjectsMethod {
    /// Describes the project and lists its contents.
    Info = "project_info",
    /// Reads a document.
    Read = "project_read",
    /// Searches the documents.
    Search = "project_search",
    /// Writes a document.
    Write = "project_write",
    /// Deletes a document.
    Delete = "project_delete",
    /// Lists the memory files.
    MemoryList = "project_memory_list",
    /// Reads a memory file.
    MemoryRead = "project_memory_read",
}

/// The input of the `Projects` tool.
#[wire]
pub struct ProjectsInput {
    /// The operation to perform.
    pub method: ProjectsMethod,
    /// The document to read, write or delete, or the memory file to read. A new document whose path has no directory is
    /// put under `claude/`.
    pub path: Option<String>,
    /// The content to write. Cannot be combined with `local_path`.
    pub content: Option<String>,
    /// The file in the working directory whose content is written to the document. Cannot be combined with `content`.
    pub local_path: Option<String>,
    /// Whether the written document is for the user, because the user asked for it or must act on it. Absent means
    /// `false`.
    pub present_to_user: Option<bool>,
    /// The search query.
    pub query: Option<String>,
    /// The maximum number of search hits. Absent means 5.
    pub n: Option<Count>,
}

/// The output of the `Projects` tool.
#[wire]
pub enum ProjectsOutput {
    /// The description of the project.
    Info(Box<ProjectInfo>),
    /// A document that was read.
    Read(Box<ProjectRead>),
    /// The hits of a search.
    Search(Box<ProjectSearch>),
    /// A document was written.
    Write(Box<ProjectWrite>),
    /// A document was deleted.
    Delete(Box<ProjectDelete>),
    /// The list of memory files.
    MemoryList(Box<ProjectMemoryList>),
    /// A memory file that was read.
    MemoryRead(Box<ProjectMemoryRead>),
}

/// The description and contents of a project.
#[wire(tag(method = "project_info"))]
pub struct ProjectInfo {
    /// The name of the project.
    pub name: String,
    /// The purpose of the project.
    pub description: String,
    /// The instructions that the project gives to the model.
    pub instructions: String,
    /// The documents of the project.
    pub docs: Vec<ProjectDoc>,
    /// The size of the project's knowledge, and its maximum size.
    pub knowledge: ProjectKnowledge,
    /// A notice for the model. Absent if there is none.
    pub notice: Option<String>,
    /// The path of the local file with the complete output. Present if the output is long.
    pub local_file: Option<String>,
    /// The files of the project that are not text.
    pub files: Option<Vec<ProjectFile>>,
    /// The sources from which the project's documents are synchronised.
    pub sync_sources: Option<Vec<ProjectSyncSource>>,
}

/// A document in the list of a project's documents.
#[wire]
pub struct ProjectDoc {
    /// The path of the document.
    pub path: String,
    /// The time at which the document was created.
    #[wire(nullable)]
    pub created_at: Option<String>,
}

/// A non-text file in the list of a project's files.
#[wire]
pub struct ProjectFile {
    /// The path of the file.
    pub path: String,
    /// The kind of the file. The CLI does not document its values.
    pub file_kind: String,
    /// The time at which the file was created.
    #[wire(nullable)]
    pub created_at: Option<String>,
}

/// A source from which documents of a project are synchronised.
#[wire]
pub struct ProjectSyncSource {
    /// The type of the source. The CLI does not document its values.
    #[wire(rename = "type", nullable)]
    pub kind: Option<String>,
    /// The configuration of the source: an object whose form the source defines.
    pub config: Json,
}

/// The size of a project's knowledge, and its maximum size. The CLI does not document the unit of these sizes.
#[wire]
pub struct ProjectKnowledge {
    /// The current size of the project's knowledge. The CLI does not document its unit.
    pub knowledge_size: Count,
    /// The maximum size of the project's knowledge. The CLI does not document its unit.
    pub max_knowledge_size: Count,
}

/// Output of the `Projects` tool after reading a document.
#[wire(tag(method = "project_read"))]
pub struct ProjectRead {
    /// The path of the document.
    pub path: String,
    /// The time at which the document was created.
    #[wire(nullable)]
    pub created_at: Option<String>,
    /// A notice for the model. Absent if there is none.
    pub notice: Option<String>,
    /// The kind of the file. Present if the document is not text. The CLI does not document its values.
    pub file_kind: Option<String>,
    /// The content of the document. Absent if it is in `local_file`.
    pub content: Option<String>,
    /// The path of the local file with the content. Present if the content is long or not text.
    pub local_file: Option<String>,
}

/// Output of the `Projects` tool after searching the documents of a project.
#[wire(tag(method = "project_search"))]
pub struct ProjectSearch {
    /// Whether the project has a search index. If it has none, the output lists the project's documents instead of
    /// hits.
    pub rag: bool,
    /// A notice for the model. Absent if there is none.
    pub notice: Option<String>,
    /// The hits, the best first.
    pub hits: Option<Vec<ProjectHit>>,
    /// The paths of all documents of the project.
    pub docs: Option<Vec<String>>,
}

/// A passage of a document that matches a search.
#[wire]
pub struct ProjectHit {
    /// The name of the document.
    pub name: Option<String>,
    /// The UUID of the document.
    pub doc_uuid: Option<String>,
    /// The text of the passage.
    pub text: Option<String>,
    /// Whether the model receives the passage as an image.
    pub image_attached: Option<bool>,
    /// The number of the page that contains the passage.
    pub page: Option<Count>,
}

/// Output of the `Projects` tool after writing a document.
#[wire(tag(method = "project_write"))]
pub struct ProjectWrite {
    /// The path of the document.
    pub path: String,
    /// The UUID of the document.
    pub doc_uuid: String,
    /// Whether an existing document was replaced.
    pub replaced: bool,
    /// A notice for the model. Absent if there is none.
    pub notice: Option<String>,
    /// Whether the document is for the user, who asked for it or must act on it.
    pub present_to_user: Option<bool>,
    /// The path of the local file whose content was written to the document.
    pub local_path: Option<String>,
}

/// Output of the `Projects` tool after deleting a document.
#[wire(tag(method = "project_delete"))]
pub struct ProjectDelete {
    /// The path of the document.
    pub path: String,
    /// Whether the document no longer exists.
    pub deleted: bool,
    /// A notice for the model. Absent if there is none.
    pub notice: Option<String>,
}

/// Output of the `Projects` tool after listing a project's memory files.
#[wire(tag(method = "project_memory_list"))]
pub struct ProjectMemoryList {
    /// The memory files.
    pub files: Vec<ProjectMemoryFile>,
    /// Whether there are more files than are listed here.
    pub truncated: bool,
    /// A notice for the model. Absent if there is none.
    pub notice: Option<String>,
}

/// A memory file of a project.
#[wire]
pub struct ProjectMemoryFile {
    /// The path of the file.
    pub path: String,
    /// The size of the file, in bytes.
    pub size_bytes: Count,
    /// The time of the last change.
    #[wire(nullable)]
    pub updated_at: Option<String>,
    /// Whether reading the file returns only a part of it.
    pub truncated: bool,
}

/// Output of the `Projects` tool after reading a memory file.
#[wire(tag(method = "project_memory_read"))]
pub struct ProjectMemoryRead {
    /// The path of the file.
    pub path: String,
    /// The size of the file, in bytes.
    pub size_bytes: Count,
    /// The time of the last change.
    #[wire(nullable)]
    pub updated_at: Option<String>,
    /// Whether `content` is only a part of the file.
    pub truncated: bool,
    /// A notice for the model. Absent if there is none.
    pub notice: Option<String>,
    /// The content of the file. Absent if it is in `local_file`.
    pub content: Option<String>,
    /// The path of the local file with the content. Present if the content is long.
    pub local_file: Option<String>,
}

#[cfg(test)]
mod tests;
