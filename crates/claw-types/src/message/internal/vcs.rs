//! The code that a session works on: `system` / `vcs_state_changed`, `code_change_published`,
//! `shell_cwd` and `dev_intent`.

use super::Identity;

/// A change that a command made to a repository.
#[wire(open)]
pub enum VcsChange {
    /// The command added a commit to the current branch or another branch.
    Commit = "commit",
    /// The command pushed commits to a remote.
    Push = "push",
    /// The command merged branches.
    Merge = "merge",
    /// The command rebased commits.
    Rebase = "rebase",
}

/// A change to a repository by a shell command of the session.
///
/// The CLI sends this message when the command has ended. The message does not describe the change in detail. It tells
/// the host to read the repository again. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "vcs_state_changed"))]
pub struct VcsStateChanged {
    /// The change that the command made.
    pub kind: VcsChange,
    /// The working directory of the shell when the command ended. The changed repository may be elsewhere.
    pub cwd: String,
    fields: Identity!(),
    /// The branch that the command changed. Sent only for a commit or a push, and only if the CLI recognised the
    /// branch.
    pub branch: Option<String>,
}

/// An action of a session on a published code change.
#[wire(open)]
pub enum CodeChangeAction {
    /// The session created the change.
    Created = "created",
    /// The session edited the title or text of the change.
    Edited = "edited",
    /// The session merged the change.
    Merged = "merged",
    /// The session commented on the change.
    Commented = "commented",
    /// The session closed the change.
    Closed = "closed",
    /// The session reopened the change.
    Reopened = "reopened",
    /// The session marked the change as ready for review.
    Ready = "ready",
    /// The session marked the change as a draft.
    Draft = "draft",
    /// Automatic merging of the change was enabled.
    AutoMergeEnabled = "auto-merge-enabled",
    /// Automatic merging of the change was disabled.
    AutoMergeDisabled = "auto-merge-disabled",
    /// The session pushed to the branch of the change.
    Pushed = "pushed",
    /// The session checked out the branch of the change.
    CheckedOut = "checked-out",
    /// The session started on a branch that already had an open change.
    Started = "started",
}

/// An action of the session on a published code change: a pull request or merge request.
///
/// The CLI sends this message when a command prints the URL of the change. All fields are taken
/// from the output of the command and are not verified. The types of the official SDK do not
/// include this message.
#[wire(tag(type = "system", subtype = "code_change_published"))]
pub struct CodeChangePublished {
    /// The kind of hosting site, such as `github`, `github-enterprise`, `gitlab`, `bitbucket` or `gerrit`. The CLI
    /// guesses this kind from the URL.
    pub provider: String,
    /// The URL of the change.
    pub url: String,
    /// The repository, as `owner/name`. On some hosting sites the path has more parts.
    pub repo: String,
    /// The number of the pull request or merge request on the hosting site.
    pub identifier: String,
    fields: Identity!(),
    /// The action of the session on the code change, such as `created` or `merged`. Older CLIs do not send it.
    pub action: Option<CodeChangeAction>,
    /// The branch of the session. Sent only when the change was created, and only if the hosting site keeps no branch
    /// for each change.
    pub branch: Option<String>,
}

/// The working directory of the shell after a shell command.
///
/// The CLI sends this message only to hosts that have marked a hook with `replacedByFrame: "shell_cwd"`. The message
/// then replaces the call of the hook. The CLI sends one message for each successful shell command of the main
/// conversation, before the command's result. The types of the official SDK do not include this message.
#[wire(tag(type = "system", subtype = "shell_cwd"))]
pub struct ShellCwd {
    /// The working directory of the shell.
    pub cwd: String,
    fields: Identity!(),
}

/// The kind of software that the session develops.
#[wire(open)]
pub enum DevIntentKind {
    /// An app for iPhone or iPad.
    IosApp = "ios_app",
    /// An app for Android.
    AndroidApp = "android_app",
}

/// The evidence from which the CLI concludes the kind of software.
#[wire(open)]
pub enum DevIntentTrigger {
    /// Code that uses `UIKit`, the toolkit for iOS screens.
    UikitImport = "uikit_import",
    /// Xcode build settings for iOS.
    XcodeProject = "xcode_project",
    /// A command of Apple's tools for iOS.
    IosCommand = "ios_command",
    /// Code that imports Android packages.
    AndroidImport = "android_import",
    /// An Android manifest file.
    AndroidManifest = "android_manifest",
    /// The Gradle plugin for Android.
    GradlePlugin = "gradle_plugin",
    /// A command of the Android tools.
    AndroidCommand = "android_command",
    /// An edit of Swift code. No CLI version sends this value so far.
    SwiftEdit = "swift_edit",
    /// An edit of Kotlin code. No CLI version sends this value so far.
    KotlinEdit = "kotlin_edit",
    /// An edit of Java code. No CLI version sends this value so far.
    JavaEdit = "java_edit",
    /// The evidence was found in the files of the project, not in the conversation.
    ProjectScan = "project_scan",
}

/// A clue about the kind of software that the session develops. With this clue, the host can offer suitable tools.
///
/// The CLI sends this message at most once in a conversation for each pair of kind and trigger. The types of the
/// official SDK do not include this message.
#[wire(tag(type = "system", subtype = "dev_intent"))]
pub struct DevIntent {
    /// The kind of software.
    pub kind: DevIntentKind,
    fields: Identity!(),
    /// The evidence from which the CLI concludes the kind of software. Older CLIs do not send it.
    pub trigger: Option<DevIntentTrigger>,
}
