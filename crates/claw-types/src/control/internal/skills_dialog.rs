//! `get_skills_dialog`: the contents of the CLI's dialog `/skills`.

use crate::Count;
use crate::settings::SkillState;

/// To `claude`: get the contents of the CLI's dialog `/skills`. Not part of the official SDK's
/// published types.
#[wire(tag(subtype = "get_skills_dialog"), response = GetSkillsDialogResponse)]
pub struct GetSkillsDialog {}

/// The response to `get_skills_dialog`.
#[wire]
pub struct GetSkillsDialogResponse {
    /// The skills of the session. The CLI's own skills are not included.
    pub skills: Vec<SkillsDialogRow>,
}

/// A skill in the skills dialog.
#[wire]
pub struct SkillsDialogRow {
    /// The full name of the skill, as it is written in settings.
    pub name: String,
    /// The display name of the skill.
    pub display_name: String,
    /// A description of the skill.
    pub description: String,
    /// The source of the skill, such as `user`, `project` or `plugin`.
    pub source: String,
    /// The number of tokens that the skill takes in the context window.
    pub tokens: Count,
    /// The state of the skill: whether it is enabled, and for whom.
    pub state: SkillState,
    /// The reason why the state of the skill cannot be changed. Absent if it can be changed.
    pub locked_by: Option<SkillLock>,
    /// Whether the list of skills that the model receives contains the skill.
    pub advertised: bool,
    /// The other names of the skill.
    pub handles: SkillHandles,
}

/// The reason why the state of a skill cannot be changed.
#[wire(open)]
pub enum SkillLock {
    /// The skill itself states that the model may not use it.
    Author = "author",
    /// A plugin provides the skill.
    Plugin = "plugin",
    /// The organisation's settings determine the state of the skill.
    Policy = "policy",
    /// The settings with which the CLI was started determine the state of the skill.
    Flag = "flag",
    /// The name of the skill is reserved, so settings cannot contain an entry for it. An example is
    /// `__proto__`.
    ReservedName = "reserved-name",
}

/// The other names of a skill.
#[wire]
pub struct SkillHandles {
    /// The name of the skill without the name of its plugin.
    pub unqualified_name: Option<String>,
    /// Aliases of the skill.
    pub aliases: Option<Vec<String>>,
    /// Whether `unqualified_name` is reserved. If so, settings under this name do not apply to the
    /// skill.
    pub bare_name_reserved: Option<bool>,
}
