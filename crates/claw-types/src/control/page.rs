//! Requests for what the CLI's own pages show, so that a host can show it as well. In no published
//! type.

use crate::Count;

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

/// To `claude`: the conversation as text, as `/export` writes it. In no published type.
#[wire(tag(subtype = "export_conversation"), response = ExportConversationResponse)]
pub struct ExportConversation {}

/// The answer to `export_conversation`.
#[wire]
pub struct ExportConversationResponse {
    /// The conversation.
    pub text: String,
    /// What to call a file with it.
    pub default_filename: String,
}

/// To `claude`: what does `/skills` show? In no published type.
#[wire(tag(subtype = "get_skills_dialog"), response = GetSkillsDialogResponse)]
pub struct GetSkillsDialog {}

/// The answer to `get_skills_dialog`.
#[wire]
pub struct GetSkillsDialogResponse {
    /// The skills that are not the CLI's own.
    pub skills: Vec<SkillsDialogRow>,
}

/// A skill.
#[wire]
pub struct SkillsDialogRow {
    /// Its whole name, as settings have it.
    pub name: String,
    /// What it is called.
    pub display_name: String,
    /// What it does.
    pub description: String,
    /// Whose it is: `user`, `project`, `plugin` ….
    pub source: String,
    /// How much it takes of the context window.
    pub tokens: Count,
    /// Whether it is used.
    pub state: SkillState,
    /// Why that cannot be changed. Absent where it can.
    pub locked_by: Option<SkillLock>,
    /// Whether the model is told of it.
    pub advertised: bool,
    /// Its other names.
    pub handles: SkillHandles,
}

/// Whether a skill is used.
#[wire(open)]
pub enum SkillState {
    /// It is.
    On = "on",
    /// It is, and the model is told its name alone.
    NameOnly = "name-only",
    /// Only by the user.
    UserInvocableOnly = "user-invocable-only",
    /// It is not.
    Off = "off",
}

/// Why it cannot be changed whether a skill is used.
#[wire(open)]
pub enum SkillLock {
    /// Its author says how.
    Author = "author",
    /// Its plugin is on or off as a whole.
    Plugin = "plugin",
    /// The organisation says how.
    Policy = "policy",
    /// A flag says how.
    Flag = "flag",
    /// Its name is the CLI's.
    ReservedName = "reserved-name",
}

/// The other names of a skill.
#[wire]
pub struct SkillHandles {
    /// Its name without that of its plugin.
    pub unqualified_name: Option<String>,
    /// Others.
    pub aliases: Option<Vec<String>>,
    /// Whether the short name is the CLI's.
    pub bare_name_reserved: Option<bool>,
}
