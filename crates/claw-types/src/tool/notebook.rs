//! `NotebookEdit`: changes a cell of a notebook.

/// What `NotebookEdit` is given.
#[wire]
pub struct NotebookEditInput {
    /// The notebook: an absolute path.
    pub notebook_path: String,
    /// What the cell will hold.
    pub new_source: String,
    /// The cell. A new one comes behind it; absent: at the beginning.
    pub cell_id: Option<String>,
    /// What the cell is. A new one needs it; absent: what it was.
    pub cell_type: Option<NotebookCellType>,
    /// What is done. Absent: the cell is replaced.
    pub edit_mode: Option<NotebookEditMode>,
}

/// What a cell holds.
#[wire(open)]
pub enum NotebookCellType {
    /// A program.
    Code = "code",
    /// Text.
    Markdown = "markdown",
}

/// What is done to a cell.
#[wire(open)]
pub enum NotebookEditMode {
    /// It gets another content.
    Replace = "replace",
    /// It is new.
    Insert = "insert",
    /// It goes.
    Delete = "delete",
}

/// What `NotebookEdit` gives.
#[wire]
pub struct NotebookEditOutput {
    /// What the cell holds.
    pub new_source: String,
    /// What it is.
    pub cell_type: NotebookCellType,
    /// The notebook's language.
    pub language: String,
    /// What was done.
    pub edit_mode: NotebookEditMode,
    /// The notebook.
    pub notebook_path: String,
    /// The file as it was.
    pub original_file: String,
    /// The file as it is.
    pub updated_file: String,
    /// What the cell held. Absent for a new one.
    pub old_source: Option<String>,
    /// The cell.
    pub cell_id: Option<String>,
    /// Why it failed. Empty or absent: it did not.
    pub error: Option<String>,
}
