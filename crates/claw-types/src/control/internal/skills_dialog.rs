//! `get_skills_dialog`: what `/skills` shows.

use crate::Count;
use crate::settings::SkillState;

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
