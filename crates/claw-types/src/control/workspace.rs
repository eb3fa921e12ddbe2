//! Requests about the plan and the working directory. Not part of the official SDK's published
//! types.

/// To `claude`: get the plan that the model has written in the permission mode `plan`. Not part of the official SDK's
/// published types.
#[wire(tag(subtype = "get_plan"), response = GetPlanResponse)]
pub struct GetPlan {}

/// The response to `get_plan`.
#[wire]
pub struct GetPlanResponse {
    /// Whether a plan exists.
    pub exists: bool,
    /// The plan, in Markdown.
    pub content: Option<String>,
    /// The path of the plan's file.
    pub path: Option<String>,
}

/// To `claude`: change the working directory from now on. Not part of the official SDK's published
/// types.
#[wire(tag(subtype = "set_cwd"), response = SetCwdResponse)]
pub struct SetCwd {
    /// The path of the new working directory.
    pub path: String,
    /// Whether the user has agreed to trust the directory. If this field is `true`, `trusted_directory` is required.
    pub trust_accepted: Option<bool>,
    /// The directory that the user has agreed to trust: the `directory` of the previous response to `set_cwd`.
    pub trusted_directory: Option<String>,
}

/// The response to `set_cwd`.
#[wire]
pub enum SetCwdResponse {
    /// The working directory was changed.
    Ok(CwdSet),
    /// The user must first agree to trust the directory.
    NeedsTrust(CwdNeedsTrust),
    /// The change was rejected.
    Rejected(CwdRejected),
}

/// The response if the working directory was changed.
#[wire(tag(status = "ok"))]
pub struct CwdSet {
    /// The path of the new working directory.
    pub cwd: String,
    /// Whether the new working directory differs from the previous one.
    pub changed: bool,
    /// Whether the transcript is in the folder that belongs to the new working directory. `false` if the CLI could not
    /// move the transcript to this folder.
    pub transcript_relocated: bool,
}

/// The response if the user must first agree to trust the directory.
#[wire(tag(status = "needs_trust"))]
pub struct CwdNeedsTrust {
    /// The root of the git repository that contains the directory. By trusting the directory, the user trusts this
    /// whole repository.
    pub trust_root: Option<String>,
    /// The path of the directory.
    pub directory: String,
}

/// The response if the change was rejected.
#[wire(tag(status = "rejected"))]
pub struct CwdRejected {
    /// A code for the reason why the change was rejected.
    pub reason: CwdRejection,
    /// The reason for the rejection, in words.
    pub message: String,
}

/// The reason why a change of the working directory was rejected.
#[wire(open)]
pub enum CwdRejection {
    /// The directory does not exist.
    NotFound = "not_found",
    /// The path is not a directory.
    NotADirectory = "not_a_directory",
    /// A permission rule forbids the directory.
    BlockedByRule = "blocked_by_rule",
    /// The session is busy.
    Busy = "busy",
    /// The path is not safe.
    UnsafePath = "unsafe_path",
    /// The request comes from a remote client.
    RemoteOrigin = "remote_origin",
}
