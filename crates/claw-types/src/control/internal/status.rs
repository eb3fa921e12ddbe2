//! `get_status`: what `/status` shows.

/// To `claude`: what does `/status` show? In no published type.
#[wire(tag(subtype = "get_status"), response = GetStatusResponse)]
pub struct GetStatus {}

/// The answer to `get_status`.
#[wire]
pub struct GetStatusResponse {
    /// Its sections.
    pub sections: Vec<StatusSection>,
}

/// A section of what `/status` shows.
#[wire]
pub struct StatusSection {
    /// Its title.
    pub title: String,
    /// Its rows.
    pub rows: Vec<StatusRow>,
}

/// A row of what `/status` shows.
#[wire]
pub struct StatusRow {
    /// What it is about.
    pub label: Option<String>,
    /// What it says.
    pub value: String,
}
