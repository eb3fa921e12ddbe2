//! Runs Windows programs in wine, without a display.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Result, read, run};
use crate::workspace::Workspace;

const SHIM: &str = "bcryptprimitives.dll";

/// The program that runs Windows programs.
pub const PROGRAM: &str = "wine";
/// Rust's name of the Windows target that is built with mingw.
pub const TARGET: &str = "x86_64-pc-windows-gnu";

/// A separate Windows installation in a temporary folder. Dropping the `Prefix` ends all programs of the installation
/// and deletes the folder.
pub struct Prefix(PathBuf);

impl Prefix {
    /// Creates a new Windows installation.
    ///
    /// # Errors
    /// Fails if wine or mingw is missing. The error describes how to install them.
    pub fn new(workspace: &Workspace) -> Result<Self> {
        is_there(PROGRAM, "wine wine64")?;
        is_there("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64")?;
        let folder = std::env::temp_dir().join(format!("claw-wine-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let prefix = Self(folder);
        let mut boot = Command::new(PROGRAM);
        boot.envs(prefix.environment()).env_remove("DISPLAY");
        run(boot.args(["wineboot", "--init"]))?;
        prefix.without_volumes()?;
        add_shim(workspace, &prefix.0.join("drive_c/windows/system32"))?;
        Ok(prefix)
    }

    /// Disables the service for the volumes of drives. A program sends a request to this service whenever it reads the
    /// metadata of a file, and wine 8 sometimes loses such a request. The program then waits forever, and so does every
    /// later program. Without the service, volumes have no names and no numbers, but no program waits.
    fn without_volumes(&self) -> Result {
        const SERVICE: &str = r"HKLM\System\CurrentControlSet\Services\MountMgr";
        let mut registry = Command::new(PROGRAM);
        registry.envs(self.environment()).env_remove("DISPLAY");
        // The value 4 means that the service is never started.
        registry.args(["reg", "add", SERVICE, "/v", "Start", "/t", "REG_DWORD"]);
        read(registry.args(["/d", "4", "/f"]))?;
        // The service was already started, so all programs are stopped.
        self.stop()
    }

    /// Ends all programs of the installation, and waits until they have ended.
    fn stop(&self) -> Result {
        for step in ["-k", "-w"] {
            let mut server = Command::new("wineserver");
            // `-k` fails if no program is running. This failure is ignored.
            server.arg(step).env("WINEPREFIX", &self.0).status()?;
        }
        Ok(())
    }

    /// Returns the environment variables with which programs are run.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("WINEPREFIX", self.0.clone()),
            ("WINEDEBUG", "-all".into()),
            // With this variable, wine creates no menus and does not ask to download components.
            (
                "WINEDLLOVERRIDES",
                "winemenubuilder.exe,mscoree,mshtml=".into(),
            ),
        ]
    }
}

/// Adds a library that this version of wine may lack.
fn add_shim(workspace: &Workspace, system: &Path) -> Result {
    if system.join(SHIM).exists() {
        return Ok(());
    }
    let mut gcc = Command::new("x86_64-w64-mingw32-gcc");
    gcc.args(["-shared", "-O2", "-o"]).arg(system.join(SHIM));
    gcc.arg(workspace.root.join("xtask/src/wine/bcryptprimitives.c"));
    run(gcc.arg("-ladvapi32"))
}

/// Returns a path of this machine in the form that Windows programs use.
pub fn path(path: &Path) -> PathBuf {
    format!("Z:{}", path.display()).replace('/', "\\").into()
}

/// Fails if a program is missing. The error names the Debian packages that contain it.
pub fn is_there(program: &str, packages: &str) -> Result {
    read(Command::new(program).arg("--version"))
        .map(drop)
        .map_err(|error| {
            format!("{error}: `apt-get install --no-install-recommends {packages}`").into()
        })
}

impl Drop for Prefix {
    fn drop(&mut self) {
        let _ = self.stop();
        let _ = fs::remove_dir_all(&self.0);
    }
}
