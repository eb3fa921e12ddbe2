//! Requests about what the session works on. In no published type.

/// To `claude`: what is the plan? In no published type.
#[wire(tag(subtype = "get_plan"), response = GetPlanResponse)]
pub struct GetPlan {}

/// The answer to `get_plan`.
#[wire]
pub struct GetPlanResponse {
    /// Whether there is one.
    pub exists: bool,
    /// The plan, as Markdown.
    pub content: Option<String>,
    /// Its file.
    pub path: Option<String>,
}

/// To `claude`: work in this folder from now on. In no published type.
#[wire(tag(subtype = "set_cwd"), response = SetCwdResponse)]
pub struct SetCwd {
    /// The folder.
    pub path: String,
    /// The user has said that the folder is to be trusted. Needs the next.
    pub trust_accepted: Option<bool>,
    /// The folder that was, as the answer before had it.
    pub trusted_directory: Option<String>,
}

/// The answer to `set_cwd`.
#[wire]
pub enum SetCwdResponse {
    /// It works there now.
    Ok(CwdSet),
    /// The user has to be asked first.
    NeedsTrust(CwdNeedsTrust),
    /// It does not.
    Rejected(CwdRejected),
}

/// The session works in another folder.
#[wire(tag(status = "ok"))]
pub struct CwdSet {
    /// The folder.
    pub cwd: String,
    /// Whether it is another one than before.
    pub changed: bool,
    /// Whether the conversation's file went with it.
    pub transcript_relocated: bool,
}

/// The user has to say first that a folder is to be trusted.
#[wire(tag(status = "needs_trust"))]
pub struct CwdNeedsTrust {
    /// What would be trusted with it.
    pub trust_root: Option<String>,
    /// The folder.
    pub directory: String,
}

/// The session does not go to another folder.
#[wire(tag(status = "rejected"))]
pub struct CwdRejected {
    /// Why.
    pub reason: CwdRejection,
    /// The same in words.
    pub message: String,
}

/// Why a session does not go to another folder.
#[wire(open)]
pub enum CwdRejection {
    /// There is none.
    NotFound = "not_found",
    /// It is none.
    NotADirectory = "not_a_directory",
    /// A permission rule forbids it.
    BlockedByRule = "blocked_by_rule",
    /// The session is at work.
    Busy = "busy",
    /// Its path is not safe.
    UnsafePath = "unsafe_path",
    /// Whoever asks is elsewhere.
    RemoteOrigin = "remote_origin",
}
