//! The changes of a session: the current files, compared with their state before the session.

mod edits;
mod place;
mod report;

use claw_view::diff::FileDiff;
use serde::{Deserialize, Serialize};

pub(crate) use edits::Edits;
pub(crate) use place::Place;
pub(crate) use report::{Scope, report};

/// The files that a session has changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Changes {
    /// The changed files: first those that the session's tools have edited, then the others that the CLI reports, each
    /// sorted by path.
    pub files: Vec<ChangedFile>,
    /// Whether all changed files are listed. If not, there are more changed files than the server lists or the CLI
    /// reports.
    pub whole: bool,
    /// The CLI's report about the repository. Null if the CLI was not asked, because the session has no process or the
    /// request wants a summary.
    pub workspace: Option<Workspace>,
}

/// The CLI's report about the repository in which a session works.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Workspace {
    /// The name of the base branch. The files are compared with the last commit that the base branch and the current
    /// branch have in common. Null if the files are compared with the last commit of the current branch.
    pub base_branch: Option<String>,
    /// The reason why the CLI has reported no changes, such as `no-repository` or `timed-out`. Null if the CLI has
    /// reported the changes.
    pub problem: Option<String>,
}

/// A file that a session has changed: its diff, and where the diff comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ChangedFile {
    /// The diff. Its path is relative to the folder in which the session works, and absolute for a file outside of the
    /// project.
    #[serde(flatten)]
    pub diff: FileDiff,
    /// The source of the diff.
    pub source: ChangeSource,
    /// The number of edits by the session's tools. 0 for a file that the CLI alone reports.
    pub edits: u64,
    /// Whether the file is in the project's folder. Other files are not read from disk: their diff ends with the last
    /// edit.
    pub inside: bool,
    /// Whether the hunks are one diff from the file before the session to the file now. If `false`, the contents of
    /// that file are unknown, and the hunks are those of the single edits, one after the other.
    pub combined: bool,
    /// Whether hunks of the change are missing, because they are too long or the request wants a summary.
    pub truncated: bool,
}

/// The source of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ChangeSource {
    /// The edits by the session's tools, compared with the file before the first of these edits.
    Edits,
    /// The CLI's report about the repository, which compares files with a commit. The change may be older than the
    /// session.
    Workspace,
}

#[cfg(test)]
mod tests;
