//! The code that a session works on: `system` / `vcs_state_changed`, `code_change_published`,
//! `shell_cwd` and `dev_intent`.

use super::Identity;

/// What a command did to a repository.
#[wire(open)]
pub enum VcsChange {
    /// It added a commit, of its own or of another branch.
    Commit = "commit",
    /// It sent commits to a remote.
    Push = "push",
    /// It merged.
    Merge = "merge",
    /// It put commits on another base.
    Rebase = "rebase",
}

/// A shell command of the session's has changed a repository.
///
/// To hosts, when the command is over. A sign that what is known of the repository is old, not a
/// record of it: read it anew. In no published type.
#[wire(tag(type = "system", subtype = "vcs_state_changed"))]
pub struct VcsStateChanged {
    /// What the command did.
    pub kind: VcsChange,
    /// The folder that the shell stood in when the command was over. The repository may be another.
    pub cwd: String,
    fields: Identity!(),
    /// The branch, where a commit or a push names one for certain.
    pub branch: Option<String>,
}

/// What a session did with a change that others can see.
#[wire(open)]
pub enum CodeChangeAction {
    /// It proposed it.
    Created = "created",
    /// It edited its title or its text.
    Edited = "edited",
    /// It merged it.
    Merged = "merged",
    /// It said something about it.
    Commented = "commented",
    /// It closed it.
    Closed = "closed",
    /// It opened it again.
    Reopened = "reopened",
    /// It marked it as ready to be read.
    Ready = "ready",
    /// It marked it as a draft.
    Draft = "draft",
    /// It will be merged once it may.
    AutoMergeEnabled = "auto-merge-enabled",
    /// It will not be merged by itself any more.
    AutoMergeDisabled = "auto-merge-disabled",
    /// It pushed to the change's branch.
    Pushed = "pushed",
    /// It checked the change out.
    CheckedOut = "checked-out",
    /// The session began on the branch of a change that is open.
    Started = "started",
}

/// The session has done something with a change that others can see: a pull request, a merge
/// request.
///
/// To hosts, when a command prints the change's URL. All of it is read from what the command
/// printed, and nobody has checked it. In no published type.
#[wire(tag(type = "system", subtype = "code_change_published"))]
pub struct CodeChangePublished {
    /// The kind of site, guessed from the URL: `github`, `github-enterprise`, `gitlab`,
    /// `bitbucket`, `gerrit` ….
    pub provider: String,
    /// The change's page.
    pub url: String,
    /// The repository: `owner/name`, at some sites with more parts.
    pub repo: String,
    /// The change's number there.
    pub identifier: String,
    fields: Identity!(),
    /// What was done. Older CLIs do not say.
    pub action: Option<CodeChangeAction>,
    /// The branch that the session is on. Where the change was just made, and where the site keeps
    /// no branch for it.
    pub branch: Option<String>,
}

/// The folder that a shell command left its shell in.
///
/// To hosts that asked for it in place of a hook (`replacedByFrame`), for each command of the main
/// conversation that did not fail, before its result. In no published type.
#[wire(tag(type = "system", subtype = "shell_cwd"))]
pub struct ShellCwd {
    /// The folder.
    pub cwd: String,
    fields: Identity!(),
}

/// What is being made.
#[wire(open)]
pub enum DevIntentKind {
    /// An app for iPhone or iPad.
    IosApp = "ios_app",
    /// An app for Android.
    AndroidApp = "android_app",
}

/// What it was told by.
#[wire(open)]
pub enum DevIntentTrigger {
    /// Code that uses the toolkit for iOS screens.
    UikitImport = "uikit_import",
    /// Build settings for iOS.
    XcodeProject = "xcode_project",
    /// A command of Apple's tools for iOS.
    IosCommand = "ios_command",
    /// Code that imports Android's packages.
    AndroidImport = "android_import",
    /// An Android manifest.
    AndroidManifest = "android_manifest",
    /// The Gradle plugin for Android.
    GradlePlugin = "gradle_plugin",
    /// A command of Android's tools.
    AndroidCommand = "android_command",
    /// An edit of Swift. Not sent so far.
    SwiftEdit = "swift_edit",
    /// An edit of Kotlin. Not sent so far.
    KotlinEdit = "kotlin_edit",
    /// An edit of Java. Not sent so far.
    JavaEdit = "java_edit",
    /// The files of the project, not the conversation.
    ProjectScan = "project_scan",
}

/// The conversation or the project shows what is being made, so that the host can offer tools for
/// it.
///
/// To hosts, at most once a kind and source in a conversation. In no published type.
#[wire(tag(type = "system", subtype = "dev_intent"))]
pub struct DevIntent {
    /// What is being made.
    pub kind: DevIntentKind,
    fields: Identity!(),
    /// What it was told by. Older CLIs do not say.
    pub trigger: Option<DevIntentTrigger>,
}
