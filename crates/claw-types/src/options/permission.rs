//! Permission modes, and who answers permission requests.

/// The permission mode: which tool uses require a permission.
#[wire(open)]
pub enum PermissionMode {
    /// Dangerous tool uses require a permission.
    Default = "default",
    /// File edits are allowed without asking.
    AcceptEdits = "acceptEdits",
    /// Everything is allowed without asking. Needs `allowDangerouslySkipPermissions`; refused for
    /// the root user.
    BypassPermissions = "bypassPermissions",
    /// The model plans and does not change anything.
    Plan = "plan",
    /// Tool uses that require a permission are denied without asking.
    DontAsk = "dontAsk",
    /// A model classifies the tool uses that would require a permission, and allows or denies them.
    Auto = "auto",
    /// A team lead that delegates work. Older CLIs only.
    Delegate = "delegate",
}

/// The party that answers permission requests.
#[wire(open)]
pub enum PermissionPrompts {
    /// The host answers, by its callback or an MCP tool.
    Host = "host",
    /// Nobody answers: tool uses that require a permission are denied at once. A callback is never called.
    None = "none",
}
