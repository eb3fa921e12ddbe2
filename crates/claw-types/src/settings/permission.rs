//! Permissions as settings say them.

use crate::options::PermissionMode;

/// What is allowed, what is refused, what is asked for. Rules are such as `Bash(npm test:*)`; what
/// is refused goes before what is asked for, and that before what is allowed.
#[wire(rename_all = "camelCase")]
pub struct SettingsPermissions {
    /// Rules for what is allowed.
    pub allow: Option<Vec<String>>,
    /// Rules for what is refused.
    pub deny: Option<Vec<String>>,
    /// Rules for what is asked for.
    pub ask: Option<Vec<String>>,
    /// What is asked for where no rule says anything.
    pub default_mode: Option<PermissionMode>,
    /// Folders that belong to every session.
    pub additional_directories: Option<Vec<String>>,
    /// There is no mode `bypassPermissions`.
    pub disable_bypass_permissions_mode: Option<SettingsDisable>,
    /// There is no mode `auto`.
    pub disable_auto_mode: Option<SettingsDisable>,
    /// Nothing is read outside the session's folders.
    pub block_reads_outside_working_directories: Option<bool>,
    /// Nothing is written outside of them.
    pub block_writes_outside_working_directories: Option<bool>,
    /// But these can be read.
    pub block_reads_exempt_paths: Option<Vec<String>>,
    /// Folders whose links are not resolved.
    pub working_directories_as_given: Option<Vec<String>>,
    /// Folders that do not belong to a session.
    pub working_directories_exclude: Option<Vec<String>>,
    /// What would be asked for is refused.
    pub deny_instead_of_prompting: Option<bool>,
}

/// That there is something not.
#[wire(open)]
pub enum SettingsDisable {
    /// There is none.
    Disable = "disable",
}

/// What the permission mode `auto` goes by: sentences for the model that decides.
#[wire]
pub struct AutoModeSettings {
    /// What to allow.
    pub allow: Option<Vec<String>>,
    /// What to refuse, unless the user wants it.
    pub soft_deny: Option<Vec<String>>,
    /// What to refuse.
    pub hard_deny: Option<Vec<String>>,
    /// What to know of the surroundings.
    pub environment: Option<Vec<String>>,
    /// Decides on every command, also where a rule allows it.
    #[wire(rename = "classifyAllShell")]
    pub classify_all_shell: Option<bool>,
}
