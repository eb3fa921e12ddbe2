//! The permission modes, and the party that answers permission requests.

/// The permission mode, which determines the tool uses that require a permission.
#[wire(open)]
pub enum PermissionMode {
    /// Dangerous tool uses require a permission.
    Default = "default",
    /// File edits are allowed without asking.
    AcceptEdits = "acceptEdits",
    /// Everything is allowed without asking. This mode requires `allowDangerouslySkipPermissions`, and the CLI refuses
    /// it for the root user.
    BypassPermissions = "bypassPermissions",
    /// The model plans and does not change anything.
    Plan = "plan",
    /// Tool uses that require a permission are denied without asking.
    DontAsk = "dontAsk",
    /// A model classifies the tool uses that otherwise require a permission, and allows or denies them.
    Auto = "auto",
    /// The mode of a team's leading agent, which only delegates work. Only older CLIs have this mode.
    Delegate = "delegate",
}

/// The party that answers permission requests.
#[wire(open)]
pub enum PermissionPrompts {
    /// The host answers permission requests, with its callback or with an MCP tool.
    Host = "host",
    /// Nobody answers permission requests. Tool uses that require a permission are denied at once, and the host's
    /// callback is never called.
    None = "none",
}
