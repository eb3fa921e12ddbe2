//! Windows programs under wine, without a display.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Result, read, run};
use crate::workspace::Workspace;

const SHIM: &str = "bcryptprimitives.dll";

/// The program that runs those of Windows.
pub const PROGRAM: &str = "wine";
/// What Rust calls the Windows that mingw builds for.
pub const TARGET: &str = "x86_64-pc-windows-gnu";

/// A Windows of its own, in a temporary folder. Dropping it ends what runs there, and deletes it.
pub struct Prefix(PathBuf);

impl Prefix {
    /// Makes a new Windows.
    ///
    /// # Errors
    /// When wine or mingw is missing. Says how to get them.
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

    /// Switches off the service that knows the volumes of drives. Programs ask it whenever they ask for the metadata of a
    /// file, and wine 8 loses such a request now and then: then that program waits for ever, and whoever asks later too.
    /// Without the service a volume has no name and no number, and nobody waits.
    fn without_volumes(&self) -> Result {
        const SERVICE: &str = r"HKLM\System\CurrentControlSet\Services\MountMgr";
        let mut registry = Command::new(PROGRAM);
        registry.envs(self.environment()).env_remove("DISPLAY");
        // 4: it is never started.
        registry.args(["reg", "add", SERVICE, "/v", "Start", "/t", "REG_DWORD"]);
        read(registry.args(["/d", "4", "/f"]))?;
        // It runs already.
        self.stop()
    }

    /// Ends all that runs, and waits until it has ended.
    fn stop(&self) -> Result {
        for step in ["-k", "-w"] {
            let mut server = Command::new("wineserver");
            // If nothing runs any more, `-k` fails, and that is as good.
            server.arg(step).env("WINEPREFIX", &self.0).status()?;
        }
        Ok(())
    }

    /// What programs are started with.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("WINEPREFIX", self.0.clone()),
            ("WINEDEBUG", "-all".into()),
            // It makes no menus, and asks for no more downloads.
            (
                "WINEDLLOVERRIDES",
                "winemenubuilder.exe,mscoree,mshtml=".into(),
            ),
        ]
    }
}

/// Adds the library that this wine may lack.
fn add_shim(workspace: &Workspace, system: &Path) -> Result {
    if system.join(SHIM).exists() {
        return Ok(());
    }
    let mut gcc = Command::new("x86_64-w64-mingw32-gcc");
    gcc.args(["-shared", "-O2", "-o"]).arg(system.join(SHIM));
    gcc.arg(workspace.root.join("xtask/src/wine/bcryptprimitives.c"));
    run(gcc.arg("-ladvapi32"))
}

/// A path of this machine as Windows programs see it.
pub fn path(path: &Path) -> PathBuf {
    format!("Z:{}", path.display()).replace('/', "\\").into()
}

/// Fails if a program is missing, and says in which of Debian's packages it is.
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
