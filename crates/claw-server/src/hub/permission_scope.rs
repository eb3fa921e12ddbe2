//! Checks that suggested permission changes stay within what a project allows.

use claw_types::control::PermissionUpdate;
use claw_types::options::PermissionMode;

use crate::Project;

/// The permission changes that a project allows.
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

    /// Returns the folder of the project.
    pub(crate) fn folder(&self) -> String {
        self.0.folder.display().to_string()
    }

    /// Whether the project allows this change of the permissions. Reads the disk, because a symbolic link may lead out
    /// of the project.
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
            // A change of an unknown kind could allow anything, so it is refused.
            _ => false,
        }
    }
}
