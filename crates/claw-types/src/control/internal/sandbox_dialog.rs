//! `get_sandbox_dialog`: what `/sandbox` shows.

/// To `claude`: what does `/sandbox` show? In no published type.
#[wire(tag(subtype = "get_sandbox_dialog"), response = GetSandboxDialogResponse)]
pub struct GetSandboxDialog {}

/// The answer to `get_sandbox_dialog`.
#[wire]
pub struct GetSandboxDialogResponse {
    /// Whether there can be a sandbox here.
    pub supported: bool,
    /// Why not: `wsl1`, `platform`, `excluded_platform`.
    pub unsupported_reason: Option<String>,
    /// Whether the organisation says how it is.
    pub locked: bool,
    /// Whether it says what may run outside.
    pub overrides_locked: bool,
    /// Where it says so.
    pub policy_origins: Option<Vec<String>>,
    /// Whether commands run in it.
    pub enabled: bool,
    /// Whether settings say so.
    pub enabled_in_settings: bool,
    /// Why they do not, though settings say so.
    pub unavailable_reason: Option<String>,
    /// How it is used.
    pub mode: SandboxMode,
    /// Whether `auto-allow` can be chosen.
    pub auto_allow_available: bool,
    /// Whether it can be switched off.
    pub no_sandbox_allowed: bool,
    /// Whether commands may run outside where it does not do.
    pub unsandboxed_fallback: bool,
    /// What it needs.
    pub dependencies: SandboxDependencies,
    /// Commands that run outside.
    pub excluded_commands: Vec<String>,
    /// What it lets through.
    pub restrictions: SandboxRestrictions,
}

/// How the sandbox is used.
#[wire(open)]
pub enum SandboxMode {
    /// Commands in it are not asked for.
    AutoAllow = "auto-allow",
    /// Commands in it are asked for as others are.
    Regular = "regular",
    /// It is not.
    Disabled = "disabled",
}

/// How it is with what the sandbox needs.
#[wire]
pub struct SandboxDependencies {
    /// What is missing.
    pub errors: Vec<String>,
    /// What would be better.
    pub warnings: Vec<String>,
}

/// What the sandbox lets through.
#[wire]
pub struct SandboxRestrictions {
    /// Paths that cannot be read.
    pub fs_deny_read: Vec<String>,
    /// Paths among them that can.
    pub fs_allow_read: Vec<String>,
    /// Paths that can be written.
    pub fs_allow_write: Vec<String>,
    /// Paths that cannot.
    pub fs_deny_write: Vec<String>,
    /// Domains that can be reached.
    pub network_allowed_domains: Vec<String>,
    /// Domains that cannot.
    pub network_denied_domains: Vec<String>,
    /// Whether only the organisation says which.
    pub network_managed: bool,
    /// Unix sockets that can be used.
    pub unix_sockets: Vec<String>,
    /// Whether all can.
    pub allow_all_unix_sockets: bool,
    /// Patterns that do nothing on this system.
    pub ignored_glob_patterns: Vec<String>,
    /// Unix sockets that do nothing on this system.
    pub ignored_unix_sockets: Option<Vec<String>>,
}
