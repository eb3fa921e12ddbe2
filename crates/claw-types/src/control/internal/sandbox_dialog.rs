//! `get_sandbox_dialog`: the contents of the CLI's dialog `/sandbox`.

/// To `claude`: get the contents of the CLI's dialog `/sandbox`. Not part of the official SDK's
/// published types.
#[wire(tag(subtype = "get_sandbox_dialog"), response = GetSandboxDialogResponse)]
pub struct GetSandboxDialog {}

/// The response to `get_sandbox_dialog`.
#[wire]
pub struct GetSandboxDialogResponse {
    /// Whether a sandbox is supported on this system.
    pub supported: bool,
    /// The reason why a sandbox is not supported on this system: `wsl1`, `platform` or `excluded_platform`.
    pub unsupported_reason: Option<String>,
    /// Whether the organisation's policy determines if the sandbox is enabled.
    pub locked: bool,
    /// Whether the organisation's policy determines which commands may run outside of the sandbox.
    pub overrides_locked: bool,
    /// Codes for the sources of the organisation's policy, such as `remote` (a server) or `file` (a settings file).
    /// Empty if there is no policy. Older CLIs do not send this field.
    pub policy_origins: Option<Vec<String>>,
    /// Whether commands run in the sandbox.
    pub enabled: bool,
    /// Whether settings enable the sandbox.
    pub enabled_in_settings: bool,
    /// The reason why the sandbox is not used although settings enable it.
    pub unavailable_reason: Option<String>,
    /// The mode of the sandbox.
    pub mode: SandboxMode,
    /// Whether the mode `auto-allow` can be chosen.
    pub auto_allow_available: bool,
    /// Whether the sandbox can be disabled.
    pub no_sandbox_allowed: bool,
    /// Whether a command that fails in the sandbox may run again outside of it.
    pub unsandboxed_fallback: bool,
    /// The dependencies of the sandbox that are missing, and those that are recommended.
    pub dependencies: SandboxDependencies,
    /// The commands that run outside of the sandbox.
    pub excluded_commands: Vec<String>,
    /// The restrictions that the sandbox imposes on commands.
    pub restrictions: SandboxRestrictions,
}

/// The mode of a sandbox.
#[wire(open)]
pub enum SandboxMode {
    /// Commands in the sandbox need no permission.
    AutoAllow = "auto-allow",
    /// Commands in the sandbox need the same permissions as commands outside of it.
    Regular = "regular",
    /// The sandbox is not used.
    Disabled = "disabled",
}

/// The dependencies of a sandbox that are missing, and those that are recommended.
#[wire]
pub struct SandboxDependencies {
    /// The dependencies that are missing.
    pub errors: Vec<String>,
    /// The dependencies that are recommended.
    pub warnings: Vec<String>,
}

/// The restrictions of a sandbox.
#[wire]
pub struct SandboxRestrictions {
    /// The paths that cannot be read.
    pub fs_deny_read: Vec<String>,
    /// The paths that can be read although they are inside a path that cannot be read.
    pub fs_allow_read: Vec<String>,
    /// The paths that can be written.
    pub fs_allow_write: Vec<String>,
    /// The paths that cannot be written.
    pub fs_deny_write: Vec<String>,
    /// The domains that can be reached.
    pub network_allowed_domains: Vec<String>,
    /// The domains that cannot be reached.
    pub network_denied_domains: Vec<String>,
    /// Whether only the organisation's policy determines which domains can be reached.
    pub network_managed: bool,
    /// The Unix sockets that can be used.
    pub unix_sockets: Vec<String>,
    /// Whether all Unix sockets can be used.
    pub allow_all_unix_sockets: bool,
    /// The path patterns in the settings that have no effect on this system.
    pub ignored_glob_patterns: Vec<String>,
    /// The Unix sockets in the settings that have no effect on this system.
    pub ignored_unix_sockets: Option<Vec<String>>,
}
