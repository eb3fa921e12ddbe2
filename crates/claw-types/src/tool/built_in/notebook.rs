//! `NotebookEdit`: changes a cell of a Jupyter notebook.

/// The input of the `NotebookEdit` tool.
#[wire]
pub struct NotebookEditInput {
    /// The absolute path of the notebook.
    pub notebook_path: String,
    /// The new source of the cell.
    pub new_source: String,
    /// The ID of the cell. A new cell is inserted after this cell, or at the beginning of the
    /// notebook if the ID is absent.
    pub cell_id: Option<String>,
    /// The type of the cell. Required for a new cell. If absent, the type does not change.
    pub cell_type: Option<NotebookCellType>,
    /// The operation to perform on the cell. Absent means `replace`.
    pub edit_mode: Option<NotebookEditMode>,
}

/// The type of a notebook cell.
#[wire(open)]
pub enum NotebookCellType {
    /// A notebook cell with code.
    Code = "code",
    /// A notebook cell with Markdown text.
    Markdown = "markdown",
}

/// An operation on a notebook cell.
#[wire(open)]
pub enum NotebookEditMode {
    /// Replaces the source of the cell.
    Replace = "replace",
    /// Inserts a new cell.
    Insert = "insert",
    /// Deletes the cell.
    Delete = "delete",
}

/// The output of the `NotebookEdit` tool.
#[wire]
pub struct NotebookEditOutput {
    /// The new source of the cell.
    pub new_source: String,
    /// The type of the cell.
    pub cell_type: NotebookCellType,
    /// The programming language of the notebook.
    pub language: String,
    /// The operation that was performed on the cell.
    pub edit_mode: NotebookEditMode,
    /// The path of the notebook.
    pub notebook_path: String,
    /// The content of the file before the change.
    pub original_file: String,
    /// The content of the file after the change.
    pub updated_file: String,
    /// The source of the cell before the change. Absent for a new cell.
    pub old_source: Option<String>,
    /// The ID of the cell.
    pub cell_id: Option<String>,
    /// The reason why the change failed. Empty or absent if it succeeded.
    pub error: Option<String>,
}
