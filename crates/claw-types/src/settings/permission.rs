//! The permission rules in settings files.

use crate::options::PermissionMode;

/// The permission rules. They determine whether a tool use is allowed, is denied, or requires that the user is asked. A
/// rule is a text such as `Bash(npm test:*)`. Deny rules take precedence over ask rules, and ask rules take precedence
/// over allow rules.
///
/// If a field is absent, other settings or the CLI's defaults decide.
#[wire(rename_all = "camelCase")]
pub struct SettingsPermissions {
    /// The rules for tool uses that are allowed without asking the user.
    pub allow: Option<Vec<String>>,
    /// The rules for tool uses that are denied.
    pub deny: Option<Vec<String>>,
    /// The rules for tool uses that require asking the user for permission.
    pub ask: Option<Vec<String>>,
    /// The default permission mode. The mode decides about the tool uses to which no rule applies.
    pub default_mode: Option<PermissionMode>,
    /// Additional working directories of every session.
    pub additional_directories: Option<Vec<String>>,
    /// Disables the permission mode `bypassPermissions`.
    pub disable_bypass_permissions_mode: Option<SettingsDisable>,
    /// Disables the permission mode `auto`.
    pub disable_auto_mode: Option<SettingsDisable>,
    /// Whether file tools may not read outside of the working directories.
    pub block_reads_outside_working_directories: Option<bool>,
    /// Whether file tools may not write outside of the working directories.
    pub block_writes_outside_working_directories: Option<bool>,
    /// The paths that may be read although reads outside of the working directories are blocked.
    pub block_reads_exempt_paths: Option<Vec<String>>,
    /// The working directories whose paths are used without resolving symbolic links.
    pub working_directories_as_given: Option<Vec<String>>,
    /// The paths that do not count as part of the working directories.
    pub working_directories_exclude: Option<Vec<String>>,
    /// Whether the CLI denies tool uses that require asking the user, instead of asking.
    pub deny_instead_of_prompting: Option<bool>,
}

/// The value of a setting that disables a feature.
#[wire(open)]
pub enum SettingsDisable {
    /// The feature is disabled.
    Disable = "disable",
}

/// The rules for the permission mode `auto`. They are sentences for the model that classifies tool uses in this mode.
///
/// If a field is absent, other settings or the CLI's defaults decide.
#[wire]
pub struct AutoModeSettings {
    /// Descriptions of the tool uses that are allowed.
    pub allow: Option<Vec<String>>,
    /// Descriptions of the tool uses that are denied unless the user has asked for them.
    pub soft_deny: Option<Vec<String>>,
    /// Descriptions of the tool uses that are always denied.
    pub hard_deny: Option<Vec<String>>,
    /// Facts about the environment, for the model that classifies tool uses.
    pub environment: Option<Vec<String>>,
    /// Whether every shell command is classified, even if a rule allows it.
    #[wire(rename = "classifyAllShell")]
    pub classify_all_shell: Option<bool>,
}
