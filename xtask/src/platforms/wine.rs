//! Windows programs under wine, without a display.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Runner;
use xtask::run::{Result, read, run};
use xtask::workspace::Workspace;

const SHIM: &str = "bcryptprimitives.dll";

/// A Windows of its own, in a temporary folder. Dropping it ends what runs there, and deletes it.
pub(super) struct Prefix(PathBuf);

/// Makes a new Windows.
///
/// # Errors
/// When wine or mingw is missing. Says how to get them.
pub(super) fn runner(workspace: &Workspace) -> Result<Runner> {
    is_there("wine", "wine wine64")?;
    is_there("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64")?;
    let folder = std::env::temp_dir().join(format!("claw-wine-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let prefix = Prefix(folder.clone());
    let environment = vec![
        ("WINEPREFIX", folder.clone()),
        ("WINEDEBUG", "-all".into()),
        // It makes no menus, and asks for no more downloads.
        (
            "WINEDLLOVERRIDES",
            "winemenubuilder.exe,mscoree,mshtml=".into(),
        ),
    ];
    let mut boot = Command::new("wine");
    boot.envs(environment.iter().cloned()).env_remove("DISPLAY");
    run(boot.args(["wineboot", "--init"]))?;
    add_shim(workspace, &folder.join("drive_c/windows/system32"))?;
    Ok(Runner {
        words: vec!["wine".into()],
        environment,
        prefix: Some(prefix),
        ..Runner::default()
    })
}

/// Adds the library that this wine may lack.
fn add_shim(workspace: &Workspace, system: &Path) -> Result {
    if system.join(SHIM).exists() {
        return Ok(());
    }
    let mut gcc = Command::new("x86_64-w64-mingw32-gcc");
    gcc.args(["-shared", "-O2", "-o"]).arg(system.join(SHIM));
    gcc.arg(
        workspace
            .root
            .join("xtask/src/platforms/bcryptprimitives.c"),
    );
    run(gcc.arg("-ladvapi32"))
}

/// A path of this machine as Windows programs see it.
pub(super) fn path(path: &Path) -> PathBuf {
    format!("Z:{}", path.display()).replace('/', "\\").into()
}

/// Fails if a program is missing, and says in which of Debian's packages it is.
pub(super) fn is_there(program: &str, packages: &str) -> Result {
    read(Command::new(program).arg("--version"))
        .map(drop)
        .map_err(|error| {
            format!("{error}: `apt-get install --no-install-recommends {packages}`").into()
        })
}

impl Drop for Prefix {
    fn drop(&mut self) {
        for step in ["-k", "-w"] {
            let mut server = Command::new("wineserver");
            // If nothing runs any more, that is as good.
            let _ = server.arg(step).env("WINEPREFIX", &self.0).status();
        }
        let _ = fs::remove_dir_all(&self.0);
    }
}
