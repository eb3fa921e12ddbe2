//! What is asked for, and whom.

/// What is asked for, and what is not.
#[wire(open)]
pub enum PermissionMode {
    /// What is dangerous is asked for.
    Default = "default",
    /// Edits of files are not asked for.
    AcceptEdits = "acceptEdits",
    /// Nothing is asked for. Needs `allow_dangerously_skip_permissions`; refused to root.
    BypassPermissions = "bypassPermissions",
    /// Nothing is done: the model plans.
    Plan = "plan",
    /// What would be asked for is refused.
    DontAsk = "dontAsk",
    /// A classifier decides.
    Auto = "auto",
    /// Older CLIs: a team lead that hands work on.
    Delegate = "delegate",
}

/// Who answers when the CLI would ask for a permission.
#[wire(open)]
pub enum PermissionPrompts {
    /// The host: its callback, or an MCP tool.
    Host = "host",
    /// Nobody: what would be asked for is refused at once. A callback is never called.
    None = "none",
}
