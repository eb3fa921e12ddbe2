//! `get_status`: the contents of the CLI's dialog `/status`.

/// To `claude`: get the contents of the CLI's dialog `/status`. Not part of the official SDK's
/// published types.
#[wire(tag(subtype = "get_status"), response = GetStatusResponse)]
pub struct GetStatus {}

/// The response to `get_status`.
#[wire]
pub struct GetStatusResponse {
    /// The sections of the CLI's dialog `/status`.
    pub sections: Vec<StatusSection>,
}

/// A section of the CLI's dialog `/status`.
#[wire]
pub struct StatusSection {
    /// The title of the section.
    pub title: String,
    /// The rows of the section.
    pub rows: Vec<StatusRow>,
}

/// A row of the CLI's dialog `/status`.
#[wire]
pub struct StatusRow {
    /// The label of the row.
    pub label: Option<String>,
    /// The value of the row.
    pub value: String,
}
