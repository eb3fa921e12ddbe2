//! Folders in which sessions may run.

use std::io;
use std::path::{Path, PathBuf};

use claw_types::QueryOptions;
use claw_types::options::PermissionMode;

use claw_view::real_path::real_or_missing;

use crate::Wall;

/// The modes that sessions of every project may have. These are all modes that this version of claw knows, except
/// `bypassPermissions`.
const HARMLESS: [PermissionMode; 5] = [
    PermissionMode::Default,
    PermissionMode::AcceptEdits,
    PermissionMode::Plan,
    PermissionMode::DontAsk,
    PermissionMode::Auto,
];

/// A folder in which sessions may run, with the permission mode of its sessions. A server runs sessions only in folders
/// of its projects.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Project {
    /// The name of the project in requests of viewers. It is unique within a server.
    pub name: String,
    /// The folder, absolute and without symbolic links.
    pub folder: PathBuf,
    /// The permission mode in which sessions begin.
    pub mode: PermissionMode,
    /// The model with which sessions begin. `None` means the CLI's default.
    pub model: Option<String>,
    /// The name of the project in the [store](crate::ServerBuilder::store). `None` means the name that the CLI derives
    /// from the folder. If the folder has different paths on several hosts, all these hosts must set the same name.
    pub store_project: Option<String>,
    /// The wall, which is the sandbox in which the CLIs of the project run. `None` means that they run in the server's own
    /// environment.
    pub wall: Option<Wall>,
}

impl Project {
    /// Creates a project from this folder. The project has the name of the folder, and the mode `default`.
    ///
    /// # Errors
    ///
    /// Fails if the folder does not exist or is not a folder.
    pub fn new(folder: impl AsRef<Path>) -> io::Result<Self> {
        let folder = folder.as_ref().canonicalize()?;
        if !folder.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::NotADirectory,
                format!("{} is not a folder", folder.display()),
            ));
        }
        let name = folder.file_name().unwrap_or(folder.as_os_str());
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            folder,
            mode: PermissionMode::Default,
            model: None,
            store_project: None,
            wall: None,
        })
    }

    /// Sets the name of the project in requests of viewers.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the permission mode in which sessions begin.
    #[must_use]
    pub fn mode(mut self, mode: impl Into<PermissionMode>) -> Self {
        self.mode = mode.into();
        self
    }

    /// Sets the model with which sessions begin.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// Sets the name of the project in the [store](crate::ServerBuilder::store).
    #[must_use]
    pub fn store_project(mut self, name: impl Into<String>) -> Self {
        self.store_project = Some(name.into());
        self
    }

    /// Sets the [wall](Wall) behind which the CLIs of the project run.
    #[must_use]
    pub fn wall(mut self, wall: Wall) -> Self {
        self.wall = Some(wall);
        self
    }

    /// Returns the configuration folder of the project's wall, which is the sandbox of its CLIs. Only this project uses the
    /// folder. Returns `None` if there is no such folder.
    pub(crate) fn own_config_dir(&self) -> Option<PathBuf> {
        self.wall.as_ref()?.config_dir()
    }

    /// Returns the name of the project in the store.
    pub(crate) fn stored_name(&self) -> String {
        let own = || claw_client::store::project_name(&self.folder);
        self.store_project.clone().unwrap_or_else(own)
    }

    /// Returns whether sessions of the project may have this mode. They may have the project's own mode, and all modes
    /// that this version of claw knows except `bypassPermissions`.
    pub fn allows_mode(&self, mode: &PermissionMode) -> bool {
        self.modes().any(|allowed| allowed == mode)
    }

    /// Returns the modes that sessions of the project may have.
    pub(crate) fn modes(&self) -> impl Iterator<Item = &PermissionMode> {
        let own = (!HARMLESS.contains(&self.mode)).then_some(&self.mode);
        HARMLESS.iter().chain(own)
    }

    /// Returns whether this directory is the project's folder or is inside it. Symbolic links are resolved first, so
    /// that no link leads out of the project. The directory need not exist: it may be a worktree that was removed, for
    /// example.
    pub fn contains(&self, directory: &Path) -> bool {
        real_or_missing(directory).is_some_and(|real| real.starts_with(&self.folder))
    }

    /// Returns the options with which sessions of this project begin. `mode` and the project's folder override those in
    /// `common`. The model is `model`, or else the project's model, or else the model in `common`.
    pub(crate) fn options(
        &self,
        common: &QueryOptions,
        model: Option<String>,
        mode: PermissionMode,
    ) -> QueryOptions {
        let mut options = common.clone().cwd(&self.folder).permission_mode(mode);
        options.model = model.or_else(|| self.model.clone()).or(options.model);
        options
    }
}
