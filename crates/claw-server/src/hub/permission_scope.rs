//! Which suggested changes of the permissions stay within what a project allows.

use claw_types::control::PermissionUpdate;
use claw_types::options::PermissionMode;

use crate::Project;

/// What suggested changes of the permissions may bring about in a project.
#[derive(Debug, Clone)]
pub(crate) struct PermissionScope(Project);

impl PermissionScope {
    pub(crate) fn new(project: &Project) -> Self {
        Self(project.clone())
    }

    /// Whether a session may have this mode.
    pub(crate) fn allows_mode(&self, mode: &PermissionMode) -> bool {
        self.0.allows_mode(mode)
    }

    /// The folder of the project.
    pub(crate) fn folder(&self) -> String {
        self.0.folder.display().to_string()
    }

    /// Whether a change stays within what the project allows. Reads folders: links may lead out of the project.
    pub(crate) fn allows(&self, change: &PermissionUpdate) -> bool {
        match change {
            PermissionUpdate::AddRules(_)
            | PermissionUpdate::ReplaceRules(_)
            | PermissionUpdate::RemoveRules(_)
            | PermissionUpdate::RemoveDirectories(_) => true,
            PermissionUpdate::SetMode(change) => self.0.allows_mode(&change.mode),
            PermissionUpdate::AddDirectories(change) => change
                .directories
                .iter()
                .all(|directory| self.0.contains(&self.0.folder.join(directory))),
            // Nobody knows what it brings about.
            _ => false,
        }
    }
}
